package dock

import (
	"fmt"
	"iter"

	"gioui.org/layout"
	"gioui.org/unit"

	"diptych/internal/session"
	"diptych/internal/trace"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
)

// Causal links of the selected call: what caused it, and what it caused. Those of the calls below
// it are its own as well.

// A list has the first mostLinks links, and says how many there are up to mostCounted.
const (
	mostLinks   = 12
	mostCounted = 10_000
)

// linkEnd is the other end of a link of the selected call.
type linkEnd struct {
	link int // index into the trace's Links
	to   trace.CallRef
}

// linkRow is the line of a link.
type linkRow struct {
	linkEnd
	name, thread string
	took         string // from when it went out until it arrived
}

// linkList is the links of a call in one direction.
type linkList struct {
	rows []linkRow
	all  int // how many there are, as far as they are counted
}

// linksOf gathers links of the selected call; other returns a link's other end.
func (d *details) linksOf(links iter.Seq[int], other func(*trace.Link) trace.CallRef) (list linkList) {
	for k := range links {
		if list.all++; list.all > mostCounted {
			break
		}
		if len(list.rows) == mostLinks {
			continue
		}
		l := &d.tr.Links[k]
		to := other(l)
		th := d.tr.Threads[to.Thread]
		r := linkRow{linkEnd{k, to}, d.tr.FunctionOf(th, int(to.Call)).Name, "", d.value(l.Until - l.At)}
		if to.Thread != d.of.Ref.Thread {
			r.thread = d.tr.ThreadTitle(int(to.Thread))
		}
		list.rows = append(list.rows, r)
	}
	return list
}

// readLinks gathers what caused the call and what it caused.
func (d *details) readLinks() {
	d.causes = d.linksOf(d.tr.Causes(d.of.Ref), func(l *trace.Link) trace.CallRef { return l.From })
	d.effects = d.linksOf(d.tr.Effects(d.of.Ref), func(l *trace.Link) trace.CallRef { return l.To })
}

// readLinkLines adds lines for links under a title, none if there are none.
func (d *details) readLinkLines(title string, list *linkList) {
	switch {
	case list.all == 0:
		return
	case list.all > mostCounted:
		title = fmt.Sprintf("%s: the first %d of more than %s", title, mostLinks, kit.Grouped(mostCounted))
	case list.all > mostLinks:
		title = fmt.Sprintf("%s: the first %d of %s", title, mostLinks, kit.Grouped(list.all))
	}
	d.lines = append(d.lines, func(c *view.Context, gtx C, _ *session.State) D {
		return c.Kit.Title(gtx, title)
	})
	for i := range list.rows {
		d.lines = append(d.lines, func(c *view.Context, gtx C, _ *session.State) D {
			return d.linkLine(c, gtx, &list.rows[i])
		})
	}
}

// linkLine is a line that selects the call at the other end of a link.
func (d *details) linkLine(c *view.Context, gtx C, r *linkRow) D {
	text := []layout.FlexChild{label(c, r.name, c.Kit.Text())}
	if r.thread != "" {
		text = append(text, label(c, r.thread, c.Kit.Caption()))
	}
	return c.Kit.Pressable(gtx, d.ends.Row(r.linkEnd), "Follow the link to "+r.name, false, func(gtx C) D {
		return layout.Inset{Top: 2, Bottom: 2, Left: 4, Right: 8}.Layout(gtx, func(gtx C) D {
			return layout.Flex{}.Layout(gtx,
				kit.Wide(func(gtx C) D { return layout.Flex{Axis: layout.Vertical}.Layout(gtx, text...) }),
				c.Kit.Cell(unit.Dp(70), r.took, kit.Right(c.Kit.Faint())))
		})
	})
}

// followLink selects the call at the other end of a link.
func (d *details) followLink(c *view.Context, to trace.CallRef) {
	t := session.Target{Side: d.of.Side, Ref: to, OK: true}
	c.S.Select(t)
	c.S.Reveal(t)
}
