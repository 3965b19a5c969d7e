package threads

import (
	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/trace"
	"diptych/internal/wait"
)

// Waits too narrow to draw are part of runs. The correspondences of a run are drawn as one shape
// for each releasing thread, which runs from the run's start and end to the last and the first
// release and has a notch on the side of the releases (SyncTrace, IV-B2). These shapes are opaque
// and lie beneath all others. They are drawn for the thread under the pointer; and, faintly, for
// all threads while nothing is pointed at and few waits are wide enough to be drawn one by one:
// otherwise a view of many short waits would look as if nobody waited.

const (
	notch        = 9   // depth of the notch, dp
	mostCompound = 400 // shapes
	paleCompound = .62 // how far their colour is moved to the pane's
	faintAtRest  = .82 // and where nothing is pointed at
	fewShown     = .25 // share of the waits in sight below which they are drawn at rest

	// reachSteps bounds what is looked up in a frame to find all correspondences of runs, and
	// endedSteps what is looked up, once that is used up, to find those that ended their waits.
	reachSteps = 2000
	endedSteps = 2000
)

// compounds draws the shapes of the hovered thread's runs, or of all threads'.
func (b *builder) compounds(under int) {
	if place, ok := b.hoveredPlace(); ok {
		b.reach, b.ended = reachSteps, endedSteps
		b.compoundsOf(under, place, mostCompound, paleCompound)
		return
	}
	if b.about.any || float64(b.v.Shown) >= fewShown*float64(b.v.Total) {
		return
	}
	n := len(b.v.sections) + 1
	for place := Main; place < len(b.v.sections); place++ {
		b.reach, b.ended = reachSteps/n+1, endedSteps/n+1
		b.compoundsOf(under, place, len(b.v.ribbons)+mostCompound/n+1, faintAtRest)
	}
	b.v.Compounds = len(b.v.ribbons) > 0
}

// hoveredPlace returns the place whose thread is under the pointer, if there is one.
func (b *builder) hoveredPlace() (place int, ok bool) {
	u := &b.st.Under
	if u.Place == Nowhere || u.Place >= len(b.v.sections) {
		return 0, false
	}
	switch u.Part {
	case OnCall, OnSection, OnLabel:
		return u.Place, true
	}
	return 0, false
}

// compoundsOf draws the shapes of a place's runs, until the view has so many ribbons. pale is how
// far their colour is moved to the pane's.
func (b *builder) compoundsOf(under, place, most int, pale float32) {
	last := [2]int{-1, -1}
	each := func(from, to, thread int) bool {
		if last == [2]int{from, to} {
			return true // another level of the same run
		}
		last = [2]int{from, to}
		return len(b.v.ribbons) < most && b.compound(under, place, thread, from, to, pale)
	}
	if place == Main {
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
	if b.st.Sections[place].crowd != nil {
		b.roleCompounds(under, place, most, pale)
		return
	}
	p := &b.v.sections[place]
	for k := p.first; k < p.last; k++ {
		if c := &b.v.bent[k].cell; c.Run && !each(c.From, c.To, c.Thread) {
			return
		}
	}
}

// compound draws the shapes of one run, and reports whether there may be more.
func (b *builder) compound(under, place, thread, from, to int, pale float32) bool {
	th := b.v.trace.Threads[thread]
	last := to - 1
	for th.Parent(last) != th.Parent(from) {
		last = int(th.Parent(last))
	}
	p := [2]geom.Point{b.anchor(place, float64(th.Start(from))),
		b.anchor(place, float64(th.End(last)))}
	for _, r := range b.reachOf(thread, from, to) {
		at := b.placeOf(int(r.Thread))
		if at == Nowhere {
			continue
		}
		q := [2]geom.Point{b.anchor(at, float64(r.First)), b.anchor(at, float64(r.Last))}
		for _, s := range b.notched(place, p, at, q, pale) {
			l := b.at(under)
			l.Ribbons = append(l.Ribbons, s)
			b.v.ribbons = append(b.v.ribbons, ribbon{shape: s, wait: -1,
				at: r.Last, release: trace.CallRef{Thread: r.Thread, Call: -1}, place: place,
				from: from, to: to})
		}
	}
	return b.ended > 0
}

// notched returns the halves of the shape between a run, which begins and ends at p, and the first
// and the last release of its waits at q.
func (b *builder) notched(place int, p [2]geom.Point, at int, q [2]geom.Point,
	pale float32) [2]scene.Ribbon {
	fill := palette.Mix(b.hue(place), b.pal.Pane, pale)
	notch := b.lerp(mid(q[0], q[1]), b.turnPoint(at, mid(q[0], q[1])), b.notch(at, q[0], q[1]))
	centre := b.edge(place, mid(p[0], p[1]), at, notch)
	halves := [2]scene.Ribbon{
		{Edges: [2][4]geom.Point{b.edge(place, p[0], at, q[0]), centre}},
		{Edges: [2][4]geom.Point{centre, b.edge(place, p[1], at, q[1])}},
	}
	for k := range halves {
		// A line at least, however narrow the run.
		halves[k].Fill, halves[k].Ink, halves[k].Line = fill, fill, b.dp
	}
	return halves
}

// reachOf returns when each thread released waits of a run. All correspondences count, unless the
// runs have so many that looking at them would take too long; then only those that ended a wait.
func (b *builder) reachOf(thread, from, to int) []wait.Reach {
	if all, ok := b.v.waits.Reach(thread, from, to, &b.reach); ok {
		return all
	}
	var out []wait.Reach
	ws, d := &b.v.waits.Waits, b.ready
	for at := int(d.first[thread]); at < int(d.first[thread+1]) && b.ended > 0; b.ended-- {
		var list []int32
		if list, at = d.endedOn(ws, thread, at, int32(from), int32(to)); len(list) > 0 {
			first, last := list[0], list[len(list)-1]
			out = append(out, wait.Reach{Thread: ws.By[first].Thread, First: ws.At[first],
				Last: max(ws.At[first], ws.At[last])})
		}
	}
	return out
}

// notch returns how deep a notch is as a share of the way to where its curve heads for.
func (b *builder) notch(place int, q0, q1 geom.Point) float32 {
	depth := min(notch*b.dp, (abs(q1.X-q0.X)+abs(q1.Y-q0.Y))/2)
	m := mid(q0, q1)
	t := b.turnPoint(place, m)
	return depth / max(abs(t.X-m.X)+abs(t.Y-m.Y), 1)
}

func abs(v float32) float32 { return max(v, -v) }
