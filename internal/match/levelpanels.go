package match

import (
	"math"
	"slices"
)

// The panels of a levelling are made once and are then read by all processors.

// levelGroup is panels that are compared together.
type levelGroup struct {
	panels []levelPanel
	size   uint32 // of all kinds, or 0 if sizes differ
}

// levelPanel is kinds beside each other.
type levelPanel struct {
	kinds []uint32
	wide  bool        // a byte may be too small for a kind
	ids   []uint32    // that any kind has
	has   []levelBits // has[i+1]: which kinds have ids[i]; has[0] is empty
	cells [inLevel]bin
}

// levelBits is a bit for each kind of a panel.
type levelBits [inLevel / 64]uint64

// words returns how many eight bytes hold the kinds.
func (p *levelPanel) words() int { return (len(p.kinds) + 7) / 8 }

// levelling is what all stretches of a side's rows have in common.
type levelling struct {
	x          *rowKinds
	depth      []uint32 // by row: the rows around it in the forest
	layers     int      // as many rows as are not wide contain each other
	columns    *columns // nil if no row is wide
	y          *Classes
	groups     []levelGroup
	scale      int // starts are counted in units of 2^scale ns, so that their sum fits 64 bits
	inverses   inverses
	identities int
}

func newLevelling(x, y *Classes, p inverses, identities int) *levelling {
	l := &levelling{x: newRowKinds(x, identities), depth: make([]uint32, len(x.Base)), y: y,
		inverses: p, identities: identities}
	core := y.members()
	tooMany := func(members uint32) bool { return members > math.MaxUint8 }
	if slices.ContainsFunc(core, tooMany) && slices.ContainsFunc(l.x.core, tooMany) {
		l.columns = newColumns(y, identities)
	}
	for k, base := range x.Base {
		if base != none {
			l.depth[k] = l.depth[base] + 1
		}
		if !l.isWide(k) {
			l.layers = max(l.layers, int(l.depth[k])+1)
		}
	}
	sum := 0.0
	for _, start := range y.Start {
		sum += start
	}
	if _, exponent := math.Frexp(sum); exponent > 62 {
		l.scale = exponent - 62
	}
	order := bySimilarity(y, x.ranks(identities))
	slices.SortStableFunc(order, func(a, b uint32) int { return int(y.Size[a]) - int(y.Size[b]) })
	l.makeGroups(order, core)
	return l
}

// isWide reports whether a row may share more with a kind than a byte counts. So may all rows below
// it.
func (l *levelling) isWide(row int) bool {
	return l.columns != nil && l.x.core[row] > math.MaxUint8
}

// makeGroups divides the kinds, which are given by size, and the sizes of their cores by kind.
func (l *levelling) makeGroups(order, core []uint32) {
	var few []uint32
	m := panelMaker{newGathering(l.y), core, make([]uint32, l.identities)}
	for from, to := 0, 0; from < len(order); from = to {
		size := l.y.Size[order[from]]
		for to < len(order) && l.y.Size[order[to]] == size {
			to++
		}
		if to-from < leastAlike {
			few = append(few, order[from:to]...)
			continue
		}
		l.addGroups(order[from:to], size, &m)
	}
	l.addGroups(few, 0, &m)
}

// addGroups makes groups of kinds that have one size, or several if it is 0.
func (l *levelling) addGroups(kinds []uint32, size uint32, m *panelMaker) {
	for _, kinds := range evenly(kinds, mostPanels*inLevel) {
		g := levelGroup{size: size}
		for _, kinds := range evenly(kinds, inLevel) {
			g.panels = append(g.panels, l.newPanel(kinds, m))
		}
		l.groups = append(l.groups, g)
	}
}

// evenly divides a list into the fewest parts of at most so many, which differ by 1 at most.
func evenly(list []uint32, most int) [][]uint32 {
	parts := make([][]uint32, (len(list)+most-1)/most)
	for k := range parts {
		parts[k] = list[k*len(list)/len(parts) : (k+1)*len(list)/len(parts)]
	}
	return parts
}

// panelMaker is what panels are made with, one after the other.
type panelMaker struct {
	*gathering
	core  []uint32 // by kind: members
	local []uint32 // by identity: index into levelPanel.has, or 0; all 0 between panels
}

// newPanel makes a panel of kinds.
func (l *levelling) newPanel(kinds []uint32, m *panelMaker) levelPanel {
	p, local := levelPanel{kinds: slices.Clone(kinds), has: make([]levelBits, 1)}, m.local
	for k, kind := range kinds {
		starts := math.Round(math.Ldexp(l.y.Start[kind], -l.scale))
		p.cells[k] = bin{l.y.Count[kind], uint64(starts)}
		p.wide = p.wide || m.core[kind] > math.MaxUint8
	}
	m.gather(kinds, func(id uint32, of *lanes) {
		if local[id] == 0 {
			local[id] = uint32(len(p.has))
			p.ids, p.has = append(p.ids, id), append(p.has, levelBits{})
		}
		has := &p.has[local[id]]
		for w := range has {
			has[w] |= of[w]
		}
	})
	for _, id := range p.ids {
		local[id] = 0
	}
	p.ids, p.has = slices.Clip(p.ids), slices.Clip(p.has)
	return p
}
