package session

import (
	"context"
	"sort"

	"diptych/internal/align"
	"diptych/internal/align/finding"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/scene/aligned"
)

// Aligned is the alignment of the threads that are paired (DESIGN §6). It comes in steps, and is
// never changed, only replaced.
type Aligned struct {
	Pair     *pair.Pair
	Results  []*align.Result // by index into Pair.Threads
	Findings *finding.Report // nil until they are known
	// Differences is the table of function times, nil until Findings are known.
	Differences []align.Difference
	Lines       []Line // of all pairs with a thread on both sides; nil until they are known
	Shown       *Shown // nil until it has been laid out
}

// Line is the timeline of a pair of threads, to stand beside others'.
type Line struct {
	Pair     int   // index into Pair.Threads
	From     int64 // start of A's thread, ns of its trace
	Length   int64 // of the pair's virtual time, ns
	Timeline *align.Timeline
}

// Shown is the pair of threads that is shown, laid out in virtual time.
type Shown struct {
	*align.Virtual
	Prepared *aligned.Prepared
	Metrics  align.Metrics
	Current  int // index into Pair.Threads
}

// Slots of the jobs.
const (
	alignedSlot = "aligned"
	shownSlot   = "shown"

	findingsSlot = "findings"
	linesSlot    = "lines"
)

// wantAligned asks for the alignment of both traces, and lays out the pair that is shown where
// something needs it.
func (s *Session) wantAligned() {
	p := s.state.Pair
	if !s.state.Both() {
		p = nil
	}
	if p != s.sought.aligned {
		s.cancel(alignedSlot)
		s.cancel(shownSlot)
		s.cancel(findingsSlot)
		s.cancel(linesSlot)
		s.sought.aligned, s.sought.shown, s.sought.lines = p, -1, false
		s.state.Aligned = nil
		if p != nil {
			s.align(p)
		}
	}
	if a := s.state.Aligned; a != nil && s.state.View == Alignment && !s.sought.lines {
		s.sought.lines = true
		s.drawLines(a)
	}
	if a := s.state.Aligned; a != nil && s.state.virtual() && s.sought.shown != s.state.Current {
		s.sought.shown = s.state.Current
		s.layOut(a, s.state.Current)
	}
}

// virtual reports whether something that is shown needs virtual time.
func (st *State) virtual() bool { return st.Lock == ByAlignment || st.View == Alignment }

// align aligns all threads of p, and looks for what differs.
func (s *Session) align(p *pair.Pair) {
	s.start(alignedSlot, "Aligning", func(ctx context.Context, j *Job) func() {
		rs, err := align.All(ctx, p, p.Threads, align.Options{}, j.report)
		return func() {
			if s.failed(err) {
				return
			}
			s.apply(func(st *State) { st.Aligned = &Aligned{Pair: p, Results: rs} })
			s.findDifferences(p, rs)
		}
	})
}

// findDifferences puts into words what differs.
func (s *Session) findDifferences(p *pair.Pair, rs []*align.Result) {
	s.start(findingsSlot, "Looking for differences", func(ctx context.Context, j *Job) func() {
		table, err := align.Differences(ctx, rs)
		if err != nil {
			return func() { s.failed(err) }
		}
		report, err := finding.Find(ctx, p, rs, finding.Options{}, j.report)
		return func() {
			if s.failed(err) {
				return
			}
			s.apply(func(st *State) {
				st.realign(func(a *Aligned) { a.Findings, a.Differences = report, table })
			})
		}
	})
}

// lineSamples is how many samples the timeline of a line has.
const lineSamples = 1000

// drawLines makes the timelines of all pairs of threads.
func (s *Session) drawLines(a *Aligned) {
	s.start(linesSlot, "Drawing timelines", func(ctx context.Context, j *Job) func() {
		lines, err := linesOf(ctx, a, j.report)
		return func() {
			if !s.failed(err) {
				s.apply(func(st *State) { st.realign(func(a *Aligned) { a.Lines = lines }) })
			}
		}
	})
}

func linesOf(ctx context.Context, a *Aligned, report func(done, total int64)) ([]Line, error) {
	lines := []Line{}
	for k, r := range a.Results {
		report(int64(k), int64(len(a.Results)))
		if r.Indices[pair.A] < 0 || r.Indices[pair.B] < 0 || r.Threads[pair.A].Len() == 0 {
			continue
		}
		v, err := r.Virtual(ctx)
		if err != nil {
			return nil, err
		}
		t, err := v.Timeline(ctx, lineSamples)
		if err != nil {
			return nil, err
		}
		lines = append(lines, Line{k, r.Threads[pair.A].Start[0], v.Length, t})
	}
	return lines, nil
}

// realign replaces the alignment by a changed copy, if there is one.
func (st *State) realign(change func(*Aligned)) {
	if st.Aligned != nil {
		a := *st.Aligned
		change(&a)
		st.Aligned = &a
	}
}

// layOut puts the pair of threads with the given index into virtual time.
func (s *Session) layOut(a *Aligned, current int) {
	if current >= len(a.Results) {
		return
	}
	r := a.Results[current]
	s.start(shownSlot, "Laying out", func(ctx context.Context, j *Job) func() {
		shown, err := newShown(ctx, r, current)
		return func() {
			if s.failed(err) {
				return
			}
			s.apply(func(st *State) {
				st.realign(func(a *Aligned) { a.Shown = shown })
				st.Virtual = st.wholeVirtual()
				st.focus(pair.A, st.Sides[pair.A].Focus) // as the lock says
			})
		}
	})
}

// newShown lays a result out.
func newShown(ctx context.Context, r *align.Result, current int) (*Shown, error) {
	v, err := r.Virtual(ctx)
	if err != nil {
		return nil, err
	}
	t, err := v.Timeline(ctx, aligned.Samples)
	if err != nil {
		return nil, err
	}
	moves, err := v.Moved(ctx)
	if err != nil {
		return nil, err
	}
	p, err := aligned.Prepare(ctx, v, t, moves)
	return &Shown{v, p, r.Metrics(), current}, err
}

// wholeVirtual returns all of virtual time, at least a nanosecond.
func (st *State) wholeVirtual() geom.Span {
	if v := st.Shown(); v != nil {
		return geom.Span{End: float64(max(v.Length, 1))}
	}
	return geom.Span{End: 1}
}

// Shown returns the pair of threads that is shown, in virtual time, or nil.
func (st *State) Shown() *Shown {
	a := st.Aligned
	if a == nil || a.Shown == nil || a.Pair != st.Pair || a.Shown.Current != st.Current {
		return nil
	}
	return a.Shown
}

// SetView chooses what the main pane shows.
func (s *Session) SetView(v View) {
	if v != s.state.View {
		s.change(func(st *State) { st.View = v })
	}
}

// SetVirtual shows a stretch of virtual time, and on both sides what lies there.
func (s *Session) SetVirtual(span geom.Span) {
	s.change(func(st *State) { st.setVirtual(span) })
}

func (st *State) setVirtual(span geom.Span) {
	v := st.Shown()
	if v == nil {
		return
	}
	st.Virtual = longEnough(span).Clamp(st.wholeVirtual())
	for side := range st.Sides {
		real := func(at float64) float64 { return float64(v.Real(pair.Side(side), int64(at))) }
		f := geom.Span{Start: real(st.Virtual.Start), End: real(st.Virtual.End)}
		st.Sides[side].Focus = st.within(pair.Side(side), f)
	}
}

// ZoomVirtual scales what is shown of virtual time by factor and holds the time at in place.
func (s *Session) ZoomVirtual(at, factor float64) {
	f := s.state.Virtual
	factor = min(max(factor, minFocus/f.Len()), s.state.wholeVirtual().Len()/f.Len())
	s.SetVirtual(f.ZoomAt(at, factor))
}

// aligned returns what the other side shows when side shows f, and whether that is known: what lies
// on the same stretch of virtual time.
func (st *State) aligned(side pair.Side, f geom.Span) (geom.Span, bool) {
	v := st.Shown()
	if v == nil {
		return geom.Span{}, false
	}
	from, to := v.stretch(side, int64(f.Start), int64(f.End))
	real := func(at int64) float64 { return float64(v.Real(side.Other(), at)) }
	return longEnough(geom.Span{Start: real(from), End: real(to)}), true
}

// stretch returns the virtual time of [from, to] of a side. A side stands still where the other
// alone has calls; if one of its own calls begins or ends there, the stretch begins or ends with
// that.
func (v *Shown) stretch(side pair.Side, from, to int64) (start, end int64) {
	th := v.Threads[side]
	start, end = v.At(side, from), v.At(side, to)
	if i := sort.Search(th.Len(), func(i int) bool { return th.Start[i] >= from }); i < th.Len() &&
		th.Start[i] == from {
		start = v.Start[side][i]
	}
	for i := th.Enclosing(to); i >= 0 && th.End[i] == to; i = int(th.Parent[i]) {
		end = v.End[side][i]
	}
	return start, end
}

// GoTo shows a finding: it selects its call, on the side that has one, and reveals it on both.
func (s *Session) GoTo(f *finding.Finding) {
	for _, side := range []pair.Side{pair.B, pair.A} {
		at := f.At[side]
		if at == nil {
			continue
		}
		t := Target{Side: side, OK: true}
		t.Ref.Thread, t.Ref.Call = int32(at.Thread), at.Call
		s.Select(t)
		s.Reveal(t)
	}
}
