package match

import "diptych/internal/pair"

// Similarity returns s(f,g) of call a of A and call b of B, by pre-order index in the scope.
func (g *Graph) Similarity(a, b int) float64 {
	ca, cb := g.Sides[pair.A], g.Sides[pair.B]
	x, y := int(ca.Class(a)), int(cb.Class(b))
	in := make(map[uint32]bool, ca.Size[x])
	ca.Members(x, func(id uint32) bool {
		in[id] = true
		return true
	})
	common := 0
	cb.Members(y, func(id uint32) bool {
		if in[id] {
			common++
		}
		return true
	})
	return float64(common) / float64(int(ca.Size[x])+int(cb.Size[y])-common)
}
