package threads

import (
	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/trace"
)

// Waits too narrow to draw are part of runs. What a run's waits correspond with is one shape for
// each releasing thread: from the run's start and end to the last and first release, with a notch
// on the side of the releases (SyncTrace, IV-B2). They are opaque, lie beneath all others, and are
// shown for the thread under the pointer only.

const (
	notch        = 9   // depth of the notch, dp
	mostCompound = 400 // shapes
	paleCompound = .62 // how far their colour is moved to the pane's
)

// compounds draws those of the hovered thread.
func (b *builder) compounds(under int) {
	u := &b.st.Under
	if u.Part == Elsewhere || u.Place == Nowhere || u.Place >= len(b.v.sections) {
		return
	}
	switch u.Part {
	case OnCall, OnSection, OnLabel:
	default:
		return
	}
	last := [2]int{-1, -1}
	each := func(from, to, thread int) bool {
		if last == [2]int{from, to} {
			return true // another level of the same run
		}
		last = [2]int{from, to}
		b.compound(under, u.Place, thread, from, to)
		return len(b.v.ribbons) < mostCompound
	}
	if u.Place == Main {
		if b.v.Drawing == nil {
			return
		}
		for c := range b.v.Drawing.Cells {
			if c.Run && !each(c.From, c.To, c.Thread) {
				return
			}
		}
		return
	}
	p := &b.v.sections[u.Place]
	for k := p.first; k < p.last; k++ {
		if c := &b.v.bent[k].cell; c.Run && !each(c.From, c.To, c.Thread) {
			return
		}
	}
}

// compound draws the shapes of one run.
func (b *builder) compound(under, place, thread, from, to int) {
	th := b.st.Trace.Threads[thread]
	last := to - 1
	for th.Parent[last] != th.Parent[from] {
		last = int(th.Parent[last])
	}
	p0, p1 := b.anchor(place, float64(th.Start[from])), b.anchor(place, float64(th.End[last]))
	fill := palette.Mix(b.hue(place), b.pal.Pane, paleCompound)
	for _, r := range b.st.Waits.Reach(thread, from, to) {
		at := b.placeOf(int(r.Thread))
		if at == Nowhere {
			continue
		}
		q0, q1 := b.anchor(at, float64(r.First)), b.anchor(at, float64(r.Last))
		notched := b.lerp(mid(q0, q1), b.turnPoint(at, mid(q0, q1)), b.notch(at, q0, q1))
		centre := b.edge(place, mid(p0, p1), at, notched)
		for _, s := range [2]scene.Ribbon{
			{Edges: [2][4]geom.Point{b.edge(place, p0, at, q0), centre}},
			{Edges: [2][4]geom.Point{centre, b.edge(place, p1, at, q1)}},
		} {
			s.Fill, s.Ink, s.Line = fill, fill, b.dp // a line at least, however narrow the run
			l := b.at(under)
			l.Ribbons = append(l.Ribbons, s)
			b.v.ribbons = append(b.v.ribbons, ribbon{shape: s, box: hull(&s), wait: -1,
				at: r.Last, release: trace.CallRef{Thread: r.Thread, Call: -1}, place: place,
				from: from, to: to})
		}
	}
}

// notch returns how deep a notch is as a share of the way to where its curve heads for.
func (b *builder) notch(place int, q0, q1 geom.Point) float32 {
	depth := min(notch*b.dp, (abs(q1.X-q0.X)+abs(q1.Y-q0.Y))/2)
	m := mid(q0, q1)
	t := b.turnPoint(place, m)
	return depth / max(abs(t.X-m.X)+abs(t.Y-m.Y), 1)
}

func abs(v float32) float32 { return max(v, -v) }
