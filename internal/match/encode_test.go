package match

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// exactly compares everything of a result but the traces and the order of what a class adds.
var exactly = cmp.Options{
	cmp.AllowUnexported(Classes{}, labels{}, Tau{}, Ladder{}, Intervals{}, entry{}), cmpopts.EquateEmpty(),
	cmpopts.IgnoreTypes((*pair.Pair)(nil), []*trace.Thread(nil)),
}

// difference returns how two results differ, or "". Most are equal, and then reflect is much faster
// than cmp, which also lists the differences.
func difference(x, y any) string {
	if reflect.DeepEqual(x, y) {
		return ""
	}
	return cmp.Diff(x, y, exactly)
}

// TestEncode holds that what is written down is read as it was.
func TestEncode(t *testing.T) {
	ctx := t.Context()
	rapid.Check(t, func(t *rapid.T) {
		p, scope, tau := someComparison(t)
		g, r := mustMatch(t, p, scope, tau)
		g2, err := DecodeGraph(g.Encode(), p, scope)
		if err != nil {
			t.Fatal(err)
		}
		if d := difference(g, g2); d != "" {
			t.Fatal(d)
		}
		r2, err := DecodeResult(r.Encode(), g2, tau)
		if err != nil {
			t.Fatal(err)
		}
		if d := difference(r, r2); d != "" {
			t.Fatal(d)
		}
		bars := [2]int{rapid.IntRange(0, 9).Draw(t, "bars of A"), 3}
		l, err := g.Ladder(ctx, bars, nil)
		if err != nil {
			t.Fatal(err)
		}
		l2, err := DecodeLadder(ctx, l.Encode(), g2, bars)
		if err != nil {
			t.Fatal(err)
		}
		if d := difference(l, l2); d != "" {
			t.Fatal(d)
		}
	})
}

// TestEncodeWide holds the same where classes need two bytes.
func TestEncodeWide(t *testing.T) {
	g := simulated(t, 20_000)
	if n := len(g.Sides[pair.A].Base); n <= 1<<8 {
		t.Fatalf("only %d classes", n)
	}
	g2, err := DecodeGraph(g.Encode(), g.Pair, g.Scope)
	if err != nil {
		t.Fatal(err)
	}
	if d := difference(g, g2); d != "" {
		t.Error(d)
	}
}

// FuzzDecode holds that whatever is decoded is an error or sound: comparing, grouping and writing
// it down again end without harm.
func FuzzDecode(f *testing.F) {
	ctx := f.Context()
	g := mustClassify(f, pair.New(fuzzTrace(f, 0), fuzzTrace(f, 1), pair.Rules{}))
	r, err := g.Match(ctx, DefaultTau, nil)
	if err != nil {
		f.Fatal(err)
	}
	bars := [2]int{2, 2}
	l, err := g.Ladder(ctx, bars, nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(g.Encode(), r.Encode(), l.Encode())
	f.Fuzz(func(t *testing.T, graph, result, ladder []byte) {
		if _, err := DecodeLadder(t.Context(), ladder, g, bars); err != nil {
			t.Log(err)
		}
		if _, err := DecodeResult(result, g, DefaultTau); err != nil {
			t.Log(err)
		}
		g2, err := DecodeGraph(graph, g.Pair, g.Scope)
		if err != nil {
			return
		}
		if !bytes.Equal(g2.Encode(), graph) {
			t.Error("reads as something else")
		}
		if _, err := g2.Match(t.Context(), DefaultTau, nil); err != nil {
			t.Error(err)
		}
		if _, err := g2.Groups(t.Context(), DefaultTau, Budget{}); err != nil {
			t.Error(err)
		}
	})
}

// fuzzTrace builds a small trace of several classes.
func fuzzTrace(t testing.TB, variant int) *trace.Trace {
	b := trace.NewBuilder("test")
	var f [5]trace.FuncID
	for i := range f {
		f[i] = b.Function(trace.Function{Name: string(rune('a' + i))})
	}
	th := b.Thread("1", -1)
	for i := range 20 {
		at := int64(10 * i)
		th.Begin(at, f[i%len(f)])
		th.Begin(at+1, f[(i*i+variant)%len(f)])
		th.Begin(at+2, f[(i*3)%len(f)])
		th.End(at + 3)
		th.End(at + 4)
		th.End(at + 5)
	}
	return testtrace.Build(t, b)
}
