package trace

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"sort"
)

// linkIndex finds the links of a call: indices into Links, sorted by the call at one end, then by
// time. Calls below a call follow it in pre-order, so the links of all of them are one stretch.
type linkIndex struct{ from, to []int32 }

// indexLinks sorts the links, which are in order of time, by the calls at their ends.
func (t *Trace) indexLinks(ctx context.Context) error {
	if len(t.Links) == 0 { // else the threads are gone through
		return nil
	}
	var lists [2][]int32
	ends := [2]func(*Link) CallRef{(*Link).source, (*Link).target}
	err := each(len(ends), func(i int) (err error) {
		lists[i], err = t.linksBy(ctx, ends[i])
		return err
	})
	t.links = linkIndex{lists[0], lists[1]}
	return err
}

// linksBy returns the links in order of the calls at one end. They are dealt out to the threads of
// these calls first: what a thread then has in order of time mostly is in order of calls.
func (t *Trace) linksBy(ctx context.Context, end func(*Link) CallRef) ([]int32, error) {
	from := make([]int32, len(t.Threads)+1)
	for k := range t.Links {
		from[end(&t.Links[k]).Thread+1]++
	}
	for i := range t.Threads {
		from[i+1] += from[i]
	}
	list, next := make([]int32, len(t.Links)), slices.Clone(from)
	for k := range t.Links {
		thread := end(&t.Links[k]).Thread
		list[next[thread]] = int32(k)
		next[thread]++
	}
	before := func(x, y int32) bool { return end(&t.Links[x]).Call < end(&t.Links[y]).Call }
	for i := range t.Threads {
		if err := mergeSort(ctx, nil, list[from[i]:from[i+1]], before); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (l *Link) source() CallRef { return l.From }
func (l *Link) target() CallRef { return l.To }

func (c CallRef) compare(d CallRef) int {
	return cmp.Or(cmp.Compare(c.Thread, d.Thread), cmp.Compare(c.Call, d.Call))
}

// Effects yields the links that go out from a call or from one below it, and that arrive in none of
// these, as indices into Links.
func (t *Trace) Effects(ref CallRef) iter.Seq[int] {
	return t.linksOf(t.links.from, ref, (*Link).source, (*Link).target)
}

// Causes yields the links that arrive in a call or in one below it, and that come from none of
// these, as indices into Links.
func (t *Trace) Causes(ref CallRef) iter.Seq[int] {
	return t.linksOf(t.links.to, ref, (*Link).target, (*Link).source)
}

func (t *Trace) linksOf(list []int32, ref CallRef, end, other func(*Link) CallRef) iter.Seq[int] {
	return func(yield func(int) bool) {
		last := CallRef{ref.Thread, ref.Call + int32(t.Threads[ref.Thread].Size(int(ref.Call))) - 1}
		within := func(c CallRef) bool { return c.compare(ref) >= 0 && c.compare(last) <= 0 }
		first := sort.Search(len(list), func(k int) bool { return end(&t.Links[list[k]]).compare(ref) >= 0 })
		for _, k := range list[first:] {
			l := &t.Links[k]
			if end(l).compare(last) > 0 || !within(other(l)) && !yield(int(k)) {
				return
			}
		}
	}
}
