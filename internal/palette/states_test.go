package palette

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawNames draws up to 24 distinct names of functions.
func drawNames(t *rapid.T) []string {
	name := rapid.StringMatching(`[a-z]{1,4}(\.[A-Z][a-z]{1,3})?`)
	return rapid.SliceOfNDistinct(name, 1, stateColours, rapid.ID[string]).Draw(t, "names")
}

// eachLook checks both themes in both schemes.
func eachLook(check func(p *Palette)) {
	for _, p := range []*Palette{Light(), Dark()} {
		check(p.WithScheme(Usual))
		check(p.WithScheme(ColourBlind))
	}
}

// TestStatesAreApart: up to 24 states have colours that are told apart, the same at each call, and
// none is grey as all others are together.
func TestStatesAreApart(t *testing.T) {
	least := math.Inf(1)
	rapid.Check(t, func(t *rapid.T) {
		names := append(drawNames(t), "other")
		eachLook(func(p *Palette) {
			got := p.States(names, "other")
			if again := p.States(slices.Clone(names), "other"); !slices.Equal(got, again) {
				t.Fatalf("%v, then %v", got, again)
			}
			for i, c := range got {
				for j := range i {
					d := sights["usual"].apart(c, got[j])
					if least = min(least, d); d < .04 {
						t.Fatalf("dark %t: %q and %q are %.3f apart", p.Dark, names[i], names[j], d)
					}
				}
			}
		})
	})
	t.Logf("at least %.3f apart", least)
}

// TestStatesStandOut: all colours of states against the pane.
func TestStatesStandOut(t *testing.T) {
	names := []string{"running", "waiting", "I/O", "off CPU", "other"}
	for i := range stateColours {
		names = append(names, fmt.Sprint("f", i))
	}
	eachScheme(t, func(t *testing.T, p *Palette) {
		least := math.Inf(1)
		for i, c := range p.States(names, "other") {
			k := Contrast(c, p.Pane)
			if least = min(least, k); k < 1.5 || c.A != 0xff {
				t.Errorf("%s, %v, has a contrast of %.2f", names[i], c, k)
			}
		}
		t.Logf("a contrast of %.2f", least)
	})
}

// TestImportantStatesKeepTheirColours: names after a name do not change its colour, so a list that
// becomes longer at its end keeps its colours. A name that is first has its own in any list.
func TestImportantStatesKeepTheirColours(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := drawNames(t)
		n := rapid.IntRange(1, len(names)).Draw(t, "kept")
		eachLook(func(p *Palette) {
			all := p.States(names, "other")
			if some := p.States(names[:n], "other"); !slices.Equal(some, all[:n]) {
				t.Fatalf("%v alone, %v of %v", some, all[:n], all)
			}
			if first := p.States([]string{names[0]}, "other"); first[0] != all[0] {
				t.Fatalf("%v alone, %v before others", first[0], all[0])
			}
		})
	})
}

// TestBlockingKindsKeepTheirColours: wherever they are in a list. With red-green blindness they are
// told apart, too.
func TestBlockingKindsKeepTheirColours(t *testing.T) {
	kinds := []string{"running", "waiting", "I/O", "off CPU"}
	rapid.Check(t, func(t *rapid.T) {
		names := slices.DeleteFunc(drawNames(t), func(n string) bool { return slices.Contains(kinds, n) })
		mixed := rapid.Permutation(append(names, kinds...)).Draw(t, "mixed")
		eachLook(func(p *Palette) {
			want, got := p.States(kinds, "other"), p.States(mixed, "other")
			for i, k := range kinds {
				if c := got[slices.Index(mixed, k)]; c != want[i] {
					t.Fatalf("%s is %v, not %v", k, c, want[i])
				}
			}
			rest := p.States(slices.DeleteFunc(slices.Clone(mixed), func(n string) bool {
				return slices.Contains(kinds, n)
			}), "other")
			for i, n := range mixed {
				if !slices.Contains(kinds, n) {
					if got[i] != rest[0] {
						t.Fatalf("%s is %v with kinds of blocking, %v without", n, got[i], rest[0])
					}
					rest = rest[1:]
				}
			}
		})
	})
	eachScheme(t, func(t *testing.T, p *Palette) {
		c := p.States(kinds, "other")
		for name, s := range sights {
			if p.Scheme == Usual && name != "usual" {
				continue
			}
			for i := range c {
				for j := range i {
					if d := s.apart(c[i], c[j]); d < .08 {
						t.Errorf("%s: %s and %s are %.3f apart", name, kinds[i], kinds[j], d)
					}
				}
			}
		}
	})
}

// TestOtherIsGrey: what stands for all others has no hue, and takes no colour from anyone.
func TestOtherIsGrey(t *testing.T) {
	eachScheme(t, func(t *testing.T, p *Palette) {
		got := p.States([]string{"f", "other", "g"}, "other")
		c := got[1]
		if spread := max(c.R, c.G, c.B) - min(c.R, c.G, c.B); spread > 12 {
			t.Errorf("%v is no grey", c)
		}
		if want := p.States([]string{"f", "g"}, "other"); !slices.Equal([]color.NRGBA{got[0], got[2]}, want) {
			t.Errorf("%v, not %v", got, want)
		}
		if none := p.States([]string{"other"}, ""); none[0] == c {
			t.Error("a name is grey that stands for itself")
		}
	})
}

// TestManyStatesShareColours: beyond 24, each colour is taken again before one is taken thrice.
func TestManyStatesShareColours(t *testing.T) {
	var names []string
	for i := range 2 * stateColours {
		names = append(names, fmt.Sprint("f", i))
	}
	n := map[color.NRGBA]int{}
	for _, c := range Light().States(names, "other") {
		n[c]++
	}
	for c, k := range n {
		if k != 2 {
			t.Errorf("%v is taken %d times", c, k)
		}
	}
}
