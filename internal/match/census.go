package match

import (
	"context"
	"encoding/binary"
	"math"
	"slices"
)

// census is the calls of a subtree by class.
type census struct {
	root    uint32  // the subtree's own class
	tallies []tally // ascending by class
}

// tally is that there are some calls of a class.
type tally struct{ class, calls uint32 }

// same is a key that equal censuses have, and no others. Their roots are equal too: the Γ of a root
// holds those of all the others.
func (c *census) same() string {
	key := make([]byte, 0, 8*len(c.tallies))
	for _, t := range c.tallies {
		key = binary.NativeEndian.AppendUint32(key, t.class)
		key = binary.NativeEndian.AppendUint32(key, t.calls)
	}
	return string(key)
}

// censuses are those of one side's calls of some groups, equal ones once.
type censuses struct {
	*Classes
	list []census
	of   []int32 // by group: index into list

	first []uint32 // by class, and one more
	has   []tally  // has[first[k]:first[k+1]]: which of list have calls of class k
}

// having returns which censuses have calls of class k, as tallies of censuses.
func (s *censuses) having(k int) []tally { return s.has[s.first[k]:s.first[k+1]] }

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
		key := all[k].same()
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
	s.index()
	return s, nil
}

// index fills in which censuses have calls of which class.
func (s *censuses) index() {
	s.first = make([]uint32, len(s.Size)+1)
	for _, c := range s.list {
		for _, t := range c.tallies {
			s.first[t.class+1]++
		}
	}
	for k := range s.Size {
		s.first[k+1] += s.first[k]
	}
	s.has = make([]tally, s.first[len(s.Size)])
	next := slices.Clone(s.first)
	for i, c := range s.list {
		for _, t := range c.tallies {
			s.has[next[t.class]] = tally{uint32(i), t.calls}
			next[t.class]++
		}
	}
}

// takeCensuses counts the subtrees of the given calls, which are ascending. It looks at each call
// once, however many of the subtrees it is in.
func takeCensuses(ctx context.Context, c *Classes, roots []int) ([]census, error) {
	e := enumerator{Classes: c, calls: make([]uint32, len(c.Size)), out: make([]census, len(roots))}
	for k, root := range roots {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		e.leave(root)
		e.enter(k, root)
	}
	e.leave(math.MaxInt)
	return e.out, ctx.Err()
}

// enumerator counts the calls of the innermost subtree it is in. What was counted of those around
// it waits on the stack.
type enumerator struct {
	*Classes
	calls []uint32 // by class
	found []uint32 // the classes that calls is not 0 for
	at    int      // the next call to be counted
	stack []unfinished
	out   []census
}

// unfinished is a subtree that is being counted.
type unfinished struct {
	census, end int
	waiting     []tally // of the subtree around it
}

// enter begins the subtree of call root.
func (e *enumerator) enter(census, root int) {
	var waiting []tally
	if len(e.stack) > 0 {
		e.count(root)
		waiting = e.take()
	}
	e.at = root
	e.out[census].root = e.Class(root)
	e.stack = append(e.stack, unfinished{census, e.Next(root), waiting})
}

// leave ends the subtrees that end before call next or with it.
func (e *enumerator) leave(next int) {
	for n := len(e.stack) - 1; n >= 0 && e.stack[n].end <= next; n-- {
		u := e.stack[n]
		e.stack = e.stack[:n]
		e.count(u.end)
		tallies := e.take()
		slices.SortFunc(tallies, func(x, y tally) int { return int(x.class) - int(y.class) })
		e.out[u.census].tallies = tallies
		if n > 0 {
			e.put(u.waiting)
			e.put(tallies)
		}
	}
}

// count counts the calls up to end.
func (e *enumerator) count(end int) {
	for ; e.at < end; e.at++ {
		k := e.Class(e.at)
		if e.calls[k] == 0 {
			e.found = append(e.found, k)
		}
		e.calls[k]++
	}
}

// take empties what was counted and returns it.
func (e *enumerator) take() []tally {
	out := make([]tally, len(e.found))
	for i, k := range e.found {
		out[i] = tally{k, e.calls[k]}
		e.calls[k] = 0
	}
	e.found = e.found[:0]
	return out
}

// put counts what was taken.
func (e *enumerator) put(tallies []tally) {
	for _, t := range tallies {
		if e.calls[t.class] == 0 {
			e.found = append(e.found, t.class)
		}
		e.calls[t.class] += t.calls
	}
}
