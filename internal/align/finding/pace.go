package finding

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"diptych/internal/align"
	"diptych/internal/pair"
)

// The pace is the factor by which everything takes longer in B: the clock of the processor, the
// load of the machine. It is the median of the ratios of paired self times. A pair counts by its
// share of its function's time, and a function by the root of its time: neither a function that
// takes most of the run, nor one that is called most often, is what the others are measured by.

const (
	fewest   = 8   // functions that must agree on a pace
	steepest = 1.5 // what goes beyond, either way, is the program's doing
	ordinary = 1.8 // a pair's ratio, against the pace, up to which it counts as unchanged

	octave   = 256 // classes of ratio between 1 and 2
	paceBins = 4*octave + 1
)

// findPace sets the pace.
func (s *study) findPace() error {
	total := make([]float64, len(s.p.Names))
	err := s.eachPair(func(r *align.Result, i, _ int32, self [2]int64, t trust) {
		if t <= sampled {
			total[s.id(r, pair.A, i)] += float64(self[pair.A])
		}
	})
	if err != nil {
		return err
	}
	functions := 0
	for _, t := range total {
		if t > 0 {
			functions++
		}
	}
	if functions < fewest {
		return nil
	}
	var votes [paceBins]float64
	err = s.eachPair(func(r *align.Result, i, _ int32, self [2]int64, t trust) {
		a, b := float64(self[pair.A]), float64(self[pair.B])
		if t <= sampled && a > 0 && b > 0 {
			votes[paceBin(b/a)] += a / math.Sqrt(total[s.id(r, pair.A, i)])
		}
	})
	if pace := paceOf(votes[:]); 1/steepest <= pace && pace <= steepest {
		s.report.Pace = pace
	}
	return err
}

// paceBin returns the class of a ratio; the middle one holds exactly 1.
func paceBin(ratio float64) int {
	k := int(math.Round(octave*math.Log2(ratio))) + paceBins/2
	return min(max(k, 0), paceBins-1)
}

// paceOf returns the weighted median of the ratios that the classes stand for, 1 if none has a vote.
func paceOf(votes []float64) float64 {
	if floats.Sum(votes) == 0 {
		return 1
	}
	ratios := make([]float64, len(votes))
	for k := range ratios {
		ratios[k] = math.Exp2(float64(k-paceBins/2) / octave)
	}
	return stat.Quantile(0.5, stat.Empirical, ratios, votes)
}
