package batch

import (
	"cmp"
	"math/big"
	"slices"
)

// Totals are a batch as a whole. Sums are over the pairs that could be compared; one that does not
// fit into int64 is the largest or smallest that does.
type Totals struct {
	Pairs       int64        `json:"pairs"`  // lines of the manifest
	Failed      int64        `json:"failed"` // of them, those that could not be compared
	FailedPairs []FailedPair `json:"failedPairs"`
	Unit        string       `json:"unit"` // of all pairs, "" if they differ: sums then mix units
	Sums
	FunctionCount int             `json:"functionCount"`
	Functions     []FunctionTotal `json:"functions"`
	FindingCount  int             `json:"findingCount"`
	Findings      []FindingTotal  `json:"findings"`
	// TooLarge counts the sums, of these and of all functions and findings, that did not fit into
	// int64.
	TooLarge int `json:"tooLarge"`
}

// mostListed is how many failed pairs, functions and findings totals.json lists, so that it stays
// readable. The tables have all.
const mostListed = 1000

// FailedPair is a pair that could not be compared.
type FailedPair struct {
	Number int64  `json:"number"`
	Pair   string `json:"pair"`
	Error  string `json:"error"`
}

// Sums are the sums of columns of the table of pairs.
type Sums struct {
	CallsA            int64 `json:"callsA"`
	CallsB            int64 `json:"callsB"`
	ElapsedANs        int64 `json:"elapsedANs"`
	ElapsedBNs        int64 `json:"elapsedBNs"`
	DeltaNs           int64 `json:"deltaNs"`
	WorkANs           int64 `json:"workANs"`
	WorkBNs           int64 `json:"workBNs"`
	DeltaWorkNs       int64 `json:"deltaWorkNs"`
	UnexplainedNs     int64 `json:"unexplainedNs"`
	UnexplainedWorkNs int64 `json:"unexplainedWorkNs"`
	WaitANs           int64 `json:"waitANs"`
	WaitBNs           int64 `json:"waitBNs"`
}

func (s *Sums) add(cuts *Cuts, r *PairRow) {
	for k, c := range []struct {
		sum   *int64
		value int64
	}{
		{&s.CallsA, r.CallsA}, {&s.CallsB, r.CallsB},
		{&s.ElapsedANs, r.ElapsedANs}, {&s.ElapsedBNs, r.ElapsedBNs}, {&s.DeltaNs, r.DeltaNs},
		{&s.WorkANs, r.WorkANs}, {&s.WorkBNs, r.WorkBNs}, {&s.DeltaWorkNs, r.DeltaWorkNs},
		{&s.UnexplainedNs, r.UnexplainedNs}, {&s.UnexplainedWorkNs, r.UnexplainedWorkNs},
		{&s.WaitANs, r.WaitANs}, {&s.WaitBNs, r.WaitBNs},
	} {
		cuts.Add(k, c.sum, c.value)
	}
}

// FunctionTotal is what one function does in all pairs that have it on either side. DeltaNs, the
// mean, the deviation and the extremes are of the functions' deltaNs: self time, B − A.
type FunctionTotal struct {
	Function    string  `parquet:"function" json:"function"`
	Pairs       int64   `parquet:"pairs" json:"pairs"`
	CallsA      int64   `parquet:"callsA" json:"callsA"`
	CallsB      int64   `parquet:"callsB" json:"callsB"`
	SelfANs     int64   `parquet:"selfANs" json:"selfANs"`
	SelfBNs     int64   `parquet:"selfBNs" json:"selfBNs"`
	DeltaNs     int64   `parquet:"deltaNs" json:"deltaNs"`
	MeanNs      float64 `parquet:"meanNs" json:"meanNs"`
	DeviationNs float64 `parquet:"deviationNs" json:"deviationNs"` // standard deviation of a sample
	MinNs       int64   `parquet:"minNs" json:"minNs"`
	MinNumber   int64   `parquet:"minNumber" json:"minNumber"` // the first pair with that
	MinPair     string  `parquet:"minPair" json:"minPair"`
	MaxNs       int64   `parquet:"maxNs" json:"maxNs"`
	MaxNumber   int64   `parquet:"maxNumber" json:"maxNumber"`
	MaxPair     string  `parquet:"maxPair" json:"maxPair"`
}

// FindingTotal is how often a kind of finding is told of a function.
type FindingTotal struct {
	Kind      string `parquet:"kind" json:"kind"`
	Function  string `parquet:"function" json:"function"`
	Pairs     int64  `parquet:"pairs" json:"pairs"`       // that have any
	Findings  int64  `parquet:"findings" json:"findings"` // in all of them
	CallsA    int64  `parquet:"callsA" json:"callsA"`
	CallsB    int64  `parquet:"callsB" json:"callsB"`
	DeltaNs   int64  `parquet:"deltaNs" json:"deltaNs"`
	ElapsedNs int64  `parquet:"elapsedNs" json:"elapsedNs"`
	WorkNs    int64  `parquet:"workNs" json:"workNs"`
}

// tally adds up the rows of a batch. It keeps something of each function and finding, but nothing
// of each pair.
type tally struct {
	Totals
	functions map[string]*functionTally
	findings  map[findingKey]*findingTally
	cuts      Cuts // of Sums
	room      big.Int
}

type functionTally struct {
	FunctionTotal
	delta moments
	cuts  Cuts
}

type findingKey struct{ kind, function string }

type findingTally struct {
	FindingTotal
	last int64 // pair
	cuts Cuts
}

func newTally() *tally {
	return &tally{Totals: Totals{FailedPairs: []FailedPair{}},
		functions: map[string]*functionTally{}, findings: map[findingKey]*findingTally{}}
}

func (t *tally) addPairs(rows []PairRow) {
	for i := range rows {
		r := &rows[i]
		t.Pairs++
		if r.Error == "" {
			t.addCompared(r)
			continue
		}
		if t.Failed++; t.Failed <= mostListed {
			t.FailedPairs = append(t.FailedPairs, FailedPair{r.Number, r.Pair, r.Error})
		}
	}
}

func (t *tally) addCompared(r *PairRow) {
	if first := t.Pairs-t.Failed == 1; first {
		t.Unit = r.Unit
	} else if t.Unit != r.Unit {
		t.Unit = ""
	}
	t.Sums.add(&t.cuts, r)
}

func (t *tally) addFunctions(rows []FunctionRow) {
	for i := range rows {
		r := &rows[i]
		f := t.functions[r.Function]
		if f == nil {
			f = &functionTally{FunctionTotal: FunctionTotal{Function: r.Function}}
			t.functions[r.Function] = f
		}
		f.cuts.Add(0, &f.CallsA, r.CallsA)
		f.cuts.Add(1, &f.CallsB, r.CallsB)
		f.cuts.Add(2, &f.SelfANs, r.SelfANs)
		f.cuts.Add(3, &f.SelfBNs, r.SelfBNs)
		f.delta.add(extreme{r.DeltaNs, r.Number, r.Pair}, &t.room)
	}
}

func (t *tally) addFindings(rows []FindingRow) {
	for i := range rows {
		r := &rows[i]
		key := findingKey{r.Kind, r.Function}
		f := t.findings[key]
		if f == nil {
			f = &findingTally{FindingTotal: FindingTotal{Kind: r.Kind, Function: r.Function}}
			t.findings[key] = f
		}
		if r.Number != f.last {
			f.Pairs, f.last = f.Pairs+1, r.Number
		}
		f.Findings++
		f.cuts.Add(0, &f.CallsA, r.CallsA)
		f.cuts.Add(1, &f.CallsB, r.CallsB)
		f.cuts.Add(2, &f.DeltaNs, r.DeltaNs)
		f.cuts.Add(3, &f.ElapsedNs, r.ElapsedNs)
		f.cuts.Add(4, &f.WorkNs, r.WorkNs)
	}
}

// tooLarge counts the sums that did not fit into int64.
func (t *tally) tooLarge() int {
	n := t.cuts.Count()
	for _, f := range t.functions {
		if n += f.cuts.Count(); !f.delta.sum.IsInt64() {
			n++
		}
	}
	for _, f := range t.findings {
		n += f.cuts.Count()
	}
	return n
}

// allFunctions returns the totals of all functions, by change of self time, the largest first.
func (t *tally) allFunctions() []FunctionTotal {
	all := make([]FunctionTotal, 0, len(t.functions))
	for _, f := range t.functions {
		d := &f.delta
		f.Pairs, f.DeltaNs, f.MeanNs, f.DeviationNs = d.n, d.total(), d.mean(), d.deviation()
		f.MinNs, f.MinNumber, f.MinPair = d.min.value, d.min.number, d.min.pair
		f.MaxNs, f.MaxNumber, f.MaxPair = d.max.value, d.max.number, d.max.pair
		all = append(all, f.FunctionTotal)
	}
	slices.SortFunc(all, func(x, y FunctionTotal) int {
		return cmp.Or(cmp.Compare(size(y.DeltaNs), size(x.DeltaNs)), cmp.Compare(x.Function, y.Function))
	})
	return all
}

// allFindings returns the totals of all findings, by what they explain of the elapsed time and
// then of the work, the largest first.
func (t *tally) allFindings() []FindingTotal {
	all := make([]FindingTotal, 0, len(t.findings))
	for _, f := range t.findings {
		all = append(all, f.FindingTotal)
	}
	slices.SortFunc(all, func(x, y FindingTotal) int {
		return cmp.Or(cmp.Compare(size(y.ElapsedNs), size(x.ElapsedNs)),
			cmp.Compare(size(y.WorkNs), size(x.WorkNs)),
			cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Function, y.Function))
	})
	return all
}

// size returns |n|, which for the smallest int64 is no int64.
func size(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}
