package match

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"diptych/internal/fuzzall/seeds"
	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// exactly compares everything of a result but the traces and the order of what a class adds.
var exactly = cmp.Options{
	cmp.AllowUnexported(Classes{}, labels{}, Tau{}, Ladder{}, Intervals{}, entry{}),
	cmpopts.EquateEmpty(),
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

// TestEncode checks that decoding gives back what was encoded.
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

// TestEncodeWide checks the same with so many classes that a number takes two bytes.
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

// FuzzDecode checks that any bytes give an error, or what is encoded again as these bytes: a graph
// that can be matched and grouped, a result, and a ladder.
func FuzzDecode(f *testing.F) {
	seeds.Add(f)
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
		if l, err := DecodeLadder(t.Context(), ladder, g, bars); err == nil && !bytes.Equal(l.Encode(), ladder) {
			t.Error("the ladder reads as something else")
		}
		if r, err := DecodeResult(result, g, DefaultTau); err == nil && !bytes.Equal(r.Encode(), result) {
			t.Error("the result reads as something else")
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

// TestDecodeDamaged checks that bytes that are cut or too many give an error, and that a changed
// byte gives an error or a result that can be used.
func TestDecodeDamaged(t *testing.T) {
	ctx := t.Context()
	g := mustClassify(t, pair.New(fuzzTrace(t, 0), fuzzTrace(t, 1), pair.Rules{}))
	r, err := g.Match(ctx, DefaultTau, nil)
	if err != nil {
		t.Fatal(err)
	}
	bars := [2]int{2, 3}
	l, err := g.Ladder(ctx, bars, nil)
	if err != nil {
		t.Fatal(err)
	}
	use := func(g *Graph, err error) error {
		if err == nil {
			_, err = g.Match(ctx, DefaultTau, nil)
		}
		return err
	}
	for name, x := range map[string]struct {
		right  []byte
		decode func(b []byte) error
	}{
		"graph": {g.Encode(), func(b []byte) error { return use(DecodeGraph(b, g.Pair, g.Scope)) }},
		"result": {r.Encode(), func(b []byte) error {
			_, err := DecodeResult(b, g, DefaultTau)
			return err
		}},
		"ladder": {l.Encode(), func(b []byte) error {
			_, err := DecodeLadder(ctx, b, g, bars)
			return err
		}},
	} {
		if err := x.decode(x.right); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if x.decode(append(bytes.Clone(x.right), 0)) == nil {
			t.Errorf("%s: one byte more is no error", name)
		}
		for n := 0; n < len(x.right); n += 1 + n/50 {
			if x.decode(x.right[:n]) == nil {
				t.Errorf("%s: %d of %d bytes are no error", name, n, len(x.right))
			}
			changed := bytes.Clone(x.right)
			changed[n] ^= 0xff
			if err := x.decode(changed); err != nil && !errors.Is(err, errEncoding) {
				t.Errorf("%s: byte %d changed: %v", name, n, err)
			}
		}
	}
}

// TestDecodeOfNoFigures holds that a ladder with figures that are no numbers is refused.
func TestDecodeOfNoFigures(t *testing.T) {
	g := mustClassify(t, pair.New(fuzzTrace(t, 0), fuzzTrace(t, 1), pair.Rules{}))
	bars := [2]int{1, 1}
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		l, err := g.Ladder(t.Context(), bars, nil)
		if err != nil {
			t.Fatal(err)
		}
		l.rungs[0].Bars[pair.B][0].Shift = f
		if _, err := DecodeLadder(t.Context(), l.Encode(), g, bars); !errors.Is(err, errEncoding) {
			t.Errorf("a shift of %v: %v", f, err)
		}
	}
}
