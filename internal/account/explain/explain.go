// Package explain says what makes the difference between two runs: it lets the findings of an
// alignment claim their parts of the account, adds what the account finds by itself, and ranks them
// (DESIGN §13). The command line and the window both tell what it returns, so they tell the same.
//
//	claims.go  which part of the difference each finding of the alignment owns
//	causes.go  what the account finds by itself: pace, waiting, I/O, idle time, time off CPU
//	chance.go  how sure it is that what the account finds is more than chance
//	claimed.go what these findings claim, as data
//	rests.go   functions and packages whose own time changed although nothing else says so
//	rows.go    which of them a list shows
//	names.go   long names in sentences
//	words.go   the balance, how much is explained, and what is left, in words
//
// It joins package account with package align/finding, so that neither knows the other. It holds
// pure functions of a pair, its findings and its waits; it knows no files and no views.
package explain

import (
	"cmp"
	"context"
	"slices"

	"diptych/internal/account"
	"diptych/internal/align"
	"diptych/internal/align/finding"
	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/wait"
)

// Difference is what differs between the two sides of a pair, and how much of it is explained: what
// the findings own and what is left add up to Balance.Delta.
type Difference struct {
	Balance  *account.Balance
	Findings []Finding // most important first
	// Left is what no finding owns.
	Left account.Unexplained
	// Found is what the alignment found, before it was ranked by the account.
	Found *finding.Report
}

// Finding is one difference, with what it owns.
type Finding struct {
	// Kind is the name of a finding.Kind, or of what the account finds: pace, wait, io, idle,
	// offCpu or overlap.
	Kind      string
	Function  string // or the thread's name; "" if it is about all of them
	Caller    string
	Calls     [2]int64
	DeltaNs   int64             // the time that B takes more because of this
	Share     float64           // of the longer run, at most 1
	Own       account.Delta     // of the difference, this finding's alone
	Under     int               // index of the finding that this one follows from, −1 for none
	At        [2]*finding.Place // an example on each side, nil where there is none
	Waiting   bool
	Certainty finding.Certainty
	Claims    []finding.Claim
	Text      string  // one sentence
	Factor    float64 // of a pace
	Section   Section // of the list
}

// Compare looks for what differs in the alignment of p's threads and for who waits on whom, and
// explains it. report, which may be nil, counts calls of each step.
func Compare(ctx context.Context, p *pair.Pair, results []*align.Result, report progress.Func) (
	*Difference, error) {
	found, err := finding.Find(ctx, p, results, finding.Options{}, report)
	if err != nil {
		return nil, err
	}
	var waits [2]*wait.Analysis
	for _, sd := range []pair.Side{pair.A, pair.B} {
		if waits[sd], err = wait.Find(ctx, p.Trace(sd), report); err != nil {
			return nil, err
		}
	}
	return Find(ctx, p, found, waits, report)
}

// Find explains the difference between the sides of p by what was found in their alignment. waits
// are the analyses of the sides. report, which may be nil, counts calls.
func Find(ctx context.Context, p *pair.Pair, r *finding.Report, waits [2]*wait.Analysis,
	report progress.Func) (*Difference, error) {
	b, err := account.Compare(ctx, p, waits, Options(p, r), report)
	if err != nil {
		return nil, err
	}
	return New(r, b), nil
}

// New explains a balance that was made with Options.
func New(r *finding.Report, b *account.Balance) *Difference {
	d := &Difference{Balance: b, Found: r}
	d.Findings, d.Left = attribute(b.Pair, r, b)
	return d
}

// Section is a part of the list of findings, in the order in which they are read.
//
// Most of a difference may well be chance: then a list that begins with ten calls in another place
// tells nobody where the time went. But many small changes by chance would hide a renamed function.
// For example,
//
//	−908 µs   certain   Timed      runs 40 times instead of 79
//	−20.3 ms  chance    Large      does I/O for 211 µs instead of 20.5 ms, of 50 ms
//	 0        certain   Timeless   is called in another place
//	−499 µs   chance    Doubtful   its self time is 1/20 of A's
type Section uint8

const (
	Timed    Section = iota // certain or likely, with time that is worth telling
	Large                   // could be chance, but a large part of why the runs differ
	Timeless                // takes hardly any time, like a call in another place
	Doubtful                // could be chance
)

const largeChance = 0.1 // of elapsed time or of work, in the direction in which the runs differ

// sectionOf returns the section that a finding stands in, unless it stands under another one. That
// work overlaps more or less follows from something else, so it is never large.
func sectionOf(b *account.Balance, f *Finding) Section {
	d, work := b.Delta(), b.Work()
	tenth := func(ns, of int64, runs [2]int64) bool {
		common, longer := magnitude(account.Common(ns, of)), max(runs[pair.A], runs[pair.B])
		return common > 0 && float64(common) >= largeChance*float64(longer)
	}
	large := tenth(f.Own.ElapsedNs, d.ElapsedNs, b.Elapsed) || tenth(f.Own.WorkNs, d.WorkNs, work)
	switch {
	case f.byChance() && large && f.Kind != "overlap":
		return Large
	case f.byChance():
		return Doubtful
	case !worthTelling(b, f.Own) && !isLarge(b, f.DeltaNs):
		return Timeless
	}
	return Timed
}

// rankFindings puts those of a section first that account for most, and keeps the order of those
// that own nothing. A finding that follows from another comes after it, before the next one that
// does not.
func rankFindings(b *account.Balance, list []Finding) []Finding {
	order := make([]int, len(list))
	for i := range order {
		order[i], list[i].Section = i, sectionOf(b, &list[i])
	}
	cause := func(i int) int { // the first of the chain
		for n := 0; n < len(list) && list[i].Under >= 0; n++ {
			i = list[i].Under
		}
		return i
	}
	slices.SortStableFunc(order, func(x, y int) int {
		cx, cy := cause(x), cause(y)
		return cmp.Or(cmp.Compare(list[cx].Section, list[cy].Section),
			cmp.Compare(list[cx].follows(), list[cy].follows()), cmp.Compare(list[cy].weight(), list[cx].weight()), cmp.Compare(cx, cy),
			cmp.Compare(depth(list, x), depth(list, y)))
	})
	at := make([]int, len(list)) // new index by old
	out := make([]Finding, len(list))
	for k, i := range order {
		out[k], at[i] = list[i], k
	}
	for k := range out {
		if under := out[k].Under; under >= 0 {
			out[k].Under = at[under]
		}
	}
	return out
}

// byChance reports whether a finding could be chance.
func (f *Finding) byChance() bool { return f.Certainty == finding.Chance }

// follows is 1 for what only follows from how threads wait for each other. Of findings that could
// be chance, it comes last.
func (f *Finding) follows() int { return toInt(f.Section == Doubtful && scheduled[f.Kind]) }

// weight is what findings of a section are ordered by, ns: by what they own. Waiting is never
// certain, but often the largest cause, so that a likely finding stands after a certain one only
// if it owns less than twice as much.
func (f *Finding) weight() int64 {
	if f.Certainty == finding.Certain {
		return 2 * f.Own.Rank()
	}
	return f.Own.Rank()
}

var scheduled = map[string]bool{"wait": true, "idle": true, "offCpu": true, "overlap": true}

func toInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// depth returns how many findings one follows from.
func depth(list []Finding, i int) (n int) {
	for ; n < len(list) && list[i].Under >= 0; n++ {
		i = list[i].Under
	}
	return n
}
