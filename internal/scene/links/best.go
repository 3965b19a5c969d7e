package links

import (
	"cmp"
	"slices"
	"sort"

	"diptych/internal/match"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// best is the partner of each cell: the best match (match.Rank) among the cells across. It is
// expected below the partner of the nearest caller that has a partner. For example, if load in A is
// joined with load in B, then read, called half way through load, is joined with the read in B that
// is called about half way through that load, unless the alignment pairs it with another.
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

// peak is the best rank of a slot, as far as slots decide it, and the slots across that have it.
type peak struct {
	like  match.Rank
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

// note takes slot j across as alike to slot i of side k. Equal similarities are equal numbers,
// since they are quotients of the same fraction.
func (t *best) note(k int, i, j int32, like match.Rank) {
	p := &t.sides[k][i]
	order := -1
	if p.first != none {
		order = like.Compare(p.like)
	}
	switch {
	case order > 0:
		return
	case order < 0:
		p.like, p.first = like, none
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
		if b.st.Aligned != nil {
			b.sides[k].order()
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

// seek finds the partner of cell i of side k, after those of its callers.
func (b *builder) seek(k int, i int32) {
	c := &b.sides[k].cells[i]
	if c.slot < 0 {
		return
	}
	p := b.best.sides[k][c.slot]
	f := finder{side: &b.sides[1-k], place: b.expected(k, c), like: p.like, found: none}
	for e := p.first; e != none; e = b.best.entries[e].next {
		f.look(&b.table.sides[1-k], b.best.entries[e].slot)
	}
	if !c.drawable() {
		for _, g := range b.best.context[1-k] {
			b.consider(k, c, &f, g, false)
		}
	}
	if g := b.aligned(k, c); g != none && (f.side.cells[g].drawable() || !c.drawable()) {
		b.consider(k, c, &f, g, true)
	}
	b.best.partner[k][i], b.best.s[k][i] = f.found, f.rank.S
}

// consider takes cell g across for the partner of c if it is a better match.
func (b *builder) consider(k int, c *cell, f *finder, g int32, aligned bool) {
	slot := f.side.cells[g].slot
	if slot < 0 {
		return
	}
	if like, ok := b.alike(k, c.slot, slot); ok {
		f.like = like
		f.like.Aligned = aligned
		f.consider(g)
	}
}

// aligned returns the cell of the call that the alignment pairs a cell's call with, or none.
func (b *builder) aligned(k int, c *cell) int32 {
	if b.st.Aligned == nil {
		return none
	}
	ref, ok := b.st.Aligned(k, c.ref())
	if !ok {
		return none
	}
	return b.sides[1-k].cellOf(ref)
}

// order lists the cells by their calls: callers out of view are cells too, and come after what they
// call.
func (s *side) order() {
	s.byCall = s.byCall[:0]
	for i := range s.cells {
		s.byCall = append(s.byCall, int32(i))
	}
	slices.SortFunc(s.byCall, func(i, j int32) int { return orderOf(s.cells[i].ref(), s.cells[j].ref()) })
}

// orderOf compares calls by thread, and then in pre-order.
func orderOf(x, y trace.CallRef) int {
	return cmp.Or(cmp.Compare(x.Thread, y.Thread), cmp.Compare(x.Call, y.Call))
}

// cellOf returns the cell that is drawn of a call, or none. The cells must be in order.
func (s *side) cellOf(ref trace.CallRef) int32 {
	n, found := sort.Find(len(s.byCall), func(i int) int {
		return orderOf(ref, s.cells[s.byCall[i]].ref())
	})
	if !found {
		return none
	}
	return s.byCall[n]
}

// expected returns where the partner of a cell of side k would be if the traces ran alike.
func (b *builder) expected(k int, c *cell) match.Place {
	own, across := &b.sides[k], &b.sides[1-k]
	at := float64(c.start)
	for p := c.parent; p != none; p = own.cells[p].parent {
		g := b.best.partner[k][p]
		if g == none {
			continue
		}
		from, to := &own.cells[p], &across.cells[g]
		return match.Place{From: int(g) + 1, To: int(to.end), At: match.Across(at, float64(from.start),
			float64(from.dur), float64(to.start), float64(to.dur))}
	}
	here, there := own.d.Axis.Span, across.d.Axis.Span
	w := match.Place{At: match.Across(at, here.Start, here.Len(), there.Start, there.Len())}
	if t := b.paired(k, c.thread); t != none {
		w.From, w.To = int(across.tracks[t].from), int(across.tracks[t].to)
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

// finder finds the best of a set of cells for one that is expected at a place.
type finder struct {
	side  *side
	place match.Place
	like  match.Rank // of what is considered, as far as its place does not decide
	found int32
	rank  match.Rank // of found
}

// look considers those of the cells of a slot that can be the best: the nearest where the partner
// is expected or, if there are none, the nearest of all.
func (f *finder) look(t *slots, slot int32) {
	members := t.members(slot)
	lo := sort.Search(len(members), func(i int) bool { return int(members[i]) >= f.place.From })
	hi := lo + sort.Search(len(members)-lo, func(i int) bool { return int(members[lo+i]) >= f.place.To })
	if lo < hi {
		f.nearest(members[lo:hi])
	} else if f.found == none || !f.rank.Below {
		p := &t.list[slot]
		f.nearest(t.byStart[p.from : p.from+p.n])
	}
}

// nearest considers those of cells ordered by start that are nearest to the expected one.
func (f *finder) nearest(cells []int32) {
	start := func(i int) float64 { return float64(f.side.cells[cells[i]].start) }
	k := sort.Search(len(cells), func(i int) bool { return start(i) >= f.place.At })
	if k < len(cells) {
		f.consider(cells[k])
	}
	if k > 0 {
		first := sort.Search(k, func(i int) bool { return start(i) >= start(k-1) })
		f.consider(cells[first])
	}
}

// consider takes a cell if it is a better match than the one found.
func (f *finder) consider(g int32) {
	r := f.place.Rank(int(g), float64(f.side.cells[g].start))
	r.Same, r.Aligned, r.S = f.like.Same, f.like.Aligned, f.like.S
	if f.found == none || r.Compare(f.rank) < 0 {
		f.found, f.rank = g, r
	}
}
