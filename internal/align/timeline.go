package align

import (
	"context"
	"sort"

	"diptych/internal/pair"
	"diptych/internal/trace"
)

// Samples is how many samples a timeline has where no view says how wide it is.
const Samples = 1000

// windowShare is the share of a timeline that its sliding window covers, as its reciprocal (Weber
// et al., 4.2: 10 %).
const windowShare = 10

// Timeline is how a pair of threads differs over virtual time, in samples at the middles of
// intervals of equal length.
type Timeline struct {
	// Dissimilarity is the share of the window around that is different or missing, in [0,1]. What
	// the system alone did to one side is neither.
	Dissimilarity []float64
	Skew          []int64 // how much longer A has run than B, each since its start, ns
}

// Timeline samples v at n places. It looks into the pairs that hold a sample only, each once.
func (v *Virtual) Timeline(ctx context.Context, n int) (*Timeline, error) {
	t := sampling{v: v, at: make([]int64, n), differs: make([]bool, n), skew: make([]int64, n)}
	for k := range t.at {
		t.at[k] = scale(int64(2*k+1), v.Length, int64(2*n))
	}
	if v.Length > 0 {
		t.open = append(t.open, opened{a: None, b: None})
	}
	for len(t.open) > 0 {
		o := t.open[len(t.open)-1]
		t.open = t.open[:len(t.open)-1]
		if err := t.visit(ctx, o); err != nil {
			return nil, err
		}
	}
	return &Timeline{smooth(t.differs), t.skew}, nil
}

// sampling takes samples pair by pair, in no particular order.
type sampling struct {
	v       *Virtual
	at      []int64 // virtual times of the samples, ascending
	differs []bool  // the innermost call present is different or missing on one side
	skew    []int64
	open    []opened // pairs that are still to be visited
	steps   int
}

// opened is a pair, or the threads, and the number of the first sample in it.
type opened struct {
	a, b  int32
	first int
}

// visit takes the samples in the self time of a pair and in its callees without a partner.
func (t *sampling) visit(ctx context.Context, o opened) error {
	v, k := t.v, o.first
	now, differs := int64(0), false
	if o.a != None {
		now, differs = v.Start[pair.A][o.a], v.StateOf(pair.A, int(o.a)) == Different
	}
	for p := v.passage(o.a, o.b); k < len(t.at); t.steps++ {
		from, differs := p.at, differs || p.inPassed(pair.A) || p.inPassed(pair.B)
		ok, w := p.next(), p.width()
		for ; k < len(t.at) && t.at[k] < now+w; k++ {
			t.take(k, differs, from[pair.A]+scale(t.at[k]-now, p.self[pair.A], w),
				from[pair.B]+scale(t.at[k]-now, p.self[pair.B], w))
		}
		now += w
		if !ok {
			break
		}
		end := v.columnEnd(&p, now)
		if p.a != None && p.b != None {
			k = t.hold(k, &p, end)
		}
		for ; k < len(t.at) && t.at[k] < end; k++ {
			at := [2]int64{from[pair.A] + p.self[pair.A], from[pair.B] + p.self[pair.B]}
			if p.a != None {
				at[pair.A] += t.at[k] - now
			} else {
				at[pair.B] += t.at[k] - now
			}
			t.take(k, differs || !v.bySystem(p.a, p.b), at[pair.A], at[pair.B])
		}
		now = end
		if t.steps%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// bySystem reports whether a column without a partner is what the system does to a thread, such as a
// pre-emption: it comes by chance, and is no difference between programs.
func (r *Result) bySystem(a, b int32) bool {
	s, i := pair.A, a
	if a == None {
		s, i = pair.B, b
	}
	if i == None {
		return false
	}
	kind := r.Pair.Trace(s).Functions[r.Threads[s].Fn[i]].Kind
	return kind == trace.Event || kind == trace.State
}

// take notes sample k, at which the sides have reached real times a and b.
func (t *sampling) take(k int, differs bool, a, b int64) {
	t.differs[k], t.skew[k] = differs, t.v.skew(a, b)
}

// hold notes the pair that was passed and ends at end if it holds samples from the k-th on,
// and returns the number of the first after it.
func (t *sampling) hold(k int, p *passage, end int64) int {
	if k == len(t.at) || t.at[k] >= end {
		return k
	}
	t.open = append(t.open, opened{p.a, p.b, k})
	return k + sort.Search(len(t.at)-k, func(i int) bool { return t.at[k+i] >= end })
}

// smooth returns the mean of the samples under a window around each, clipped at both ends.
func smooth(differs []bool) []float64 {
	sum := make([]int, len(differs)+1)
	for k, d := range differs {
		sum[k+1] = sum[k]
		if d {
			sum[k+1]++
		}
	}
	half := len(differs) / (2 * windowShare)
	out := make([]float64, len(differs))
	for k := range out {
		from, to := max(k-half, 0), min(k+half+1, len(differs))
		out[k] = float64(sum[to]-sum[from]) / float64(to-from)
	}
	return out
}
