package threads

import (
	"image/color"
	"slices"

	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
)

// A wait marker lies over the thread that released a wait, as long as that lasted: one sees what
// the thread did meanwhile. Its start is shaded, so that starts stay apart where markers overlap; a
// marker without one began before what is in sight (SyncTrace, IV-B1).

const (
	mostMarkers = 60 // on the focus thread
	startWidth  = 4  // of the line at a marker's start, dp
	startFade   = 12 // of what it fades into, dp
	bodyInk     = .2
	edgeInk     = .55
	thinAfter   = 4  // markers from which on each is fainter
	mostCover   = .5 // of the stacks' ink that markers take where as many lie over each other as do on average
)

// overlay draws markers over the focus thread.
type overlay struct {
	b     *builder
	least float32 // px that a marker has to be wide
	faint float32
	top   float32
}

// newOverlay sees which markers there is room for: the widest, and all that stand out.
func (b *builder) newOverlay(links []link) *overlay {
	o := &overlay{b: b, faint: 1, top: b.v.Stacks.Y0}
	var widths []float32
	for k := range links {
		if links[k].to == Main {
			r, _ := b.markerRect(&links[k])
			widths = append(widths, r.W())
		}
	}
	if n := len(widths); n > mostMarkers {
		slices.Sort(widths)
		o.least = widths[n-mostMarkers]
	}
	if n := min(len(widths), mostMarkers); n > thinAfter {
		o.faint = max(float32(thinAfter)/float32(n), .25)
	}
	deep := float32(0) // markers over each other, on average
	for _, w := range widths {
		if w >= o.least {
			deep += w / max(b.v.Stacks.W(), 1)
		}
	}
	if body := bodyInk * o.faint * deep; body > mostCover {
		o.faint *= mostCover / body
	}
	return o
}

// markerRect returns where a wait lies on the focus thread, and whether its start is in sight.
func (b *builder) markerRect(l *link) (r geom.Rect, start bool) {
	ws, view := &b.v.waits.Waits, b.st.view(Main)
	from, to := float64(ws.Start[l.wait]), float64(ws.End[l.wait])
	r = b.v.Stacks
	r.X0, r.X1 = b.v.Axis.X(max(from, view.Start)), b.v.Axis.X(min(to, view.End))
	r.X1 = max(r.X1, r.X0)
	return r, view.Contains(from)
}

// mark draws the marker of a link that ends on the focus thread.
func (o *overlay) mark(l *scene.Layer, k *link, c color.NRGBA) {
	if k.to != Main {
		return
	}
	r, start := o.b.markerRect(k)
	if r.W() <= 0 || r.W() < o.least && k.stress != strong {
		return
	}
	body, edge := bodyInk*o.faint, edgeInk*max(o.faint, .5)
	switch {
	case k.stress == strong:
		body, edge = .30, .8
	case k.stress == faded:
		body, edge = .03, .12
	}
	if o.b.pal.Dark {
		body, edge = body*darkInk, edge*darkInk
	}
	l.Fill(r, palette.WithAlpha(c, uint8(255*body)))
	if !start {
		return
	}
	w := min(startWidth*o.b.dp, max(r.W()/3, o.b.dp))
	l.Fill(geom.Rect{X0: r.X0, X1: r.X0 + w, Y0: r.Y0, Y1: r.Y1},
		palette.WithAlpha(c, uint8(255*edge)))
	fade := geom.Rect{X0: r.X0 + w, X1: min(r.X0+w+startFade*o.b.dp, r.X1), Y0: r.Y0, Y1: r.Y1}
	if fade.W() > 1 {
		l.Quads = append(l.Quads, scene.Quad{Rect: fade, Shade: scene.GradientX, U1: 1,
			Fill: palette.WithAlpha(c, uint8(255*edge*.45))})
	}
}

// arcOverlays marks on the ring what the hovered waits cover there.
func (b *builder) arcOverlays(links []link) {
	if len(b.about.waits)+len(b.about.releases) == 0 {
		return
	}
	layer := b.layer(geom.Rect{})
	ws := &b.v.waits.Waits
	for k := range links {
		l := &links[k]
		if l.stress != strong || l.to < 0 {
			continue
		}
		p := &b.v.sections[l.to]
		from, to := float64(ws.Start[l.wait]), float64(ws.End[l.wait])
		if to < p.view.Start || from > p.view.End {
			continue
		}
		a := scene.Arc{Centre: b.v.Ring.Centre, R0: b.v.Ring.Zero,
			R1:   min(b.v.Ring.Zero+p.plot.offset(max(p.plot.shown, 1)), b.v.Ring.Outer),
			From: float32(p.angle(min(to, p.view.End))),
			To:   float32(p.angle(max(from, p.view.Start))),
			Fill: palette.WithAlpha(b.colour(l), 0x48), U1: 1}
		b.at(layer).Arcs = append(b.at(layer).Arcs, a)
		if from >= p.view.Start {
			a.From = max(a.From, a.To-startWidth*b.dp/b.v.Ring.Zero)
			a.Fill.A = 0xb0
			b.at(layer).Arcs = append(b.at(layer).Arcs, a)
		}
	}
}
