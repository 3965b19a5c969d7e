package icicle

import (
	"diptych/internal/geom"
	"diptych/internal/trace"
)

// Pick is what lies under a point.
type Pick struct {
	Track  int // index into Plot.Threads
	Thread int // index into Trace.Threads
	Call   int // the call under the point; −1 over a track's header
	// From and To are the calls that the shape stands for: more than Call alone if Aggregate.
	Aggregate bool
	From, To  int
	Rect      geom.Rect // the shape as drawn
}

// Ref returns the picked call.
func (p Pick) Ref() trace.CallRef {
	return trace.CallRef{Thread: int32(p.Thread), Call: int32(p.Call)}
}

// Pick returns what is drawn at p. It goes through the drawn quads themselves, which do not
// overlap; where none is at p, one that is narrower than a pixel, and so drawn wider than it is,
// may be.
func (d *Drawing) Pick(p geom.Point) (Pick, bool) {
	if !d.View.Contains(p) {
		return Pick{}, false
	}
	exact, near := -1, -1
	for k := range d.quads {
		r := d.quads[k].Rect
		if p.Y < r.Y0 || p.Y >= r.Y1 || p.X < r.X0 || p.X >= max(r.X1, r.X0+1) {
			continue
		}
		near = k
		if p.X < r.X1 || p.X == r.X0 {
			if exact < 0 || r.W() < d.quads[exact].Rect.W() {
				exact = k
			}
		}
	}
	switch {
	case exact >= 0:
		return d.picked(exact, p), true
	case near >= 0:
		return d.picked(near, p), true
	}
	return Pick{}, false
}

func (d *Drawing) picked(k int, p geom.Point) Pick {
	it := d.items[k]
	out := Pick{
		Track: int(it.track), Thread: d.Threads[it.track], Call: int(it.from),
		Aggregate: it.run, From: int(it.from), To: int(it.to), Rect: d.quads[k].Rect,
	}
	if it.run {
		out.Call = d.inRun(it, p)
	}
	return out
}

// inRun returns the call of a run under p: on the level p is at, or the deepest above it, and
// nearest in time.
func (d *Drawing) inRun(it item, p geom.Point) int {
	th := d.Trace.Threads[d.Threads[it.track]]
	level := int(d.levelAt(d.offset(p.Y) - d.offsets[it.track] - d.Header))
	at := toNs(d.Axis.T(p.X))
	from, to := int(it.from), int(it.to)
	i := from + max(gallop(th.Start[from:to], at+1)-1, 0)
	for i > from && int(th.Depth[i]) > max(level, int(th.Depth[from])) {
		i = int(th.Parent[i])
	}
	return i
}
