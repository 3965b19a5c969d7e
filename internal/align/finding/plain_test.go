package finding

import (
	"context"
	"maps"
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/synth"
	"diptych/internal/trace"
)

// The plain ways: pairs gathered one by one, and what they come to written from the definitions.

// tester is a test, or a check of rapid in it.
type tester interface {
	Context() context.Context
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

// alignedPair pairs two traces and aligns their threads.
func alignedPair(t tester, a, b *trace.Trace) (*pair.Pair, []*align.Result) {
	p := pair.New(a, b, pair.Rules{})
	results, err := align.All(t.Context(), p, p.Threads, align.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p, results
}

// gathered returns a study of two traces whose pairs have been gathered.
func gathered(t tester, sides [2]*trace.Trace) *study {
	p, results := alignedPair(t, sides[0], sides[1])
	s := newStudy(t.Context(), p, results, "", Options{}, nil)
	for _, stage := range []func() error{s.findRenames, s.findOrder, s.findFamilies, s.gatherThreads,
		s.findPace} {
		if err := stage(); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// simulated returns a generated pair whose sides differ by chance and by edits.
func simulated(t *testing.T, seed uint64) [2]*trace.Trace {
	sides, _ := loaded(t, synth.Options{Calls: 12_000, Threads: 3, Functions: 120, Seed: seed,
		Noise: synth.Noise{Calls: 0.08, Drift: 0.05, Stalls: 0.002},
		Edits: map[synth.Kind]float64{synth.Slow: .01, synth.Insert: .01, synth.Delete: .01}})
	return sides
}

// plainPair is a pair with all that is known of it.
type plainPair struct {
	twin
	block int
}

// plainEfforts returns the pairs by dependence and identity.
func plainEfforts(s *study) map[[2]uint32][]plainPair {
	of := map[[2]uint32][]plainPair{}
	for k, r := range s.results {
		a, b := r.Threads[pair.A], r.Threads[pair.B]
		var self [2]durations
		for sd, th := range r.Threads {
			self[sd] = make(durations, th.Len())
			for i := range th.Len() {
				self[sd].set(int32(i), th.Self(i))
			}
		}
		plainStraighten(s, r, &self)
		on := s.rules[pair.A].inThread(r.Indices[pair.A], nil)
		for i, j := range r.Partner[pair.A] {
			if j == align.None || s.stray(r, pair.A, int32(i)) ||
				a.Flags(i)&trace.Unclosed != 0 || b.Flags(int(j))&trace.Unclosed != 0 {
				continue
			}
			key := [2]uint32{0, s.identity(r, pair.A, int32(i))}
			if on != nil {
				key[0] = uint32(on[i])
			}
			at := float64(a.Start(i)) / float64(max(s.p.A.Duration, 1))
			of[key] = append(of[key], plainPair{twin{int32(k), int32(i), j, float64(self[0].at(int32(i))),
				float64(self[1].at(j))}, min(max(int(at*blocks), 0), blocks-1)})
		}
	}
	return of
}

// TestPairsOfFunctions holds the columns of pairs against pairs gathered one by one.
func TestPairsOfFunctions(t *testing.T) {
	for seed := range uint64(3) {
		checkPairs(t, gathered(t, simulated(t, seed)))
	}
}

// TestPairsOfAnyCalls does so for small trees on a few threads, of which one may be the other with few
// edits, below a call that only one has, or with states of the thread.
func TestPairsOfAnyCalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var roots [2][]*call
		for range rapid.IntRange(1, 4).Draw(t, "threads") {
			a := someCalls(t, "A")
			b := fewEdits(t, a)
			switch rapid.IntRange(0, 3).Draw(t, "sides") {
			case 0:
				b = someCalls(t, "B")
			case 1:
				b = f("f0", 3, b, f("f1", 5))
			case 2:
				a, b = withStates(a), withStates(b)
			}
			roots[0], roots[1] = append(roots[0], a), append(roots[1], b)
		}
		later := rapid.SampledFrom([]int64{1, 7, 1000, tooLong}).Draw(t, "longer")
		few := rapid.Int64Range(1, 4).Draw(t, "of so many calls one")
		stretch := func(self int64) int64 {
			if self%few != 0 {
				return self
			}
			return self*later + self%3
		}
		before := stretch
		if rapid.Bool().Draw(t, "in B only") {
			before = nil
		}
		checkPairs(t, gathered(t, [2]*trace.Trace{recorded(t, before, roots[0]...),
			recorded(t, stretch, roots[1]...)}))
	})
}

// withStates returns a copy of calls in which those of one name are states of the thread.
func withStates(c *call) *call {
	own := *c
	if own.kids = nil; own.name == "f3" {
		own.name, own.kind = "state", trace.State
	}
	for _, k := range c.kids {
		own.kids = append(own.kids, withStates(k))
	}
	return &own
}

func checkPairs(t tester, s *study) {
	want := plainEfforts(s)
	for trust, efforts := range s.efforts {
		for _, e := range efforts {
			var got []plainPair
			for c := range e.chunks {
				for p, call := range c.calls {
					block, _ := s.begins[c.k].blockOf(call, 0)
					got = append(got, plainPair{s.twinOf(c.k, c.calls[p], c.a[p], c.b[p]), block})
				}
			}
			key := [2]uint32{uint32(trust), e.id}
			if !reflect.DeepEqual(got, want[key]) || len(got) != e.pairs {
				t.Fatalf("%d pairs of %s, want %d", len(got), s.names[e.id], len(want[key]))
			}
			delete(want, key)
			checkCallers(t, s, e, got)
		}
	}
	if len(want) > 0 {
		t.Errorf("%d functions are missing", len(want))
	}
}

// checkCallers holds how much longer the pairs that each caller makes take against their sum.
func checkCallers(t tester, s *study, e *effort, pairs []plainPair) {
	want := map[uint32]int64{}
	for _, w := range pairs {
		want[s.callerID(s.results[w.k], pair.A, w.i)] += int64(w.b - w.a)
	}
	for _, caller := range append([]uint32{atRoot}, slices.Collect(maps.Keys(want))...) {
		if got := s.longerBy(e, caller); got != want[caller] {
			t.Errorf("pairs of %s by %d take %d ns longer, want %d", s.names[e.id], caller, got, want[caller])
		}
	}
}

// plainNoise is what pairs vary by, from the definitions.
type plainNoise struct {
	pace, tick float64
	spread     [magnitudes]float64
	laws       map[uint32]law
}

func (n *plainNoise) off(w twin) float64 {
	return math.Log((w.b + n.tick) / (n.pace*w.a + n.tick))
}

// plainLaw sorts.
func plainLaw(off []float64) law {
	if len(off) < enough {
		return law{spread: -1}
	}
	off = slices.Sorted(slices.Values(off))
	l := law{median: off[len(off)/2]}
	for k := range off {
		off[k] = math.Abs(off[k] - l.median)
	}
	slices.Sort(off)
	l.spread = toDeviation * off[len(off)/2]
	return l
}

func newPlainNoise(s *study, of map[uint32][]plainPair) *plainNoise {
	n := &plainNoise{pace: s.report.Pace, tick: s.tickNs, laws: map[uint32]law{}}
	var counts [magnitudes + 1][spreadBins]int32
	for id, pairs := range of {
		var off []float64
		for _, w := range pairs {
			off = append(off, n.off(w.twin))
		}
		n.laws[id] = plainLaw(off)
		for k, w := range pairs {
			if w.a == 0 || w.b == 0 {
				continue
			}
			bin := min(int(math.Abs(off[k]-n.laws[id].median)/spreadStep), spreadBins-1)
			counts[min(int(math.Log2(w.a+1)), magnitudes-1)][bin]++
			counts[magnitudes][bin]++
		}
	}
	all, _ := spreadOf(&counts[magnitudes])
	for m := range n.spread {
		own, pairs := spreadOf(&counts[m])
		if n.spread[m] = own; pairs < 4*enough {
			n.spread[m] = all
		}
	}
	return n
}

func (n *plainNoise) spreadIn(l law, a float64) float64 {
	sigma := n.spread[min(int(math.Log2(a+1)), magnitudes-1)]
	if l.spread >= 0 {
		sigma = max(l.spread, sigma/2)
	}
	return math.Hypot(sigma, n.tick/(a+n.tick))
}

// weigh sums up the pairs of a function, and the squares of their u.
func (n *plainNoise) weigh(id uint32, pairs []plainPair) (v weighed, squares float64) {
	l := n.laws[id]
	var base [blocks]float64
	for _, w := range pairs {
		d := w.b - n.pace*w.a
		v.sum, v.self = v.sum+d, v.self+w.a
		if d != 0 {
			v.alike[toInt(d > 0)]++
			v.most[toInt(d > 0)] = max(v.most[toInt(d > 0)], math.Abs(d))
		}
		u := (n.off(w.twin) - l.median) / n.spreadIn(l, w.a)
		if math.Abs(u) > outlying {
			v.strange[toInt(u > 0)].addPair(w.a, w.b, math.Abs(d))
			continue
		}
		squares += u * u
		a := n.pace * w.a
		v.bulk, v.base, v.ordinary = v.bulk+d, v.base+a, v.ordinary+1
		own := n.spreadIn(l, a) * max(a, n.tick)
		if v.squares += own * own; n.spreadIn(l, a) > loose && math.Abs(d) > own {
			v.squares += d*d - own*own
		}
		base[w.block] += a
	}
	sum := 0.0
	for _, a := range base {
		sum += a * a
	}
	v.uneven = math.Sqrt(sum)
	return v, squares
}

// TestWeighing holds what pairs come to against the definitions, but for rounding.
func TestWeighing(t *testing.T) {
	for seed := range uint64(3) {
		s := gathered(t, simulated(t, seed))
		like := s.ordinaryEfforts()
		n := s.measureNoise(like)
		of := map[uint32][]plainPair{}
		for key, pairs := range plainEfforts(s) {
			if key[0] <= uint32(onSamples) {
				of[key[1]] = pairs
			}
		}
		plain := newPlainNoise(s, of)
		if n.spread != plain.spread {
			t.Errorf("spreads %v, want %v", n.spread, plain.spread)
		}
		squares, ordinary := 0.0, 0
		for _, e := range like {
			v, q := plain.weigh(e.id, of[e.id])
			squares, ordinary = squares+q, ordinary+v.ordinary
			if e.law != plain.laws[e.id] {
				t.Errorf("%s: law %v, want %v", s.names[e.id], e.law, plain.laws[e.id])
			}
			if got := e.v; !alikeWeighed(&got, &v) {
				t.Errorf("%s comes to\n%+v, want\n%+v", s.names[e.id], got, v)
			}
		}
		if want := max(squares/float64(ordinary), 1); math.Abs(n.excess-want) > 1e-9*want {
			t.Errorf("excess %v, want %v", n.excess, want)
		}
	}
}

// alikeWeighed reports whether two sums are equal but for rounding.
func alikeWeighed(x, y *weighed) bool {
	of := func(v *weighed) []float64 {
		list := []float64{v.sum, v.self, v.bulk, v.base, v.squares, v.uneven, float64(v.ordinary),
			float64(v.alike[0]), float64(v.alike[1]), v.most[0], v.most[1]}
		for _, o := range v.strange {
			list = append(list, float64(o.count), o.ns, o.squares, o.self[0], o.self[1], o.largest)
		}
		return list
	}
	return slices.EqualFunc(of(x), of(y), func(x, y float64) bool {
		return math.Abs(x-y) <= 1e-9*max(math.Abs(x), math.Abs(y), 1)
	})
}

// TestMiddle holds selection against sorting, with few values and many, equal ones and sorted ones.
func TestMiddle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		values := rapid.SampledFrom([]uint64{1, 3, 100, 1 << 40}).Draw(t, "values")
		list := make([]float64, rapid.IntRange(1, 9000).Draw(t, "length"))
		for k := range list {
			seed = fold(seed + uint64(k))
			list[k] = float64(seed % values)
		}
		if rapid.Bool().Draw(t, "sorted") {
			slices.Sort(list)
		}
		before := slices.Clone(list)
		got, _ := middle(list, nil)
		if want := slices.Sorted(slices.Values(list))[len(list)/2]; got != want || !slices.Equal(list, before) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

// TestSquares holds sums of squares that float64 does not hold.
func TestSquares(t *testing.T) {
	var e square
	for range 3 {
		e.addSquare(-1 << 61)
		e.addSquare(1)
	}
	if want := (square{3 << 58, 3}); e != want {
		t.Errorf("%+v, want %+v", e, want)
	}
}

// BenchmarkWeighing compares weighing with the plain way, in one run: the ratio is what counts.
func BenchmarkWeighing(b *testing.B) {
	s := &study{report: &Report{Pace: 1.01}, tickNs: 1, ctx: b.Context()}
	c := &columns{times: make([]uint64, 1<<18), calls: make([]int32, 1<<18)}
	e := &effort{pairs: 1 << 18, parts: []part{{of: c, to: 1 << 18}}}
	s.results = []*align.Result{{Partner: [2][]int32{make([]int32, 1), nil}}}
	s.begins = make([]blockBegins, 1)
	var pairs []plainPair
	seed := uint64(1)
	for p := range c.times {
		seed = fold(fold(seed+1) + 1)
		a, b := 10_000+seed%1000, 10_000+seed>>32%1000
		c.times[p] = b<<32 | a
		pairs = append(pairs, plainPair{twin: twin{a: float64(a), b: float64(b)}})
	}
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			newPlainNoise(s, map[uint32][]plainPair{0: pairs}).weigh(0, pairs)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(1<<18), "ns/pair")
	})
	b.Run("columns", func(b *testing.B) {
		for b.Loop() {
			e.v = weighed{}
			n := &noise{s: s, excess: 1, widen: 1}
			n.findSpreads([]*effort{e})
			n.weighAll([]*effort{e})
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(1<<18), "ns/pair")
	})
}
