package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/runs"
	"diptych/internal/trace"
	"diptych/internal/tracefile"
	"diptych/internal/traceio/input"
)

// Runs are several recordings a side, of which one is shown. It is never changed, only replaced.
type Runs struct {
	Paths  [2][]string // by side
	Rules  pair.Rules
	Strict bool             // see Session
	Load   [2]input.Options // by side

	// requests are ids of what is shown of files of distributed traces, nil until that is known.
	requests [2][]string

	traces *tracefile.Cache
}

// SetRuns says which recordings there are of each side. Which of them is shown is another matter:
// see Open.
func (s *Session) SetRuns(paths [2][]string, o [2]input.Options) {
	s.picked = false
	s.apply(func(st *State) {
		st.Runs = &Runs{Paths: paths, Rules: s.Rules, Strict: s.Strict, Load: o, traces: s.Traces}
	})
}

// ShowRun shows the k-th run of a side.
func (s *Session) ShowRun(side pair.Side, k int) {
	if r := s.state.Runs; r != nil && k < len(r.Paths[side]) {
		s.picked = true
		s.Open(side, r.Paths[side][k], r.load(side, k))
	}
}

// load returns how the k-th run of a side is loaded.
func (r *Runs) load(side pair.Side, k int) input.Options {
	o := r.Load[side]
	if ids := r.requests[side]; ids != nil {
		o.Trace = cmp.Or(ids[k], o.Trace)
	}
	return o
}

// ShownRun returns which run of a side is shown, or −1.
func (st *State) ShownRun(side pair.Side) int {
	if st.Runs == nil || st.Sides[side].Trace == nil {
		return none
	}
	return slices.Index(st.Runs.Paths[side], st.Sides[side].Path)
}

// mirrored returns the runs with the sides exchanged.
func (r *Runs) mirrored() *Runs {
	if r == nil {
		return nil
	}
	m := *r
	m.Paths = [2][]string{r.Paths[pair.B], r.Paths[pair.A]}
	m.Load = [2]input.Options{r.Load[pair.B], r.Load[pair.A]}
	m.requests = [2][]string{r.requests[pair.B], r.requests[pair.A]}
	return &m
}

// afresh returns the same runs, which are then loaded and compared again.
func (r *Runs) afresh() *Runs {
	now := *r
	now.requests = [2][]string{}
	return &now
}

// ComparedRuns is what all runs tell.
type ComparedRuns struct {
	*runs.Comparison
	Study *runs.Study

	whole map[string]*runs.Change
	// better are the runs with the requests to compare, nil if they are those that were compared.
	better *Runs
}

// Function returns how a function's time with callees differs over all runs, or nil if it is too
// little to be compared.
func (c *ComparedRuns) Function(identity string) *runs.Change { return c.whole[identity] }

// comparedRuns compares all runs, once there are several.
var comparedRuns = Result[*Runs, *ComparedRuns]{
	Slot: "runs", Label: "Comparing all runs",
	Key: func(st *State) (*Runs, bool) { return st.Runs, st.Runs != nil },
	Find: func(ctx context.Context, r *Runs, report progress.Func) (*ComparedRuns, error) {
		c := &ComparedRuns{Study: &runs.Study{}, whole: map[string]*runs.Change{}}
		var lists [2][][]trace.Request
		err := r.each(ctx, report, [2]int{none, none}, func(side pair.Side, t *trace.Trace, path string) error {
			lists[side] = append(lists[side], t.Requests)
			sum, err := runs.Summarise(ctx, path, t, r.Rules, nil)
			if err != nil {
				return err
			}
			return c.Study.Add(side, sum)
		})
		if err != nil {
			return nil, err
		}
		stays := [2]bool{r.Load[pair.A].Trace != "", r.Load[pair.B].Trace != ""}
		if ids, others := pair.RunRequests(lists, stays); others && r.requests[pair.A] == nil {
			better := *r
			better.requests, c.better = ids, &better
		}
		if c.Comparison, err = c.Study.Compare(ctx, nil); err != nil {
			return nil, err
		}
		for i := range c.ByFunction {
			if x := &c.ByFunction[i]; x.Site.Kind == runs.Whole && x.Quantity == runs.Time {
				c.whole[x.Site.Function] = x
			}
		}
		return c, nil
	},
}

// wantComparedRuns compares all runs, and then shows those that stand for their sides.
func wantComparedRuns() Wanted {
	r := comparedRuns
	r.Then = (*Session).showMedian
	return r.Wanted()
}

// showMedian shows the runs that stand for their sides, unless the user has begun to look at
// others.
func (s *Session) showMedian() {
	c := s.state.ComparedRuns()
	if c != nil && c.better != nil {
		s.apply(func(st *State) { st.Runs = c.better })
		return // once these are compared, the medians of them
	}
	if c == nil || s.picked || s.state.Selected.OK {
		return
	}
	s.picked = true
	for _, side := range []pair.Side{pair.A, pair.B} {
		k := c.Shown[side]
		if s.state.ShownRun(side) != k || s.showsOther(side, s.state.Runs.load(side, k).Trace) {
			s.ShowRun(side, k)
		}
	}
}

// showsOther reports whether a side shows another request than the one with an id; "" means any.
func (s *Session) showsOther(side pair.Side, id string) bool {
	r := s.state.Sides[side].Trace.ShownRequest()
	return id != "" && r != nil && r.ID != id
}

// ComparedRuns returns what all runs tell, or nil while that is not known.
func (st *State) ComparedRuns() *ComparedRuns {
	c, _ := comparedRuns.Of(st)
	return c
}

// each loads all runs but one of each side, one after the other, and visits them.
func (r *Runs) each(ctx context.Context, report progress.Func, but [2]int,
	visit func(side pair.Side, t *trace.Trace, path string) error) error {
	const unit = 1000 // parts of a file that progress is told in
	total, done := int64(len(r.Paths[pair.A])+len(r.Paths[pair.B]))*unit, int64(0)
	for _, side := range []pair.Side{pair.A, pair.B} {
		for k, path := range r.Paths[side] {
			if k != but[side] {
				o := r.load(side, k)
				o.Progress = func(part, all int64) {
					if all > 0 {
						report(done+unit*min(part, all)/all, total)
					}
				}
				t, err := r.traces.Load(ctx, path, o)
				if err == nil {
					err = visit(side, t, path)
				}
				if err != nil {
					return fmt.Errorf("comparing runs: %w", err)
				}
			}
			done += unit
			report(done, total)
		}
	}
	return ctx.Err()
}
