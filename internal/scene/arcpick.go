package scene

import (
	"math"

	"diptych/internal/geom"
)

// Contains reports whether p lies in a as it is drawn, widened to a pixel where it is less; the
// borders at R1 and To are excluded, so that neighbours share no point.
func (a *Arc) Contains(p geom.Point) bool {
	r0, r1, from, to := a.drawn()
	x, y := float64(p.X)-float64(a.Centre.X), float64(p.Y)-float64(a.Centre.Y)
	if r := math.Hypot(x, y); r < r0 || r >= r1 {
		return false
	}
	const turn = 2 * math.Pi
	way := math.Mod(math.Atan2(y, x)-from, turn) // from the beginning of the arc
	if way < 0 {
		way += turn
	}
	return way < to-from || to-from >= turn
}

// drawn returns the radii and angles between which a is drawn (as in arc.vert).
func (a *Arc) drawn() (r0, r1, from, to float64) {
	middle := (float64(a.R0) + float64(a.R1)) / 2
	thick := max(float64(a.R1)-float64(a.R0), 1) / 2
	wide := max(float64(a.To)-float64(a.From), 1/max(middle, 0.1)) / 2
	at := (float64(a.From) + float64(a.To)) / 2
	return middle - thick, middle + thick, at - wide, at + wide
}
