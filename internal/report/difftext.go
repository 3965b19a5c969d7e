package report

import (
	"fmt"
	"io"
	"strings"

	"diptych/internal/account/explain"
	"diptych/internal/escape"
)

// What diff prints: the balance, how much of the difference is explained, the findings with what
// each accounts for, and what is left.

// WriteText writes the account and the findings, a line each, for a terminal.
func (d *Diff) WriteText(w io.Writer, limit int) error {
	var b strings.Builder
	if d.Runs != nil {
		d.Runs.write(&b, limit)
	}
	for _, line := range d.opening() {
		escape.Printf(&b, "%s\n", line)
	}
	rows, left := d.from.Rows(limit)
	if len(rows) > 0 {
		elapsed, work := d.from.Columns()
		fmt.Fprintf(&b, "\n%3s  %-10s %9s %9s\n", "", "", elapsed, work)
	}
	for _, r := range rows {
		if r.More > 0 {
			fmt.Fprintf(&b, "%3s  %-10s %9s %9s  %s\n", "", "", "", "", "  "+explain.MoreFollow(r.More))
			continue
		}
		if r.Title != "" {
			fmt.Fprintf(&b, "\n%s\n", r.Title)
		}
		f := &d.Findings[r.Finding]
		indent := ""
		if f.Under != nil {
			indent = "  "
		}
		elapsed, work := d.from.Owns(&d.from.Findings[r.Finding])
		escape.Printf(&b, "%3d  %-10s %9s %9s  %s%s\n", r.Finding+1, d.from.KindWord(f.Kind), elapsed, work, indent, f.Text)
	}
	d.finish(&b, len(rows), left, d.from.Unexplained())
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteMarkdown writes them as a list and a table, for a comment on a change.
func (d *Diff) WriteMarkdown(w io.Writer, limit int) error {
	var b strings.Builder
	if d.Runs != nil {
		fmt.Fprintln(&b, "```")
		d.Runs.write(&b, limit)
		fmt.Fprint(&b, "```\n\n")
	}
	for _, line := range d.opening() {
		fmt.Fprintf(&b, "- %s\n", escape.Markdown(line))
	}
	rows, left := d.from.Rows(limit)
	if len(rows) > 0 {
		elapsed, work := d.from.Columns()
		fmt.Fprintf(&b, "\n| kind | %s | %s | what |\n| --- | ---: | ---: | --- |\n", elapsed, work)
	}
	for _, r := range rows {
		if r.More > 0 {
			fmt.Fprintf(&b, "| | | | ↳ %s |\n", explain.MoreFollow(r.More))
			continue
		}
		if r.Title != "" {
			fmt.Fprintf(&b, "| | | | **%s** |\n", r.Title)
		}
		f := &d.Findings[r.Finding]
		indent := ""
		if f.Under != nil {
			indent = "↳ "
		}
		elapsed, work := d.from.Owns(&d.from.Findings[r.Finding])
		fmt.Fprintf(&b, "| %s | %s | %s | %s%s |\n", d.from.KindWord(f.Kind), elapsed, work,
			indent, escape.Markdown(f.Text))
	}
	d.finish(&b, len(rows), left, escape.Markdown(d.from.Unexplained()))
	_, err := io.WriteString(w, b.String())
	return err
}

func (d *Diff) finish(b *strings.Builder, told int, left explain.Left, unexplained string) {
	switch {
	case left.Total() > 0:
		escape.Printf(b, "\n… and %v (--all lists them).\n", left)
	case told == 0:
		escape.Printf(b, "\n%s\n", d.from.Found.Verdict)
	}
	if unexplained != "" {
		escape.Printf(b, "\n%s\n", unexplained)
	}
	for _, e := range d.Exceeded {
		escape.Printf(b, "\nThreshold exceeded: %s\n", e)
	}
}
