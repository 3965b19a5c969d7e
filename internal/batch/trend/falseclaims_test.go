package trend

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"diptych/internal/testtrace"
)

// slowDrift is the kind of history in which one function in ten changes all the time.
const slowDrift = "slow drift"

// kindsOfNoise are how values vary around their level, with a standard deviation of 1. All but the
// first are far worse than what machines do: the lognormal noise has a skewness of 6, Student's t
// with 3 degrees of freedom an infinite kurtosis.
var kindsOfNoise = []struct {
	name string
	of   func(r *rand.Rand) float64
}{
	{"normal", (*rand.Rand).NormFloat64},
	{"lognormal", func(r *rand.Rand) float64 {
		return (math.Exp(r.NormFloat64()) - math.Exp(.5)) / math.Sqrt((math.E-1)*math.E)
	}},
	{"Student t3", func(r *rand.Rand) float64 {
		sum := 0.0
		for range 3 {
			v := r.NormFloat64()
			sum += v * v
		}
		return r.NormFloat64() / math.Sqrt(sum)
	}},
	{slowDrift, (*rand.Rand).NormFloat64},
}

// stepFactors are the sizes of steps: each is that of one function in twenty.
var stepFactors = []float64{1.05, 1.1, 1.2, 1.5}

// invented is a function of a simulated history.
type invented struct {
	at     int // the first commit of the new level, 0 if there is none
	factor int // index into stepFactors
	drifts bool
	values []float64
}

// invent makes a history of so many functions and commits.
func invent(r *rand.Rand, functions, n int, kind string, noise func(*rand.Rand) float64) []invented {
	list := make([]invented, functions)
	for k := range list {
		f := &list[k]
		f.values = noisy(r, n, noise)
		rate := 0.0
		switch {
		case k%5 == 0:
			f.at, f.factor = 4+r.IntN(n-8), k/5%len(stepFactors)
		case kind == slowDrift && k%10 == 1:
			f.drifts, rate = true, math.Log([]float64{1.1, 1.3}[k/10%2])
		}
		for i := range f.values {
			f.values[i] += rate * float64(i) / float64(n)
			if f.at > 0 && i >= f.at {
				f.values[i] += math.Log(stepFactors[f.factor])
			}
		}
	}
	return list
}

// verdict counts claims, and why those are false that are.
type verdict struct {
	claims                             int
	unchanged, elsewhere, ofDrift      int // false ones
	steps, found, exact, near, commits []int
}

func newVerdict() *verdict {
	n := len(stepFactors)
	return &verdict{steps: make([]int, n), found: make([]int, n), exact: make([]int, n), near: make([]int, n),
		commits: make([]int, n)}
}

func (v *verdict) wrong() int { return v.unchanged + v.elsewhere + v.ofDrift }

// judge counts what is claimed of a function. A step is true if it is the only claim whose range has
// the true one, a drift if the function has changed at all: that is what it says.
func (v *verdict) judge(f *invented, s *shape) {
	if f.at > 0 {
		v.steps[f.factor]++
	}
	v.claims += len(s.Steps)
	if s.Drift != nil {
		v.claims++
		if f.at == 0 && !f.drifts {
			v.unchanged++
		}
	}
	hit := false
	for _, st := range s.Steps {
		switch {
		case f.drifts:
			v.ofDrift++
		case f.at == 0:
			v.unchanged++
		case hit || f.at < st.Earliest || f.at > st.Latest:
			v.elsewhere++
		default:
			hit = true
			v.hit(f, &st)
		}
	}
}

func (v *verdict) hit(f *invented, st *step) {
	v.found[f.factor]++
	v.commits[f.factor] += st.Latest - st.Earliest + 1
	switch off := max(st.At-f.at, f.at-st.At); {
	case off == 0:
		v.exact[f.factor]++
		v.near[f.factor]++
	case off <= 2:
		v.near[f.factor]++
	}
}

func (v *verdict) String() string {
	text := fmt.Sprintf("%d claims, false %d + %d + %d", v.claims, v.unchanged, v.elsewhere, v.ofDrift)
	for k, factor := range stepFactors {
		text += fmt.Sprintf("; %g×: %d of %d found, %d exactly, %d within 2, range %.1f", factor, v.found[k],
			v.steps[k], v.exact[k], v.near[k], float64(v.commits[k])/float64(max(v.found[k], 1)))
	}
	return text
}

// manyHistories makes TestFalseClaims measure what docs/batch.md says: "make truth" gives 150.
var manyHistories = flag.Int("histories", 0, "simulated histories of 20 commits; fewer of more commits")

// TestFalseClaims measures the rate of false claims and the recall in simulated histories, with the
// same seed each time. False are claims of functions that have not changed, steps whose range lacks
// the true commit, and steps of functions that have drifted. The rate is the mean over histories of
// the false ones' share (Benjamini and Hochberg's false discovery rate). docs/batch.md has what many
// histories give.
func TestFalseClaims(t *testing.T) {
	many := cmp.Or(*manyHistories, testtrace.Sized(1, 4))
	most := .08 // of some 80 claims, a few more may be false by chance
	if many >= 100 {
		most = alpha
	}
	for _, n := range []int{20, 60, 200} {
		if n == 20 || many > 2 {
			for _, kind := range kindsOfNoise {
				measure(t, n, max(many*20/n, many/5, 1), kind.name, kind.of, most)
			}
		}
	}
}

// measure measures so many histories of n commits.
func measure(t *testing.T, n, histories int, kind string, noise func(*rand.Rand) float64, most float64) {
	t.Helper()
	const functions = 80
	r := rand.New(rand.NewPCG(18, uint64(n)))
	all, rate := newVerdict(), 0.0
	for range histories {
		list := invent(r, functions, n, kind, noise)
		shapes := described(t, functions, func(k int) []float64 { return list[k].values })
		wrong, claims := all.wrong(), all.claims
		for k, s := range shapes {
			all.judge(&list[k], s)
		}
		rate += float64(all.wrong()-wrong) / float64(max(all.claims-claims, 1)) / float64(histories)
	}
	t.Logf("%s, %d commits, %d histories: %.1f %% false; %v", kind, n, histories, 100*rate, all)
	if rate > most {
		t.Errorf("%s, %d commits: %.1f %% of the claims are false", kind, n, 100*rate)
	}
	if 10*all.found[2] < 7*all.steps[2] || 10*all.found[3] < 9*all.steps[3] {
		t.Errorf("%s, %d commits: found %v of %v steps", kind, n, all.found, all.steps)
	}
}
