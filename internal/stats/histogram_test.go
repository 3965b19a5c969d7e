package stats

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/traceio/text/texttest"
)

// TestBinsHoldEveryDuration holds that bins follow each other, that the first and the last one hold
// the shortest and the longest duration, and that there are few.
func TestBinsHoldEveryDuration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		magnitude := rapid.IntRange(0, 61).Draw(t, "magnitude")
		least := rapid.Int64Range(0, 1<<magnitude).Draw(t, "least")
		most := rapid.Int64Range(least, max(least, 1<<magnitude)).Draw(t, "most")
		bins := binsFor(least, most)
		first, last := bins[0], bins[len(bins)-1]
		if least < first.From || least >= first.To || most >= last.To || most < last.From {
			t.Fatalf("%d to %d in %+v", least, most, bins)
		}
		for k := 1; k < len(bins); k++ {
			if bins[k].From != bins[k-1].To || bins[k].From >= bins[k].To {
				t.Fatalf("%+v follows %+v", bins[k], bins[k-1])
			}
		}
		if len(bins) > mostBins+1 {
			t.Fatalf("%d bins", len(bins))
		}
	})
}

// TestMeasureIsWhatTheDefinitionSays counts each bin, the quantiles and the lists from the calls.
func TestMeasureIsWhatTheDefinitionSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape := shape
		shape.Scales = 12
		p := pair.New(shape.Draw(t, "A"), shape.Draw(t, "B"), pair.Rules{})
		w := drawWindow(t, p)
		if len(p.Names) == 0 {
			return
		}
		id := uint32(rapid.IntRange(0, len(p.Names)-1).Draw(t, "function"))
		h, err := Measure(context.Background(), p, id, w, nil)
		if err != nil {
			t.Fatal(err)
		}
		var plain [2][]int64
		for side, r := range w.Ranges {
			tr, ids := p.Trace(pair.Side(side)), p.IDs(pair.Side(side))
			for k, th := range tr.Threads {
				for i := range th.Len() {
					if w.has(pair.Side(side), k) && ids[th.Fn[i]] == id && r.has(th.Start(i), th.End(i)) {
						plain[side] = append(plain[side], th.Dur(i))
					}
				}
			}
			slices.Sort(plain[side])
			checkDurations(t, h.Sides[side], plain[side])
		}
		for _, bin := range h.Bins {
			checkBin(t, p, h, bin, plain)
		}
	})
}

func checkDurations(t *rapid.T, got Durations, sorted []int64) {
	if got.Calls != len(sorted) {
		t.Fatalf("%d calls of %d", got.Calls, len(sorted))
	}
	for ns, share := range map[int64]float64{got.Median: .5, got.P95: .95} {
		if n := float64(len(sorted)); n > 0 && (float64(below(sorted, ns)) >= share*n ||
			float64(below(sorted, ns+1)) < share*n) {
			t.Fatalf("%d is no %v quantile of %v", ns, share, sorted)
		}
	}
}

func checkBin(t *rapid.T, p *pair.Pair, h *Histogram, bin Bin, plain [2][]int64) {
	in := 0
	for side, sorted := range plain {
		n := below(sorted, bin.To) - below(sorted, bin.From)
		if in += n; bin.Calls[side] != n {
			t.Fatalf("%+v has %d of %v", bin, n, sorted)
		}
	}
	const most = 2
	list, all, err := Calls(context.Background(), p, h.ID, h.Window, bin, most, nil)
	if err != nil || all != in || len(list) != min(in, most) {
		t.Fatalf("%d of %d calls are listed: %v", len(list), all, err)
	}
	for k, c := range list {
		th := p.Trace(c.Side).Threads[c.Ref.Thread]
		if th.Dur(int(c.Ref.Call)) != c.Ns || c.Ns < bin.From || c.Ns >= bin.To ||
			k > 0 && c.Ns > list[k-1].Ns {
			t.Fatalf("%+v in %+v", list, bin)
		}
	}
}

// TestBinsOfHugeDurations: no power of ten above the longest durations is an int64.
func TestBinsOfHugeDurations(t *testing.T) {
	for _, c := range [][2]int64{{1, 2e18}, {0, 4e18}, {1, 9e18}, {5e18, 9e18}, {7, math.MaxInt64}} {
		bins := binsFor(c[0], c[1])
		if n := len(bins); n == 0 || n > mostBins || bins[0].From > c[0] || bins[n-1].To < c[1] {
			t.Fatalf("%d to %d: %+v", c[0], c[1], bins)
		}
		for k, b := range bins {
			if b.From >= b.To || k > 0 && b.From != bins[k-1].To {
				t.Errorf("%d to %d: bin %d is %+v", c[0], c[1], k, b)
			}
		}
	}
}

// TestNoBinsWithoutCalls: a function that nobody calls in the window has no histogram.
func TestNoBinsWithoutCalls(t *testing.T) {
	tr := texttest.Parse(t, "thread 1\n  0+1 f\n  10+20 g\n")
	p := pair.New(tr, tr, pair.Rules{})
	w := Everything(p)
	w.Ranges = [2]Range{{From: 5, To: 50}, {From: 5, To: 50}}
	for id, name := range p.Names {
		h, err := Measure(context.Background(), p, uint32(id), w, nil)
		if err != nil || (h.Bins != nil) != strings.HasPrefix(name, "g") {
			t.Errorf("%s: %+v, %v", name, h, err)
		}
	}
}

// TestMedianByHand: five calls of f in A; in B there are none.
func TestMedianByHand(t *testing.T) {
	a := texttest.Parse(t, "thread 1\n  0+1 f\n  10+20 f\n  40+3 f\n  50+400 f\n  500+9 f\n")
	p := pair.New(a, texttest.Parse(t, "thread 1\n  0+1 g\n"), pair.Rules{})
	h, err := Measure(context.Background(), p, 0, Everything(p), nil)
	if want := (Durations{5, 1, 400, 9, 400}); err != nil || h.Sides[pair.A] != want {
		t.Errorf("%+v, want %+v", h.Sides[pair.A], want)
	}
	if h.Sides[pair.B] != (Durations{}) {
		t.Errorf("B has %+v", h.Sides[pair.B])
	}
	if name := p.Names[h.ID]; !strings.HasPrefix(name, "f") {
		t.Errorf("the function is %s", name)
	}
}

func BenchmarkCount(b *testing.B) {
	s := shape
	s.Records = testtrace.Exactly(1 << 18)
	tr := s.Random(b, 1)
	p := pair.New(tr, tr, pair.Rules{})
	for b.Loop() {
		if _, err := Count(context.Background(), p, Everything(p), nil); err != nil {
			b.Fatal(err)
		}
	}
}
