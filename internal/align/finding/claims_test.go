package finding

import (
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

// recount counts again what a claim says of one side, call by call, from its definition.
func recount(p *pair.Pair, sd pair.Side, c *Claim) (n int64) {
	tr := p.Trace(sd)
	if c.Quantity == CountedCalls {
		return recountCounted(p, sd, c)
	}
	for k, th := range tr.Threads {
		if th.Kind == trace.Sums || c.Thread != [2]*int{} && (c.Thread[sd] == nil || *c.Thread[sd] != k) {
			continue
		}
		if c.Function == "" {
			from, to := th.Span()
			n += map[Quantity]int64{Calls: int64(th.Len()), DurationNs: to - from}[c.Quantity]
			continue
		}
		for i := range th.Fn {
			if named(p, sd, th, i, c.Function) && (c.Caller == nil || calledBy(p, sd, th, i, *c.Caller)) {
				n = counted(p, sd, th, i, c, n)
			}
		}
	}
	return n
}

// recountCounted adds up what the recorder has counted.
func recountCounted(p *pair.Pair, sd pair.Side, c *Claim) (n int64) {
	name := func(id trace.FuncID) string { return p.Names[p.IDs(sd)[id]] }
	for _, x := range p.Trace(sd).CallCounts {
		if name(x.Callee) == c.Function && (c.Caller == nil || name(x.Caller) == *c.Caller) {
			n += x.Calls
		}
	}
	return n
}

// counted returns n with what call i adds to it.
func counted(p *pair.Pair, sd pair.Side, th *trace.Thread, i int, c *Claim, n int64) int64 {
	switch c.Quantity {
	case Calls:
		return n + 1
	case SelfNs, WaitNs:
		if c.Quantity == WaitNs && !waitsIn(th)[int32(i)] {
			return n
		}
		for k := i + 1; k < th.Next(i); k = th.Next(k) {
			n -= th.Dur(k)
		}
		return n + th.Dur(i)
	case TotalNs:
		for up := th.Parent(i); up >= 0; up = th.Parent(int(up)) {
			if named(p, sd, th, int(up), c.Function) {
				return n
			}
		}
		return n + th.Dur(i)
	}
	return max(n, th.Dur(i))
}

// named reports whether a call is of a function, or of spans that begin with its words.
func named(p *pair.Pair, sd pair.Side, th *trace.Thread, i int, function string) bool {
	name := p.Names[p.IDs(sd)[th.Fn[i]]]
	if head, family := strings.CutSuffix(function, " …"); family {
		of, _, ok := span(name)
		return ok && of == head
	}
	return name == function
}

func calledBy(p *pair.Pair, sd pair.Side, th *trace.Thread, i int, caller string) bool {
	tr, up := p.Trace(sd), th.Parent(i)
	for up >= 0 && (tr.FunctionOf(th, int(up)).Kind == trace.State || tr.FunctionOf(th, int(up)).Kind == trace.Event) {
		up = th.Parent(int(up))
	}
	return up < 0 && caller == "" || up >= 0 && caller != "" && named(p, sd, th, int(up), caller)
}

// checkClaims counts each claim of each finding again.
func checkClaims(t rapid.TB, p *pair.Pair, r *Report) (claims int) {
	for i := range r.Findings {
		f := &r.Findings[i]
		if len(f.Claims) == 0 {
			t.Fatalf("%q claims nothing", f.Sentence())
		}
		for _, c := range f.Claims {
			claims++
			if got := [2]int64{recount(p, pair.A, &c), recount(p, pair.B, &c)}; got != c.Values {
				caller := "any"
				if c.Caller != nil {
					caller = *c.Caller
				}
				t.Fatalf("%q claims %v of %s called by %s to be %v, but it is %v", f.Sentence(), c.Quantity,
					c.Function, caller, c.Values, got)
			}
		}
		checkKind(t, p, f)
	}
	return claims
}

// checkKind holds what the kind of a finding says against the traces.
func checkKind(t rapid.TB, p *pair.Pair, f *Finding) {
	of := func(sd pair.Side, q Quantity) (n int64) {
		return recount(p, sd, &Claim{Quantity: q, Function: f.Function})
	}
	a, b := of(pair.A, Calls), of(pair.B, Calls)
	if f.Kind == New && a != 0 || (f.Kind == Missing || f.Kind == Renamed) && b != 0 {
		t.Fatalf("%q, but A calls it %d times and B %d times", f.Sentence(), a, b)
	}
	if strings.Contains(f.Sentence(), "between") && strings.Contains(f.Sentence(), "schedule") {
		t.Fatalf("%q takes a state for a level", f.Sentence())
	}
}

// TestClaimsOfRecordings counts the claims about recorded pairs again, and about each pair swapped.
func TestClaimsOfRecordings(t *testing.T) {
	pairs := [][2]string{
		{"chrome/node-n8.json.gz", "chrome/node-n16.json.gz"},
		{"uftrace/queue-1p3c.data.tar.gz", "uftrace/queue-2p2c.data.tar.gz"},
		{"gotrace/pipeline-chan.gotrace", "gotrace/pipeline-mutex.gotrace"},
		{"pprof/pipeline-level1.cpu.pprof", "pprof/pipeline-level9.cpu.pprof"},
		{"twice/requests-1.json.gz", "twice/requests-2.json.gz"},
		{"generated/situations-a.json.gz", "generated/situations-b.json.gz"},
		{"callgrind/orders.callgrind", "callgrind/orders-changed.callgrind"},
	}
	if testtrace.Sized(false, true) { // larger ones, and more of these programs
		pairs = append(pairs, [][2]string{
			{"chrome/go-build-cold.json.gz", "chrome/go-build-warm.json.gz"},
			{"chrome/queue-1p3c.json.gz", "chrome/queue-2p2c.json.gz"},
			{"gotrace/go119-pipeline-chan.gotrace", "gotrace/go119-pipeline-mutex.gotrace"},
			{"gotrace/go121-pipeline-chan.gotrace", "gotrace/go121-pipeline-mutex.gotrace"},
			{"twice/queue-1.data.tar.gz", "twice/queue-2.data.tar.gz"},
		}...)
	}
	for _, files := range pairs {
		var sides [2]*trace.Trace
		for sd, name := range files {
			var err error
			path := filepath.Join("..", "..", "..", "testdata", name)
			if sides[sd], err = traceio.Load(t.Context(), path, input.Options{}); err != nil {
				t.Fatal(err)
			}
		}
		both := [][2]*trace.Trace{sides, {sides[1], sides[0]}}
		for _, sides := range testtrace.Sized(both[:1], both) {
			p, _, r := compared(t, sides[pair.A], sides[pair.B])
			n := checkClaims(t, p, r)
			t.Logf("%s: %d findings with %d claims, %d dropped", files[0], len(r.Findings), n, r.Dropped)
		}
	}
}

// TestClaimsOfRandomPairs counts the claims about random pairs again.
func TestClaimsOfRandomPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, _, r := compared(t, recorded(t, nil, someCalls(t, "A")), recorded(t, nil, someCalls(t, "B")))
		checkClaims(t, p, r)
		checkCauses(t, r)
	})
}

// checkCauses fails if a finding follows from itself, over however many others.
func checkCauses(t *rapid.T, r *Report) {
	for k := range r.Findings {
		steps := 0
		for i := k; i >= 0; i = r.Findings[i].Under {
			if steps++; steps > len(r.Findings) {
				t.Fatalf("%q follows from itself", r.Findings[k].Sentence())
			}
		}
	}
}

// TestCallersInACircle holds that functions that call one another more often are told, and that one
// of them follows from none.
func TestCallersInACircle(t *testing.T) {
	s := &study{report: &Report{}}
	for i, name := range []string{"f", "g", "h"} {
		s.report.Findings = append(s.report.Findings, Finding{Kind: Called, Caller: "x", Function: name,
			ID: uint32(i), caller: uint32((i + 1) % 3), Calls: [2]int64{1, 2}})
	}
	s.findUnder()
	first := 0
	for _, f := range s.report.Findings {
		if f.Under < 0 {
			first++
		}
	}
	if first != 1 {
		t.Errorf("%d follow from none: %+v", first, s.report.Findings)
	}
}

// TestClaimsOfEditedPairs counts the claims about generated pairs with all kinds of edits again.
func TestClaimsOfEditedPairs(t *testing.T) {
	for n := range 4 {
		x := quietExample(t, n)
		if checkClaims(t, x.p, x.found) == 0 {
			t.Error("nothing is claimed")
		}
	}
}

// TestFalseClaimsAreDropped: a finding whose claims contradict its kind is not told.
func TestFalseClaimsAreDropped(t *testing.T) {
	of := func(q Quantity, a, b int64) []Claim {
		return []Claim{{Quantity: q, Function: "f", Values: [2]int64{a, b}}}
	}
	for _, c := range []struct {
		kind   Kind
		claims []Claim
		holds  bool
	}{
		{New, of(Calls, 0, 3), true},
		{New, of(Calls, 1, 3), false},
		{Missing, of(Calls, 3, 0), true},
		{Missing, of(Calls, 3, 293), false},
		{Called, of(Calls, 3, 293), true},
		{Called, of(Calls, 0, 293), false},
		{Repeat, of(Calls, 12, 12), false},
		{Slower, of(SelfNs, 5, 9), true},
		{Slower, of(SelfNs, 9, 5), false},
		{Faster, of(TotalNs, 9, 5), true},
		{Faster, of(Calls, 9, 5), false},
		{Renamed, append(of(Calls, 4, 0), of(Calls, 0, 4)...), true},
		{Renamed, append(of(Calls, 4, 1), of(Calls, 0, 4)...), false},
		{Moved, nil, false},
	} {
		s := &study{report: &Report{}, run: 1}
		s.addFinding(Finding{Kind: c.kind, Function: "f", Claims: c.claims})
		if told := len(s.report.Findings) == 1; told != c.holds || s.report.Dropped != toInt(!told) {
			t.Errorf("%v with %+v: told %v, dropped %d", c.kind, c.claims, told, s.report.Dropped)
		}
	}
}

// waitsIn returns the calls of a thread that are marked as waiting.
func waitsIn(th *trace.Thread) map[int32]bool {
	found := map[int32]bool{}
	for _, b := range th.Blocks {
		if b.Kind == trace.Wait {
			found[b.Call] = true
		}
	}
	return found
}
