package report

import (
	"fmt"
	"io"
	"strings"
)

// What diff prints: the balance, how much of the difference is explained, the findings with what
// each accounts for, and what is left.

// told returns the first findings, as many as the limit (all if it is not positive), and the number
// of the others.
func (d *Diff) told(limit int) ([]DiffFinding, int) {
	if limit <= 0 || limit >= len(d.Findings) {
		return d.Findings, 0
	}
	return d.Findings[:limit], len(d.Findings) - limit
}

// WriteText writes the account and the findings, a line each, for a terminal.
func (d *Diff) WriteText(w io.Writer, limit int) error {
	var b strings.Builder
	for _, line := range d.from.Opening() {
		fmt.Fprintln(&b, line)
	}
	list, more := d.told(limit)
	if len(list) > 0 {
		elapsed, work := d.from.Columns()
		fmt.Fprintf(&b, "\n%3s  %-10s %9s %9s\n", "", "", elapsed, work)
	}
	for i, f := range list {
		indent := ""
		if f.Under != nil {
			indent = "  "
		}
		elapsed, work := d.from.Owns(&d.from.Findings[i])
		fmt.Fprintf(&b, "%3d  %-10s %9s %9s  %s%s\n", i+1, f.Kind, elapsed, work, indent, f.Text)
	}
	d.finish(&b, len(list), more, d.from.Unexplained())
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteMarkdown writes them as a list and a table, for a comment on a change.
func (d *Diff) WriteMarkdown(w io.Writer, limit int) error {
	var b strings.Builder
	for _, line := range d.from.Opening() {
		fmt.Fprintf(&b, "- %s\n", markdown.Replace(line))
	}
	list, more := d.told(limit)
	if len(list) > 0 {
		elapsed, work := d.from.Columns()
		fmt.Fprintf(&b, "\n| kind | %s | %s | what |\n| --- | ---: | ---: | --- |\n", elapsed, work)
	}
	for i, f := range list {
		indent := ""
		if f.Under != nil {
			indent = "↳ "
		}
		elapsed, work := d.from.Owns(&d.from.Findings[i])
		fmt.Fprintf(&b, "| %s | %s | %s | %s%s |\n", f.Kind, elapsed, work, indent,
			markdown.Replace(f.Text))
	}
	d.finish(&b, len(list), more, markdown.Replace(d.from.Unexplained()))
	_, err := io.WriteString(w, b.String())
	return err
}

// markdown keeps names of functions from being read as markup.
var markdown = strings.NewReplacer("\\", "\\\\", "|", "\\|", "*", "\\*", "_", "\\_", "<", "\\<",
	"`", "\\`")

func (d *Diff) finish(b *strings.Builder, told, more int, unexplained string) {
	switch {
	case more > 0:
		fmt.Fprintf(b, "\n… and %d more.\n", more)
	case told == 0:
		fmt.Fprintf(b, "\n%s\n", d.from.Found.Verdict)
	}
	if unexplained != "" {
		fmt.Fprintf(b, "\n%s\n", unexplained)
	}
	for _, e := range d.Exceeded {
		fmt.Fprintf(b, "\nThreshold exceeded: %s\n", e)
	}
}
