package account

import (
	"cmp"
	"iter"
	"slices"

	"diptych/internal/pair"
)

// cellIndex finds cells. There can be a million of them, of which most are on CPU, where function
// and caller say all. Of others it is two numbers that say all: that of kind, function and caller,
// and that of object and releaser.
type cellIndex struct {
	plain   pair.Numbers // parts on CPU, by function and caller,
	plainAt []int32      // and their cells

	called  [Kinds]pair.Numbers // by function and caller
	ended   pair.Numbers        // by object and releaser
	other   pair.Numbers        // parts that are not on CPU, by kind and by these numbers,
	otherAt []int32             // and their cells

	first []int32 // by function, and one more: its cells are list[first[f]:first[f+1]]
	list  []int32
}

// at returns the cell of a part, or −1.
func (x *cellIndex) at(p *Part) int {
	if p.Kind == CPU {
		if k := x.plain.Find(pair.KeyOf(p.Function, p.Caller)); k >= 0 {
			return int(x.plainAt[k])
		}
		return -1
	}
	called := x.called[p.Kind].Find(pair.KeyOf(p.Function, p.Caller))
	ended := x.ended.Find(pair.KeyOf(uint32(p.Object), uint32(p.Releaser)))
	if called >= 0 && ended >= 0 {
		if k := x.other.Find(otherKey(p.Kind, called, ended)); k >= 0 {
			return int(x.otherAt[k])
		}
	}
	return -1
}

// otherKey is the key in cellIndex.other.
func otherKey(k Kind, called, ended int32) uint64 {
	return uint64(k)<<61 | uint64(called)<<31 | uint64(ended)
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
	k := x.other.Of(otherKey(p.Kind, x.called[p.Kind].Of(pair.KeyOf(p.Function, p.Caller)),
		x.ended.Of(pair.KeyOf(uint32(p.Object), uint32(p.Releaser)))))
	if int(k) == len(x.otherAt) {
		x.otherAt = append(x.otherAt, int32(next))
	}
	return int(x.otherAt[k])
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

// beginCells begins with cells in which there is only the time of no thread, and with room for what
// one side was added up to, since most parts are there on both.
func (b *Balance) beginCells(all *adders) {
	var sites [2]int
	for _, own := range all.list {
		for sd := range sites {
			sites[sd] += len(own[sd][1].list)
		}
	}
	b.Cells = make([]Cell, 0, max(sites[0], sites[1]))
	for sd, ns := range b.nobody {
		if ns > 0 {
			b.Way[sd][Idle] += ns
			b.Cells[b.cellOf(&idlePart)].Amounts[sd].WayNs += ns
		}
	}
}

// addEntries adds what threads of a side come to, which are part of the totals or are not, to the
// cells and to what of them lies in scopes.
func (b *Balance) addEntries(sd pair.Side, entries iter.Seq[entry], counts bool) {
	for e := range entries {
		b.Way[sd][e.part.Kind] += e.WayNs
		if counts {
			b.Total[sd][e.part.Kind] += e.Ns
		}
		a := e.counted(counts)
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
	plain, other := make([]uint64, 0, len(x.plainAt)), make([]ranked, 0, len(x.otherAt))
	for i := range b.Cells {
		if p := &b.Cells[i].Part; p.Kind == CPU {
			plain = append(plain, pair.KeyOf(p.Function, p.Caller))
		} else {
			other = append(other, rankOf(p, int32(i)))
		}
	}
	slices.Sort(plain)
	slices.SortFunc(other, func(x, y ranked) int {
		return cmp.Or(cmp.Compare(x.called, y.called), cmp.Compare(x.ended, y.ended))
	})
	cells, to := make([]Cell, 0, len(b.Cells)), make([]int32, len(b.Cells))
	put := func(at int32) {
		to[at] = int32(len(cells))
		cells = append(cells, b.Cells[at])
	}
	for _, key := range plain {
		put(x.plainAt[x.plain.Find(key)])
	}
	for _, r := range other {
		put(r.cell)
	}
	b.Cells = cells
	for _, list := range [][]int32{x.plainAt, x.otherAt} {
		for k, at := range list {
			list[k] = to[at]
		}
	}
	for _, list := range b.scoped {
		for i := range list {
			list[i].Cell = int(to[list[i].Cell])
		}
	}
}

// ranked is a cell with numbers that are in the order of parts: of kind, function and caller, and
// of object and releaser.
type ranked struct {
	called, ended uint64
	cell          int32
}

// rankOf returns the rank of a part. No function has a number of 30 bits, and None is after all.
func rankOf(p *Part, cell int32) ranked {
	const none = 1<<30 - 1
	return ranked{uint64(p.Kind)<<60 | uint64(min(p.Function, none))<<30 | uint64(min(p.Caller, none)),
		pair.KeyOf(uint32(p.Object+1), uint32(p.Releaser+1)), cell} // from −1 on
}
