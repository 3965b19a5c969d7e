package structure

import (
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"diptych/internal/fuzzall/seeds"
	"diptych/internal/trace"
)

// spell writes a place, with a short word for each kind.
func spell(at place) string {
	short := map[Kind]string{Module: "m", Package: "p", Folder: "d", File: "f", Class: "c", Function: "fn"}
	var parts []string
	for _, l := range at {
		parts = append(parts, short[l.kind]+" "+l.name)
	}
	return strings.Join(parts, " | ")
}

func TestScoped(t *testing.T) {
	for name, want := range map[string]string{
		"main":                               "",
		"std::vector<a::b>::push_back(c::d)": "p std | c vector<a::b> | fn push_back(c::d)",
		"net::Socket::~Socket()":             "p net | c Socket | fn ~Socket()",
		"a::b::b(int)":                       "p a | c b | fn b(int)",
		"void a::f<int>(b::c)":               "p a | fn f<int>(b::c)",
		"std::ostream& std::operator<< <char>(std::ostream&, char)": "p std | fn operator<< <char>(std::ostream&, char)",
		"A::operator()(int) const":                                  "c A | fn operator()(int) const",
		"A::operator->()":                                           "c A | fn operator->()",
		"ns::A::operator bool() const":                              "p ns | c A | fn operator bool() const",
		"ns::operators::run()":                                      "p ns | p operators | fn run()",
		"(anonymous namespace)::f()":                                "p (anonymous namespace) | fn f()",
		"at::(anonymous namespace)::K<f()>::g":                      "p at | p (anonymous namespace) | c K<f()> | fn g",
		"auto cc::Host::Set(const gfx::Rect &)::(lambda)::operator()() const": "p cc | c Host | " +
			"fn Set(const gfx::Rect &)::(lambda)::operator()() const",
		"f(a::b)":                    "",
		"autograd::evaluate: Add::x": "p autograd | fn evaluate: Add::x",
		"core::ptr::drop_in_place<alloc::string::String>": "p core | p ptr | fn drop_in_place<alloc::string::String>",
		"<alloc::string::String as core::fmt::Display>::fmt": "p alloc | p string | " +
			"c String as core::fmt::Display | fn fmt",
		"<&T as core::fmt::Debug>::fmt":       "c <&T as core::fmt::Debug> | fn fmt",
		"<fn(A) -> B as core::ops::Fn>::call": "c <fn(A) -> B as core::ops::Fn> | fn call",
		"app::run::{{closure}}":               "p app | fn run::{{closure}}",
		"app::run::{{closure}}::inner":        "p app | p run | fn {{closure}}::inner",
		"app::run::h0123456789abcdef":         "p app | fn run",
		"Total PassManager<llvm::Function>":   "",
		"a::":                                 "",
		"::main":                              "",
		"BrowserMain::Init":                   "c BrowserMain | fn Init",
	} {
		at, ok := scoped(name)
		if got := spell(at); ok && got != want || ok == (want == "") {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
	}
}

func TestGoNames(t *testing.T) {
	x := &placer{functions: map[string]bool{"runtime.gcStart": true}}
	for name, want := range map[string]string{
		"net/http.(*conn).serve":           "p net | p http | c conn | fn serve",
		"net/http.(*Server).Serve.func1":   "p net | p http | c Server | fn Serve.func1",
		"main.main":                        "p main | fn main",
		"main.run.func2":                   "p main | fn run.func2",
		"main.init.0":                      "p main | fn init.0",
		"main.glob..func1":                 "p main | fn glob..func1",
		"encoding/binary.littleEndian.Put": "p encoding | p binary | c littleEndian | fn Put",
		"runtime.gcStart.forEachP.func4":   "p runtime | fn gcStart.forEachP.func4",
		"gopkg.in/yaml%2ev3.Marshal":       "p gopkg.in | p yaml.v3 | fn Marshal",
		"slices.SortFunc[go.shape.[]int]":  "p slices | fn SortFunc[go.shape.[]int]",
		"a/b.(*L[go.shape.int]).Push":      "p a | p b | c L[go.shape.int] | fn Push",
		"a/b.L[go.shape.int].Push":         "p a | p b | c L[go.shape.int] | fn Push",
	} {
		pkg, rest, ok := goPackage(name)
		if got := spell(append(goPath(pkg), x.goOwn(pkg, rest)...)); !ok || got != want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
	}
	for _, name := range []string{"main", "memcpy", "a/b", ".x", "x.", "(*T).Do", ""} {
		if pkg, _, ok := goPackage(name); ok {
			t.Errorf("%q is in package %q", name, pkg)
		}
	}
}

func TestPaths(t *testing.T) {
	for file, want := range map[string]string{
		"/usr/include/../include/a.h": "d /usr | d include | f a.h",
		"zopfli/src/util.c":           "d zopfli | d src | f util.c",
		"../src/a.c":                  "d .. | d src | f a.c",
		"a.c":                         "f a.c",
		"/a.c":                        "f /a.c",
		`C:\src\a.c`:                  "d C: | d src | f a.c",
		"node:internal/fs/utils":      "d internal | d fs | f utils",
		"file:///home/me/app.mjs":     "d /home | d me | f app.mjs",
		"https://x.org/lib/a.js?v=3":  "m https://x.org | d lib | f a.js",
		"https://x.org":               "f https://x.org",
		"webpack:///src/a.js":         "m webpack:// | d src | f a.js",
	} {
		if got := spell(filePath(file)); got != want {
			t.Errorf("%s:\n got %s\nwant %s", file, got, want)
		}
	}
	for list, want := range map[string]string{
		"cc,benchmark":                         "p cc",
		"node,node.fs,node.fs.sync":            "p node | p fs | p sync",
		"disabled-by-default-v8.gc,v8":         "p v8 | p gc",
		" blink ,disabled-by-default-blink.x,": "p blink | p x",
	} {
		if got := spell(categories(list)); got != want {
			t.Errorf("%s:\n got %s\nwant %s", list, got, want)
		}
	}
	for name, want := range map[string][2]string{
		"run (/app/a.py:12)": {"run", "/app/a.py"},
		"run (a.js:1:2)":     {"run", "a.js"},
		"f(int)":             {"f(int)", ""},
		"say (loud)":         {"say (loud)", ""},
		" (a:1)":             {" (a:1)", ""},
	} {
		if fn, file, _ := located(name); [2]string{fn, file} != want {
			t.Errorf("%s: %q in %q", name, fn, file)
		}
	}
}

// TestPlaces holds where functions of each format are.
func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		name    string
		symbols bool
		fns     []trace.Function
		want    string
	}{
		{"uftrace: modules and source files", true, []trace.Function{
			{Name: "put", Package: "app", Module: "app", File: "src/queue.c"},
			{Name: "get", Package: "app", Module: "app"},
			{Name: "ns::T::f", Package: "ns::T", Module: "app", File: "src/t.cc"},
			{Name: "strlen", Package: "libcall"},
			{Name: "linux:schedule", Package: "linux", Kind: trace.Event}}, `module app
  function get
  package ns
    class T
      function f
  folder src
    file queue.c
      function put
package libcall
  function strlen
package linux
  function linux:schedule
`},
		{"Go: import paths, files, receivers, states and regions", true, []trace.Function{
			{Name: "net/http.(*conn).serve", Package: "net/http", File: "/go/net/http/server.go"},
			{Name: "main.work", Package: "main"},
			{Name: "crunch", Package: "main", Kind: trace.Region},
			{Name: "blocked: select", Kind: trace.State},
			{Name: "label: x", Kind: trace.Event}}, `package (events)
  function label: x
package (states)
  function blocked: select
package main
  function crunch
  function work
package net
  package http
    file server.go
      class conn
        function serve
`},
		{"Java", true, []trace.Function{
			{Name: "com.example.App$1.run(int)", Package: "com"}}, `package com
  package example
    class App$1
      function run(int)
`},
		{"pprof without symbols", true, []trace.Function{
			{Name: "app+f", Package: "app", Module: "app"}},
			"module app\n  function app+f\n"},
		{"Python with places in names", false, []trace.Function{
			{Name: "Event.set (/usr/lib/threading.py:616)", Package: "FEE"},
			{Name: "run (app.py:1)", Package: "FEE"},
			{Name: "time.sleep", Package: "FEE"}}, `folder /usr
  folder lib
    file threading.py
      class Event
        function set
file app.py
  function run
package time
  function sleep
`},
		{"Chrome: categories, and namespaces where they are known", false, []trace.Function{
			{Name: "Frame::paint", Package: "blink,x"},
			{Name: "cc::Host::draw", Package: "benchmark"},
			{Name: "V8.GC", Package: "v8"}}, `package blink
  class Frame
    function paint
package cc
  class Host
    function draw
package v8
  function V8.GC
`},
		{"clang", false, []trace.Function{
			{Name: "Source", File: "/usr/include/c++/12/vector"},
			{Name: "Source", File: "src/a.h"},
			{Name: "Frontend"}}, `folder /usr
  folder include
    folder c++
      folder 12
        file vector
          function Source
function Frontend
folder src
  file a.h
    function Source
`},
		{"Go's names in a format without symbols", false, []trace.Function{
			{Name: "a/b.(*T).Run"}, {Name: "main.main"}, {Name: "idle"}}, `package a
  package b
    class T
      function Run
function idle
package main
  function main
`},
		{"go build: free text about packages", false, []trace.Function{
			{Name: "load a/b"}, {Name: "load a/c"}, {Name: "load d/e"}, {Name: "load fmt"},
			{Name: "go list"}}, `package a
  package b
    function load
  package c
    function load
package d
  package e
    function load
package fmt
  function load
function go list
`},
	} {
		tree := treeOf(t, calls(t, c.symbols, c.fns...), nil, Options{})
		checkTree(t, tree)
		if d := cmp.Diff(c.want, outline(tree)); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

// TestDeepPlaces: what joining the levels of a hostile name takes grows with the name, not with
// its square.
func TestDeepPlaces(t *testing.T) {
	name := strings.Repeat("a::", 20_000)
	at, _ := scoped(name + "f()")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	at = tidy(at)
	runtime.ReadMemStats(&after)
	if len(at) != mostLevels || !strings.HasPrefix(name, at[0].name) || len(at[0].name) < len(name)-3*mostLevels {
		t.Errorf("%d levels, the first of %d bytes", len(at), len(at[0].name))
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("%d bytes for a name of %d", n, len(name))
	}
}

// FuzzNames holds that no name breaks the tree, that nothing has an empty name, and that scopes are
// parts of the name in their order.
func FuzzNames(f *testing.F) {
	seeds.Add(f)
	for _, s := range []string{"std::vector<a::b>::push_back(c::d)", "<T as a::B>::c",
		"a/b.(*c[d.e]).f.func1", "x (/a/b.py:3)", "a.b.C.d(e)", "void a::(b)::c",
		"A::operator->() const::{lambda()#1}::operator()(int)"} {
		f.Add(s, "/a/../b.go", "p,p.q")
	}
	f.Fuzz(func(t *testing.T, name, file, pkg string) {
		if at, ok := scoped(name); ok && !strings.HasPrefix(name, "<") {
			rest := name
			for _, l := range at {
				i := strings.Index(rest, l.name)
				if i < 0 {
					t.Fatalf("%q in no order of %q", l.name, name)
				}
				rest = rest[i+len(l.name):]
			}
		}
		for _, symbols := range []bool{false, true} {
			a := calls(t, symbols,
				trace.Function{Name: name, File: file, Package: pkg, Module: pkg},
				trace.Function{Name: name, Package: pkg}, trace.Function{Name: name, File: file})
			checkTree(t, treeOf(t, a, nil, Options{}))
		}
	})
}
