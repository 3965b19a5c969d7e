package match

import (
	"cmp"
	"context"
	"slices"
)

// A forest hangs each set under a large proper subset, its base. Every row goes through what sets
// add to their bases, so it is worth a search for a larger base than the one a set happens to have
// been made from. Sets are visited by size, and each is filed under the rarest identity it adds:
// whatever contains the set has that identity too, and finds the larger ones first.
type forest struct {
	sets *sets
	list []uint32 // the sets used, by size
	base []int32  // by place in list: the base's place, or none

	from, added []uint32 // added[from[k]:from[k+1]] is what the set in place k adds to its base

	rarity  []uint32 // by identity: how many sets add it
	latest  []int32  // by identity: the place filed last under it, or none
	earlier []int32  // by place: the one filed before it under the same identity, or none
	members []uint32 // of the set that is stamped
	steps   int      // members that searches may still look at
}

const (
	worthSearching = 3  // members beyond the base at hand
	mostCandidates = 64 // for one set
	stepsPerCall   = 8
)

// newForest arranges the sets that the calls have.
func newForest(ctx context.Context, s *sets, of []uint32) (*forest, error) {
	used := make([]bool, len(s.base))
	for _, set := range of {
		used[set] = true
	}
	f := &forest{sets: s, from: []uint32{0}, steps: stepsPerCall*len(of) + 1<<20}
	for set, u := range used {
		if u {
			f.list = append(f.list, uint32(set))
		}
	}
	slices.SortFunc(f.list, func(x, y uint32) int {
		return cmp.Or(cmp.Compare(s.size[x], s.size[y]), cmp.Compare(x, y))
	})
	f.rarity = make([]uint32, len(s.stamps))
	for _, id := range s.added {
		f.rarity[id]++
	}
	f.latest = slices.Repeat([]int32{none}, len(s.stamps))
	f.earlier = make([]int32, len(f.list))
	made, place := usedBases(s.base, used), make([]int32, len(s.base))
	for k, set := range f.list {
		if k%batch == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		place[set] = int32(k)
		base := made[set]
		if base != none {
			base = place[base]
		}
		f.hang(k, base)
	}
	return f, nil
}

// usedBases returns for each set the nearest used one along its bases.
func usedBases(base []int32, used []bool) []int32 {
	out := make([]int32, len(base))
	for set, b := range base {
		if b != none && !used[b] {
			b = out[b]
		}
		out[set] = b
	}
	return out
}

// hang adds the set in place k, for which a base is known.
func (f *forest) hang(k int, base int32) {
	s, set := f.sets, f.list[k]
	if s.size[set]-f.size(base) >= worthSearching && f.steps > 0 {
		f.stamp(set)
		base = f.search(k, base)
		f.addUnstamped(base)
	} else {
		to := int32(none)
		if base != none {
			to = int32(f.list[base])
		}
		for c := int32(set); c != to; c = s.base[c] {
			f.added = append(f.added, s.added[s.from[c]:s.from[c+1]]...)
		}
	}
	f.base = append(f.base, base)
	own := f.added[f.from[k]:]
	f.from = append(f.from, uint32(len(f.added)))
	rarest := slices.MinFunc(own, func(x, y uint32) int {
		return cmp.Compare(f.rarity[x], f.rarity[y])
	})
	f.earlier[k], f.latest[rarest] = f.latest[rarest], int32(k)
}

func (f *forest) size(place int32) uint32 {
	if place == none {
		return 0
	}
	return f.sets.size[f.list[place]]
}

// stamp stamps and lists the members of a set.
func (f *forest) stamp(set uint32) {
	s := f.sets
	s.fresh()
	f.members = f.members[:0]
	for c := int32(set); c != none; c = s.base[c] {
		f.members = append(f.members, s.added[s.from[c]:s.from[c+1]]...)
	}
	for _, id := range f.members {
		s.stamps[id] = s.stamp
	}
	f.steps -= len(f.members)
}

// search returns the place of a subset of the stamped set, which comes in place k, at least as
// large as base.
func (f *forest) search(k int, base int32) int32 {
	left, whole := mostCandidates, f.size(int32(k))
	for _, id := range f.members {
		for c := f.latest[id]; c != none && f.size(c) > f.size(base) && left > 0; c = f.earlier[c] {
			left--
			if f.size(c) < whole && f.allStamped(c) {
				base = c
			}
		}
	}
	return base
}

// allStamped reports whether the stamped set holds the one in place k.
func (f *forest) allStamped(k int32) bool {
	for ; k != none; k = f.base[k] {
		for _, id := range f.added[f.from[k]:f.from[k+1]] {
			f.steps--
			if f.sets.stamps[id] != f.sets.stamp {
				return false
			}
		}
	}
	return true
}

// addUnstamped adds the members of the stamped set that the base has not.
func (f *forest) addUnstamped(base int32) {
	s := f.sets
	for ; base != none; base = f.base[base] {
		for _, id := range f.added[f.from[base]:f.from[base+1]] {
			s.stamps[id] = 0
		}
	}
	for _, id := range f.members {
		if s.stamps[id] == s.stamp {
			f.added = append(f.added, id)
		}
	}
}

// preorder numbers the places so that a base comes right before what hangs under it. It returns the
// numbers and how many places each subtree has.
func (f *forest) preorder() (to, span []uint32) {
	span = make([]uint32, len(f.base))
	for k, b := range slices.Backward(f.base) {
		span[k]++
		if b != none {
			span[b] += span[k]
		}
	}
	to = make([]uint32, len(f.base))
	next, nextRoot := make([]uint32, len(f.base)), uint32(0) // where the next child goes
	for k, b := range f.base {
		at := &nextRoot
		if b != none {
			at = &next[b]
		}
		to[k] = *at
		*at += span[k]
		next[k] = to[k] + 1
	}
	return to, span
}
