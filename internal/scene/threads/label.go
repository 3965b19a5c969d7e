package threads

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/trace"
	"diptych/internal/typeface"
)

// disc is a circle that can be picked.
type disc struct {
	at     geom.Point
	radius float32
	half   float32 // half the width of a label's straight part
	place  int
	ribbon int // index into View.ribbons, for a release

	text string // of a label
	size float32
}

// rect returns the box around a disc.
func (d *disc) rect() geom.Rect {
	return geom.Rect{X0: d.at.X - d.half - d.radius, X1: d.at.X + d.half + d.radius,
		Y0: d.at.Y - d.radius, Y1: d.at.Y + d.radius}
}

// contains reports whether p lies in the disc.
func (d *disc) contains(p geom.Point) bool {
	dx := max(abs(p.X-d.at.X)-d.half, 0)
	dy := p.Y - d.at.Y
	return dx*dx+dy*dy < d.radius*d.radius
}

// Measures in dp.
const (
	labelRadius = 10
	labelSmall  = 7 // on a small ring
	labelLeast  = 5 // in a narrow section
	labelIn     = 8 // between the zero radius and a label
)

// labelShare is a label's radius as a share of the zero radius, within the limits above.
const labelShare = .06

// circles draws the threads' ids in circles of their colours, inside the ring. If sections are
// narrow, every other circle lies further inside. If that is not enough, only every n-th section
// has a circle, and those that several threads share, and the one under the pointer.
func (b *builder) circles() {
	b.brief = briefIDs(b.v.trace, append(slices.Clone(b.st.Sections), b.st.Focus))
	layer, every := b.layer(geom.Rect{}), b.labelEvery()
	for _, k := range b.labelOrder() {
		pointed := b.st.Under.Place == k && b.st.Under.Part != Elsewhere || b.lit(k)
		s := &b.st.Sections[k]
		if every > 1 && k%every > 0 && !pointed && len(s.Threads) < 2 {
			continue
		}
		d, width := b.disc(k, every)
		if b.measure(&d, s, width); b.v.Ring.Zero-labelIn*b.dp < 2*d.radius ||
			!pointed && !b.moving() && b.crowded(&d) {
			continue
		}
		if len(s.Threads) == 0 {
			b.vacant(b.at(layer), &d)
			continue
		}
		b.label(b.at(layer), &d, s)
		b.v.labels = append(b.v.labels, d)
	}
	b.names(layer)
}

// labelOrder returns the places in the order in which they get labels: first those of several
// threads, whose counts need the most room.
func (b *builder) labelOrder() []int {
	order := make([]int, len(b.v.sections))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(x, y int) int {
		return cmp.Compare(min(len(b.st.Sections[y].Threads), 2), min(len(b.st.Sections[x].Threads), 2))
	})
	return order
}

// disc returns where a place's label lies, and how wide its section is there, px.
func (b *builder) disc(place, every int) (d disc, width float32) {
	p := &b.v.sections[place]
	radius := min(max(labelShare*b.v.Ring.Zero, labelSmall*b.dp), labelRadius*b.dp)
	in := b.v.Ring.Zero - labelIn*b.dp - radius
	arc := float32(p.left-p.right) * in
	if arc < 2*radius+2*b.dp {
		if place%2 == 1 && every == 1 {
			in -= 2*radius + 3*b.dp
		}
		radius = min(max(float32(p.left-p.right)*in*.95, labelLeast*b.dp), radius)
		arc *= 2
	}
	return disc{at: b.v.Ring.point(in, p.mid()), radius: radius, place: place},
		max(arc-6*b.dp, 2*radius)
}

// crowded reports whether a label would lie over one that is there.
func (b *builder) crowded(d *disc) bool {
	return slices.ContainsFunc(b.v.labels, func(o disc) bool {
		dx, dy := max(abs(d.at.X-o.at.X)-o.half-d.half, 0), d.at.Y-o.at.Y
		least := d.radius + o.radius - .5
		return dx*dx+dy*dy < least*least
	})
}

// labelEvery returns n if only every n-th section has room for a label of the least size.
func (b *builder) labelEvery() int {
	widths := float32(0)
	for k := range b.v.sections {
		widths += float32(b.v.sections[k].left - b.v.sections[k].right)
	}
	arc := widths / max(float32(len(b.v.sections)), 1) * (b.v.Ring.Zero - 2*labelIn*b.dp)
	least := 2 * (labelLeast + 1) * b.dp
	if 2*arc >= least {
		return 1
	}
	return int(math.Ceil(float64(3 * least / max(arc, 1e-3))))
}

// vacant marks where only the other side has a thread.
func (b *builder) vacant(l *scene.Layer, d *disc) {
	radius := d.radius * .6
	l.Quads = append(l.Quads, scene.Quad{Shade: scene.Outline, Line: 1.5 * b.dp, Radius: radius,
		U1: 1, Fill: palette.Mix(b.hue(d.place), b.pal.Pane, .6),
		Rect: geom.Rect{X0: d.at.X - radius, X1: d.at.X + radius, Y0: d.at.Y - radius,
			Y1: d.at.Y + radius}})
}

// lit reports whether a place is pointed at by its label, or by a call of one of its threads, be it
// in another view.
func (b *builder) lit(place int) bool {
	if u := &b.st.Under; u.Part == OnLabel && u.Place == place {
		return true
	}
	return place != Nowhere && slices.ContainsFunc(b.st.Hover, func(ref trace.CallRef) bool {
		return int(ref.Thread) < len(b.where) && b.placeOf(int(ref.Thread)) == place
	})
}

// measure gives a label its text and its width: up to width px for one thread, for a count whatever
// it needs.
func (b *builder) measure(d *disc, s *Section, width float32) {
	if d.size = d.radius * 1.05; len(s.Threads) == 0 {
		return
	}
	text := s.label(b.v.trace, b.brief)
	room := max(width-d.radius*.8, 1.4*d.radius)
	if len(s.Threads) > 1 {
		room = max(room, typeface.Width(text, d.size, true))
	}
	d.text, d.size = fit(text, room, d.size, leastLabel*b.dp)
	wider := func() float32 {
		return typeface.Width(d.text, d.size, true)/2 + .4*d.radius - d.radius
	}
	if wider() > .2*d.radius {
		// Texts are drawn in sizes of whole pixels. Measured in another size, a long one would
		// reach beyond its label; a short one has room in the circle.
		d.size = float32(math.Round(float64(d.size)))
	}
	if d.half = max(wider(), 0); d.half > 0 {
		b.moveInward(d)
	}
}

// moveInward moves a wide label towards the centre until it is as far from the sections as a round
// one. With (c, s) the direction from the centre to the label, half its straight part and R how far
// out its round ends may be, its distance r solves (r·|c| + half)² + (r·s)² = R².
func (b *builder) moveInward(d *disc) {
	far, angle := b.v.Ring.polar(d.at)
	sin, cos := math.Sincos(angle)
	out := float64(b.v.Ring.Zero - labelIn*b.dp - d.radius)
	half := float64(d.half)
	least := math.Sqrt(max(out*out-half*half*sin*sin, 0)) - half*math.Abs(cos)
	d.at = b.v.Ring.point(min(far, max(float32(least), 0)), angle)
}

// label draws a section's label.
func (b *builder) label(l *scene.Layer, d *disc, s *Section) {
	c := b.cols.Thread(s.Hue)
	if d.place != Nowhere {
		c = b.hue(d.place)
	}
	if b.lit(d.place) {
		dot(l, d.at, d.radius+3*b.dp, palette.WithAlpha(c, 0x50))
	}
	r := d.rect()
	l.Quads = append(l.Quads, scene.Quad{Rect: r, Fill: c, Radius: d.radius, U1: 1})
	l.Write(scene.Text{Rect: r, Text: d.text, Fill: b.pal.OnSide, Size: d.size,
		Align: scene.AlignCentre, Bold: true})
}

// briefIDs reports whether the number of a process may be left out of the ids of threads: if there
// is one process, or if no two threads that have a section of their own have one number. On Linux
// for example, numbers of threads are those of the whole system: 12460/12499, 12460/12503.
func briefIDs(tr *trace.Trace, sections []Section) bool {
	if len(tr.Processes) < 2 {
		return true
	}
	seen := make(map[string]bool, len(sections))
	for k := range sections {
		s := &sections[k]
		if len(s.Threads) != 1 || s.Label != "" || tr.Threads[s.Threads[0]].Coded() {
			continue
		}
		number := ownNumber(tr.Threads[s.Threads[0]].ID)
		if seen[number] {
			return false
		}
		seen[number] = true
	}
	return true
}

// ownNumber returns a thread's id without that of its process.
func ownNumber(id string) string { return id[strings.LastIndexByte(id, '/')+1:] }

// label returns what is to be read in a section's circle: of an id all, or if it is to be brief
// what follows the process.
func (s *Section) label(tr *trace.Trace, brief bool) string {
	if s.Label != "" {
		return s.Label
	}
	switch th := tr.Threads[s.Threads[0]]; {
	case th.Coded():
		return th.Name
	case brief:
		return ownNumber(th.ID)
	default:
		return th.ID
	}
}

const (
	leastLabel = 7 // text size to which a label shrinks before it is cut, dp
	leastCut   = 2 // characters that say something of an id that was cut
)

// fit returns what of a label fits into width px, and in what size. A cut is always marked: of a
// number the last digits stay, because the numbers of one process begin alike, of a name the
// beginning.
//
//	14905  …905        main  ma…        ×868  never cut: a part of a count is another count
//
// What says nothing is left out: a circle may be empty.
func fit(id string, width, size, least float32) (string, float32) {
	whole := typeface.Width(id, size, true)
	if smaller := size * width / max(whole, 1); whole > width && smaller >= min(least, size) {
		return id, smaller
	}
	if whole <= width {
		return id, size
	}
	if strings.HasPrefix(id, "×") {
		return "", size
	}
	r, size := []rune(id), min(least, size)
	number := strings.Trim(id, "0123456789./") == ""
	for n := len(r) - 1; n >= leastCut; n-- {
		text := string(r[:n]) + "…"
		if number {
			text = "…" + string(r[len(r)-n:])
		}
		if typeface.Width(text, size, true) <= width {
			return text, size
		}
	}
	return "", size
}

// Names stand beside labels, towards the middle of the ring, where there is room. The name of a
// thread that is pointed at comes first; of neighbours with one name, the first has it.
const (
	nameSize  = 10   // dp
	nameMost  = 110  // width, dp
	nameBelow = .35  // cosine below which a name stands above its label instead of beside it
	namesFrom = 70   // zero radius, dp
	nameBack  = 0xb8 // opacity of the ground of a name, which lies over correspondences
)

// names writes the names of threads beside their labels.
func (b *builder) names(layer int) {
	if b.v.Ring.Zero < namesFrom*b.dp {
		return
	}
	var taken []geom.Rect
	order := slices.Clone(b.v.labels)
	slices.SortFunc(order, func(x, y disc) int { return cmp.Compare(x.place, y.place) })
	if k := slices.IndexFunc(order, func(d disc) bool { return b.lit(d.place) }); k > 0 {
		order = slices.Concat(order[k:k+1], order[:k], order[k+1:])
	}
	before := ""
	for k := range order {
		d := &order[k]
		name := b.st.Sections[d.place].name(b.v.trace, b.brief)
		if again := name == before; name == "" || again && !b.lit(d.place) {
			continue
		}
		r, text := b.nameRect(d, name, b.alike(name))
		if text == "" || b.overLabels(r) || slices.ContainsFunc(taken, func(o geom.Rect) bool {
			return !o.Intersect(r).Empty()
		}) {
			continue
		}
		before = name
		taken = append(taken, r)
		l := b.at(layer)
		l.Quads = append(l.Quads, scene.Quad{Rect: r, Radius: 3 * b.dp, U1: 1,
			Fill: palette.WithAlpha(b.pal.Pane, nameBack)})
		l.Write(scene.Text{Rect: r, Text: text, Fill: b.pal.Text, Size: nameSize * b.dp,
			Align: scene.AlignCentre})
	}
}

// name returns what a section's threads are called, or "" if their label says as much.
func (s *Section) name(tr *trace.Trace, brief bool) string {
	th := tr.Threads[s.Threads[0]]
	name := th.Name
	if !strings.ContainsFunc(name, unicode.IsLetter) {
		return ""
	}
	if len(s.Threads) > 1 && th.Role != "" {
		name = th.Role
	}
	label := s.label(tr, brief)
	if name, _ = strings.CutSuffix(name, " · "+label); name == label || name == th.ID {
		return ""
	}
	if around, rest, ok := strings.Cut(name, " "+label+" ("); ok && around == "thread" {
		name = strings.TrimSuffix(rest, ")") // thread 3113936 (python3.8), as PyTorch writes it
	}
	return name
}

// leastAlike is how many characters two names must begin with alike for their difference to be
// kept where there is no room for all.
const leastAlike = 6

// alike returns the name on the ring that begins most like a name, or the name itself if none
// does.
func (b *builder) alike(name string) string {
	most, best := leastAlike-1, name
	for k := range b.v.labels {
		other := b.st.Sections[b.v.labels[k].place].name(b.v.trace, b.brief)
		n := 0
		for n < min(len(other), len(name)) && other[n] == name[n] {
			n++
		}
		if n > most && other != name {
			most, best = n, other
		}
	}
	return best
}

// nameRect returns where the name beside a label goes, and what of it fits. Of a name that begins
// like another one on the ring, that is what tells them apart.
func (b *builder) nameRect(d *disc, name, alike string) (geom.Rect, string) {
	size, most := float32(nameSize)*b.dp, nameMost*b.dp
	across := (d.at.X - b.v.Ring.Centre.X) / b.v.Ring.Zero
	aside := abs(across) >= nameBelow
	if aside {
		most = min(most, abs(d.at.X-b.v.Ring.Centre.X)-d.half-d.radius-6*b.dp)
	}
	text := typeface.Shorten(name, most, size, false)
	if alike != name && text == typeface.Shorten(alike, most, size, false) {
		text = typeface.Differing(name, alike, most, size, false)
	}
	w, pad := typeface.Width(text, size, false)+1, 3*b.dp
	r := geom.Rect{X0: d.at.X - w/2 - pad, X1: d.at.X + w/2 + pad,
		Y0: d.at.Y - d.radius - 1.5*size, Y1: d.at.Y - d.radius - .1*size}
	if aside {
		r.Y0, r.Y1 = d.at.Y-.7*size, d.at.Y+.7*size
		gap := d.half + d.radius + 2*b.dp
		if r.X0, r.X1 = d.at.X+gap, d.at.X+gap+w+2*pad; across > 0 {
			r.X0, r.X1 = d.at.X-gap-w-2*pad, d.at.X-gap
		}
	}
	return r, text
}

// overLabels reports whether a rectangle would cover a label.
func (b *builder) overLabels(r geom.Rect) bool {
	return slices.ContainsFunc(b.v.labels, func(d disc) bool {
		box := d.rect()
		return !box.Intersect(r).Empty()
	})
}
