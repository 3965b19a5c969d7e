package links

import "diptych/internal/match"

// groups finds the group of each link: of the matches (u,v) of callers-or-self of its ends that are
// no frames, that with the uppermost u, and of these that with the uppermost v. No other such match
// lies above both.
type groups struct {
	of    map[[2]int32]int32 // by roots: index into Links.Groups
	up    [2][]int32         // chains of the ends, innermost first
	last  [2]int32           // the tops those begin with
	roots [][2]int32         // by group
}

// assign gives each picked link its group.
func (b *builder) assign() {
	t := &b.groups
	if t.of == nil {
		t.of = map[[2]int32]int32{}
	}
	clear(t.of)
	t.last, t.roots = [2]int32{none, none}, t.roots[:0]
	for i := range b.picked {
		p := &b.picked[i]
		root := b.root(p.ends)
		g, ok := t.of[root]
		if !ok {
			g = int32(len(t.roots))
			t.of[root] = g
			t.roots = append(t.roots, root)
			b.links.Groups = append(b.links.Groups, Group{
				Roots: [2]Cell{b.end(0, root[0]), b.end(1, root[1])},
				S:     b.row(root[0]).Similarity(b.sides[1].cells[root[1]].class),
			})
		}
		p.group = g
		b.links.Groups[g].Drawn++
	}
}

// root returns the root match above two matched cells.
func (b *builder) root(ends [2]int32) [2]int32 {
	t := &b.groups
	for k := range ends {
		cells := b.sides[k].cells
		top := cells[ends[k]].top
		if top == t.last[k] {
			continue
		}
		t.last[k], t.up[k] = top, t.up[k][:0]
		for c := top; c != none; c = cells[c].up {
			t.up[k] = append(t.up[k], c)
		}
	}
	us, vs := t.up[0], t.up[1]
	for i := len(us) - 1; i >= 0; i-- {
		row := b.row(us[i])
		for j := len(vs) - 1; j >= 0; j-- {
			if row.Exceeds(b.st.Tau, b.sides[1].cells[vs[j]].class) {
				return [2]int32{us[i], vs[j]}
			}
		}
	}
	return ends
}

// row returns the row of the class of a cell of A.
func (b *builder) row(f int32) match.Row {
	c := &b.sides[0].cells[f]
	if c.slot >= 0 {
		return b.table.rows[c.slot]
	}
	return b.st.Rows.Of(c.class)
}

func (b *builder) end(k int, i int32) Cell {
	c := &b.sides[k].cells[i]
	return Cell{Ref: c.ref(), Rect: c.rect, Calls: int(max(c.calls, 1))}
}
