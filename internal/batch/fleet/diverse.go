package fleet

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"diptych/internal/batch"
	"diptych/internal/geom"
	"diptych/internal/pair"
)

// Ranks of one program run the same functions, so what is unlike the median pair in one of them
// says which rank is slow. The tests of two commits, or benchmarks, run different ones: most of
// their functions are in few pairs, and the median pair spends nothing in them. Every pair would
// depart from it. Such pairs are compared in what all of them have: by what factor B takes longer,
// how similar the calls are, how much the threads wait, and the functions that at least half of
// them share. All others are told by what changed in themselves.

// Common is how much the pairs have in common.
type Common struct {
	Functions int     // of all pairs
	Shared    int     // those that at least half of the pairs have
	Share     float64 // of the self time of the median pair that is in these, 0 to 1
}

// Functions are compared if the median pair has at least this share of its time in functions that
// others have, too. With only two pairs, a function of one would already be a function of half of
// them.
const (
	leastShared = .5
	leastPairs  = 3
)

// shared reports whether at least half of the pairs have a function.
func (r *reading) shared(f *sampled) bool { return 2*f.Pairs >= len(r.fleet.Compared) }

// findCommon finds how much the pairs have in common, of their self time in all functions and in
// those that are shared.
func (r *reading) findCommon(all, shared []float64) {
	f := r.fleet
	f.Common.Functions = len(r.functions)
	for _, x := range r.functions {
		if r.shared(x) {
			f.Common.Shared++
		}
	}
	var shares []float64
	for row, ns := range all {
		if ns > 0 {
			shares = append(shares, shared[row]/ns)
		}
	}
	f.Common.Share = median(shares)
	f.Diverse = len(shares) >= leastPairs && f.Common.Share < leastShared
}

// Words says that the pairs have little in common.
func (c *Common) Words() string {
	return fmt.Sprintf("These pairs have little in common: %s of %s functions are in at least half of them",
		geom.FormatWhole(int64(c.Shared)), geom.FormatWhole(int64(c.Functions)))
}

// compares reports whether a function's time is compared with that of the median pair.
func (r *reading) compares(f *sampled) bool { return !r.fleet.Diverse || r.shared(f) }

// waitShare returns which part of its threads' time a side of a pair waits.
func waitShare(wait, work int64) float64 { return float64(wait) / float64(max(wait+work, 1)) }

// moreWaiting returns by how much that is more in B than in A.
func moreWaiting(p *Pair) float64 {
	return waitShare(p.WaitBNs, p.WorkBNs) - waitShare(p.WaitANs, p.WorkANs)
}

// leastWaiting is the share of its threads' time from which on a pair waits.
const leastWaiting = .01

// waitsAtAll reports whether threads of a pair wait.
func (p *Pair) waitsAtAll() bool {
	return max(waitShare(p.WaitANs, p.WorkANs), waitShare(p.WaitBNs, p.WorkBNs)) >= leastWaiting
}

// compareWaiting compares how much longer threads wait, among the pairs that wait at all, if these
// are most of the reference: a test that waits is not unlike the others because they never do.
func (r *reading) compareWaiting(from *reference, most []departures) {
	f := r.fleet
	var list []float64
	for _, row := range from.rows {
		if p := &f.Pairs[f.Compared[row]]; p.waitsAtAll() {
			list = append(list, moreWaiting(p))
		}
	}
	if 2*len(list) <= len(from.rows) {
		return
	}
	median, spread := medianAndSpread(list)
	from.typical.MoreWaiting = median
	for row, k := range f.Compared {
		if p := &f.Pairs[k]; p.waitsAtAll() {
			most[row].waiting = measured(InWaits, moreWaiting(p), level{median, spread})
		}
	}
}

// findChanges tells, if the pairs have little in common, what changed in each that is no outlier.
// First are those of which most is explained: B − A as a share of the longer run.
func (r *reading) findChanges(context.Context) error {
	f := r.fleet
	if !f.Diverse {
		return nil
	}
	for row, k := range f.Compared {
		p := &f.Pairs[k]
		if p.Outlier != nil {
			continue
		}
		p.Change = &Outlier{Kind: InTime, Ns: [2]int64{p.ElapsedANs, p.ElapsedBNs}, DeltaNs: p.DeltaNs,
			Score: 100 * math.Abs(float64(p.DeltaNs)) * p.Explained / r.longer[row], Place: nowhere}
		p.Change.Factor = ratio(p.Change.Ns)
		p.Change.When = r.when(row, Lag, float64(p.DeltaNs))
		f.Changed = append(f.Changed, k)
	}
	slices.SortFunc(f.Changed, func(x, y int) int {
		return cmp.Or(cmp.Compare(f.Pairs[y].Change.Score, f.Pairs[x].Change.Score), cmp.Compare(x, y))
	})
	return nil
}

// firstFinding adds to what is told of a pair what `diptych diff` says first of it.
func (p *Pair) firstFinding(row *batch.FindingRow) {
	if o := p.Told(); o != nil && row.Rank == 1 {
		o.finding = row.Text
	}
}

// factorWords says by what factor B takes longer.
func (o *Outlier) factorWords(unit string, median float64) string {
	if o.DeltaNs == 0 {
		return "B takes as long as A"
	}
	change := signed(o.DeltaNs, unit)
	if median > 0 {
		change += "; " + geom.FormatRatio(median) + " " + o.median()
	}
	if o.Ns[pair.A] <= 0 {
		return fmt.Sprintf("A takes no time, B some (%s)", change)
	}
	return fmt.Sprintf("B takes %s as long as A (%s)", geom.FormatRatio(o.Factor), change)
}

// points writes a difference of shares in percentage points.
func points(v float64) string {
	text := fmt.Sprintf("%+.3g points", 100*v)
	if v == 0 {
		text = "0 points"
	}
	return strings.Replace(text, "-", "−", 1)
}

// waitsWords says how much more threads wait than in the median pair of those that wait.
func (o *Outlier) waitsWords(p *Pair) string {
	return fmt.Sprintf("threads wait %.3g %% of their time in B, %.3g %% in A (%s; %s %s)",
		100*waitShare(p.WaitBNs, p.WorkBNs), 100*waitShare(p.WaitANs, p.WorkANs), points(moreWaiting(p)),
		points(o.typical.MoreWaiting), o.median())
}
