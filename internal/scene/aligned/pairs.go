package aligned

import (
	"image/color"
	"slices"
	"strings"

	"diptych/internal/align"
	"diptych/internal/geom"
	"diptych/internal/scene"
	"diptych/internal/typeface"
)

// The rows of all pairs of threads, below the parts that show one pair: a head with room for
// controls, then a row each with its name before it, the dissimilarity above and the skew below.
// Rows that do not fit are scrolled to. Folded, one row sums all of them up.

// Heights in dp.
const (
	pairsHead = 26
	pairRow   = 16 // at least 8 of which are the dissimilarity
	pairHeat  = 9
)

// Row is a thread pair's line among those of all pairs.
type Row struct {
	Pair       int // which pair of threads it is, or −1 for all of them; for whoever made it
	Title      string
	Similarity float64
	Current    bool // the pair that is shown
	Timeline   *align.Timeline
	Start      float64 // the shown pair's virtual time at which this pair's begins, ns
	Length     float64 // of this pair's virtual time, ns
}

// Farthest returns the largest skew of the row, either way, in ns.
func (r *Row) Farthest() (far int64) {
	if r.Timeline != nil {
		for _, skew := range r.Timeline.Skew {
			far = max(far, skew, -skew)
		}
	}
	return far
}

// At returns what the row shows at the shown pair's virtual time at, and whether it shows anything.
func (r *Row) At(at float64) (dissimilar float64, skew int64, ok bool) {
	if r.Timeline == nil || at < r.Start || at > r.Start+r.Length {
		return 0, 0, false
	}
	share := (at - r.Start) / max(r.Length, 1)
	return dissimilarity(r.Timeline, share), skewAt(r.Timeline, share), true
}

// Sum returns a row for all rows together: at each time the mean of their dissimilarities, and the
// skew that is largest either way.
func Sum(rows []Row) Row {
	if len(rows) == 0 {
		return Row{Pair: -1}
	}
	const samples = 400
	all := Row{Pair: -1, Start: rows[0].Start, Timeline: &align.Timeline{
		Dissimilarity: make([]float64, samples), Skew: make([]int64, samples)}}
	end := all.Start
	for i := range rows {
		all.Start = min(all.Start, rows[i].Start)
		end = max(end, rows[i].Start+rows[i].Length)
		all.Similarity += rows[i].Similarity / float64(len(rows))
	}
	all.Length = end - all.Start
	for k := range samples {
		at, n, t := all.Start+(float64(k)+.5)/samples*all.Length, 0., all.Timeline
		for i := range rows {
			heat, skew, ok := rows[i].At(at)
			if !ok {
				continue
			}
			n++
			t.Dissimilarity[k] += heat
			if max(skew, -skew) > max(t.Skew[k], -t.Skew[k]) {
				t.Skew[k] = skew
			}
		}
		t.Dissimilarity[k] /= max(n, 1)
	}
	return all
}

// pairsNeed returns how much of a height the rows of thread pairs take from the other parts.
func (b *builder) pairsNeed(height float32) float32 {
	n := len(b.st.Pairs)
	if n == 0 {
		return 0
	}
	share := float32(pairShare)
	if height < lowPane*b.dp {
		share = pairLow
	}
	rows := min(float32(n)*pairRow*b.dp, height*share-pairsHead*b.dp)
	return max(rows, pairRow*b.dp) + (pairsHead+between)*b.dp
}

// placePairs gives the rows of thread pairs the room between top and bottom. While State.PairScroll
// is negative, the pair that is shown is in sight.
func (b *builder) placePairs(top, bottom float32) {
	r := geom.Rect{X0: b.v.Axis.X0, X1: b.v.Axis.X1, Y0: top, Y1: bottom}
	b.v.PairsHead, b.v.PairRows = r, r
	b.v.PairsHead.Y1 = top + pairsHead*b.dp
	b.v.PairRows.Y0 = b.v.PairsHead.Y1
	height := float32(len(b.st.Pairs)) * pairRow * b.dp
	b.v.PairRows.Y1 = min(bottom, b.v.PairRows.Y0+height)
	if b.v.PairRows.H() < pairRow*b.dp*.9 {
		b.v.PairsHead, b.v.PairRows = geom.Rect{}, geom.Rect{}
		return
	}
	b.v.MaxPairScroll = max(height-b.v.PairRows.H(), 0)
	b.v.PairScroll = b.st.PairScroll
	if b.v.PairScroll < 0 {
		current := slices.IndexFunc(b.st.Pairs, func(r Row) bool { return r.Current })
		b.v.PairScroll = float32(current+1)*pairRow*b.dp - b.v.PairRows.H()
	}
	b.v.PairScroll = min(max(b.v.PairScroll, 0), b.v.MaxPairScroll)
}

// PairRow returns where State.Pairs[k] is drawn; empty where it is out of sight.
func (v *View) PairRow(k int) geom.Rect {
	if v.PairRows.Empty() || k < 0 {
		return geom.Rect{}
	}
	r := v.PairRows
	r.Y0 += float32(k)*pairRow*v.dp - v.PairScroll
	r.Y1 = r.Y0 + pairRow*v.dp
	if r.Y1 <= v.PairRows.Y0 || r.Y0 >= v.PairRows.Y1 {
		return geom.Rect{}
	}
	r.Y0, r.Y1 = max(r.Y0, v.PairRows.Y0), min(r.Y1, v.PairRows.Y1)
	return r
}

// row returns the index into State.Pairs of the row at p, name included, or −1.
func (v *View) row(p geom.Point) int {
	r := v.PairRows
	if r.X0 = 0; r.Empty() || !r.Contains(p) {
		return -1
	}
	k := int((p.Y - r.Y0 + v.PairScroll) / (pairRow * v.dp))
	if k >= v.pairs {
		return -1
	}
	return k
}

// rows draws the rows of thread pairs that are in sight. Skews are coloured by their share of the
// largest of all pairs.
func (b *builder) rows() {
	if b.v.PairRows.Empty() {
		return
	}
	b.v.pairs = len(b.st.Pairs)
	far := b.a.far.of(b.st.Pairs)
	b.pairsTitle()
	first := int(b.v.PairScroll / (pairRow * b.dp))
	for k := first; k < b.v.pairs && !b.v.PairRow(k).Empty(); k++ {
		b.pairLine(k, far)
	}
	if b.v.MaxPairScroll > 0 {
		b.thumb(b.v.PairRows, b.v.PairScroll, b.v.MaxPairScroll)
	}
}

// pairsTitle writes what the rows show into their head, which leaves the rest of it to controls.
func (b *builder) pairsTitle() {
	r, size := &b.v.PairsHead, textSize*b.dp
	text := typeface.Clip("all pairs of threads: dissimilarity over skew", r.W(), size)
	w := typeface.Width(text, size, false)
	b.v.Scene.Layer(geom.Rect{}).Write(scene.Text{Rect: geom.Rect{X0: r.X0, X1: r.X0 + w + 1, Y0: r.Y0,
		Y1: r.Y1}, Text: text, Size: size, Fill: b.st.Palette.Secondary})
	r.X0 = min(r.X0+w+12*b.dp, r.X1)
}

// pairLine draws row k.
func (b *builder) pairLine(k int, far int64) {
	row, clip := &b.st.Pairs[k], b.v.PairRow(k)
	heat := geom.Rect{X0: clip.X0, X1: clip.X1}
	heat.Y0 = b.v.PairRows.Y0 + float32(k)*pairRow*b.dp - b.v.PairScroll
	heat.Y1 = heat.Y0 + pairHeat*b.dp
	ran := heat
	ran.Y0, ran.Y1 = heat.Y1, heat.Y0+(pairRow-1.5)*b.dp
	line := func(whole geom.Rect, colour func(at float64) color.NRGBA) {
		r := whole
		r.Y0, r.Y1 = max(r.Y0, clip.Y0), min(r.Y1, clip.Y1)
		if r.H() > 0 { // else it is out of sight, and an empty rectangle would clip nothing
			b.line(b.v.Scene.Layer(r), whole, row.Start, row.Start+row.Length, colour)
		}
	}
	line(heat, func(at float64) color.NRGBA {
		dissimilar, _, _ := row.At(at)
		return b.pal.Heat(float32(dissimilar))
	})
	line(ran, func(at float64) color.NRGBA {
		_, skew, _ := row.At(at)
		return b.pal.Skew(float32(skew) / float32(max(far, 1)))
	})
	b.pairName(row, clip, heat.Y0)
}

// pairName writes a row's name before it; that of the pair that is shown is marked.
func (b *builder) pairName(row *Row, clip geom.Rect, top float32) {
	clip.X0, clip.X1 = 0, clip.X0
	l, ink, size := b.v.Scene.Layer(clip), b.st.Palette.Secondary, textSize*b.dp
	r := geom.Rect{X0: 4 * b.dp, X1: clip.X1 - 8*b.dp, Y0: top, Y1: top + (pairRow-1)*b.dp}
	if row.Current {
		ink = b.st.Palette.Text
		l.Fill(geom.Rect{X0: r.X1 + 2*b.dp, X1: r.X1 + 6*b.dp, Y0: r.Y0, Y1: r.Y1}, b.st.Palette.Selection)
	}
	if (r.Y1+r.Y0-size)/2 < clip.Y0 || (r.Y1+r.Y0+size)/2 > clip.Y1 {
		return // half a line of letters cannot be read
	}
	title := row.Title
	if typeface.Width(title, size, false) > r.W() { // of "thread 7 | 9" the numbers say most
		title = strings.TrimPrefix(title, "thread ")
	}
	l.Write(scene.Text{Rect: r, Text: typeface.Clip(title, r.W(), size), Size: size, Fill: ink,
		Align: scene.AlignRight})
}

// thumb draws beside a part how far it is scrolled.
func (b *builder) thumb(r geom.Rect, scroll, most float32) {
	tall := max(r.H()*r.H()/(r.H()+most), 8*b.dp)
	y := r.Y0 + (r.H()-tall)*scroll/most
	l := b.v.Scene.Layer(geom.Rect{})
	l.Quads = append(l.Quads, scene.Quad{Fill: b.st.Palette.Bar, Radius: 2 * b.dp, U1: 1,
		Rect: geom.Rect{X0: r.X1 + 4*b.dp, X1: r.X1 + 8*b.dp, Y0: y, Y1: y + tall}})
}

// farthest is the largest skew, either way, of a list of rows. It is found anew when the list is
// another one: to look at all rows in each frame takes longer than to draw those in sight.
type farthest struct {
	first *Row // of the list, which is not changed meanwhile
	n     int
	skew  int64
}

func (f *farthest) of(rows []Row) int64 {
	if f.first != &rows[0] || f.n != len(rows) {
		*f = farthest{first: &rows[0], n: len(rows)}
		for k := range rows {
			f.skew = max(f.skew, rows[k].Farthest())
		}
	}
	return f.skew
}
