package fleet

import (
	"testing"

	"diptych/internal/batch"
	"diptych/internal/batch/fleet"
	scene "diptych/internal/scene/fleet"
)

func TestQuantitiesInWords(t *testing.T) {
	for _, c := range []struct {
		q    fleet.Quantity
		v    float64
		want string
	}{
		{fleet.Dissimilarity, .25, "25 % of the calls differ"},
		{fleet.Lag, .5, "B loses 50 % of the time"},
		{fleet.Lag, -.5, "B gains 50 % of the time"},
		{fleet.Waiting, .034, "B waits for 3.4 % more of the time"},
		{fleet.Waiting, -.034, "A waits for 3.4 % more of the time"},
	} {
		if got := value(c.q, c.v); got != c.want {
			t.Errorf("%v of %v: %q, want %q", c.v, c.q, got, c.want)
		}
	}
	if low, high := limits(fleet.Lag, &scene.Quantity{Limit: .4, More: true}); low !=
		"B faster ≥ 40 %" || high != "B slower ≥ 40 %" {
		t.Errorf("the scale goes from %q to %q", low, high)
	}
}

func TestPairsAreNamed(t *testing.T) {
	for name, want := range map[string]string{"7": "Pair 7", "rank 7": "rank 7", "a\nb": `a\nb`} {
		if got := pairName(&fleet.Pair{PairRow: batch.PairRow{Pair: name}}); got != want {
			t.Errorf("%q is called %q, want %q", name, got, want)
		}
	}
}

// TestScaleOfColours: a tiny area does not make all others pale, and a lone outlier does not make
// noise loud.
func TestScaleOfColours(t *testing.T) {
	area := func(rows, buckets int, v float64) fleet.Area {
		return fleet.Area{ToRow: rows, ToBucket: buckets, Mean: [fleet.Quantities]float64{fleet.Lag: v}}
	}
	for name, c := range map[string]struct {
		areas []fleet.Area
		limit float64
		more  bool
	}{
		"nothing":      {nil, leastLimit, false},
		"equal":        {[]fleet.Area{area(64, 200, 0)}, leastLimit, false},
		"one":          {[]fleet.Area{area(64, 100, -.5), area(64, 100, .1)}, .5, false},
		"tiny":         {[]fleet.Area{area(64, 100, .5), area(1, 2, .9), area(64, 100, 0)}, .5, true},
		"lone outlier": {[]fleet.Area{area(1, 20, .9), area(1000, 200, .01)}, .3, true},
	} {
		limit, more := limitOf(c.areas, fleet.Lag)
		if d := limit - c.limit; d > 1e-9 || d < -1e-9 || more != c.more {
			t.Errorf("%s: %v, %v; want %v, %v", name, limit, more, c.limit, c.more)
		}
	}
}

// TestStretchesHaveAMargin: what is opened is a little longer than what was clicked, within the run.
func TestStretchesHaveAMargin(t *testing.T) {
	for _, c := range [][4]float64{{80, 120, .35, .65}, {0, 200, 0, 1}, {10, 11, .045, .06}} {
		got := around(int(c[0]), int(c[1]), 200)
		if d := got.Start - c[2] + got.End - c[3]; d > 1e-9 || d < -1e-9 {
			t.Errorf("buckets %v to %v: %v", c[0], c[1], got)
		}
	}
}

// TestLargeClustersAreTold: which clusters are large is said of the batch and of each of them.
func TestLargeClustersAreTold(t *testing.T) {
	c := &content{Fleet: &fleet.Fleet{Large: 2, Pairs: make([]fleet.Pair, 25)}}
	for _, n := range []int{12, 11, 2} {
		c.Clusters = append(c.Clusters, fleet.Cluster{Pairs: make([]int, n)})
	}
	if got, want := c.about(), "25 pairs  ·  3 clusters, 2 large"; got != want {
		t.Errorf("the batch holds %q, want %q", got, want)
	}
	c.TooLarge, c.Pairs[4].TrustA = 1, "lossy"
	if got, want := c.about(), "25 pairs  ·  3 clusters, 2 large  ·  1 with parts missing  ·  1 sum too large for 64 bits"; got != want {
		t.Errorf("the batch holds %q, want %q", got, want)
	}
	for k, want := range []string{"12 pairs (large)", "11 pairs (large)", "2 pairs"} {
		if got := c.clusterText(k); got != want {
			t.Errorf("cluster %d: %q, want %q", k+1, got, want)
		}
	}
}
