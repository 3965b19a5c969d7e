package finding

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// call is a call to be made a trace of.
type call struct {
	name string
	self int64 // ns, before the first callee
	kids []*call
	wait bool
	kind trace.FuncKind
}

func f(name string, self int64, kids ...*call) *call {
	return &call{name: name, self: self, kids: kids}
}

// again repeats a call.
func again(n int, c *call) (list []*call) {
	for range n {
		list = append(list, c)
	}
	return list
}

// among returns a call of calls that are alone or in lists.
func among(name string, parts ...any) *call {
	c := &call{name: name, self: 1000}
	for _, p := range parts {
		switch p := p.(type) {
		case *call:
			c.kids = append(c.kids, p)
		case []*call:
			c.kids = append(c.kids, p...)
		}
	}
	return c
}

// recorded makes a trace with one thread a root; stretch, if given, changes self times.
func recorded(t testtrace.TB, stretch func(int64) int64, roots ...*call) *trace.Trace {
	b := trace.NewBuilder("test")
	b.Symbols = true
	return recordedAs(t, b, stretch, roots...)
}

// recordedAs makes it the kind of trace that the builder says.
func recordedAs(t testtrace.TB, b *trace.Builder, stretch func(int64) int64, roots ...*call) *trace.Trace {
	for k, root := range roots {
		th, now := b.Thread(fmt.Sprint(k+1), -1), int64(0)
		th.SetName("thread " + root.name)
		var visit func(c *call)
		visit = func(c *call) {
			ref := th.Begin(now, b.Function(trace.Function{Name: c.name, Kind: c.kind}))
			if c.wait {
				th.Block(ref, trace.Wait)
			}
			self := c.self
			if stretch != nil {
				self = stretch(self)
			}
			now += self
			for _, k := range c.kids {
				visit(k)
			}
			th.End(now)
		}
		visit(root)
	}
	return testtrace.Build(t, b)
}

// compared finds what differs between two traces.
func compared(t testtrace.TB, a, b *trace.Trace) (*pair.Pair, []*align.Result, *Report) {
	ctx, p := context.Background(), pair.New(a, b, pair.Rules{})
	results, err := align.All(ctx, p, p.Threads, align.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	found, err := Find(ctx, p, results, Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p, results, found
}

// noisy returns a clock on which everything takes a few per cent more or less, and one call in a
// thousand fifty times as long.
func noisy(seed uint64) func(int64) int64 {
	r := rand.New(rand.NewPCG(seed, 1))
	return func(self int64) int64 {
		self = int64(float64(self) * (1 + 0.05*r.NormFloat64()))
		if r.IntN(1000) == 0 {
			self *= 50
		}
		return max(self, 1)
	}
}

// program is a loop over functions of several sizes.
func program(loops int) *call {
	root := &call{name: "main", self: 1000}
	for i := range loops {
		round := &call{name: "round", self: 500}
		for k := range 10 {
			round.kids = append(round.kids, f(fmt.Sprintf("work%d", k), int64(300*(k+1)+i%7)))
		}
		root.kids = append(root.kids, round)
	}
	return root
}

// someCalls draws a small call tree over few names.
func someCalls(t *rapid.T, label string) *call {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, label), 0))
	left := rapid.IntRange(1, 60).Draw(t, label+" calls")
	var grow func(depth int) *call
	grow = func(depth int) *call {
		c := f(fmt.Sprintf("f%d", r.IntN(6)), int64(r.IntN(1000)))
		c.wait = r.IntN(10) == 0
		for left--; left > 0 && depth < 6 && r.IntN(3) > 0; {
			c.kids = append(c.kids, grow(depth+1))
		}
		return c
	}
	return grow(0)
}

// fewEdits returns a copy of calls of which few are left out, repeated, or change places.
func fewEdits(t *rapid.T, c *call) *call {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "edits"), 1))
	var visit func(c *call) *call
	visit = func(c *call) *call {
		own := *c
		own.kids = nil
		for _, k := range c.kids {
			kid, n := visit(k), len(own.kids)
			switch r.IntN(30) {
			case 0:
			case 1:
				own.kids = append(own.kids, kid, kid)
			case 2:
				own.kids = slices.Insert(own.kids, max(n-1, 0), kid)
			default:
				own.kids = append(own.kids, kid)
			}
		}
		return &own
	}
	return visit(c)
}

func only(t *testing.T, r *Report, k Kind) Finding {
	t.Helper()
	var list []Finding
	for _, f := range r.Findings {
		if f.Kind == k {
			list = append(list, f)
		}
	}
	if len(list) != 1 {
		t.Fatalf("%d findings of kind %v, want one: %+v", len(list), k, r.Findings)
	}
	return list[0]
}
