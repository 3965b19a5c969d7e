package match

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"diptych/internal/progress"
)

// A forest gives each set a base that is as large as possible. Every row goes through what sets add
// to their bases, so it pays to search for a larger base than the set that a union was made from.
// Each set is filed under its rarest identity: a set that contains it has that identity too, and so
// finds it there. Searches do not depend on each other, so all processors take part.
type forest struct {
	sets *sets
	list []uint32 // the sets, by size
	base []int32  // by place in list: the base's place, or none

	from, added []uint32 // added[from[k]:from[k+1]] is what the set in place k adds to its base

	place []uint32 // by set
	first []uint32 // by identity, and one more
	filed []filed  // filed[first[id]:first[id+1]]: the sets whose rarest identity it is, by place
	steps int      // candidates and members that the search for one set may look at
}

// filed is what is read of every candidate, beside each other.
type filed struct {
	sketch uint64
	set    int32
	size   uint32
}

const (
	worthSearching = 3   // members beyond the known base from which on a larger one is searched for
	mostCandidates = 128 // for one set
	stepsPerCall   = 8
	inSearch       = 1 << 13 // sets
)

// newForest finds bases for the sets of so many calls.
func newForest(ctx context.Context, s *sets, calls int) (*forest, error) {
	f := &forest{sets: s, list: s.bySize(), place: make([]uint32, len(s.list)),
		steps: (stepsPerCall*calls + 1<<20) / max(len(s.list), 1)}
	for k, set := range f.list {
		f.place[set] = uint32(k)
	}
	f.file()
	f.base, f.from = make([]int32, len(f.list)), make([]uint32, len(f.list)+1)
	parts := make([][]uint32, (len(f.list)+inSearch-1)/inSearch)
	searches := sync.Pool{New: func() any { return newSearch(f) }}
	err := progress.Spread(ctx, len(parts), func(k int) error {
		s := searches.Get().(*search)
		defer searches.Put(s)
		parts[k] = s.findBases(k*inSearch, min((k+1)*inSearch, len(f.list)))
		return nil
	})
	if err != nil {
		return nil, err
	}
	for k := range f.list {
		f.from[k+1] += f.from[k]
	}
	f.added = slices.Concat(parts...)
	return f, nil
}

// bySize lists the sets by size, and those of one size by number.
func (s *sets) bySize() []uint32 {
	next := make([]uint32, len(s.stamps)+2) // by size
	for k := range s.list {
		next[s.list[k].size+1]++
	}
	for size := 1; size < len(next); size++ {
		next[size] += next[size-1]
	}
	list := make([]uint32, len(s.list))
	for k := range s.list {
		at := &next[s.list[k].size]
		list[*at] = uint32(k)
		*at++
	}
	return list
}

// file files each set under its rarest identity, which is that of its base or one that it adds.
func (f *forest) file() {
	s, identities := f.sets, len(f.sets.stamps)
	rarity := make([]uint32, identities) // how many sets add it
	for _, id := range s.added {
		rarity[id]++
	}
	rarest := make([]uint32, len(s.list)) // by set
	f.first = make([]uint32, identities+1)
	for k := range s.list {
		set := &s.list[k]
		rare := s.added[set.from]
		if set.base != none {
			rare = rarest[set.base]
		}
		for _, id := range s.added[set.from:set.to] {
			if cmp.Or(cmp.Compare(rarity[id], rarity[rare]), cmp.Compare(id, rare)) < 0 {
				rare = id
			}
		}
		rarest[k] = rare
		f.first[rare+1]++
	}
	for id := range identities {
		f.first[id+1] += f.first[id]
	}
	f.filed = make([]filed, len(s.list))
	next := slices.Clone(f.first)
	for _, set := range f.list {
		at := &next[rarest[set]]
		f.filed[*at] = filed{s.list[set].sketch, int32(set), s.list[set].size}
		*at++
	}
}

// search finds bases for sets, one after the other.
type search struct {
	*forest
	upTo    []uint32 // by identity: where in filed the sets begin that are not smaller
	stamps  []uint32 // by identity: the last stamp under which it was met
	stamp   uint32
	members []uint32 // of the set at hand, which are stamped
	steps   int
}

func newSearch(f *forest) *search {
	n := len(f.sets.stamps)
	return &search{forest: f, upTo: make([]uint32, n), stamps: make([]uint32, n)}
}

// findBases finds the bases of the sets in places [from, to). It returns what they add, one after
// the other.
func (s *search) findBases(from, to int) (added []uint32) {
	for id := range s.upTo {
		of := s.filed[s.first[id]:s.first[id+1]]
		n, _ := slices.BinarySearchFunc(of, s.size(from), func(c filed, size uint32) int {
			return cmp.Compare(c.size, size)
		})
		s.upTo[id] = s.first[id] + uint32(n)
	}
	for k := from; k < to; k++ {
		set := &s.sets.list[s.list[k]]
		base, n := set.base, len(added)
		if set.size-s.sizeOf(base) < worthSearching {
			added = append(added, s.sets.added[set.from:set.to]...)
		} else {
			s.stampMembers(int32(s.list[k]))
			base = s.largerBase(set)
			added = s.appendUnstamped(added, base)
		}
		s.base[k] = none
		if base != none {
			s.base[k] = int32(s.place[base])
		}
		s.from[k+1] = uint32(len(added) - n)
	}
	return added
}

// size returns the size of the set in a place.
func (f *forest) size(place int) uint32 { return f.sets.list[f.list[place]].size }

// sizeOf returns the size of a set, or 0 for none.
func (f *forest) sizeOf(set int32) uint32 {
	if set == none {
		return 0
	}
	return f.sets.list[set].size
}

// stampMembers lists the members of a set and stamps them.
func (s *search) stampMembers(set int32) {
	s.stamp++
	if s.stamp == 0 {
		clear(s.stamps)
		s.stamp = 1
	}
	s.members = s.members[:0]
	for c := set; c != none; c = s.sets.list[c].base {
		s.members = append(s.members, s.sets.members(c)...)
	}
	for _, id := range s.members {
		s.stamps[id] = s.stamp
	}
	s.steps = s.forest.steps - len(s.members)
}

// members returns what a set adds to its base.
func (s *sets) members(set int32) []uint32 { return s.added[s.list[set].from:s.list[set].to] }

// largerBase returns a subset of the stamped set that is at least as large as its base. Most
// candidates have a member whose bit the stamped set's sketch lacks.
func (s *search) largerBase(of *set) int32 {
	base, left, size := of.base, mostCandidates, s.sizeOf(of.base)
	for _, id := range s.members {
		at, end := s.upTo[id], s.first[id+1]
		for at < end && s.filed[at].size < of.size {
			at++
		}
		s.upTo[id] = at
		for first := s.first[id]; at > first && left > 0 && s.steps > 0; {
			at--
			c := &s.filed[at]
			if c.size <= size {
				break
			}
			left--
			s.steps--
			if c.sketch&^of.sketch == 0 && s.allStamped(c.set) {
				base, size = c.set, c.size
			}
		}
	}
	return base
}

// allStamped reports whether the stamped set holds another.
func (s *search) allStamped(set int32) bool {
	for ; set != none; set = s.sets.list[set].base {
		for _, id := range s.sets.members(set) {
			s.steps--
			if s.stamps[id] != s.stamp {
				return false
			}
		}
	}
	return true
}

// appendUnstamped appends the members of the stamped set that are not in the base.
func (s *search) appendUnstamped(added []uint32, base int32) []uint32 {
	for ; base != none; base = s.sets.list[base].base {
		for _, id := range s.sets.members(base) {
			s.stamps[id] = s.stamp - 1
		}
	}
	for _, id := range s.members {
		if s.stamps[id] == s.stamp {
			added = append(added, id)
		}
	}
	return added
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
