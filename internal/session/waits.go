package session

import (
	"context"

	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/scene/threads"
	"diptych/internal/trace"
	"diptych/internal/wait"
	"diptych/internal/wait/table"
)

// Waits is who waits on whom in what is open. It comes in steps, and is never changed, only
// replaced.
type Waits struct {
	Sides    [2]*wait.Analysis // by side; nil until it is known
	Paths    [2]*wait.Path     // the critical paths
	Compared *wait.Comparison  // of both sides; nil until they have been compared
}

// Slots of the jobs.
const (
	waitsSlot        = "waits" // and the side
	compareWaitsSlot = "compare waits"
)

// wantWaits asks who waits on whom on one side, once the view of threads has been shown or the
// difference between both sides is to be explained.
func wantWaits(side pair.Side) Wanted {
	return want[*trace.Trace]{slot: waitsSlot + side.String(),
		key: func(s *Session) (*trace.Trace, bool) {
			tr, w := s.state.Sides[side].Trace, s.state.WaitsOf(side)
			if w != nil && w.Trace != tr {
				return tr, true // what is known is of another trace
			}
			return tr, s.state.needsWaits()
		},
		find: func(s *Session, slot string, _, tr *trace.Trace) {
			s.cancel(slot)
			a, path := s.state.Waits.of(tr)
			s.state.setWaits(side, a, path) // known where the sides were exchanged
			if a == nil && tr != nil && s.state.needsWaits() {
				s.findWaits(side, tr)
			} else if a == nil {
				delete(s.asked, slot)
			}
		}}
}

func (st *State) needsWaits() bool { return st.Shows(Threads) || st.compared() }

// analysed are the results that a comparison of waits depends on.
type analysed struct {
	pair  *pair.Pair
	sides [2]*wait.Analysis
}

// wantComparedWaits lays the waits of both sides next to each other, once both are known and the
// view of threads is shown.
func wantComparedWaits() Wanted {
	return want[analysed]{slot: compareWaitsSlot,
		key: func(s *Session) (analysed, bool) {
			w, p := s.state.Waits, s.state.Pair
			if w == nil || w.Sides[pair.A] == nil || w.Sides[pair.B] == nil || p == nil {
				return analysed{}, true
			}
			return analysed{p, w.Sides}, s.state.Shows(Threads)
		},
		find: func(s *Session, slot string, _, of analysed) {
			s.cancel(slot)
			if of.pair != nil {
				s.compareWaits(of.sides, of.pair)
			}
		}}
}

// findWaits analyses one side.
func (s *Session) findWaits(side pair.Side, tr *trace.Trace) {
	label := "Finding who waits on whom in " + side.String()
	s.start(waitsSlot+side.String(), label, func(ctx context.Context, j *Job) func() {
		a, err := wait.Find(ctx, tr, j.report)
		var path *wait.Path
		if err == nil {
			path, err = a.CriticalPath(ctx)
		}
		return func() {
			if s.failed(err) {
				return
			}
			s.apply(func(st *State) {
				if st.setWaits(side, a, path); !st.Both() {
					st.eachPane(st.focusWaits)
				}
			})
			s.history.amend(s.state.viewpoint())
		}
	})
}

// compareWaits lays the waits of both sides next to each other.
func (s *Session) compareWaits(sides [2]*wait.Analysis, p *pair.Pair) {
	s.start(compareWaitsSlot, "Comparing waits", func(ctx context.Context, j *Job) func() {
		c, err := wait.Compare(ctx, sides[pair.A], sides[pair.B], p)
		return func() {
			if s.failed(err) {
				return
			}
			s.apply(func(st *State) {
				if st.Waits != nil && st.Waits.Sides == sides {
					w := *st.Waits
					w.Compared = c
					st.Waits = &w
					st.eachPane(st.focusWaits)
				}
			})
			s.history.amend(s.state.viewpoint())
		}
	})
}

// of returns what is known of a trace, or nil.
func (w *Waits) of(tr *trace.Trace) (*wait.Analysis, *wait.Path) {
	if w != nil {
		for k, a := range w.Sides {
			if a != nil && a.Trace == tr && tr != nil {
				return a, w.Paths[k]
			}
		}
	}
	return nil, nil
}

// mirrored returns what is known with the sides exchanged. They have to be compared anew.
func (w *Waits) mirrored() *Waits {
	if w == nil {
		return nil
	}
	return &Waits{Sides: [2]*wait.Analysis{w.Sides[1], w.Sides[0]}, Paths: [2]*wait.Path{w.Paths[1], w.Paths[0]}}
}

// setWaits replaces what is known of a side; a comparison goes with it.
func (st *State) setWaits(side pair.Side, a *wait.Analysis, path *wait.Path) {
	w := Waits{}
	if st.Waits != nil {
		w.Sides, w.Paths = st.Waits.Sides, st.Waits.Paths
	}
	w.Sides[side], w.Paths[side] = a, path
	st.Waits = &w
}

// WaitsOf returns the analysis of a side, or nil.
func (st *State) WaitsOf(side pair.Side) *wait.Analysis {
	if st.Waits == nil {
		return nil
	}
	return st.Waits.Sides[side]
}

// ComparedWaits returns the comparison of the sides' waits as their threads are paired now, or nil.
func (st *State) ComparedWaits() *wait.Comparison {
	if st.Waits == nil || st.Waits.Compared == nil || st.Waits.Compared.Pair != st.Pair {
		return nil
	}
	return st.Waits.Compared
}

// analysed returns the analyses of the sides that are known, with the zero pair if none is.
func (st *State) analysed() (of analysed) {
	if st.Waits == nil || st.Pair == nil {
		return of
	}
	for side, a := range st.Waits.Sides {
		if a != nil && a.Trace == st.Pair.Trace(pair.Side(side)) {
			of.sides[side], of.pair = a, st.Pair
		}
	}
	return of
}

// preparedThreads is what the view of threads looks up.
var preparedThreads = Result[analysed, *threads.Prepared]{
	Slot: "prepare threads", Label: "Arranging threads",
	Key: func(st *State) (analysed, bool) {
		of := st.analysed()
		return of, of.pair != nil && st.Shows(Threads)
	},
	Find: func(ctx context.Context, of analysed, _ progress.Func) (*threads.Prepared, error) {
		return threads.Prepare(ctx, of.pair, of.sides)
	},
}

// PreparedThreads returns what the view of threads looks up, for the threads as they are paired now
// and the waits that are known now, or nil. It may lack a side whose waits have just been found.
func (st *State) PreparedThreads() *threads.Prepared {
	p, ok := preparedThreads.Last(st)
	if !ok || p.Pair != st.Pair {
		return nil
	}
	for side, a := range p.Sides {
		if a != nil && a != st.WaitsOf(pair.Side(side)) {
			return nil
		}
	}
	return p
}

// tabled is what the table of waits is made of.
type tabled struct {
	analysed
	compared *wait.Comparison
	others   *table.Runs // nil while they are not known, or there are none
}

// waitTable is the table of waits, once all sides that are open are known and compared.
var waitTable = Result[tabled, *table.Table]{
	Slot: "table of waits", Label: "Listing waits",
	Key: func(st *State) (of tabled, ok bool) {
		of.analysed, of.compared = st.analysed(), st.ComparedWaits()
		of.others, _ = waitsOfRuns.Of(st)
		return of, of.pair != nil && (of.compared != nil || !st.Both())
	},
	Find: func(ctx context.Context, of tabled, _ progress.Func) (*table.Table, error) {
		return table.New(ctx, of.pair, of.sides, of.compared, of.others)
	},
}

// WaitTable returns the table of waits, or nil while what it needs is not known. It may lack the
// other runs, until these are known.
func (st *State) WaitTable() *table.Table {
	t, ok := waitTable.Of(st)
	if !ok {
		last, _ := waitTable.Last(st)
		if k, wanted := waitTable.Key(st); wanted && k.others != nil && last != nil &&
			last.Pair == k.pair && last.Sides == k.sides {
			return last
		}
	}
	return t
}

// leastChange is what share of all that a side waited a change must be to stand out: of a thousand
// waits that last a microsecond most differ by far more than any threshold.
const leastChange = .03

// Changes tells which waits differ between two sides so much that they stand out.
type Changes struct {
	of    *wait.Comparison
	share float64
	least int64 // ns
	// Pairs are the pairs of threads that waited for each other in another way, as a waiter and a
	// releaser: by side, indices into its trace's threads.
	Pairs [2]map[[2]int]bool
	// Count is how many pairs of threads those are, of All.
	Count, All int
}

// newChanges looks for what changed by more than a threshold, in percent.
func newChanges(c *wait.Comparison, threshold int) *Changes {
	ch := &Changes{of: c, share: float64(threshold) / 100, All: len(c.Pairs)}
	var total [2]int64
	for k := range c.Pairs {
		for s, ns := range c.Pairs[k].WaitNs {
			total[s] += ns
		}
	}
	ch.least = int64(leastChange * float64(max(total[pair.A], total[pair.B])))
	ch.Pairs = [2]map[[2]int]bool{{}, {}}
	for k := range c.Pairs {
		r := &c.Pairs[k]
		if !ch.StandsOut(r) {
			continue
		}
		ch.Count++
		for s := range ch.Pairs {
			w := c.Pair.Threads[r.Waiter].On(pair.Side(s))
			by := c.Pair.Threads[r.Releaser].On(pair.Side(s))
			if w >= 0 && by >= 0 {
				ch.Pairs[s][[2]int{w, by}] = true
			}
		}
	}
	return ch
}

// StandsOut reports whether waits differ so much.
func (c *Changes) StandsOut(r *wait.Row) bool {
	d := r.Delta()
	return r.Changed(c.share) && max(d, -d) >= c.least
}

// changedOf is what the changes between two sides' waits depend on.
type changedOf struct {
	compared  *wait.Comparison
	threshold int
}

// waitChanges are the waits that differ so much between the sides that they stand out.
var waitChanges = Result[changedOf, *Changes]{
	Slot: "changed waits", Label: "Comparing waits",
	Key: func(st *State) (changedOf, bool) {
		c := st.ComparedWaits()
		return changedOf{c, st.WaitStyle.Threshold}, c != nil
	},
	Find: func(_ context.Context, of changedOf, _ progress.Func) (*Changes, error) {
		return newChanges(of.compared, of.threshold), nil
	},
}

// WaitChanges returns the waits that stand out at the threshold, or at the one before while they
// are looked for; nil while nothing is compared.
func (st *State) WaitChanges() *Changes {
	c, ok := waitChanges.Last(st)
	if !ok || c.of != st.ComparedWaits() {
		return nil
	}
	return c
}
