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
	y          *Classes
	groups     []levelGroup
	scale      int // starts are counted in units of 2^scale ns, so that their sum fits 64 bits
	inverses   inverses
	identities int
}

func newLevelling(x, y *Classes, p inverses, identities int) *levelling {
	l := &levelling{x: newRowKinds(x, identities), depth: make([]uint32, len(x.Base)), y: y,
		inverses: p, identities: identities}
	for k, base := range x.Base {
		if base != none {
			l.depth[k] = l.depth[base] + 1
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
	l.makeGroups(order)
	return l
}

// makeGroups divides the kinds, which are given by size.
func (l *levelling) makeGroups(order []uint32) {
	var few []uint32
	core, local := l.y.members(), make([]uint32, l.identities)
	for from, to := 0, 0; from < len(order); from = to {
		size := l.y.Size[order[from]]
		for to < len(order) && l.y.Size[order[to]] == size {
			to++
		}
		if to-from < leastAlike {
			few = append(few, order[from:to]...)
			continue
		}
		l.addGroups(order[from:to], size, core, local)
	}
	l.addGroups(few, 0, core, local)
}

// addGroups makes groups of kinds that have one size, or several if it is 0.
func (l *levelling) addGroups(kinds []uint32, size uint32, core, local []uint32) {
	for _, kinds := range evenly(kinds, mostPanels*inLevel) {
		g := levelGroup{size: size}
		for _, kinds := range evenly(kinds, inLevel) {
			g.panels = append(g.panels, l.newPanel(kinds, core, local))
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

// newPanel makes a panel of kinds. local is 0 for each identity, before and after.
func (l *levelling) newPanel(kinds, core, local []uint32) levelPanel {
	p := levelPanel{kinds: slices.Clone(kinds), has: make([]levelBits, 1)}
	for k, kind := range kinds {
		starts := math.Round(math.Ldexp(l.y.Start[kind], -l.scale))
		p.cells[k] = bin{l.y.Count[kind], uint64(starts)}
		p.wide = p.wide || core[kind] > math.MaxUint8
		l.y.Members(int(kind), func(id uint32) bool {
			if local[id] == 0 {
				local[id] = uint32(len(p.has))
				p.ids, p.has = append(p.ids, id), append(p.has, levelBits{})
			}
			p.has[local[id]][k/64] |= 1 << (k % 64)
			return true
		})
	}
	for _, id := range p.ids {
		local[id] = 0
	}
	p.ids, p.has = slices.Clip(p.ids), slices.Clip(p.has)
	return p
}
