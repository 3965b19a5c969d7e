package match

import (
	"context"
	"slices"
)

// A forest gives each set a base that is as large as possible. Every row goes through what sets add
// to their bases, so it pays to search for a larger base than the set that a union was made from.
// Sets are visited by size. Each is filed under the rarest identity it adds: a later set that
// contains it has that identity too, and so finds it there, the largest first.
type forest struct {
	sets *sets
	list []uint32 // the sets used, by size
	base []int32  // by place in list: the base's place, or none

	from, added []uint32 // added[from[k]:from[k+1]] is what the set in place k adds to its base

	rarity  []uint32  // by identity: how many sets add it
	filed   [][]filed // by identity, ascending by place
	members []uint32  // of the set that is stamped
	sketch  uint64    // of the set that is stamped
	steps   int       // candidates and members that searches may still look at
}

// filed is what is read of every candidate, beside each other.
type filed struct {
	sketch uint64
	place  int32
	size   uint32
}

const (
	worthSearching = 3  // members beyond the known base from which on a larger one is searched for
	mostCandidates = 64 // for one set
	stepsPerCall   = 8
)

// newForest finds bases for the sets of the calls; of is the set of each call.
func newForest(ctx context.Context, s *sets, of labels) (*forest, error) {
	used := make([]bool, len(s.list))
	for i := range of.low {
		used[of.at(i)] = true
	}
	f := &forest{sets: s, from: []uint32{0}, steps: stepsPerCall*len(of.low) + 1<<20,
		list: s.bySize(used), rarity: make([]uint32, len(s.stamps)),
		filed: make([][]filed, len(s.stamps))}
	for _, id := range s.added {
		f.rarity[id]++
	}
	f.base = make([]int32, 0, len(f.list))
	made, place := s.usedBases(used), make([]int32, len(s.list))
	for k, set := range f.list {
		if k%batch == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		place[set] = int32(k)
		base := made[set]
		if base != none {
			base = place[base]
		}
		f.addSet(k, base)
	}
	return f, nil
}

// bySize lists the sets that are used by size, and those of one size by number.
func (s *sets) bySize(used []bool) []uint32 {
	next := make([]uint32, len(s.stamps)+2) // by size
	for k, u := range used {
		if u {
			next[s.list[k].size+1]++
		}
	}
	for size := 1; size < len(next); size++ {
		next[size] += next[size-1]
	}
	list := make([]uint32, next[len(next)-1])
	for k, u := range used {
		if u {
			at := &next[s.list[k].size]
			list[*at] = uint32(k)
			*at++
		}
	}
	return list
}

// usedBases returns for each set the first of its base, the base's base and so on that is used.
func (s *sets) usedBases(used []bool) []int32 {
	out := make([]int32, len(s.list))
	for k := range s.list {
		b := s.list[k].base
		if b != none && !used[b] {
			b = out[b]
		}
		out[k] = b
	}
	return out
}

// addSet adds the set in place k, given a base for it.
func (f *forest) addSet(k int, base int32) {
	s, set := f.sets, f.list[k]
	f.added = roomFor(f.added, int(s.list[set].size))
	if s.list[set].size-f.size(base) >= worthSearching && f.steps > 0 {
		f.stampMembers(set)
		base = f.largerBase(k, base)
		f.addUnstamped(base)
	} else {
		to := int32(none)
		if base != none {
			to = int32(f.list[base])
		}
		for c := int32(set); c != to; c = s.list[c].base {
			f.added = append(f.added, s.added[s.list[c].from:s.list[c].to]...)
		}
	}
	f.base = append(f.base, base)
	own := f.added[f.from[k]:]
	f.from = append(f.from, uint32(len(f.added)))
	rarest := own[0]
	for _, id := range own[1:] {
		if f.rarity[id] < f.rarity[rarest] {
			rarest = id
		}
	}
	f.filed[rarest] = append(f.filed[rarest], filed{s.list[set].sketch, int32(k), s.list[set].size})
}

func (f *forest) size(place int32) uint32 {
	if place == none {
		return 0
	}
	return f.sets.list[f.list[place]].size
}

// stampMembers lists the members of a set and stamps them.
func (f *forest) stampMembers(set uint32) {
	s := f.sets
	s.freshStamp()
	f.members, f.sketch = f.members[:0], s.list[set].sketch
	for c := int32(set); c != none; c = s.list[c].base {
		f.members = append(f.members, s.added[s.list[c].from:s.list[c].to]...)
	}
	for _, id := range f.members {
		s.stamps[id] = s.stamp
	}
	f.steps -= len(f.members)
}

// largerBase returns the place of a subset of the stamped set, which is in place k. It is at least
// as large as base. Most candidates have a member whose bit the stamped set's sketch lacks.
func (f *forest) largerBase(k int, base int32) int32 {
	left, whole, size := mostCandidates, f.size(int32(k)), f.size(base)
	for _, id := range f.members {
		list := f.filed[id]
		for i := len(list) - 1; i >= 0 && list[i].size > size && left > 0; i-- {
			c := &list[i]
			left--
			f.steps--
			if c.sketch&^f.sketch == 0 && c.size < whole && f.allStamped(c.place) {
				base, size = c.place, c.size
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

// addUnstamped adds the members of the stamped set that are not in the base.
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

// preorder numbers the places in pre-order: a base comes right before the sets under it. It returns
// the numbers, and the size of each subtree.
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
