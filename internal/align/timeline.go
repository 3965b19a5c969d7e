package align

import (
	"context"
	"math/bits"
	"sort"

	"diptych/internal/pair"
	"diptych/internal/trace"
)

// From virtual time to real time and back, and how a pair of threads differs along virtual time.
//
// Between the real time of a side and virtual time there is a monotone, piecewise linear map. In a
// call without a partner both run alike. While only the other side has a call, real time stands
// still. In a stretch of self time, real time is spread evenly over the stretch's virtual width.
// The map is not stored: to look up a time, Real and At find the innermost pair around it by
// binary search, and go through the columns of that pair from the last paired callee before it.
// That takes as long as there are gaps in a row, which is hardly ever long.
//
// A timeline of n samples goes only into pairs that hold a sample, each once.

// Real returns the real time, in ns of the trace, that a side has reached at virtual time at.
// Before the start and after the end both times run alike.
func (v *Virtual) Real(s pair.Side, at int64) int64 {
	switch {
	case at <= 0:
		return v.from[s] + at
	case at >= v.Length:
		return v.to[s] + at - v.Length
	}
	call, before := v.innermostAt(s, func(i int) int64 { return v.Start[s][i] },
		func(i int) int64 { return v.End[s][i] }, at)
	if call != None && v.Partner[s][call] == None {
		return v.Threads[s].Start(int(call)) + at - v.Start[s][call]
	}
	p, now := v.resume(s, call, before)
	for {
		reached := p.at[s]
		ok, w := p.passLeg(), p.width()
		if at <= now+w {
			return reached + scale(at-now, p.self[s], w)
		}
		now = v.columnEnd(&p, now+w)
		if !ok || at <= now {
			return reached + p.self[s] // it stands still during a call of the other side
		}
	}
}

// At returns the first virtual time at which a side has reached real time ns: Real(s, At(s, ns))
// is ns.
func (v *Virtual) At(s pair.Side, ns int64) int64 {
	th := v.Threads[s]
	switch {
	case ns <= v.from[s]:
		return ns - v.from[s]
	case ns > v.to[s]:
		return v.Length + ns - v.to[s]
	}
	call, before := v.innermostAt(s, th.Start, th.End, ns)
	if call != None && v.Partner[s][call] == None {
		return v.Start[s][call] + ns - th.Start(int(call))
	}
	p, now := v.resume(s, call, before)
	for {
		reached := p.at[s]
		ok, w := p.passLeg(), p.width()
		if self := p.self[s]; ns <= reached+self {
			return now + w - scale(reached+self-ns, w, self)
		}
		if !ok {
			return now + w
		}
		now = v.columnEnd(&p, now+w)
	}
}

// Skew returns how much longer A has run than B at virtual time at, each since its start, ns.
func (v *Virtual) Skew(at int64) int64 {
	return v.skew(v.Real(pair.A, at), v.Real(pair.B, at))
}

// skew returns the skew when A has reached real time a and B real time b.
func (v *Virtual) skew(a, b int64) int64 {
	return (a - v.from[pair.A]) - (b - v.from[pair.B])
}

// columnEnd returns the virtual time at which a leg ends, if its self time ends at virtual time
// at.
func (v *Virtual) columnEnd(p *passage, at int64) int64 {
	switch {
	case p.a != None:
		return v.End[pair.A][p.a]
	case p.b != None:
		return v.End[pair.B][p.b]
	}
	return at
}

// innermostAt returns the innermost call of side s with start < x ≤ end that is not passed
// through, or None, and the last of its callees that ends before x, or None. start and end are the
// times of the side's calls on the axis of x, real or virtual.
func (r *Result) innermostAt(s pair.Side, start, end func(i int) int64, x int64) (call,
	before int32) {
	th, passed := r.Threads[s], r.Passed[s]
	call = int32(sort.Search(th.Len(), func(i int) bool { return start(i) >= x })) - 1
	before = None
	for call != None {
		switch {
		case passed.Has(call):
			if before == None {
				before = r.previous(s, call)
			}
		case end(int(call)) < x:
			before = call
		default:
			return call, before
		}
		call = th.Parent(int(call))
	}
	return call, before
}

// resume returns the passage through the pair that has call as its call of side s (the threads if
// None), and the virtual time it has come to: behind the last paired callee not after before.
func (v *Virtual) resume(s pair.Side, call, before int32) (passage, int64) {
	partner := v.Partner[s]
	other, now := None, int64(0)
	if call != None {
		other, now = partner[call], v.Start[s][call]
	}
	calls := sides(s, call, other)
	p := v.passage(calls[pair.A], calls[pair.B])
	for before != None && partner[before] == None {
		before = v.previous(s, before)
	}
	if before != None {
		for side, i := range sides(s, before, partner[before]) {
			p.at[side] = v.Threads[side].End(int(i))
			p.columns.next[side] = int32(v.Threads[side].Next(int(i)))
		}
		now = v.End[s][before]
	}
	return p, now
}

// sides returns a value of side s and a value of the other side, by side.
func sides(s pair.Side, own, other int32) [2]int32 {
	if s == pair.A {
		return [2]int32{own, other}
	}
	return [2]int32{other, own}
}

// previous returns the callee before call i of side s on its level, or None.
func (r *Result) previous(s pair.Side, i int32) int32 {
	th, passed := r.Threads[s], r.Passed[s]
	for i-1 == th.Parent(int(i)) {
		if i = th.Parent(int(i)); i == None || !passed.Has(i) {
			return None
		}
	}
	last, up := i-1, th.Parent(int(i))
	for {
		k := last
		for th.Parent(int(k)) != up {
			k = th.Parent(int(k))
		}
		if !passed.Has(k) {
			return k
		}
		up = k
	}
}

// scale returns ⌊x·num/den⌋ for 0 ≤ x ≤ den and num ≥ 0, and 0 if den is 0.
func scale(x, num, den int64) int64 {
	if den <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(x), uint64(num))
	q, _ := bits.Div64(hi, lo, uint64(den))
	return int64(q)
}

// Samples is the number of samples of a timeline if no view says how wide it is.
const Samples = 1000

// windowShare is the share of a timeline that its sliding window covers, as its reciprocal (Weber
// et al., 4.2: 10 %).
const windowShare = 10

// Timeline says how a pair of threads differs along virtual time, in samples at the middles of
// intervals of equal length.
type Timeline struct {
	// Dissimilarity is the share of the window around a sample in which the innermost call is
	// different or missing, in [0,1]. Calls that the system makes, such as pre-emptions, do not
	// count as missing.
	Dissimilarity []float64
	Skew          []int64 // how much longer A has run than B, each since its start, ns
}

// Timeline samples v at n places.
func (v *Virtual) Timeline(ctx context.Context, n int) (*Timeline, error) {
	t := sampling{v: v, times: make([]int64, n), differs: make([]bool, n), skew: make([]int64, n)}
	for k := range t.times {
		t.times[k] = scale(int64(2*k+1), v.Length, int64(2*n))
	}
	if v.Length > 0 {
		t.open = append(t.open, opened{a: None, b: None})
	}
	for len(t.open) > 0 {
		o := t.open[len(t.open)-1]
		t.open = t.open[:len(t.open)-1]
		if err := t.samplePair(ctx, o); err != nil {
			return nil, err
		}
	}
	return &Timeline{smooth(t.differs), t.skew}, nil
}

// sampling takes samples pair by pair, in no particular order.
type sampling struct {
	v       *Virtual
	times   []int64 // virtual times of the samples, ascending
	differs []bool  // the innermost call is different, or missing on one side
	skew    []int64
	open    []opened // pairs that are still to be sampled
	steps   int
}

// opened is a pair, or the threads as a whole, and the number of the first sample in it.
type opened struct {
	a, b  int32
	first int
}

// samplePair takes the samples in the self time of a pair and in its callees without a partner.
func (t *sampling) samplePair(ctx context.Context, o opened) error {
	v, k := t.v, o.first
	now, differs := int64(0), false
	if o.a != None {
		now, differs = v.Start[pair.A][o.a], v.StateOf(pair.A, int(o.a)) == Different
	}
	for p := v.passage(o.a, o.b); k < len(t.times); t.steps++ {
		from, differs := p.at, differs || p.inPassed(pair.A) || p.inPassed(pair.B)
		ok, w := p.passLeg(), p.width()
		for ; k < len(t.times) && t.times[k] < now+w; k++ {
			t.takeSample(k, differs, from[pair.A]+scale(t.times[k]-now, p.self[pair.A], w),
				from[pair.B]+scale(t.times[k]-now, p.self[pair.B], w))
		}
		now += w
		if !ok {
			break
		}
		end := v.columnEnd(&p, now)
		if p.a != None && p.b != None {
			k = t.deferPair(k, &p, end)
		}
		for ; k < len(t.times) && t.times[k] < end; k++ {
			at := [2]int64{from[pair.A] + p.self[pair.A], from[pair.B] + p.self[pair.B]}
			if p.a != None {
				at[pair.A] += t.times[k] - now
			} else {
				at[pair.B] += t.times[k] - now
			}
			t.takeSample(k, differs || !v.bySystem(p.a, p.b), at[pair.A], at[pair.B])
		}
		now = end
		if t.steps%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// bySystem reports whether a column without a partner is a call that the system makes, such as a
// pre-emption. It happens by chance, and is no difference between programs.
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

// takeSample notes sample k, at which the sides have reached real times a and b.
func (t *sampling) takeSample(k int, differs bool, a, b int64) {
	t.differs[k], t.skew[k] = differs, t.v.skew(a, b)
}

// deferPair puts the pair that was passed last on the list if it contains samples, the first of
// which would be the k-th, and returns the number of the first sample after it. The pair ends at
// end.
func (t *sampling) deferPair(k int, p *passage, end int64) int {
	if k == len(t.times) || t.times[k] >= end {
		return k
	}
	t.open = append(t.open, opened{p.a, p.b, k})
	return k + sort.Search(len(t.times)-k, func(i int) bool { return t.times[k+i] >= end })
}

// smooth returns the mean of the samples in a window around each, clipped at both ends.
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
