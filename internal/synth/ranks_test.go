package synth

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// perturbed is a small run of ranks.
func perturbed(seed uint64, ranks, iterations int) Options {
	return Options{Seed: seed, Threads: ranks, Calls: callsFor(iterations, ranks, callsOfIteration),
		Situations: []string{perturbation}}
}

// within sums up the calls of some functions that lie in a period.
func (p *Period) within(calls []call, names ...string) (ns int64) {
	for _, c := range calls {
		if p.FromNs <= c.start && c.end <= p.ToNs && slices.Contains(names, c.name) {
			ns += c.end - c.start
		}
	}
	return ns
}

// TestPerturbationIsAsTheTruthSays holds every number of the truth against the calls of both sides.
func TestPerturbationIsAsTheTruthSays(t *testing.T) {
	for _, tt := range []struct {
		ranks, iterations int
		ending            string
	}{{4, 20, ".json"}, {17, 40, ".data"}, {64, 20, ".json.gz"}} {
		t.Run(fmt.Sprint(tt), func(t *testing.T) {
			a, b, truth := generate(t, perturbed(3, tt.ranks, tt.iterations), tt.ending)
			p := truth.Perturbation
			if p.Thread != tid(p.Rank) || len(p.Waiting) != tt.ranks-1 ||
				slices.Contains(p.Waiting, p.Thread) || p.Rate != 3 {
				t.Errorf("rank %d, thread %d, waiting %v", p.Rank, p.Thread, p.Waiting)
			}
			for i, path := range []string{a, b} {
				side, period := readSide(t, path), []Period{p.A, p.B}[i]
				if n, want := total(side), tt.ranks*(3+10*tt.iterations); n != want ||
					len(side) != tt.ranks || []int64{truth.Calls.A, truth.Calls.B}[i] != int64(n) {
					t.Errorf("%d calls on %d threads, the truth says %v", n, len(side), truth.Calls)
				}
				if ns := period.within(side[p.Thread], "matvec"); ns != period.ComputeNs {
					t.Errorf("side %d: the slow rank computes %d ns, the truth says %d", i, ns,
						period.ComputeNs)
				}
				var waits int64
				for _, id := range p.Waiting {
					waits += period.within(side[id], "MPI_Wait", "MPI_Allreduce")
				}
				if waits != period.WaitNs {
					t.Errorf("side %d: %d ns of waits, the truth says %d", i, waits, period.WaitNs)
				}
				iterationsOfPeriod(t, side, p, period)
			}
			if p.B.ComputeNs != 3*p.A.ComputeNs {
				t.Errorf("the slow rank computes %d ns, then %d", p.A.ComputeNs, p.B.ComputeNs)
			}
		})
	}
}

// iterationsOfPeriod holds that a period begins with the first of its iterations on any rank, and
// ends with the last.
func iterationsOfPeriod(t *testing.T, side map[int][]call, p *Perturbation, period Period) {
	t.Helper()
	from, to := int64(1<<62), int64(0)
	for _, calls := range side {
		n := 0
		for _, c := range calls {
			if c.name != "conj_grad" {
				continue
			}
			if p.Iterations[0] <= n && n < p.Iterations[1] {
				from, to = min(from, c.start), max(to, c.end)
			}
			n++
		}
	}
	if from != period.FromNs || to != period.ToNs {
		t.Errorf("the period is [%d, %d], the truth says %+v", from, to, period)
	}
}

// TestRanksWaitForEachOther holds the rules of messages and reductions: no wait ends before the
// neighbour has sent, and no reduction before the last rank has entered it.
func TestRanksWaitForEachOther(t *testing.T) {
	const ranks, iterations = 9, 30
	_, b, _ := generate(t, perturbed(5, ranks, iterations), ".data")
	side := readSide(t, b)
	of := func(rank int, name string) (list []call) {
		for _, c := range side[tid(rank)] {
			if c.name == name {
				list = append(list, c)
			}
		}
		return list
	}
	for i := range iterations {
		entered := int64(0)
		for rank := range ranks {
			entered = max(entered, of(rank, "MPI_Allreduce")[i].start)
		}
		for rank := range ranks {
			if c := of(rank, "MPI_Allreduce")[i]; c.end <= entered {
				t.Errorf("iteration %d: rank %d leaves at %d, the last enters at %d", i, rank, c.end,
					entered)
			}
			before, after := (rank+ranks-1)%ranks, (rank+1)%ranks
			waits := of(rank, "MPI_Wait")[2*i:]
			// A rank sends to the rank before it first.
			if waits[0].end <= of(before, "MPI_Send")[2*i+1].start ||
				waits[1].end <= of(after, "MPI_Send")[2*i].start {
				t.Errorf("iteration %d: rank %d goes on before its messages are sent", i, rank)
			}
		}
	}
}

// TestSidesDifferInOneFunction holds that but for the time of one rank in the period, every call
// that does not wait takes as long on both sides.
func TestSidesDifferInOneFunction(t *testing.T) {
	a, b, truth := generate(t, perturbed(8, 12, 40), ".data")
	sideA, sideB := readSide(t, a), readSide(t, b)
	slowed := 0
	for id, calls := range sideA {
		if len(calls) != len(sideB[id]) {
			t.Fatalf("thread %d: %d and %d calls", id, len(calls), len(sideB[id]))
		}
		for i, c := range calls {
			switch d := sideB[id][i]; {
			case c.name != d.name || c.depth != d.depth:
				t.Fatalf("thread %d: %v and %v", id, c, d)
			case c.depth < 2 || c.name == "MPI_Wait" || c.name == "MPI_Allreduce":
			case d.end-d.start == 3*(c.end-c.start) && id == truth.Perturbation.Thread:
				slowed++
			case d.end-d.start != c.end-c.start:
				t.Errorf("thread %d: %v became %v", id, c, d)
			}
		}
	}
	if p := truth.Perturbation.Iterations; slowed != p[1]-p[0] || slowed == 0 {
		t.Errorf("%d calls are slow in the iterations %v", slowed, p)
	}
}

func TestRanksInBothFormats(t *testing.T) {
	o := perturbed(2, 20, 25)
	_, b1, truth1 := generate(t, o, ".json")
	_, b2, truth2 := generate(t, o, ".data")
	if diff := cmp.Diff(readSide(t, b1), readSide(t, b2), cmp.AllowUnexported(call{})); diff != "" {
		t.Errorf("Chrome and uftrace differ:\n%.2000s", diff)
	}
	if diff := cmp.Diff(truth1, truth2); diff != "" {
		t.Errorf("the truths differ:\n%.2000s", diff)
	}
}

// The digest pins the bytes, as that of the program does.
func TestRanksDependOnOptionsAlone(t *testing.T) {
	digest := func(seed uint64) string {
		a, b, _ := generate(t, perturbed(seed, 8, 30), ".json")
		return hash(t, a) + hash(t, b) + hash(t, TruthName(b))
	}
	const want = "8e34bff2ec94a36108c14158e35d80023b1e7c3cf9074f64"
	if got := digest(1); got != want || got != digest(1) {
		t.Errorf("digest is %s, was %s", got, want)
	}
	if digest(2) == want {
		t.Error("another seed gives the same pair")
	}
	slow := map[int]bool{}
	for seed := range uint64(20) {
		slow[newComputation(perturbed(seed, 8, 30)).slow] = true
	}
	if len(slow) < 4 {
		t.Errorf("20 seeds make only the ranks %v slow", slow)
	}
}

// TestSizesOfPerturbations holds the defaults, and that calls make whole iterations.
func TestSizesOfPerturbations(t *testing.T) {
	alone := []string{perturbation}
	for _, tt := range []struct {
		o              Options
		ranks, atCalls int
	}{
		{Options{Situations: alone}, 64, 64 * (3 + 10*300)},
		{Options{Situations: alone, Threads: 8}, 8, 8 * (3 + 10*300)},
		{Options{Situations: alone, Calls: 100_000}, 64, 64 * (3 + 10*155)},
		{Options{Situations: alone, Threads: 4, Calls: 4*(3+10*21) - 1}, 4, 4 * (3 + 10*20)},
		{Options{Situations: alone, Edits: map[Kind]float64{Slow: 0}}, 64, 64 * (3 + 10*300)},
	} {
		got, err := tt.o.withDefaults()
		if err != nil || got.Threads != tt.ranks || got.Calls != tt.atCalls {
			t.Errorf("%+v: %d ranks, %d calls, %v", tt.o, got.Threads, got.Calls, err)
		}
	}
}

func TestPerturbationsThatAreRefused(t *testing.T) {
	const alone = "situation perturbation is a run of its own: no other situation, edit, noise, " +
		"pace or number of waits goes with it"
	for _, tt := range []struct {
		change func(o *Options)
		want   string
	}{
		{func(o *Options) { o.Threads = 3 }, "3 ranks: the number lies between 4 and 10000"},
		{func(o *Options) { o.Noise.Drift = .1 }, alone},
		{func(o *Options) { o.Pace = 2 }, alone},
		{func(o *Options) { o.Threads = 10_001 }, "10001 ranks: the number lies between 4 and 10000"},
		{func(o *Options) { o.Calls = 5000 }, "5000 calls are too few for 64 ranks: at least 12992"},
		{func(o *Options) { o.Calls = -1 }, "-1 calls are too few for 64 ranks: at least 12992"},
		{func(o *Options) { o.Calls = 1 << 40 },
			"1099511627712 calls: the number lies between 1 and 2147483647"},
		{func(o *Options) { o.Waits = 10 }, alone},
		{func(o *Options) { o.Edits = map[Kind]float64{Slow: 0.1} }, alone},
		{func(o *Options) { o.Situations = append(o.Situations, perturbation) }, alone},
		{func(o *Options) { o.Situations = SituationNames() }, alone},
	} {
		o := Options{Situations: []string{perturbation}}
		tt.change(&o)
		if err := o.Check(); err == nil || err.Error() != tt.want {
			t.Errorf("%+v:\n got %v\nwant %s", o, err, tt.want)
		}
	}
}

// TestRanksAreOnNodes holds that each process has 16 ranks, in order, and the id of its first.
func TestRanksAreOnNodes(t *testing.T) {
	p := newRankProgram(perturbed(1, 40, 20))
	want := []process{{4200, "node 0"}, {4216, "node 1"}, {4232, "node 2"}}
	if got := p.processes(); !slices.Equal(got, want) {
		t.Errorf("processes are %v", got)
	}
	for rank, name := range p.threadNames() {
		node := p.processes()[p.processOf(rank)]
		if name != fmt.Sprintf("%s rank %d", node.name, rank) || rank-rank%16 != node.id-4200 {
			t.Errorf("rank %d is %s of %v", rank, name, node)
		}
	}
	plain := newProgram(Options{Threads: 3, Functions: 100})
	if got := plain.processes(); !slices.Equal(got, []process{{4200, "simulated"}}) ||
		plain.processOf(2) != 0 || strings.Join(plain.threadNames(), ",") != "main,worker 1,worker 2" {
		t.Errorf("the program has %v, %v", got, plain.threadNames())
	}
}
