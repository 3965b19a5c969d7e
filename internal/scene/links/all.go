package links

import (
	"math"
	"slices"
)

// all picks the most important of all matches. Cells of both sides are taken in the order of their
// widths; each newcomer is joined with all wider cells across, by class: each of these matches has
// the importance s times the newcomer's width. No later match can be more important than the
// newcomer is wide, so the search ends once enough matches reach that.
type all struct {
	order [2][]uint64 // drawable cells, the widest first: see rank
	taken [2][]int32  // by slot: how many of its cells have been taken
	cells [2][]int32  // those, from slot.from on
	heap  []batch     // the least important first
	held  int         // matches in heap
	most  int         // matches wanted
}

// batch is the matches of a cell of one side with the first n cells taken of a slot across.
type batch struct {
	weight, s float64
	n         int32
	side      uint8
	cell      int32
	slot      int32
}

// chooseAll picks from all matches among the visible cells.
func (b *builder) chooseAll() {
	t := &b.all
	t.heap, t.held, t.most = t.heap[:0], 0, b.budget()
	for k := range t.order {
		t.reset(k, &b.sides[k], &b.table.sides[k])
	}
	var next [2]int
	for {
		k, i := b.widest(next)
		if k < 0 {
			break
		}
		next[k]++
		w := float64(b.sides[k].cells[i].rect.W())
		if t.held >= t.most && t.heap[0].weight >= w {
			break
		}
		b.join(k, i, w)
		t.take(k, i, b.sides[k].cells[i].slot, &b.table.sides[k])
	}
	b.list()
}

func (t *all) reset(k int, s *side, table *slots) {
	t.order[k] = t.order[k][:0]
	for _, i := range table.cells {
		t.order[k] = append(t.order[k], rank(s.cells[i].rect.W(), i))
	}
	slices.Sort(t.order[k])
	t.taken[k] = slices.Grow(t.taken[k][:0], len(table.list))[:len(table.list)]
	clear(t.taken[k])
	t.cells[k] = slices.Grow(t.cells[k][:0], len(table.cells))[:len(table.cells)]
}

// rank orders cells by width, the widest first, and then by index. The bits of floating point
// numbers that are not negative order as these do.
func rank(width float32, i int32) uint64 {
	return uint64(^math.Float32bits(width))<<32 | uint64(uint32(i))
}

// widest returns the side and the index of the widest cell that is left, or −1.
func (b *builder) widest(next [2]int) (k int, i int32) {
	k = -1
	for s := range next {
		if next[s] == len(b.all.order[s]) {
			continue
		}
		at := int32(uint32(b.all.order[s][next[s]]))
		if k < 0 || b.sides[s].cells[at].rect.W() > b.sides[k].cells[i].rect.W() {
			k, i = s, at
		}
	}
	return k, i
}

func (t *all) take(k int, i, slot int32, table *slots) {
	t.cells[k][table.list[slot].from+t.taken[k][slot]] = i
	t.taken[k][slot]++
}

// join adds the matches of a cell with those taken across.
func (b *builder) join(k int, i int32, w float64) {
	t, c := &b.all, &b.sides[k].cells[i]
	if b.table.sides[k].list[c.slot].partners == 0 {
		return
	}
	for other, n := range t.taken[1-k] {
		if n == 0 {
			continue
		}
		like, ok := b.alike(k, c.slot, int32(other))
		if !ok || t.held >= t.most && like.S*w <= t.heap[0].weight {
			continue
		}
		t.push(batch{like.S * w, like.S, n, uint8(k), i, int32(other)})
		for t.held-int(t.heap[0].n) >= t.most {
			t.pop()
		}
	}
}

// list turns batches into matches; the last of the least important ones may be too many.
func (b *builder) list() {
	t := &b.all
	for i := range t.heap {
		x := &t.heap[i]
		n := x.n
		if i == 0 {
			n -= int32(max(t.held-t.most, 0))
		}
		from := b.table.sides[1-x.side].list[x.slot].from
		for _, other := range t.cells[1-x.side][from : from+n] {
			f, g := x.cell, other
			if x.side == 1 {
				f, g = g, f
			}
			b.picked = append(b.picked, b.candidate(f, g, x.s))
		}
	}
}

func (t *all) push(x batch) {
	t.held += int(x.n)
	t.heap = append(t.heap, x)
	for i := len(t.heap) - 1; i > 0; {
		up := (i - 1) / 2
		if t.heap[up].weight <= t.heap[i].weight {
			break
		}
		t.heap[up], t.heap[i] = t.heap[i], t.heap[up]
		i = up
	}
}

func (t *all) pop() {
	t.held -= int(t.heap[0].n)
	last := len(t.heap) - 1
	t.heap[0] = t.heap[last]
	t.heap = t.heap[:last]
	for i := 0; ; {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < last; c++ {
			if t.heap[c].weight < t.heap[least].weight {
				least = c
			}
		}
		if least == i {
			return
		}
		t.heap[i], t.heap[least] = t.heap[least], t.heap[i]
		i = least
	}
}
