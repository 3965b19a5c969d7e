package dock

import (
	"fmt"
	"strconv"

	"gioui.org/font"
	"gioui.org/layout"
	"gioui.org/unit"
	"gioui.org/widget"

	"diptych/internal/geom"
	"diptych/internal/session"
	"diptych/internal/trace"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
	"diptych/internal/wait"
)

// details tells everything about the selected call.
type details struct {
	told   toldOf
	of     session.Target
	tr     *trace.Trace
	facts  []fact
	stack  []callRow
	kids   []callRow
	more   int // children beyond those listed
	lines  []line
	clicks kit.Clicks[int]
	list   widget.List

	causes, effects linkList
	ends            kit.Clicks[linkEnd] // of lines of links

	chosen *session.Chosen // what is told about its matches
	best   widget.Clickable
	study  widget.Clickable
	anchor anchoring
}

// toldOf is what the details depend on. They are gathered anew when it changes.
type toldOf struct {
	call   session.Target
	trace  *trace.Trace
	chosen *session.Chosen
	waits  *wait.Analysis
	many   *callees // of a call whose children are read in a job
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

// Layout lays the details out.
func (d *details) Layout(c *view.Context, gtx C, st *session.State) D {
	if !st.Selected.OK {
		d.told, d.of = toldOf{}, session.Target{}
		return c.Kit.Hint(gtx,
			"Click a call to see where it was called from, what it called and its arguments.")
	}
	if told := toldNow(st); d.told != told {
		d.read(st, told)
	}
	if call, ok := d.clicks.Clicked(gtx); ok {
		d.follow(c, call)
	}
	if end, ok := d.ends.Clicked(gtx); ok {
		d.followLink(c, end.to)
	}
	return c.Kit.Rows(gtx, &d.list, len(d.lines), func(gtx C, i int) D {
		gtx.Constraints.Min.X = gtx.Constraints.Max.X
		return d.lines[i](c, gtx, st)
	})
}

// line lays out a line of the details.
type line func(c *view.Context, gtx C, st *session.State) D

// readLines notes which lines there are: head, what can be done, facts, then the callers and the
// callees under their titles.
func (d *details) readLines() {
	d.lines = []line{d.head, d.anchor.layout}
	if d.tr.Kind != trace.Profile {
		d.lines = append(d.lines, d.durations)
	}
	for _, f := range d.facts {
		d.lines = append(d.lines, f.layout)
	}
	if d.chosen != nil && len(d.chosen.Best) > 0 {
		d.lines = append(d.lines, d.match)
	}
	d.readLinkLines("Caused by", &d.causes)
	d.readLinkLines("Causes", &d.effects)
	d.readCallLines("Called from", d.stack)
	d.readCallLines(d.calleesTitle(), d.kids)
}

// readCallLines adds lines for calls under a title, none if there are no calls.
func (d *details) readCallLines(title string, calls []callRow) {
	if len(calls) == 0 {
		return
	}
	d.lines = append(d.lines, func(c *view.Context, gtx C, _ *session.State) D {
		return c.Kit.Title(gtx, title)
	})
	for _, r := range calls {
		d.lines = append(d.lines, func(c *view.Context, gtx C, _ *session.State) D {
			return d.call(c, gtx, r)
		})
	}
}

func (d *details) calleesTitle() string {
	if d.more > 0 {
		return fmt.Sprintf("Calls: the longest %d of %s", len(d.kids), kit.Grouped(len(d.kids)+d.more))
	}
	return "Calls"
}

func (d *details) head(c *view.Context, gtx C, st *session.State) D {
	th, i := st.Call(d.of)
	name := d.tr.FunctionOf(th, i).Name
	return layout.Inset{Bottom: 8}.Layout(gtx, func(gtx C) D {
		return layout.Flex{}.Layout(gtx,
			badge(c, d.of.Side),
			kit.Space(8),
			kit.Wide(func(gtx C) D {
				return c.Kit.Label(gtx, name,
					kit.Style{Size: kit.Large, Color: c.Kit.Pal.Text, Weight: font.Medium, Lines: 4})
			}),
		)
	})
}

// durations leads to how long the calls of the function take; those of a profile have no durations.
func (d *details) durations(c *view.Context, gtx C, st *session.State) D {
	if d.study.Clicked(gtx) && st.Pair != nil {
		if list, ok := c.Panel(Functions).(view.Studier); ok {
			th, i := st.Call(d.of)
			list.Study(c, st.Pair.IDs(d.of.Side)[th.Fn[i]])
		}
	}
	return c.Kit.InLine(c.Kit.Note(&d.study, "Durations of all calls of the function",
		"Durations of all its calls …", c.Kit.Faint()))(gtx)
}

func (f fact) layout(c *view.Context, gtx C, _ *session.State) D {
	name := func(gtx C) D {
		return c.Kit.Label(gtx, f.name, c.Kit.Faint())
	}
	return layout.Inset{Bottom: 5, Right: 8}.Layout(gtx, func(gtx C) D {
		if f.block {
			return layout.Flex{Axis: layout.Vertical}.Layout(gtx, layout.Rigid(name),
				layout.Rigid(func(gtx C) D {
					return c.Kit.Label(gtx, f.value,
						kit.Style{Size: kit.Small, Color: c.Kit.Pal.Text, Mono: true, Lines: 16})
				}))
		}
		return layout.Flex{}.Layout(gtx,
			layout.Rigid(func(gtx C) D {
				gtx.Constraints.Min.X, gtx.Constraints.Max.X = gtx.Dp(92), gtx.Dp(92)
				return name(gtx)
			}),
			kit.Wide(func(gtx C) D {
				v := c.Kit.Text()
				v.Lines = 3
				return c.Kit.Label(gtx, f.value, v)
			}))
	})
}

// call is a line that selects another call.
func (d *details) call(c *view.Context, gtx C, r callRow) D {
	return c.Kit.Pressable(gtx, d.clicks.Row(r.call), "Select "+r.name, false, func(gtx C) D {
		return layout.Inset{Top: 2, Bottom: 2, Left: 4, Right: 8}.Layout(gtx,
			func(gtx C) D {
				return layout.Flex{}.Layout(gtx,
					wide(c, r.name, c.Kit.Text()),
					c.Kit.Cell(unit.Dp(70), r.dur, kit.Right(c.Kit.Faint())))
			})
	})
}

// follow selects the call that was clicked.
func (d *details) follow(c *view.Context, call int) {
	t := d.of
	t.Ref.Call = int32(call)
	c.S.Select(t)
	c.S.Reveal(t)
}

// toldNow returns what the details depend on now.
func toldNow(st *session.State) toldOf {
	side := st.Selected.Side
	told := toldOf{call: st.Selected, trace: st.Sides[side].Trace, chosen: chosenCall(st),
		waits: st.WaitsOf(side)}
	if manyCallees(st) != (calleesOf{}) {
		told.many = calleesOfSelected(st)
	}
	return told
}

// read gathers what the tab shows of the selected call. If the call is still the same, the scroll
// position and pressed controls stay.
func (d *details) read(st *session.State, told toldOf) {
	was := *d
	*d = details{told: told, of: told.call, tr: told.trace, chosen: told.chosen, anchor: was.anchor}
	if was.told.call == told.call && was.told.trace == told.trace {
		d.clicks, d.list, d.best, d.ends = was.clicks, was.list, was.best, was.ends
		d.study = was.study
	}
	th, i := st.Call(d.of)
	kids := calleesOfSelected(st)
	d.readTimes(th, i, kids)
	d.say("Thread", d.tr.ThreadTitle(int(d.of.Ref.Thread)))
	if th.Process >= 0 {
		p := &d.tr.Processes[th.Process]
		d.say("Process", p.Title())
		if p.Host != "" {
			d.say("Host", p.Host)
		}
	}
	d.say("Stack depth", fmt.Sprint(th.Depth(i)+1))
	d.readFunction(th, i)
	d.readMarks(th, i)
	if line := words.WaitLine(st, d.of); line != "" {
		d.facts = append(d.facts, fact{"Wait", line, true})
	}
	if args := th.Args(i); args != "" {
		d.facts = append(d.facts, fact{"Arguments", args, true})
	}
	d.readCalls(th, i, kids)
	d.readLinks()
	d.readMatches(st)
	d.readLines()
}

// readTimes tells when the call ran and for how long.
func (d *details) readTimes(th *trace.Thread, i int, kids *callees) {
	whole := "Duration"
	if d.tr.Kind == trace.Profile {
		whole = "Total"
	} else {
		d.say("Start", d.value(th.Start(i)))
	}
	d.say(whole, d.value(th.Dur(i))+share(th.Dur(i), d.tr.Duration)+" of the trace")
	self := unknown
	if kids != nil {
		self = d.value(kids.self) + share(kids.self, th.Dur(i))
	}
	d.say("Self", self)
}

// unknown stands for a number until its job has found it.
const unknown = "…"

func (d *details) value(ns int64) string {
	return geom.FormatValue(float64(ns), string(d.tr.Unit))
}

// share says how much of the whole a part is.
func share(part, whole int64) string {
	if whole <= 0 {
		return ""
	}
	return "  ·  " + kit.Percent(float64(part)/float64(whole))
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
		d.say("Blocking", words.Blocking(d.tr, th, b))
	}
	f := th.Flags(i)
	switch {
	case th.Sampled:
		d.say("Sampled", "a run of stack samples that agree on it, perhaps of several calls")
	case f&trace.Sampled != 0:
		d.say("Sampled", "its start and end come from stack samples")
	}
	if f&trace.Unclosed != 0 {
		d.say("Unclosed", "the recording has no end for it")
	}
}

// readCalls lists who called the call and what it called; kids is nil until that is known.
func (d *details) readCalls(th *trace.Thread, i int, kids *callees) {
	row := func(c int) callRow {
		return callRow{c, d.tr.FunctionOf(th, c).Name,
			words.Bare(d.value(th.Dur(c)), string(d.tr.Unit))}
	}
	for p := int(th.Parent(i)); p >= 0 && len(d.stack) < mostCallers; p = int(th.Parent(p)) {
		d.stack = append(d.stack, row(p))
	}
	below := int(th.Size(i)) - 1
	if below == 0 {
		return
	}
	direct := unknown
	if kids != nil {
		direct = kit.Grouped(kids.direct)
		for _, c := range kids.longest {
			d.kids = append(d.kids, row(c))
		}
		d.more = kids.direct - len(kids.longest)
	}
	d.say("Callees", fmt.Sprintf("%s direct, %s in all", direct, kit.Grouped(below)))
}

// chosenCall returns what is known of the matches of the selected call at the present τ, or nil.
func chosenCall(st *session.State) *session.Chosen {
	if st.Found == nil || st.Found.Chosen == nil {
		return nil
	}
	c := st.Found.Chosen
	if c.Of != st.Selected || c.Tau != st.Tau {
		return nil
	}
	return c
}

// readMatches gathers what the call matches.
func (d *details) readMatches(st *session.State) {
	if d.chosen == nil {
		return
	}
	sums := d.chosen.Sums
	if sums.Matches == 0 {
		d.say("Matches", "nothing in "+d.of.Side.Other().String())
		return
	}
	weight := strconv.FormatFloat(sums.Weight, 'g', 4, 64)
	d.say("Matches", kit.Counted(sums.Matches)+", sum of similarity "+weight)
	switch shift := geom.FormatValue(kit.Abs(sums.Shift), words.UnitOf(st)); {
	case st.Profile():
	case sums.Shift > 0:
		d.say("On average", shift+" later in "+d.of.Side.Other().String())
	case sums.Shift < 0:
		d.say("On average", shift+" earlier in "+d.of.Side.Other().String())
	}
}

// match is the line of the best match; clicking it goes there.
func (d *details) match(c *view.Context, gtx C, st *session.State) D {
	best := d.chosen.Best[0]
	if d.best.Clicked(gtx) {
		c.S.Select(best.Target)
		c.S.Reveal(best.Target)
	}
	tr := st.Sides[best.Side].Trace
	th, i := st.Call(best.Target)
	name := tr.FunctionOf(th, i).Name
	return c.Kit.Pressable(gtx, &d.best, "Go to the best match", false, func(gtx C) D {
		return layout.Inset{Top: 3, Bottom: 3, Right: 8}.Layout(gtx, func(gtx C) D {
			return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
				layout.Rigid(func(gtx C) D {
					gtx.Constraints.Min.X = gtx.Dp(70)
					return c.Kit.Label(gtx, "Best match", c.Kit.Faint())
				}),
				badge(c, best.Side),
				kit.Space(6),
				wide(c, name, c.Kit.Text()),
				c.Kit.Cell(unit.Dp(46), kit.Percent(best.Rank.S), kit.Right(c.Kit.Faint())))
		})
	})
}
