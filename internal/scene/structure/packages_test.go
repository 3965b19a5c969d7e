package structure

import (
	"image/color"
	"testing"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// TestOneModuleHasManyColours: where one module holds most functions, its files have colours of their
// own or, without files, what functions have in common before an underscore.
func TestOneModuleHasManyColours(t *testing.T) {
	for _, c := range []struct {
		about string
		of    []trace.Function
		want  []string // by function
	}{
		{"names", []trace.Function{{Name: "luaH_get", Module: "lua"}, {Name: "luaH_set", Module: "lua"},
			{Name: "main", Module: "lua"}, {Name: "free", Module: "libc"}},
			[]string{"luaH_…", "luaH_…", "main", "libc"}},
		{"files", []trace.Function{{Name: "get", Module: "lua", File: "/src/table.c", Line: 1},
			{Name: "main", Module: "lua", File: "/src/main.c", Line: 1}},
			[]string{"table.c", "main.c"}},
		{"no majority", []trace.Function{{Name: "luaH_get", Module: "lua"}, {Name: "free", Module: "libc"}},
			[]string{"lua", "libc"}},
	} {
		b := trace.NewBuilder(c.about)
		th := b.Thread("1", -1)
		for k, f := range c.of {
			th.Begin(int64(k), b.Function(f))
			th.End(int64(k) + 1)
		}
		tr, err := b.Build(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		st, err := stateOf([2]*trace.Trace{tr})
		if err != nil {
			t.Fatal(err)
		}
		v := Build(&st, geom.Size{W: 400, H: 300}, nil)
		p := &v.a.spare.pkgs
		fills := map[string]color.NRGBA{}
		for k, want := range c.want {
			pkg := p.of[st.Tree.NodeOf(pair.A, 0, k)]
			if got := p.name(pkg); got != want {
				t.Errorf("%s: %s goes by %q, want %q", c.about, c.of[k].Name, got, want)
			}
			fills[want] = p.colours[pkg]
		}
		seen := map[color.NRGBA]bool{}
		for _, fill := range fills {
			seen[fill] = true
		}
		if len(seen) != len(fills) {
			t.Errorf("%s: two of %v are alike", c.about, fills)
		}
	}
}
