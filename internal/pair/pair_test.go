package pair

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"diptych/internal/trace"
)

// traceOf builds a trace of threads written "name: f g{ h i } ~blocked", braces around callees and a
// tilde before a state, with ids #0, #1… unless name has one: "7=7: f". The thread of "page#2|name: f"
// is of the process #2, called page; that of "2|name: f" is of one that has only a number.
func traceOf(threads ...string) *trace.Trace {
	b := trace.NewBuilder("test")
	for i, s := range threads {
		name, calls, _ := strings.Cut(s, ":")
		id := fmt.Sprintf("#%d", i)
		if own, rest, ok := strings.Cut(name, "="); ok {
			id, name = own, rest
		}
		process := int32(-1)
		if of, rest, ok := strings.Cut(name, "|"); ok {
			name = rest
			process = b.Process(of)
			if title, _, ok := strings.Cut(of, "#"); ok {
				b.NameProcess(process, title)
			}
		}
		th := b.Thread(id, process)
		th.SetName(name)
		if role, ok := strings.CutSuffix(name, " · "+id); ok {
			th.SetRole(role, true)
		}
		th.Instant(0, b.Function(trace.Function{Name: "tick"}))
		for k, f := range strings.Fields(calls) {
			at := int64(1000*i + 2*k)
			if f == "}" {
				th.End(at)
				continue
			}
			fn := trace.Function{Name: strings.TrimSuffix(f, "{")}
			if strings.HasPrefix(f, "~") {
				fn.Kind = trace.State
			}
			th.Begin(at, b.Function(fn))
			if fn.Name == f {
				th.End(at + 1)
			}
		}
	}
	tr, err := b.Build(context.Background())
	if err != nil {
		panic(err)
	}
	return tr
}

func TestThreadPairs(t *testing.T) {
	for name, c := range map[string]struct {
		a, b []string
		want string
	}{
		"by name":       {[]string{"x: f", "y: f"}, []string{"y: f", "x: f"}, "[{0 1} {1 0}]"},
		"by creation":   {[]string{"w: f", "w: f"}, []string{"w: f", "w: f"}, "[{0 0} {1 1}]"},
		"left over":     {[]string{"w: f", "w: g"}, []string{"w: g"}, "[{0 -1} {1 0}]"},
		"by similarity": {[]string{"p: f g h", "q: f g"}, []string{"r: f g", "s: f g h i"}, "[{0 1} {1 0}]"},
		"nothing alike": {[]string{"p: f"}, []string{"q: g"}, "[{0 -1} {-1 0}]"},
		"best first":    {[]string{"p: f g", "q: f"}, []string{"r: f"}, "[{0 -1} {1 0}]"},
		"ids of ranks":  {[]string{"0=0: f", "1=1: g"}, []string{"0=0: g", "1=1: f"}, "[{0 0} {1 1}]"},
		"ids of a system": {[]string{"10=10: f", "11=11: g"}, []string{"11=11: f", "12=12: g"},
			"[{0 0} {1 1}]"},
		"ids in names": {[]string{"7=w · 7: f", "8=v · 8: f"}, []string{"9=v · 9: f", "8=w · 8: f"},
			"[{0 1} {1 0}]"},
		"no calls": {[]string{"p:"}, []string{"q:"}, "[{0 -1} {-1 0}]"},
	} {
		t.Run(name, func(t *testing.T) {
			p := New(traceOf(c.a...), traceOf(c.b...), Rules{})
			if got := fmt.Sprint(p.Threads); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestOneSide(t *testing.T) {
	tr := traceOf("x: f g.cold", "y: g")
	p := New(tr, nil, Rules{})
	got := fmt.Sprint(p.Threads, p.Names, p.IDA, p.IDB)
	if want := "[{0 -1} {1 -1}] [tick f g] [0 1 2 2] []"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if p = New(nil, tr, Rules{}); fmt.Sprint(p.Threads) != "[{-1 0} {-1 1}]" || p.Partner(B, 1) != none {
		t.Errorf("B alone: %v", p.Threads)
	}
	if p = New(nil, nil, Rules{}); len(p.Threads) != 0 {
		t.Errorf("none: %v", p.Threads)
	}
}

func TestRepair(t *testing.T) {
	p := New(traceOf("x: f", "y: f"), traceOf("x: f", "y: f"), Rules{})
	for _, c := range []struct {
		a, b int
		want string
	}{
		{0, 1, "[{0 1} {1 -1} {-1 0}]"}, {0, 0, "[{0 0} {1 1}]"},
		{0, none, "[{0 -1} {1 1} {-1 0}]"}, {none, 1, "[{0 0} {1 -1} {-1 1}]"},
	} {
		if got := fmt.Sprint(p.Repair(c.a, c.b).Threads); got != c.want {
			t.Errorf("Repair(%d, %d) = %s, want %s", c.a, c.b, got, c.want)
		}
	}
	if fmt.Sprint(p.Threads) != "[{0 0} {1 1}]" || p.ByHand != nil {
		t.Errorf("the pair itself changed: %v, by hand %v", p.Threads, p.ByHand)
	}
	once := p.Repair(0, 1)
	if x, y := once.Repair(1, 0), once.Repair(1, none); fmt.Sprint(x.ByHand, y.ByHand, once.ByHand) !=
		"[{0 1} {1 0}] [{0 1} {1 -1}] [{0 1}]" {
		t.Errorf("by hand: %v, %v after %v", x.ByHand, y.ByHand, once.ByHand)
	}
}

// TestHomesOfOneSide: where only one side is there, each thread belongs to its own process.
func TestHomesOfOneSide(t *testing.T) {
	of := traceOf("P|x: f", "Q|y: f", "z: f")
	for s, p := range map[Side]*Pair{A: New(of, nil, Rules{}), B: New(nil, of, Rules{})} {
		home, got := p.Homes(), ""
		for k := range of.Threads {
			if x := home(s, k); x != nil {
				got += x.Name + x.ID
			}
			got += "."
		}
		if want := of.Processes[0].Name + of.Processes[0].ID + "." + of.Processes[1].Name + of.Processes[1].ID + ".."; got != want {
			t.Errorf("%s: the homes are %s, want %s", s, got, want)
		}
	}
}

func TestSide(t *testing.T) {
	if A.String() != "A" || B.String() != "B" || A.Other() != B || B.Other() != A {
		t.Error("sides")
	}
}

// checkPair holds that every thread is in one pair.
func checkPair(t interface{ Fatalf(string, ...any) }, p *Pair) {
	for _, s := range []Side{A, B} {
		seen := map[int]bool{}
		for k, tp := range p.Threads {
			th := tp.On(s)
			if th == none {
				continue
			}
			if seen[th] || p.Of(s, th) != k || p.Partner(s, th) != tp.On(s.Other()) {
				t.Fatalf("%v: thread %s%d", p.Threads, s, th)
			}
			seen[th] = true
		}
		if len(seen) != p.threads(s) {
			t.Fatalf("%d of %d threads of %s", len(seen), p.threads(s), s)
		}
	}
}

// TestWithCalls: pairs in which neither thread has calls are left out, those with one that has none
// are not.
func TestWithCalls(t *testing.T) {
	p := New(traceOf("main: f g", "tracer:", "idle:", "only A: h"), traceOf("only B: z", "main: f g", "tracer:", "idle: f"), Rules{})
	got := ""
	for _, tp := range p.WithCalls() {
		for s, of := range []*trace.Trace{p.A, p.B} {
			if k := tp.On(Side(s)); k < 0 {
				got += " –"
			} else {
				got += " " + of.Threads[k].Name
			}
		}
		got += ";"
	}
	if want := " main main; only A –; idle idle; – only B;"; got != want {
		t.Errorf("of %d pairs, these have calls: %s; want %s", len(p.Threads), got, want)
	}
}

// TestSamplesOfOneSide holds that calls are compared as those of samples if either side has them.
func TestSamplesOfOneSide(t *testing.T) {
	record := func(sampled bool) *trace.Trace {
		tr := traceOf("main: f g h")
		tr.Threads[0].Sampled = sampled
		return tr
	}
	for _, of := range [][2]bool{{false, false}, {true, false}, {false, true}, {true, true}} {
		p := New(record(of[A]), record(of[B]), Rules{})
		if got := p.BySamples(); got != (of[A] || of[B]) {
			t.Errorf("sampled %v: %v", of, got)
		}
	}
}
