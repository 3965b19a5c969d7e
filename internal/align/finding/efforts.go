package finding

import (
	"iter"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"diptych/internal/progress"
)

// Pairs of calls of one function, and their self times.
//
// Self time is what is compared, because an effect is told once: a caller of a slower function is
// not slower itself. Two steps come before chance.go says how pairs vary and weigh.go weighs them:
//
//  1. straighten: where pairing is arbitrary, calls of a function are compared by rank;
//  2. findPace: the factor by which everything takes longer in B.
//
// pairs.go holds the pairs, which gather.go gathers. Whatever is summed up over pairs is summed up
// function by function, several at a time, and then over functions in their order, so that sums are
// the same for any number of processors.

// blocks is the number of equal stretches of time into which the run is divided. What disturbs a
// recording lasts for a while, so one stretch is one piece of evidence, however many calls are in
// it.
const blocks = 32

// effort is the pairs of one function whose durations depend on the same.
type effort struct {
	id    uint32
	on    dependence
	pairs int
	parts []part  // by thread pair
	votes float64 // on the pace, not yet weighted
	law   law     // how its pairs vary by chance
	v     weighed // what they come to
}

// untilDone goes through efforts until the context is done. What was found by then means nothing,
// and Find does not return it.
func (s *study) untilDone(efforts []*effort) iter.Seq[*effort] {
	return func(yield func(*effort) bool) {
		for _, e := range efforts {
			if s.ctx.Err() != nil || !yield(e) {
				return
			}
		}
	}
}

// batch is about how many pairs are gone through by one goroutine before it gets others.
const batch = 1 << 16

// inBatches calls work with all efforts, several at a time, a run of them each. The runs are the
// same for any number of processors; k counts them.
func (s *study) inBatches(efforts []*effort, work func(k int, run []*effort)) error {
	borders := batchesOf(efforts)
	order := progress.LargestFirst(len(borders)-1, func(k int) int {
		return pairsOf(efforts[borders[k]:borders[k+1]])
	})
	return progress.Spread(s.ctx, len(order), func(i int) error {
		work(order[i], efforts[borders[order[i]]:borders[order[i]+1]])
		return nil
	})
}

// batchesOf returns the borders of the runs of efforts that are gone through together.
func batchesOf(efforts []*effort) []int {
	borders, pairs := []int{0}, 0
	for k, e := range efforts {
		if pairs += e.pairs; pairs >= batch || k == len(efforts)-1 {
			borders, pairs = append(borders, k+1), 0
		}
	}
	return borders
}

// The pace is the factor by which everything takes longer in B, because of the processor's clock
// or the machine's load. It is the weighted median of b/a. The pairs of a function share a weight
// that is the root of its time: neither the function that takes most of the run nor the one that
// is called most often may decide alone. It is the machine's only if functions agree on it: from
// 1.5 on, half of the weight must lie within a fifth of it.

const (
	fewest  = 8   // with fewer functions there is no pace
	steep   = 1.5 // a pace, either way, from which on functions must agree on it
	agreed  = 1.2
	octave  = 256 // classes of ratios between 1 and 2
	decades = 12  // octaves either way

	paceBins = 2*decades*octave + 1
)

// findPace sets the pace of the report.
func (s *study) findPace() error {
	like := s.ordinaryEfforts()
	if pace, known := s.quickPace(like); known {
		s.report.Pace = pace
		return s.ctx.Err()
	}
	total, of := make([]float64, len(s.p.Names)), make([][]float64, len(batchesOf(like))-1)
	vote := func(k int, e *effort) {
		if of[k] == nil {
			of[k] = make([]float64, paceBins)
		}
		e.vote(of[k], math.Sqrt(total[e.id]))
	}
	// Where no function has two efforts, the votes of each are cast while its pairs are at hand.
	single := len(s.efforts[onSamples]) == 0
	err := s.inBatches(like, func(k int, run []*effort) {
		for _, e := range run {
			if e.sumVotes(); single {
				total[e.id] = e.votes
				vote(k, e)
			}
		}
	})
	if !single && err == nil {
		for _, e := range like {
			total[e.id] += e.votes
		}
		err = s.inBatches(like, func(k int, run []*effort) {
			for _, e := range run {
				vote(k, e)
			}
		})
	}
	functions := 0
	for _, t := range total {
		functions += toInt(t > 0)
	}
	if functions < fewest || err != nil {
		return err
	}
	votes := make([]float64, paceBins)
	for _, v := range of {
		floats.Add(votes, v)
	}
	if pace := paceOf(votes); max(pace, 1/pace) <= steep || agree(votes, pace) {
		s.report.Pace = pace
	}
	return nil
}

// ordinaryEfforts returns the efforts of pairs whose durations depend on what the function does.
func (s *study) ordinaryEfforts() []*effort {
	return slices.Concat(s.efforts[onFunction], s.efforts[onSamples])
}

// sumVotes sums up the votes of a function's pairs. A pair has the geometric mean of its self
// times, so that the pace from B to A is the reciprocal one. By A's time alone, calls that were
// long in A by chance would have the most say, and those are shorter in B: either way round,
// everything would seem to take less.
func (e *effort) sumVotes() {
	for c := range e.times {
		means, _ := c.lists()
		geometricMeans(means, c.a, c.b)
		e.votes = addAll(e.votes, means)
	}
}

// addAll adds numbers to a sum, one after the other.
func addAll(sum float64, list []float64) float64 {
	for _, x := range list {
		sum += x
	}
	return sum
}

// vote adds the votes of a function's pairs to their classes, as shares of what they come to.
func (e *effort) vote(votes []float64, of float64) {
	for c := range e.times {
		ratios, shares := c.lists()
		votesOf(ratios, shares, c.a, c.b, of)
		c.addVotes((*[paceBins]float64)(votes), ratios, shares)
	}
}

// addVotes adds the shares of pairs to the classes of their ratios. A pair with a time of 0 has no
// ratio. The sum of the class that had a share last is kept at hand: often the next has the same.
func (c *chunk) addVotes(votes *[paceBins]float64, ratios, shares []float64) {
	a, b := c.a[:len(ratios)], c.b[:len(ratios)]
	shares = shares[:len(ratios)]
	last, sum := 0, votes[0]
	for p, ratio := range ratios {
		if a[p] > 0 && b[p] > 0 {
			if bin := paceBin(ratio); bin != last {
				votes[last] = sum
				last, sum = bin, votes[bin]
			}
			sum += shares[p]
		}
	}
	votes[last] = sum
}

// paceBin returns the class of a ratio; the middle one holds exactly 1. It is the logarithm of the
// ratio in classes, rounded: that of the exponent, and of the borders that the mantissa has passed.
// A table says how many the next smaller multiple of 1/1024 has passed, and at most one follows.
func paceBin(ratio float64) int {
	of := math.Float64bits(ratio)
	k := int(borderAt[of>>42&1023])
	k += toInt(of&mantissa >= borders[k&(2*octave-1)])
	k += (int(of>>52&2047)-1023)*octave + paceBins/2
	return min(max(k, 0), paceBins-1)
}

// mantissa is the bits of a float64 that are its mantissa; those of larger ones are larger.
const mantissa = 1<<52 - 1

var borders, borderAt = octaveBorders()

// octaveBorders returns the mantissas of the borders between the classes of an octave, and how many
// of them are at most 1 + k/1024, by k. Nothing passes a border after the last.
func octaveBorders() (borders [2 * octave]uint64, at [1024]int16) {
	for k := range borders {
		borders[k] = math.MaxUint64
	}
	for k := range octave {
		borders[k] = math.Float64bits(math.Exp2((float64(k)+0.5)/octave)) & mantissa
	}
	k := 0
	for cell := range at {
		for borders[k] <= math.Float64bits(1+float64(cell)/1024)&mantissa {
			k++
		}
		at[cell] = int16(k)
	}
	return borders, at
}

// paceOf returns the weighted median of the ratios that the classes stand for, 1 if none has a
// vote.
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

// agree reports whether half of the votes lie close to a pace.
func agree(votes []float64, pace float64) bool {
	return 2*floats.Sum(votes[paceBin(pace/agreed):paceBin(pace*agreed)+1]) >= floats.Sum(votes)
}
