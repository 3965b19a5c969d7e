package trace

import "context"

// Stats counts, for every function of a trace, its calls and the time spent in them.
type Stats struct {
	Calls []int   // by FuncID
	Self  []int64 // ns outside callees
	Total []int64 // ns from start to end, a recursive call counted once
}

// Count computes the Stats of t in one pass over each thread's columns; it stops early when ctx is
// done.
func Count(ctx context.Context, t *Trace) *Stats {
	return CountOn(ctx, t, func(int) bool { return true })
}

// CountOn computes the Stats of some threads of t, given by their indices.
func CountOn(ctx context.Context, t *Trace, wanted func(thread int) bool) *Stats {
	n := len(t.Functions)
	st := &Stats{make([]int, n), make([]int64, n), make([]int64, n)}
	until := make([]int, n) // by function: end of its outermost open subtree, in pre-order
	in := make([]int, n)    // by function: the thread that until speaks of, from 1
	for k, th := range t.Threads {
		if ctx.Err() != nil {
			return st
		}
		if !wanted(k) {
			continue
		}
		for i, fn := range th.Fn {
			st.Calls[fn]++
			d := th.Dur(i)
			st.Self[fn] += d
			if p := th.Parent(i); p >= 0 {
				st.Self[th.Fn[p]] -= d
			}
			if in[fn] != k+1 || i >= until[fn] {
				in[fn], until[fn] = k+1, th.Next(i)
				st.Total[fn] += d
			}
		}
	}
	return st
}
