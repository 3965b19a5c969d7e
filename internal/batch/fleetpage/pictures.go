package fleetpage

import (
	"fmt"
	"html/template"
	"strings"

	"diptych/internal/batch"
	"diptych/internal/batch/fleet"
)

// The sizes of pictures, px of the page.
const (
	courseWidth, courseHeight = 320., 48.
	boxWidth, boxHeight       = 180., 20.
	inset                     = 3.
)

// course draws by how much B falls behind A over a pair's time, and the stretch that matters.
func (b *builder) course(k int) template.HTML {
	row := -1
	for r, of := range b.f.Matrix.Pairs {
		if of == k {
			row = r
		}
	}
	behind, least, most := make([]float64, batch.Buckets), 0., 0.
	sum := 0.
	for i, v := range b.f.Matrix.Row(fleet.Lag, row) {
		sum += v
		behind[i] = sum
		least, most = min(least, sum), max(most, sum)
	}
	x := func(bucket int) float64 { return float64(bucket) / batch.Buckets * courseWidth }
	y := func(v float64) float64 {
		return courseHeight - inset - (v-least)/max(most-least, 1e-9)*(courseHeight-2*inset)
	}
	var s strings.Builder
	w := b.f.Pairs[k].Told().When
	fmt.Fprintf(&s, `<svg viewBox="0 0 %g %g" role="img" aria-label="By how much B falls behind A">`,
		courseWidth, courseHeight)
	if !w.Whole {
		fmt.Fprintf(&s, `<rect class="stretch" x="%.1f" y="0" width="%.1f" height="%g"/>`, x(w.FromBucket),
			x(w.ToBucket+1)-x(w.FromBucket), courseHeight)
	}
	fmt.Fprintf(&s, `<path class="axis" d="M0 %.1fH%g"/><path class="course" d="M0 %.1f`, y(0), courseWidth, y(0))
	for i, v := range behind {
		fmt.Fprintf(&s, "L%.1f %.1f", x(i+1), y(v))
	}
	s.WriteString(`"/></svg>`)
	return template.HTML(s.String())
}

// spread draws least, quartiles and most of a function over the pairs, and where 0 is.
func spread(f *fleet.Function) template.HTML {
	least, most := min(float64(f.MinNs), 0), max(float64(f.MaxNs), 0)
	x := func(v float64) float64 {
		return inset + (v-least)/max(most-least, 1)*(boxWidth-2*inset)
	}
	var s strings.Builder
	fmt.Fprintf(&s, `<svg width="%g" height="%g" viewBox="0 0 %g %g" role="img" aria-label="Spread over the pairs">`,
		boxWidth, boxHeight, boxWidth, boxHeight)
	fmt.Fprintf(&s, `<path class="whisker" d="M%.1f 10H%.1fM%.1f 6V14M%.1f 6V14"/>`, x(float64(f.MinNs)),
		x(float64(f.MaxNs)), x(float64(f.MinNs)), x(float64(f.MaxNs)))
	fmt.Fprintf(&s, `<rect class="box" x="%.1f" y="4" width="%.1f" height="12"/>`, x(f.Q1Ns),
		max(x(f.Q3Ns)-x(f.Q1Ns), .5))
	fmt.Fprintf(&s, `<path class="middle" d="M%.1f 4V16"/><path class="zero" d="M%.1f 0V20"/></svg>`,
		x(f.MedianNs), x(0))
	return template.HTML(s.String())
}
