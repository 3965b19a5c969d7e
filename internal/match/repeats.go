package match

import (
	"context"
	"slices"
	"sort"

	"diptych/internal/trace"
)

// Repeats are the repetitions of a side as a view asks for them: which of them are in a window and
// long enough to be seen. They take 8.1 bytes each.
type Repeats struct {
	calls   *Classes
	threads []repeats
}

// repeats are those of one thread, with calls counted from its first.
type repeats struct {
	runs    []run   // by parent, roots first; then by time
	longest []int64 // ns, of each block of runs
}

// run is its first and its last call.
type run struct{ first, last uint32 }

// block is how many runs one number of longest stands for.
const block = 64

// Repeats finds the same runs as Repetitions.
func (c *Classes) Repeats(ctx context.Context, rho Tau) (*Repeats, error) {
	r, l := &Repeats{c, make([]repeats, len(c.Threads))}, newLikeness(c, rho)
	for k, th := range c.Threads {
		first, of := c.First[k], &r.threads[k]
		err := l.thread(ctx, k, func(r Repetition) {
			of.runs = append(of.runs, run{uint32(r.First - first), uint32(r.Last - first)})
		})
		if err != nil {
			return nil, err
		}
		of.runs = slices.Clone(of.runs) // without room to grow
		of.longest = make([]int64, (len(of.runs)+block-1)/block)
		for i, run := range of.runs {
			l := &of.longest[i/block]
			*l = max(*l, th.End[run.last]-th.Start[run.first])
		}
	}
	return r, ctx.Err()
}

// Len returns the number of repetitions.
func (r *Repeats) Len() (n int) {
	for _, t := range r.threads {
		n += len(t.runs)
	}
	return n
}

// Bytes returns the memory they take.
func (r *Repeats) Bytes() (n int64) {
	for _, t := range r.threads {
		n += 8 * int64(cap(t.runs)+cap(t.longest))
	}
	return n
}

// Count returns how many calls a run has, given its first and its last.
func (r *Repeats) Count(first, last int) int {
	n := 1
	for ; first < last; n++ {
		first = r.calls.Next(first)
	}
	return n
}

// In calls yield for the first and the last call, by pre-order index in the scope, of each run that
// intersects the window and lasts at least its Least, until it returns false. Cost follows the runs
// in the window, those that are too short counting for little.
func (r *Repeats) In(w Window, yield func(first, last int) bool) {
	if w.From > w.To {
		return
	}
	for k, th := range r.calls.Threads {
		from := r.calls.First[k]
		shown := func(i run) bool { return yield(from+int(i.first), from+int(i.last)) }
		if !r.threads[k].in(th, w, shown) {
			return
		}
	}
}

// in calls yield for the runs in a window. Runs of one parent follow each other in time.
func (t *repeats) in(th *trace.Thread, w Window, yield func(run) bool) bool {
	v := Window{From: w.From, To: w.To}.look(th)
	parent := func(i int) int { return int(th.Parent[t.runs[i].first]) }
	search := func(is func(i int) bool) int { return sort.Search(len(t.runs), is) }
	for _, p := range append([]int{none}, v.before...) {
		from := search(func(i int) bool {
			return parent(i) > p || parent(i) == p && th.End[t.runs[i].last] >= w.From
		})
		to := search(func(i int) bool {
			return parent(i) > p || parent(i) == p && th.Start[t.runs[i].first] > w.To
		})
		if !t.long(th, from, to, w, yield) {
			return false
		}
	}
	from := search(func(i int) bool { return parent(i) >= v.from })
	to := search(func(i int) bool { return parent(i) >= v.to })
	return t.long(th, from, to, w, yield)
}

// long calls yield for those of the runs [from, to) that are long enough and begin in time.
func (t *repeats) long(th *trace.Thread, from, to int, w Window, yield func(run) bool) bool {
	for i := from; i < to; i++ {
		if i%block == 0 && t.longest[i/block] < w.Least {
			i += block - 1
			continue
		}
		start := th.Start[t.runs[i].first]
		if start <= w.To && th.End[t.runs[i].last]-start >= w.Least && !yield(t.runs[i]) {
			return false
		}
	}
	return true
}
