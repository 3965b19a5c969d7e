package dock

import (
	"context"
	"image"

	"gioui.org/io/event"
	"gioui.org/io/pointer"
	"gioui.org/io/semantic"
	"gioui.org/layout"
	"gioui.org/op/clip"
	"gioui.org/unit"
	"gioui.org/widget"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/scene/histogram"
	"diptych/internal/session"
	"diptych/internal/stats"
	"diptych/internal/trace"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// durations is the histogram of a function's calls below a table of functions, and below it the
// calls of the bin that was clicked.
type durations struct {
	hide  widget.Clickable
	texts kit.Texts
	shown *histogram.View
	at    geom.Point
	over  bool // the pointer is on the picture
	down  bool // the primary button is down there
	body  struct{ _ byte }
	calls kit.Table
}

// histogramOf is what a histogram depends on.
type histogramOf struct {
	pair   *pair.Pair
	id     uint32
	within stats.Window
}

// binOf is what the list of a bin's calls depends on.
type binOf struct {
	histogramOf
	bin stats.Bin
}

// binCalls are the calls of a bin.
type binCalls struct {
	list []stats.Call // the longest
	all  int
}

// mostCalls is how many calls of a bin are listed.
const mostCalls = 1000

func studied(st *session.State) (histogramOf, bool) {
	study, ok := st.Studied()
	if !ok || st.Profile() {
		return histogramOf{}, false
	}
	return histogramOf{study.Of, study.ID, st.StudiedWindow()}, true
}

// foundDurations is the histogram of the function that is studied.
var foundDurations = session.Result[histogramOf, *stats.Histogram]{
	Slot: "durations", Label: "Measuring durations", Rest: rangeRest, Key: studied,
	Find: func(ctx context.Context, of histogramOf, report progress.Func) (*stats.Histogram, error) {
		return stats.Measure(ctx, of.pair, of.id, of.within, report)
	},
}

// foundCalls are the calls of the chosen bin.
var foundCalls = session.Result[binOf, *binCalls]{
	Slot: "bin", Label: "Listing calls",
	Key: func(st *session.State) (binOf, bool) {
		of, ok := studied(st)
		bin := st.Study.Bin
		return binOf{of, bin}, ok && bin != stats.Bin{}
	},
	Find: func(ctx context.Context, of binOf, report progress.Func) (*binCalls, error) {
		list, all, err := stats.Calls(ctx, of.pair, of.id, of.within, of.bin, mostCalls, report)
		return &binCalls{list, all}, err
	},
}

// pictureHigh is the height of the histogram, dp.
const pictureHigh unit.Dp = 150

// layout lays out what is known of the durations, as flexible parts of a panel; none if no function
// is studied there.
func (d *durations) layout(c *view.Context, gtx C, st *session.State, ranged bool) []layout.FlexChild {
	study, ok := st.Studied()
	if !ok || study.Ranged != ranged {
		return nil
	}
	if d.hide.Clicked(gtx) {
		c.S.EndStudy()
		return nil
	}
	parts := []layout.FlexChild{
		layout.Rigid(func(gtx C) D { return d.title(c, gtx, study.Of.Names[study.ID]) })}
	h, found := foundDurations.Of(st)
	switch {
	case st.Profile():
		return append(parts, hint(c, "A profile says how much time a function took in all, not how "+
			"long each call did. So there is no histogram of durations."))
	case !found:
		return append(parts, hint(c, "The durations are being measured."))
	case len(h.Bins) == 0:
		return append(parts, hint(c, "The function has no calls in this range."))
	}
	parts = append(parts, layout.Rigid(func(gtx C) D { return d.picture(c, gtx, st, h) }))
	if st.Study.Bin == (stats.Bin{}) {
		return append(parts, hint(c, "Click a bar to list its calls."))
	}
	if list, ok := foundCalls.Of(st); ok {
		d.follow(c, gtx, st, list)
		parts = append(parts, layout.Flexed(.7, func(gtx C) D {
			return d.calls.Layout(c.Kit, gtx, func(gtx C) D {
				return c.Kit.Label(gtx, binWords(st, list), headingInk(c))
			})
		}))
	}
	return parts
}

func hint(c *view.Context, text string) layout.FlexChild {
	return layout.Rigid(func(gtx C) D {
		return layout.Inset{Top: 4, Bottom: 4}.Layout(gtx, func(gtx C) D { return c.Kit.Hint(gtx, text) })
	})
}

// title names the function, and has the button that hides the histogram.
func (d *durations) title(c *view.Context, gtx C, name string) D {
	return layout.Inset{Top: 6, Right: 8}.Layout(gtx, func(gtx C) D {
		c.Kit.Rule(gtx)
		return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
			wide(c, "Durations of "+name, headingInk(c)),
			layout.Rigid(func(gtx C) D {
				return c.Kit.Button(gtx, &d.hide, "hide", "Hide the durations", false)
			}))
	})
}

// picture is the histogram. A click on a bin lists its calls, a second one ends that.
func (d *durations) picture(c *view.Context, gtx C, st *session.State, h *stats.Histogram) D {
	d.hear(c, gtx, st, h)
	size := image.Pt(gtx.Constraints.Max.X-gtx.Dp(8), gtx.Dp(pictureHigh))
	state := histogram.State{Histogram: h, Unit: words.UnitOf(st), Hover: -1, Chosen: -1,
		Palette: c.Kit.Pal, Scale: c.Kit.Px(1)}
	for k := range h.Bins {
		if h.Bins[k] == st.Study.Bin {
			state.Chosen = k
		}
	}
	if d.shown != nil && d.over {
		state.Hover = d.shown.At(d.at)
	}
	d.shown = histogram.Build(state, geom.Size{W: float32(size.X), H: float32(size.Y)})
	defer clip.Rect{Max: size}.Push(gtx.Ops).Pop()
	event.Op(gtx.Ops, &d.body)
	semantic.LabelOp("Histogram of durations").Add(gtx.Ops)
	pointer.CursorPointer.Add(gtx.Ops)
	c.Kit.Picture(gtx, &d.texts, &d.shown.Scene)
	if k := state.Hover; k >= 0 && k < len(h.Bins) {
		c.Kit.TipOver(gtx, binTip(h.Bins[k], words.UnitOf(st)), d.shown.Bins[k], d.at)
	}
	return D{Size: size}
}

// hear takes the pointer over the picture.
func (d *durations) hear(c *view.Context, gtx C, st *session.State, h *stats.Histogram) {
	for e := range kit.Pointed(gtx, &d.body) {
		d.at, d.over = geom.Point{X: e.Position.X, Y: e.Position.Y}, e.Kind != pointer.Leave
		if e.Kind == pointer.Press {
			d.down = e.Buttons.Contain(pointer.ButtonPrimary)
		}
		if e.Kind != pointer.Release || !d.down || d.shown == nil {
			continue
		}
		bin := stats.Bin{}
		if k := d.shown.At(d.at); k >= 0 && k < len(h.Bins) && h.Bins[k] != st.Study.Bin {
			bin = h.Bins[k]
		}
		if bin == (stats.Bin{}) || bin.Calls != [2]int{} {
			c.S.StudyBin(bin)
		}
	}
}

// binTip tells of a bin.
func binTip(b stats.Bin, unit string) []string {
	return []string{geom.FormatSpan(float64(b.From), float64(b.To), unit),
		"A " + kit.Plural(b.Calls[pair.A], "call"), "B " + kit.Plural(b.Calls[pair.B], "call")}
}

// binWords says which calls are listed.
func binWords(st *session.State, list *binCalls) string {
	b, unit := st.Study.Bin, words.UnitOf(st)
	text := kit.Plural(list.all, "call")
	if len(list.list) < list.all {
		text = "the longest " + kit.Grouped(len(list.list)) + " of " + text
	}
	return text + " of " + geom.FormatSpan(float64(b.From), float64(b.To), unit)
}

// follow lists the calls of the chosen bin, and goes to the one that was chosen.
func (d *durations) follow(c *view.Context, gtx C, st *session.State, list *binCalls) {
	d.calls.Show(list, func() kit.Content { return callContent(st, list.list) })
	if row, ok := d.calls.Update(gtx); ok {
		call := list.list[row]
		t := session.Target{Side: call.Side, Ref: call.Ref, OK: true}
		c.S.Select(t)
		c.S.Reveal(t)
	}
}

// callContent is a table of calls: where each is, when it began and how long it took.
func callContent(st *session.State, list []stats.Call) kit.Content {
	unit := words.UnitOf(st)
	value := func(v float64) string { return geom.FormatValue(v, unit) }
	traces := [2]*trace.Trace{st.Sides[pair.A].Trace, st.Sides[pair.B].Trace}
	thread := func(row int) *trace.Thread {
		return traces[list[row].Side].Threads[list[row].Ref.Thread]
	}
	return kit.Content{Len: len(list), Of: "calls", Verb: "Show call", Order: 2, Short: true,
		Columns: []kit.Column{
			{Title: "thread", Text: func(row int) string {
				return list[row].Side.String() + "  " + thread(row).Title()
			}},
			{Title: "start", Unit: unit, Format: value, Number: func(row int) (float64, bool) {
				return float64(thread(row).Start(int(list[row].Ref.Call))), true
			}},
			{Title: "duration", Unit: unit, Format: value, Number: func(row int) (float64, bool) {
				return float64(list[row].Ns), true
			}}}}
}
