package aligned

import (
	"math"
	"slices"
	"testing"

	"diptych/internal/align"
	"diptych/internal/pair"

	"pgregory.net/rapid"
)

// TestDissimilarityIsReadBetweenSamples: sample k of n stands at the share (k + ½)/n; between two it
// runs along the straight line, beyond the outer ones it stays.
func TestDissimilarityIsReadBetweenSamples(t *testing.T) {
	line := &align.Timeline{Dissimilarity: []float64{0, 1, .5, .5}}
	for share, want := range map[float64]float64{
		-1: 0, 0: 0, .125: 0, .25: .5, .375: 1, .5: .75, .625: .5, .8: .5, 1: .5, 2: .5,
	} {
		if got := dissimilarity(line, share); math.Abs(got-want) > 1e-12 {
			t.Errorf("at %g: %g, want %g", share, got, want)
		}
	}
	for n, want := range map[int]float64{0: 0, 1: .7} {
		line := &align.Timeline{Dissimilarity: slices.Repeat([]float64{.7}, n)}
		for _, share := range []float64{-1, 0, .5, 1, 2} {
			if got := dissimilarity(line, share); got != want {
				t.Errorf("of %d samples at %g: %g", n, share, got)
			}
		}
	}
}

func TestSkewIsTheNearestSample(t *testing.T) {
	line := &align.Timeline{Skew: []int64{10, 20, 30, 40}}
	for share, want := range map[float64]int64{-1: 10, 0: 10, .24: 10, .26: 20, .5: 30, .99: 40, 1: 40, 7: 40} {
		if got := skewAt(line, share); got != want {
			t.Errorf("at %g: %d, want %d", share, got, want)
		}
	}
	if got := skewAt(&align.Timeline{}, .5); got != 0 {
		t.Errorf("without samples: %d", got)
	}
}

// TestReadoutsFollowTime: as virtual time passes, neither side goes back, both begin at their start
// and end at their end, and the skew is how much longer A has run.
func TestReadoutsFollowTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := prepared(t, drawnTrace(t, "A"), drawnTrace(t, "B"))
		length := p.Virtual.Length
		if length == 0 {
			return
		}
		var last [2]int64
		for k := range 41 {
			at := length * int64(k) / 40
			r := p.At(at)
			if r.At != at || r.Dissimilarity < 0 || r.Dissimilarity > 1 {
				t.Fatalf("at %d: %+v", at, r)
			}
			for s, real := range r.Real {
				if k > 0 && real < last[s]-1 { // a ns of rounding
					t.Fatalf("at %d side %d goes back from %d to %d", at, s, last[s], real)
				}
			}
			last = r.Real
			ran := func(s pair.Side) int64 { return r.Real[s] - p.from[s] }
			if r.Skew != ran(pair.A)-ran(pair.B) {
				t.Fatalf("at %d A has run %d and B %d ns, the skew is %d", at, ran(pair.A), ran(pair.B), r.Skew)
			}
		}
		if first := p.At(0).Real; first != p.from {
			t.Fatalf("begins at %v, want %v", first, p.from)
		}
		if last != p.to {
			t.Fatalf("ends at %v, want %v", last, p.to)
		}
	})
}

// TestPlacesGoOn: reading times in order, each from the place of the one before, gives what reading
// each on its own does.
func TestPlacesGoOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := prepared(t, drawnTrace(t, "A"), drawnTrace(t, "B"))
		times := rapid.SliceOfN(rapid.Int64Range(0, max(p.Virtual.Length, 1)), 1, 30).Draw(t, "times")
		slices.Sort(times)
		last := place{from: -1}
		for _, at := range times {
			if got, want := p.reachFrom(at, &last), p.reach(at); got != want {
				t.Fatalf("at %d: %v, on its own %v", at, got, want)
			}
		}
	})
}
