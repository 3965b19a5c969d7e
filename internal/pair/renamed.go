package pair

import (
	"cmp"
	"slices"
)

// telling is how many functions of the program two threads have to have in common to be known by
// them whatever they are called: many threads do little but wait for messages.
const telling = 4

// pairRenamed pairs threads that stay alone because one of them has another name than before: the
// program gave names to threads that all had its own, or one of two tracers does not record names.
// They do nearly the same in a pair of processes, and the name of one occurs on its side only.
//
// It runs last, and needs more than pairStrangers does, because the other one is the surplus of a
// name that both sides know: so there may really be one more of them.
func (m *meeting) pairRenamed(name naming, homes [2][]int32) {
	alone := m.single(&crew{upTo[int32](m.threads(A)), upTo[int32](m.threads(B))})
	for s, r := range m.by {
		alone[s] = slices.DeleteFunc(alone[s], func(i int32) bool { return !r.works(i) })
	}
	strangers, surplus := m.partByName(alone, name)
	anyone := func(Side, int32) string { return "any" }
	for _, c := range []*crew{{surplus[A], strangers[B]}, {strangers[A], surplus[B]}} {
		if len(c[A]) == 0 || len(c[B]) == 0 {
			continue
		}
		inside, _ := crews(c, within(homes, anyone))
		for _, c := range inside {
			meetAlike(c, m.by, m.partner)
		}
	}
}

// partByName parts threads by whether their name, if they have one, occurs on the other side.
func (m *meeting) partByName(of *crew, name naming) (strangers, surplus crew) {
	var known [2]map[string]bool
	for s := range known {
		known[s] = map[string]bool{"": false}
		for i := range m.threads(Side(s)) {
			if n := name(Side(s), int32(i)); n != "" {
				known[s][n] = true
			}
		}
	}
	for s := range of {
		for _, i := range of[s] {
			to := &strangers
			if known[Side(s).Other()][name(Side(s), i)] {
				to = &surplus
			}
			to[s] = append(to[s], i)
		}
	}
	return strangers, surplus
}

// meetAlike pairs threads of kinds that are so similar that a name is all that tells them apart,
// the most similar ones first; ties go by the order in which the kinds began, A's first. Of more
// than maxKinds kinds on a side, it looks at those that began first.
func meetAlike(c *crew, by [2]*profiler, partner []int32) {
	const alike likeness = 750
	of := bothSides(c, by, (*profiler).work, kinds)
	as, _ := some(of[A])
	bs, _ := some(of[B])
	type candidate struct {
		a, b int
		like likeness
	}
	var all []candidate
	t := compareAll(as, bs)
	for a := range as {
		for b := range bs {
			like := similarity(&as[a].profile, &bs[b].profile, t.likeness(a, b))
			if like >= alike && overlap(as[a].calls, bs[b].calls) >= telling {
				all = append(all, candidate{a, b, like})
			}
		}
	}
	slices.SortStableFunc(all, func(x, y candidate) int { return cmp.Compare(y.like, x.like) })
	for _, l := range all {
		meet(&as[l.a], &bs[l.b], partner)
	}
}
