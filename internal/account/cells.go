package account

import (
	"cmp"
	"slices"

	"diptych/internal/pair"
)

// cellIndex finds cells. There can be a million of them, of which most are on CPU, where function
// and caller say all.
type cellIndex struct {
	plain   pair.Numbers // parts on CPU, by function and caller,
	plainAt []int32      // and their cells
	other   map[Part]int32

	first []int32 // by function, and one more: its cells are list[first[f]:first[f+1]]
	list  []int32
}

// at returns the cell of a part, or −1.
func (x *cellIndex) at(p *Part) int {
	if p.Kind == CPU {
		if k := x.plain.Find(pair.KeyOf(p.Function, p.Caller)); k >= 0 {
			return int(x.plainAt[k])
		}
	} else if at, ok := x.other[*p]; ok {
		return int(at)
	}
	return -1
}

// atOrNext returns the cell of a part; that of a new one is the next.
func (x *cellIndex) atOrNext(p *Part, next int) int {
	if p.Kind == CPU {
		k := x.plain.Of(pair.KeyOf(p.Function, p.Caller))
		if int(k) == len(x.plainAt) {
			x.plainAt = append(x.plainAt, int32(next))
		}
		return int(x.plainAt[k])
	}
	at, ok := x.other[*p]
	if !ok {
		at = int32(next)
		x.other[*p] = at
	}
	return int(at)
}

// gather lists the cells of each of so many functions, and those of None.
func (x *cellIndex) gather(cells []Cell, functions int) {
	x.first, x.list = make([]int32, functions+2), make([]int32, len(cells))
	for i := range cells {
		x.first[min(int(cells[i].Function), functions)+1]++
	}
	for f := range x.first[1:] {
		x.first[f+1] += x.first[f]
	}
	next := slices.Clone(x.first)
	for i := range cells {
		f := min(int(cells[i].Function), functions)
		x.list[next[f]] = int32(i)
		next[f]++
	}
}

// of returns the cells of a function, in their order.
func (x *cellIndex) of(function uint32) []int32 {
	f := min(int(function), len(x.first)-2)
	return x.list[x.first[f]:x.first[f+1]]
}

// counted returns what of an entry is part of the totals of a thread that counts, or does not.
func (e *entry) counted(counts bool) Amount {
	if counts {
		return e.Amount
	}
	return Amount{WayNs: e.WayNs}
}

// beginCells begins with cells in which there is only the time of no thread.
func (b *Balance) beginCells() {
	b.index.other = map[Part]int32{}
	for sd, ns := range b.nobody {
		if ns > 0 {
			b.Way[sd][Idle] += ns
			b.Cells[b.cellOf(&idlePart)].Amounts[sd].WayNs += ns
		}
	}
}

// sumUpPiece adds a piece to its thread, to the cells, and to what of them lies in scopes.
func (b *Balance) sumUpPiece(of *task) {
	sd := of.Side
	th := &b.Threads[sd][of.thread]
	for i := range of.entries {
		e := &of.entries[i]
		th.Ns[e.part.Kind] += e.Ns
		b.Way[sd][e.part.Kind] += e.WayNs
		if th.Counts {
			b.Total[sd][e.part.Kind] += e.Ns
		}
		a := e.counted(th.Counts)
		if a == (Amount{}) {
			continue
		}
		cell := b.cellOf(&e.part)
		b.Cells[cell].Amounts[sd].add(a)
		if e.scope != 0 {
			for int(e.scope) >= len(b.scoped) {
				b.scoped = append(b.scoped, nil)
			}
			b.scoped[e.scope] = append(b.scoped[e.scope],
				Portion{cell, deltaOn(int(sd), a, e.part.Kind.Works())})
		}
	}
	if th.entries == nil {
		th.entries = of.entries
	} else {
		th.entries = append(th.entries, of.entries...)
	}
	of.entries = nil
}

// orderCells brings the cells into the order of parts, and notes which scopes there are.
func (b *Balance) orderCells(known *scopes) {
	b.sortCells()
	b.index.gather(b.Cells, len(b.Pair.Names))
	b.scoped = append(b.scoped, make([][]Portion, len(known.open)-len(b.scoped))...)
	b.scopesOf = map[uint32][]int32{}
	for scope, open := range known.open {
		for _, fn := range open {
			b.scopesOf[fn] = append(b.scopesOf[fn], int32(scope))
		}
	}
}

// cellOf returns the cell of a part, which may be new.
func (b *Balance) cellOf(p *Part) int {
	at := b.index.atOrNext(p, len(b.Cells))
	if at == len(b.Cells) {
		b.Cells = append(b.Cells, Cell{Part: *p})
	}
	return at
}

// sortCells brings the cells into the order of parts: those on CPU come first, by function and
// caller, which are their keys.
func (b *Balance) sortCells() {
	x := &b.index
	var plain []uint64
	var other []Part
	for i := range b.Cells {
		if p := &b.Cells[i].Part; p.Kind == CPU {
			plain = append(plain, pair.KeyOf(p.Function, p.Caller))
		} else {
			other = append(other, *p)
		}
	}
	slices.Sort(plain)
	slices.SortFunc(other, compareParts)
	cells, to := make([]Cell, 0, len(b.Cells)), make([]int32, len(b.Cells))
	put := func(at *int32) {
		to[*at] = int32(len(cells))
		cells = append(cells, b.Cells[*at])
		*at = to[*at]
	}
	for _, key := range plain {
		put(&x.plainAt[x.plain.Find(key)])
	}
	for _, p := range other {
		at := x.other[p]
		put(&at)
		x.other[p] = at
	}
	b.Cells = cells
	for _, list := range b.scoped {
		for i := range list {
			list[i].Cell = int(to[list[i].Cell])
		}
	}
}

func compareParts(x, y Part) int {
	return cmp.Or(cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Function, y.Function),
		cmp.Compare(x.Caller, y.Caller), cmp.Compare(x.Object, y.Object),
		cmp.Compare(x.Releaser, y.Releaser))
}
