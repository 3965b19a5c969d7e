package links

import (
	"cmp"
	"math/bits"
	"slices"

	"diptych/internal/match"
)

// A frame compares the classes of what is visible, each of A with each of B. How many of them is
// bounded by the budget of tubes: as many pairs as each tube is worth.
const (
	pairsPerTube = 400
	leastPairs   = 400_000
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
	column   int32   // of the grid, if it is of B
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
	grid    *match.Grid // of the classes of A, by slot, and of those of B, by column
	other   *match.Grid // of classes that have no slot
	columns []column
	classes [2][]uint32 // what the grid compares
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
	t.fill(b.graph)
	b.count()
}

// fill compares the classes of the slots. Those of B have columns in the order of the classes.
func (t *table) fill(g *match.Graph) {
	if t.grid == nil || t.grid.Graph() != g {
		t.grid, t.other = match.NewGrid(g), match.NewGrid(g)
	}
	as, bs := t.sides[0].list, t.sides[1].list
	t.columns = t.columns[:0]
	for j, q := range bs {
		t.columns = append(t.columns, column{q.class, q.id, q.n, int32(j)})
	}
	slices.SortFunc(t.columns, func(x, y column) int { return cmp.Compare(x.class, y.class) })
	t.classes[0], t.classes[1] = t.classes[0][:0], t.classes[1][:0]
	for i := range as {
		t.classes[0] = append(t.classes[0], as[i].class)
	}
	for k, q := range t.columns {
		bs[q.slot].column = int32(k)
		t.classes[1] = append(t.classes[1], q.class)
	}
	t.grid.Compare(t.classes[0], t.classes[1])
}

// compareAny reports whether a class of side k matches any of some classes across, which are
// ascending.
func (t *table) compareAny(tau match.Tau, k int, class uint32, across []uint32) bool {
	sides := [2][]uint32{across, across}
	sides[k] = []uint32{class}
	t.other.Compare(sides[0], sides[1])
	for i := range sides[0] {
		for j := range sides[1] {
			if t.other.Row(i).Exceeds(tau, j) {
				return true
			}
		}
	}
	return false
}

// widest returns the classes of the n widest slots, ascending.
func (t *slots) widest(n int) (classes []uint32) {
	for _, s := range t.list[:min(n, len(t.list))] {
		classes = append(classes, s.class)
	}
	slices.Sort(classes)
	return classes
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
	if n*m <= most {
		return
	}
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
// those it is most like.
func (b *builder) count() {
	t, best := &b.table, &b.best
	as, bs := t.sides[0].list, t.sides[1].list
	best.reset(len(as), len(bs))
	var total uint64
	for i := range as {
		row, n := t.grid.Row(i), uint64(as[i].n)
		for j, q := range t.columns {
			if !row.Exceeds(b.st.Tau, j) {
				continue
			}
			as[i].partners++
			bs[q.slot].partners++
			hi, lo := bits.Mul64(n, uint64(q.n))
			if total += lo; hi != 0 || total < lo {
				total = 1<<64 - 1
			}
			like := match.Rank{Same: as[i].id == q.id, S: row.Similarity(j)}
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
	f, g := &b.table.sides[0].list[i], &b.table.sides[1].list[j]
	row, column := b.table.grid.Row(int(i)), int(g.column)
	if !row.Exceeds(b.st.Tau, column) {
		return match.Rank{}, false
	}
	return match.Rank{Same: f.id == g.id, S: row.Similarity(column)}, true
}
