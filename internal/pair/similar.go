package pair

import (
	"cmp"
	"slices"
)

// candidate is two kinds with something in common.
type candidate struct {
	a, b          int
	common, union int // of what they call
}

// pairStrangers pairs threads that no name brings together: anonymous ones, and those whose role
// occurs on one side only. They go by the Jaccard coefficient of the sets of identities they call:
// the most similar pair is taken first, then the next among what is left, and a pair that has
// nothing in common never.
func pairStrangers(c *crew, by [2]*profiler, partner []int32) {
	as, bs := kinds(c[A], by[A].called), kinds(c[B], by[B].called)
	meetEqual(as, bs, partner) // the best there is
	as, _ = remaining(as)
	bs, _ = remaining(bs)
	for _, l := range candidates(as, bs) {
		meet(&as[l.a], &bs[l.b], partner)
	}
}

// candidates lists the pairs of kinds with something in common, best first; ties go by the order in
// which the kinds began, A's first.
func candidates(as, bs []kind) []candidate {
	both := newShared(bs)
	var out []candidate
	for a := range as {
		for b, n := range both.count(as[a].calls) {
			if n > 0 {
				out = append(out, candidate{a, b, n, len(as[a].calls) + len(bs[b].calls) - n})
			}
		}
	}
	slices.SortStableFunc(out, func(x, y candidate) int {
		return cmp.Compare(y.common*x.union, x.common*y.union)
	})
	return out
}
