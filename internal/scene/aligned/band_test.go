package aligned

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/geom"
	"diptych/internal/palette"
)

// TestBandIsInterpolated holds the band between its samples, with B's time against A's.
func TestBandIsInterpolated(t *testing.T) {
	p := &Prepared{from: [2]int64{100, 0}, to: [2]int64{300, 1000}}
	b := &Band{}
	b.Low[0], b.High[0] = []int64{0, -10, -20}, []int64{0, 5, 50}
	b.Low[1], b.High[1] = []int64{-8, -8}, []int64{0, 30}
	for _, c := range []struct {
		real      [2]int64
		low, high int64
	}{
		{[2]int64{100, 0}, 0, 8}, {[2]int64{200, 0}, -10, 8}, {[2]int64{250, 0}, -15, 27},
		{[2]int64{300, 1000}, -30, 50}, {[2]int64{0, 500}, -15, 8}, {[2]int64{900, 2000}, -30, 50},
	} {
		if low, high := b.at(p, c.real); low != c.low || high != c.high {
			t.Errorf("%v: %d to %d, want %d to %d", c.real, low, high, c.low, c.high)
		}
	}
	if low, high := (&Band{}).at(p, [2]int64{200, 500}); low != 0 || high != 0 {
		t.Errorf("%d to %d without other runs", low, high)
	}
}

func TestInterpolated(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := rapid.SliceOfN(rapid.Int64Range(-100, 100), 1, 8).Draw(t, "samples")
		share := rapid.Float64Range(-0.5, 1.5).Draw(t, "share")
		got := float64(interpolated(samples, share))
		at := math.Min(math.Max(share, 0), 1) * float64(len(samples)-1)
		low, high := float64(samples[int(math.Floor(at))]), float64(samples[int(math.Ceil(at))])
		want := low + (high-low)*(at-math.Floor(at))
		if math.Abs(got-want) > 1 {
			t.Fatalf("%v at %v: %v, want %v", samples, share, got, want)
		}
	})
}

// TestBandIsDrawn holds that the skew has room for the band, that the band lies where its values do,
// and that it goes with its runs.
func TestBandIsDrawn(t *testing.T) {
	p := changed(t)
	fill := palette.Light().RunBand()
	of := func(b *Band) (v *View, boxes []geom.Rect) {
		st := stateOfWhole(p)
		st.Band = b
		v = Build(&st, geom.Size{W: 800, H: 600}, &Arena{})
		for _, l := range v.Scene.Layers {
			for _, q := range l.Quads {
				if q.Fill == fill {
					boxes = append(boxes, q.Rect)
				}
			}
		}
		return v, boxes
	}
	without, boxes := of(nil)
	if len(boxes) != 0 {
		t.Errorf("%d parts of a band are drawn of none", len(boxes))
	}
	b := &Band{}
	b.Low[0], b.High[0] = []int64{-400, -400}, []int64{900, 900}
	with, boxes := of(b)
	if with.SkewSpan[0] > -400 || with.SkewSpan[1] < 900 || with.SkewSpan == without.SkewSpan {
		t.Errorf("the skew has room for %v", with.SkewSpan)
	}
	if len(boxes) != 1 || boxes[0].W() < with.Axis.X(float64(p.Virtual.Length))-with.Axis.X(0)-2 {
		t.Fatalf("the band is %v", boxes)
	}
	share := float64(boxes[0].H()) / float64(with.Skew.H())
	if want := 1300 / float64(with.SkewSpan[1]-with.SkewSpan[0]); math.Abs(share-want) > 0.05 {
		t.Errorf("the band is %.2f of the height, want %.2f", share, want)
	}
}
