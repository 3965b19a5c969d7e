package structure

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"diptych/internal/trace"
)

// spell writes a place as "kind name" parts.
func spell(at place) string {
	var parts []string
	for _, l := range at {
		parts = append(parts, l.kind.String()+" "+l.name)
	}
	return strings.Join(parts, " | ")
}

func TestScoped(t *testing.T) {
	for name, want := range map[string]string{
		"main":                               "",
		"std::vector<a::b>::push_back(c::d)": "package std | class vector<a::b> | function push_back(c::d)",
		"net::Socket::~Socket()":             "package net | class Socket | function ~Socket()",
		"a::b::b(int)":                       "package a | class b | function b(int)",
		"void a::f<int>(b::c)":               "package a | function f<int>(b::c)",
		"std::ostream& std::operator<< <char>(std::ostream&, char)": "package std | function operator<< <char>(std::ostream&, char)",
		"A::operator()(int) const":                                  "class A | function operator()(int) const",
		"A::operator->()":                                           "class A | function operator->()",
		"ns::A::operator bool() const":                              "package ns | class A | function operator bool() const",
		"ns::operators::run()":                                      "package ns | package operators | function run()",
		"(anonymous namespace)::f()":                                "package (anonymous namespace) | function f()",
		"at::(anonymous namespace)::K<f()>::g":                      "package at | package (anonymous namespace) | class K<f()> | function g",
		"auto cc::Host::Set(const gfx::Rect &)::(lambda)::operator()() const": "package cc | class Host | " +
			"function Set(const gfx::Rect &)::(lambda)::operator()() const",
		"f(a::b)":                    "",
		"autograd::evaluate: Add::x": "package autograd | function evaluate: Add::x",
		"core::ptr::drop_in_place<alloc::string::String>": "package core | package ptr | function drop_in_place<alloc::string::String>",
		"<alloc::string::String as core::fmt::Display>::fmt": "package alloc | package string | " +
			"class String as core::fmt::Display | function fmt",
		"<&T as core::fmt::Debug>::fmt":       "class <&T as core::fmt::Debug> | function fmt",
		"<fn(A) -> B as core::ops::Fn>::call": "class <fn(A) -> B as core::ops::Fn> | function call",
		"app::run::{{closure}}":               "package app | function run::{{closure}}",
		"app::run::{{closure}}::inner":        "package app | package run | function {{closure}}::inner",
		"app::run::h0123456789abcdef":         "package app | function run",
		"Total PassManager<llvm::Function>":   "",
		"a::":                                 "",
		"::main":                              "",
		"BrowserMain::Init":                   "class BrowserMain | function Init",
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
		"net/http.(*conn).serve":           "package net | package http | class conn | function serve",
		"net/http.(*Server).Serve.func1":   "package net | package http | class Server | function Serve.func1",
		"main.main":                        "package main | function main",
		"main.run.func2":                   "package main | function run.func2",
		"main.init.0":                      "package main | function init.0",
		"main.glob..func1":                 "package main | function glob..func1",
		"encoding/binary.littleEndian.Put": "package encoding | package binary | class littleEndian | function Put",
		"runtime.gcStart.forEachP.func4":   "package runtime | function gcStart.forEachP.func4",
		"gopkg.in/yaml%2ev3.Marshal":       "package gopkg.in | package yaml.v3 | function Marshal",
		"slices.SortFunc[go.shape.[]int]":  "package slices | function SortFunc[go.shape.[]int]",
		"a/b.(*L[go.shape.int]).Push":      "package a | package b | class L[go.shape.int] | function Push",
		"a/b.L[go.shape.int].Push":         "package a | package b | class L[go.shape.int] | function Push",
	} {
		pkg, rest, ok := goPackage(name)
		if got := spell(append(goPath(pkg), x.goOwn(pkg, rest)...)); !ok || got != want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
	}
	for _, name := range []string{"main", "memcpy", "a/b", ".x", "x.", ""} {
		if pkg, _, ok := goPackage(name); ok {
			t.Errorf("%q is in package %q", name, pkg)
		}
	}
}

func TestPaths(t *testing.T) {
	for file, want := range map[string]string{
		"/usr/include/../include/a.h": "folder /usr | folder include | file a.h",
		"zopfli/src/util.c":           "folder zopfli | folder src | file util.c",
		"../src/a.c":                  "folder .. | folder src | file a.c",
		"a.c":                         "file a.c",
		"/a.c":                        "file /a.c",
		`C:\src\a.c`:                  "folder C: | folder src | file a.c",
		"node:internal/fs/utils":      "folder internal | folder fs | file utils",
		"file:///home/me/app.mjs":     "folder /home | folder me | file app.mjs",
		"https://x.org/lib/a.js?v=3":  "module https://x.org | folder lib | file a.js",
		"https://x.org":               "file https://x.org",
	} {
		if got := spell(filePath(file)); got != want {
			t.Errorf("%s:\n got %s\nwant %s", file, got, want)
		}
	}
	for list, want := range map[string]string{
		"cc,benchmark":                         "package cc",
		"node,node.fs,node.fs.sync":            "package node | package fs | package sync",
		"disabled-by-default-v8.gc,v8":         "package v8 | package gc",
		" blink ,disabled-by-default-blink.x,": "package blink | package x",
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
		{"Java", true, []trace.Function{{Name: "com.example.App$1.run(int)", Package: "com"}}, `package com
  package example
    class App$1
      function run(int)
`},
		{"pprof without symbols", true, []trace.Function{{Name: "app+f", Package: "app", Module: "app"}},
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

// FuzzNames holds that no name breaks the tree, that nothing has an empty name, and that scopes are
// parts of the name in their order.
func FuzzNames(f *testing.F) {
	for _, s := range []string{"std::vector<a::b>::push_back(c::d)", "<T as a::B>::c", "a/b.(*c[d.e]).f.func1",
		"x (/a/b.py:3)", "A::operator->() const::{lambda()#1}::operator()(int)", "a.b.C.d(e)", "void a::(b)::c"} {
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
			a := calls(t, symbols, trace.Function{Name: name, File: file, Package: pkg, Module: pkg},
				trace.Function{Name: name, Package: pkg}, trace.Function{Name: name, File: file})
			checkTree(t, treeOf(t, a, nil, Options{}))
		}
	})
}
