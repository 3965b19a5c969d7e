package session

import (
	"time"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// Growing is what is shown of a side while its trace is loaded: what has been read of it so far.
// Nothing can be chosen in it or compared with it.
type Growing struct {
	trace.Glimpse
	// Whole is how long the trace will be, ns, as far as that can be told from how its length has
	// grown with what was read. It is not less than what has been read so far.
	Whole float64
	Share float64 // of the file that has been read, in [0, 1]; −1 if that cannot be told
	Waits bool    // nothing can be read yet: nobody writes to the named pipe
}

// Span returns the time that the side shows: all that the trace will have.
func (g *Growing) Span() geom.Span { return geom.Span{End: g.Whole} }

// Tracks returns the threads that are shown: all, or the lead alone.
func (g *Growing) Tracks(all bool) []int {
	switch {
	case g.Lead < 0:
		return nil
	case all:
		return inOrder(g.Trace)
	}
	return []int{g.Lead}
}

// Empty reports whether there is nothing to show: no trace, and none that is being loaded.
func (s *State) Empty() bool {
	return !s.Any() && s.Sides[0].Growing == nil && s.Sides[1].Growing == nil
}

// Facing reports whether both sides have a trace or are about to.
func (s *State) Facing() bool {
	for i := range s.Sides {
		if sd := &s.Sides[i]; sd.Trace == nil && sd.Growing == nil {
			return false
		}
	}
	return true
}

// Read returns until when calls have been read of the threads that are shown, ns.
func (g *Growing) Read(all bool) float64 {
	read := int64(0)
	for _, k := range g.Tracks(all) {
		_, end := g.Trace.Threads[k].Span()
		read = max(read, end)
	}
	return float64(read)
}

// mostGrowing is of how many threads something is shown while they are loaded.
const mostGrowing = 16

// threadsGrowing returns how many threads the panes have room for.
func (s *State) threadsGrowing() (n int) {
	n = 1
	s.eachPane(func() {
		if s.Process {
			n = mostGrowing
		}
	})
	return n
}

// growth is what a job that loads a trace knows of how far it has come.
type growth struct {
	outline *trace.Outline
	drawn   func()    // closes the outline's Drawn
	looked  time.Time // when it was looked at last
	whole   float64   // as it was told last
	steps   []step    // by share
}

// step is how long a trace was when some of its file had been read.
type step struct{ share, ns float64 }

// lookEvery is how often what is being loaded is looked at.
const lookEvery = 250 * time.Millisecond

// lookAgain returns when it is looked at again: sooner as long as there was nothing to see.
func (g *Growing) lookAgain() time.Duration {
	if g.Lead < 0 {
		return lookEvery / 8
	}
	return lookEvery
}

// grow looks at the traces that are being loaded into empty sides. It reports whether there is any
// news.
func (s *Session) grow() (news bool) {
	for _, side := range []pair.Side{pair.A, pair.B} {
		j, was := s.Loading(side), s.state.Sides[side].Growing
		if j != nil && was != nil && was.Kept {
			j.growth.drawn() // in the frame before this one
		}
		switch now := s.now(); {
		case j == nil || s.state.Loaded(side):
			if was == nil {
				continue
			}
			s.apply(func(st *State) { st.Sides[side].Growing = nil })
		case was != nil && now.Sub(j.growth.looked) < was.lookAgain():
			continue
		default:
			j.growth.looked = now
			g := j.growth.outline.Glimpse(s.state.threadsGrowing())
			share := j.Progress()
			whole := float64(g.Trace.Duration)
			if !g.Kept {
				whole = j.growth.estimate(share, whole)
			}
			if share > 0 {
				j.growth.outline.Expect(int64(whole))
			}
			s.apply(func(st *State) { st.Sides[side].Growing = &Growing{g, whole, share, j.Waits()} })
		}
		news = true
	}
	return news
}

// drawNothing has no job wait for a frame.
func (s *Session) drawNothing() {
	for _, j := range s.jobs {
		if j.loads {
			j.growth.drawn()
		}
	}
}

// estimate tells how long the trace will be, given the share of its file that was read and the
// length that it has by then. It goes by the second half of what was read:
//
//	a file in the order of time   grows with each byte, so what is left adds its share
//	one thread after the other    has its length after the first, and what is left adds nothing
//
// The estimate is kept until it is wrong by more than so much, so that the picture rests.
func (g *growth) estimate(share, ns float64) float64 {
	if ns < 1 || share <= 0 {
		g.whole = max(g.whole, ns, 1)
		return g.whole
	}
	half := step{}
	for _, s := range g.steps {
		if s.share <= share/2 {
			half = s
		}
	}
	g.steps = append(g.steps, step{share, ns})
	whole := ns + (ns-half.ns)/(share-half.share)*(1-share)
	if off := whole/max(g.whole, 1) - 1; ns > g.whole || max(off, -off) > steady*(1-share) {
		g.whole = whole
	}
	return g.whole
}

// steady is by what share an estimate may be wrong at first, before it is told anew.
const steady = .2
