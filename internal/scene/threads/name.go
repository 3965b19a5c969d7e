package threads

import (
	"math"

	"diptych/internal/geom"
	"diptych/internal/scene"
	"diptych/internal/trace"
	"diptych/internal/typeface"
)

// nameForms are the ways to write a function's name.
type nameForms = *typeface.Name

const (
	leastRow  = 1.15 // height, in text sizes, of a row that bears names
	leastName = 3.4  // width, in text sizes, below which trying to fit a name is in vain
	namePad   = .4   // free space on either side, in text sizes
	ringText  = 10   // dp

	mostNames  = 300 // on the ring, shared by its sections
	leastNames = 8   // of a section's share
)

// arcNames labels calls on the ring where there is room. A name is a straight line of text, turned
// as its call is: it may be as long as the call's arc bends less than the row is high.
func (b *builder) arcNames(layer int) {
	each := max(mostNames/max(len(b.v.sections), 1), leastNames)
	for k := range b.v.sections {
		n := 0
		for i := b.v.sections[k].first; i < b.v.sections[k].last && n < each; i++ {
			if b.arcName(b.at(layer), &b.v.bent[i]) {
				n++
			}
		}
	}
}

// arcName labels a call if there is room, and reports whether there was.
func (b *builder) arcName(l *scene.Layer, s *bent) bool {
	size, height := float32(ringText)*b.dp, s.arc.R1-s.arc.R0
	mid := (s.arc.R0 + s.arc.R1) / 2
	width := s.width() * mid
	if s.cell.Run || width < leastName*size || height < leastRow*size {
		return false
	}
	width = min(width-2*namePad*size, float32(math.Sqrt(float64(8*mid*(height-.8*size)))))
	th := b.v.trace.Threads[s.cell.Thread]
	text := b.formsOf(th.Fn[s.cell.From]).Fit(width, size)
	if text == "" {
		return false
	}
	b.turned(l, text, mid, float64(s.arc.From+s.arc.To)/2, size)
	return true
}

// turned writes a line of text along the ring, its middle at an angle. It never stands on its head.
func (b *builder) turned(l *scene.Layer, text string, radius float32, angle float64, size float32) {
	w := typeface.Width(text, size, false) + 1
	bulge := w * w / (8 * radius)
	at := b.v.Ring.point(radius-bulge/2, angle)
	turn := angle - math.Pi/2
	if turn > math.Pi/2 {
		turn -= math.Pi
	} else if turn < -math.Pi/2 {
		turn += math.Pi
	}
	l.Write(scene.Text{Text: text, Fill: b.pal.Text, Size: size, Align: scene.AlignCentre,
		Turn: float32(turn), Rect: geom.Rect{X0: at.X - w/2, X1: at.X + w/2,
			Y0: at.Y - size*.7, Y1: at.Y + size*.7}})
}

// formsOf remembers the ways to write a name, which cost more to find than to choose from.
func (b *builder) formsOf(f trace.FuncID) nameForms {
	if b.a.of != b.v.trace || b.a.names == nil {
		b.a.of, b.a.names = b.v.trace, map[trace.FuncID]nameForms{}
	}
	n, ok := b.a.names[f]
	if !ok {
		n = typeface.NewName(b.v.trace.Functions[f].Name)
		b.a.names[f] = n
	}
	return n
}
