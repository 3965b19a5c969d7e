package finding

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/synth"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

var (
	truthPairs = flag.Int("pairs", 0, "generated pairs to hold findings against; 0 for a few small ones")
	truthSeed  = flag.Uint64("seed", 3000, "seed before the first; thresholds were set on 1 to 50")
	truthLoud  = flag.Bool("misses", false, "list what is not found and what is not true")
)

const (
	telling  = 0.01 // share of the run from which an edited function must be named
	firstFew = 10
)

// answers are the kinds of finding that name an edit.
var answers = map[synth.Kind][]Kind{
	synth.Insert: {New, Called, Repeat},
	synth.Delete: {Missing, Called, Repeat},
	synth.Repeat: {Repeat, Called, New},
	synth.Slow:   {Slower, Burst},
	synth.Rename: {Renamed},
	synth.Move:   {Moved},
	synth.Swap:   {Moved},
}

// edited is what was done to one function.
type edited struct {
	kind     synth.Kind
	function string // as A calls it
}

// score is how findings did against the truth.
type score struct{ telling, named, told, true int }

func (s score) String() string {
	return fmt.Sprintf("named %3d of %3d (%5.1f %%)  true %3d of %3d (%5.1f %%)", s.named, s.telling,
		share(s.named, s.telling), s.true, s.told, share(s.true, s.told))
}

func share(n, of int) float64 {
	if of == 0 {
		return 100
	}
	return 100 * float64(n) / float64(of)
}

// TestFindingsAreTheEdits holds findings against pairs of which every edit is known.
func TestFindingsAreTheEdits(t *testing.T) {
	for _, noise := range []synth.Noise{{}, {Calls: 0.05, Drift: 0.03}} {
		t.Logf("noise %+v", noise)
		holdEdits(t, noise)
	}
}

func holdEdits(t *testing.T, noise synth.Noise) {
	named, told := map[synth.Kind]*score{}, map[Kind]*score{}
	var all score
	for n := range cmp.Or(*truthPairs, 6) {
		x := noisyExample(t, n, noise)
		x.score(t, named, told, &all)
	}
	for _, k := range sortedKeys(named, func(x, y synth.Kind) int { return int(x) - int(y) }) {
		t.Logf("edit    %-10v named %d of %d", k, named[k].named, named[k].telling)
	}
	for _, k := range sortedKeys(told, func(x, y Kind) int { return int(x) - int(y) }) {
		t.Logf("finding %-10v true %d of %d", k, told[k].true, told[k].told)
	}
	t.Logf("all: %v", all)
	want := 95.0
	if noise != (synth.Noise{}) {
		want = 90 // changes of speed within the noise cannot be told
	}
	if share(all.named, all.telling) < want || share(all.true, all.told) < 90 {
		t.Errorf("want %.0f %% named and 90 %% true", want)
	}
}

// truthOptions varies size, threads, functions and the rate of edits, from 0.1 % to 5 % of calls.
func truthOptions(n int) synth.Options {
	rate := 0.001 * math.Pow(50, float64(n%10)/9)
	sizes := []int{8_000, 20_000, 60_000}
	if *truthPairs == 0 && testtrace.Sized(true, false) {
		sizes = []int{6_000, 10_000, 20_000}
	}
	o := synth.Options{Seed: *truthSeed + uint64(n) + 1, Calls: sizes[n%3],
		Threads: []int{1, 2, 4, 8}[n%4], Functions: []int{150, 500, 2000}[(n/3)%3],
		Edits: map[synth.Kind]float64{synth.Rename: rate}}
	kinds := []synth.Kind{synth.Insert, synth.Delete, synth.Move, synth.Swap, synth.Slow, synth.Repeat}
	for _, k := range kinds {
		o.Edits[k] = rate / float64(len(kinds))
	}
	return o
}

// example is a generated pair with its truth.
type example struct {
	truth  *synth.Truth
	p      *pair.Pair
	found  *Report
	byOld  map[string]string // name in A by name in B
	effect map[edited]int64  // ns
}

// loaded generates a pair and reads it.
func loaded(t *testing.T, o synth.Options) (sides [2]*trace.Trace, truth *synth.Truth) {
	t.Helper()
	ctx, dir := context.Background(), t.TempDir()
	a, b := filepath.Join(dir, "a.uftrace"), filepath.Join(dir, "b.uftrace")
	if _, err := synth.Generate(ctx, o, a, b, nil); err != nil {
		t.Fatal(err)
	}
	truth, err := synth.ReadTruth(synth.TruthName(b))
	if err != nil {
		t.Fatal(err)
	}
	for i, path := range []string{a, b} {
		if sides[i], err = traceio.Load(ctx, path, input.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	return sides, truth
}

// generate generates a pair and compares its sides.
func generate(t *testing.T, o synth.Options) *example {
	t.Helper()
	ctx := context.Background()
	sides, truth := loaded(t, o)
	x := &example{truth: truth, p: pair.New(sides[0], sides[1], pair.Rules{}),
		byOld: map[string]string{}, effect: map[edited]int64{}}
	results, err := align.All(ctx, x.p, x.p.Threads, align.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if x.found, err = Find(ctx, x.p, results, Options{}, nil); err != nil {
		t.Fatal(err)
	}
	x.weigh(t)
	return x
}

// quiet are the examples without noise by their number, which tests share and do not change.
var quiet = map[int]*example{}

// quietExample returns the n-th example without noise, which is generated once.
func quietExample(t *testing.T, n int) *example {
	t.Helper()
	if quiet[n] == nil {
		quiet[n] = generate(t, truthOptions(n))
	}
	return quiet[n]
}

// noisyExample returns the n-th example with noise, if there is any.
func noisyExample(t *testing.T, n int, noise synth.Noise) *example {
	t.Helper()
	if noise == (synth.Noise{}) {
		return quietExample(t, n)
	}
	o := truthOptions(n)
	o.Noise = noise
	return generate(t, o)
}

// weigh sums up what the edits did to each function.
func (x *example) weigh(t *testing.T) {
	for _, e := range x.truth.Edits {
		if e.Kind == synth.Rename {
			x.byOld[e.To] = e.From
		}
	}
	for i := range x.truth.Edits {
		e := &x.truth.Edits[i]
		ns := magnitude(e.DeltaNs)
		switch e.Kind {
		case synth.Move, synth.Swap:
			th := x.p.A.Threads[x.p.A.ThreadByID(fmt.Sprint(*e.Thread))]
			ns = th.Dur(*e.A)
			if e.Kind == synth.Swap { // either of the two has moved past the other
				ns = min(ns, th.Dur(*e.A+e.Size))
			}
		case synth.Rename:
			ns = selfOf(x.p.A, e.From)
		}
		x.effect[edited{e.Kind, x.function(e)}] += ns
	}
}

// function returns the edited function as A calls it.
func (x *example) function(e *synth.Edit) string {
	if e.Kind == synth.Insert {
		return x.oldName(e.To)
	}
	return e.From
}

func (x *example) oldName(name string) string {
	if old, ok := x.byOld[name]; ok {
		return old
	}
	return name
}

func selfOf(tr *trace.Trace, function string) (ns int64) {
	for _, th := range tr.Threads {
		for i := range th.Len() {
			if tr.FunctionOf(th, i).Name == function {
				ns += th.Self(i)
			}
		}
	}
	return ns
}

// score counts which edits are named and which of the first findings are true.
func (x *example) score(t *testing.T, named map[synth.Kind]*score, told map[Kind]*score, all *score) {
	run := max(x.p.A.Duration, x.p.B.Duration)
	for e, ns := range x.effect {
		if float64(ns) < telling*float64(run) || !x.netAgrees(e) {
			continue
		}
		if named[e.kind] == nil {
			named[e.kind] = &score{}
		}
		named[e.kind].telling++
		all.telling++
		if x.names(e) {
			named[e.kind].named++
			all.named++
		} else if *truthLoud {
			t.Logf("seed %d: not named: %v %s %.2f %%", x.truth.Options.Seed, e.kind, e.function,
				100*float64(ns)/float64(run))
		}
	}
	for i, f := range x.found.Findings[:min(firstFew, len(x.found.Findings))] {
		if told[f.Kind] == nil {
			told[f.Kind] = &score{}
		}
		told[f.Kind].told++
		all.told++
		if x.holds(&f) {
			told[f.Kind].true++
			all.true++
		} else if *truthLoud {
			t.Logf("seed %d: not true: %d. %s %v", x.truth.Options.Seed, i+1, f.Sentence(), f.Waiting)
		}
	}
}

// netAgrees reports whether a function is called more often in B if calls were added, and less
// often if some were dropped. Otherwise other edits outweigh these, and totals cannot tell them.
func (x *example) netAgrees(e edited) bool {
	n := -callsOf(x.p, pair.A, e.function)
	for id := range x.p.Names {
		if x.oldName(x.p.Names[id]) == e.function {
			n += callsOf(x.p, pair.B, x.p.Names[id])
		}
	}
	switch e.kind {
	case synth.Delete:
		return n < 0
	case synth.Insert, synth.Repeat:
		return n > 0
	}
	return true
}

// names reports whether a finding names an edited function.
func (x *example) names(e edited) bool {
	kinds := answers[e.kind]
	return slices.ContainsFunc(x.found.Findings, func(f Finding) bool {
		return slices.Contains(kinds, f.Kind) && (x.oldName(f.Function) == e.function ||
			e.kind == synth.Swap && x.swapped(e.function, x.oldName(f.Function)))
	})
}

// swapped reports whether a function changed places with another.
func (x *example) swapped(from, to string) bool {
	return slices.ContainsFunc(x.truth.Edits, func(e synth.Edit) bool {
		return e.Kind == synth.Swap && e.From == from && e.To == to
	})
}

// holds reports whether an edit is what a finding tells.
func (x *example) holds(f *Finding) bool {
	if f.Kind == Divergence {
		return len(x.truth.Edits) > 0
	}
	name := x.oldName(f.Function)
	return slices.ContainsFunc(x.truth.Edits, func(e synth.Edit) bool {
		return slices.Contains(answers[e.Kind], f.Kind) &&
			(x.function(&e) == name || e.Kind == synth.Swap && e.To == name)
	})
}
