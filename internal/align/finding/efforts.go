package finding

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/trace"
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
		if t <= onSamples {
			total[s.identity(r, pair.A, i)] += float64(self[pair.A])
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
		if t <= onSamples && a > 0 && b > 0 {
			votes[paceBin(b/a)] += a / math.Sqrt(total[s.identity(r, pair.A, i)])
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

// blocks is into how many equal stretches the run is divided. What disturbs a recording does so for a
// while, so that one stretch is one witness, however many calls there are in it.
const blocks = 32

// effort is how the self time of one function changed over its paired calls. With d the time that
// B takes more in a pair than the pace explains:
type effort struct {
	pairs     int64
	self      [2]int64        // ns, by side
	sum       float64         // Σ d, ns
	blocks    [blocks]float64 // Σ d by when in A
	unchanged float64         // Σ a over pairs with |d| ≤ a/100, ns
	squares   float64         // Σ d²
	weighted  float64         // Σ |d|·min(a, b): where the change lies
	bySign    [2]float64      // Σ |d| over pairs with d < 0 and with d > 0
	count     [2]int64        // how many those are
	largest   [2]float64      // the largest |d| of either sign
	at        [2][2]*Place
	likePace  [2]float64 // Σ a and Σ b over pairs that are much as the pace has it
}

// findEfforts sums up the self times of paired calls: first for the pace, then against it.
func (s *study) findEfforts() error {
	for t := range s.efforts {
		s.efforts[t] = make([]*effort, len(s.p.Names))
	}
	if err := s.gatherTimes(); err != nil {
		return err
	}
	defer func() { s.times = nil }()
	if err := s.findPace(); err != nil {
		return err
	}
	length := max(s.p.A.Duration, 1)
	return s.eachPair(func(r *align.Result, i, j int32, self [2]int64, t trust) {
		id := s.identity(r, pair.A, i)
		e := s.efforts[t][id]
		if e == nil {
			e = &effort{}
			s.efforts[t][id] = e
		}
		block := int(float64(r.Threads[pair.A].Start[i]) / float64(length) * blocks)
		e.blocks[min(max(block, 0), blocks-1)] += e.addPair(r, i, j, self, s.report.Pace)
	})
}

// time gathers the self times of all results, and what they say.
func (s *study) gatherTimes() error {
	s.times = make([][2][]int64, len(s.results))
	s.trusts = make([][2][]trust, len(s.results))
	over := [2][]map[int32]bool{overAtOnce(s.p.A), overAtOnce(s.p.B)}
	return s.eachResult(func(_ context.Context, k int) error {
		r := s.results[k]
		for sd, th := range r.Threads {
			s.trusts[k][sd] = trustIn(s.p.Trace(pair.Side(sd)), th, over[sd][r.Indices[sd]])
			s.times[k][sd] = selfTimes(th)
		}
		if !s.whole[r] {
			s.straighten(r, s.times[k])
		}
		return nil
	})
}

// together has work done for each result by number, several at a time.
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

// eachPair calls yield for the pairs of one function, with their self times in ns and what these
// say.
func (s *study) eachPair(yield func(r *align.Result, i, j int32, self [2]int64, t trust)) error {
	for k, r := range s.results {
		self, says := s.times[k], s.trusts[k][pair.A]
		for i, j := range r.Partner[pair.A] {
			if j != align.None && s.identity(r, pair.A, int32(i)) == s.identity(r, pair.B, j) {
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
func (e *effort) addPair(r *align.Result, i, j int32, self [2]int64, pace float64) (d float64) {
	a, b := float64(self[pair.A]), float64(self[pair.B])
	d = b - pace*a
	e.pairs++
	e.self[pair.A] += self[pair.A]
	e.self[pair.B] += self[pair.B]
	e.sum += d
	e.squares += d * d
	if b < ordinary*pace*a && pace*a < ordinary*b {
		e.likePace[pair.A] += a
		e.likePace[pair.B] += b
	}
	if 100*math.Abs(d) <= a {
		e.unchanged += a
	}
	if d == 0 {
		return 0
	}
	sign := toInt(d > 0)
	size := max(d, -d)
	e.weighted += size * min(a, b)
	e.bySign[sign] += size
	e.count[sign]++
	if size > e.largest[sign] {
		e.largest[sign] = size
		e.at[sign] = [2]*Place{placeOf(r, pair.A, i), placeOf(r, pair.B, j)}
	}
	return d
}

// Where one of several equal callees is without a partner, which one it is and so who is paired with
// whom is arbitrary: one iteration dropped early in a loop pairs every later one with its
// neighbour, and their durations seem to change at random. There the calls of a function are
// compared by rank, the shortest of A with the shortest of B. It changes no sum.

// straighten puts A's self times, in ns by call, in the order of their partners' on such levels.
func (s *study) straighten(r *align.Result, self [2][]int64) {
	g := groups{s: s, r: r, self: self, byFunction: map[uint32]*group{}}
	g.rankLevel(align.None, align.None)
	for i, j := range r.Partner[pair.A] {
		if j != align.None && r.Threads[pair.A].Size[i] > 1 && r.Threads[pair.B].Size[j] > 1 {
			g.rankLevel(int32(i), j)
		}
	}
}

// groups are the callees of one pair by function.
type groups struct {
	s          *study
	r          *align.Result
	self       [2][]int64
	byFunction map[uint32]*group
	ns         []int64
}

// group is the callees of one function.
type group struct {
	pairs  []int32 // A's calls
	strays bool
}

func (g *groups) rankLevel(a, b int32) {
	if !g.hasStray(pair.A, a) && !g.hasStray(pair.B, b) {
		return
	}
	for sd, call := range [2]int32{a, b} {
		eachCallee(g.r, pair.Side(sd), call, func(i int32) {
			id := g.s.identity(g.r, pair.Side(sd), i)
			if g.byFunction[id] == nil {
				g.byFunction[id] = &group{}
			}
			switch {
			case g.s.stray(g.r, pair.Side(sd), i):
				g.byFunction[id].strays = true
			case sd == int(pair.A):
				g.byFunction[id].pairs = append(g.byFunction[id].pairs, i)
			}
		})
	}
	for _, v := range g.byFunction {
		if v.strays && len(v.pairs) > 1 {
			g.rankCalls(v.pairs)
		}
	}
	clear(g.byFunction)
}

func (g *groups) hasStray(sd pair.Side, call int32) (any bool) {
	eachCallee(g.r, sd, call, func(i int32) { any = any || g.s.stray(g.r, sd, i) })
	return any
}

// rank gives A's calls their self times anew: the k-th shortest to the partner of B's k-th.
func (g *groups) rankCalls(pairs []int32) {
	g.ns = g.ns[:0]
	for _, i := range pairs {
		g.ns = append(g.ns, g.self[pair.A][i])
	}
	slices.Sort(g.ns)
	partner := g.r.Partner[pair.A]
	slices.SortFunc(pairs, func(x, y int32) int {
		return cmp.Or(cmp.Compare(g.self[pair.B][partner[x]], g.self[pair.B][partner[y]]),
			cmp.Compare(x, y))
	})
	for k, i := range pairs {
		g.self[pair.A][i] = g.ns[k]
	}
}
