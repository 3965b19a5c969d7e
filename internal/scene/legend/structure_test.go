package legend

import (
	"image/color"
	"testing"

	"diptych/internal/palette"
	"diptych/internal/scene/structure"
	"diptych/internal/trace"
)

// TestStructureLabels: each metric says its numbers, and each colour in the view has an entry.
func TestStructureLabels(t *testing.T) {
	scale := func(m structure.Metric, of structure.Of, lo, hi float64) structure.Scale {
		return structure.Scale{Colour: structure.Colour{Metric: m, Of: of}, Lo: lo, Hi: hi,
			Diverging: of >= structure.Change, Root: m == structure.BySelf || m == structure.ByCalls}
	}
	blind := palette.Light().WithScheme(palette.ColourBlind)
	for _, c := range []struct {
		icicles, treemap structure.Scale
		pal              *palette.Palette
		want             []string
	}{
		{scale(structure.BySelf, structure.Change, -4.7e6, 4.7e6),
			scale(structure.BySelf, structure.Change, -4.7e6, 4.7e6), palette.Light(),
			[]string{"self time B − A, ≤ −4.70 ms to ≥ +4.70 ms, root scale: green faster, red slower in B"}},
		{scale(structure.ByCalls, structure.OnlyA, 1, 12000),
			scale(structure.ByDepth, structure.Both, 2, 9), palette.Light(),
			[]string{"stacks: calls in A, 1 to 12\u2009000, root scale",
				"code: stack depth of the file, 2 to 9"}},
		{scale(structure.ByCalls, structure.Change, 0, 0), scale(structure.ByCalls, structure.Change, 0, 0),
			palette.Light(), []string{"calls B − A, no change"}},
		{scale(structure.ByTotal, structure.Ratio, -2, 2), scale(structure.ByTotal, structure.Ratio, -2, 2),
			blind, []string{"cumulated duration B / A, ≤ 1/4 to ≥ 4×: blue faster, orange slower in B"}},
	} {
		v := structure.View{IcicleScale: c.icicles, TreemapScale: c.treemap}
		got := Structure(Options{Unit: "ns", Palette: c.pal}, &structure.State{}, &v)
		if len(got) != len(c.want) {
			t.Fatalf("%+v, want %q", got, c.want)
		}
		for i, e := range got {
			if e.Label != c.want[i] || e.Swatch.Kind != Gradient {
				t.Errorf("%q, want %q", e.Label, c.want[i])
			}
		}
	}
}

// TestStructureFocus: what is in focus and what is not have entries in the colours of the view.
func TestStructureFocus(t *testing.T) {
	p := palette.Light()
	c := p.Structure()
	st := structure.State{}
	for k := range st.Sides {
		st.Sides[k].Trace = &trace.Trace{}
	}
	pkg := structure.Package{Name: "net/http", Fill: c.Packages([]string{"net/http"})[0], Cells: 2}
	v := structure.View{Absent: true, Blank: true, Packages: []structure.Package{pkg, {Fill: c.Packages([]string{""})[0]}}}
	v.Focus.Mode, v.Focus.Items = structure.Detail, []structure.Hit{{Side: structure.B}}
	check := func(want map[string]color.NRGBA) {
		t.Helper()
		got := Structure(Options{Unit: "ns", Palette: p}, &st, &v)
		if len(got) != len(want) {
			t.Fatalf("%+v, want %v", got, want)
		}
		for _, e := range got {
			if w, ok := want[e.Label]; !ok || e.Swatch.Colours[0] != w {
				t.Errorf("%q is %v, want %v", e.Label, e.Swatch.Colours, w)
			}
		}
	}
	want := map[string]color.NRGBA{"net/http": pkg.Fill, "in no package": c.Packages([]string{""})[0],
		"not in focus": c.Cell, "under the pointer or nearest": p.Selection,
		"the same functions in A": c.Over(pkg.Fill), "no data": c.Absent, "in focus, no data": p.Line}
	check(want)
	delete(want, "not in focus")
	delete(want, "the same functions in A")
	want["focus and what it is mapped to"] = c.FocusCell
	st.Linking = structure.OutsideFocus
	check(want)
}
