package page

import (
	"fmt"
	"io"
	"strings"

	"diptych/internal/escape"
)

// What a comment on a change shows at once, and what it folds: a reviewer wants the answer, and a
// comment may not be longer than 65,536 characters on GitHub.
const (
	openFindings   = 10
	foldedFindings = 40
	foldedRows     = 15
)

// WriteMarkdown writes the report as a comment on a change: the verdict, the balance and the first
// findings; the rest is folded.
func (p *Page) WriteMarkdown(w io.Writer) error {
	m := &comment{}
	m.line("**%s**", p.Headline)
	m.line("")
	for _, s := range p.Sides {
		m.line("- **%s**: %s, %s, %s", s.Letter, s.Name, s.Length, s.CallsWords)
	}
	for _, c := range p.Cautions {
		m.line("- **%s**: %s", strings.Join(c.Sides, ", "), c.Text)
	}
	for _, s := range p.Shares {
		m.line("- %s", s.sentence())
	}
	m.line("- similarity %s", p.Similar)
	m.table([]Column{{Title: ""}, number("A"), number("B"), number("B − A"), number("B / A")},
		p.balanceRows())
	m.findings(p)
	if p.Left != "" {
		m.line("")
		m.line("%s", p.Left)
	}
	for i := range p.Tables {
		m.folded(&p.Tables[i])
	}
	_, err := io.WriteString(w, m.String())
	return err
}

// sentence says how much of the difference of a quantity is explained.
func (s *Share) sentence() string {
	text := fmt.Sprintf("explained: %s of %s", s.Part, s.Of)
	if s.Name != "" {
		text += " " + s.Name
	}
	return fmt.Sprintf("%s (%d %%)", text, s.Percent)
}

func (p *Page) balanceRows() (rows [][]Cell) {
	for _, q := range p.Balance {
		rows = append(rows, []Cell{words(q.Name), words(q.A), words(q.B), words(q.Change), words(q.Ratio)})
	}
	return rows
}

// comment is Markdown that is being written.
type comment struct{ strings.Builder }

// line writes a line. The texts among the arguments may hold names from files.
func (m *comment) line(format string, args ...any) {
	for i, a := range args {
		if text, ok := a.(string); ok {
			args[i] = escape.Markdown(text)
		}
	}
	fmt.Fprintf(m, format+"\n", args...)
}

// table writes rows of cells.
func (m *comment) table(columns []Column, rows [][]Cell) {
	head, rule := "|", "|"
	for _, c := range columns {
		head += " " + escape.Markdown(c.Title) + " |"
		if c.Number {
			rule += " ---: |"
		} else {
			rule += " --- |"
		}
	}
	fmt.Fprintf(m, "\n%s\n%s\n", head, rule)
	for _, row := range rows {
		m.WriteString("|")
		for _, c := range row {
			m.WriteString(" " + escape.Markdown(c.Text) + " |")
		}
		m.WriteString("\n")
	}
}

// findings writes the first findings, and folds the others.
func (m *comment) findings(p *Page) {
	if p.Nothing != "" {
		m.line("")
		m.line("%s", p.Nothing)
		return
	}
	open := min(openFindings, len(p.Findings))
	m.findingRows(p, p.Findings[:open])
	rest := p.Findings[open:]
	after := p.More.Total() + max(len(rest)-foldedFindings, 0)
	if len(rest) > 0 {
		m.open("Further findings")
		m.findingRows(p, rest[:min(len(rest), foldedFindings)])
		m.close()
	}
	if after > 0 {
		m.line("")
		m.line("… and %d more; `diptych diff --all` lists them.", after)
	}
}

func (m *comment) findingRows(p *Page, list []Finding) {
	columns := []Column{{Title: "kind"}, number(p.Columns[0])}
	if p.Columns[1] != "" {
		columns = append(columns, number(p.Columns[1]))
	}
	var rows [][]Cell
	for _, f := range list {
		row := []Cell{words(f.Kind), words(f.Elapsed)}
		if p.Columns[1] != "" {
			row = append(row, words(f.Work))
		}
		text := f.Text
		if f.Follows {
			text = "↳ " + text
		}
		rows = append(rows, append(row, words(text)))
	}
	m.table(append(columns, Column{Title: "what"}), rows)
}

// folded writes the first rows of a table.
func (m *comment) folded(t *Table) {
	if len(t.Rows) == 0 {
		return
	}
	m.open(t.Title)
	rows := t.Rows[:min(len(t.Rows), foldedRows)]
	m.table(t.Columns, rows)
	if more := t.More + len(t.Rows) - len(rows); more > 0 {
		m.line("")
		m.line("… and %d more.", more)
	}
	for _, f := range t.Facts {
		m.line("")
		m.line("%s", f)
	}
	m.close()
}

func (m *comment) open(title string) {
	fmt.Fprintf(m, "\n<details><summary>%s</summary>\n", title)
}

func (m *comment) close() { m.WriteString("\n</details>\n") }
