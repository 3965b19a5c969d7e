package ui

import (
	"fmt"
	"slices"
	"sort"

	"gioui.org/font"
	"gioui.org/layout"
	"gioui.org/unit"
	"gioui.org/widget"

	"diptych/internal/geom"
	"diptych/internal/session"
	"diptych/internal/trace"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/words"
)

// details tells everything about the selected call.
type details struct {
	of     session.Target
	tr     *trace.Trace
	facts  []fact
	stack  []callRow
	kids   []callRow
	more   int // children beyond those listed
	clicks []widget.Clickable
	list   widget.List

	chosen *session.Chosen // what is told about its matches
	best   widget.Clickable
	anchor anchoring
}

// fact is a name with a value; a wide value takes a line of its own.
type fact struct {
	name, value string
	block       bool
}

type callRow struct {
	call int
	name string
	dur  string
}

// How many callers and callees the panel lists.
const (
	mostCallers = 40
	mostCallees = 25
)

func (d *details) layout(a *App, gtx layout.Context, st *session.State) layout.Dimensions {
	if !st.Selected.OK {
		d.of = session.Target{}
		return a.kit.Hint(gtx, "Click a call to see where it was called from, what it called and what it was given.")
	}
	tr := st.Sides[st.Selected.Side].Trace
	if chosen := chosenCall(st); d.of != st.Selected || d.tr != tr || d.chosen != chosen {
		d.read(st)
		d.chosen = chosen
		d.readMatches(st)
	}
	d.follow(a, gtx)
	n := 2 + len(d.facts)
	if d.chosen != nil && d.chosen.Best.OK {
		n++
	}
	if len(d.stack) > 0 {
		n += 1 + len(d.stack)
	}
	if len(d.kids) > 0 {
		n += 1 + len(d.kids)
	}
	return a.kit.Rows(gtx, &d.list, n, func(gtx layout.Context, i int) layout.Dimensions {
		return d.row(a, gtx, st, i)
	})
}

// row lays out the i-th line: head, facts, then the callers and the callees under their titles.
func (d *details) row(a *App, gtx layout.Context, st *session.State, i int) layout.Dimensions {
	gtx.Constraints.Min.X = gtx.Constraints.Max.X
	if i == 0 {
		return d.head(a, gtx, st)
	}
	if i == 1 {
		if !st.Both() || st.Pair == nil {
			return layout.Dimensions{}
		}
		return d.anchor.layout(a, gtx, st)
	}
	i -= 2
	if i < len(d.facts) {
		return d.fact(a, gtx, d.facts[i])
	}
	i -= len(d.facts)
	if d.chosen != nil && d.chosen.Best.OK {
		if i == 0 {
			return d.match(a, gtx, st)
		}
		i--
	}
	click := 0
	for _, part := range []struct {
		title string
		rows  []callRow
	}{{"Called from", d.stack}, {d.calleesTitle(), d.kids}} {
		if len(part.rows) == 0 {
			continue
		}
		if i == 0 {
			return a.kit.Title(gtx, part.title)
		}
		i--
		if i < len(part.rows) {
			return d.call(a, gtx, part.rows[i], &d.clicks[click+i])
		}
		i -= len(part.rows)
		click += len(part.rows)
	}
	return layout.Dimensions{}
}

func (d *details) calleesTitle() string {
	if d.more > 0 {
		return fmt.Sprintf("Calls: the longest %d of %s", len(d.kids), kit.Grouped(len(d.kids)+d.more))
	}
	return "Calls"
}

func (d *details) head(a *App, gtx layout.Context, st *session.State) layout.Dimensions {
	th, i := st.Call(d.of)
	name := d.tr.FunctionOf(th, i).Name
	return layout.Inset{Bottom: 8}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
		return layout.Flex{}.Layout(gtx,
			layout.Rigid(func(gtx layout.Context) layout.Dimensions { return a.kit.Badge(gtx, d.of.Side) }),
			kit.Space(8),
			kit.Wide(func(gtx layout.Context) layout.Dimensions {
				return a.kit.Label(gtx, name,
					kit.Style{Size: kit.Large, Color: a.kit.Pal.Text, Weight: font.Medium, Lines: 4})
			}),
		)
	})
}

func (d *details) fact(a *App, gtx layout.Context, f fact) layout.Dimensions {
	name := func(gtx layout.Context) layout.Dimensions {
		return a.kit.Label(gtx, f.name, a.kit.Faint())
	}
	return layout.Inset{Bottom: 5, Right: 8}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
		if f.block {
			return layout.Flex{Axis: layout.Vertical}.Layout(gtx, layout.Rigid(name),
				layout.Rigid(func(gtx layout.Context) layout.Dimensions {
					return a.kit.Label(gtx, f.value,
						kit.Style{Size: kit.Small, Color: a.kit.Pal.Text, Mono: true, Lines: 16})
				}))
		}
		return layout.Flex{}.Layout(gtx,
			layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				gtx.Constraints.Min.X, gtx.Constraints.Max.X = gtx.Dp(92), gtx.Dp(92)
				return name(gtx)
			}),
			kit.Wide(func(gtx layout.Context) layout.Dimensions {
				v := a.kit.Text()
				v.Lines = 3
				return a.kit.Label(gtx, f.value, v)
			}))
	})
}

// call is a line that selects another call.
func (d *details) call(a *App, gtx layout.Context, c callRow, click *widget.Clickable) layout.Dimensions {
	return a.kit.Pressable(gtx, click, "Select "+c.name, false, func(gtx layout.Context) layout.Dimensions {
		return layout.Inset{Top: 2, Bottom: 2, Left: 4, Right: 8}.Layout(gtx,
			func(gtx layout.Context) layout.Dimensions {
				return layout.Flex{}.Layout(gtx,
					kit.Wide(func(gtx layout.Context) layout.Dimensions {
						return a.kit.Label(gtx, c.name, a.kit.Text())
					}),
					a.kit.Cell(unit.Dp(70), c.dur, kit.Right(a.kit.Faint())))
			})
	})
}

// follow selects the call that was clicked.
func (d *details) follow(a *App, gtx layout.Context) {
	for k, c := range append(append([]callRow{}, d.stack...), d.kids...) {
		if d.clicks[k].Clicked(gtx) {
			t := d.of
			t.Ref.Call = int32(c.call)
			a.S.Select(t)
			a.S.Reveal(t)
		}
	}
}

// read gathers what is told about the selected call, once.
func (d *details) read(st *session.State) {
	*d = details{of: st.Selected, tr: st.Sides[st.Selected.Side].Trace, anchor: d.anchor}
	th, i := st.Call(d.of)
	u := string(d.tr.Unit)
	value := func(ns int64) string { return geom.FormatValue(float64(ns), u) }
	share := func(part, whole int64) string {
		if whole <= 0 {
			return ""
		}
		return fmt.Sprintf("  ·  %.1f %%", 100*float64(part)/float64(whole))
	}
	d.say("Start", value(th.Start[i]))
	d.say("Duration", value(th.Dur(i))+share(th.Dur(i), d.tr.Duration)+" of the trace")
	self := th.Self(i)
	d.say("Self", value(self)+share(self, th.Dur(i)))
	d.say("Thread", th.Title())
	if th.Process >= 0 {
		d.say("Process", d.tr.Processes[th.Process].Name)
	}
	d.say("Stack level", fmt.Sprint(th.Depth[i]))
	d.readFunction(th, i)
	d.readMarks(th, i)
	if line := words.WaitLine(st, st.Selected); line != "" {
		d.facts = append(d.facts, fact{"Wait", line, true})
	}
	if args := th.Args(i); args != "" {
		d.facts = append(d.facts, fact{"Arguments", args, true})
	}
	d.readCalls(th, i, value)
	d.clicks = make([]widget.Clickable, len(d.stack)+len(d.kids))
}

func (d *details) say(name, value string) { d.facts = append(d.facts, fact{name, value, false}) }

func (d *details) readFunction(th *trace.Thread, i int) {
	fn := d.tr.FunctionOf(th, i)
	if fn.Package != "" {
		d.say("Package", fn.Package)
	}
	if fn.File != "" {
		at := fn.File
		if fn.Line > 0 {
			at = fmt.Sprintf("%s:%d", at, fn.Line)
		}
		d.say("Source", at)
	}
}

func (d *details) readMarks(th *trace.Thread, i int) {
	for _, b := range th.BlocksOf(i) {
		d.say("Blocking", words.Blocking(d.tr, b))
	}
	f := th.Flags(i)
	if f&trace.Sampled != 0 {
		d.say("Sampled", "its borders are those of stack samples")
	}
	if f&trace.Unclosed != 0 {
		d.say("Unclosed", "the recording has no end for it")
	}
}

func (d *details) readCalls(th *trace.Thread, i int, value func(int64) string) {
	row := func(c int) callRow {
		return callRow{c, d.tr.FunctionOf(th, c).Name, value(th.Dur(c))}
	}
	for p := int(th.Parent[i]); p >= 0 && len(d.stack) < mostCallers; p = int(th.Parent[p]) {
		d.stack = append(d.stack, row(p))
	}
	n := 0
	var longest []int // in order of falling duration
	th.Children(i, func(c int) bool {
		n++
		at := sort.Search(len(longest), func(k int) bool { return th.Dur(longest[k]) < th.Dur(c) })
		if at < mostCallees {
			longest = slices.Insert(longest, at, c)
			longest = longest[:min(len(longest), mostCallees)]
		}
		return true
	})
	for _, c := range longest {
		d.kids = append(d.kids, row(c))
	}
	if d.more = n - len(longest); n > 0 {
		d.say("Callees", fmt.Sprintf("%s direct, %s in all", kit.Grouped(n), kit.Grouped(int(th.Size[i])-1)))
	}
}
