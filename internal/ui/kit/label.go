package kit

import (
	"image"
	"image/color"
	"strings"
	"unicode/utf8"

	"gioui.org/font"
	"gioui.org/io/semantic"
	"gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"
	"gioui.org/op/paint"
	"gioui.org/text"
	"gioui.org/unit"
	"gioui.org/widget"

	"diptych/internal/geom"
)

// Style is how a line of text looks.
type Style struct {
	Size   unit.Sp
	Color  color.NRGBA
	Weight font.Weight
	Mono   bool
	Align  text.Alignment
	Lines  int // 0 for one line
}

// Sizes of the one sans family, in sp.
const (
	Small  unit.Sp = 11
	Normal unit.Sp = 12
	Large  unit.Sp = 13
)

// Text is how a line of text looks that is read.
func (k *Kit) Text() Style { return Style{Size: Normal, Color: k.Pal.Text} }

// Faint is how a text looks that explains another.
func (k *Kit) Faint() Style { return Style{Size: Normal, Color: k.Pal.Secondary} }

// Caption is how a small text looks that stands beside or below another.
func (k *Kit) Caption() Style { return Style{Size: Small, Color: k.Pal.Secondary} }

// NoRoom is what a part of the window says that is too small for what it shows.
const NoRoom = "There is no room here."

// labels are the labels of the last frames. Setting a text glyph by glyph costs more than all else
// that a panel does in a frame, and most labels stay the same, so each is set once and kept.
type labels struct {
	ops *op.Ops
	set map[labelKey]setLabel
}

// labelKey is what the look of a label depends on.
type labelKey struct {
	text   string
	style  Style
	room   layout.Constraints
	metric unit.Metric
	locale string
}

type setLabel struct {
	call op.CallOp
	dims layout.Dimensions
	cut  int // runes that there was no room for
}

// Cut is a label that there was not enough room for.
type Cut struct {
	Text  string
	Shown int // runes of it that are shown, before the …
}

// Cuts returns the labels that were cut since Begin, for tests. Some of them may not be seen: of a
// control that was measured and then laid out in another way, both are listed.
func (k *Kit) Cuts() []Cut { return k.cuts }

// keptLabels is how many labels are kept before all are dropped and set anew: those of a few full
// windows.
const keptLabels = 2000

// Label lays out s within the constraints, shortened with … where it does not fit.
func (k *Kit) Label(gtx layout.Context, s string, st Style) layout.Dimensions {
	st.Lines = max(st.Lines, 1)
	gtx.Constraints.Min.Y = 0
	key := labelKey{s, st, gtx.Constraints, gtx.Metric, gtx.Locale.Language}
	if k.labels.set == nil || len(k.labels.set) > keptLabels {
		k.labels = labels{new(op.Ops), map[labelKey]setLabel{}}
	}
	l, ok := k.labels.set[key]
	if !ok {
		own := gtx
		own.Ops = k.labels.ops
		m := op.Record(own.Ops)
		l.dims, l.cut = k.setLabel(own, s, st)
		l.call = m.Stop()
		k.labels.set[key] = l
	}
	if l.cut > 0 {
		k.cuts = append(k.cuts, Cut{s, utf8.RuneCountInString(s) - l.cut})
	}
	l.call.Add(gtx.Ops)
	return l.dims
}

// setLabel sets a text glyph by glyph, and returns how many runes there was no room for.
func (k *Kit) setLabel(gtx layout.Context, s string, st Style) (layout.Dimensions, int) {
	f := font.Font{Typeface: sans, Weight: st.Weight}
	if st.Mono {
		f.Typeface = mono
	}
	m := op.Record(gtx.Ops)
	paint.ColorOp{Color: st.Color}.Add(gtx.Ops)
	material := m.Stop()
	l := widget.Label{MaxLines: st.Lines, Alignment: st.Align, Truncator: "…"}
	if st.Lines > 1 {
		if kept := keepUnits(s); kept != s {
			// What the label is called keeps its plain spaces: Gio names it by what it sets.
			// Letters may stand out of the room a little.
			room := image.Rectangle{Max: gtx.Constraints.Max}.Inset(-gtx.Dp(2))
			defer clip.Rect(room).Push(gtx.Ops).Pop()
			semantic.LabelOp(s).Add(gtx.Ops)
			s = kept
		}
	}
	d, about := l.LayoutDetailed(gtx, k.theme().Shaper, f, st.Size, s, material)
	return d, about.Truncated
}

// keepUnits returns a text whose lines break neither between a number and its unit nor after its
// thousands: "1.52 ms", "1.14 k Ir" and "1 066" are read as one word.
func keepUnits(s string) string {
	words := strings.Split(strings.ReplaceAll(s, "\u2009", "\u202f"), " ")
	var b strings.Builder
	number, scaled := false, false // the word before is one, or the k of one
	for i, word := range words {
		prefix := number && len(word) == 1 && strings.Contains("kMGT", word)
		switch {
		case i == 0:
		case scaled, prefix, number && geom.IsUnit(strings.TrimRight(word, ".,;:)")):
			b.WriteString("\u00a0")
		default:
			b.WriteByte(' ')
		}
		b.WriteString(word)
		number, scaled = word != "" && '0' <= word[len(word)-1] && word[len(word)-1] <= '9', prefix
	}
	return b.String()
}
