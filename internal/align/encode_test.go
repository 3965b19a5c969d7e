package align

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/fuzzall/seeds"
	"diptych/internal/pair"
	"diptych/internal/testtrace"
)

// firstDifferent returns the number of the first result in which two lists differ, in anything but
// the traces, or −1.
func firstDifferent(xs, ys []*Result) int {
	for k, x := range xs {
		y := ys[k]
		same := x.Indices == y.Indices && x.Score == y.Score && x.Ties == y.Ties &&
			x.Engine == y.Engine && samePartners(x.Partner, y.Partner)
		for s := range x.Passed {
			same = same && (slices.Equal(x.Passed[s], y.Passed[s]) ||
				x.Passed[s].empty() && y.Passed[s].empty())
		}
		if !same {
			return k
		}
	}
	return -1
}

func decoded(t testtrace.TB, p *pair.Pair, pairs []pair.ThreadPair, b []byte) []*Result {
	rs, err := Decode(context.Background(), p, pairs, b)
	if err != nil {
		t.Fatal(err)
	}
	return rs
}

// TestEncode holds that what the engines find is read as it was written down.
func TestEncode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a, b [][]*testtrace.Tree
		for range rapid.IntRange(1, 3).Draw(t, "threads") {
			xs, ys := someForests(t)
			a, b = append(a, xs), append(b, ys)
		}
		off := rapid.IntRange(0, 1).Draw(t, "functions off the processor")
		p := pair.New(offBelow(off, testtrace.Record(t, nil, a...)),
			offBelow(off, testtrace.Record(t, nil, b...)), pair.Rules{})
		o, pairs := someOptions(t), p.Threads
		o.Engine = Engine(rapid.IntRange(0, int(engines)-1).Draw(t, "engine"))
		o.Strict = rapid.Bool().Draw(t, "strict")
		if len(pairs) > 0 && rapid.Bool().Draw(t, "by hand") {
			o.Anchors = someAnchors(t, pairs)
		} else {
			pairs = append(slices.Clone(pairs), pair.ThreadPair{A: 0, B: len(b) - 1},
				pair.ThreadPair{A: -1, B: 0}, pair.ThreadPair{A: 0, B: -1}, pair.ThreadPair{A: -1, B: -1})
		}
		rs, err := All(context.Background(), p, pairs, o, nil)
		if err != nil {
			t.Fatal(err)
		}
		again := decoded(t, p, pairs, Encode(rs))
		if k := firstDifferent(rs, again); k >= 0 {
			t.Fatalf("%+v, want %+v", again[k], rs[k])
		}
	})
}

func someAnchors(t *rapid.T, pairs []pair.ThreadPair) (anchors []Anchor) {
	for range rapid.IntRange(1, 4).Draw(t, "anchors") {
		a := Anchor{Threads: rapid.SampledFrom(pairs).Draw(t, "of")}
		for s := range a.Calls {
			a.Calls[s] = rapid.Int32Range(0, 20).Draw(t, "call")
		}
		anchors = append(anchors, a)
	}
	return anchors
}

// TestEncodeAny holds the same of any alignment, with whatever calls passed through, and that
// another pair of threads does not read it.
func TestEncodeAny(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs, ys := someForests(t)
		p := paired(t, xs, ys)
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "choices"), 0))
		rs, pairs := []*Result{anyhow(r, p, xs, ys)}, make([]pair.ThreadPair, 1)
		b := Encode(rs)
		again := decoded(t, p, pairs, b)
		if k := firstDifferent(rs, again); k >= 0 {
			t.Fatalf("%+v, want %+v", again[k], rs[k])
		}
		more := paired(t, xs, append(slices.Clone(ys), &testtrace.Tree{Fn: 1}))
		if _, err := Decode(t.Context(), more, pairs, b); err == nil && len(xs)*len(ys) > 0 {
			t.Fatal("read by a thread with one call more")
		}
	})
}

// anyhow aligns two forests by chance.
func anyhow(r *rand.Rand, p *pair.Pair, xs, ys []*testtrace.Tree) *Result {
	out := unread(p, pair.ThreadPair{}, Auto)
	for s, partner := range out.Partner {
		out.Partner[s] = slices.Repeat([]int32{None}, len(partner))
		out.Score -= int64(len(partner))
	}
	if testtrace.Number(xs) == 0 || testtrace.Number(ys) == 0 {
		return out
	}
	var level func(xs, ys []*testtrace.Tree)
	level = func(xs, ys []*testtrace.Tree) {
		xs, ys = lifted(r, xs, &out.Passed[0], len(out.Partner[0])),
			lifted(r, ys, &out.Passed[1], len(out.Partner[1]))
		for len(xs) > 0 && len(ys) > 0 {
			x, y := xs[0], ys[0]
			switch r.IntN(6) {
			case 0:
				xs = xs[1:]
				continue
			case 1:
				ys = ys[1:]
				continue
			}
			out.Partner[0][x.At], out.Partner[1][y.At] = int32(y.At), int32(x.At)
			out.Score++
			if x.Fn == y.Fn {
				out.Score += 3
			}
			if r.IntN(10) > 0 {
				level(x.Below, y.Below)
			}
			xs, ys = xs[1:], ys[1:]
		}
	}
	level(xs, ys)
	out.Ties = Ties{r.IntN(3) + 2, r.IntN(3), r.IntN(3)}
	return out
}

// lifted replaces some calls by their callees, and notes them.
func lifted(r *rand.Rand, list []*testtrace.Tree, c *Calls, n int) (out []*testtrace.Tree) {
	for _, x := range list {
		if len(x.Below) == 0 || r.IntN(6) > 0 {
			out = append(out, x)
			continue
		}
		c.add(int32(x.At), n)
		out = append(out, lifted(r, x.Below, c, n)...)
	}
	return out
}

// TestStretches holds the walk over sets against asking for each call.
func TestStretches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 300).Draw(t, "calls")
		var c, again Calls
		in := false
		for i := range n {
			if rapid.IntRange(0, 20).Draw(t, "change") == 0 {
				in = !in
			}
			if in {
				c.add(int32(i), n)
			}
		}
		last := -1
		for from, k := range c.eachStretch {
			if from <= last || k < 1 {
				t.Fatalf("%d calls from %d on, after %d", k, from, last)
			}
			for last = from; last < from+k; last++ {
				again.add(int32(last), n)
			}
		}
		if !slices.Equal(c, again) {
			t.Fatalf("%x, want %x", again, c)
		}
	})
}

// TestOptionsEncode holds that options with other results are written down differently, and that
// the defaults may be named.
func TestOptionsEncode(t *testing.T) {
	seen := map[string]int{}
	anchor := Anchor{Threads: pair.ThreadPair{A: 1, B: 2}, Calls: [2]int32{3, 4}}
	for k, o := range []Options{{}, {Strict: true}, {TieCells: 7}, {Anchors: []Anchor{anchor}},
		{Anchors: []Anchor{{}, anchor}}, {Anchors: []Anchor{anchor, {}}}, {Engine: Plain},
		{Anchors: []Anchor{{anchor.Threads, [2]int32{4, 3}}}},
		{Anchors: []Anchor{{pair.ThreadPair{A: 2, B: 1}, anchor.Calls}}}} {
		text := string(o.Encode())
		if was, ok := seen[text]; ok {
			t.Errorf("options %d and %d are one", was, k)
		}
		seen[text] = k
	}
	same := Options{TieCells: defaultTieCells, Cells: 5, Anchors: []Anchor{}}
	if seen[string(same.Encode())] != 0 {
		t.Error("the defaults are others when they are named")
	}
}

// FuzzDecode holds that whatever is decoded is an error or sound: it keeps what a Result promises,
// and what is derived from it can be.
func FuzzDecode(f *testing.F) {
	seeds.Add(f)
	r := rand.New(rand.NewPCG(1, 2))
	xs := testtrace.Grow(r, 60, 4, 0.6)
	ys := testtrace.Edit(r, xs, 4, 0.2)
	p := paired(f, xs, ys)
	pairs := append(slices.Clone(p.Threads), pair.ThreadPair{A: -1, B: 0})
	for range 5 {
		f.Add(Encode([]*Result{anyhow(r, p, xs, ys)}))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		rs, err := Decode(t.Context(), p, pairs, b)
		if err != nil {
			return
		}
		if !bytes.Equal(Encode(rs), b) {
			t.Error("reads as something else")
		}
		for _, r := range rs {
			if err := unkept(r); err != nil {
				t.Fatal(err)
			}
			v, err := r.Virtual(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := v.Moved(t.Context()); err != nil {
				t.Fatal(err)
			}
			n := 0
			for range r.Walk {
				n++
			}
			if m := r.Metrics(); n != int(m.M+m.N-m.Equal-m.Different) || m.Score() != r.Score {
				t.Fatalf("%+v: %d nodes, score %d", m, n, r.Score)
			}
		}
	})
}

// unkept reports the first promise of a Result, call by call, that is not kept.
func unkept(r *Result) error {
	for s, partner := range r.Partner {
		th, last := r.Threads[s], int32(-1)
		for i, j := range partner {
			through := r.Passed[s].Has(int32(i))
			if th.Size(i) == 1 && through {
				return fmt.Errorf("call %d of %v: passed through to nothing", i, pair.Side(s))
			}
			up := levelOf(r, pair.Side(s), int32(i))
			switch {
			case through && (j != None || up != None && partner[up] == None):
				return fmt.Errorf("call %d of %v is passed through", i, pair.Side(s))
			case j == None:
				continue
			case j <= last || r.Partner[1-s][j] != int32(i):
				return fmt.Errorf("call %d of %v is not its partner's, or out of order", i, pair.Side(s))
			}
			last = j
			other := levelOf(r, pair.Side(1-s), j)
			if up == None != (other == None) || up != None && partner[up] != other {
				return fmt.Errorf("call %d of %v: its callers are no partners", i, pair.Side(s))
			}
		}
	}
	return nil
}

// levelOf returns the caller of a call that is not passed through, or None.
func levelOf(r *Result, s pair.Side, i int32) int32 {
	up := r.Threads[s].Parent(int(i))
	for up != None && r.Passed[s].Has(up) {
		up = r.Threads[s].Parent(int(up))
	}
	return up
}
