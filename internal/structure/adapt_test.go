package structure

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"diptych/internal/pair"
	"diptych/internal/trace"
)

// TestAdapt holds that two versions of a program meet in one tree.
func TestAdapt(t *testing.T) {
	lib := func(name, module, file string) trace.Function {
		return trace.Function{Name: name, Package: module, Module: module, File: file}
	}
	header := func(file string) trace.Function { return trace.Function{Name: "Source", File: file} }
	for _, c := range []struct {
		name string
		a, b []trace.Function
		want string
	}{
		{"the module is called after the version",
			[]trace.Function{lib("f", "lua-5.3", ""), lib("g", "lua-5.3", ""),
				lib("old", "lua-5.3", "")},
			[]trace.Function{lib("f", "lua-5.4", ""), lib("g", "lua-5.4", ""),
				lib("new", "lua-5.4", "")},
			`module lua-5.3
  function f
  function g
  function new
  function old
`},
		{"a folder is called after the version",
			[]trace.Function{header("/lua-5.3/a.h"), header("/lua-5.3/b.h")},
			[]trace.Function{header("/lua-5.4/a.h"), header("/lua-5.4/b.h"),
				header("/lua-5.4/c.h")},
			`folder /lua-5.3
  file a.h
    function Source
  file b.h
    function Source
  file c.h
    function Source
`},
		{"a function moved to another file",
			[]trace.Function{lib("f", "x", "a.c"), lib("g", "x", "a.c")},
			[]trace.Function{lib("f", "x", "b.c"), lib("g", "x", "a.c"), lib("h", "x", "b.c")},
			`module x
  file a.c
    function f
    function g
    function h
`},
		{"surroundings that A has, too, stay",
			[]trace.Function{lib("f", "x", "a.c"), lib("g", "x", "b.c")},
			[]trace.Function{lib("f", "x", "b.c"), lib("h", "x", "b.c")},
			`module x
  file a.c
    function f
  file b.c
    function g
    function h
`},
		{"surroundings that went half here and half there stay",
			[]trace.Function{lib("f", "x", ""), lib("g", "y", "")},
			[]trace.Function{lib("f", "z", ""), lib("g", "z", ""), lib("new", "z", "")},
			`module x
  function f
module y
  function g
module z
  function new
`},
		{"a function of two files stays in both",
			[]trace.Function{lib("f", "x", "a.c"), lib("f", "x", "b.c")},
			[]trace.Function{lib("f", "x", "c.c")},
			`module x
  file a.c
    function f
  file b.c
    function f
  file c.c
    function f
`},
	} {
		tree := treeOf(t, calls(t, true, c.a...), calls(t, true, c.b...), Options{})
		if c.name == "a folder is called after the version" {
			tree = treeOf(t, calls(t, false, c.a...), calls(t, false, c.b...), Options{})
		}
		checkTree(t, tree)
		if d := cmp.Diff(c.want, outline(tree)); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

// TestRenamed holds that a rename rule gives both names one node.
func TestRenamed(t *testing.T) {
	rules, err := pair.ParseRules(false, []string{"/^old::/=new::"})
	if err != nil {
		t.Fatal(err)
	}
	a := calls(t, true, trace.Function{Name: "old::f"})
	b := calls(t, true, trace.Function{Name: "new::f"})
	tree, err := New(t.Context(), pair.New(a, b, rules), Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := outline(tree); got != "package new\n  function f\n" {
		t.Error(got)
	}
}
