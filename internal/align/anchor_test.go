package align

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
)

// TestAnchors holds that anchors are kept, the first always and others where they fit, that all
// engines agree, and that the rest is an alignment.
func TestAnchors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs, ys := someForests(t)
		off := rapid.IntRange(0, 1).Draw(t, "functions off the processor")
		p, o := pairedOff(t, xs, ys, nil, off), someOptions(t)
		if len(xs) == 0 || len(ys) == 0 {
			return
		}
		for range rapid.IntRange(1, 5).Draw(t, "anchors") {
			a := Anchor{}
			for s := range a.Calls {
				n := p.Trace(pair.Side(s)).Threads[0].Len()
				a.Calls[s] = int32(rapid.IntRange(0, n-1).Draw(t, "call"))
			}
			o.Anchors = append(o.Anchors, a)
		}
		var first *Result
		for e := range engines {
			o.Engine = e
			r := aligned(t, p, o)
			if err := unsound(r); err != nil {
				t.Fatalf("%v: %v", e, err)
			}
			if a := o.Anchors[0].Calls; off == 0 && r.Partner[pair.A][a[pair.A]] != a[pair.B] {
				t.Fatalf("%v: %v is not kept", e, a)
			}
			if first == nil {
				first = r
			}
			if !samePartners(r.Partner, first.Partner) || r.Ties.Levels != first.Ties.Levels {
				t.Fatalf("%v: %v %v, want %v %v", e, r.Partner, r.Ties, first.Partner, first.Ties)
			}
		}
	})
}

// TestAnchorInTwoPairs holds that a thread with an anchor is aligned with one other only.
func TestAnchorInTwoPairs(t *testing.T) {
	ab := testtrace.Flat("ab")
	p := pair.New(testtrace.Record(t, nil, ab), testtrace.Record(t, nil, ab, ab), pair.Rules{})
	o := Options{Anchors: []Anchor{{Threads: pair.ThreadPair{A: 0, B: 0}}}}
	if _, err := All(context.Background(), p, []pair.ThreadPair{{A: 0, B: 0}, {A: 0, B: 1}}, o,
		nil); err == nil {
		t.Error("no error")
	}
	if _, err := All(context.Background(), p, []pair.ThreadPair{{A: 0, B: 1}}, o, nil); err != nil {
		t.Error(err)
	}
}

// TestAnchorBetween holds that what lies between anchors is aligned by itself, and where anchors
// take it.
func TestAnchorBetween(t *testing.T) {
	type tree = testtrace.Tree
	flat := testtrace.Flat
	for _, c := range []struct {
		name    string
		a, b    []*tree
		anchors [][2]int32
		want    []int32 // B's partners by A
	}{
		{"shifted by hand", flat("xyxyxy"), flat("xyxyxy"), [][2]int32{{2, 0}},
			[]int32{None, None, 0, 1, 2, 3}},
		{"different functions", flat("abc"), flat("xyz"), [][2]int32{{1, 2}},
			[]int32{0, 2, None}},
		{"crossing one is left out", flat("abab"), flat("abab"), [][2]int32{{0, 2}, {1, 1}},
			[]int32{2, 3, None, None}},
		{"two", flat("aaaa"), flat("aaaaaa"), [][2]int32{{1, 2}, {2, 5}},
			[]int32{0, 2, 5, None}},
		{"a level more",
			[]*tree{{Fn: 0, Below: []*tree{{Fn: 1}, {Fn: 2}}}},
			[]*tree{{Fn: 0, Below: []*tree{{Fn: 1}, {Fn: 7, Below: []*tree{{Fn: 8}, {Fn: 2}}}}}},
			[][2]int32{{2, 4}}, []int32{0, 1, 4}},
	} {
		o := Options{Strict: true}
		for _, x := range c.anchors {
			o.Anchors = append(o.Anchors, Anchor{Calls: x})
		}
		for e := range engines {
			o.Engine = e
			r := aligned(t, paired(t, c.a, c.b), o)
			for i, j := range c.want {
				if r.Partner[pair.A][i] != j {
					t.Errorf("%s, %v: %v, want %v", c.name, e, r.Partner[pair.A], c.want)
					break
				}
			}
		}
	}
}
