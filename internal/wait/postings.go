package wait

import (
	"cmp"
	"context"
	"slices"

	"diptych/internal/progress"
	"diptych/internal/trace"
)

// postings list the releases of each object twice: by time, to see which lie in a wait, and by
// thread, then time, to tell those of the waiting thread apart. An entry is a release of an object;
// a release of several objects has an entry with each.
type postings struct {
	from []int32 // by object, and one more: its entries are [from[o], from[o+1])

	// By time, then thread and pre-order.
	at      []int64
	release []int32
	before  []int32 // the last entry before it of another thread, or −1

	byThread []int32 // releases by thread, then pre-order, which is by time
	several  []bool  // by object: some release of it is of others too
}

// index lists the releases by object.
func (a *Analysis) index(ctx context.Context, _ *progress.Meter) error {
	r := &a.Releases
	p := &a.byObject
	objects := len(a.Trace.Objects)
	p.from, p.several = make([]int32, objects+1), make([]bool, objects)
	r.each(func(i int, o trace.ObjectID) {
		p.from[o+1]++
		p.several[o] = p.several[o] || len(r.Objects[i]) > 1
	})
	for o := range objects {
		p.from[o+1] += p.from[o]
	}
	n := p.from[objects]
	p.at, p.release = make([]int64, n), make([]int32, n)
	p.before, p.byThread = make([]int32, n), make([]int32, n)
	next := slices.Clone(p.from)
	r.each(func(i int, o trace.ObjectID) {
		p.byThread[next[o]] = int32(i)
		next[o]++
	})
	return spread(ctx, objects, func(o int) error {
		p.sort(r, p.from[o], p.from[o+1])
		return nil
	})
}

// each calls do for every release and each object of it.
func (r *Releases) each(do func(release int, o trace.ObjectID)) {
	for i, objects := range r.Objects {
		for k, o := range objects {
			if first(objects, k) {
				do(i, o)
			}
		}
	}
}

// first reports whether objects[k] does not occur before: what a call operates on is a set.
func first(objects []trace.ObjectID, k int) bool {
	return !slices.Contains(objects[:k], objects[k])
}

// sort puts an object's entries in order of time.
func (p *postings) sort(r *Releases, from, to int32) {
	copy(p.release[from:to], p.byThread[from:to])
	slices.SortFunc(p.release[from:to], r.compare)
	for i := from; i < to; i++ {
		p.at[i] = r.At[p.release[i]]
		p.before[i] = -1
		if i > from {
			p.before[i] = i - 1
			if r.Thread[p.release[i-1]] == r.Thread[p.release[i]] {
				p.before[i] = p.before[i-1]
			}
		}
	}
}

// within returns the range of o's entries by time in [start, end].
func (p *postings) within(o trace.ObjectID, start, end int64) (from, to int) {
	lo, hi := int(p.from[o]), int(p.from[o+1])
	from = lo + rank(p.at[lo:hi], start)
	return from, from + rank(p.at[from:hi], end+1)
}

// last returns the last release among the entries [from, to) by time that is not of thread t.
func (p *postings) last(r *Releases, from, to int, t int32) (release int32, ok bool) {
	i := int32(to - 1)
	if r.Thread[p.release[i]] == t {
		i = p.before[i]
	}
	if i < int32(from) {
		return 0, false
	}
	return p.release[i], true
}

// on returns the releases of o by thread t in [start, end], as a range of byThread.
func (p *postings) on(r *Releases, o trace.ObjectID, t int32, start, end int64) (from, to int) {
	list := p.byThread[p.from[o]:p.from[o+1]]
	before := func(x int32, at int64) int { // order by thread, then time
		return cmp.Or(cmp.Compare(r.Thread[x], t), cmp.Compare(r.At[x], at))
	}
	from, _ = slices.BinarySearchFunc(list, start, before)
	to, _ = slices.BinarySearchFunc(list, end+1, before)
	return int(p.from[o]) + from, int(p.from[o]) + to
}
