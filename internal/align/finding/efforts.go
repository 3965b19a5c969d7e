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

// How the self time of each function changed over its paired calls.
//
// Self time is what is counted, because an effect is told once: a caller of a slower function is
// not slower itself. Three steps lead to the sums from which noise.go decides what to tell:
//
//  1. straighten: where pairing is arbitrary, calls of a function are compared by rank;
//  2. findPace: the factor by which everything takes longer in B;
//  3. findEfforts: for each function the sum of d = b − pace·a over pairs with self times a and b.
//
// Steps 2 and 3 go through all pairs, one after the other. Memory is 16 bytes a call for self
// times, given back afterwards, and half a kilobyte for each function that has pairs.

// blocks is the number of equal stretches of time into which the run is divided. What disturbs a
// recording lasts for a while, so one stretch is one piece of evidence, however many calls are in
// it.
const blocks = 32

// effort is how the self time of one function changed over its paired calls. a and b are the self
// times of a pair, and d = b − pace·a is how much more time B takes than the pace explains.
type effort struct {
	pairs     int64
	self      [2]int64        // ns, by side
	sum       float64         // Σ d, ns
	blocks    [blocks]float64 // Σ d by when in A
	unchanged float64         // Σ a over pairs with |d| ≤ a/100, ns
	squares   float64         // Σ d²
	weighted  float64         // Σ |d|·min(a, b): self times weighted by change
	bySign    [2]float64      // Σ |d| over pairs with d < 0, and with d > 0
	count     [2]int64        // numbers of these pairs
	largest   [2]float64      // the largest |d| of these
	at        [2][2]*Place
	likePace  [2]float64 // Σ a and Σ b over pairs that nearly follow the pace
}

// findEfforts sums up how self times of paired calls changed, by function and dependence.
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
	return s.eachPair(func(r *align.Result, i, j int32, self [2]int64, t dependence) {
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

// eachPair calls yield for all pairs of the same function, with their self times in ns and what
// A's duration depends on.
func (s *study) eachPair(yield func(r *align.Result, i, j int32, self [2]int64, t dependence)) error {
	for k, r := range s.results {
		self, on := s.times[k], s.depends[k][pair.A]
		for i, j := range r.Partner[pair.A] {
			if j != align.None && s.identity(r, pair.A, int32(i)) == s.identity(r, pair.B, j) {
				yield(r, int32(i), j, [2]int64{self[pair.A][i], self[pair.B][j]}, on[i])
			}
			if err := s.tick(1); err != nil {
				return err
			}
		}
	}
	return nil
}

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

// addPair adds a pair with these self times, and returns d.
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

// The pace is the factor by which everything takes longer in B, because of the processor's clock
// or the machine's load. It is the weighted median of b/a. The pairs of a function share a weight
// that is the root of its time: neither the function that takes most of the run nor the one that
// is called most often may decide alone.

const (
	fewest   = 8   // with fewer functions there is no pace
	steepest = 1.5 // a larger pace, either way, is due to the program and not to the machine
	ordinary = 1.8 // a pair whose ratio to the pace is below this nearly follows it

	octave   = 256 // classes of ratios between 1 and 2
	paceBins = 4*octave + 1
)

// findPace sets the pace of the report.
func (s *study) findPace() error {
	total := make([]float64, len(s.p.Names))
	err := s.eachPair(func(r *align.Result, i, _ int32, self [2]int64, t dependence) {
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
	err = s.eachPair(func(r *align.Result, i, _ int32, self [2]int64, t dependence) {
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

// straighten makes self times comparable where pairing is arbitrary. If a loop runs once more in
// A, one of its equal calls has no partner, and which one it is is arbitrary. Later calls may all
// be paired with their neighbours, and their durations seem to change at random. So on such levels
// the calls of a function are compared by rank: A's self times are exchanged so that the shortest
// is compared with the shortest of B. No sum changes. For example:
//
//	paired:   A 10 with B 50, A 50 with B 22    d = +40, −28, though no call changed so much
//	by rank:  A 10 with B 22, A 50 with B 50    d = +12, 0
//
// self is by side and call, in ns.
func (s *study) straighten(r *align.Result, self [2][]int64) {
	g := groups{s: s, r: r, self: self, byFunction: map[uint32]*group{}}
	g.rankLevel(align.None, align.None)
	for i, j := range r.Partner[pair.A] {
		if j != align.None && r.Threads[pair.A].Size[i] > 1 && r.Threads[pair.B].Size[j] > 1 {
			g.rankLevel(int32(i), j)
		}
	}
}

// groups sorts the callees of one pair by function.
type groups struct {
	s          *study
	r          *align.Result
	self       [2][]int64
	byFunction map[uint32]*group
	ns         []int64
}

// group is the callees of one function on a level.
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

// rankCalls gives A's calls their self times anew: the k-th shortest goes to the call whose
// partner is the k-th shortest in B.
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
