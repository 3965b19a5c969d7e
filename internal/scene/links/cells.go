package links

import (
	"math"

	"diptych/internal/geom"
	"diptych/internal/match"
	"diptych/internal/scene/icicle"
	"diptych/internal/trace"
)

const none = -1

// frameShare is the share of the viewport's width that a call fills to be a frame.
const frameShare = .9

// cell is a drawn call or run, or a caller of drawn ones that is out of view.
//
// A frame is a call that fills the view's width and has cells below it, or beside it on other
// tracks. It is context: it is no root of a group and gets no tube. So groups get finer the further
// one zooms in, and calls like main do not put all matches into one bundle.
type cell struct {
	thread, call int32 // of a run the longest of its calls
	calls        int32 // that it stands for
	track        int32 // index into side.tracks
	parent       int32 // cell, or none
	end          int32 // the cells below are those up to here
	slot         int32 // of its class and function, in table
	// top and up are a chain through the callers that may root a group: top is the uppermost of
	// those of the same class, the call itself included, and up the next one's top. Callers of
	// equal class match the same, so a recursion is one step.
	top, up int32

	class, id  uint32 // of Γ, and of the function
	start, dur int64
	depth      int32
	rect       geom.Rect

	run, parental, frame, hidden bool
}

// drawable reports whether c may have tubes.
func (c *cell) drawable() bool { return !c.frame && !c.hidden }

func (c *cell) ref() trace.CallRef { return trace.CallRef{Thread: c.thread, Call: c.call} }

// track is the cells [from, to) of one thread.
type track struct {
	thread   int32
	from, to int32
}

// side is the cells of one icicle, tracks one after the other, in pre-order within each.
type side struct {
	d                *icicle.Drawing
	classes          *match.Classes
	ids              []uint32 // identity by function of the trace
	cells            []cell
	before           []cell // those of the last frame
	tracks           []track
	byTrack          []int32 // by thread of the trace: index into tracks, or none
	byCall           []int32 // cells by their calls, if it is known what is aligned
	shallow, deepest int32   // levels of what is drawn
	open             []int32 // cells whose subtrees are not over, outermost first
	chain            []int32
}

// collect makes the cells of a drawing and reports whether they differ from the last one's.
func (s *side) collect(d *icicle.Drawing, classes *match.Classes, ids []uint32, frames bool) bool {
	s.before, s.cells = s.cells, s.before[:0]
	s.d, s.classes, s.ids = d, classes, ids
	s.shallow, s.deepest = math.MaxInt32, 0
	s.tracks, s.open = s.tracks[:0], s.open[:0]
	s.byTrack = s.byTrack[:0]
	for range d.Trace.Threads {
		s.byTrack = append(s.byTrack, none)
	}
	thread, offset := none, none
	for c := range d.Cells {
		if c.Thread != thread {
			s.closeTo(0)
			thread, offset = c.Thread, Offset(&classes.Calls, d.Trace, c.Thread)
			if offset >= 0 {
				at := int32(len(s.cells))
				s.byTrack[thread] = int32(len(s.tracks))
				s.tracks = append(s.tracks, track{int32(thread), at, at})
			}
		}
		if offset >= 0 {
			s.addCell(c, offset)
		}
	}
	s.closeTo(0)
	s.chains(frames)
	return s.changed()
}

// changed compares with the last frame's cells. Slots are given later: what has not changed keeps
// them.
func (s *side) changed() bool {
	if len(s.cells) != len(s.before) {
		return true
	}
	for i := range s.cells {
		s.cells[i].slot = s.before[i].slot
		if s.cells[i] != s.before[i] {
			return true
		}
	}
	return false
}

// Offset returns the index in a scope of the first call of a trace's thread, or −1 if the scope
// does not hold that thread.
func Offset(calls *match.Calls, t *trace.Trace, thread int) int {
	th := t.Threads[thread]
	switch {
	case thread < len(calls.Threads) && calls.Threads[thread] == th:
		return calls.First[thread]
	case len(calls.Threads) == 1 && calls.Threads[0] == th:
		return 0
	}
	return none
}

// closeTo ends all open cells but n.
func (s *side) closeTo(n int) {
	for len(s.open) > n {
		s.cells[s.open[len(s.open)-1]].end = int32(len(s.cells))
		s.open = s.open[:len(s.open)-1]
	}
	if n == 0 && len(s.tracks) > 0 {
		s.tracks[len(s.tracks)-1].to = int32(len(s.cells))
	}
}

// addCell appends a drawn cell and, before it, those of its callers that have no cell yet.
func (s *side) addCell(c icicle.Cell, offset int) {
	th := s.d.Trace.Threads[c.Thread]
	for n := len(s.open); n > 0; n-- {
		p := &s.cells[s.open[n-1]]
		if !p.run && c.From < th.Next(int(p.call)) {
			break
		}
		s.closeTo(n - 1)
	}
	s.addCallers(c, th, offset)
	call, calls := c.From, c.To-c.From
	if c.Run {
		call = longest(th, c.From, c.To)
	}
	s.openCell(cell{
		thread: int32(c.Thread), call: int32(call), calls: int32(calls), rect: c.Rect, run: c.Run,
	}, th, offset)
}

// addCallers appends the callers of c down from the innermost open cell. Of neighbours of equal
// class the outermost stands for all.
func (s *side) addCallers(c icicle.Cell, th *trace.Thread, offset int) {
	above := int32(none)
	if n := len(s.open); n > 0 {
		above = s.cells[s.open[n-1]].call
	}
	s.chain = s.chain[:0]
	for p := th.Parent(c.From); p != above && p >= 0; p = th.Parent(int(p)) {
		if n := len(s.chain); n > 0 && s.alike(c.Thread, offset, s.chain[n-1], p) {
			s.chain[n-1] = p
			continue
		}
		s.chain = append(s.chain, p)
	}
	for k := len(s.chain) - 1; k >= 0; k-- {
		p := s.chain[k]
		s.openCell(cell{
			thread: int32(c.Thread), call: p, calls: 1, rect: s.border(c.Thread, p), hidden: true,
		}, th, offset)
	}
}

// alike reports whether one of two callers out of view can stand for the other: they are of one
// class, and both or neither may be a frame.
func (s *side) alike(thread, offset int, x, y int32) bool {
	return s.classes.Class(offset+int(x)) == s.classes.Class(offset+int(y)) &&
		s.wide(s.border(thread, x)) == s.wide(s.border(thread, y))
}

// wide reports whether a rectangle fills the view as a frame does.
func (s *side) wide(r geom.Rect) bool { return r.W() >= frameShare*s.d.View.W() }

// border returns where a call out of view lies, moved to the view's border.
func (s *side) border(thread int, call int32) geom.Rect {
	r, _ := s.d.CallRect(trace.CallRef{Thread: int32(thread), Call: call})
	return within(r, s.d.View)
}

// within returns r moved to the border of view where it lies outside, at least a pixel wide.
func within(r, view geom.Rect) geom.Rect {
	r.Y0, r.Y1 = min(max(r.Y0, view.Y0), view.Y1), min(max(r.Y1, view.Y0), view.Y1)
	r.X0 = min(max(r.X0, view.X0), view.X1-1)
	r.X1 = max(min(r.X1, view.X1), r.X0+1)
	return r
}

// openCell appends c under the innermost open cell and opens it.
func (s *side) openCell(c cell, th *trace.Thread, offset int) {
	at := int32(len(s.cells))
	c.parent, c.track = none, int32(len(s.tracks)-1)
	if n := len(s.open); n > 0 {
		c.parent = s.open[n-1]
		s.cells[c.parent].parental = true
	}
	c.class, c.id = s.classes.Class(offset+int(c.call)), s.ids[th.Fn[c.call]]
	c.start, c.dur = th.Start(int(c.call)), th.Dur(int(c.call))
	c.depth = int32(th.Depth(int(c.call)))
	if !c.hidden {
		s.shallow, s.deepest = min(s.shallow, c.depth), max(s.deepest, c.depth)
	}
	s.cells = append(s.cells, c)
	s.open = append(s.open, at)
}

// looked is how many calls of a run are compared for the longest.
const looked = 32

// longest returns the longest of the siblings in [from, to), of which the first few count.
func longest(th *trace.Thread, from, to int) int {
	best := from
	for i, n := from, 0; i < to && n < looked; i, n = th.Next(i), n+1 {
		if th.Dur(i) > th.Dur(best) {
			best = i
		}
	}
	return best
}

// chains decides which cells are frames and links each with its callers. Callers come first.
func (s *side) chains(frames bool) {
	several := len(s.tracks) > 1
	for i := range s.cells {
		c := &s.cells[i]
		c.frame = !frames && (several || c.parental) && !c.run && s.wide(c.rect)
		c.top, c.up = int32(i), none
		if c.frame {
			c.top = none
			continue
		}
		if c.parent == none {
			continue
		}
		switch p := &s.cells[c.parent]; {
		case p.top == none:
		case p.class == c.class:
			c.top, c.up = p.top, p.up
		default:
			c.up = p.top
		}
	}
}
