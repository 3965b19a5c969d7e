package threads

import (
	"math"
	"sort"

	"diptych/internal/geom"
	"diptych/internal/scene/icicle"
	"diptych/internal/trace"
)

// Part is what of the view lies under a point.
type Part uint8

const (
	Elsewhere  Part = iota
	OnCall          // a call or a run of them, of the focus thread or on the ring
	OnSection       // a place, where it has no call
	OnLabel         // a thread's circle
	OnRibbon        // a correspondence
	OnCompound      // the correspondences of a run
	OnRelease       // a correspondence's circle
	OnSplitter
	OnBar    // the overview, beside what is in sight
	OnFocus  // what is in sight
	OnLeft   // its left border
	OnRight  // its right border
	OnFolded // the count of threads that are folded or hidden
	OnZero   // the ring's zero radius, which can be dragged
	OnPath   // the critical path
	OnStates // how many threads do what, or what the focus thread does
)

// Hit is what lies under a point.
type Hit struct {
	Part Part
	// Place is Main, an index into State.Sections, or Nowhere; of a correspondence the waiter's.
	Place  int
	Thread int     // index into Trace.Threads, −1 if none
	At     float64 // the place's time there, ns

	// Call is the call under the point; in a run the one nearest to it. From and To are the calls
	// that the shape stands for: more than Call alone if Aggregate.
	Call      int
	Aggregate bool
	From, To  int // of the waits of a role −1

	// For a correspondence: the wait as an index into wait.Waits, −1 for that of a run, and the
	// release.
	Wait    int
	Release trace.CallRef
	Bar     int // index into View.Bars
	Segment int // of the critical path: index into its Segments
}

// Ref returns the picked call.
func (h *Hit) Ref() trace.CallRef {
	return trace.CallRef{Thread: int32(h.Thread), Call: int32(h.Call)}
}

// Pick returns what lies under p, and whether anything does.
func (v *View) Pick(p geom.Point) (Hit, bool) {
	h := Hit{Place: Nowhere, Thread: -1, Call: -1, Wait: -1,
		Release: trace.CallRef{Thread: -1, Call: -1}}
	if v.Ring.Outer == 0 {
		return h, false
	}
	for _, try := range []func(geom.Point, *Hit) bool{
		v.pickLabel, v.pickRelease, v.pickPath, v.pickBar, v.pickSplitter, v.pickStates, v.pickStacks, v.pickRing,
		v.pickRibbon, v.pickZero, v.pickPlace,
	} {
		if try(p, &h) {
			return h, true
		}
	}
	return h, false
}

func (v *View) pickLabel(p geom.Point, h *Hit) bool {
	for k := len(v.labels) - 1; k >= 0; k-- {
		if d := &v.labels[k]; d.contains(p) {
			v.hitPlace(h, OnLabel, d.place, p)
			return true
		}
	}
	if v.idle.Contains(p) {
		h.Part = OnFolded
		return true
	}
	return false
}

// hitPlace says that a part of a place is hit.
func (v *View) hitPlace(h *Hit, part Part, place int, p geom.Point) {
	h.Part, h.Place = part, place
	if th := v.st.section(place).Threads; len(th) > 0 {
		h.Thread = th[0]
	}
	h.At = v.TimeAt(place, p)
}

func (v *View) pickRelease(p geom.Point, h *Hit) bool {
	for k := len(v.releases) - 1; k >= 0; k-- {
		if d := &v.releases[k]; d.contains(p) {
			v.ofRibbon(h, OnRelease, &v.ribbons[d.ribbon])
			return true
		}
	}
	return false
}

// ofRibbon says which correspondence is hit.
func (v *View) ofRibbon(h *Hit, part Part, r *ribbon) {
	h.Part, h.Place, h.Wait, h.Release = part, r.place, r.wait, r.release
	h.At, h.From, h.To = float64(r.at), r.from, r.to
	if r.wait < 0 { // of a role, from is −1
		h.Part, h.Aggregate, h.Call = OnCompound, true, r.from
		h.Thread = v.st.section(r.place).Threads[0]
		return
	}
	ws := &v.waits.Waits
	h.Thread, h.Call = int(ws.Thread[r.wait]), int(ws.Call[r.wait])
	h.From, h.To = h.Call, h.Call+1
}

func (v *View) pickBar(p geom.Point, h *Hit) bool {
	for k := range v.Bars {
		bar := &v.Bars[k]
		if p.Y < bar.Bounds.Y0 || p.Y >= bar.Bounds.Y1 || p.X < bar.Bounds.X0-bar.grip ||
			p.X >= bar.Bounds.X1+bar.grip {
			continue
		}
		h.Bar, h.Place, h.At = k, bar.Place, bar.Axis.T(p.X)
		h.Thread = v.st.section(bar.Place).Threads[0]
		inside := min(bar.grip, bar.Focus.W()/4)
		switch {
		case p.X >= bar.Focus.X0-bar.grip && p.X < bar.Focus.X0+inside:
			h.Part = OnLeft
		case p.X >= bar.Focus.X1-inside && p.X < bar.Focus.X1+bar.grip:
			h.Part = OnRight
		case bar.Focus.Contains(p):
			h.Part = OnFocus
		default:
			h.Part = OnBar
		}
		return true
	}
	return false
}

func (v *View) pickSplitter(p geom.Point, h *Hit) bool {
	if v.Splitter.Contains(p) && abs(p.X-(v.Splitter.X0+v.Splitter.X1)/2) < 40*v.dp {
		h.Part = OnSplitter
		return true
	}
	return false
}

func (v *View) pickStacks(p geom.Point, h *Hit) bool {
	if v.Drawing == nil || !v.Stacks.Contains(p) {
		return false
	}
	v.hitPlace(h, OnSection, Main, p)
	if c, ok := v.Drawing.Pick(p); ok {
		h.Part, h.Call, h.Aggregate, h.From, h.To = OnCall, c.Call, c.Aggregate, c.From, c.To
	}
	return true
}

// pickRing picks the call whose arc is drawn at p. If several are, because some were widened to be
// seen, it picks one that would be there without that, and of those the narrowest.
func (v *View) pickRing(p geom.Point, h *Hit) bool {
	radius, angle := v.Ring.polar(p)
	if radius < v.Ring.Zero || radius >= v.Ring.Outer {
		return false
	}
	for k := range v.sections {
		s := &v.sections[k]
		if angle > s.left || angle < s.right {
			continue
		}
		best, owned := -1, false
		for i := s.first; i < s.last; i++ {
			b := &v.bent[i]
			drawn, own := b.covers(radius, angle)
			if !drawn || owned && !own {
				continue
			}
			if best < 0 || own && !owned || b.width() < v.bent[best].width() {
				best, owned = i, own
			}
		}
		if best < 0 {
			continue
		}
		v.hitPlace(h, OnCall, k, p)
		c := &v.bent[best].cell
		h.Aggregate, h.From, h.To, h.Call = c.Run, c.From, c.To, c.From
		if c.Run {
			h.Call = v.inRun(c, int64(math.Round(h.At)), s.plot.levelAt(radius-v.Ring.Zero))
		}
		return true
	}
	return false
}

// inRun returns the call of a run that lasts at a time, or was the last to begin before it: the one
// at a stack level, or if the stack does not reach so deep, its deepest.
func (v *View) inRun(c *icicle.Cell, at int64, level int) int {
	th := v.trace.Threads[c.Thread]
	i := c.From + sort.Search(c.To-c.From, func(k int) bool { return th.Start(c.From+k) > at }) - 1
	i = max(i, c.From)
	for i > c.From && int(th.Depth(i)) > max(level, int(th.Depth(c.From))) {
		i = int(th.Parent(i))
	}
	return i
}

func (v *View) pickRibbon(p geom.Point, h *Hit) bool {
	for k := len(v.ribbons) - 1; k >= 0; k-- {
		if r := &v.ribbons[k]; r.shape.Contains(p, reach) {
			v.ofRibbon(h, OnRibbon, r)
			return true
		}
	}
	return false
}

func (v *View) pickPlace(p geom.Point, h *Hit) bool {
	if place := v.PlaceAt(p); place != Nowhere {
		v.hitPlace(h, OnSection, place, p)
		return true
	}
	return false
}

// zeroGrip is how far inside the zero radius it is caught, dp.
const zeroGrip = 6

func (v *View) pickZero(p geom.Point, h *Hit) bool {
	radius, angle := v.Ring.polar(p)
	if radius >= v.Ring.Zero || radius < v.Ring.Zero-zeroGrip*v.dp || angle < 0 || angle > math.Pi {
		return false
	}
	h.Part = OnZero
	return true
}

// reach is the least distance in px at which the pointer meets a ribbon.
const reach = 2.5
