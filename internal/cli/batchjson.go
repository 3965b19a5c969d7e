package cli

import (
	"diptych/internal/batch"
	"diptych/internal/batch/fleet"
	"diptych/internal/pair"
)

// fleetJSON is the JSON object of `diptych batch report`. docs/batch.md describes it.
type fleetJSON struct {
	Pairs     int             `json:"pairs"`
	Compared  int             `json:"compared"`
	Failed    []batchFailed   `json:"failed"`
	Median    medianJSON      `json:"median"`
	Diverse   bool            `json:"diverse"`
	Common    commonJSON      `json:"common"`
	Outliers  []outlierJSON   `json:"outliers"`
	Waiting   []outlierJSON   `json:"waiting"`
	Changed   []outlierJSON   `json:"changed"`
	Clusters  []clusterJSON   `json:"clusters"`
	Functions []spreadJSON    `json:"functions"`
	Waits     []waitsJSON     `json:"waits"`
	TooLarge  int             `json:"tooLarge"` // sums of functions and waits that were cut
	Matrix    fleetMatrixJSON `json:"matrix"`
}

type medianJSON struct {
	DeltaNs    int64   `json:"deltaNs"`
	SpreadNs   int64   `json:"spreadNs"`
	ElapsedANs int64   `json:"elapsedANs"`
	ElapsedBNs int64   `json:"elapsedBNs"`
	Similarity float64 `json:"similarity"`
	Factor     float64 `json:"factor"`
}

type commonJSON struct {
	Functions int     `json:"functions"`
	Shared    int     `json:"shared"`
	Share     float64 `json:"share"`
}

type stretchJSON struct {
	FromBucket int   `json:"fromBucket"`
	ToBucket   int   `json:"toBucket"`
	FromANs    int64 `json:"fromANs"`
	ToANs      int64 `json:"toANs"`
	FromNs     int64 `json:"fromNs"` // of B
	ToNs       int64 `json:"toNs"`
	Whole      bool  `json:"whole"`
}

func newStretch(w *fleet.When) stretchJSON {
	return stretchJSON{w.FromBucket, w.ToBucket, w.FromNs[pair.A], w.ToNs[pair.A], w.FromNs[pair.B],
		w.ToNs[pair.B], w.Whole}
}

type outlierJSON struct {
	Number      int64   `json:"number"`
	Pair        string  `json:"pair"`
	Score       float64 `json:"score"`
	Spreads     float64 `json:"spreads"`
	Kind        string  `json:"kind"`
	Cluster     int     `json:"cluster"`
	From        int     `json:"from"` // the cluster that it departs from, 0 for all pairs
	Function    string  `json:"function"`
	DeltaNs     int64   `json:"deltaNs"`
	MedianNs    int64   `json:"medianNs"`
	Factor      float64 `json:"factor"`
	stretchJSON `json:",inline"`
	ThreadA     string `json:"threadA"`
	CallA       int64  `json:"callA"`
	ThreadB     string `json:"threadB"`
	CallB       int64  `json:"callB"`
	Text        string `json:"text"`
}

type clusterJSON struct {
	ID          int      `json:"id"`
	Large       bool     `json:"large"`
	Pairs       []string `json:"pairs"`
	Numbers     []int64  `json:"numbers"`
	MeanDeltaNs float64  `json:"meanDeltaNs"`
	MeanShare   float64  `json:"meanShare"`
	Function    string   `json:"function"`
	MeanNs      float64  `json:"meanNs"`
	OffNs       float64  `json:"offNs"`
	Middle      string   `json:"middle"`
	stretchJSON `json:",inline"`
}

type spreadJSON struct {
	Function string  `json:"function"`
	Waits    bool    `json:"waits"`
	Pairs    int     `json:"pairs"`
	DeltaNs  int64   `json:"deltaNs"`
	ChangeNs int64   `json:"changeNs"`
	MeanNs   float64 `json:"meanNs"`
	SDNs     float64 `json:"sdNs"`
	MinNs    int64   `json:"minNs"`
	Q1Ns     float64 `json:"q1Ns"`
	MedianNs float64 `json:"medianNs"`
	Q3Ns     float64 `json:"q3Ns"`
	MaxNs    int64   `json:"maxNs"`
	Worst    string  `json:"worst"`
}

type waitsJSON struct {
	Waiter   string `json:"waiter"`
	Releaser string `json:"releaser"`
	Object   string `json:"object"`
	Pairs    int    `json:"pairs"`
	CountA   int64  `json:"countA"`
	CountB   int64  `json:"countB"`
	WaitANs  int64  `json:"waitANs"`
	WaitBNs  int64  `json:"waitBNs"`
	ChangeNs int64  `json:"changeNs"`
	Worst    string `json:"worst"`
}

type fleetMatrixJSON struct {
	Rows    []string    `json:"rows"` // pairs
	Buckets int         `json:"buckets"`
	P       float64     `json:"p"`
	Gain    float64     `json:"gain"`
	Loss    float64     `json:"loss"`
	Areas   []fleetArea `json:"areas"`
}

// fleetArea has rows and buckets up to To, exclusive.
type fleetArea struct {
	FromRow       int     `json:"fromRow"`
	ToRow         int     `json:"toRow"`
	FromBucket    int     `json:"fromBucket"`
	ToBucket      int     `json:"toBucket"`
	Dissimilarity float64 `json:"dissimilarity"`
	Lag           float64 `json:"lag"`
	Waiting       float64 `json:"waiting"`
}

// newFleetJSON makes the object. Lists are there even if they are empty.
func newFleetJSON(f *fleet.Fleet) fleetJSON {
	m := &f.Median
	out := fleetJSON{Pairs: len(f.Pairs), Compared: len(f.Compared), Failed: []batchFailed{},
		Median:  medianJSON{m.DeltaNs, m.SpreadNs, m.ElapsedNs[pair.A], m.ElapsedNs[pair.B], m.Similarity, m.Factor},
		Diverse: f.Diverse, Common: commonJSON(f.Common), Changed: newOutliers(f, f.Changed),
		Outliers: newOutliers(f, f.Outliers), Waiting: newOutliers(f, f.Waiting),
		Clusters: []clusterJSON{}, Functions: []spreadJSON{}, Waits: []waitsJSON{}, TooLarge: f.TooLarge, Matrix: newFleetMatrix(f)}
	for _, k := range f.Failed {
		p := &f.Pairs[k]
		out.Failed = append(out.Failed, batchFailed{p.Number, p.Pair, p.Error})
	}
	for k := range f.Clusters {
		out.Clusters = append(out.Clusters, newCluster(f, k))
	}
	for k := range f.Functions {
		x := &f.Functions[k]
		out.Functions = append(out.Functions, spreadJSON{x.Name, x.Waits, x.Pairs, x.DeltaNs, x.ChangeNs,
			x.MeanNs, x.SDNs, x.MinNs, x.Q1Ns, x.MedianNs, x.Q3Ns, x.MaxNs, f.Pairs[x.Worst].Pair})
	}
	for k := range f.Waits {
		x := &f.Waits[k]
		out.Waits = append(out.Waits, waitsJSON{x.Waiter, x.Releaser, x.Object, x.Pairs, x.Count[pair.A],
			x.Count[pair.B], x.WaitNs[pair.A], x.WaitNs[pair.B], x.ChangeNs, f.Pairs[x.Worst].Pair})
	}
	return out
}

func newOutliers(f *fleet.Fleet, list []int) []outlierJSON {
	out := []outlierJSON{}
	for _, k := range list {
		p := &f.Pairs[k]
		o := p.Told()
		out = append(out, outlierJSON{p.Number, p.Pair, o.Score, o.Spreads, o.Kind.String(), p.Cluster + 1,
			o.From, o.Function, o.DeltaNs, o.MedianNs, o.Factor, newStretch(&o.When), o.Place.Thread[pair.A],
			o.Place.Call[pair.A], o.Place.Thread[pair.B], o.Place.Call[pair.B], o.Text})
	}
	return out
}

func newCluster(f *fleet.Fleet, k int) clusterJSON {
	c := &f.Clusters[k]
	out := clusterJSON{ID: k + 1, Large: k < f.Large, MeanDeltaNs: c.MeanDeltaNs, MeanShare: c.MeanShare, Function: c.Function, MeanNs: c.MeanNs,
		OffNs: c.OffNs, Middle: f.Pairs[c.Middle].Pair, stretchJSON: newStretch(&c.When)}
	for _, p := range c.Pairs {
		out.Pairs = append(out.Pairs, f.Pairs[p].Pair)
		out.Numbers = append(out.Numbers, f.Pairs[p].Number)
	}
	return out
}

func newFleetMatrix(f *fleet.Fleet) fleetMatrixJSON {
	p := f.Partition
	out := fleetMatrixJSON{Rows: []string{}, Buckets: batch.Buckets, P: p.P, Gain: p.Gain, Loss: p.Loss,
		Areas: []fleetArea{}}
	for _, k := range f.Matrix.Pairs {
		out.Rows = append(out.Rows, f.Pairs[k].Pair)
	}
	for _, a := range p.Areas {
		out.Areas = append(out.Areas, fleetArea{a.FromRow, a.ToRow, a.FromBucket, a.ToBucket,
			a.Mean[fleet.Dissimilarity], a.Mean[fleet.Lag], a.Mean[fleet.Waiting]})
	}
	return out
}
