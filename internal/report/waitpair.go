package report

import (
	"diptych/internal/pair"
	"diptych/internal/trace"
	"diptych/internal/wait"
)

// WaitsPair is the JSON object of `diptych waits` for a pair. It is like that of one trace, but
// each figure is given for both sides, and is null if a side has no such thread or object.
type WaitsPair struct {
	Threads         []WaitThreads `json:"threads"`
	Runtime         bool          `json:"runtime"` // its threads count in the rest
	Pairs           []WaitPairs   `json:"pairs"`   // what changed most first
	Objects         []WaitObjects `json:"objects"` // in A's order, those of B alone last
	Table           []WaitRow     `json:"table"`   // by role and object, what changed most first
	Correspondences Both[uint64]  `json:"correspondences"`
	Stated          Both[uint64]  `json:"stated"`
	Unreleased      Both[int]     `json:"unreleased"`
	Released        Both[uint64]  `json:"released"`
	Passed          Both[uint64]  `json:"passed"`
	CriticalPathNs  Both[int64]   `json:"criticalPathNs"`
	CriticalWaitNs  Both[int64]   `json:"criticalWaitNs"`
	// CriticalFromNs and CriticalToNs are of criticalPath in the objects of single traces.
	CriticalFromNs Both[int64] `json:"-"`
	CriticalToNs   Both[int64] `json:"-"`
	Deadlocks      Both[int]   `json:"deadlocks"`
	ElapsedNs      Elapsed     `json:"elapsedNs"`
	// Requests are those that are compared, if the files hold distributed traces.
	Requests *Requests `json:"requests,omitzero"`
}

// WaitThreads is a pair of threads.
type WaitThreads struct {
	ID       Both[*string] `json:"id"`
	Name     Both[*string] `json:"name"`
	WaitNs   Both[*int64]  `json:"waitNs"`
	IONs     Both[*int64]  `json:"ioNs"`
	Waits    Both[*uint64] `json:"waits"`
	Releases Both[*uint64] `json:"releases"`
	Kind     Both[*string] `json:"kind"`
	OffCPUNs Both[*int64]  `json:"offCpuNs"`
}

// WaitPairs is who waited on whom.
type WaitPairs struct {
	Waiter   Both[*string] `json:"waiter"`
	Releaser Both[*string] `json:"releaser"`
	Count    Both[uint64]  `json:"count"`
	WaitNs   Both[int64]   `json:"waitNs"`
}

// WaitObjects is a pair of objects.
type WaitObjects struct {
	Name      Both[*string] `json:"name"`
	Kind      Both[*string] `json:"kind"`
	Waiters   Both[*int]    `json:"waiters"`
	Releasers Both[*int]    `json:"releasers"`
	WaitNs    Both[*int64]  `json:"waitNs"`
	Waits     Both[*uint64] `json:"waits"`
	Releases  Both[*uint64] `json:"releases"`
}

// WaitRow is a line of the table of waits. Releaser is empty if nothing ended the waits, and object
// if they were for nothing with a name.
type WaitRow struct {
	Waiter   string        `json:"waiter"`
	Releaser string        `json:"releaser"`
	Kind     string        `json:"kind"`
	Object   Both[*string] `json:"object"`
	Count    Both[uint64]  `json:"count"`
	WaitNs   Both[int64]   `json:"waitNs"`
	DeltaNs  int64         `json:"deltaNs"`
}

// NewWaitsPair describes the waits of two sides.
func NewWaitsPair(c *wait.Comparison, paths [2]*wait.Path) *WaitsPair {
	one := [2]*Waits{NewWaits(c.Sides[0], paths[0]), NewWaits(c.Sides[1], paths[1])}
	a, b := one[pair.A], one[pair.B]
	w := &WaitsPair{
		Runtime:         a.Runtime,
		Correspondences: Both[uint64]{a.Correspondences, b.Correspondences},
		Stated:          Both[uint64]{a.Stated, b.Stated},
		Unreleased:      Both[int]{a.Unreleased, b.Unreleased},
		Released:        Both[uint64]{a.Released, b.Released},
		Passed:          Both[uint64]{a.Passed, b.Passed},
		CriticalPathNs:  Both[int64]{a.CriticalPathNs, b.CriticalPathNs},
		CriticalWaitNs:  Both[int64]{a.CriticalWaitNs, b.CriticalWaitNs},
		Deadlocks:       Both[int]{len(a.Deadlocks), len(b.Deadlocks)},
		Threads:         []WaitThreads{}, Pairs: []WaitPairs{}, Objects: []WaitObjects{},
		Table: []WaitRow{},
	}
	w.CriticalFromNs.A, w.CriticalToNs.A = paths[pair.A].Span()
	w.CriticalFromNs.B, w.CriticalToNs.B = paths[pair.B].Span()
	for _, p := range c.Pair.Threads {
		w.Threads = append(w.Threads, waitThreads(at(a.Threads, p.A), at(b.Threads, p.B)))
	}
	for _, o := range c.Objects {
		w.Objects = append(w.Objects, waitObjects(at(a.Objects, int(o.A)), at(b.Objects, int(o.B))))
	}
	for _, p := range c.Pairs {
		w.Pairs = append(w.Pairs, WaitPairs{threadIDs(c, p.Waiter), threadIDs(c, p.Releaser),
			Both[uint64]{p.Count[0], p.Count[1]}, Both[int64]{p.WaitNs[0], p.WaitNs[1]}})
	}
	for i := range c.Roles {
		w.Table = append(w.Table, waitRow(c, &c.Roles[i], w.Objects))
	}
	return w
}

// at returns list[i], or nil for −1.
func at[T any](list []T, i int) *T {
	if i < 0 {
		return nil
	}
	return &list[i]
}

// of takes a figure of either side, null where there is none.
func of[S, T any](a, b *S, figure func(*S) *T) Both[*T] {
	var both Both[*T]
	if a != nil {
		both.A = figure(a)
	}
	if b != nil {
		both.B = figure(b)
	}
	return both
}

func waitThreads(a, b *WaitThread) WaitThreads {
	return WaitThreads{
		ID:       of(a, b, func(t *WaitThread) *string { return &t.ID }),
		Name:     of(a, b, func(t *WaitThread) *string { return &t.Name }),
		WaitNs:   of(a, b, func(t *WaitThread) *int64 { return &t.WaitNs }),
		IONs:     of(a, b, func(t *WaitThread) *int64 { return &t.IONs }),
		Waits:    of(a, b, func(t *WaitThread) *uint64 { return &t.Waits }),
		Releases: of(a, b, func(t *WaitThread) *uint64 { return &t.Releases }),
		Kind:     of(a, b, func(t *WaitThread) *string { return &t.Kind }),
		OffCPUNs: of(a, b, func(t *WaitThread) *int64 { return &t.OffCPUNs }),
	}
}

func waitObjects(a, b *WaitObject) WaitObjects {
	return WaitObjects{
		Name:      of(a, b, func(o *WaitObject) *string { return &o.Name }),
		Kind:      of(a, b, func(o *WaitObject) *string { return &o.Kind }),
		Waiters:   of(a, b, func(o *WaitObject) *int { return &o.Waiters }),
		Releasers: of(a, b, func(o *WaitObject) *int { return &o.Releasers }),
		WaitNs:    of(a, b, func(o *WaitObject) *int64 { return &o.WaitNs }),
		Waits:     of(a, b, func(o *WaitObject) *uint64 { return &o.Waits }),
		Releases:  of(a, b, func(o *WaitObject) *uint64 { return &o.Releases }),
	}
}

func threadIDs(c *wait.Comparison, threads int32) Both[*string] {
	p := c.Pair.Threads[threads]
	return of(at(c.Pair.A.Threads, p.A), at(c.Pair.B.Threads, p.B),
		func(th **trace.Thread) *string { return &(*th).ID })
}

func waitRow(c *wait.Comparison, r *wait.Row, objects []WaitObjects) WaitRow {
	row := WaitRow{Waiter: c.Names[r.Waiter], DeltaNs: r.Delta(),
		Count: Both[uint64]{r.Count[0], r.Count[1]}, WaitNs: Both[int64]{r.WaitNs[0], r.WaitNs[1]}}
	if r.Releaser >= 0 {
		row.Releaser = c.Names[r.Releaser]
	}
	if r.Object >= 0 {
		o := &objects[r.Object]
		row.Object = o.Name
		if kind := o.Kind.A; kind != nil {
			row.Kind = *kind
		} else {
			row.Kind = *o.Kind.B
		}
	}
	return row
}
