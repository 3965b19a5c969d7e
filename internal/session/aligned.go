package session

import (
	"context"
	"sort"

	"diptych/internal/align"
	"diptych/internal/geom"
	"diptych/internal/pair"
)

// Aligned is the alignment of the threads that are paired (DESIGN §6). It comes in steps, and is
// never changed, only replaced.
type Aligned struct {
	Pair    *pair.Pair
	Results []*align.Result // of the pairs with a thread on both sides, in their order
	Shown   *Shown          // nil until it has been laid out
}

// Shown is the pair of threads that is shown, laid out in virtual time.
type Shown struct {
	*align.Virtual
	Current int // index into Pair.Threads
}

// Slots of the jobs.
const (
	alignedSlot = "aligned"
	shownSlot   = "shown"
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
		s.sought.aligned, s.sought.shown = p, -1
		s.state.Aligned = nil
		if p != nil {
			s.align(p)
		}
	}
	if a := s.state.Aligned; a != nil && s.state.virtual() && s.sought.shown != s.state.Current {
		s.sought.shown = s.state.Current
		s.layOut(a, s.state.Current)
	}
}

// virtual reports whether something that is shown needs virtual time.
func (st *State) virtual() bool { return st.Lock == ByAlignment }

// align aligns all threads of p that have a partner.
func (s *Session) align(p *pair.Pair) {
	s.start(alignedSlot, "Aligning", func(ctx context.Context, j *Job) func() {
		rs, err := align.All(ctx, p, facing(p), align.Options{}, j.report)
		return func() {
			if s.failed(err) {
				return
			}
			s.apply(func(st *State) { st.Aligned = &Aligned{Pair: p, Results: rs} })
		}
	})
}

// facing returns the pairs that have a thread on both sides.
func facing(p *pair.Pair) []pair.ThreadPair {
	var out []pair.ThreadPair
	for _, t := range p.Threads {
		if t.A >= 0 && t.B >= 0 {
			out = append(out, t)
		}
	}
	return out
}

// layOut puts the pair of threads with the given index into virtual time.
func (s *Session) layOut(a *Aligned, current int) {
	r := a.of(current)
	if r == nil {
		return
	}
	s.start(shownSlot, "Laying out", func(ctx context.Context, j *Job) func() {
		v, err := r.Virtual(ctx)
		return func() {
			if s.failed(err) {
				return
			}
			s.apply(func(st *State) {
				if st.Aligned != nil {
					b := *st.Aligned
					b.Shown = &Shown{v, current}
					st.Aligned = &b
					st.focus(pair.A, st.Sides[pair.A].Focus) // as the lock says
				}
			})
		}
	})
}

// of returns the result for the pair of threads with the given index, or nil.
func (a *Aligned) of(current int) *align.Result {
	if current >= len(a.Pair.Threads) {
		return nil
	}
	t := a.Pair.Threads[current]
	for _, r := range a.Results {
		if r.Indices == [2]int{t.A, t.B} {
			return r
		}
	}
	return nil
}

// aligned returns what the other side shows when side shows f, and whether that is known: what lies
// on the same stretch of virtual time.
func (st *State) aligned(side pair.Side, f geom.Span) (geom.Span, bool) {
	a := st.Aligned
	if a == nil || a.Shown == nil || a.Pair != st.Pair || a.Shown.Current != st.Current {
		return geom.Span{}, false
	}
	from, to := a.Shown.stretch(side, int64(f.Start), int64(f.End))
	real := func(at int64) float64 { return float64(a.Shown.Real(side.Other(), at)) }
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
