package report

import (
	"fmt"
	"math"
	"strings"

	"diptych/internal/account"
	"diptych/internal/account/explain"
	"diptych/internal/align/finding"
	"diptych/internal/escape"
	"diptych/internal/geom"
)

// What diff prints of several runs a side, before what it says of the pair that stands for them.

// write writes it as text, with at most so many lines of each list.
func (d *DiffRuns) write(b *strings.Builder, limit int) {
	d.writeSides(b)
	d.writeTotals(b)
	d.writeFunctions(b, limit)
	fmt.Fprintf(b, "\n%s\n", d.Needed.advice)
	var shown [2]string
	for sd, list := range [][]DiffRun{d.A, d.B} {
		for i, r := range list {
			if r.Shown {
				shown[sd] = fmt.Sprintf("run %d of %s (%s)", i+1, [2]string{"A", "B"}[sd], r.Path)
			}
		}
	}
	escape.Printf(b, "\nBetween %s and %s, those of median %s:\n\n", shown[0], shown[1],
		d.wholeNoun())
}

func (d *DiffRuns) writeSides(b *strings.Builder) {
	elapsed := d.Total("elapsed")
	for sd, list := range [][]DiffRun{d.A, d.B} {
		least, most := list[0].ElapsedNs, list[0].ElapsedNs
		for _, r := range list {
			least, most = min(least, r.ElapsedNs), max(most, r.ElapsedNs)
		}
		median := [2]float64{elapsed.Median.A, elapsed.Median.B}[sd]
		noun := "runs"
		if len(list) == 1 {
			noun = "run"
		}
		fmt.Fprintf(b, "%d %s of %s: %s %s (median; %s to %s)\n", len(list), noun,
			[2]string{"A", "B"}[sd], d.quantity("elapsed"), d.length(median), d.length(float64(least)), d.length(float64(most)))
	}
	if f := elapsed.Floor; f.Relative && f.Widest > 1 {
		fmt.Fprintf(b, "Two runs of one side typically differ by %s in %s, and by %s at most.\n",
			percent(f.Typical-1), d.wholeNoun(), percent(f.Widest-1))
	}
}

const rowFormat = "%3s  %9s  %7s  %-20s  %-7s  %s\n"

func (d *DiffRuns) heading(b *strings.Builder, title string) {
	fmt.Fprintf(b, "\n%s\n", title)
	line := fmt.Sprintf(rowFormat, "", "Δ", "ratio", percent(d.Level)+" interval", "", "")
	fmt.Fprintln(b, strings.TrimRight(line, " \n"))
}

func (d *DiffRuns) writeTotals(b *strings.Builder) {
	d.heading(b, "Over all runs:")
	for i := range d.Totals {
		if x := &d.Totals[i]; x.Median != (Both[float64]{}) && !(d.profile && x.Quantity == "work") {
			d.row(b, "", x, fmt.Sprintf("%s (p = %s)", d.quantity(x.Quantity), percent(x.P)))
		}
	}
}

// row writes one change.
func (d *DiffRuns) row(b *strings.Builder, number string, x *DiffChange, what string) {
	ratio, interval := "", d.signed(x.Delta.Low)+" to "+d.signed(x.Delta.High)
	switch {
	case x.Ratio != nil:
		ratio = geom.FormatRatio(x.Ratio.Value)
		interval = geom.FormatRatio(x.Ratio.Low) + " to " + geom.FormatRatio(x.Ratio.High)
	case x.Median.A == 0:
		ratio = "only B"
	case x.Median.B == 0:
		ratio = "only A"
	}
	escape.Printf(b, rowFormat, number, d.signed(x.Delta.Value), ratio, interval, x.Certainty, what)
}

// leastChance is how large a change has to be to be listed though it could be chance: of the run.
const leastChance = 0.01

// summary says in a line how the elapsed time changed over all runs.
func (d *DiffRuns) summary() string {
	x := d.Total("elapsed")
	return fmt.Sprintf("%d and %d runs: %s %s, %s to %s (%s): %s", len(d.A), len(d.B), d.quantity("elapsed"),
		d.signed(x.Delta.Value), d.signed(x.Delta.Low), d.signed(x.Delta.High), percent(d.Level),
		x.Certainty)
}

// writeFunctions lists the functions whose time changed: those of which that may be claimed, then
// those that are large and could be chance.
func (d *DiffRuns) writeFunctions(b *strings.Builder, limit int) {
	elapsed := d.Total("elapsed").Median
	least := leastChance * max(elapsed.A, elapsed.B)
	var sure, chance []*DiffChange
	for i := range d.Functions {
		switch x := &d.Functions[i]; {
		case !x.ownTime:
		case !x.byChance():
			sure = append(sure, x)
		case math.Abs(x.Delta.Value) >= least:
			chance = append(chance, x)
		}
	}
	title := fmt.Sprintf("Changes of functions' %s (of %d that take 0.1 %% of a run or more):",
		d.ownNoun(), d.Needed.Tested)
	d.list(b, title, sure, limit)
	d.list(b, "Could be chance, though 1 % of the run or more:", chance, limit)
	if len(sure)+len(chance) > 0 {
		fmt.Fprint(b, "\np is how often chance alone sets both sides so far apart. q allows for all "+
			"functions that were\ntested: of all changes of this q or less, about that share is false.\n")
	}
}

func (d *DiffRuns) list(b *strings.Builder, title string, list []*DiffChange, limit int) {
	if len(list) == 0 {
		return
	}
	if limit <= 0 {
		limit = len(list)
	}
	d.heading(b, title)
	for i, x := range list[:min(limit, len(list))] {
		d.row(b, fmt.Sprint(i+1), x, fmt.Sprintf("%s (p = %s, q = %s)", d.what(x), percent(x.P),
			percent(x.Q)))
	}
	if more := len(list) - limit; more > 0 {
		fmt.Fprintf(b, "… and %d more.\n", more)
	}
}

// mostlyAt is the share of a function's change from which on a place is named.
const mostlyAt = 0.8

// what names a function's time, and the place where most of the change is.
func (d *DiffRuns) what(x *DiffChange) string {
	text := map[account.Kind]string{account.CPU: geom.SelfNoun(string(d.unit)) + " of ", account.IO: "I/O in ",
		account.OffCPU: "off CPU in ", account.Wait: "waiting in "}[x.site.Kind] + x.Function
	for i := range d.Places {
		p := &d.Places[i]
		if p.Quantity != x.Quantity || p.site.Kind != x.site.Kind || p.Function != x.Function ||
			p.Delta.Value/x.Delta.Value < mostlyAt {
			continue
		}
		if *p.Caller != "" {
			text += ", called by " + *p.Caller
		}
		if *p.Thread != "" {
			text += ", on " + *p.Thread
		}
		break
	}
	return text
}

// quantity names a total: in a profile elapsed time and work are both the total of its samples.
func (d *DiffRuns) quantity(name string) string {
	if d.profile && name == "elapsed" {
		return "total"
	}
	return name
}

// wholeNoun names in a sentence what runs are ranked by.
func (d *DiffRuns) wholeNoun() string {
	if d.profile {
		return "total"
	}
	return "elapsed time"
}

// ownNoun names what the list of functions compares.
func (d *DiffRuns) ownNoun() string {
	if d.profile {
		return geom.SelfNoun(string(d.unit))
	}
	return "own time"
}

func (d *DiffRuns) length(ns float64) string { return finding.Length(int64(math.Round(ns)), d.unit) }

func (d *DiffRuns) signed(ns float64) string { return explain.Signed(int64(math.Round(ns)), d.unit) }

const leastPercent = 1e-5

// percent returns a share with two digits.
func percent(share float64) string {
	switch {
	case share >= 0.995:
		return fmt.Sprintf("%.0f %%", 100*share)
	case share > 0 && share < leastPercent:
		return fmt.Sprintf("< %g %%", 100*leastPercent)
	}
	return fmt.Sprintf("%.2g %%", 100*share)
}
