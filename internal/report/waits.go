package report

import "diptych/internal/wait"

// Waits is the JSON object of `diptych waits` for one trace. Threads are named by their ids.
type Waits struct {
	Threads         []WaitThread `json:"threads"`
	Runtime         bool         `json:"runtime"` // its threads count in what follows
	Pairs           []WaitPair   `json:"pairs"`   // most time first
	Objects         []WaitObject `json:"objects"` // in the trace's order
	Correspondences uint64       `json:"correspondences"`
	Stated          uint64       `json:"stated"`     // of which the recording states them
	Unreleased      int          `json:"unreleased"` // waits that lasted until the recording ended
	Released        uint64       `json:"released"`   // waits that something ended
	Passed          uint64       `json:"passed"`     // waits that ended without a release
	CriticalPathNs  int64        `json:"criticalPathNs"`
	CriticalWaitNs  int64        `json:"criticalWaitNs"` // of which in waits for nobody known
	CriticalPath    []WaitStep   `json:"criticalPath"`   // in order of time
	Unending        []Unending   `json:"unending"`       // the unreleased waits
	Deadlocks       [][]Stuck    `json:"deadlocks"`
	ElapsedNs       Elapsed      `json:"elapsedNs"`
}

// WaitThread sums up the blocking calls of a thread.
type WaitThread struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	WaitNs     int64  `json:"waitNs"`
	IONs       int64  `json:"ioNs"`
	Waits      uint64 `json:"waits"`
	Releases   uint64 `json:"releases"`
	IOs        uint64 `json:"ios"`
	Unreleased uint64 `json:"unreleased"`
	Kind       string `json:"kind"`     // thread, async, sums or runtime
	GapNs      int64  `json:"gapNs"`    // of waitNs: idle between two calls
	OffCPUNs   int64  `json:"offCpuNs"` // without a processor, outside waits and input and output
}

// WaitPair is who waited on whom: outermost waits by the thread that ended them.
type WaitPair struct {
	Waiter   string `json:"waiter"`
	Releaser string `json:"releaser"`
	Count    uint64 `json:"count"`
	WaitNs   int64  `json:"waitNs"`
}

// WaitObject sums up the calls that waited for an object or released it.
type WaitObject struct {
	Name      string `json:"name"`
	Kind      string `json:"kind"`
	Waiters   int    `json:"waiters"`   // threads
	Releasers int    `json:"releasers"` // threads
	WaitNs    int64  `json:"waitNs"`
	IONs      int64  `json:"ioNs"`
	Waits     uint64 `json:"waits"` // calls
	Releases  uint64 `json:"releases"`
	IOs       uint64 `json:"ios"`
}

// WaitStep is a stretch of the critical path.
type WaitStep struct {
	Thread string `json:"thread"`
	FromNs int64  `json:"fromNs"`
	ToNs   int64  `json:"toNs"`
	WaitNs int64  `json:"waitNs"`
	Call   *int32 `json:"call"` // that released the next step
}

// Unending is a wait that never ended. A call without an end lasts until its thread's last event;
// how long the thread had waited when the recording ended is said here.
type Unending struct {
	Thread   string   `json:"thread"`
	Call     int32    `json:"call"`
	Function string   `json:"function"`
	Objects  []string `json:"objects"`
	StartNs  int64    `json:"startNs"`
	WaitedNs int64    `json:"waitedNs"`
}

// Stuck is one thread of a deadlock: it waits for an object that the next one holds.
type Stuck struct {
	Thread string `json:"thread"`
	Call   int32  `json:"call"`
	Object string `json:"object"`
	Holder string `json:"holder"`
}

// NewWaits describes the waits of a trace.
func NewWaits(a *wait.Analysis, path *wait.Path) *Waits {
	w := &Waits{Runtime: a.Runtime, Correspondences: a.Correspondences, Stated: a.Stated,
		Unreleased: len(a.Unreleased), CriticalPathNs: path.Ns, CriticalWaitNs: path.WaitNs,
		Threads: []WaitThread{}, Pairs: []WaitPair{}, Objects: []WaitObject{},
		CriticalPath: []WaitStep{}, Unending: []Unending{}, Deadlocks: [][]Stuck{}}
	id := func(thread int32) string { return a.Trace.Threads[thread].ID }
	for t := range a.Threads {
		w.Threads = append(w.Threads, waitThread(a, t))
		if a.Counts(t) {
			w.Released += a.Threads[t].Released
			w.Passed += a.Threads[t].Passed
		}
	}
	for _, p := range a.Pairs {
		w.Pairs = append(w.Pairs, WaitPair{id(p.Waiter), id(p.Releaser), p.Count, p.WaitNs})
	}
	for o := range a.Objects {
		w.Objects = append(w.Objects, waitObject(a, o))
	}
	for _, s := range path.Segments {
		step := WaitStep{Thread: id(s.Thread), FromNs: s.From, ToNs: s.To, WaitNs: s.WaitNs}
		if s.Release >= 0 {
			step.Call = &s.Release
		}
		w.CriticalPath = append(w.CriticalPath, step)
	}
	for _, i := range a.Unreleased {
		w.Unending = append(w.Unending, unending(a, int(i)))
	}
	for _, d := range a.Deadlocks {
		var circle []Stuck
		for _, s := range d {
			circle = append(circle, Stuck{Thread: id(a.Waits.Thread[s.Wait]),
				Call: a.Waits.Call[s.Wait], Object: a.Trace.Objects[s.Object].Name,
				Holder: id(s.Holder)})
		}
		w.Deadlocks = append(w.Deadlocks, circle)
	}
	return w
}

func waitThread(a *wait.Analysis, t int) WaitThread {
	th, sum := a.Trace.Threads[t], &a.Threads[t]
	return WaitThread{ID: th.ID, Name: th.Name, WaitNs: sum.WaitNs, IONs: sum.IONs,
		Waits: sum.Waits, Releases: sum.Releases, IOs: sum.IOs, Unreleased: sum.Unreleased,
		Kind: th.Kind.String(), GapNs: sum.GapNs, OffCPUNs: sum.OffCPUNs}
}

func waitObject(a *wait.Analysis, o int) WaitObject {
	sum := &a.Objects[o]
	return WaitObject{Name: a.Trace.Objects[o].Name, Kind: sum.Kind.String(),
		Waiters: sum.Waiters, Releasers: sum.Releasers, WaitNs: sum.WaitNs, IONs: sum.IONs,
		Waits: sum.Waits, Releases: sum.Releases, IOs: sum.IOs}
}

func unending(a *wait.Analysis, w int) Unending {
	th := a.Trace.Threads[a.Waits.Thread[w]]
	u := Unending{Thread: th.ID, Call: a.Waits.Call[w], StartNs: a.Waits.Start[w],
		WaitedNs: a.Trace.Duration - a.Waits.Start[w], Objects: []string{},
		Function: a.Trace.FunctionOf(th, int(a.Waits.Call[w])).Name}
	for _, o := range a.ObjectsOf(w) {
		u.Objects = append(u.Objects, a.Trace.Objects[o].Name)
	}
	return u
}
