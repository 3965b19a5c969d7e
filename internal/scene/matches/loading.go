package matches

import (
	"diptych/internal/geom"
	"diptych/internal/scene"
	"diptych/internal/scene/icicle"
	"diptych/internal/typeface"
)

// Loading says of a side that its trace is not complete: it is still being read. Such a side is
// drawn like any other, but there is nothing in it that could be pointed at.
type Loading struct {
	Read float64 // the time that has been read, ns; what the focus has beyond it is yet to come
	Note string  // says how far reading has come
}

const (
	frontier = 2  // width of the line where reading has come to, dp
	noteRoom = 18 // height of the note, dp
	notePad  = 6  // beside its text, dp
)

// unread hatches the time of which nothing has been read yet, and writes the note in the corner
// that stacks reach last.
func (b *builder) unread(k int) {
	ld, h, pal := b.st.Sides[k].Loading, &b.v.Sides[k], b.st.Palette
	r := inner(h.Icicle, k, edge*b.dp)
	l := b.v.Scene.Layer(r)
	left := r
	left.X0 = min(max(h.Axis.X(ld.Read), r.X0), r.X1)
	if left.W() > frontier*b.dp {
		l.Quads = append(l.Quads, scene.Quad{Rect: left, Fill: pal.Line, Shade: scene.Hatch, U1: 1})
		line := left
		line.X1 = line.X0 + frontier*b.dp
		l.Fill(line, pal.Side(k))
	}
	note := geom.Rect{X1: r.X1 - notePad*b.dp, Y1: r.Y1 - notePad*b.dp}
	note.X0 = note.X1 - typeface.Width(ld.Note, textSize*b.dp, false) - 1 - 2*notePad*b.dp
	note.Y0 = note.Y1 - noteRoom*b.dp
	if k == B {
		note.Y0, note.Y1 = r.Y0+notePad*b.dp, r.Y0+(notePad+noteRoom)*b.dp
	}
	if ld.Note == "" || note.X0 < r.X0 || note.Y0 < r.Y0 || note.Y1 > r.Y1 {
		return
	}
	l.Quads = append(l.Quads, scene.Quad{Rect: note, Fill: pal.Raised, Radius: noteRoom / 2 * b.dp, U1: 1})
	l.Write(scene.Text{Rect: note, Text: ld.Note, Fill: pal.Text, Size: textSize * b.dp, Align: scene.AlignCentre})
}

// conceal leaves nothing to point at on the sides that are loading.
func (b *builder) conceal() {
	for k := range b.v.Sides {
		if b.st.Sides[k].Loading != nil {
			b.v.Sides[k] = icicle.Half{}
		}
	}
}
