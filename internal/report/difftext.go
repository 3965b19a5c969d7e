package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"diptych/internal/align/finding"
)

// What diff prints: the balance, how much of the difference is explained, the findings with what
// each accounts for, and what is left.

// change says how one quantity changed: "elapsed 141 ms → 252 ms, +111 ms (1.79×)".
func (d *Diff) change(name string, ns Both[int64]) string {
	text := fmt.Sprintf("%s %s → %s, %s", name, finding.Length(ns.A, d.unit),
		finding.Length(ns.B, d.unit), signedLength(ns.B-ns.A, d.unit))
	if ns.A > 0 && ns.B > 0 {
		text += fmt.Sprintf(" (%s×)", ratioText(float64(ns.B)/float64(ns.A)))
	}
	return text
}

// ratioText returns a ratio with three digits, or as a whole number where that has more.
func ratioText(r float64) string {
	switch {
	case r >= 99.95:
		return fmt.Sprintf("%.0f", r)
	case r >= 9.995:
		return fmt.Sprintf("%.1f", r)
	case r >= 0.0995:
		return fmt.Sprintf("%.2f", r)
	}
	return fmt.Sprintf("%.2g", r)
}

// opening returns the lines that diff opens with.
func (d *Diff) opening() []string {
	a := &d.Account
	if d.profile {
		return []string{d.change("total", a.ElapsedNs), d.explained()}
	}
	lines := []string{d.change("elapsed", a.ElapsedNs), d.change("work", a.WorkNs)}
	for _, q := range []struct {
		name string
		ns   Both[int64]
	}{{"waiting", a.WaitNs}, {"I/O", a.IONs}, {"off CPU", a.OffCPUNs}, {"idle", a.IdleNs}} {
		if q.ns != (Both[int64]{}) {
			lines = append(lines, d.change(q.name, q.ns))
		}
	}
	return append(lines, d.explained())
}

// explained says how much of the difference the findings account for. What is left over may have
// either sign, so its size is what is not explained, and no share is over 100 %.
func (d *Diff) explained() string {
	a, u := &d.Account, &d.Account.Unexplained
	var parts []string
	add := func(name string, ns, left int64) {
		if ns == 0 {
			return
		}
		of := max(ns, -ns)
		part := max(of-max(left, -left), 0)
		parts = append(parts, fmt.Sprintf("%s of %s%s (%.0f %%)", finding.Length(part, d.unit),
			finding.Length(of, d.unit), name, math.Floor(100*float64(part)/float64(of))))
	}
	if d.profile {
		add("", a.ElapsedNs.B-a.ElapsedNs.A, u.ElapsedNs)
	} else {
		add(" elapsed", a.ElapsedNs.B-a.ElapsedNs.A, u.ElapsedNs)
		add(" work", a.WorkNs.B-a.WorkNs.A, u.WorkNs)
	}
	similar := fmt.Sprintf("similarity %.3g %%", 100*d.Similarity)
	if change := d.Pace - 1; (change > 0.01 || change < -0.01) && !d.paced() {
		similar += fmt.Sprintf("; self times are compared at a pace of %.3g×", d.Pace)
	}
	if len(parts) == 0 {
		return "no difference; " + similar
	}
	return "explained " + strings.Join(parts, ", ") + "; " + similar
}

// paced reports whether a pace is among the findings.
func (d *Diff) paced() bool {
	return slices.ContainsFunc(d.Findings, func(f DiffFinding) bool { return f.Kind == "pace" })
}

// A part of what is unexplained is named from leastPart of the longer run on.
const (
	leastPart = 0.005
	mostParts = 3
)

// unexplained returns the last line: what no finding accounts for.
func (d *Diff) unexplained() string {
	u := &d.Account.Unexplained
	text := "unexplained: " + d.both(u.ElapsedNs, u.WorkNs)
	var parts []string
	least := leastPart * float64(max(d.Account.ElapsedNs.A, d.Account.ElapsedNs.B))
	for _, p := range u.Parts[:min(len(u.Parts), mostParts)] {
		if float64(max(p.Ns, -p.Ns, p.WorkNs, -p.WorkNs)) < least {
			break
		}
		parts = append(parts, fmt.Sprintf("%s (%s)", p.Function, d.both(p.Ns, p.WorkNs)))
	}
	if len(parts) > 0 {
		text += "; the largest parts: " + strings.Join(parts, ", ")
	}
	return text
}

// both returns a part of both accounts in words. They are one in a profile.
func (d *Diff) both(elapsed, work int64) string {
	switch {
	case d.profile:
		return signedLength(elapsed, d.unit)
	case work == 0:
		return signedLength(elapsed, d.unit) + " elapsed"
	case elapsed == 0:
		return signedLength(work, d.unit) + " of work"
	}
	return signedLength(elapsed, d.unit) + " elapsed, " + signedLength(work, d.unit) + " of work"
}

// told returns the first findings, as many as the limit (all if it is not positive), and the number
// of the others.
func (d *Diff) told(limit int) ([]DiffFinding, int) {
	if limit <= 0 || limit >= len(d.Findings) {
		return d.Findings, 0
	}
	return d.Findings[:limit], len(d.Findings) - limit
}

// owned returns what a finding accounts for, nothing for nothing.
func (d *Diff) owned(ns int64) string {
	if ns == 0 {
		return ""
	}
	return signedLength(ns, d.unit)
}

func (d *Diff) ownedWork(f *DiffFinding) string {
	if d.profile {
		return ""
	}
	return d.owned(f.WorkNs)
}

// columns returns the heads of what findings own.
func (d *Diff) columns() (elapsed, work string) {
	if d.profile {
		return "total", ""
	}
	return "elapsed", "work"
}

// WriteText writes the account and the findings, a line each, for a terminal.
func (d *Diff) WriteText(w io.Writer, limit int) error {
	var b strings.Builder
	for _, line := range d.opening() {
		fmt.Fprintln(&b, line)
	}
	list, more := d.told(limit)
	if len(list) > 0 {
		elapsed, work := d.columns()
		fmt.Fprintf(&b, "\n%3s  %-10s %9s %9s\n", "", "", elapsed, work)
	}
	for i, f := range list {
		indent := ""
		if f.Under != nil {
			indent = "  "
		}
		fmt.Fprintf(&b, "%3d  %-10s %9s %9s  %s%s\n", i+1, f.Kind, d.owned(f.ElapsedNs),
			d.ownedWork(&f), indent, f.Text)
	}
	d.finish(&b, len(list), more, d.unexplained())
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteMarkdown writes them as a list and a table, for a comment on a change.
func (d *Diff) WriteMarkdown(w io.Writer, limit int) error {
	var b strings.Builder
	for _, line := range d.opening() {
		fmt.Fprintf(&b, "- %s\n", markdown.Replace(line))
	}
	list, more := d.told(limit)
	if len(list) > 0 {
		elapsed, work := d.columns()
		fmt.Fprintf(&b, "\n| kind | %s | %s | what |\n| --- | ---: | ---: | --- |\n", elapsed, work)
	}
	for _, f := range list {
		indent := ""
		if f.Under != nil {
			indent = "↳ "
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s%s |\n", f.Kind, d.owned(f.ElapsedNs),
			d.ownedWork(&f), indent, markdown.Replace(f.Text))
	}
	d.finish(&b, len(list), more, markdown.Replace(d.unexplained()))
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
		fmt.Fprintf(b, "\n%s\n", d.verdict)
	}
	if u := &d.Account.Unexplained; u.ElapsedNs != 0 || u.WorkNs != 0 {
		fmt.Fprintf(b, "\n%s\n", unexplained)
	}
	for _, e := range d.Exceeded {
		fmt.Fprintf(b, "\nThreshold exceeded: %s\n", e)
	}
}
