// Package things says what can be done with what a view shows: calls, matches, threads, notes,
// anchors and stretches of time. Views and panels return what is here as the view.Thing under the
// pointer, so that a call has the same menu wherever it is drawn. The package knows no view.
package things

import (
	"image"
	"strings"

	"gioui.org/layout"

	"diptych/internal/command"
	"diptych/internal/escape"
	"diptych/internal/geom"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
)

// do is what an entry does that only needs the session.
func do(f func(c *view.Context)) func(*view.Context, layout.Context) {
	return func(c *view.Context, _ layout.Context) { f(c) }
}

// CopyText is an entry that copies a text, such as a name.
func CopyText(title, text string) view.Entry {
	return view.Entry{Title: title, Do: func(_ *view.Context, gtx layout.Context) { kit.Copy(gtx, text) }}
}

// Told writes lines of text for the clipboard, such as those of a tooltip: for Markdown as a list,
// for a spreadsheet as a row.
func Told(lines []string) func(kit.TextFormat) string {
	return func(f kit.TextFormat) string {
		var b strings.Builder
		for i, line := range lines {
			switch {
			case f == kit.Markdown && i == 0:
				b.WriteString(escape.Markdown(line) + "\n\n")
			case f == kit.Markdown:
				b.WriteString("- " + escape.Markdown(line) + "\n")
			case f == kit.Plain:
				b.WriteString(escape.Line(line) + "\n")
			default:
				b.WriteString(escape.Cell(line) + ending(i, len(lines)))
			}
		}
		return b.String()
	}
}

// fact is a named value.
type fact struct{ name, value string }

// listed writes facts for the clipboard: line by line, or for a spreadsheet as a row below a head.
func listed(facts []fact) func(kit.TextFormat) string {
	return func(f kit.TextFormat) string {
		if f == kit.TSV {
			return row(facts, func(x fact) string { return x.name }) +
				row(facts, func(x fact) string { return x.value })
		}
		var b strings.Builder
		for _, x := range facts {
			if f == kit.Markdown {
				b.WriteString("- " + x.name + ": " + escape.Markdown(x.value) + "\n")
			} else {
				b.WriteString(x.name + ": " + escape.Line(x.value) + "\n")
			}
		}
		return b.String()
	}
}

// row writes one text of each fact as a row for a spreadsheet.
func row(facts []fact, of func(fact) string) string {
	var b strings.Builder
	for i, x := range facts {
		b.WriteString(escape.Cell(of(x)) + ending(i, len(facts)))
	}
	return b.String()
}

// ending follows cell i of n in a row for a spreadsheet.
func ending(i, n int) string {
	if i < n-1 {
		return "\t"
	}
	return "\n"
}

// Chosen is what has the choice in a view of calls: the one that is selected, or else the selected
// stretch of time. Where returns the rectangle of a call within the view's area; it may be nil.
func Chosen(c *view.Context, area image.Rectangle,
	where func(session.Target) (geom.Rect, bool)) view.Thing {
	st := c.S.State()
	if !st.Selected.OK {
		return Stretch(c)
	}
	t := Call(c, st.Selected)
	if where == nil {
		return t
	}
	if r, ok := where(st.Selected); ok {
		box := image.Rect(int(r.X0), int(r.Y0), int(r.X1), int(r.Y1)).Add(area.Min)
		t.Box = box.Intersect(area)
	}
	return t
}

// Moves are the entries that stand where there is nothing else.
func moves() []view.Entry {
	return []view.Entry{{Command: command.ShowAll, Apart: true}, {Command: command.Back},
		{Command: command.CommonScale}, {Command: command.ScopeThread}, {Command: command.ScopeProcess}}
}
