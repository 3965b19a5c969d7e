// Package explain says what makes the difference between two runs: it lets the findings of an
// alignment claim their parts of the account, adds what the account finds by itself, and ranks
// them. The command line and the window both tell what it returns, so they tell the same.
//
//	claims.go  which part of the difference each finding of the alignment owns
//	order.go   in which order they claim
//	causes.go  what the account finds by itself: pace, I/O, idle time, time off CPU
//	waits.go   and waiting, with what threads wait for
//	chance.go  how sure it is that what the account finds is more than chance
//	claimed.go what these findings claim, as data
//	under.go   which findings follow from others
//	rests.go   functions and packages whose own time changed although nothing else says so
//	others.go  what other sample types of a profile say besides
//	judge.go   how sure each finding is by several runs a side
//	rank.go    their order
//	rows.go    which of them a list shows
//	names.go   long names in sentences
//	words.go   the balance, how much is explained, and what is left, in words
//
// It joins package account with package align/finding, so that neither knows the other. It holds
// pure functions of a pair, its findings and its waits; it knows no files and no views.
package explain

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"diptych/internal/account"
	"diptych/internal/align"
	"diptych/internal/align/finding"
	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/trace"
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
	// Others are the differences of the pair's other sample types: this one is the default's.
	Others []*Difference
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
	Slight    bool    // of calls that moved: only their order did, or the thread of a pool
	Order     bool    // of calls that moved: some calls of the same callers make them elsewhere
	Lead      bool    // of these: it stands for all in a list
	// SampleType is which sample type it is about, if that is not the default.
	SampleType string

	words, after string // Text, but for how sure it is; and what follows that
	machine      bool   // about threads that are ready to run but have no processor
}

// Compare looks for what differs in the alignment of p's threads and for who waits on whom, and
// explains it. report, which may be nil, counts calls of each step but the waits.
func Compare(ctx context.Context, p *pair.Pair, results []*align.Result, report progress.Func) (
	*Difference, error) {
	tell, err := finding.Gather(ctx, p, results, finding.Options{}, report)
	if err != nil {
		return nil, err
	}
	// One processor tells what was found, while the others look for waits.
	var found *finding.Report
	var waits [2]*wait.Analysis
	group, under := progress.NewGroup(ctx)
	group.Go(func() (err error) {
		found, err = tell()
		return err
	})
	group.Go(func() (err error) {
		waits, err = wait.FindBoth(under, p.A, p.B, nil)
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return Find(ctx, p, found, waits, report)
}

// Find explains the difference between the sides of p by what was found in their alignment. waits
// are the analyses of the sides. report, which may be nil, counts calls.
func Find(ctx context.Context, p *pair.Pair, r *finding.Report, waits [2]*wait.Analysis,
	report progress.Func) (*Difference, error) {
	all := []*Difference{}
	for _, r := range slices.Concat([]*finding.Report{r}, r.Others) {
		b, err := account.Compare(ctx, p, waits, Options(p, r), report)
		if err != nil {
			return nil, err
		}
		all = append(all, New(r, b))
	}
	d := all[0]
	d.Others = all[1:]
	d.tellOthers()
	return d, nil
}

// New explains a balance that was made with Options.
func New(r *finding.Report, b *account.Balance) *Difference {
	d := &Difference{Balance: b, Found: r}
	d.Findings, d.Left = attribute(b.Pair, r, b)
	return d
}

// otherEndpoints is how many others a report names beside the one that is compared.
const otherEndpoints = 3

// Requests says, of files of distributed traces that hold many, which requests are compared and how
// others differ; "" if there is no choice. For example: "request web: GET /cart: in A the median of
// 10 (450d64cc; half of them take 3.02 ms to 3.07 ms), in B the longest of 3 (7f2e11aa); medians of
// others: web: GET /search 2.55 ms → 8.25 ms, and 2 more".
func Requests(p *pair.Pair) string {
	a, b := p.A, p.B
	x, y := a.ShownRequest(), b.ShownRequest()
	if x == nil || y == nil || max(len(a.Requests), len(b.Requests)) < 2 {
		return ""
	}
	asked := pair.EndpointOf(x)
	text := fmt.Sprintf("request %v: in A %s, in B %s", asked, which(a, x), which(b, y))
	if other := pair.EndpointOf(y); asked != other {
		text = fmt.Sprintf("different requests: in A %v, %s; in B %v, %s", asked, which(a, x), other, which(b, y))
	}
	var others []string
	for _, e := range pair.CommonEndpoints([2][][]trace.Request{{a.Requests}, {b.Requests}}) {
		if e.Endpoint != asked {
			before, after := finding.Lengths(e.Ns, a.Unit)
			others = append(others, fmt.Sprintf("%v %s → %s", e.Endpoint, before, after))
		}
	}
	if n := len(others) - otherEndpoints; n > 0 {
		others = append(others[:otherEndpoints], fmt.Sprintf("and %d more", n))
	}
	if others != nil {
		text += "; medians of others: " + strings.Join(others, ", ")
	}
	return text
}

// which says which of the requests with the same root the one shown is, the beginning of its id,
// and how long the middle half of them take, if that is known.
func which(t *trace.Trace, r *trace.Request) string {
	const shownOfID = 8
	id := []rune(r.ID)
	text := fmt.Sprintf("one of %d", r.Of)
	switch {
	case r.Of == 1:
		text = "the only one"
	case r.Median():
		text = fmt.Sprintf("the median of %d", r.Of)
	case r.Rank == r.Of:
		text = fmt.Sprintf("the longest of %d", r.Of)
	}
	text += " (" + string(id[:min(len(id), shownOfID)])
	var quartiles [2]int64
	for k := range t.Requests {
		q := &t.Requests[k]
		if ranks := [2]int{r.Of/4 + 1, r.Of - r.Of/4}; pair.EndpointOf(q) == pair.EndpointOf(r) {
			for i, rank := range ranks {
				if q.Rank == rank {
					quartiles[i] = q.Duration
				}
			}
		}
	}
	if r.Of >= 4 && quartiles[0] > 0 {
		from, to := finding.Lengths(quartiles, t.Unit)
		text += fmt.Sprintf("; half of them take %s to %s", from, to)
	}
	return text + ")"
}
