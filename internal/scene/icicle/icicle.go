// Package icicle draws one side's stacks as nested bars over time, at any zoom, at a cost that
// follows what is visible instead of how many calls are loaded (TraceDiff's mirrored icicles).
//
// A call at least a pixel wide is a cushion-shaded bar. Siblings narrower than that are too many to
// draw one by one, so a run of them becomes one bounding box, as deep as their stacks reach. A run
// ends where a wide call or a gap of a pixel comes, and at every line of a time grid about four
// pixels apart: the boxes form a skyline of the stacks below. Grid and threshold depend on the zoom
// alone, never on where the view begins, so nothing flickers while panning.
//
// The package knows nothing of traces being compared, windows or other views: direction and colours
// are given. Halves say where a view that mirrors two sides has put them.
package icicle

import (
	"image/color"

	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/trace"
)

// Direction is where stacks grow to.
type Direction uint8

const (
	Down Direction = iota // roots at the viewport's upper edge
	Up                    // roots at its lower edge
)

// Detail is how calls too narrow to draw look.
type Detail uint8

const (
	Boxes   Detail = iota // one pink box over all levels of a run (TraceDiff)
	Lighter               // a box a level, lighter with depth (SyncTrace)
)

// Emphasis is how a call stands out from the others.
type Emphasis uint8

const (
	Normal Emphasis = iota
	Strong          // such as a search hit
	Pale            // such as everything else while there are hits
)

// Plot says what to draw and where. The zero value of each optional field has a useful meaning.
type Plot struct {
	Trace   *trace.Trace
	Threads []int // tracks from the root edge on: indices into Trace.Threads
	Dir     Direction
	Axis    geom.Axis // time to x
	View    geom.Rect // the viewport
	Scroll  float32   // px of content hidden beyond the root edge

	Row    float32 // height of a stack level, px
	Header float32 // height of the line that names a track, px; 0 for none
	Gap    float32 // free space after each track, px
	Tail   string  // written in a line as high as Header after the last track; "" for no line
	Levels int     // at most this many levels a track; 0 for all
	Deeper *Deeper // threads with more levels than that; may be nil

	Fold    int     // so many levels of each track from its root edge on are only strips
	FoldRow float32 // height of a strip, px; it may be less than 1

	Palette   *palette.Palette
	Fill      []color.NRGBA // by function; nil for colours by package
	TextSize  float32       // px; 0 for no labels
	Detail    Detail
	Emphasis  func(thread, from, to int) Emphasis    // of calls [from,to) of a thread; may be nil
	CallFill  func(thread, call int) color.NRGBA     // of calls alone; nil for Fill
	RunFill   func(thread, from, to int) color.NRGBA // of runs of calls; nil for what Detail says
	MaxLabels int                                    // 0 for DefaultLabels
	Budget    int                                    // 0 for DefaultBudget
}

// Defaults of a Plot's limits: labels drawn, and quads beyond which the threshold of width is
// doubled.
const (
	DefaultLabels = 400
	DefaultBudget = 14000
)

// Arena keeps buffers from one frame to the next. A zero Arena is ready; it serves one Plot at a
// time, and a Drawing made with it is valid until the next is drawn or its height is asked for.
type Arena struct {
	items  []item
	tracks tracks
	chain  []int32
	labels []label
	fills  fillCache
	forms  formCache
}

// item says what the quad of the same index in the drawing's layer stands for.
type item struct {
	track    int32
	from, to int32 // calls; a run if it was too narrow to draw; from is −1 for a track's header
	run      bool
}

// Drawing is a plot that has been drawn: it answers where things are.
type Drawing struct {
	Plot
	Threshold float64 // calls shorter than this, in ns, were drawn as runs
	Coarse    int     // by how much the budget raised the threshold: 1, 2, 4…
	quads     []scene.Quad
	items     []item
	offsets   []float32 // of each track from the root edge, and the end of the last
}

// Draw appends p's quads and labels to l, which should be clipped to p.View. A may be nil.
func (p *Plot) Draw(l *scene.Layer, a *Arena) *Drawing {
	if a == nil {
		a = &Arena{}
	}
	d := &Drawing{Plot: *p, Coarse: 1}
	d.offsets = a.tracks.layout(p)
	if p.View.Empty() || p.Row <= 0 || !(p.Axis.Span.Len() > 0) || p.Trace == nil {
		return d
	}
	if d.Fill == nil {
		d.Fill = a.fills.of(p.Trace, p.Palette)
	}
	if d.Budget <= 0 {
		d.Budget = DefaultBudget
	}
	if d.MaxLabels <= 0 {
		d.MaxLabels = DefaultLabels
	}
	first := len(l.Quads)
	for {
		l.Quads, a.items, a.labels = l.Quads[:first], a.items[:0], a.labels[:0]
		if d.tracks(l, a) {
			break
		}
		d.Coarse *= 2
	}
	d.quads, d.items = l.Quads[first:], a.items
	d.write(l, a)
	return d
}

// tracks draws every visible track and reports whether the budget sufficed.
func (d *Drawing) tracks(l *scene.Layer, a *Arena) bool {
	w := newWalk(d, l, a)
	first, last := d.visibleTracks()
	for k := first; k < last; k++ {
		d.header(k, l, a)
		if !w.drawTrack(k) {
			return false
		}
	}
	return true
}
