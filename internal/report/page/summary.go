package page

import (
	"fmt"
	"html/template"
	"strings"

	"diptych/internal/account/explain"
	"diptych/internal/escape"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/plural"
	"diptych/internal/report"
	"diptych/internal/trace"
)

// Quantity is a line of the balance.
type Quantity struct {
	Name, A, B, Change, Ratio string
	Bars                      [2]string // each side's part of the larger, in percent
}

// Share is how much of the difference of a quantity the findings explain.
type Share struct {
	Name       string // "" in a profile
	Part, Of   string
	Percent    int
	Difference string // with its sign
}

// Finding is one line of the findings.
type Finding struct {
	Number        int // 0 if the line only says how many more follow
	Kind, Text    string
	Elapsed, Work string // what it owns, "" for nothing
	Follows       bool   // from the finding above that does not follow
	Certainty     string
	Picture       template.HTML // of its place, "" without one
	About         string        // what the picture shows
	Threads       string        // where the place is
	Show          *Span         // the place in the stacks of both sides, nil for none
	finding       int           // index into Difference.Findings, −1 for none
}

// mostFindings is how many findings a report lists.
const mostFindings = 100

// summary says what differs.
func (b *builder) summary() error {
	p, d := b.page, b.Difference
	for s := range b.Names {
		b.Names[s] = escape.Line(b.Names[s])
	}
	p.Profile, p.Noun = b.pair.Profile(), b.pair.CallNoun()
	p.Title = fmt.Sprintf("%s and %s compared", b.Names[pair.A], b.Names[pair.B])
	for s := range p.Sides {
		p.Sides[s] = b.side(pair.Side(s))
	}
	p.Cautions = b.cautions()
	list := d.Quantities()
	for i := range list {
		p.Balance = append(p.Balance, b.quantity(&list[i]))
	}
	p.Headline = b.headline(&list[0])
	for _, e := range d.Explained() {
		p.Shares = append(p.Shares, Share{Name: e.Name, Part: d.Length(e.PartNs),
			Of: d.Length(max(e.DeltaNs, -e.DeltaNs)), Percent: e.Percent(),
			Difference: d.Signed(e.DeltaNs)})
	}
	p.Equal, p.Similar = d.Equal(), fmt.Sprintf("%.3g %%", 100*d.Found.Similarity)
	p.Columns[0], p.Columns[1] = d.Columns()
	p.Left = escape.Line(d.Unexplained())
	b.findings()
	return nil
}

// side describes a trace.
func (b *builder) side(s pair.Side) Side {
	t := b.pair.Trace(s)
	calls := geom.FormatCount(uint64(t.Calls()))
	return Side{Letter: s.String(), Name: b.Names[s], Format: t.Format, Tool: escape.Line(t.Tool),
		Calls: calls, CallsWords: calls + " " + plural.Noun(t.Calls(), t.Kind.CallNoun()), Threads: geom.FormatCount(uint64(len(t.Threads))),
		Length: b.Difference.Length(b.Difference.Balance.Elapsed[s]), Verdict: t.Verdict().String()}
}

// cautions says how far the comparison can rely on the recordings: once if the same holds of both.
func (b *builder) cautions() (list []Caution) {
	for _, s := range []pair.Side{pair.A, pair.B} {
		t := b.pair.Trace(s)
		if t.Verdict() == trace.Complete {
			continue
		}
		why := report.NewTrust(t)
		text := fmt.Sprintf("The recording is %s (%s): %s", why.Verdict, why.Reasons(), why.Meaning)
		if s == pair.B && len(list) > 0 && b.pair.A.Verdict() == t.Verdict() {
			list[0] = Caution{[]string{"A", "B"}, fmt.Sprintf("The recordings are %s (A: %s; B: %s): %s",
				why.Verdict, report.NewTrust(b.pair.A).Reasons(), why.Reasons(), why.Meaning)}
			continue
		}
		list = append(list, Caution{[]string{s.String()}, text})
	}
	if text := explain.Requests(b.pair); text != "" {
		list = append(list, Caution{[]string{"A", "B"}, escape.Line(text)})
	}
	if text := b.pair.Recorded().String(); text != "" {
		list = append(list, Caution{[]string{"A", "B"}, escape.Line(text)})
	}
	return list
}

// quantity writes a line of the balance.
func (b *builder) quantity(q *explain.Quantity) Quantity {
	d := b.Difference
	out := Quantity{Name: q.Name, A: d.Length(q.Ns[pair.A]), B: d.Length(q.Ns[pair.B]),
		Change: d.Signed(q.Ns[pair.B] - q.Ns[pair.A]), Ratio: q.Ratio()}
	longer := max(q.Ns[pair.A], q.Ns[pair.B], 1)
	for s := range out.Bars {
		out.Bars[s] = fmt.Sprintf("%.1f", 100*float64(max(q.Ns[s], 0))/float64(longer))
	}
	return out
}

// headline says how much longer B takes: of a profile, how much more it has.
func (b *builder) headline(q *explain.Quantity) string {
	d, change := b.Difference, q.Ns[pair.B]-q.Ns[pair.A]
	words := [2]string{"takes %s less", "takes %s longer"}
	if b.page.Profile {
		words = [2]string{"has %s less", "has %s more"}
	}
	more := 0
	switch {
	case change == 0:
		return fmt.Sprintf("A and B take the same: %s", d.Length(q.Ns[pair.A]))
	case change > 0:
		more = 1
	}
	text := fmt.Sprintf("B "+words[more]+" than A", d.Length(max(change, -change)))
	if ratio := q.Ratio(); ratio != "" {
		text += " (" + ratio + ")"
	}
	return text
}

// findings lists what differs, in the order and with the words of `diptych diff`.
func (b *builder) findings() {
	d, p := b.Difference, b.page
	rows, left := d.Rows(mostFindings)
	if p.More = left; len(rows) == 0 {
		p.Nothing = escape.Line(d.Found.Verdict)
	}
	for _, r := range rows {
		if r.More > 0 {
			p.Findings = append(p.Findings, Finding{Text: explain.MoreFollow(r.More), Follows: true,
				finding: -1})
			continue
		}
		f := &d.Findings[r.Finding]
		line := Finding{Number: r.Finding + 1, Kind: f.Kind, Text: unbroken(escape.Line(f.Text)), Follows: f.Under >= 0,
			Certainty: f.Certainty.String(), finding: r.Finding}
		line.Elapsed, line.Work = d.Owns(f)
		p.Findings = append(p.Findings, line)
	}
}

// unbroken returns a text whose lines do not end after the thousands of a number.
func unbroken(text string) string { return strings.ReplaceAll(text, "\u2009", "\u202f") }
