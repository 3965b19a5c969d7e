package aligned

import (
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/scene/icicle"
	"diptych/internal/trace"
)

// Part is what of the view lies under a point.
type Part uint8

const (
	Elsewhere Part = iota
	SideA
	SideB
	Status
	Dissimilarity
	Skew
	Pairs
)

// Hit is what lies under a point.
type Hit struct {
	Part Part
	At   float64 // virtual time, ns

	// OnCall says that a call or node is under the point, or a run of them; Node is it, or the one
	// of the run nearest to the point. A run counts by state what it stands for: on a side,
	// together with what the other side has between.
	OnCall bool
	Node   Node
	Pick   icicle.Pick // in the side's trace, or in the status trace
	Count  [4]int      // by align.State, of the nodes from Pick.From to Pick.To

	Row int // index into State.Pairs, for Pairs
}

// Pick returns what lies under p, and whether it is in any part.
func (v *View) Pick(p geom.Point) (Hit, bool) {
	if v.prepared == nil || v.Status == nil && v.Skew.Empty() {
		return Hit{}, false
	}
	h := Hit{Part: v.part(p), At: v.Axis.T(p.X)}
	switch h.Part {
	case Elsewhere:
		return h, false
	case SideA, SideB:
		s := pair.Side(h.Part - SideA)
		if h.Pick, h.OnCall = v.Sides[s].Drawing.Pick(p); h.OnCall {
			h.Node = v.prepared.Node(v.prepared.NodeOf(s, h.Pick.Call))
			h.Count = v.prepared.count(v.prepared.NodeOf(s, h.Pick.From),
				v.prepared.NodeOf(s, h.Pick.To-1)+1)
		}
	case Status:
		if h.Pick, h.OnCall = v.Status.Pick(p); h.OnCall {
			h.Node = v.prepared.Node(h.Pick.Call)
			h.Count = v.prepared.count(h.Pick.From, h.Pick.To)
		}
	case Pairs:
		h.Row = v.row(p)
	}
	return h, true
}

// part returns the part that p is in.
func (v *View) part(p geom.Point) Part {
	for s := range v.Sides {
		if d := v.Sides[s].Drawing; d != nil && v.Sides[s].Bounds.Contains(p) {
			return SideA + Part(s)
		}
	}
	switch {
	case v.Status != nil && v.Status.View.Contains(p):
		return Status
	case v.Dissimilarity.Contains(p):
		return Dissimilarity
	case v.Skew.Contains(p):
		return Skew
	case v.row(p) >= 0:
		return Pairs
	}
	return Elsewhere
}

// count counts the nodes [from, to) by state.
func (p *Prepared) count(from, to int) (n [4]int) {
	for k, c := range p.tally.in(from, to) {
		n[stateOf(kind(k))] += int(c)
	}
	return n
}

// CallRect returns where a side's call lies, as icicle.Drawing.CallRect does.
func (v *View) CallRect(s pair.Side, ref trace.CallRef) (geom.Rect, bool) {
	if v.Sides[s].Drawing == nil {
		return geom.Rect{}, false
	}
	return v.Sides[s].Drawing.CallRect(ref)
}
