// Package typeface holds the fonts that ship in the binary and measures text in them, so that a
// view can decide what fits without a window, and the interface can draw it with the very same
// faces. It knows nothing of what the texts mean.
package typeface

import (
	"sync"

	"eliasnaur.com/font/roboto/robotobold"
	"eliasnaur.com/font/roboto/robotomedium"
	"eliasnaur.com/font/roboto/robotoregular"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// Family names under which the interface registers the faces.
const (
	Sans = "Roboto"
	Mono = "Go Mono"
	Sign = "Go"
)

// Regular returns the sans face as a TrueType file.
func Regular() []byte { return robotoregular.TTF }

// Medium returns the sans face's medium weight as a TrueType file.
func Medium() []byte { return robotomedium.TTF }

// Bold returns the sans face's bold weight as a TrueType file.
func Bold() []byte { return robotobold.TTF }

// Monospace returns the face for code as a TrueType file.
func Monospace() []byte { return gomono.TTF }

// Signs returns, as a TrueType file, the face for arrows and other signs that the sans face lacks.
// A space after such a sign is taken from the same face, so it is no monospaced one.
func Signs() []byte { return goregular.TTF }

// measure holds one face's advances as shares of the font size.
type measure struct {
	font  *sfnt.Font
	ascii [128]float32

	mu    sync.Mutex
	buf   sfnt.Buffer
	other map[rune]float32
}

// unit is the size at which advances are read; they scale, since nothing is hinted.
const unit = 1024

var (
	regular = sync.OnceValue(func() *measure { return newMeasure(robotoregular.TTF) })
	bold    = sync.OnceValue(func() *measure { return newMeasure(robotobold.TTF) })
)

func newMeasure(ttf []byte) *measure {
	m := &measure{other: map[rune]float32{}}
	m.font, _ = sfnt.Parse(ttf) // the tests see to it that the embedded fonts parse
	for r := range rune(len(m.ascii)) {
		m.ascii[r] = m.read(r)
	}
	return m
}

// typical is the advance assumed of what the font cannot tell.
const typical = 0.6

// read returns the advance of r; a rune the face lacks has the width of its replacement glyph.
func (m *measure) read(r rune) float32 {
	if m.font == nil {
		return typical
	}
	g, err := m.font.GlyphIndex(&m.buf, r)
	if err != nil {
		return typical
	}
	adv, err := m.font.GlyphAdvance(&m.buf, g, fixed.I(unit), font.HintingNone)
	if err != nil {
		return typical
	}
	return float32(adv) / 64 / unit
}

func (m *measure) advance(r rune) float32 {
	if r >= 0 && int(r) < len(m.ascii) {
		return m.ascii[r]
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	w, ok := m.other[r]
	if !ok {
		w = m.read(r)
		m.other[r] = w
	}
	return w
}

// Width returns the width of text in px at the given font size: the sum of its advances, without
// kerning.
func Width(text string, size float32, isBold bool) float32 {
	m := regular()
	if isBold {
		m = bold()
	}
	w := float32(0)
	for _, r := range text {
		w += m.advance(r)
	}
	return w * size
}
