package trace

import (
	"cmp"
	"iter"
	"slices"
	"sort"
)

// linkIndex finds the links of a call: indices into Links, sorted by the call at one end, then by
// time. Calls below a call follow it in pre-order, so the links of all of them are one stretch.
type linkIndex struct{ from, to []int32 }

// indexLinks sorts the links, which are in order of time, by the calls at their ends.
func (t *Trace) indexLinks() {
	sorted := func(end func(*Link) CallRef) []int32 {
		list := make([]int32, len(t.Links))
		for k := range list {
			list[k] = int32(k)
		}
		slices.SortStableFunc(list, func(x, y int32) int { return end(&t.Links[x]).compare(end(&t.Links[y])) })
		return list
	}
	t.links = linkIndex{sorted((*Link).source), sorted((*Link).target)}
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
