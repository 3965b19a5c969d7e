package finding

import (
	"math"
	"testing"

	"diptych/internal/pair"
)

// TestStatistics holds what is asked of the statistics against values from printed tables.
func TestStatistics(t *testing.T) {
	var e effort
	e.blocks[0], e.blocks[5], e.blocks[9], e.blocks[31] = 2, 2, 2, 2
	e.sum = 8
	votes := make([]float64, paceBins)
	votes[paceBin(1)], votes[paceBin(1.25)], votes[paceBin(2)] = 2, 3, 4
	for _, c := range []struct {
		what            string
		got, want, near float64
	}{
		{"blocks of equal weight", e.agreeing(), 4, 0},
		{"one of them stalled", equalWeights(32, []float64{2, 28, 2}), 1.3, 0.01},
		{"none changed", equalWeights(0, []float64{0, 0}), 0, 0},
		{"deviations in a median deviation", toDeviation, 1.4826, 1e-4},
		{"t of 10 degrees at 0.99865, of 3", 3 * widening(27), 3.957, 0.01},
		{"t of 100 degrees at 0.99865, of 3", 3 * widening(270), 3.077, 0.01},
		{"pace", paceOf(votes), 1.25, 0.002},
		{"pace without votes", paceOf(make([]float64, paceBins)), 1, 0},
	} {
		if math.Abs(c.got-c.want) > c.near {
			t.Errorf("%s: %v, want %v", c.what, c.got, c.want)
		}
	}
}

// TestSwing has functions follow a pace of 1.1 but for one, which is not allowed to count.
func TestSwing(t *testing.T) {
	var efforts []*effort
	for k := range 101 {
		off := math.Exp(0.01 * float64(k-50) / 50) // evenly within 1 % either way
		efforts = append(efforts, nil, &effort{near: [2]float64{1000, 1100 * off}})
	}
	before := swing(efforts, 1.1)
	if want := 0.005 * toDeviation * widening(101); math.Abs(before-want) > 1e-4 {
		t.Errorf("swing %v, want %v", before, want)
	}
	efforts[1].near[pair.B] *= 1.5
	if after := swing(efforts, 1.1); math.Abs(after-before) > 0.05*before {
		t.Errorf("swing %v, with one function slower %v", before, after)
	}
	if s := swing(efforts[:2*fewest-2], 1.1); s != 0 {
		t.Errorf("swing %v of too few functions", s)
	}
}
