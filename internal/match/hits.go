package match

import "diptych/internal/pair"

// hits is which classes of B one class of A matches.
type hits struct {
	row *row
	y   *Classes
	tau Tau
	hit []bool
}

func (g *Graph) newHits(tau Tau) *hits {
	y := g.Sides[pair.B]
	r := newRow(g.Sides[pair.A], newColumns(y, len(g.Pair.Names)))
	return &hits{r, y, tau, make([]bool, len(y.Base))}
}

// seek makes the hits those of class k of A.
func (h *hits) seek(k int) {
	if h.row.at == int32(k) {
		return
	}
	h.row.seek(k)
	size, common := h.row.x.Size[k], int32(0)
	for c := range h.hit {
		common += h.row.diff[c]
		h.hit[c] = h.tau.Exceeded(uint32(common), size, h.y.Size[c])
	}
}
