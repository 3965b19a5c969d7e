package finding

import (
	"context"
	"iter"
	"math"
	"runtime"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// Pairs of calls of one function, and their self times.
//
// Self time is what is compared, because an effect is told once: a caller of a slower function is
// not slower itself. Three steps lead to the pairs that chance.go weighs:
//
//  1. straighten: where pairing is arbitrary, calls of a function are compared by rank;
//  2. findPace: the factor by which everything takes longer in B;
//  3. findEfforts: the pairs of each function.
//
// Memory is 16 bytes a call for self times and 12 for pairs, given back once they are judged.

// blocks is the number of equal stretches of time into which the run is divided. What disturbs a
// recording lasts for a while, so one stretch is one piece of evidence, however many calls are in
// it.
const blocks = 32

// twin is a pair of calls of one function: of result k, call i of A and call j of B.
type twin struct{ k, i, j int32 }

// effort is the pairs of one function.
type effort struct {
	id    uint32
	twins []twin
	law   law // how its pairs vary by chance
}

// findEfforts gathers pairs by function and dependence.
func (s *study) findEfforts() error {
	for t := range s.efforts {
		s.efforts[t] = make([]*effort, len(s.p.Names))
	}
	if err := s.gatherTimes(); err != nil {
		return err
	}
	s.findTick()
	if err := s.findPace(); err != nil {
		return err
	}
	return s.eachPair(func(w twin, id uint32, _ [2]int64, t dependence) {
		if s.efforts[t][id] == nil {
			s.efforts[t][id] = &effort{id: id}
		}
		s.efforts[t][id].twins = append(s.efforts[t][id].twins, w)
	})
}

// gatherTimes gathers self times, and what durations depend on, of all calls.
func (s *study) gatherTimes() error {
	s.times = make([][2][]int64, len(s.results))
	s.depends = make([][2][]dependence, len(s.results))
	over := [2][]map[int32]bool{overAtOnce(s.p.A), overAtOnce(s.p.B)}
	return s.eachResult(func(_ context.Context, k int) error {
		r := s.results[k]
		for sd, th := range r.Threads {
			s.depends[k][sd] = dependencesIn(s.p.Trace(pair.Side(sd)), th, over[sd][r.Indices[sd]])
			s.times[k][sd] = selfTimes(th)
		}
		if !s.equal[r] {
			s.straighten(r, s.times[k])
		}
		return nil
	})
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

// eachResult calls work with the number of each result, several at a time.
func (s *study) eachResult(work func(ctx context.Context, k int) error) error {
	group, ctx := errgroup.WithContext(s.ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for k := range s.results {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return work(ctx, k)
		})
	}
	return group.Wait()
}

// eachPair calls yield for all pairs of the same function, with its identity, their self times in
// ns and what A's duration depends on. Calls whose end is not in the recording are left out: how
// long they took is not known.
func (s *study) eachPair(yield func(w twin, id uint32, self [2]int64, t dependence)) error {
	for k, r := range s.results {
		self, on := s.times[k], s.depends[k][pair.A]
		for i, j := range r.Partner[pair.A] {
			if err := s.tick(1); err != nil {
				return err
			}
			if j == align.None || unclosed(r.Threads[pair.A], int(i)) || unclosed(r.Threads[pair.B], int(j)) {
				continue
			}
			if id := s.identity(r, pair.A, int32(i)); id == s.identity(r, pair.B, j) {
				yield(twin{int32(k), int32(i), j}, id, [2]int64{self[pair.A][i], self[pair.B][j]}, on[i])
			}
		}
	}
	return nil
}

func unclosed(th *trace.Thread, call int) bool { return th.Flags(call)&trace.Unclosed != 0 }

// selfTimes returns the self time of each call, ns.
func selfTimes(th *trace.Thread) []int64 {
	self := make([]int64, th.Len())
	for i := range self {
		d := th.Dur(i)
		self[i] += d
		if p := th.Parent[i]; p >= 0 {
			self[p] -= d
		}
	}
	return self
}

// timesOf returns the self times of a pair, ns.
func (s *study) timesOf(w twin) (a, b float64) {
	return float64(s.times[w.k][pair.A][w.i]), float64(s.times[w.k][pair.B][w.j])
}

// blockOf returns the stretch of A in which a pair begins.
func (s *study) blockOf(w twin) int {
	at := float64(s.results[w.k].Threads[pair.A].Start[w.i]) / float64(max(s.p.A.Duration, 1))
	return min(max(int(at*blocks), 0), blocks-1)
}

// placesOf returns where the calls of a pair are.
func (s *study) placesOf(w twin) [2]*Place {
	r := s.results[w.k]
	return [2]*Place{placeOf(r, pair.A, w.i), placeOf(r, pair.B, w.j)}
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
	total := make([]float64, len(s.p.Names))
	err := s.eachPair(func(_ twin, id uint32, self [2]int64, t dependence) {
		if t <= onSamples {
			total[id] += bothTimes(self)
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
	votes := make([]float64, paceBins)
	err = s.eachPair(func(_ twin, id uint32, self [2]int64, t dependence) {
		a, b := float64(self[pair.A]), float64(self[pair.B])
		if t <= onSamples && a > 0 && b > 0 {
			votes[paceBin(b/a)] += bothTimes(self) / math.Sqrt(total[id])
		}
	})
	if pace := paceOf(votes); max(pace, 1/pace) <= steep || agree(votes, pace) {
		s.report.Pace = pace
	}
	return err
}

// bothTimes returns the geometric mean of a pair's self times, ns. Pairs have a vote by it, so that
// the pace from B to A is the reciprocal one. By A's time alone, calls that were long in A by
// chance would have the most say, and those are shorter in B: either way round, everything would
// seem to take less.
func bothTimes(self [2]int64) float64 {
	return math.Sqrt(float64(self[pair.A]) * float64(self[pair.B]))
}

// paceBin returns the class of a ratio; the middle one holds exactly 1.
func paceBin(ratio float64) int {
	k := int(math.Round(octave*math.Log2(ratio))) + paceBins/2
	return min(max(k, 0), paceBins-1)
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
