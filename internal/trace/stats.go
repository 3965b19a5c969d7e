package trace

import "context"

// Stats counts, for every function of a trace, its calls and the time spent in them.
type Stats struct {
	Calls []int   // by FuncID, or by what functions are counted as
	Self  []int64 // ns outside callees
	Total []int64 // ns from start to end, a recursive call counted once
}

// Count computes the Stats of t in one pass over each thread's columns; it stops early when ctx is
// done.
func Count(ctx context.Context, t *Trace) *Stats {
	as := make([]uint32, len(t.Functions))
	for f := range as {
		as[f] = uint32(f)
	}
	return CountAs(ctx, t, as, len(as), func(int) bool { return true })
}

// CountAs computes the Stats of some threads of t, given by their indices. A function is counted
// as one of n numbers, given by FuncID. If foo and its clone foo.part.0 have the same number, a
// call of the clone by foo is recursive: the totals of both do not add up to that of the number.
func CountAs(ctx context.Context, t *Trace, as []uint32, n int, wanted func(thread int) bool) *Stats {
	st := &Stats{make([]int, n), make([]int64, n), make([]int64, n)}
	until := make([]int, n) // by number: end of its outermost open subtree, in pre-order
	in := make([]int, n)    // by number: the thread that until speaks of, from 1
	for k, th := range t.Threads {
		if ctx.Err() != nil {
			return st
		}
		if !wanted(k) {
			continue
		}
		for i, f := range th.Fn {
			fn := as[f]
			st.Calls[fn]++
			d := th.Dur(i)
			st.Self[fn] += d
			if p := th.Parent(i); p >= 0 {
				st.Self[as[th.Fn[p]]] -= d
			}
			if in[fn] != k+1 || i >= until[fn] {
				in[fn], until[fn] = k+1, th.Next(i)
				st.Total[fn] += d
			}
		}
	}
	return st
}
