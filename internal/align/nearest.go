package align

import (
	"cmp"
	"container/heap"
)

// neighbours is a list of strays in order of virtual time and a heap of the distances between those
// of different sides that stand next to each other.
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

// meet notes that x and y stand next to each other, if both exist.
func (n *neighbours) meet(x, y int) {
	if x >= 0 && y < len(n.class) && n.class[x].side != n.class[y].side {
		heap.Push(n, between{x, y, n.class[y].at - n.class[x].at})
	}
}

// close takes the neighbours x and y out of the list.
func (n *neighbours) close(x, y int) {
	before, after := n.prev[x], n.next[y]
	if before >= 0 {
		n.next[before] = after
	}
	if after < len(n.class) {
		n.prev[after] = before
	}
	n.next[x], n.prev[y] = x, y // no longer each other's
	n.next[y], n.prev[x] = y, x
	n.meet(before, after)
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
