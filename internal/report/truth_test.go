package report

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"diptych/internal/align/finding"
	"diptych/internal/synth"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

// What `diptych diff` says of pairs of which every change is known (docs/truth.md). A program is
// generated, or a recording taken; a copy of it is edited in one way; and both sides are timed on
// machines with noise.

var (
	truthPairs = flag.Int("pairs", 0, "pairs for each kind of edit and level of noise; 0 for a few")
	truthSeed  = flag.Uint64("seed", 3000, "seed before the first")
	truthKind  = flag.String("kind", "", "only edits of this kind")
	truthLoud  = flag.Bool("misses", false, "list what is not told and what is not true")
)

const (
	telling      = 0.01 // share of the run from which an edit must be named
	clear        = 5    // deviations of chance from which an edit of speed must be named
	accurate     = 0.2  // the most by which the amount told differs from the true one,
	leastOverlap = 0.05 // change of how many threads work at a time
	steady       = 10   // if chance alone does not make such a difference: from so many deviations on
)

// weather is a machine by the noise of single calls. With any of it the pace drifts, and calls
// stall.
func weather(calls float64) synth.Noise {
	if calls == 0 {
		return synth.Noise{}
	}
	return synth.Noise{Calls: calls, Drift: 0.03, Stalls: 0.001}
}

var noises = []float64{0, 0.02, 0.05, 0.2}

// generated returns both sides of a generated pair.
func generated(t *testing.T, o synth.Options) (sides [2]*trace.Trace) {
	t.Helper()
	dir := t.TempDir()
	paths := [2]string{filepath.Join(dir, "a.uftrace"), filepath.Join(dir, "b.uftrace")}
	if _, err := synth.Generate(t.Context(), o, paths[0], paths[1], nil); err != nil {
		t.Fatal(err)
	}
	for sd, path := range paths {
		sides[sd] = opened(t, path)
	}
	return sides
}

func opened(t *testing.T, path string) *trace.Trace {
	t.Helper()
	tr, err := traceio.Load(t.Context(), path, input.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// programs are what is edited: generated programs of several shapes, and recordings.
type programs map[int]*run

const shapes = 6

func (p programs) number(t *testing.T, n, calls int) *run {
	if p[n] != nil {
		return p[n]
	}
	o := synth.Options{Seed: *truthSeed + uint64(n), Calls: calls, Threads: []int{2, 4, 8}[n%3],
		Functions: []int{120, 300, 1000}[n/3%3]}
	p[n] = takeApart(generated(t, o)[0])
	return p[n]
}

// known is a pair of which the change is known.
type known struct {
	truth *truth
	clean [2]*run // without noise
	diff  *Diff
	speed bool
	label string
}

// edited edits a program and compares it with what it was. It returns nil if the program has
// nothing to be edited so.
func edited(t *testing.T, a *run, e editKind, noise synth.Noise, seed uint64) *known {
	t.Helper()
	s := &scene{b: a.copied(), r: rand.New(rand.NewPCG(seed, 1)), low: .02, high: .4}
	k := &known{truth: e.make(s), clean: [2]*run{a, s.b}, speed: e.speed}
	if k.truth == nil {
		return nil
	}
	k.label = fmt.Sprintf("%s, noise %v, seed %d", e.name, noise.Calls, seed)
	k.diff = diffOf(t, a.record(t, a.machine(noise, 2*seed)), s.b.record(t, a.machine(noise, 2*seed+1)))
	return k
}

// fair reports whether an edit is large enough to be named: a hundredth of the run or more, and an
// edit of speed at least five deviations of what the time of these calls varies by chance.
func (k *known) fair(e editKind, noise synth.Noise) bool {
	if k.truth == nil {
		return false
	}
	if k.worth() < telling*float64(max(k.clean[0].ns(), k.clean[1].ns())) {
		return false
	}
	return !e.speed || k.beyondChance(noise, clear)
}

// worth returns the time that an edit is about, ns.
func (k *known) worth() float64 {
	return math.Max(math.Abs(float64(k.truth.ns)), float64(k.truth.size))
}

// beyondChance reports whether an edit changes the time of its functions by so many deviations.
func (k *known) beyondChance(noise synth.Noise, deviations float64) bool {
	pick := func(v visit) bool {
		return slices.Contains(k.truth.names, v.s.fn.Name) || slices.ContainsFunc(k.truth.names,
			func(n string) bool { return !k.speed && v.open[n] > 0 })
	}
	return k.worth() >= deviations*max(k.clean[0].spread(noise, pick), k.clean[1].spread(noise, pick))
}

// deviationOfTwo returns the standard deviation of the difference of two such numbers.
func deviationOfTwo(list []float64) float64 { return math.Sqrt2 * stat.StdDev(list, nil) }

// marks counts how edits were told.
type marks struct {
	pairs, fair, silent    int
	named, any, first      int // of the fair ones: surely, at any certainty, before all others
	amount, amounts, false int
	reciprocal             float64
}

func (x *marks) plus(y marks) {
	x.pairs, x.fair, x.silent = x.pairs+y.pairs, x.fair+y.fair, x.silent+y.silent
	x.named, x.any, x.first = x.named+y.named, x.any+y.any, x.first+y.first
	x.amount, x.amounts, x.false = x.amount+y.amount, x.amounts+y.amounts, x.false+y.false
	x.reciprocal += y.reciprocal
}

func percentOf(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }

func (x marks) String() string {
	return fmt.Sprintf("fair %3d of %3d  named %5.1f %%  any %5.1f %%  first %5.1f %%  MRR %.2f  "+
		"amount %5.1f %%  false %d  silent %d", x.fair, x.pairs, percentOf(x.named, x.fair),
		percentOf(x.any, x.fair), percentOf(x.first, x.fair), x.reciprocal/float64(max(x.fair, 1)),
		percentOf(x.amount, x.amounts), x.false, x.silent)
}

// hold counts what is said of one pair.
func (x *marks) hold(t *testing.T, k *known, noise synth.Noise, fair bool) {
	x.pairs++
	if f := k.firstFalse(); f != nil {
		x.false++
		k.complain(t, "false: %s", f.Text)
	}
	if !fair {
		return
	}
	x.fair++
	if len(k.list()) == 0 {
		x.silent++
	}
	rank, f := k.rank()
	switch {
	case rank == 0:
		k.complain(t, "not named: %v %d ns of %d", k.truth.names, k.truth.ns, k.clean[0].ns())
		return
	case rank > 1:
		k.complain(t, "number %d: %s\n\tthe first: %s", rank, f.Text, k.list()[0].Text)
	}
	x.any++
	x.first += toInt(rank == 1)
	x.reciprocal += 1 / float64(rank)
	switch {
	case !byChance(f):
		x.named++
	case f.Kind == "pace" && k.accurate(f):
		x.named++ // no pair of runs tells a slower machine from a slower program
	default:
		k.complain(t, "only by chance: %s", f.Text)
	}
	if k.truth.ns != 0 && (k.truth.factor != 0 || k.beyondChance(noise, steady)) {
		x.amounts++
		if k.accurate(f) {
			x.amount++
		} else {
			k.complain(t, "%d ns rather than %d: %s", f.DeltaNs, k.truth.recorded(), f.Text)
		}
	}
}

func (k *known) complain(t *testing.T, format string, args ...any) {
	if *truthLoud {
		t.Logf("%s: %s", k.label, fmt.Sprintf(format, args...))
	}
}

func toInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func byChance(f *DiffFinding) bool { return f.Certainty == finding.Chance.String() }

// list returns the findings that stand by themselves, but the divergence, which is about no time.
func (k *known) list() []DiffFinding {
	return slices.DeleteFunc(slices.Clone(k.diff.Findings), func(f DiffFinding) bool {
		return f.Kind == "divergence" || f.Under != nil
	})
}

// rank returns the first finding that tells the edit and its place in the list, from 1; 0 if there
// is none. One that stands under another has that one's place.
func (k *known) rank() (int, *DiffFinding) {
	place := 0
	for i := range k.diff.Findings {
		f := &k.diff.Findings[i]
		if f.Kind == "divergence" {
			continue
		}
		place += toInt(f.Under == nil)
		if k.tells(f) {
			return place, f
		}
	}
	return 0, nil
}

// tells reports whether a finding tells the edit. Of functions that wait, the account says how often
// they do.
func (k *known) tells(f *DiffFinding) bool {
	counts := f.Kind == "wait" && f.Calls.A != f.Calls.B && slices.Contains(k.truth.kinds, "called")
	return (slices.Contains(k.truth.kinds, f.Kind) || counts) && (slices.Contains(k.truth.names, f.Function) ||
		slices.Contains(k.truth.kinds, "threads") && f.Kind != "new") &&
		(k.truth.ns == 0 || f.DeltaNs == 0 || (f.DeltaNs > 0) == (k.truth.ns > 0))
}

// accurate reports whether a finding's time is that of the edit, as far as it is known what that
// took in these runs, or all by which its function differs without noise.
func (k *known) accurate(f *DiffFinding) bool {
	if f.Kind == "pace" {
		return math.Abs(f.Factor/k.truth.factor-1) <= accurate*math.Abs(k.truth.factor-1)
	}
	a, b := k.clean[0].sums()[f.Function], k.clean[1].sums()[f.Function]
	return slices.ContainsFunc([]int64{k.truth.recorded(), b.self - a.self, b.all - a.all}, func(ns int64) bool {
		return math.Abs(float64(f.DeltaNs-ns)) <= accurate*math.Abs(float64(ns))
	})
}

// firstFalse returns the first finding that is worth a hundredth of the run, is not said to be
// chance and is not true.
func (k *known) firstFalse() *DiffFinding {
	a, b := k.clean[0].sums(), k.clean[1].sums()
	for i := range k.diff.Findings {
		f := &k.diff.Findings[i]
		if f.Share >= telling && !byChance(f) && !k.holds(f, a[f.Function], b[f.Function]) {
			return f
		}
	}
	return nil
}

// holds reports whether the runs differ without noise as a finding says: by half of it or more.
func (k *known) holds(f *DiffFinding, a, b spent) bool {
	half := func(ns int64) bool {
		return (ns > 0) == (f.DeltaNs > 0) && 2*max(ns, -ns) >= max(f.DeltaNs, -f.DeltaNs)
	}
	switch f.Kind {
	case "new", "missing", "called", "repeat":
		return a.calls != b.calls // how long these take is a fact, stalls or not
	case "moved", "threads", "renamed", "divergence":
		return k.truth != nil && k.truth.ns == 0 || k.tells(f) || a.calls != b.calls
	case "wait":
		return half(b.waits - a.waits)
	case "pace":
		return k.truth != nil && slices.Contains(k.truth.kinds, "pace")
	case "overlap":
		x, y := k.clean[0].overlap(), k.clean[1].overlap()
		return (x > y) == (f.DeltaNs > 0) && math.Abs(math.Log(x/y)) >= leastOverlap
	}
	return half(b.self-a.self) || half(b.all-a.all)
}

// want says what must be told, in per cent: of edits, for sure and at any certainty; and which of
// those that are told.
type want struct{ named, any, first, amount float64 }

func (x *marks) check(t *testing.T, what string, w want) {
	t.Helper()
	t.Logf("%-40s %v", what, *x)
	if percentOf(x.named, x.fair) < w.named || percentOf(x.any, x.fair) < w.any ||
		percentOf(x.first, x.fair) < w.first || percentOf(x.amount, x.amounts) < w.amount ||
		x.reciprocal < 0.7*float64(x.fair) || x.silent > 0 || x.false > max(x.pairs/50, 1) {
		t.Errorf("%s: want %+v, false in 2 %% at most, and none silent", what, w)
	}
}

// extent returns how many pairs, of how many calls, and which levels of noise are to be tried.
func extent() (pairs, calls int, levels []float64) {
	if *truthPairs == 0 {
		return 1, 4000, []float64{0.05}
	}
	return *truthPairs, 20_000, noises
}

// TestEditsAreTold holds findings against one edit of each kind. Single calls that take long are
// the exception: only other runs can tell them from stalls, so they are told as possible chance.
func TestEditsAreTold(t *testing.T) {
	pairs, calls, levels := extent()
	programs := programs{}
	for _, level := range levels {
		noise := weather(level)
		var all, speed marks
		for i, e := range editKinds {
			if *truthKind != "" && *truthKind != e.name {
				continue
			}
			var one marks
			for n := range pairs {
				a := programs.number(t, n%shapes, calls)
				k := edited(t, a, e, noise, *truthSeed+uint64(1000*i+n))
				if k != nil {
					one.hold(t, k, noise, k.fair(e, noise))
				}
			}
			if all.plus(one); e.speed {
				speed.plus(one)
			}
			t.Logf("noise %2.0f %%  %-34s %v", 100*level, e.name, one)
		}
		speed.check(t, fmt.Sprintf("noise %2.0f %%  all of speed", 100*level), want{70, 95, 85, 80})
		all.check(t, fmt.Sprintf("noise %2.0f %%  all", 100*level), want{85, 95, 85, 85})
	}
}

// TestEqualRunsDifferInNothing compares runs of one program: timed anew call by call, and generated
// with threads that wait for each other.
func TestEqualRunsDifferInNothing(t *testing.T) {
	pairs, calls, levels := extent()
	programs := programs{}
	e := editKind{name: "equal", make: func(*scene) *truth { return &truth{} }}
	for _, level := range levels {
		var timed, simulated marks
		for n := range 2 * pairs {
			seed := *truthSeed + uint64(n)
			k := edited(t, programs.number(t, n%shapes, calls), e, weather(level), seed)
			timed.hold(t, k, weather(level), false)

			o := synth.Options{Seed: seed, Calls: calls, Threads: 2 + n%6, Functions: 300, Noise: weather(level)}
			sides := generated(t, o)
			o.Noise = synth.Noise{}
			clean := takeApart(generated(t, o)[0])
			k = &known{truth: &truth{}, clean: [2]*run{clean, clean}, label: fmt.Sprint("generated, seed ", seed)}
			k.diff = diffOf(t, sides[0], sides[1])
			simulated.hold(t, k, weather(level), false)
		}
		for _, x := range []marks{timed, simulated} {
			t.Logf("noise %2.0f %%  equal runs: false in %d of %d", 100*level, x.false, x.pairs)
			if 50*x.false > x.pairs {
				t.Errorf("noise %v: false in %d of %d pairs of equal runs", level, x.false, x.pairs)
			}
		}
	}
}
