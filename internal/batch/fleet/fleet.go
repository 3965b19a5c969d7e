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
//	outliers.go   pairs that depart from the median pair by more than others do
//	when.go       from when to when a pair loses its time
//	partition.go  the matrix as few areas, by the engine of package aggregate (Ocelotl)
//
// All follows from the tables of the batch, which are read once or twice and not kept. The package
// knows no picture and no command line.
package fleet

import (
	"context"

	"diptych/internal/batch"
)

// Fleet is a batch as a whole. It never changes.
type Fleet struct {
	Pairs     []Pair     // in the order of the manifest, those that failed too
	Compared  []int      // indices into Pairs of those that did not fail
	Failed    []int      // and of those that did
	Functions []Function // what differs most over all pairs first
	Waits     []Wait     // what changed most first
	Clusters  []Cluster  // the largest first
	Outliers  []int      // indices into Pairs, the largest score first
	Median    Typical
	Matrix    *Matrix
	Partition *Partition
}

// Pair is a pair of traces in its fleet.
type Pair struct {
	batch.PairRow
	Cluster int      // index into Fleet.Clusters; −1 for a pair that failed
	Outlier *Outlier // nil for a pair like the others
}

// Compared reports whether the pair could be compared.
func (p *Pair) Compared() bool { return p.Error == "" }

// Outlier says how a pair is unlike the rest.
type Outlier struct {
	// Score is by how many percent of its longer run the pair departs from the median pair, in the
	// function that departs most. Waits count half: mostly one pair waits for another that is the
	// cause.
	Score float64
	Kind  Departure
	// Function is what departs; "" if it is the pair as a whole, and no function for most of it.
	Function string
	Waits    bool    // the function does nothing but wait
	DeltaNs  int64   // self time of the function, B − A; elapsed time of the pair as a whole
	MedianNs int64   // the same, of the median pair
	Factor   float64 // B / A of the same time, 0 if A has none
	Text     string  // all this in words; names in it are as the traces have them
	When     When
	Place    Place
}

// Departure is in what a pair departs from the others.
type Departure uint8

const (
	InFunction   Departure = iota // the time of a function
	InTime                        // the elapsed time, without one function that has most of it
	InSimilarity                  // calls that have no equal on the other side
)

// When is a stretch of a pair's time: the buckets, inclusive, and the times that A and B have
// reached at their ends, in ns since the start of their traces.
type When struct {
	FromBucket, ToBucket int
	FromNs, ToNs         [2]int64 // by side
	Whole                bool     // no part of the time stands out: it is the whole run
	Share                float64  // of the pair's loss or gain, in this stretch; 0 of a whole run
}

// Place is a call to look at, by side: that of the pair's first finding about the function, or else
// of its first finding. Call is −1, and Thread "", where there is none.
type Place struct {
	Thread  [2]string
	Call    [2]int64 // pre-order index in the thread
	StartNs [2]int64 // since the trace's start
}

// Typical is the median over the pairs that could be compared.
type Typical struct {
	DeltaNs, SpreadNs int64 // elapsed time, B − A; the median of |x − median|
	ElapsedNs         [2]int64
	Similarity        float64
}

// Function is what a function does in all pairs that have it, self time, B − A. Quartiles are those
// of the pairs themselves, interpolated between neighbours (R's type 7).
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
	Pairs    []int // indices into Fleet.Pairs, ascending
	DeltaNs  float64
	Function string  // what sets it apart from the median pair most, "" for nothing
	MeanNs   float64 // of that function: mean self time, B − A
	OffNs    float64 // MeanNs less that of the median pair
	When     When    // of the pair in its middle
	Middle   int     // index into Fleet.Pairs: the pair nearest to the mean of the cluster
}

// Read reads the tables of a batch, merged or not, and looks at them as a whole.
func Read(ctx context.Context, d *batch.Directory) (*Fleet, error) {
	f := &Fleet{}
	if err := f.readPairs(ctx, d); err != nil {
		return nil, err
	}
	return f, nil
}

// readPairs reads the pairs.
func (f *Fleet) readPairs(ctx context.Context, d *batch.Directory) error {
	for rows, err := range batch.Table[batch.PairRow](d, "pairs") {
		if err != nil {
			return err
		}
		for _, row := range rows {
			p := Pair{PairRow: row, Cluster: -1}
			if k := len(f.Pairs); p.Compared() {
				f.Compared = append(f.Compared, k)
			} else {
				f.Failed = append(f.Failed, k)
			}
			f.Pairs = append(f.Pairs, p)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}
