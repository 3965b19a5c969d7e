package session

import (
	"context"
	"sort"

	"diptych/internal/align"
	"diptych/internal/align/finding"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/scene/aligned"
)

// Aligned is the alignment of the threads that are paired. It comes in steps, and is never changed,
// only replaced.
type Aligned struct {
	Pair     *pair.Pair
	Anchors  *Anchors
	Results  []*align.Result // by index into Pair.Threads
	Findings *finding.Report // nil until they are known
	// Differences is the table of function times, nil until Findings are known.
	Differences []align.Difference
	Lines       []Line // of all pairs with a thread on both sides; nil until they are known
	// Shown are the pairs of threads that panes show, laid out, by index into Pair.Threads.
	Shown map[int]*Shown
}

// Line is the timeline of a pair of threads, to stand beside others'.
type Line struct {
	Pair     int   // index into Pair.Threads
	From     int64 // start of A's thread, ns of its trace
	Length   int64 // of the pair's virtual time, ns
	Timeline *align.Timeline
	// Similarity of the two threads, from 0 to 1 (align.Metrics).
	Similarity float64
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

// wantAligned asks for the alignment of both traces. What is shown of an earlier one stays until
// the new one is there, unless it is of other traces.
func wantAligned() Wanted {
	return want[pairing]{slot: alignedSlot,
		key: func(s *Session) (pairing, bool) {
			if !s.state.Both() {
				return pairing{}, true
			}
			return s.state.pairing(), true
		},
		find: func(s *Session, slot string, was, of pairing) {
			s.cancel(slot)
			if of.pair != was.pair {
				s.cancel(findingsSlot)
				s.ask(linesSlot)
				s.state.eachPane(func() { s.ask(shownSlot + paneScope(s.state.ID)) })
				s.state.Aligned = nil
			}
			if of.pair != nil {
				s.align(of.pair)
			}
		}}
}

// wantLines asks for the timelines of all pairs of threads, while an alignment is shown.
func wantLines() Wanted {
	return want[pairing]{slot: linesSlot,
		key: func(s *Session) (pairing, bool) {
			a := s.state.Aligned
			if a == nil || !s.state.Shows(Alignment) {
				return pairing{}, false
			}
			return a.pairing(), true
		},
		find: func(s *Session, _ string, _, _ pairing) { s.drawLines(s.state.Aligned) }}
}

// wantShown lays out the pair of threads of a pane in virtual time, where something needs it.
func wantShown() Wanted {
	return want[shownOf]{slot: shownSlot, perPane: true,
		key: func(s *Session) (shownOf, bool) {
			a := s.state.Aligned
			if a == nil || !s.state.virtual() {
				return shownOf{}, false
			}
			return shownOf{a.pairing(), s.state.Current}, true
		},
		find: func(s *Session, slot string, _, of shownOf) { s.layOut(slot, s.state.Aligned, of.current) }}
}

// pairing is what an alignment depends on: which threads are pairs, and what was paired by hand.
type pairing struct {
	pair    *pair.Pair
	anchors *Anchors
}

func (st *State) pairing() pairing { return pairing{st.Pair, st.Anchors} }

func (a *Aligned) pairing() pairing { return pairing{a.Pair, a.Anchors} }

// restore pairs as before, if it is the same traces that are shown.
func (st *State) restore(p pairing) {
	if now := st.Pair; p.pair != nil && now != nil && p.pair.A == now.A && p.pair.B == now.B {
		st.Pair, st.Anchors = p.pair, p.anchors
	}
}

// shownOf is what Shown depends on.
type shownOf struct {
	of      pairing
	current int // index of the pair of threads
}

// alignedFor returns what the alignment that is known was made of; nothing if none is known.
func (st *State) alignedFor() pairing {
	if st.Aligned == nil {
		return pairing{}
	}
	return st.Aligned.pairing()
}

// virtual reports whether something that is shown needs virtual time.
func (st *State) virtual() bool { return st.Lock == ByAlignment || st.View == Alignment }

// align aligns all threads of p, and looks for what differs.
func (s *Session) align(p *pair.Pair) {
	anchors, results, strict := s.state.Anchors, s.Store, s.Strict
	s.afterBars(alignedSlot, "Aligning", 0, func(ctx context.Context, j *Job) func() {
		o := align.Options{Anchors: anchors.All(), Strict: strict}
		rs, _, err := results.Alignments(ctx, p, p.Threads, o, j.report)
		return func() {
			if !s.failed(err) {
				s.take(&Aligned{Pair: p, Anchors: anchors, Results: rs})
			}
		}
	})
}

// take takes over an alignment. What is laid out of the one before stays until it is made anew.
func (s *Session) take(a *Aligned) {
	s.apply(func(st *State) {
		if was := st.Aligned; was != nil && was.Pair == a.Pair {
			a.Shown, a.Lines = was.Shown, was.Lines // until they are made anew
		}
		st.Aligned = a
	})
	s.tellLeftOut()
	s.findDifferences(a)
}

// findDifferences puts into words what differs.
func (s *Session) findDifferences(a *Aligned) {
	s.start(findingsSlot, "Looking for differences", func(ctx context.Context, j *Job) func() {
		table, err := align.Differences(ctx, a.Results)
		if err != nil {
			return func() { s.failed(err) }
		}
		report, err := finding.Find(ctx, a.Pair, a.Results, finding.Options{}, j.report)
		return func() {
			if s.failed(err) {
				return
			}
			s.apply(func(st *State) {
				st.realign(a, func(a *Aligned) { a.Findings, a.Differences = report, table })
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
				s.apply(func(st *State) { st.realign(a, func(a *Aligned) { a.Lines = lines }) })
			}
		}
	})
}

func linesOf(ctx context.Context, a *Aligned, report progress.Func) ([]Line, error) {
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
		lines = append(lines, Line{k, r.Threads[pair.A].Start(0), v.Length, t, r.Metrics().Similarity()})
	}
	return lines, nil
}

// realign replaces the alignment by a changed copy, if it is still that of.
func (st *State) realign(of *Aligned, change func(*Aligned)) {
	if st.Aligned != nil && st.Aligned.pairing() == of.pairing() {
		a := *st.Aligned
		change(&a)
		st.Aligned = &a
	}
}

// layOut puts the pair of threads with the given index into virtual time, for the present pane.
func (s *Session) layOut(slot string, a *Aligned, current int) {
	if current >= len(a.Results) {
		return
	}
	r, pane := a.Results[current], s.state.ID
	s.start(slot, "Laying out", func(ctx context.Context, j *Job) func() {
		shown, err := newShown(ctx, r, current)
		return func() {
			if s.failed(err) {
				return
			}
			s.apply(func(st *State) {
				st.realign(a, func(a *Aligned) { a.Shown = with(a.Shown, current, shown) })
				from, foci := st.ID, st.foci()
				st.enter(pane)
				st.Virtual = st.wholeVirtual()
				st.besidePaired(st.leader()) // as the lock says
				s.grantWish(st, foci)
				st.enter(from)
			})
			s.history.amend(s.state.viewpoint())
		}
	})
}

// leader returns the side that the other one follows where the user moved neither: that of the
// selected call, so that it stays in sight.
func (st *State) leader() pair.Side {
	if st.Selected.OK {
		return st.Selected.Side
	}
	return pair.A
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
	if a == nil || a.Pair != st.Pair {
		return nil
	}
	return a.Shown[st.Current]
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
	here := st.ID
	st.eachPane(func() {
		if st.ID != here {
			st.followFocus(pair.A)
		}
	})
}

// ZoomVirtual scales what is shown of virtual time by factor and holds the time at in place.
func (s *Session) ZoomVirtual(at, factor float64) {
	f := s.state.Virtual
	factor = min(max(factor, ShortestFocus(f)/f.Len()), s.state.wholeVirtual().Len()/f.Len())
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
	if i := sort.Search(th.Len(), func(i int) bool { return th.Start(i) >= from }); i < th.Len() &&
		th.Start(i) == from {
		start = v.Start[side][i]
	}
	for i := th.Enclosing(to); i >= 0 && th.End(i) == to; i = int(th.Parent(i)) {
		end = v.End[side][i]
	}
	return start, end
}
