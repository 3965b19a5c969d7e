package kit

import (
	"testing"

	"gioui.org/font"
	"gioui.org/text"
	"golang.org/x/image/math/fixed"
)

// TestEveryWeightHasTheSignsOfSentences holds that what findings and names of waits are written with
// is in some shipped face at every weight that labels have.
func TestEveryWeightHasTheSignsOfSentences(t *testing.T) {
	shaper := newTheme().Shaper
	for _, w := range []font.Weight{font.Normal, font.Medium, font.Bold} {
		for _, r := range "a←→×−–…µ·≥" {
			shaper.LayoutString(text.Parameters{Font: font.Font{Typeface: sans, Weight: w},
				PxPerEm: fixed.I(13), MaxWidth: 100}, string(r))
			if g, ok := shaper.NextGlyph(); !ok || uint32(g.ID) == 0 {
				t.Errorf("no %c of weight %v", r, w)
			}
		}
	}
}
