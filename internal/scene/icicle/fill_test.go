package icicle

import (
	"image/color"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/palette"
	"diptych/internal/trace"
)

func TestFillKey(t *testing.T) {
	tests := []struct{ pkg, name, want string }{
		{"go/types", "go/types.(*Checker).expr", "go/types"},
		{"", "go/types.(*Checker).expr", "go/types"},
		{"", "github.com/a/b.F[go.shape.int]", "github.com/a/b"},
		{"", "std::vector<int>::push_back(int)", "std"},
		{"libfoo", "ns::cls::f", "libfoo"},
		{"", "ns::cls::f", "ns::cls"},
		{"lua-5.4", "luaH_get", "luaH"},
		{"lua-5.3", "luaH_set", "luaH"},
		{"lua-5.3", "main", "main"},
		{"", "_start", "_start"},
		{"", "blocked: chan send", "blocked: chan send"},
		{"", "", ""},
	}
	for _, c := range tests {
		if got := fillKey(&trace.Function{Name: c.name, Package: c.pkg}); got != c.want {
			t.Errorf("fillKey(%q in %q) = %q, want %q", c.name, c.pkg, got, c.want)
		}
	}
}

func TestFillCacheFollowsTheTheme(t *testing.T) {
	tr := &trace.Trace{Functions: []trace.Function{{Name: "a.b"}}}
	var c fillCache
	light := c.of(tr, palette.Light())[0]
	if dark := c.of(tr, palette.Dark())[0]; dark == light {
		t.Error("the dark theme got the light theme's colours")
	}
	if c.of(tr, palette.Light())[0] != light {
		t.Error("colours changed")
	}
}

// TestRunFill: a run is drawn in the colour that is given for its calls, whatever Detail says;
// single calls keep their own.
func TestRunFill(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlot(t, drawTrace(t))
		p.Emphasis, p.Detail = nil, Boxes
		own := color.NRGBA{1, 2, 3, 4}
		p.RunFill = func(thread, from, to int) color.NRGBA {
			if n := p.Trace.Threads[thread].Len(); from < 0 || from >= to || to > n {
				t.Fatalf("asked for the run [%d, %d) of %d calls", from, to, n)
			}
			return own
		}
		d, _ := draw(p)
		for k, it := range d.items {
			if it.from >= 0 && (d.quads[k].Fill == own) != it.run {
				t.Fatalf("%+v is drawn in %v", it, d.quads[k].Fill)
			}
		}
	})
}
