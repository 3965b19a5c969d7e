package structure

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"diptych/internal/pair"
	"diptych/internal/structure/source"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

// treeOf makes the tree of one trace or two.
func treeOf(t testtrace.TB, a, b *trace.Trace, o Options) *Tree {
	t.Helper()
	tree, err := New(context.Background(), pair.New(a, b, pair.Rules{}), o, nil)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// calls makes a trace whose only thread calls functions once each.
func calls(t testtrace.TB, symbols bool, fns ...trace.Function) *trace.Trace {
	t.Helper()
	b := trace.NewBuilder("test")
	b.Symbols = symbols
	th := b.Thread("1", -1)
	for i, f := range fns {
		th.Begin(int64(10*i), b.Function(f))
		th.End(int64(10*i + 5))
	}
	return testtrace.Build(t, b)
}

// outline writes a tree, a node a line, with its kind.
func outline(t *Tree) string {
	var b strings.Builder
	for i := 1; i < len(t.Nodes); i++ {
		n := &t.Nodes[i]
		fmt.Fprintf(&b, "%s%s %s\n", strings.Repeat("  ", int(n.Depth)-1), n.Kind, n.Name)
	}
	return b.String()
}

// plain sums up the calls of a side under a node from the definition.
func plain(t *Tree, s pair.Side, node int) Sum {
	m := Sum{First: None}
	first := int64(math.MaxInt64)
	for k, th := range t.Pair.Trace(s).Threads {
		if t.Pair.SampleTypeOf(s, k) != t.Pair.SampleTypes()[0] {
			continue
		}
		for i := range th.Len() {
			cell := t.NodeOf(s, k, i)
			if cell == None || !t.Contains(node, cell) {
				continue
			}
			m.Calls++
			m.Self += th.Self(i)
			if !th.Runs() {
				m.Aside += th.Self(i)
			}
			m.MaxDepth = max(m.MaxDepth, int32(th.Depth(i))+1)
			first = min(first, th.Start(i))
			inner := false
			for p := th.Parent(i); p >= 0; p = th.Parent(int(p)) {
				inner = inner || t.Contains(node, t.NodeOf(s, k, int(p)))
			}
			if !inner {
				m.Total += th.Dur(i)
			}
		}
	}
	if m.Calls > 0 {
		m.First = first
	}
	return m
}

// checkTree holds what is true of every tree, and its sums against the definition.
func checkTree(t testtrace.TB, tree *Tree) {
	t.Helper()
	for i := range tree.Nodes {
		checkNode(t, tree, i)
	}
	for _, s := range []pair.Side{pair.A, pair.B} {
		if tree.Pair.Trace(s) == nil {
			if tree.Sums[s] != nil {
				t.Fatal("sums of a side without a trace")
			}
			continue
		}
		var leaves, all int64
		for i := range tree.Nodes {
			if d := cmp.Diff(plain(tree, s, i), tree.Sums[s][i]); d != "" {
				t.Fatal(s, tree.Path(i), d)
			}
			if tree.Nodes[i].IsLeaf() {
				leaves += tree.Sums[s][i].Self
			}
		}
		for k, th := range tree.Pair.Trace(s).Threads {
			first := tree.Pair.SampleTypeOf(s, k) == tree.Pair.SampleTypes()[0]
			for i := 0; first && th.Kind != trace.Sums && i < th.Len(); i++ {
				all += th.Self(i)
			}
		}
		if leaves != all {
			t.Fatal(s, "self time of leaves", leaves, "of calls", all)
		}
	}
}

func checkNode(t testtrace.TB, tree *Tree, i int) {
	t.Helper()
	n := &tree.Nodes[i]
	size, functions, last := int32(1), int32(0), None
	for c := range tree.childSeq(i) {
		m := &tree.Nodes[c]
		size, functions = size+m.Size, functions+m.Functions
		if int(m.Parent) != i || m.Depth != n.Depth+1 || m.Name == "" {
			t.Fatal("child", *m, "of", *n)
		}
		if last != None && tree.Nodes[last].Name > m.Name {
			t.Fatal(tree.Path(last), "before", tree.Path(c))
		}
		last = c
	}
	if n.Kind == Function {
		functions++
	}
	if n.Size != size || n.Functions != functions || n.Kind == Function && n.Size != 1 {
		t.Fatal(tree.Path(i), *n)
	}
	if found := tree.Find(tree.Path(i)); n.Kind != Function && found != i {
		t.Fatal(tree.Path(i), "is found at", found)
	}
	if (n.Kind == Function) != (n.Identity != None) {
		t.Fatal(*n)
	}
	kids := slices.Clone(tree.Busiest(i))
	for k := 1; k < len(kids); k++ {
		if tree.Gamma(int(kids[k-1])) < tree.Gamma(int(kids[k])) {
			t.Fatal("children of", tree.Path(i), "are not ordered by γ")
		}
	}
}

var shape = testtrace.Shape{Threads: testtrace.Range{0, 3}, Records: testtrace.Range{0, 40},
	Step: testtrace.Range{0, 3}, Start: testtrace.Range{0, 9}, Depth: 7, Close: true,
	Functions: []string{"a::b::f", "a::b::g", "a::B<c::d>::f", "a::b", "main", "x::h",
		"a::B<c::d>::g()"}}

// TestSums holds the tree of random traces against the definition.
func TestSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := shape.Draw(t, "a")
		var b *trace.Trace
		if rapid.Bool().Draw(t, "two") {
			b = shape.Draw(t, "b")
		}
		checkTree(t, treeOf(t, a, b, Options{}))
	})
}

// load loads a recording.
func load(t testing.TB, file string) *trace.Trace {
	t.Helper()
	tr, err := traceio.Load(context.Background(), file, input.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// pairs are the recordings that come with the program, two by two.
var pairs = [][2]string{
	{"chrome/go-build-cold.json.gz", "chrome/go-build-warm.json.gz"},
	{"chrome/node-n8.json.gz", "chrome/node-n16.json.gz"},
	{"gotrace/pipeline-chan.gotrace", "gotrace/pipeline-mutex.gotrace"},
	{"pprof/pipeline-level1.cpu.pprof", "pprof/pipeline-level9.cpu.pprof"},
	{"uftrace/queue-1p3c.data.tar.gz", "uftrace/queue-2p2c.data.tar.gz"},
	{"twice/requests-1.json.gz", "twice/requests-2.json.gz"},
	{"generated/situations-a.json.gz", "generated/situations-b.json.gz"},
	{"gotrace/go119-pipeline-chan.gotrace", "gotrace/go119-pipeline-mutex.gotrace"},
	{"pprof/pipeline-chan.heap.pprof", "pprof/pipeline-mutex.heap.pprof"},
	{"pprof/pipeline-chan.mutex.pprof", "pprof/pipeline-mutex.mutex.pprof"},
	{"uftrace/family.data.tar.gz", "uftrace/lost.data.tar.gz"},
}

// others are further recordings of what some of the pairs are recordings of.
var others = [][2]string{
	{"chrome/queue-1p3c.json.gz", "chrome/queue-2p2c.json.gz"},
	{"gotrace/go121-pipeline-chan.gotrace", "gotrace/go121-pipeline-mutex.gotrace"},
	{"twice/pipeline-1.gotrace", "twice/pipeline-2.gotrace"},
	{"twice/queue-1.data.tar.gz", "twice/queue-2.data.tar.gz"},
}

// TestRecordings holds the trees of real recordings against the definition, and that an exchange of
// the sides changes no sum.
func TestRecordings(t *testing.T) {
	for _, files := range append(pairs, testtrace.Sized(nil, others)...) {
		a := load(t, filepath.Join("../../testdata", files[0]))
		b := load(t, filepath.Join("../../testdata", files[1]))
		tree := treeOf(t, a, b, Options{})
		checkTree(t, tree)
		again := treeOf(t, a, b, Options{})
		if !slices.Equal(tree.Nodes, again.Nodes) {
			t.Errorf("%s: two trees of one pair differ: %s", files[0],
				cmp.Diff(tree.Nodes, again.Nodes, cmpopts.IgnoreUnexported(Node{})))
		}
		swapped := treeOf(t, b, a, Options{})
		for s, sums := range swapped.Sums {
			if tree.Sums[1-s][0] != sums[0] {
				t.Errorf("%s: %s", files[0], cmp.Diff(tree.Sums[1-s][0], sums[0]))
			}
		}
	}
}

// TestOnlyB holds a pair without A.
func TestOnlyB(t *testing.T) {
	tree := treeOf(t, nil, calls(t, true, trace.Function{Name: "a::f"}), Options{})
	checkTree(t, tree)
	if got := outline(tree); got != "package a\n  function f\n" {
		t.Error(got)
	}
	if tree := treeOf(t, nil, nil, Options{}); len(tree.Nodes) != 1 {
		t.Error(outline(tree))
	}
}

// TestSumsOfTools holds that the sums that a tool wrote have no nodes.
func TestSumsOfTools(t *testing.T) {
	b := trace.NewBuilder("test")
	th := b.Thread("1", -1)
	th.Begin(0, b.Function(trace.Function{Name: "f"}))
	th.End(4)
	sums := b.Thread("2", -1)
	sums.SetKind(trace.Sums)
	sums.Begin(0, b.Function(trace.Function{Name: "Total f"}))
	sums.End(4)
	tree := treeOf(t, testtrace.Build(t, b), nil, Options{})
	checkTree(t, tree)
	if got := outline(tree); got != "function f\n" || tree.NodeOf(pair.A, 1, 0) != None ||
		tree.Cells(pair.A, 1) != nil {
		t.Error(got)
	}
}

// TestNavigation holds what a view asks a tree.
func TestNavigation(t *testing.T) {
	a := calls(t, true, trace.Function{Name: "github.com/x/y.(*T).Run", File: "/go/y/y.go"},
		trace.Function{Name: "github.com/x/z.Do", File: "/go/z/z.go"},
		trace.Function{Name: "ns::Klass<a, b>::get() const"})
	tree := treeOf(t, a, nil, Options{})
	run := tree.Find([]string{"github.com", "x", "y", "y.go", "T", "Run"})
	if run == None || tree.Find([]string{"github.com", "nowhere"}) != None {
		t.Fatal(outline(tree))
	}
	for _, c := range []struct{ want, got string }{
		{"github.com/x/y/y.go · T.Run", tree.FullName(run)},
		{"github.com/x", tree.Label(tree.Find([]string{"github.com"}))},
		{"y/y.go · T", tree.Label(tree.Find([]string{"github.com", "x", "y"}))},
		{"", tree.Label(0)},
		{"y", tree.Nodes[tree.PackageOf(run)].Name},
		{"y.go", tree.Nodes[tree.FileOf(run)].Name},
		{"y", tree.Nodes[tree.ChainStart(run-1)].Name},
		{"Run", tree.Nodes[tree.ChainStart(run)].Name},
		{"github.com", tree.Nodes[tree.ChainStart(tree.Find([]string{"github.com", "x"}))].Name},
		{"ns::Klass<a, b>::get() const", tree.FullName(len(tree.Nodes) - 1)},
		{"Klass<a, b>", tree.Nodes[tree.FileOf(len(tree.Nodes)-1)].Name},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
	if !tree.Contains(0, run) || tree.Contains(run, 0) || !tree.Contains(run, run) {
		t.Error("containment")
	}
}

// TestFoldersOfModules: an absolute folder is no part of its module's name.
func TestFoldersOfModules(t *testing.T) {
	in := func(name, file string) trace.Function {
		return trace.Function{Name: name, Module: "/tmp/orders", Package: "/tmp/orders", File: file}
	}
	tree := treeOf(t, calls(t, true, in("main", "/tmp/src/orders.c"), in("hash", "lib/hash.c")), nil, Options{})
	for file, want := range map[string]string{"orders.c": "/tmp/orders · /tmp/src/orders.c",
		"hash.c": "/tmp/orders/lib/hash.c"} {
		node := slices.IndexFunc(tree.Nodes, func(n Node) bool { return n.Name == file })
		if got := tree.FullName(node); got != want {
			t.Errorf("%s is %q, want %q", file, got, want)
		}
	}
}

// TestMetrics holds values and changes of nodes that one side has, both have, or none has.
func TestMetrics(t *testing.T) {
	f, g := trace.Function{Name: "p::f"}, trace.Function{Name: "p::g"}
	h := trace.Function{Name: "p::h"}
	a, b := calls(t, true, f, f, g), calls(t, true, f, h)
	folder := &source.Folder{Name: "src", Files: []source.File{{Path: "never.c", Lines: 7}}}
	tree := treeOf(t, a, b, Options{Source: folder})
	for _, c := range []struct {
		path   string
		m      Metric
		change int64
		ok     bool
	}{
		{"p/f", ByCalls, -1, true},
		{"p/f", BySelf, -5, true},
		{"p/h", ByTotal, 5, true},
		{"p/g", ByCalls, -1, true},
		{"p/g", ByFirst, 0, false},
		{"p", ByDepth, 0, true},
		{"p/f", ByFirst, 0, true},
		{"src/never.c", ByCalls, 0, false},
	} {
		got, ok := tree.Change(c.m, tree.Find(strings.Split(c.path, "/")))
		if got != c.change || ok != c.ok {
			t.Errorf("%s: metric %d changes by %d, %t", c.path, c.m, got, ok)
		}
	}
	if g := tree.Gamma(tree.Find([]string{"p"})); g != 5 {
		t.Errorf("γ = %d", g)
	}
	never := tree.Nodes[tree.Find([]string{"src", "never.c"})]
	if never.Kind != File || never.Lines != 7 || !never.IsLeaf() || tree.Nodes[0].Lines != 7 {
		t.Errorf("%+v", never)
	}
	if tree.Unmapped != [2]int{2, 2} {
		t.Errorf("%d functions unmapped", tree.Unmapped)
	}
}

// TestCancel holds that a cancelled analysis ends with the context's error.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	a := calls(t, true, trace.Function{Name: "f"})
	if _, err := New(ctx, pair.New(a, nil, pair.Rules{}), Options{}, nil); err != context.Canceled {
		t.Error(err)
	}
}

// TestProgress holds that progress is reported and ends with all calls.
func TestProgress(t *testing.T) {
	a := testtrace.Shape{Threads: testtrace.Exactly(3), Records: testtrace.Exactly(100),
		Step: testtrace.Range{1, 3}}.Random(t, 1)
	var last [2]int64
	_, err := New(context.Background(), pair.New(a, a, pair.Rules{}), Options{},
		func(done, total int64) { last = [2]int64{done, total} })
	if n := int64(2 * a.Calls()); err != nil || last != [2]int64{n, n} {
		t.Error(last, n, err)
	}
}
