package finding

import (
	"context"
	"math"
	"runtime"

	"golang.org/x/sync/errgroup"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// blocks is into how many equal stretches the run is divided. What disturbs a recording does so for a
// while, so that one stretch is one witness, however many calls there are in it.
const blocks = 32

// effort is how the self time of one function changed over its paired calls. With d the time that
// B takes more in a pair than the pace explains:
type effort struct {
	pairs    int64
	self     [2]int64        // ns, by side
	sum      float64         // Σ d, ns
	blocks   [blocks]float64 // Σ d by when in A
	still    float64         // Σ a over pairs with |d| ≤ a/100, ns
	squares  float64         // Σ d²
	weighted float64         // Σ |d|·min(a, b): where the change lies
	grown    [2]float64      // Σ |d| over pairs with d < 0 and with d > 0
	count    [2]int64        // how many those are
	far      [2]float64      // the largest |d| of either sign
	at       [2][2]*Place
	near     [2]float64 // Σ a and Σ b over pairs that are much as the pace has it
}

// findEfforts sums up the self times of paired calls: first for the pace, then against it.
func (s *study) findEfforts() error {
	for t := range s.efforts {
		s.efforts[t] = make([]*effort, len(s.p.Names))
	}
	if err := s.time(); err != nil {
		return err
	}
	defer func() { s.times = nil }()
	if err := s.findPace(); err != nil {
		return err
	}
	length := max(s.p.A.Duration, 1)
	return s.eachPair(func(r *align.Result, i, j int32, self [2]int64, t trust) {
		id := s.id(r, pair.A, i)
		e := s.efforts[t][id]
		if e == nil {
			e = &effort{}
			s.efforts[t][id] = e
		}
		block := int(float64(r.Threads[pair.A].Start[i]) / float64(length) * blocks)
		e.blocks[min(max(block, 0), blocks-1)] += e.add(r, i, j, self, s.report.Pace)
	})
}

// time gathers the self times of all results, and what they say.
func (s *study) time() error {
	s.times = make([][2][]int64, len(s.results))
	s.says = make([][2][]trust, len(s.results))
	over := [2][]map[int32]bool{overAtOnce(s.p.A), overAtOnce(s.p.B)}
	return s.together(func(_ context.Context, k int) error {
		r := s.results[k]
		for sd, th := range r.Threads {
			s.says[k][sd] = trustIn(s.p.Trace(pair.Side(sd)), th, over[sd][r.Indices[sd]])
			s.times[k][sd] = selfTimes(th)
		}
		if !s.whole[r] {
			s.straighten(r, s.times[k])
		}
		return nil
	})
}

// together has work done for each result by number, several at a time.
func (s *study) together(work func(ctx context.Context, k int) error) error {
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

// eachPair calls yield for the pairs of one function, with their self times in ns and what these
// say.
func (s *study) eachPair(yield func(r *align.Result, i, j int32, self [2]int64, t trust)) error {
	for k, r := range s.results {
		self, says := s.times[k], s.says[k][pair.A]
		for i, j := range r.Partner[pair.A] {
			if j != align.None && s.id(r, pair.A, int32(i)) == s.id(r, pair.B, j) {
				yield(r, int32(i), j, [2]int64{self[pair.A][i], self[pair.B][j]}, says[i])
			}
			if err := s.tick(1); err != nil {
				return err
			}
		}
	}
	return nil
}

// selfTimes returns the time of each call outside its callees, ns.
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

// add counts a pair with these self times, and returns d.
func (e *effort) add(r *align.Result, i, j int32, self [2]int64, pace float64) (d float64) {
	a, b := float64(self[pair.A]), float64(self[pair.B])
	d = b - pace*a
	e.pairs++
	e.self[pair.A] += self[pair.A]
	e.self[pair.B] += self[pair.B]
	e.sum += d
	e.squares += d * d
	if b < ordinary*pace*a && pace*a < ordinary*b {
		e.near[pair.A] += a
		e.near[pair.B] += b
	}
	if 100*math.Abs(d) <= a {
		e.still += a
	}
	if d == 0 {
		return 0
	}
	sign := bit(d > 0)
	size := max(d, -d)
	e.weighted += size * min(a, b)
	e.grown[sign] += size
	e.count[sign]++
	if size > e.far[sign] {
		e.far[sign] = size
		e.at[sign] = [2]*Place{place(r, pair.A, i), place(r, pair.B, j)}
	}
	return d
}
