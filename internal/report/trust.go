package report

import (
	"fmt"
	"slices"
	"strings"

	"diptych/internal/pair"
	"diptych/internal/trace"
)

// Trust says how far a comparison can rely on a recording, and why.
type Trust struct {
	Verdict string     `json:"verdict"` // complete, repaired or lossy
	Meaning string     `json:"meaning"` // for a comparison
	Losses  []InfoDiag `json:"losses"`  // what is missing
	Clock   []InfoDiag `json:"clock"`   // times that cannot be
	Repairs []InfoDiag `json:"repairs"` // what was changed by rule
	Notes   []InfoDiag `json:"notes"`   // what changes nothing
}

// NewTrust judges t by what was wrong with its file.
func NewTrust(t *trace.Trace) *Trust {
	v := t.Verdict()
	r := &Trust{Verdict: v.String(), Meaning: v.Meaning(),
		Losses: []InfoDiag{}, Clock: []InfoDiag{}, Repairs: []InfoDiag{}, Notes: []InfoDiag{}}
	for _, d := range t.Diagnostics {
		list := map[trace.Class]*[]InfoDiag{trace.Loss: &r.Losses, trace.Clock: &r.Clock,
			trace.Repair: &r.Repairs, trace.Note: &r.Notes}[d.Code.Class()]
		*list = append(*list, InfoDiag{string(d.Code), d.Count, d.Example})
	}
	return r
}

// Reasons lists what the verdict rests on, as "lost-records 3367, unmatched-begin 17".
func (r *Trust) Reasons() string {
	var all []string
	for _, list := range [][]InfoDiag{r.Losses, r.Clock, r.Repairs} {
		for _, d := range list {
			all = append(all, fmt.Sprintf("%s %d", d.Code, d.Count))
		}
	}
	return strings.Join(all, ", ")
}

// trustOf returns the trust in both sides of p, or nil if nothing has to be said of either.
func trustOf(p *pair.Pair) *Both[*Trust] {
	if p.A.Verdict() == trace.Complete && p.B.Verdict() == trace.Complete {
		return nil
	}
	return &Both[*Trust]{NewTrust(p.A), NewTrust(p.B)}
}

// opening returns the lines that diff opens with.
func (d *Diff) opening() []string {
	return append(slices.Clone(d.from.Opening()), d.cautions()...)
}

// cautions are the lines of diff about sides that are not complete, or were recorded otherwise.
func (d *Diff) cautions() (lines []string) {
	if text := d.from.Balance.Pair.Recorded().String(); text != "" {
		lines = []string{text}
	}
	if d.Trust == nil {
		return lines
	}
	a, b := d.Trust.A, d.Trust.B
	if a.Verdict == b.Verdict {
		return append(lines, fmt.Sprintf("A (%s) and B (%s) are %s: %s", a.Reasons(), b.Reasons(),
			a.Verdict, a.Meaning))
	}
	for name, trust := range map[string]*Trust{"A": a, "B": b} {
		if reasons := trust.Reasons(); reasons != "" {
			lines = append(lines, fmt.Sprintf("%s is %s (%s): %s", name, trust.Verdict, reasons,
				trust.Meaning))
		}
	}
	slices.Sort(lines)
	return lines
}
