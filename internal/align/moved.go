package align

import (
	"cmp"
	"container/heap"
	"context"
	"slices"

	"diptych/internal/pair"
)

// Moved subtrees: the same calls in another place.
//
// A gap A and a gap B are linked if their subtrees are identical. Candidates are all subtrees of
// at least four calls inside maximal subtrees without partners. They are sorted by size, then by
// hash, then by virtual time, so that identical ones stand together, largest first. Within such a
// class the nearest two of different sides are linked, then the nearest two of those that are
// left, and so on:
//
//	virtual time:  A at 10, B at 18, A at 20, B at 50    links 20 with 18, then 10 with 50
//
// For n candidates this takes time n·log n, and 32 bytes each. Hashes are checked call by call.

// leastMoved is the least number of calls of a subtree that counts as moved.
const leastMoved = 4

// Move links two identical subtrees, one only in A and one only in B.
type Move struct {
	A, B int32  // their roots, by pre-order index
	Size uint32 // calls of either
}

// Moved returns the links, largest first, then by place in A. No call is in two links.
func (v *Virtual) Moved(ctx context.Context) ([]Move, error) {
	strays, err := v.strays(ctx)
	if err != nil {
		return nil, err
	}
	return v.link(ctx, strays)
}

// Moved is that of a Result's Virtual, which it makes only if there may be links: if some subtree
// without partners has the hash of another on the other side.
func (r *Result) Moved(ctx context.Context) ([]Move, error) {
	strays, err := r.strays(ctx)
	if err != nil || !anyTwins(strays) {
		return nil, err
	}
	v, err := r.Virtual(ctx)
	if err != nil {
		return nil, err
	}
	return v.link(ctx, strays)
}

// anyTwins reports whether some strays of different sides may be identical. A's come first.
func anyTwins(strays []stray) bool {
	of := map[uint64]bool{}
	for _, s := range strays {
		if s.side == pair.A {
			of[s.hash] = true
		} else if of[s.hash] {
			return true
		}
	}
	return false
}

// link links strays that are identical.
func (v *Virtual) link(ctx context.Context, strays []stray) ([]Move, error) {
	for k := range strays {
		strays[k].at = v.Start[strays[k].side][strays[k].call]
	}
	slices.SortFunc(strays, func(x, y stray) int {
		return cmp.Or(cmp.Compare(y.size, x.size), cmp.Compare(x.hash, y.hash),
			cmp.Compare(x.at, y.at), cmp.Compare(x.side, y.side), cmp.Compare(x.call, y.call))
	})
	m := mover{v: v}
	for from := 0; from < len(strays); {
		to := from + 1
		for to < len(strays) && strays[to].size == strays[from].size &&
			strays[to].hash == strays[from].hash {
			to++
		}
		m.linkClass(strays[from:to])
		if from = to; ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	slices.SortStableFunc(m.moves, func(x, y Move) int {
		return cmp.Or(cmp.Compare(y.Size, x.Size), cmp.Compare(x.A, y.A))
	})
	return m.moves, nil
}

// stray is a subtree without partners.
type stray struct {
	hash uint64
	at   int64 // virtual start, once that is known
	call int32
	size uint32
	side pair.Side
}

// strays returns the subtrees that have no partners and are large enough, A's first.
func (r *Result) strays(ctx context.Context) (out []stray, err error) {
	for s := range r.Threads {
		if out, err = r.findStrays(ctx, pair.Side(s), out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// findStrays appends the strays of side s. It keeps the hashes of one maximal subtree without
// partners at a time.
func (r *Result) findStrays(ctx context.Context, s pair.Side, out []stray) ([]stray, error) {
	th, partner := r.Threads[s], r.Partner[s]
	var hashes []uint64
	for root := 0; root < len(partner); {
		size := int(th.Size(root))
		switch {
		case partner[root] != None || r.Passed[s].Has(int32(root)):
			root++
			continue
		case size >= leastMoved:
			hashes = r.hashSubtrees(s, root, hashes)
			for k, h := range hashes {
				if i := root + k; th.Size(i) >= leastMoved {
					out = append(out, stray{h, 0, int32(i), th.Size(i), s})
				}
			}
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
		}
		root += size
	}
	return out, nil
}

// hashSubtrees returns the hashes of all subtrees of call root of side s, in pre-order. A hash is
// made of the function's identity and of the callees' hashes in order. The result uses the memory
// of buf.
func (r *Result) hashSubtrees(s pair.Side, root int, buf []uint64) []uint64 {
	th := r.Threads[s]
	n := int(th.Size(root))
	buf = slices.Grow(buf[:0], n)[:n]
	for k := n - 1; k >= 0; k-- {
		h := mix(uint64(r.ID(s, root+k)) + 1)
		for c, last := k+1, k+int(th.Size(root+k)); c < last; c += int(th.Size(root + c)) {
			h = mix(h ^ buf[c])
		}
		buf[k] = mix(h ^ uint64(th.Size(root+k))<<32)
	}
	return buf
}

// mix spreads the bits of x (the finaliser of splitmix64).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// mover links strays, larger ones before smaller.
type mover struct {
	v     *Virtual
	taken [2][]bool // by side and call: is in a link
	moves []Move
}

// linkClass links the strays of one class, which are in order of virtual time: of all that are
// left, the two of different sides that are nearest to each other, again and again. These are
// always neighbours. So it looks at neighbours, and after each link at the two that become
// neighbours.
func (m *mover) linkClass(class []stray) {
	class = slices.DeleteFunc(class, func(s stray) bool {
		return m.taken[s.side] != nil && m.taken[s.side][s.call]
	})
	near := neighbours{class: class}
	for k := range class {
		near.prev, near.next = append(near.prev, k-1), append(near.next, k+1)
		near.addGap(k-1, k)
	}
	for len(near.gaps) > 0 {
		g := heap.Pop(&near).(between)
		if near.next[g.x] != g.y || near.prev[g.y] != g.x {
			continue // one of them is linked already
		}
		m.linkPair(class[g.x], class[g.y])
		near.removePair(g.x, g.y)
	}
}

// linkPair links two strays of different sides if they are really identical.
func (m *mover) linkPair(x, y stray) {
	if x.side == pair.B {
		x, y = y, x
	}
	if !m.v.identical(x, y) {
		return
	}
	m.moves = append(m.moves, Move{x.call, y.call, x.size})
	for _, s := range [2]stray{x, y} {
		if m.taken[s.side] == nil {
			m.taken[s.side] = make([]bool, m.v.Threads[s.side].Len())
		}
		for k := range int32(s.size) {
			m.taken[s.side][s.call+k] = true
		}
	}
}

// identical compares two subtrees call by call; in pre-order, sizes give the shape.
func (v *Virtual) identical(a, b stray) bool {
	ta, tb := v.Threads[a.side], v.Threads[b.side]
	for k := range int(a.size) {
		i, j := int(a.call)+k, int(b.call)+k
		if ta.Size(i) != tb.Size(j) || v.ID(a.side, i) != v.ID(b.side, j) {
			return false
		}
	}
	return true
}

// neighbours is a list of strays in order of virtual time, and a heap of the distances between
// neighbours of different sides.
type neighbours struct {
	class      []stray
	prev, next []int // of those that are left; next is outdated in those that are not
	gaps       []between
}

// between is the distance from stray x to the next one, y.
type between struct {
	x, y     int
	distance int64
}

// addGap adds the distance of x and y, if both exist and are of different sides.
func (n *neighbours) addGap(x, y int) {
	if x >= 0 && y < len(n.class) && n.class[x].side != n.class[y].side {
		heap.Push(n, between{x, y, n.class[y].at - n.class[x].at})
	}
}

// removePair takes the neighbours x and y out of the list.
func (n *neighbours) removePair(x, y int) {
	before, after := n.prev[x], n.next[y]
	if before >= 0 {
		n.next[before] = after
	}
	if after < len(n.class) {
		n.prev[after] = before
	}
	n.next[x], n.prev[y] = x, y // no longer each other's
	n.next[y], n.prev[x] = y, x
	n.addGap(before, after)
}

// Len, Less, Swap, Push and Pop make a heap of the distances; ties go to the earliest.
func (n *neighbours) Len() int { return len(n.gaps) }

func (n *neighbours) Less(i, k int) bool {
	a, b := n.gaps[i], n.gaps[k]
	return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.x, b.x)) < 0
}

func (n *neighbours) Swap(i, k int) { n.gaps[i], n.gaps[k] = n.gaps[k], n.gaps[i] }

func (n *neighbours) Push(g any) { n.gaps = append(n.gaps, g.(between)) }

func (n *neighbours) Pop() any {
	last := n.gaps[len(n.gaps)-1]
	n.gaps = n.gaps[:len(n.gaps)-1]
	return last
}
