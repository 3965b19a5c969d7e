package explain

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"diptych/internal/account"
	"diptych/internal/align/finding"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// The balance, how much of the difference is explained, and what is left: as values for tables, and
// as the lines that `diptych diff` prints.

// Quantity is one line of the balance.
type Quantity struct {
	Name string
	Ns   [2]int64 // by side
}

// Quantities returns the balance: elapsed time and work, and what of the rest a side has any of.
func (d *Difference) Quantities() []Quantity {
	b := d.Balance
	if types := d.SampleTypes(); types != nil {
		return types
	}
	if b.Pair.Profile() {
		return []Quantity{{"total", b.Elapsed}}
	}
	list := []Quantity{{"elapsed", b.Elapsed}, {"work", b.Work()}}
	for _, q := range []struct {
		name string
		kind account.Kind
	}{{"waiting", account.Wait}, {"I/O", account.IO}, {"off CPU", account.OffCPU},
		{"idle", account.Idle}} {
		if ns := [2]int64{b.Total[pair.A][q.kind], b.Total[pair.B][q.kind]}; ns != ([2]int64{}) {
			list = append(list, Quantity{q.name, ns})
		}
	}
	return list
}

// Ratio returns how many times as much B has, as "1.79×"; "" if a side has none.
func (q *Quantity) Ratio() string {
	if q.Ns[pair.A] <= 0 || q.Ns[pair.B] <= 0 {
		return ""
	}
	return geom.FormatRatio(float64(q.Ns[pair.B]) / float64(q.Ns[pair.A]))
}

// change says how one quantity changed: "elapsed 141 ms → 252 ms, +111 ms (1.79×)".
func (d *Difference) change(q Quantity) string {
	before, after := finding.Lengths(q.Ns, d.Balance.Pair.A.Unit)
	text := fmt.Sprintf("%s %s → %s, %s", q.Name, before, after, d.Signed(q.Ns[pair.B]-q.Ns[pair.A]))
	if ratio := q.Ratio(); ratio != "" {
		text += " (" + ratio + ")"
	}
	return text
}

// Opening returns the lines that a report opens with.
func (d *Difference) Opening() []string {
	var lines []string
	if text := Requests(d.Balance.Pair); text != "" {
		lines = append(lines, text)
	}
	for _, q := range d.Quantities() {
		lines = append(lines, d.change(q))
	}
	return append(lines, d.explained())
}

// Explained is how much of the difference of one quantity the findings account for.
type Explained struct {
	Name    string
	DeltaNs int64 // by how much B has more; not 0
	PartNs  int64 // of |DeltaNs|
}

// Percent returns the part in percent, rounded down.
func (e *Explained) Percent() int {
	return int(math.Floor(100 * float64(e.PartNs) / float64(max(e.DeltaNs, -e.DeltaNs))))
}

// Explained returns how much of both accounts is explained, without those that are equal. What is
// left over may have either sign, so its size is what is not explained, and no share is over 100 %.
func (d *Difference) Explained() (list []Explained) {
	delta := d.Balance.Delta()
	add := func(name string, ns, left int64) {
		if ns != 0 {
			part := max(max(ns, -ns)-max(left, -left), 0)
			list = append(list, Explained{name, ns, part})
		}
	}
	if d.Balance.Pair.Profile() {
		add(d.Found.SampleType, delta.ElapsedNs, d.Left.Delta.ElapsedNs)
		return list
	}
	add("elapsed", delta.ElapsedNs, d.Left.Delta.ElapsedNs)
	add("work", delta.WorkNs, d.Left.Delta.WorkNs)
	return list
}

// Equal says what is equal where there is nothing to explain. Calls can still differ: in number, or
// in the threads that make them.
func (d *Difference) Equal() string {
	if d.Balance.Pair.Profile() {
		return d.Quantities()[0].Name + " is equal"
	}
	return "elapsed and work are equal"
}

// explained says how much of the difference the findings account for, and how similar the runs are.
func (d *Difference) explained() string {
	similar := fmt.Sprintf("similarity %.3g %%", 100*d.Found.Similarity)
	if in := d.InCommon(); d.Balance.Pair.BySamples() && min(in, d.Found.Similarity) < 1 {
		similar += fmt.Sprintf(" stack by stack; functions have %.3g %% of %s in common", 100*in,
			geom.SelfNoun(string(d.Balance.Pair.A.Unit)))
	}
	if change := d.Found.Pace - 1; (change > 0.01 || change < -0.01) && !d.paced() {
		similar += fmt.Sprintf("; self times are compared at a pace of %s×", digits(d.Found.Pace, 3))
	}
	var parts []string
	for _, e := range d.Explained() {
		of := d.Length(max(e.DeltaNs, -e.DeltaNs))
		if e.Name != "" {
			of += " " + e.Name
		}
		parts = append(parts, fmt.Sprintf("%s of %s (%d %%)", d.Length(e.PartNs), of, e.Percent()))
	}
	if len(parts) == 0 {
		return d.Equal() + "; " + similar
	}
	return "explained " + strings.Join(parts, ", ") + "; " + similar
}

// InCommon returns which share of the self time, or of what else a profile counts, both sides spend
// in the same functions: Σ min(a/ΣA, b/ΣB) over functions, 1 minus the distance in total variation.
// An alignment of samples one by one may have nothing in common, although the runs are equal: which
// stack is met when is chance. For example, of a program whose samples are all in f and g,
//
//	f 60 % → 80 %, g 40 % → 20 %    80 % in common
func (d *Difference) InCommon() (share float64) {
	of, whole := map[uint32][2]float64{}, [2]float64{}
	var order []uint32
	for i := range d.Balance.Cells {
		c := &d.Balance.Cells[i]
		if c.Kind != account.CPU {
			continue
		}
		sums, known := of[c.Function]
		if !known {
			order = append(order, c.Function)
		}
		for sd := range sums {
			sums[sd] += float64(c.Amounts[sd].Ns)
			whole[sd] += float64(c.Amounts[sd].Ns)
		}
		of[c.Function] = sums
	}
	for _, id := range order {
		share += min(of[id][pair.A]/max(whole[pair.A], 1), of[id][pair.B]/max(whole[pair.B], 1))
	}
	return share
}

// paced reports whether a pace is among the findings.
func (d *Difference) paced() bool {
	return slices.ContainsFunc(d.Findings, func(f Finding) bool { return f.Kind == "pace" })
}

// A part of what is unexplained is named from leastPart of the longer run on.
const (
	leastPart = 0.005
	mostParts = 3
)

// Unexplained returns the last line: what no finding accounts for. It is "" if nothing is left.
func (d *Difference) Unexplained() string {
	left := d.Left.Delta
	if left == (account.Delta{}) {
		return ""
	}
	text := "unexplained: " + d.Both(left)
	if parts := d.LargestLeft(); parts != "" {
		text += "; " + parts
	}
	return text
}

// LargestLeft names the largest parts of what is left, "" if none is large.
func (d *Difference) LargestLeft() string {
	var parts []string
	least := leastPart * float64(max(d.Balance.Elapsed[pair.A], d.Balance.Elapsed[pair.B]))
	for _, r := range d.Left.Parts[:min(len(d.Left.Parts), mostParts)] {
		ns := r.Delta
		if float64(max(ns.ElapsedNs, -ns.ElapsedNs, ns.WorkNs, -ns.WorkNs)) < least {
			break
		}
		parts = append(parts, fmt.Sprintf("%s (%s)", d.NameOf(r), d.Both(ns)))
	}
	if len(parts) == 0 {
		return ""
	}
	return "the largest parts: " + strings.Join(parts, ", ")
}

// NameOf names what is left: by its function, or by what threads do in no call.
func (d *Difference) NameOf(r account.Rest) string {
	if r.Function == account.None {
		return r.Kind.String()
	}
	return d.Balance.Pair.Names[r.Function]
}

// Both returns a part of both accounts in words. They are one in a profile.
func (d *Difference) Both(ns account.Delta) string {
	switch {
	case d.Balance.Pair.Profile():
		return d.Signed(ns.ElapsedNs)
	case ns.WorkNs == 0:
		return d.Signed(ns.ElapsedNs) + " elapsed"
	case ns.ElapsedNs == 0:
		return d.Signed(ns.WorkNs) + " of work"
	}
	return d.Signed(ns.ElapsedNs) + " elapsed, " + d.Signed(ns.WorkNs) + " of work"
}

// Columns returns the names of what findings own: both are one in a profile, and work is "".
func (d *Difference) Columns() (elapsed, work string) {
	if d.Balance.Pair.Profile() {
		return cmp.Or(d.Found.SampleType, "total"), ""
	}
	return "elapsed", "work"
}

// Owns returns what a finding accounts for of each of the Columns, "" for nothing.
func (d *Difference) Owns(f *Finding) (elapsed, work string) {
	if f.Own.ElapsedNs != 0 {
		elapsed = d.Signed(f.Own.ElapsedNs)
	}
	if f.Own.WorkNs != 0 && !d.Balance.Pair.Profile() {
		work = d.Signed(f.Own.WorkNs)
	}
	return elapsed, work
}

// KindWord returns a finding's kind as a report shows it: no amount of bytes is slower.
func (d *Difference) KindWord(kind string) string {
	less, more := geom.Comparatives(string(d.Balance.Pair.A.Unit))
	switch kind {
	case finding.Slower.String():
		return more
	case finding.Faster.String():
		return less
	}
	return kind
}

// Length returns a time with three digits, or an amount of samples.
func (d *Difference) Length(ns int64) string { return finding.Length(ns, d.Balance.Pair.A.Unit) }

// Signed returns a difference with its sign, which 0 has not.
func (d *Difference) Signed(ns int64) string { return Signed(ns, d.Balance.Pair.A.Unit) }

// Signed returns a difference of an amount of a trace's unit with its sign, which 0 has not.
func Signed(ns int64, unit trace.Unit) string {
	text := finding.Length(max(ns, -ns), unit)
	switch {
	case ns == 0 || strings.HasPrefix(text, "0 "):
		return text
	case ns < 0:
		return "−" + text
	}
	return "+" + text
}

// say makes a finding's text of its parts.
func (f *Finding) say() { f.Text = f.words + finding.Labelled(f.Certainty) + f.after }

// digits writes a number with n significant digits, or as a whole number where that has more.
func digits(v float64, n int) string {
	if v >= math.Pow10(n)-0.5 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.*g", n, v)
}
