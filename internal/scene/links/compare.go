package links

import (
	"cmp"
	"math/bits"
	"slices"

	"diptych/internal/match"
)

// A frame compares the classes of what is visible, each of A with each of B. How many of them is
// bounded by the budget of tubes: as many pairs as each tube is worth, and as many rows as can be
// made in that time if none is there yet.
const (
	pairsPerTube = 400
	leastPairs   = 400_000
	rowsWork     = 30_000_000 // classes of B times rows
)

// slot is a class and a function of one side that are visible.
type slot struct {
	class    uint32
	id       uint32  // of the function
	next     int32   // 1 + index of another slot of the class, 0 for none
	size     uint32  // |Γ|
	n        int32   // drawable cells
	from     int32   // index in slots.cells of the first of them
	widest   float32 // of its cells, context included
	partners int32   // classes across that it matches
}

// slots are what is visible of one side by class and function, that with the widest cell first.
type slots struct {
	list    []slot
	cells   []int32 // drawable cells by slot, ascending
	byStart []int32 // the same by start; the same slice if there is one track
	of      []int32 // by class: 1 + index of its first slot in list, 0 for none
}

// table is how alike visible classes are.
type table struct {
	sides   [2]slots
	rows    []match.Row // by slot of A
	want    []uint32
	columns []column
}

// compare fills the table.
func (b *builder) compare() {
	t := &b.table
	for k := range t.sides {
		t.sides[k].gather(&b.sides[k])
	}
	b.bound()
	for k := range t.sides {
		t.sides[k].index(&b.sides[k])
	}
	t.want = t.want[:0]
	for _, s := range t.sides[0].list {
		t.want = append(t.want, s.class)
	}
	b.st.Rows.Want(t.want)
	clear(t.rows)
	t.rows = t.rows[:0]
	for _, a := range t.want {
		t.rows = append(t.rows, b.st.Rows.Of(a))
	}
	b.count()
}

// gather lists the classes of a side's cells.
func (t *slots) gather(s *side) {
	for _, old := range t.list {
		t.of[old.class] = 0
	}
	t.list = t.list[:0]
	if n := len(s.classes.Size); len(t.of) != n {
		t.of = make([]int32, n)
	}
	for i := range s.cells {
		c := &s.cells[i]
		k := t.find(c)
		if k < 0 {
			k = int32(len(t.list))
			t.list = append(t.list, slot{class: c.class, id: c.id, size: s.classes.Size[c.class]})
			t.link(k)
		}
		at := &t.list[k]
		at.widest = max(at.widest, c.rect.W())
		if c.drawable() {
			at.n++
		}
	}
	slices.SortFunc(t.list, func(x, y slot) int {
		return cmp.Or(cmp.Compare(y.widest, x.widest), cmp.Compare(x.class, y.class),
			cmp.Compare(x.id, y.id))
	})
}

// find returns the slot of a cell, or −1.
func (t *slots) find(c *cell) int32 {
	k := t.of[c.class] - 1
	for k >= 0 && t.list[k].id != c.id {
		k = t.list[k].next - 1
	}
	return k
}

// link makes slot k known by its class.
func (t *slots) link(k int32) {
	p := &t.list[k]
	p.next = t.of[p.class]
	t.of[p.class] = k + 1
}

// bound leaves out the classes of the narrowest cells if there are too many to compare.
func (b *builder) bound() {
	as, bs := &b.table.sides[0], &b.table.sides[1]
	n, m := len(as.list), len(bs.list)
	most := b.st.Effort
	if most <= 0 {
		most = max(pairsPerTube*b.budget(), leastPairs)
	}
	rows := max(rowsWork/max(len(b.graph.Sides[1].Size), 1), 64)
	if n <= rows && n*m <= most {
		return
	}
	n = min(n, rows)
	for n*m > most { // shorten the longer list
		if n > m {
			n = max(m, most/m)
		} else {
			m = max(n, most/n)
			if n*m > most {
				m = most / n
			}
		}
	}
	b.links.Partial = true
	as.cut(n)
	bs.cut(m)
}

func (t *slots) cut(n int) {
	for _, s := range t.list[n:] {
		t.of[s.class] = 0
	}
	t.list = t.list[:n]
}

// index lists the drawable cells by slot and tells each cell its slot.
func (t *slots) index(s *side) {
	at := int32(0)
	for _, p := range t.list {
		t.of[p.class] = 0
	}
	for k := range t.list {
		t.link(int32(k))
		p := &t.list[k]
		p.from = at
		at += p.n
		p.n = 0
	}
	t.cells = slices.Grow(t.cells[:0], int(at))[:at]
	for i := range s.cells {
		c := &s.cells[i]
		c.slot = t.find(c)
		if c.slot < 0 || !c.drawable() {
			continue
		}
		p := &t.list[c.slot]
		t.cells[p.from+p.n] = int32(i)
		p.n++
	}
	t.sortByStart(s)
}

func (t *slots) sortByStart(s *side) {
	t.byStart = append(t.byStart[:0], t.cells...)
	if len(s.tracks) < 2 {
		return
	}
	for _, p := range t.list {
		slices.SortFunc(t.byStart[p.from:p.from+p.n], func(x, y int32) int {
			return cmp.Or(cmp.Compare(s.cells[x].start, s.cells[y].start), cmp.Compare(x, y))
		})
	}
}

// members returns the drawable cells of slot k, ascending.
func (t *slots) members(k int32) []int32 {
	p := &t.list[k]
	return t.cells[p.from : p.from+p.n]
}

// column is a visible class of B as count goes through them.
type column struct {
	class, id uint32
	n         int32
	slot      int32
}

// count goes through all pairs of classes: it counts the matches of cells and notes for each class
// those it is most like. Classes of B come in their order in a row, so that it is read from end to
// end.
func (b *builder) count() {
	t, best := &b.table, &b.best
	as, bs := t.sides[0].list, t.sides[1].list
	t.columns = t.columns[:0]
	for j, q := range bs {
		t.columns = append(t.columns, column{q.class, q.id, q.n, int32(j)})
	}
	slices.SortFunc(t.columns, func(x, y column) int { return cmp.Compare(x.class, y.class) })
	best.reset(len(as), len(bs))
	var total uint64
	for i := range as {
		row, n := t.rows[i], uint64(as[i].n)
		for _, q := range t.columns {
			if !row.Exceeds(b.st.Tau, q.class) {
				continue
			}
			as[i].partners++
			bs[q.slot].partners++
			hi, lo := bits.Mul64(n, uint64(q.n))
			if total += lo; hi != 0 || total < lo {
				total = 1<<64 - 1
			}
			like := match.Rank{Same: as[i].id == q.id, S: row.Similarity(q.class)}
			if q.n > 0 {
				best.note(0, int32(i), q.slot, like)
			}
			if n > 0 {
				best.note(1, q.slot, int32(i), like)
			}
		}
	}
	b.links.Visible = total
}

// alike returns the rank of slot i of side k and slot j across, as far as it is one of all their
// cells, and whether they match.
func (b *builder) alike(k int, i, j int32) (match.Rank, bool) {
	if k == 1 {
		i, j = j, i
	}
	row, f, g := b.table.rows[i], &b.table.sides[0].list[i], &b.table.sides[1].list[j]
	if !row.Exceeds(b.st.Tau, g.class) {
		return match.Rank{}, false
	}
	return match.Rank{Same: f.id == g.id, S: row.Similarity(g.class)}, true
}
