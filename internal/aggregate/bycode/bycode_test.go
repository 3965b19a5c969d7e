package bycode

import (
	"context"
	"slices"
	"testing"

	"diptych/internal/aggregate"
	"diptych/internal/pair"
	"diptych/internal/structure"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// program makes a trace of three functions in two packages. The second thread calls only two.
func program(t testing.TB) *trace.Trace {
	b := trace.NewBuilder("test")
	serve := b.Function(trace.Function{Name: "serve", Package: "net"})
	parse := b.Function(trace.Function{Name: "parse", Package: "net"})
	write := b.Function(trace.Function{Name: "write", Package: "disk"})
	for i, fns := range [][]trace.FuncID{{serve, parse, write}, {serve, write}} {
		th := b.Thread([]string{"1", "2"}[i], -1)
		for k, f := range fns {
			th.Begin(int64(10*k), f)
			th.End(int64(10*k + 10))
		}
	}
	return testtrace.Build(t, b)
}

// TestPlaces holds that each function has one place, whose names are its path, and that a thread's
// functions are at the places of their nodes.
func TestPlaces(t *testing.T) {
	ctx := context.Background()
	p := pair.New(program(t), program(t), pair.Rules{})
	tree, err := structure.New(ctx, p, structure.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	code, nodes := Places(tree)
	if len(nodes) != 3 || len(code.Places) != 3 {
		t.Fatal(nodes, code.Places)
	}
	for i, node := range nodes {
		at := code.Places[i]
		if tree.Nodes[node].Kind != structure.Function || !slices.Equal(at.Names, tree.Path(node)) ||
			len(at.Keys) != len(at.Names) {
			t.Errorf("place %d: %+v, node %+v", i, at, tree.Nodes[node])
		}
	}
	for thread, th := range p.A.Threads {
		places := code.Cells(pair.A, thread)
		for call := range th.Len() {
			if got := nodes[places[th.Fn[call]]]; got != tree.NodeOf(pair.A, thread, call) {
				t.Errorf("thread %d, call %d: node %d", thread, call, got)
			}
		}
	}
	m, err := aggregate.New(ctx, p, [2]aggregate.Span{{To: 30}, {To: 30}},
		aggregate.Options{Slices: 10, Code: code}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range m.Sides[pair.A].Tree().Nodes {
		if n.Leaf >= 0 {
			got = append(got, n.Path[len(n.Path)-1])
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, []string{"parse", "serve", "write"}) {
		t.Errorf("leaves %q", got)
	}
}

// TestThreadsThatDoNotCount holds that sums that a tool wrote have no cells.
func TestThreadsThatDoNotCount(t *testing.T) {
	b := trace.NewBuilder("test")
	f := b.Function(trace.Function{Name: "f"})
	th, sums := b.Thread("1", -1), b.Thread("2", -1)
	sums.SetKind(trace.Sums)
	th.Begin(0, f)
	th.End(5)
	sums.Begin(0, f)
	sums.End(5)
	p := pair.New(testtrace.Build(t, b), nil, pair.Rules{})
	tree, err := structure.New(context.Background(), p, structure.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	code, _ := Places(tree)
	for i, th := range p.A.Threads {
		if got := code.Cells(pair.A, i); (got == nil) != (th.Kind == trace.Sums) {
			t.Errorf("thread %s: %v", th.ID, got)
		}
	}
}
