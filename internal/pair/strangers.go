package pair

import (
	"cmp"
	"slices"
)

// alikeStrangers is the least likeness of threads of which half of what both call is common. As the
// profile of a stranger has no stem, comparing two gives half of the greatest likeness for it.
const alikeStrangers likeness = 750

// pairStrangers pairs threads that no name brings together: anonymous ones, and those whose role
// occurs on one side only. They go by the Jaccard coefficient of the sets of identities they call:
// the most similar pair is taken first, then the next among what is left, and a pair that has
// nothing in common is never made.
//
// Where a side has more than maxAssigned kinds, threads in step with their neighbours meet first;
// where it has more than maxKinds, all at the same place (place.go), and the others maxKinds kinds
// at a time, in order of creation.
func pairStrangers(c *crew, by [2]*profiler, partner []int32) {
	of := bothSides(c, by, (*profiler).everything, kinds)
	m := newPlacing(c, by, of, alikeStrangers, partner)
	if tooMany(of) {
		of = m.meetMost(of)
		m.meetBetween()
	} else {
		if max(len(of[A]), len(of[B])) > maxAssigned {
			of = m.meetInStep(of)
		}
		meetEqual(of[A], of[B], partner)
	}
	for {
		of = m.learn(of)
		as, _ := some(of[A])
		bs, _ := some(of[B])
		if meetSimilar(as, bs, partner) == 0 {
			return
		}
	}
}

// meetSimilar pairs the threads of kinds that have something in common, and returns how many.
func meetSimilar(as, bs []kind, partner []int32) (n int) {
	for _, l := range candidates(as, bs) {
		n += meet(&as[l.a], &bs[l.b], partner)
	}
	return n
}

// candidate is two kinds with something in common.
type candidate struct {
	a, b          int
	common, union int // of what they call
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
