package match

import (
	"context"
	"encoding/binary"
	"math"
	"slices"
)

// A census counts the calls of a subtree by class. The number of matches of a group follows from
// the censuses of its two roots: Σ calls_A(c)·calls_B(d) over the pairs of classes with s > τ. Many
// subtrees have equal censuses (the rounds of a loop), and those are summed up once.

// census is the calls of a subtree by class, ascending.
type census []tally

// tally is a number of calls of one class.
type tally struct{ class, calls uint32 }

// key returns a text that two censuses share if and only if they are equal.
func (c census) key() string {
	key := make([]byte, 0, 8*len(c))
	for _, t := range c {
		key = binary.NativeEndian.AppendUint32(key, t.class)
		key = binary.NativeEndian.AppendUint32(key, t.calls)
	}
	return string(key)
}

// censuses are the distinct censuses of one side of some groups.
type censuses struct {
	*Classes
	list []census
	of   []int32 // by group: index into list

	first []uint32 // by class, and one more
	has   []tally  // has[first[k]:first[k+1]]: the censuses with calls of class k
}

// withClass returns which censuses have calls of class k. In these tallies, class is an index into
// list.
func (s *censuses) withClass(k int) []tally { return s.has[s.first[k]:s.first[k+1]] }

func newCensuses(ctx context.Context, c *Classes, groups []Group,
	of func(Group) int) (*censuses, error) {
	roots := make([]int, len(groups))
	for i, group := range groups {
		roots[i] = of(group)
	}
	slices.Sort(roots)
	roots = slices.Compact(roots)
	all, err := takeCensuses(ctx, c, roots)
	if err != nil {
		return nil, err
	}
	s := &censuses{Classes: c, of: make([]int32, len(groups))}
	index, known := make([]int32, len(all)), map[string]int32{}
	for k := range all {
		key := all[k].key()
		i, ok := known[key]
		if !ok {
			i = int32(len(s.list))
			known[key] = i
			s.list = append(s.list, all[k])
		}
		index[k] = i
	}
	for i, group := range groups {
		k, _ := slices.BinarySearch(roots, of(group))
		s.of[i] = index[k]
	}
	s.indexByClass()
	return s, nil
}

// indexByClass makes the index that withClass uses.
func (s *censuses) indexByClass() {
	s.first = make([]uint32, len(s.Size)+1)
	for _, c := range s.list {
		for _, t := range c {
			s.first[t.class+1]++
		}
	}
	for k := range s.Size {
		s.first[k+1] += s.first[k]
	}
	s.has = make([]tally, s.first[len(s.Size)])
	next := slices.Clone(s.first)
	for i, c := range s.list {
		for _, t := range c {
			s.has[next[t.class]] = tally{uint32(i), t.calls}
			next[t.class]++
		}
	}
}

// takeCensuses counts the subtrees of the given calls, which are ascending. It counts each call
// once, even if the call is in several of the subtrees.
func takeCensuses(ctx context.Context, c *Classes, roots []int) ([]census, error) {
	e := enumerator{Classes: c, calls: make([]uint32, len(c.Size)), out: make([]census, len(roots))}
	for k, root := range roots {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		e.closeSubtrees(root)
		e.openSubtree(k, root)
	}
	e.closeSubtrees(math.MaxInt)
	return e.out, ctx.Err()
}

// enumerator counts the calls of the innermost subtree that is open. The counts of the subtrees
// around it are on the stack meanwhile.
type enumerator struct {
	*Classes
	calls []uint32 // by class
	found []uint32 // the classes k with calls[k] > 0
	at    int      // the next call to be counted
	stack []unfinished
	out   []census
}

// unfinished is a subtree that is being counted.
type unfinished struct {
	census, end int
	waiting     []tally // of the subtree around it
}

// openSubtree begins to count the subtree of call root.
func (e *enumerator) openSubtree(census, root int) {
	var waiting []tally
	if len(e.stack) > 0 {
		e.countTo(root)
		waiting = e.takeTallies()
	}
	e.at = root
	e.stack = append(e.stack, unfinished{census, e.Next(root), waiting})
}

// closeSubtrees completes the subtrees that end at call next or before.
func (e *enumerator) closeSubtrees(next int) {
	for n := len(e.stack) - 1; n >= 0 && e.stack[n].end <= next; n-- {
		u := e.stack[n]
		e.stack = e.stack[:n]
		e.countTo(u.end)
		tallies := e.takeTallies()
		slices.SortFunc(tallies, func(x, y tally) int { return int(x.class) - int(y.class) })
		e.out[u.census] = tallies
		if n > 0 {
			e.putTallies(u.waiting)
			e.putTallies(tallies)
		}
	}
}

// countTo counts the calls before end.
func (e *enumerator) countTo(end int) {
	for ; e.at < end; e.at++ {
		k := e.Class(e.at)
		if e.calls[k] == 0 {
			e.found = append(e.found, k)
		}
		e.calls[k]++
	}
}

// takeTallies returns what was counted, and counts from 0 again.
func (e *enumerator) takeTallies() []tally {
	out := make([]tally, len(e.found))
	for i, k := range e.found {
		out[i] = tally{k, e.calls[k]}
		e.calls[k] = 0
	}
	e.found = e.found[:0]
	return out
}

// putTallies adds to what was counted.
func (e *enumerator) putTallies(tallies []tally) {
	for _, t := range tallies {
		if e.calls[t.class] == 0 {
			e.found = append(e.found, t.class)
		}
		e.calls[t.class] += t.calls
	}
}

// within returns the classes of a subtree's calls, and those around them in the forest. Count is
// that of the census; Start is not summed up.
func (c *Classes) within(calls census) *Classes {
	to := slices.Repeat([]int32{none}, len(c.Base)) // by class: its number among those returned
	for _, t := range calls {
		for k := int32(t.class); k != none && to[k] == none; k = c.Base[k] {
			to[k] = 0
		}
	}
	out := &Classes{from: []uint32{0}}
	ends := make([]uint32, len(c.Base)+1) // by class: those returned that are before it
	for k, is := range to {
		ends[k] = uint32(len(out.Base))
		if is == none {
			continue
		}
		to[k] = int32(len(out.Base))
		base := c.Base[k]
		if base != none {
			base = to[base]
		}
		out.Base, out.Size = append(out.Base, base), append(out.Size, c.Size[k])
		out.added = append(out.added, c.added[c.from[k]:c.from[k+1]]...)
		out.from = append(out.from, uint32(len(out.added)))
	}
	ends[len(to)] = uint32(len(out.Base))
	for k, is := range to {
		if is != none {
			out.End = append(out.End, ends[c.End[k]])
		}
	}
	out.Count, out.Start = make([]uint64, len(out.Base)), make([]float64, len(out.Base))
	for _, t := range calls {
		out.Count[to[t.class]] = uint64(t.calls)
	}
	return out
}
