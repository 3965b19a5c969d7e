package structure

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// TestProcesses holds that processes are a level where there are several, and that those of one
// name are one.
func TestProcesses(t *testing.T) {
	b := trace.NewBuilder("test")
	for i, name := range []string{"Browser", "Renderer", "Renderer"} {
		p := b.Process(fmt.Sprint(i))
		b.NameProcess(p, name)
		th := b.Thread(fmt.Sprint(i), p)
		for k, fn := range []string{"run", "Frame::paint"}[:min(i+1, 2)] {
			f := trace.Function{Name: fn, Package: "cc,disabled-by-default-cc.x"}
			th.Begin(int64(k), b.Function(f))
			th.End(int64(k + 1))
		}
	}
	tree := treeOf(t, testtrace.Build(t, b), nil, Options{})
	checkTree(t, tree)
	want := `process Browser
  package cc
    package x
      function run
process Renderer
  package cc
    package x
      class Frame
        function paint
      function run
`
	if d := cmp.Diff(want, outline(tree)); d != "" {
		t.Error(d)
	}
	run := tree.Find([]string{"Renderer", "cc", "x", "run"})
	if n, _ := tree.Value(ByCalls, pair.A, run); n != 2 {
		t.Errorf("%d calls of run in renderers", n)
	}
}

// TestManyProcesses: what a process takes does not grow with the functions of all others.
func TestManyProcesses(t *testing.T) {
	const n = 4000
	b := trace.NewBuilder("test")
	for k := range n {
		name := fmt.Sprint("service", k)
		p := b.Process(name)
		b.NameProcess(p, name)
		th := b.Thread(name, p)
		th.Begin(0, b.Function(trace.Function{Name: name + ": run"}))
		th.End(1)
	}
	p := pair.New(testtrace.Build(t, b), nil, pair.Rules{})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	tree, err := New(t.Context(), p, Options{}, nil)
	runtime.ReadMemStats(&after)
	if err != nil || tree.Nodes[0].Functions != n {
		t.Fatalf("%v, %d functions", err, tree.Nodes[0].Functions)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 60<<20 {
		t.Errorf("the tree of %d processes takes %d MB", n, took>>20)
	}
}

// TestProcessesOfOneSide holds that processes are a level of both sides if one side has several, and
// that a number is not what tells a process of A from one of B.
func TestProcessesOfOneSide(t *testing.T) {
	run := func(processes ...string) *trace.Trace {
		b := trace.NewBuilder("test")
		for k, name := range processes {
			p := b.Process(name)
			b.NameProcess(p, name)
			th := b.Thread(fmt.Sprint(k), p)
			for i := range 3 {
				f := trace.Function{Name: fmt.Sprintf("f%d", 3*k+i)}
				th.Complete(int64(i), int64(i+1), b.Function(f))
			}
		}
		return testtrace.Build(t, b)
	}
	for _, c := range []struct {
		a, b []string
		path string
	}{
		{[]string{"app"}, []string{"app", "helper"}, "app"},
		{[]string{"app", "helper"}, []string{"app"}, "app"},
		{[]string{"17"}, []string{"17", "18"}, "17"},
		{[]string{"17"}, []string{"23", "24"}, "17"},
		{[]string{"17", "18"}, []string{"23", "24"}, "18"},
		{[]string{"17", "18"}, []string{"18", "19"}, "17"},
	} {
		tree := treeOf(t, run(c.a...), run(c.b...), Options{})
		checkTree(t, tree)
		var path []int
		for i := range tree.Nodes {
			n := &tree.Nodes[i]
			if n.Kind == Function && tree.Path(i)[0] == c.path && tree.Sums[pair.A][i].Calls == 1 &&
				tree.Sums[pair.B][i].Calls == 1 {
				path = append(path, i)
			}
		}
		if len(path) != 3 {
			t.Errorf("%v and %v have %d functions in common in %s:\n%s", c.a, c.b, len(path), c.path,
				outline(tree))
		}
	}
}

// TestProcessesPairByTheirThreads: a process of B that has a number for a name gets that of the
// process of A that it shares most pairs of threads with, although another one comes before.
func TestProcessesPairByTheirThreads(t *testing.T) {
	run := func(processes ...string) *trace.Trace {
		b := trace.NewBuilder("test")
		known := map[string]int32{}
		for k, name := range processes {
			if _, ok := known[name]; !ok {
				known[name] = b.Process(name)
				b.NameProcess(known[name], name)
			}
			b.Thread(fmt.Sprint(k), known[name]).Complete(0, 1, b.Function(trace.Function{Name: "f"}))
		}
		return testtrace.Build(t, b)
	}
	p := pair.New(run("x", "x", "x", "y"), run("7", "8", "8", "7"), pair.Rules{})
	p.Threads = nil
	for k := range 4 {
		p.Threads = append(p.Threads, pair.ThreadPair{A: k, B: k})
	}
	if got := processNames(p); !slices.Equal(got[pair.B], []string{"y", "x"}) {
		t.Errorf("processes of B are %q", got[pair.B])
	}
}

// TestPackageAndClass: a node that is a package by one name and a class by another is a package,
// whichever name comes first.
func TestPackageAndClass(t *testing.T) {
	for _, kinds := range [][2]Kind{{Package, Class}, {Class, Package}} {
		x := newTrie()
		for k, kind := range kinds {
			x.insert(place{{"a", kind, dot}, {fmt.Sprint("f", k), Function, dot}}, int32(k))
		}
		if got := x.nodes[1].Kind; got != Package {
			t.Errorf("%v: a %v", kinds, got)
		}
	}
}
