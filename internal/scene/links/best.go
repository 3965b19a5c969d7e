package links

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"diptych/internal/pair"
)

// best is the partner of each cell. It is chosen among the cells across that are most similar:
// first those below the partner of the nearest caller that has a partner, then the nearest to the
// expected start. For example, if load in A is joined with load in B, then read, called half way
// through load, is joined with the read in B that is called about half way through that load.
//
// So the iterations of a loop are joined in order. Frames and callers out of view have partners
// too, which are not drawn but say where the partners of their callees are expected.
type best struct {
	sides   [2][]peak // by slot
	entries []entry
	partner [2][]int32   // by cell; none if there is none
	s       [2][]float64 // of the two
	context [2][]int32   // cells that are not drawable
}

// peak is the greatest similarity of a class and the classes across that have it.
type peak struct {
	s     float64
	first int32 // index into entries, or none
}

type entry struct{ slot, next int32 }

func (t *best) reset(n, m int) {
	t.entries = t.entries[:0]
	for k, n := range [2]int{n, m} {
		t.sides[k] = t.sides[k][:0]
		for range n {
			t.sides[k] = append(t.sides[k], peak{first: none})
		}
	}
}

// note takes slot j across as alike as s to slot i of side k. Equal similarities are equal numbers,
// since they are quotients of the same fraction.
func (t *best) note(k int, i, j int32, s float64) {
	p := &t.sides[k][i]
	switch {
	case s < p.s:
		return
	case s > p.s:
		p.s, p.first = s, none
	}
	t.entries = append(t.entries, entry{j, p.first})
	p.first = int32(len(t.entries) - 1)
}

// chooseBest picks the links that are the best of either end.
func (b *builder) chooseBest() {
	t := &b.best
	for k := range b.sides {
		t.context[k] = t.context[k][:0]
		for i := range b.sides[k].cells {
			if c := &b.sides[k].cells[i]; !c.drawable() && c.slot >= 0 {
				t.context[k] = append(t.context[k], int32(i))
			}
		}
	}
	for k := range b.sides {
		n := len(b.sides[k].cells)
		t.partner[k] = slices.Grow(t.partner[k][:0], n)[:n]
		t.s[k] = slices.Grow(t.s[k][:0], n)[:n]
		for i := range n {
			t.partner[k][i] = none
			b.seek(k, int32(i))
		}
	}
	if b.union(false); len(b.picked) == 0 && b.links.Visible > 0 {
		b.union(true)
	}
	most := b.budget()
	if len(b.picked) > most {
		slices.SortFunc(b.picked, func(x, y candidate) int {
			return cmp.Or(cmp.Compare(y.weight, x.weight), cmp.Compare(x.ends[0], y.ends[0]),
				cmp.Compare(x.ends[1], y.ends[1]))
		})
		b.picked = b.picked[:most]
	}
}

// union lists each link once that is the best of an end that is a single call, or the best of both
// ends. A run of narrow calls has one class, that of its longest call, which says little about the
// others. So a link that is the best of a run only is left out: otherwise all runs of a loop would
// be joined with the same run across. It is listed if alone is true, which is so where no other
// link is.
func (b *builder) union(alone bool) {
	t := &b.best
	for f, g := range t.partner[0] {
		if g != none && b.joins(int32(f), g) &&
			(alone || !b.sides[0].cells[f].run || t.partner[1][g] == int32(f)) {
			b.picked = append(b.picked, b.candidate(int32(f), g, t.s[0][f]))
		}
	}
	for g, f := range t.partner[1] {
		if f != none && b.joins(f, int32(g)) && (alone || !b.sides[1].cells[g].run) &&
			t.partner[0][f] != int32(g) {
			b.picked = append(b.picked, b.candidate(f, int32(g), t.s[1][g]))
		}
	}
}

func (b *builder) joins(f, g int32) bool {
	return b.sides[0].cells[f].drawable() && b.sides[1].cells[g].drawable()
}

// sought is where the partner of a cell is looked for.
type sought struct {
	lo, hi int32   // cells across below the partner of a caller
	at     float64 // expected start
}

// seek finds the partner of cell i of side k, after those of its callers.
func (b *builder) seek(k int, i int32) {
	c, across := &b.sides[k].cells[i], &b.sides[1-k]
	if c.slot < 0 {
		return
	}
	p := b.best.sides[k][c.slot]
	f := finder{side: across, sought: b.expected(k, c), found: none}
	for e := p.first; e != none; e = b.best.entries[e].next {
		f.look(&b.table.sides[1-k], b.best.entries[e].slot)
	}
	found, s := f.found, p.s
	if !c.drawable() {
		found, s = b.amongContext(k, c, f, s)
	}
	b.best.partner[k][i], b.best.s[k][i] = found, s
}

// amongContext seeks the partner of a cell that is not drawable among those across that are not
// either, given what was found among the others.
func (b *builder) amongContext(k int, c *cell, f finder, s float64) (int32, float64) {
	for _, g := range b.best.context[1-k] {
		i, j := c.slot, f.side.cells[g].slot
		if k == 1 {
			i, j = j, i
		}
		alike, ok := b.alike(i, j)
		if !ok || f.found != none && alike < s {
			continue
		}
		if f.found == none || alike > s {
			f.found, s = none, alike
		}
		f.consider(g)
	}
	return f.found, s
}

// expected returns where the partner of a cell of side k would be if the traces ran alike.
func (b *builder) expected(k int, c *cell) sought {
	own, across := &b.sides[k], &b.sides[1-k]
	for p := c.parent; p != none; p = own.cells[p].parent {
		g := b.best.partner[k][p]
		if g == none {
			continue
		}
		from, to := &own.cells[p], &across.cells[g]
		share := 0.
		if from.dur > 0 {
			share = float64(c.start-from.start) / float64(from.dur)
		}
		return sought{g + 1, to.end, float64(to.start) + share*float64(to.dur)}
	}
	here, there := own.d.Axis.Span, across.d.Axis.Span
	w := sought{at: there.Start + (float64(c.start)-here.Start)/here.Len()*there.Len()}
	if t := b.paired(k, c.thread); t != none {
		w.lo, w.hi = across.tracks[t].from, across.tracks[t].to
	}
	return w
}

// paired returns the track across of the thread paired with a thread of side k, or none.
func (b *builder) paired(k int, thread int32) int32 {
	other := b.graph.Scope.Threads.On(pair.Side(1 - k))
	if b.graph.Scope.Process {
		other = b.graph.Pair.Partner(pair.Side(k), int(thread))
	}
	if other < 0 {
		return none
	}
	return b.sides[1-k].byTrack[other]
}

// finder finds the nearest of a set of cells.
type finder struct {
	side *side
	sought
	found  int32
	inside bool // found is in [lo, hi)
	apart  float64
}

// look considers the cells of a slot.
func (f *finder) look(t *slots, slot int32) {
	members := t.members(slot)
	lo := sort.Search(len(members), func(i int) bool { return members[i] >= f.lo })
	hi := lo + sort.Search(len(members)-lo, func(i int) bool { return members[lo+i] >= f.hi })
	if lo < hi {
		f.nearest(members[lo:hi])
	} else if !f.inside {
		p := &t.list[slot]
		f.nearest(t.byStart[p.from : p.from+p.n])
	}
}

// nearest considers those of cells ordered by start that are nearest to the expected one.
func (f *finder) nearest(cells []int32) {
	start := func(i int) float64 { return float64(f.side.cells[cells[i]].start) }
	k := sort.Search(len(cells), func(i int) bool { return start(i) >= f.at })
	if k < len(cells) {
		f.consider(cells[k])
	}
	if k > 0 {
		first := sort.Search(k, func(i int) bool { return start(i) >= start(k-1) })
		f.consider(cells[first])
	}
}

// consider takes a cell if it is better placed than the one found.
func (f *finder) consider(g int32) {
	apart := math.Abs(float64(f.side.cells[g].start) - f.at)
	inside := f.lo <= g && g < f.hi
	switch {
	case f.found == none:
	case inside != f.inside:
		if f.inside {
			return
		}
	case apart > f.apart || apart == f.apart && g > f.found:
		return
	}
	f.found, f.inside, f.apart = g, inside, apart
}
