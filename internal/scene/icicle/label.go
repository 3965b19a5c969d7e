package icicle

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"diptych/internal/geom"
	"diptych/internal/scene"
	"diptych/internal/typeface"
)

// label is a bar that is wide enough to bear a name.
type label struct {
	item  int32
	width float32
	pale  bool
}

const (
	// leastLabel is the width, in text sizes, below which trying to fit a name is in vain.
	leastLabel = 2.2
	// labelPad is the free space on either side of a label, in text sizes.
	labelPad = 0.35
	// wholeRow is the share of a row's height that must be visible for it to be labelled.
	wholeRow = 0.85
	// headerText is the size of a track's name as a share of the header's height.
	headerText = .64
	// forgetForms bounds the memory that remembered names take.
	forgetForms = 20000
)

// formCache remembers the ways to write a name, which cost more to find than to choose from.
type formCache map[string]*typeface.Name

func (c *formCache) of(name string) *typeface.Name {
	if f, ok := (*c)[name]; ok {
		return f
	}
	if *c == nil || len(*c) > forgetForms {
		*c = formCache{}
	}
	f := typeface.NewName(name)
	(*c)[name] = f
	return f
}

// write labels the bars, the widest first if there are too many, and the tracks' headers.
func (d *Drawing) write(l *scene.Layer, a *Arena) {
	d.writeHeaders(l)
	labels := a.labels
	if len(labels) > d.MaxLabels {
		slices.SortFunc(labels, func(x, y label) int {
			return cmp.Or(cmp.Compare(y.width, x.width), cmp.Compare(x.item, y.item))
		})
		labels = labels[:d.MaxLabels]
	}
	pad := labelPad * d.TextSize
	for _, b := range labels {
		it, r := d.items[b.item], d.quads[b.item].Rect
		if r.Intersect(d.View).H() < wholeRow*d.Row {
			continue
		}
		th := d.Trace.Threads[d.Threads[it.track]]
		name := a.forms.of(d.Trace.FunctionOf(th, int(it.from)).Name)
		text := name.Fit(r.W()-2*pad, d.TextSize)
		if text == "" {
			continue
		}
		ink := d.Palette.Text
		if b.pale {
			ink = d.Palette.Secondary
		}
		r.X0, r.X1 = r.X0+pad, r.X1-pad
		l.Write(scene.Text{Rect: r, Text: text, Fill: ink, Size: d.TextSize})
	}
}

// writeHeaders names the visible tracks at the viewport's left border.
func (d *Drawing) writeHeaders(l *scene.Layer) {
	if d.Header <= 0 {
		return
	}
	if r := d.TailRect(); !r.Empty() {
		l.Fill(r, d.Palette.Raised)
		r.X0, r.X1 = r.X0+4, r.X1-4
		d.writeLine(l, r, d.Tail)
	}
	first, last := d.visibleTracks()
	for k := first; k < last; k++ {
		y0, y1 := d.band(d.offsets[k], d.offsets[k]+d.Header)
		if y0 < d.View.Y0 || y1 > d.View.Y1 {
			continue // a name cut in half is worse than none
		}
		r := geom.Rect{X0: d.View.X0 + 4, Y0: y0, X1: d.View.X1 - 4, Y1: y1}
		d.writeLine(l, r, d.trackTitle(k))
	}
}

// writeLine writes a text into a line between tracks.
func (d *Drawing) writeLine(l *scene.Layer, r geom.Rect, text string) {
	size := float32(math.Round(float64(d.Header * headerText)))
	if text = typeface.Clip(text, r.W(), size); text != "" {
		l.Write(scene.Text{Rect: r, Text: text, Fill: d.Palette.Secondary, Size: size})
	}
}

// trackTitle names track k and says how many of its levels are hidden. The process is left out
// where the thread is named after it, as a rank or a service is.
func (d *Drawing) trackTitle(k int) string {
	th := d.Trace.Threads[d.Threads[k]]
	title, shown := th.Title(), d.levels(d.Threads[k])
	if len(d.Trace.Processes) > 1 && th.Process >= 0 {
		if process := d.Trace.Processes[th.Process].Title(); !strings.HasPrefix(title, process) {
			title += "  ·  " + process
		}
	}
	if shown < th.MaxDepth() {
		title += fmt.Sprintf("  ·  %d of %d levels", shown, th.MaxDepth())
	}
	return title
}
