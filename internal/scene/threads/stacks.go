package threads

import (
	"slices"
	"strings"

	"diptych/internal/geom"
	"diptych/internal/scene"
	"diptych/internal/scene/icicle"
	"diptych/internal/trace"
	"diptych/internal/typeface"
)

// tickRoom is the least distance between two ticks, dp.
const tickRoom = 96

// stacks draws the focus thread's stacks and the time axis above them.
func (b *builder) stacks() {
	if len(b.st.Focus.Threads) == 0 || b.v.Stacks.Empty() {
		return
	}
	if !b.axisless {
		b.axis()
	}
	p := b.mainPlot()
	b.v.Row = p.Row
	layer := b.layer(p.View)
	b.v.Drawing = p.Draw(b.at(layer), &b.a.main)
}

// mainPlot is the focus thread's icicle. If it is too deep for its room, its trunk is folded; if
// that is not enough, rows become lower, but stay high enough for labels. Levels that do not fit
// even then are cut off.
func (b *builder) mainPlot() icicle.Plot {
	s, row := &b.st.Focus, float32(rowHeight)*b.dp
	room := b.v.Stacks.H() - hang*b.dp/2
	l := b.levels(s, row, room)
	if free := room - float32(l.fold)*l.foldRow; float32(l.deeper-l.fold)*row > free {
		row = max(free/float32(max(l.deeper-l.fold, 1)), labelRow*b.dp)
	}
	p := icicle.Plot{
		Trace: b.v.trace, Threads: s.Threads[:1], Axis: b.v.Axis, View: b.v.Stacks,
		Row: row, Fold: l.fold, FoldRow: l.foldRow, Palette: b.pal, Detail: icicle.Lighter,
		Emphasis: b.st.Emphasis, CallFill: b.callFill, RunFill: b.runFill,
	}
	if row >= labelRow*b.dp {
		p.TextSize = textSize * b.dp
	}
	return p
}

// axis draws the ticks above the stacks; a label that would be cut is left out.
func (b *builder) axis() {
	ax, size := b.v.Axis, float32(textSize)*b.dp
	l := b.at(b.layer(geom.Rect{}))
	strip := geom.Rect{X0: ax.X0, X1: ax.X1, Y0: b.v.Strip.Y0 - axisRoom*b.dp, Y1: b.v.Strip.Y0}
	sc := geom.Ticks(ax.Span, ax.X1-ax.X0, tickRoom*b.dp, string(b.v.trace.Unit))
	free, end := strip.X0, strip.X1+margin*b.dp
	other := geom.Axis{Span: b.st.Across, X0: ax.X0, X1: ax.X1} // both sides are equally wide
	cue := scene.NewCue(ax, other, string(b.v.trace.Unit), size, b.dp)
	if at := cue.Draw(l, ax, strip, b.pal.Side(b.st.Side), b.pal.Text); !at.Empty() {
		end = at.X0 - 8*b.dp
	}
	if w := typeface.Width(sc.Base, size, true); sc.Base != "" && strip.X0+w+1 < end {
		r := strip
		r.X1 = strip.X0 + w + 1
		l.Write(scene.Text{Rect: r, Text: sc.Base, Fill: b.pal.Secondary, Size: size, Bold: true})
		free += w + 12*b.dp
	}
	for _, t := range sc.Ticks {
		x, r := ax.X(t.At), strip
		r.X0 = x + 4*b.dp
		r.X1 = r.X0 + typeface.Width(t.Label, size, false) + 1
		if x < free || r.X1 > end {
			continue
		}
		l.Fill(geom.Rect{X0: x, X1: x + b.dp, Y0: strip.Y1 - 7*b.dp, Y1: strip.Y1 - b.dp},
			b.pal.Secondary)
		l.Write(scene.Text{Rect: r, Text: t.Label, Fill: b.pal.Secondary, Size: size})
	}
}

// head names the side and its focus thread, and says how much of its time went into waiting and
// into input and output.
func (b *builder) head() {
	l := b.at(b.layer(geom.Rect{}))
	x, mid := float32(margin)*b.dp, float32(header)/2*b.dp
	scene.Badge(l, geom.Point{X: x, Y: mid - badge/2*b.dp}, badge*b.dp, "AB"[b.st.Side:b.st.Side+1],
		b.pal.Side(b.st.Side), b.pal.OnSide)
	if len(b.st.Focus.Threads) == 0 {
		return
	}
	t := b.st.Focus.Threads[0]
	size := float32(12) * b.dp
	x += (badge + 14) * b.dp
	dot(l, geom.Point{X: x, Y: mid}, 5*b.dp, b.hue(Main))
	x += 10 * b.dp
	line := geom.Rect{X0: x, X1: b.v.size.W - margin*b.dp, Y1: header * b.dp}
	total := &b.v.waits.Threads[t]
	share := func(ns int64) string {
		return geom.FormatShare(float64(ns) / float64(max(total.EndNs-total.StartNs, 1)))
	}
	said := ""
	if b.v.trace.Kind != trace.Profile { // which says nothing of either
		said = "waiting " + share(total.WaitNs) + "  ·  I/O " + share(total.IONs)
	}
	w := typeface.Width(said, textSize*b.dp, false) + 1
	name := b.v.trace.ThreadTitle(t)
	n := typeface.Width(name, size, true)
	if line.W() > w+min(n+12*b.dp, w) { // the name has room, or half of the line
		l.Write(scene.Text{Rect: line, Text: said, Fill: b.pal.Secondary, Size: textSize * b.dp,
			Align: scene.AlignRight})
		line.X1 -= w + 12*b.dp
	}
	if n > line.W() {
		name = typeface.Shorten(name, line.W(), size, true)
	}
	l.Write(scene.Text{Rect: line, Text: name, Fill: b.pal.Text, Size: size, Bold: true})
}

// What the foot says of waits that are too narrow to draw: that faint bands stand for them, or what
// to do.
const (
	together = ", more as faint bands"
	unseen   = ": point at a thread, or zoom in"
)

// foot says how many of the waits are drawn and how many threads are folded.
func (b *builder) foot() {
	if b.footless {
		return
	}
	l := b.at(b.layer(geom.Rect{}))
	size := float32(textSize) * b.dp
	line := geom.Rect{X0: margin * b.dp, X1: b.v.size.W - margin*b.dp,
		Y0: b.v.size.H - footer*b.dp, Y1: b.v.size.H - 2*b.dp}
	count := ""
	if b.v.waits.Waits.Len() > 0 {
		count = geom.FormatWhole(int64(b.v.Shown)) + " of " + geom.FormatThings(b.v.Total, "wait")
	}
	folded := b.st.Folded.String()
	hint := ""
	switch {
	case b.v.Compounds:
		hint = together
	case len(b.v.ribbons) == 0 && b.v.Total > 0:
		hint = unseen
	}
	if typeface.Width(count+hint+folded, size, false)+14*b.dp <= line.W() {
		count += hint
	}
	if path := b.pathText(); path != "" {
		if text := strings.TrimPrefix(count+"  ·  "+path, "  ·  "); typeface.Width(text+folded, size, false)+14*b.dp <= line.W() {
			count = text
		}
	}
	w, f := typeface.Width(count, size, false)+1, typeface.Width(folded, size, false)+1
	if folded != "" && f <= line.W() {
		l.Write(scene.Text{Rect: line, Text: folded, Fill: b.pal.Secondary, Size: size,
			Align: scene.AlignRight})
		b.v.idle = line
		b.v.idle.X0 = line.X1 - f
	}
	if w+f+12*b.dp <= line.W() {
		l.Write(scene.Text{Rect: line, Text: count, Fill: b.pal.Secondary, Size: size})
	}
}

// inStacks reports whether any of some calls is in sight among the stacks of the focus thread.
func (b *builder) inStacks(refs []trace.CallRef) bool {
	return slices.ContainsFunc(refs, func(ref trace.CallRef) bool {
		r, ok := b.v.Drawing.CallRect(ref)
		return ok && !r.Intersect(b.v.Stacks).Empty()
	})
}

// marks outlines hovered and selected calls, or the focus thread where a call of it that is hovered
// in another view is out of sight, and draws the splitter's handle.
func (b *builder) marks() {
	over := b.layer(b.v.Stacks)
	arcs := b.layer(geom.Rect{})
	if b.v.Drawing != nil {
		for _, ref := range b.st.Hover {
			b.v.Drawing.Outline(b.at(over), ref, b.dp, icicle.Hovered)
		}
		if b.lit(Main) && !b.inStacks(b.st.Hover) {
			b.at(over).Border(b.v.Stacks, b.pal.Hover, b.dp)
		}
		for _, ref := range b.st.Selected {
			b.v.Drawing.Outline(b.at(over), ref, 2*b.dp, icicle.Selected)
		}
		r := b.v.Splitter
		mid := (r.X0 + r.X1) / 2
		h := geom.Rect{X0: mid - 20*b.dp, X1: mid + 20*b.dp, Y0: r.Y1 - 5*b.dp, Y1: r.Y1 - 2*b.dp}
		b.at(arcs).Quads = append(b.at(arcs).Quads, scene.Quad{Rect: h, Fill: b.pal.Bar,
			Radius: 1.5 * b.dp, U1: 1})
	}
	l := b.at(arcs)
	for _, ref := range b.st.Hover {
		if a, ok := b.v.arcOf(ref); ok {
			a.Shade, a.Line, a.Fill = scene.Outline, b.dp, b.pal.Hover
			l.Arcs = append(l.Arcs, a)
		}
	}
	for _, ref := range b.st.Selected {
		if a, ok := b.v.arcOf(ref); ok {
			a.Shade, a.Line, a.Fill = scene.Outline, 2*b.dp, b.pal.Selection
			l.Arcs = append(l.Arcs, a)
		}
	}
}
