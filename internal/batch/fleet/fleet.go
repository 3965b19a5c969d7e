// Package fleet looks at a whole batch: which of its pairs are unlike the rest, in which function,
// and when. It is for somebody in front of the 64 to 10,000 ranks of two runs, or the tests of two
// commits.
//
//	fleet.go      what there is to know of a batch, and where it comes from
//	functions.go  functions by how much they differ over all pairs, with their spread
//	waits.go      who waited on whom, over all pairs
//	matrix.go     pairs × buckets of time: dissimilarity, skew, waits
//	features.go   what makes two pairs alike, as numbers
//	ward.go       the hierarchy of pairs by these numbers (Ward 1963)
//	clusters.go   where it is cut (Duda and Hart 1973)
//	diverse.go    pairs that have little in common
//	outliers.go   pairs that depart from the median pair by more than others do (spread.go)
//	references.go which pairs these others are, if there are large clusters (He, Xu, Deng 2003)
//	when.go       from when to when a pair loses its time
//	words.go      how a pair is unlike the rest, as a sentence
//	partition.go  the matrix as few areas, by the engine of package aggregate (Ocelotl)
//
// All follows from the tables of the batch, which are read once or twice and not kept. The package
// knows no picture and no command line.
package fleet

import (
	"context"
	"fmt"

	"diptych/internal/batch"
	"diptych/internal/pair"
	"diptych/internal/progress"
)

// Fleet is a batch as a whole. It never changes.
type Fleet struct {
	Pairs     []Pair     // in the order of the manifest, those that failed too
	Compared  []int      // indices into Pairs of those that did not fail
	Failed    []int      // and of those that did
	Functions []Function // what differs most over all pairs first
	Left      int        // functions that are not among them
	Waits     []Wait     // what changed most first
	TooLarge  int        // sums of functions and waits that do not fit into int64, and were cut
	Clusters  []Cluster  // the largest first
	// Large says that so many clusters, which are the first, are large. Then outliers are unlike
	// each of them. It is 0 if fewer than two are: then outliers are unlike all pairs.
	Large int
	// Outliers are indices into Pairs, the largest score first: pairs that are unlike the rest by
	// what they do themselves. Waiting are those that only wait unlike the rest: mostly for one of
	// the outliers. If there are no outliers, none can be the cause, and those that wait are they.
	Outliers, Waiting []int
	// Diverse says that the pairs have little in common. Changed are then those that are no
	// outliers, the largest change first; see diverse.go.
	Diverse   bool
	Common    Common
	Changed   []int
	Median    Typical
	Matrix    *Matrix
	Partition *Partition
}

// Pair is a pair of traces in its fleet.
type Pair struct {
	batch.PairRow
	Cluster int      // index into Fleet.Clusters; −1 for a pair that failed
	Outlier *Outlier // nil for a pair like the others
	// Change is what changed in a pair of Fleet.Changed, of kind InTime: it says nothing of other
	// pairs. Its Score is how many percent of the pair's longer run the explained part of B − A
	// is.
	Change *Outlier
}

// Told returns what there is to tell of the pair by itself, nil for nothing.
func (p *Pair) Told() *Outlier {
	if p.Outlier != nil {
		return p.Outlier
	}
	return p.Change
}

// Compared reports whether the pair could be compared.
func (p *Pair) Compared() bool { return p.Error == "" }

// Score returns by how much the pair is unlike the rest, 0 if it is like them.
func (p *Pair) Score() float64 {
	if p.Outlier == nil {
		return 0
	}
	return p.Outlier.Score
}

// Changed returns the score of what changed in the pair; 0 if nothing of it is told.
func (p *Pair) Changed() float64 {
	if p.Change == nil {
		return 0
	}
	return p.Change.Score
}

// Outlier says how a pair is unlike the rest.
type Outlier struct {
	// Score is by how many percent of its longer run the pair departs from the median pair, in the
	// function that departs most. If there are large clusters, it is from that of the nearest one.
	Score float64
	// Spreads is by how many robust standard deviations that is: 1.4826 medians of |x − median|,
	// or leastSpread if that is more.
	Spreads float64
	Kind    Departure
	From    int // the large cluster from whose median pair it departs, from 1; 0: all pairs
	// Function is what departs; "" if it is the pair as a whole, and no function for most of it.
	Function string
	Waits    bool     // the function does nothing but wait
	Ns       [2]int64 // by side: self time of the function, or elapsed time of the pair
	DeltaNs  int64    // B − A
	MedianNs int64    // the same, of the median pair
	Factor   float64  // B / A, 0 if A has none
	Text     string   // all this in words; names in it are as the traces have them
	When     When
	Place    Place
	finding  string   // the first of the pair
	typical  *Typical // of what it departs from; nil of a change
}

// Departure is in what a pair departs from the others.
type Departure uint8

const (
	InFunction   Departure = iota // the time of a function
	InTime                        // the elapsed time, without one function that has most of it
	InSimilarity                  // calls that have no equal on the other side
	InWaits                       // the share of time that threads wait; of diverse pairs only
)

func (d Departure) String() string { return [...]string{"function", "time", "similarity", "waits"}[d] }

// When is a stretch of a pair's time: the buckets, inclusive, and the times that A and B have
// reached at their ends, in ns since the start of their traces.
type When struct {
	FromBucket, ToBucket int
	FromNs, ToNs         [2]int64 // by side
	Whole                bool     // no part of the time stands out: it is the whole run
	Share                float64  // of the pair's loss or gain, in this stretch; 0 of a whole run
}

// Place is a call to look at, by side: that of the pair's first finding about the function, or
// else of its first finding. Call is −1, and Thread "", where there is none.
type Place struct {
	Thread  [2]string
	Call    [2]int64 // pre-order index in the thread
	StartNs [2]int64 // since the trace's start
}

var nowhere = Place{Call: [2]int64{-1, -1}, StartNs: [2]int64{-1, -1}}

// Typical is the median over the pairs that could be compared.
type Typical struct {
	DeltaNs, SpreadNs int64 // elapsed time, B − A; the median of |x − median|
	ElapsedNs         [2]int64
	Similarity        float64
	Factor            float64 // elapsed time, B / A
	MoreWaiting       float64 // of diverse pairs that wait: the share of their time, B − A
}

// Function is what a function does in all pairs that have it, self time, B − A. Quartiles are
// those of the pairs themselves, interpolated between neighbours (R's type 7).
type Function struct {
	Name     string
	Pairs    int   // that have it on either side
	Waits    bool  // it does nothing but wait
	DeltaNs  int64 // sum over all pairs
	ChangeNs int64 // sum of absolute values
	SelfNs   [2]int64
	MeanNs   float64
	SDNs     float64 // of the pairs as a sample, 0 for one
	MinNs    int64
	Q1Ns     float64
	MedianNs float64
	Q3Ns     float64
	MaxNs    int64
	Worst    int // index into Fleet.Pairs: the largest |Δ|
}

// Wait is what threads of one role waited for others, over all pairs.
type Wait struct {
	Waiter, Releaser, Object string
	Pairs                    int
	Count, WaitNs            [2]int64 // by side
	ChangeNs                 int64    // sum of |Δ| over all pairs
	Worst                    int      // index into Fleet.Pairs: the largest |Δ|
}

// DeltaNs returns B − A.
func (w *Wait) DeltaNs() int64 { return w.WaitNs[1] - w.WaitNs[0] }

// Cluster is a set of pairs that differ in the same way.
type Cluster struct {
	Pairs       []int   // indices into Fleet.Pairs, ascending
	MeanDeltaNs float64 // elapsed time, B − A
	MeanShare   float64 // the same as shares of the pairs' longer runs
	Function    string  // what sets it apart from the median pair most, "" for nothing
	MeanNs      float64 // of that function: mean self time, B − A
	OffNs       float64 // MeanNs less that of the median pair
	Middle      int     // index into Fleet.Pairs: the pair nearest to the mean of the cluster
	When        When    // of that pair
}

// Read reads the tables of a batch, merged or not, and looks at them as a whole. Report, which may
// be nil, counts steps.
func Read(ctx context.Context, d *batch.Directory, report progress.Func) (*Fleet, error) {
	r := &reading{dir: d, fleet: &Fleet{}, functions: map[string]*sampled{}}
	meter := progress.NewMeter(report, 0)
	steps := []func(context.Context) error{r.readPairs, r.chooseFunctions, r.readFunctions,
		r.readTimeline, r.sumFunctions, r.readWaits, r.findClusters, r.layOutMatrix, r.findOutliers,
		r.findChanges, r.readPlaces, r.partition}
	meter.Expect(int64(len(steps)))
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return nil, err
		}
		if err := meter.Add(ctx, 1); err != nil {
			return nil, err
		}
	}
	return r.fleet, nil
}

// reading is a fleet while it is read.
type reading struct {
	dir       *batch.Directory
	fleet     *Fleet
	row       []int     // by pair: its index in Fleet.Compared, −1 for none
	longer    []float64 // by compared pair: its longer run, at least 1 ns
	functions map[string]*sampled
	order     []*sampled     // as Fleet.Functions
	timeline  timeline       // of the compared pairs
	leaves    []clusterPlace // of the tree of rows
}

// eachRow calls do for all rows of a table. A row that names no pair is an error.
func eachRow[T any](ctx context.Context, r *reading, table string, number func(*T) int64,
	do func(pair int, row *T)) error {
	for rows, err := range batch.Table[T](r.dir, table) {
		if err != nil {
			return err
		}
		for k := range rows {
			pair := number(&rows[k]) - 1
			if pair < 0 || pair >= int64(len(r.row)) {
				return fmt.Errorf("table %s: it has a row of pair number %d; there are %d pairs", table,
					pair+1, len(r.row))
			}
			do(int(pair), &rows[k])
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// readPairs reads the pairs.
func (r *reading) readPairs(ctx context.Context) error {
	f := r.fleet
	for rows, err := range batch.Table[batch.PairRow](r.dir, "pairs") {
		if err != nil {
			return err
		}
		for _, row := range rows {
			r.addPair(Pair{PairRow: row, Cluster: -1})
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	for k := range f.Pairs {
		switch p := &f.Pairs[k]; {
		case p.Number != int64(k+1):
			return fmt.Errorf("table pairs: row %d has number %d", k+1, p.Number)
		case !finite(p.Similarity, p.Explained):
			return fmt.Errorf("table pairs: row %d has a share that is no number", k+1)
		}
	}
	f.Median = r.typicalOf(r.everyRow())
	return nil
}

func (r *reading) addPair(p Pair) {
	f, k, row := r.fleet, len(r.fleet.Pairs), -1
	if p.Compared() {
		row = len(f.Compared)
		f.Compared = append(f.Compared, k)
		r.longer = append(r.longer, float64(max(p.ElapsedANs, p.ElapsedBNs, 1)))
	} else {
		f.Failed = append(f.Failed, k)
	}
	f.Pairs, r.row = append(f.Pairs, p), append(r.row, row)
}

// of returns a quantity of all pairs that were compared.
func (r *reading) of(quantity func(p *Pair) float64) []float64 {
	list := make([]float64, len(r.fleet.Compared))
	for k, pair := range r.fleet.Compared {
		list[k] = quantity(&r.fleet.Pairs[pair])
	}
	return list
}

// typicalOf returns the medians over some rows, indices into Fleet.Compared.
func (r *reading) typicalOf(rows []int) (t Typical) {
	list := make([]float64, len(rows))
	values := func(quantity func(p *Pair) float64) []float64 {
		for k, row := range rows {
			list[k] = quantity(&r.fleet.Pairs[r.fleet.Compared[row]])
		}
		return list
	}
	delta, spread := medianAndSpread(values(func(p *Pair) float64 { return float64(p.DeltaNs) }))
	t.DeltaNs, t.SpreadNs = whole(delta), whole(spread)
	t.ElapsedNs[pair.A] = whole(median(values(func(p *Pair) float64 { return float64(p.ElapsedANs) })))
	t.ElapsedNs[pair.B] = whole(median(values(func(p *Pair) float64 { return float64(p.ElapsedBNs) })))
	t.Similarity = median(values(func(p *Pair) float64 { return p.Similarity }))
	t.Factor = median(values(func(p *Pair) float64 { return ratio([2]int64{p.ElapsedANs, p.ElapsedBNs}) }))
	return t
}
