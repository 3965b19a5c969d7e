package finding

import (
	"math"
	"sync"
)

// The pace, without a look at the ratio of each pair.
//
// findPace asks for the class of ratios in which the weighted median lies. Which one that is, few
// pairs tell almost surely. So a sample of pairs gives a guess, and then the votes of all pairs are
// only summed up by the borders of the classes around it: eight pairs at once, in any order. If
// half of the votes are reached within one of these classes, by more than all sums are rounded by,
// it is the one that findPace would find. Otherwise findPace goes through the pairs class by class.
// For example, with votes by ratio, and a guess of 1.00:
//
//	below 0.99  400   0.99–1.00  80   1.00–1.01  90   above  430     the pace is in 1.00–1.01

const (
	paceSample = 1 << 17 // about how many pairs a sample has, or all if there are not so many,
	pacePiece  = 64      // so many in a row
	nearPace   = 4       // borders between classes around a guess
	sumsMargin = 0x1p-50 // of a sum, by which it may be off for each number in it
)

// quickPace returns the pace, and whether it is known without a look at the ratio of each pair.
func (s *study) quickPace(efforts []*effort) (pace float64, known bool) {
	first := s.guessPace(efforts) + 1 - nearPace/2
	var at [nearPace]float64
	for k := range at {
		at[k] = lowestIn(first + k)
	}
	sums, index := make([]paceSums, len(efforts)), batchesOf(efforts)
	err := s.inBatches(efforts, func(k int, run []*effort) {
		for i, e := range run {
			for c := range e.times {
				addPaceSums(&sums[index[k]+i], c.a, c.b, &at)
			}
		}
	})
	if err != nil {
		return 0, false
	}
	total, functions := make([]float64, len(s.p.Names)), 0
	for k, e := range efforts {
		total[e.id] += sums[k].all
	}
	for _, t := range total {
		functions += toInt(t > 0)
	}
	if functions < fewest {
		return 1, true
	}
	all, below := 0.0, [nearPace]float64{}
	for k, e := range efforts {
		if of := math.Sqrt(total[e.id]); of > 0 {
			all += sums[k].all / of
			for n := range below {
				below[n] += sums[k].below[n] / of
			}
		}
	}
	margin := all * float64(pairsOf(efforts)+1000) * sumsMargin
	for n := range nearPace - 1 {
		pace := math.Exp2(float64(first+n-paceBins/2) / octave)
		if below[n] < all/2-margin && below[n+1] > all/2+margin && max(pace, 1/pace) <= steep {
			return pace, true
		}
	}
	return 0, false
}

// guessPace returns the class of ratios in which the pace may be.
func (s *study) guessPace(efforts []*effort) int {
	var of perWorker[[paceBins]float64]
	span := max(pairsOf(efforts)/paceSample, 1) * pacePiece
	_ = s.inBatches(efforts, func(_ int, run []*effort) { // a cancelled context shows later
		votes := of.take()
		defer of.give(votes)
		for _, e := range run {
			e.voteBySample(votes, span)
		}
	})
	var votes [paceBins]float64
	all := 0.0
	for _, own := range of.made {
		for k, v := range own {
			votes[k] += v
			all += v
		}
	}
	class, below := 0, votes[0]
	for below < all/2 && class+1 < paceBins {
		class++
		below += votes[class]
	}
	return min(max(class, nearPace), paceBins-nearPace)
}

// voteBySample adds the votes of some pairs of a function, which stand for all of them: of a piece
// of each span.
func (e *effort) voteBySample(votes *[paceBins]float64, span int) {
	sum, n := 0.0, 0
	for c := range e.sample(span) {
		means, _ := c.lists()
		geometricMeans(means, c.a, c.b)
		sum, n = addAll(sum, means), n+len(means)
	}
	if sum > 0 {
		for c := range e.sample(span) {
			ratios, shares := c.lists()
			votesOf(ratios, shares, c.a, c.b, math.Sqrt(sum*float64(n)/float64(e.pairs)))
			c.addVotes(votes, ratios, shares)
		}
	}
}

// sample goes through a piece of each span of the pairs of an effort. A chunk is valid until the
// next one.
func (e *effort) sample(span int) func(yield func(c *chunk) bool) {
	return func(yield func(c *chunk) bool) {
		c := chunkPool.Get().(*chunk)
		defer chunkPool.Put(c)
		c.part, c.calls = nil, nil
		passed := 0 // pairs of earlier runs
		for of, p := range e.runs {
			for from := p.from; from < p.to; {
				off := (passed + int(from-p.from)) % span
				if off >= pacePiece {
					from += int32(min(span-off, int(p.to-from)))
					continue
				}
				to := min(from+int32(pacePiece-off), p.to)
				if c.loadTimes(of, 0, from, to); !yield(c) {
					return
				}
				from = to
			}
			passed += int(p.to - p.from)
		}
	}
}

// lowestIn returns the lowest ratio of a class.
func lowestIn(class int) float64 {
	k := class - paceBins/2 - 1 + decades*octave
	return math.Ldexp(math.Float64frombits(borders[k%octave]|math.Float64bits(1)), k/octave-decades)
}

func pairsOf(efforts []*effort) (pairs int) {
	for _, e := range efforts {
		pairs += e.pairs
	}
	return pairs
}

// perWorker is memory that each goroutine of several uses by itself for a while.
type perWorker[T any] struct {
	mu         sync.Mutex
	made, free []*T
}

func (w *perWorker[T]) take() *T {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n := len(w.free); n > 0 {
		of := w.free[n-1]
		w.free = w.free[:n-1]
		return of
	}
	of := new(T)
	w.made = append(w.made, of)
	return of
}

func (w *perWorker[T]) give(of *T) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.free = append(w.free, of)
}
