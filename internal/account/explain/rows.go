package explain

import (
	"fmt"
	"slices"
	"strings"

	"diptych/internal/account"
	"diptych/internal/align/finding"
	"diptych/internal/pair"
)

// What a list of findings shows. A function that is called more often has many callees that are
// called more often, too; the largest of them say enough. And what owns next to nothing is read
// only by who asks for it: a list whose first lines say why the runs differ ends there.

// mostFollowers is how many findings are shown under a cause.
const mostFollowers = 3

const leastFollows = 0.1 // of a cause

// Row is a line of a list: a finding, or how many more follow from the cause above.
type Row struct {
	Finding int // index into Difference.Findings
	More    int // 0 for a finding; else how many more follow from the finding of this index

	Title string // of the section that begins here, or ""
}

// Left is how many findings a list leaves out, by section.
type Left [Minor + 1]int

// Rows returns the lines of the list and what it leaves out: trifles, with all that follows from
// them, and what comes after so many findings. If limit is not positive, or trifles are all there
// is, it lists everything.
func (d *Difference) Rows(limit int) (rows []Row, left Left) {
	l := lister{d: d, limit: limit}
	trifling := !slices.ContainsFunc(d.Findings, func(f Finding) bool { return f.Under < 0 && !d.trifle(&f) })
	for i := range d.Findings {
		if d.Findings[i].Under < 0 {
			l.endCause()
			l.cause, l.followers = i, 0
			l.skip = limit > 0 && !trifling && d.trifle(&d.Findings[i])
		}
		l.add(i)
	}
	l.endCause()
	return l.rows, l.left
}

// lister makes the lines of a list, one finding after the other.
type lister struct {
	d     *Difference
	limit int
	rows  []Row
	left  Left

	shown   int
	section Section
	full    bool // as many findings as there may be are listed

	cause     int  // the finding that those now added follow from
	skip      bool // it is a trifle
	followers int  // of it that are listed
	more      int  // and that are not
}

func (l *lister) add(i int) {
	f := &l.d.Findings[i]
	folds := f.Under >= 0 && l.limit > 0 &&
		(l.followers == mostFollowers || !f.matters(&l.d.Findings[l.cause]))
	l.full = l.full || !l.skip && !folds && l.limit > 0 && l.shown == l.limit
	switch {
	case l.full || l.skip:
		l.left[l.d.Findings[l.cause].Section]++
		return
	case folds:
		l.more++
		return
	}
	l.shown++
	l.followers += toInt(f.Under >= 0)
	row := Row{Finding: i}
	if f.Under < 0 && f.Section != l.section {
		l.section = f.Section
		row.Title = titles[l.section]
	}
	l.rows = append(l.rows, row)
}

// endCause says how many more findings follow from the cause whose findings have been added.
func (l *lister) endCause() {
	if l.more > 0 {
		l.rows = append(l.rows, Row{Finding: l.cause, More: l.more})
	}
	l.more = 0
}

// matters reports whether a finding that follows from a cause is worth a line: it makes a part of
// the cause, or a function that one side lacks follows from it.
func (f *Finding) matters(cause *Finding) bool {
	return f.Kind == finding.New.String() || f.Kind == finding.Missing.String() ||
		float64(magnitude(f.DeltaNs)) >= leastFollows*float64(magnitude(cause.DeltaNs))
}

// trifle reports whether a finding is left out unless all are asked for: it is minor; or it could
// be chance, and owns less of the run than what must be told; or it owns hardly anything, tells of
// little time, and the program's structure differs by no more than the order or number of calls.
//
// Others may own what one tells, or no thread's work may have it. For example, in a run of 1.4 s
// collecting garbage takes 793 ms longer: it goes on beside what the program does.
//
// Of all calls in another order, one finding is no trifle. For example, in B main connects to the
// database before it opens the log: that takes no time, but a reader may ask for it.
func (d *Difference) trifle(f *Finding) bool {
	switch f.Section {
	case Minor:
		return !f.Lead
	case Doubtful:
		group := f.Function == "" && len(f.Claims) > 1 // its functions may go different ways
		return !group && !isLarge(d.Balance, f.Own.WorkNs) && !isLarge(d.Balance, f.Own.ElapsedNs)
	case Timeless:
		return !f.Lead && !f.structural() && !tellsMuch(d.Balance, f) &&
			(!f.manyMore() || !ownsAtLeast(d.Balance, f.Own, leastOwned))
	}
	return false
}

// tellsMuch reports whether the time that a finding tells is worth telling, whoever owns it. What
// threads wait in without owning it, the calls that own it tell.
func tellsMuch(b *account.Balance, f *Finding) bool {
	return !scheduled[f.Kind] && worthTelling(b, account.Delta{WorkNs: f.DeltaNs})
}

// structural reports whether a finding says something even where no time depends on it: functions
// and threads that one side alone has, and calls that others make.
func (f *Finding) structural() bool {
	switch f.Kind {
	case finding.New.String(), finding.Missing.String(), finding.Renamed.String():
		return true
	case finding.Slower.String(), finding.Faster.String(): // such as a state that one side lacks
		return min(f.Calls[pair.A], f.Calls[pair.B]) == 0 && f.Waiting
	case finding.Threads.String():
		return f.At[pair.A] == nil || f.At[pair.B] == nil
	case finding.Moved.String():
		return !f.Slight && !f.Order && max(f.Calls[pair.A], f.Calls[pair.B]) > 1
	}
	return false
}

// CountsCalls reports whether a finding is about how often a function is called.
func (f *Finding) CountsCalls() bool {
	switch f.Kind {
	case finding.New.String(), finding.Missing.String(), finding.Called.String(), finding.Repeat.String():
		return true
	}
	return false
}

// MainSide returns the side on which there is more of what a finding tells.
func (f *Finding) MainSide() pair.Side {
	n := f.Calls[pair.B] - f.Calls[pair.A]
	return pair.Side(toInt(n > 0 || n == 0 && f.DeltaNs > 0))
}

// manyMore reports whether one side makes so many more calls that this says something although
// they take little time.
func (f *Finding) manyMore() bool {
	a, b := f.Calls[pair.A], f.Calls[pair.B]
	return 2*max(a, b) >= 3*min(a, b)
}

// Total returns how many findings are left out.
func (l Left) Total() (n int) {
	for _, k := range l {
		n += k
	}
	return n
}

// String says what is left out: "12 more: 5 of little or no time, 7 minor", "2 more that could be
// chance" or "1 more: minor". It is "" if nothing is.
func (l Left) String() string {
	var parts []string
	for s, k := range l {
		if k > 0 && lefts[s] != "" {
			parts = append(parts, fmt.Sprintf("%d %s", k, lefts[s]))
		}
	}
	switch n := l.Total(); {
	case n == 0:
		return ""
	case len(parts) == 0:
		return fmt.Sprintf("%d more", n)
	case n == slices.Max(l[:]):
		_, words, _ := strings.Cut(parts[0], " ")
		if strings.HasPrefix(words, "of ") || strings.HasPrefix(words, "that ") {
			return fmt.Sprintf("%d more %s", n, words)
		}
		return fmt.Sprintf("%d more: %s", n, words)
	}
	return fmt.Sprintf("%d more: %s", l.Total(), strings.Join(parts, ", "))
}

// lefts are the words for findings of a section that are left out.
var lefts = [...]string{Changed: "of little or no time", Large: "large but possible chance",
	Besides: "of other sample types", Timeless: "of little or no time",
	Doubtful: "that could be chance", Minor: "minor"}

// MoreFollow says how many more findings follow from the cause above.
func MoreFollow(n int) string {
	if n == 1 {
		return "… 1 more follows from it."
	}
	return fmt.Sprintf("… %d more follow from it.", n)
}
