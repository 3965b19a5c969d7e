// Package fleet is the page on which the window opens for a batch of pairs: a matrix of all pairs
// over time in few areas (Ocelotl), the clusters of pairs that differ alike, and beside it, in
// lists, the pairs that depart from the others with what is unlike in them, the functions that
// differ most over all pairs, and the pairs that could not be compared. A click opens a pair at the
// time that was clicked.
//
//	page.go     the page, and how its batch is read
//	content.go  what was read, as the picture needs it
//	matrix.go   the matrix: pointer, tooltips, controls
//	lists.go    the lists beside it
//	words.go    what is said of pairs, functions and clusters
//
// The package shows what batch/fleet has found, and finds nothing by itself.
package fleet

import (
	"context"
	"errors"
	"image"
	"path/filepath"

	"gioui.org/font"
	"gioui.org/layout"
	"gioui.org/widget"

	"diptych/internal/batch"
	"diptych/internal/batch/fleet"
	"diptych/internal/escape"
	"diptych/internal/geom"
	"diptych/internal/progress"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// Visit is a pair that is to be opened, and what to show of it.
type Visit struct {
	Name     string
	Paths    [2]string
	Settings batch.Settings // how the batch compared it
	Trouble  error          // what of that cannot be had any more; nil if all can
	At       session.Arrival
}

// Page shows a batch.
type Page struct {
	Path string
	open func(Visit)

	content *content
	err     error // why it cannot be shown
	reading bool
	again   widget.Clickable

	matrix matrix
	lists  lists
	opened int // the pair that was opened last, as an index, or −1
}

// New returns a page for the directory of a batch, which Read reads. Open is called for a pair that
// the user has chosen.
func New(path string, open func(Visit)) *Page {
	return &Page{Path: path, open: open, opened: none, matrix: matrix{marked: none, zoom: 1}}
}

// slot is where the session keeps the job that reads the batch.
const slot = "fleet"

// Read reads the batch in the background.
func (p *Page) Read(s *session.Session) {
	p.reading, p.err = true, nil
	s.Do(slot, "Reading the batch "+p.Title(), func(ctx context.Context,
		report progress.Func) func() {
		c, err := read(ctx, p.Path, report)
		return func() {
			p.reading = false
			if !errors.Is(err, context.Canceled) {
				p.content, p.err = c, err
			}
			if p.content != nil {
				p.matrix.quantity = p.content.first()
			}
		}
	})
}

// Title names the batch.
func (p *Page) Title() string {
	path := p.Path
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	return escape.Line(filepath.Base(path))
}

// Hovered says in a line what is under the pointer, "" for nothing.
func (p *Page) Hovered() string {
	if spot := p.matrix.hovered(); spot.OK && p.content != nil {
		return kit.Joined(p.content.explainCell(spot, p.matrix.quantity)[:2]...)
	}
	return ""
}

// About says in a few words what the batch holds.
func (p *Page) About() string {
	if p.content == nil {
		return ""
	}
	return p.content.about()
}

// Update hears what the pointer has done to the matrix since the last frame.
func (p *Page) Update(c *view.Context, gtx layout.Context) {
	for e := range kit.Pointed(gtx, &p.matrix) {
		if p.content != nil && p.matrix.view != nil {
			p.pointer(c, gtx, e)
		}
	}
}

// Build builds the scene of the matrix for the rectangle of the window that it has, px.
func (p *Page) Build(c *view.Context, area image.Rectangle) {
	p.matrix.whole = area
	if p.content != nil {
		p.matrix.build(c, p.content)
	}
}

// Layout lays out the matrix and, where there is room for them, the lists.
func (p *Page) Layout(c *view.Context, gtx layout.Context, side image.Rectangle) {
	c.Card(p.matrix.whole)
	if p.content == nil {
		kit.At(gtx, p.matrix.whole, func(gtx layout.Context) { p.waiting(c, gtx) })
		return
	}
	if side.Empty() {
		p.mark(gtx, none)
	} else {
		c.Card(side)
		kit.At(gtx, side, func(gtx layout.Context) { p.layoutLists(c, gtx) })
	}
	p.layoutMatrix(c, gtx)
}

// waiting says why there is no matrix yet.
func (p *Page) waiting(c *view.Context, gtx layout.Context) {
	if p.again.Clicked(gtx) {
		p.Read(c.S)
	}
	title := kit.Style{Size: kit.Large, Color: c.Kit.Pal.Text, Weight: font.Medium}
	rows := []layout.FlexChild{layout.Rigid(func(gtx layout.Context) layout.Dimensions {
		return c.Kit.Label(gtx, "Batch "+p.Title(), title)
	}), layout.Rigid(layout.Spacer{Height: 12}.Layout)}
	job := c.S.Doing(slot)
	switch {
	case job != nil:
		rows = append(rows, layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return c.Kit.Label(gtx, words.JobText(job), c.Kit.Faint())
		}), layout.Rigid(layout.Spacer{Height: 8}.Layout),
			layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				return c.Kit.Progress(gtx, job.Progress(), 280)
			}))
	default:
		why := kit.Style{Size: kit.Normal, Color: c.Kit.Pal.Error, Lines: 6}
		text := "The batch was not read."
		if p.err != nil {
			text = escape.Line(p.err.Error())
		}
		rows = append(rows, layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			gtx.Constraints.Max.X = min(gtx.Constraints.Max.X, gtx.Dp(760))
			return c.Kit.Label(gtx, text, why)
		}), layout.Rigid(layout.Spacer{Height: 12}.Layout),
			layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				return c.Kit.Button(gtx, &p.again, "Read it again", "Read the batch again", true)
			}))
	}
	kit.Centred(gtx, func(gtx layout.Context) layout.Dimensions {
		return layout.Flex{Axis: layout.Vertical, Alignment: layout.Middle}.Layout(gtx, rows...)
	})
}

// to returns the visit of a pair as a whole.
func (p *Page) to(k int) Visit {
	return Visit{Name: pairName(&p.content.Pairs[k]), Paths: p.content.paths(k),
		Settings: p.content.settings, Trouble: p.content.trouble}
}

// visit opens a pair. A span is of buckets, of which a few more are shown on either side; an empty
// one shows the whole pair.
func (p *Page) visit(k, from, to int) {
	v := p.to(k)
	if to > from {
		v.At.Share = around(from, to, p.content.grid.Buckets)
	}
	p.opened = k
	p.open(v)
}

// visitOutlier opens a pair where it departs from the others, with the function in which it does,
// or where it changed most.
func (p *Page) visitOutlier(k int) {
	v, o := p.to(k), p.content.Pairs[k].Told()
	for side := range v.At.Calls {
		v.At.Calls[side] = session.CallAt{Thread: o.Place.Thread[side],
			Index: int(o.Place.Call[side])}
		if !o.When.Whole {
			from, to := float64(o.When.FromNs[side]), float64(o.When.ToNs[side])
			v.At.Spans[side] = geom.Span{Start: from - (to-from)*margin, End: to + (to-from)*margin}
		}
	}
	p.opened = k
	p.open(v)
}

// margin is how much is shown on either side of what was clicked, as a share of it.
const margin = .25

// around returns some buckets as a share of the run, with a margin.
func around(from, to, buckets int) geom.Span {
	wide := max(float64(to-from)*margin, 1)
	return geom.Span{Start: max(float64(from)-wide, 0) / float64(buckets),
		End: min(float64(to)+wide, float64(buckets)) / float64(buckets)}
}

// Ready reports whether the batch is there.
func (p *Page) Ready() bool { return p.content != nil }

// Zoom makes the rows of the matrix taller by a factor.
func (p *Page) Zoom(factor float32) {
	if v := p.matrix.view; v != nil {
		p.matrix.rescale(p.content.grid, factor, (v.Plot.Y0+v.Plot.Y1)/2)
	}
}

// Scroll moves the rows of the matrix by most of what is in sight, downwards if by is +1.
func (p *Page) Scroll(by float64) {
	const most = .8
	if v := p.matrix.view; v != nil {
		p.matrix.top = max(p.matrix.top+by*max(float64(v.InSight)*most, 1), 0)
	}
}

// ShowAll shows all rows.
func (p *Page) ShowAll() { p.matrix.zoom, p.matrix.top = 1, 0 }

// NextQuantity has the colours tell something else.
func (p *Page) NextQuantity() { p.matrix.quantity = (p.matrix.quantity + 1) % fleet.Quantities }
