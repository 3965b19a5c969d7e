package finding

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"diptych/internal/synth"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// Changes of speed under noise, held against pairs of which every change is known.

// speedEdit is a change of the self times of a function in B.
type speedEdit struct {
	name   string
	times  float64                              // all chosen calls take so many times as long
	choose func(th, nth, calls, depth int) bool // nth call of the function in thread th
}

var speedEdits = []speedEdit{
	{"×1.3", 1.3, func(int, int, int, int) bool { return true }},
	{"×2", 2, func(int, int, int, int) bool { return true }},
	{"×5", 5, func(int, int, int, int) bool { return true }},
	{"÷2", 0.5, func(int, int, int, int) bool { return true }},
	{"burst", 10, func(_, n, _, _ int) bool { return n%10 == 3 }},
	{"one call", 0, func(_, n, _, _ int) bool { return n == 0 }},
	{"one thread", 4, func(th, _, _, _ int) bool { return th == 1 }},
	{"deep", 4, func(_, _, _, depth int) bool { return depth >= 6 }},
}

// retimed rebuilds a trace with the self time of each call changed.
func retimed(t testtrace.TB, tr *trace.Trace, change func(th, call int, self int64) int64) *trace.Trace {
	b := trace.NewBuilder("test")
	b.Symbols, b.Unit = tr.Symbols, tr.Unit
	for k, th := range tr.Threads {
		to := b.Thread(th.ID, -1)
		to.SetName(th.Name)
		retimeThread(b, to, tr, th, func(call int, self int64) int64 { return change(k, call, self) })
	}
	return testtrace.Build(t, b)
}

func retimeThread(b *trace.Builder, to *trace.ThreadBuilder, tr *trace.Trace, th *trace.Thread,
	change func(call int, self int64) int64) {
	now, was := int64(0), int64(0)
	factor := make([]float64, th.Len())
	var open []int
	advance := func(at int64) { // the stretch from was to at belongs to the innermost open call
		d := float64(at - was)
		if n := len(open); n > 0 {
			d *= factor[open[n-1]]
		}
		now, was = now+int64(math.Round(d)), at
	}
	blocks := th.Blocks
	closeTo := func(i int) {
		for len(open) > 0 && (i == th.Len() || i >= th.Next(open[len(open)-1])) {
			advance(th.End[open[len(open)-1]])
			to.End(now)
			open = open[:len(open)-1]
		}
	}
	for i := range th.Len() {
		closeTo(i)
		advance(th.Start[i])
		ref := to.Begin(now, b.Function(tr.Functions[th.Fn[i]]))
		for ; len(blocks) > 0 && int(blocks[0].Call) == i; blocks = blocks[1:] {
			to.Block(ref, blocks[0].Kind)
		}
		factor[i] = 1
		if self := th.Self(i); self > 0 {
			factor[i] = float64(change(i, self)) / float64(self)
		}
		open = append(open, i)
	}
	closeTo(th.Len())
}

// jitter returns changes by a share of each self time.
func jitter(share float64, seed uint64) func(th, call int, self int64) int64 {
	r := rand.New(rand.NewPCG(seed, 7))
	return func(_, _ int, self int64) int64 {
		if share == 0 {
			return self
		}
		return max(int64(math.Round(float64(self)*math.Exp(share*r.NormFloat64()))), 1)
	}
}

// subject is a function to be edited, by what it takes in A.
func subject(tr *trace.Trace, r *rand.Rand, times float64) (name string, calls int) {
	self, count := map[string]int64{}, map[string]int{}
	for _, th := range tr.Threads {
		for i, ns := range selfTimes(th) {
			n := tr.FunctionOf(th, i).Name
			self[n] += ns
			count[n]++
		}
	}
	var fit []string
	for _, n := range sortedKeys(self, func(x, y string) int { return toInt(x > y) - toInt(x < y) }) {
		effect := float64(self[n]) * math.Abs(times-1)
		if run := float64(tr.Duration); effect >= 0.02*run && effect <= 0.5*run {
			fit = append(fit, n)
		}
	}
	if len(fit) == 0 {
		return "", 0
	}
	name = fit[r.IntN(len(fit))]
	return name, count[name]
}

// edit makes B of A. It returns the function and the true change.
func (e speedEdit) edit(t testtrace.TB, a *trace.Trace, r *rand.Rand, noise float64) (*trace.Trace, string, int64) {
	spread := e.times
	switch e.name {
	case "burst", "one thread", "deep":
		spread = 1 + (e.times-1)/8
	case "one call":
		spread = 1.5
	}
	name, calls := subject(a, r, spread)
	seen, delta := map[int]int{}, int64(0)
	noisy := jitter(noise, r.Uint64())
	b := retimed(t, a, func(th, call int, self int64) int64 {
		x := a.Threads[th]
		if a.FunctionOf(x, call).Name == name {
			n := seen[th]
			seen[th]++
			if e.choose(th, n, calls, int(x.Depth[call])) && (e.name != "one call" || th == 0) {
				add := int64(float64(self) * (e.times - 1))
				if e.name == "one call" {
					add = a.Duration / 20
				}
				delta += add
				return noisy(th, call, self+add)
			}
		}
		return noisy(th, call, self)
	})
	return b, name, delta
}

// speedScore counts how changes of speed were told.
type speedScore struct {
	telling, named, first, amount int
	reciprocal                    float64
	lies, pairs                   int
}

func (s speedScore) String() string {
	return fmt.Sprintf("named %3d of %3d (%3.0f %%)  first %3.0f %%  MRR %.2f  amount %3.0f %%  false in %d of %d",
		s.named, s.telling, share(s.named, s.telling), share(s.first, s.telling),
		s.reciprocal/float64(max(s.telling, 1)), share(s.amount, s.named), s.lies, s.pairs)
}

// hold counts what findings say of one pair.
func (s *speedScore) hold(t *testing.T, r *Report, name string, delta int64, run int64, label string) {
	s.pairs++
	tells := math.Abs(float64(delta)) >= telling*float64(run)
	if tells {
		s.telling++
	}
	rank, lie := 0, false
	list := timeFindings(r)
	for k, f := range list {
		if f.Function == name {
			if rank == 0 && (f.DeltaNs > 0) == (delta > 0) {
				rank = k + 1
				if tells && math.Abs(float64(f.DeltaNs-delta)) <= 0.2*math.Abs(float64(delta)) {
					s.amount++
				}
			}
		} else if f.Share >= telling && f.Certainty != Chance {
			lie = true
			if *truthLoud {
				t.Logf("%s: false: %s", label, f.Text)
			}
		}
	}
	s.lies += toInt(lie)
	switch {
	case !tells:
	case rank == 0:
		if *truthLoud {
			t.Logf("%s: not named: %s, %.1f %%", label, name, 100*float64(delta)/float64(run))
		}
	default:
		s.named++
		s.first += toInt(rank == 1)
		s.reciprocal += 1 / float64(rank)
	}
}

// bases are generated runs by their seeds, each made once for all levels of noise.
type bases map[uint64]*trace.Trace

func (b bases) of(t *testing.T, o synth.Options) *trace.Trace {
	if b[o.Seed] == nil {
		sides, _ := loaded(t, o)
		b[o.Seed] = sides[0]
	}
	return b[o.Seed]
}

// TestSpeedIsFoundInNoise changes the speed of one function of a generated program.
func TestSpeedIsFoundInNoise(t *testing.T) {
	known := bases{}
	for _, noise := range []float64{0, 0.02, 0.05, 0.2} {
		var all speedScore
		for k, e := range speedEdits {
			var one speedScore
			for n := range 2 * *truthPairs / 10 {
				seed := *truthSeed + uint64(100*k+n)
				base := known.of(t, synth.Options{Seed: seed, Calls: 20_000,
					Threads: []int{2, 4, 8}[n%3], Functions: 300})
				r := rand.New(rand.NewPCG(seed, uint64(1000*noise)))
				b, name, delta := e.edit(t, base, r, noise)
				a := retimed(t, base, jitter(noise, r.Uint64()))
				_, _, found := compared(t, a, b)
				label := fmt.Sprintf("noise %v, %s, seed %d", noise, e.name, seed)
				for _, s := range []*speedScore{&one, &all} {
					s.hold(t, found, name, delta, max(a.Duration, b.Duration), label)
				}
			}
			t.Logf("noise %2.0f %% %-10s %v", 100*noise, e.name, one)
		}
		t.Logf("noise %2.0f %% all        %v", 100*noise, all)
		if share(all.named, all.telling) < 95 || share(all.first, all.telling) < 85 ||
			share(all.amount, all.named) < 90 || 50*all.lies > all.pairs {
			t.Errorf("noise %v: want 95 %% named, 85 %% first, 90 %% of the amounts, 2 %% false", noise)
		}
	}
}

// TestSameRunsDifferInNothing has no change at all.
func TestSameRunsDifferInNothing(t *testing.T) {
	known := bases{}
	for _, noise := range []float64{0, 0.02, 0.05, 0.2} {
		var s speedScore
		for n := range *truthPairs {
			base := known.of(t, synth.Options{Seed: *truthSeed + uint64(n), Calls: 20_000,
				Threads: []int{1, 4, 8}[n%3], Functions: 300})
			a := retimed(t, base, jitter(noise, uint64(2*n+1)))
			b := retimed(t, base, jitter(noise, uint64(2*n+2)))
			_, _, found := compared(t, a, b)
			s.hold(t, found, "", 0, max(a.Duration, b.Duration), fmt.Sprintf("A/A %v", noise))
		}
		t.Logf("noise %2.0f %%: false in %d of %d", 100*noise, s.lies, s.pairs)
		if 50*s.lies > s.pairs {
			t.Errorf("noise %v: false in %d of %d pairs of equal runs", noise, s.lies, s.pairs)
		}
	}
}

// timeFindings returns the findings but the divergence, which is about no time.
func timeFindings(r *Report) []Finding {
	return slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool { return f.Kind == Divergence })
}
