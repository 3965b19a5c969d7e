package aggregate

import (
	"fmt"

	"diptych/internal/pair"
	scene "diptych/internal/scene/aggregate"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
)

// mostFindings is how many of the largest differences are findings; the tab States lists more.
const mostFindings = 5

// Findings implements view.Finder: the aggregates whose difference is largest.
func (p *Pane) Findings(st *session.State) (list []view.Finding) {
	o := overviewIn(st)
	if o == nil {
		return nil
	}
	for _, d := range o.worst[:min(len(o.worst), mostFindings)] {
		x := o.spotOf(d)
		list = append(list, view.Finding{Text: x.finding(), Size: x.time(st),
			Show: func(c *view.Context) { zoomInto(c.S, x) }})
	}
	return list
}

// finding says what differs in an aggregate of the difference, such as "worker (16 threads): more
// time in MPI_Wait in B, 63 % instead of 8 %". A share that one side alone has is told as such.
func (x spot) finding() string {
	shares, k := x.shares(), x.area.Mode
	state := x.of.states()[k]
	who := x.name()
	if n := x.place.Leaves[1] - x.place.Leaves[0]; n > 1 {
		who += " (" + x.of.noun(scene.A, n) + ")"
	}
	more := pair.B
	if x.area.Share > 0 {
		more = pair.A
	}
	switch a, b := shares[more], shares[more.Other()]; {
	case a == nil: // which no share that differs can be
		return who
	case b == nil:
		return fmt.Sprintf("%s: only in %v, %s of the time in %s", who, more, kit.Percent(a[k]), state)
	default:
		return fmt.Sprintf("%s: more time in %s in %v, %s instead of %s", who, state, more,
			kit.Percent(a[k]), kit.Percent(b[k]))
	}
}
