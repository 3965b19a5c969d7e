package report

import (
	"context"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/trace"
)

// Align is the JSON object of `diptych align`. Calls are named by their pre-order index in the
// thread. Fields whose names end in Ns are in Unit, which is "ns" for all traces but profiles.
type Align struct {
	Unit      trace.Unit      `json:"unit"`
	Pairs     []AlignPair     `json:"pairs"`
	Total     AlignFigures    `json:"total"`
	Functions []AlignFunction `json:"functions"`

	// The timelines are of the thread pair with the most calls, which TimelinePair names by its
	// index in Pairs (−1 if there is none), at the middles of as many equal intervals of virtual
	// time.
	Dissimilarity []float64 `json:"dissimilarity"`
	SkewNs        []int64   `json:"skewNs"`
	TimelinePair  int       `json:"timelinePair"`
	VirtualNs     int64     `json:"virtualNs"` // their length

	Moved     []AlignMove  `json:"moved"`
	Ties      AlignTies    `json:"ties"`
	Engine    string       `json:"engine"`
	Matrix    *AlignMatrix `json:"matrix,omitzero"`
	ElapsedNs Elapsed      `json:"elapsedNs"`
	Cached    bool         `json:"cached"`
	// Requests are those that are compared, if the files hold distributed traces.
	Requests *Requests `json:"requests,omitzero"`
}

// AlignPair says how the calls of two threads were aligned. Threads are named by their ids; null
// stands for none.
type AlignPair struct {
	A *string `json:"a"`
	B *string `json:"b"`
	AlignFigures
}

// AlignFigures are the metrics of one thread pair or of several together. SkewEndNs is how much
// longer A ran than B, summed over the threads.
type AlignFigures struct {
	M          int64   `json:"m"`
	N          int64   `json:"n"`
	Equal      int64   `json:"equal"`
	Different  int64   `json:"different"`
	GapA       int64   `json:"gapA"`
	GapB       int64   `json:"gapB"`
	Score      int64   `json:"score"`
	ScoreMax   int64   `json:"scoreMax"`
	ScoreMin   int64   `json:"scoreMin"`
	Ratio      float64 `json:"ratio"`
	Similarity float64 `json:"similarity"`
	Dice       float64 `json:"dice"`
	SkewEndNs  int64   `json:"skewEndNs"`
}

// AlignFunction is a row of the function time difference table.
type AlignFunction struct {
	Name       string `json:"name"`
	Pairs      int64  `json:"pairs"`
	PlusCount  int64  `json:"plusCount"`
	PlusNs     int64  `json:"plusNs"`
	MinusCount int64  `json:"minusCount"`
	MinusNs    int64  `json:"minusNs"`
	OnlyA      int64  `json:"onlyA"`
	OnlyB      int64  `json:"onlyB"`
	OnlyANs    int64  `json:"onlyANs"`
	OnlyBNs    int64  `json:"onlyBNs"`
}

// AlignMove links two identical subtrees of a thread pair, given by its index in Pairs.
type AlignMove struct {
	Pair int    `json:"pair"`
	A    int32  `json:"a"`
	B    int32  `json:"b"`
	Size uint32 `json:"size"`
}

// AlignTies says for how many levels the rule for ties was applied in full.
type AlignTies struct {
	Levels     int `json:"levels"`
	OverBudget int `json:"overBudget"`
}

// AlignMatrix is the similarity of every thread of A (rows) with every one of B (columns).
type AlignMatrix struct {
	A          []string    `json:"a"`
	B          []string    `json:"b"`
	Similarity [][]float64 `json:"similarity"`
	Omitted    Both[int]   `json:"omitted"` // threads with fewer calls that were left out
}

// NewAlign describes the alignments of thread pairs of one pair.Pair.
func NewAlign(ctx context.Context, results []*align.Result) (*Align, error) {
	out := &Align{Unit: trace.Nanoseconds, Pairs: []AlignPair{}, Functions: []AlignFunction{},
		Moved: []AlignMove{}, Dissimilarity: []float64{}, SkewNs: []int64{}, TimelinePair: -1}
	var total align.Metrics
	each := make([]align.Metrics, len(results))
	err := progress.Spread(ctx, len(results), func(k int) error {
		each[k] = results[k].Metrics()
		return nil
	})
	if err != nil {
		return nil, err
	}
	for k, r := range results {
		out.Unit = r.Pair.A.Unit
		total = total.Plus(each[k])
		out.Pairs = append(out.Pairs, AlignPair{threadID(r, pair.A), threadID(r, pair.B),
			figures(each[k])})
		out.Ties.Levels += r.Ties.Levels
		out.Ties.OverBudget += r.Ties.OverBudget
		out.Engine = r.Engine
		if t := out.TimelinePair; t < 0 || each[k].M+each[k].N > each[t].M+each[t].N {
			out.TimelinePair = k
		}
	}
	out.Total = figures(total)
	work, ctx := progress.NewGroup(ctx)
	work.Go(func() error { return out.addFunctions(ctx, results) })
	work.Go(func() error { return out.addVirtual(ctx, results, each) })
	return out, work.Wait()
}

func threadID(r *align.Result, s pair.Side) *string {
	if r.Indices[s] < 0 {
		return nil
	}
	return &r.Threads[s].ID
}

func figures(m align.Metrics) AlignFigures {
	return AlignFigures{m.M, m.N, m.Equal, m.Different, m.GapA, m.GapB, m.Score(), m.ScoreMax(),
		m.ScoreMin(), m.Ratio(), m.Similarity(), m.Dice(), m.SkewEnd}
}

func (a *Align) addFunctions(ctx context.Context, results []*align.Result) error {
	rows, err := align.Differences(ctx, results)
	for _, d := range rows {
		a.Functions = append(a.Functions, AlignFunction{results[0].Pair.Names[d.ID], d.Pairs,
			d.PlusCount, d.PlusNs, d.MinusCount, d.MinusNs, d.OnlyA, d.OnlyB, d.OnlyANs, d.OnlyBNs})
	}
	return err
}

// addVirtual adds what takes virtual time: moved subtrees and timelines. Only pairs that need it
// are laid out, as many at once as there are processors.
func (a *Align) addVirtual(ctx context.Context, results []*align.Result,
	each []align.Metrics) error {
	moved := make([][]align.Move, len(results))
	work, ctx := progress.NewGroup(ctx)
	work.SetLimit(progress.Processors())
	for k, r := range results {
		if k != a.TimelinePair && (each[k].GapA == 0 || each[k].GapB == 0) {
			continue
		}
		work.Go(func() error {
			v, err := r.Virtual(ctx)
			if err != nil {
				return err
			}
			if moved[k], err = v.Moved(ctx); err != nil || k != a.TimelinePair {
				return err
			}
			line, err := v.Timeline(ctx, align.Samples)
			if err == nil {
				a.Dissimilarity, a.SkewNs, a.VirtualNs = line.Dissimilarity, line.Skew, v.Length
			}
			return err
		})
	}
	if err := work.Wait(); err != nil {
		return err
	}
	for k := range moved {
		for _, m := range moved[k] {
			a.Moved = append(a.Moved, AlignMove{k, m.A, m.B, m.Size})
		}
	}
	return nil
}
