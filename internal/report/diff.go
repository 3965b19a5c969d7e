package report

import (
	"cmp"
	"slices"

	"diptych/internal/account"
	"diptych/internal/align/finding"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// Diff is the JSON object of `diptych diff`.
type Diff struct {
	Account    DiffAccount   `json:"account"`
	Findings   []DiffFinding `json:"findings"`
	Similarity float64       `json:"similarity"`
	DurationNs Both[int64]   `json:"durationNs"`
	Pace       float64       `json:"pace"`              // that self times are compared at
	Exceeded   []string      `json:"exceeded,omitzero"` // thresholds as given
	ElapsedNs  Elapsed       `json:"elapsedNs"`

	unit    trace.Unit
	verdict string
	profile bool // there is no time: both accounts are the total of samples
}

// DiffAccount says where the time of both sides went, and what of the difference no finding
// accounts for.
type DiffAccount struct {
	ElapsedNs   Both[int64]     `json:"elapsedNs"`
	WorkNs      Both[int64]     `json:"workNs"` // over all threads: on CPU, I/O and off CPU
	WaitNs      Both[int64]     `json:"waitNs"`
	IONs        Both[int64]     `json:"ioNs"`
	OffCPUNs    Both[int64]     `json:"offCpuNs"`
	IdleNs      Both[int64]     `json:"idleNs"`
	Unexplained DiffUnexplained `json:"unexplained"`
}

// DiffUnexplained is what no finding has claimed.
type DiffUnexplained struct {
	ElapsedNs int64      `json:"elapsedNs"`
	WorkNs    int64      `json:"workNs"`
	Parts     []DiffPart `json:"parts"` // the largest first
}

// DiffPart is what is left of one function.
type DiffPart struct {
	Function string `json:"function"`
	Kind     string `json:"kind"`
	Ns       int64  `json:"ns"` // of the elapsed time
	WorkNs   int64  `json:"workNs"`
}

// DiffFinding is one finding.
type DiffFinding struct {
	Kind      string      `json:"kind"`
	Function  string      `json:"function"`
	Calls     Both[int64] `json:"calls"`
	DeltaNs   int64       `json:"deltaNs"`
	Share     float64     `json:"share"`     // of the longer run, at most 1
	ElapsedNs int64       `json:"elapsedNs"` // of the difference, this finding's alone
	WorkNs    int64       `json:"workNs"`
	Under     *int        `json:"under"` // the index of the finding that this one follows from
	A         *DiffPlace  `json:"a"`
	B         *DiffPlace  `json:"b"`
	Waiting   bool        `json:"waiting"`
	Certainty string      `json:"certainty"` // certain, likely or chance
	Caller    string      `json:"caller,omitzero"`
	Claims    []DiffClaim `json:"claims"`
	Text      string      `json:"text"`

	Factor float64 `json:"factor,omitzero"` // of a pace
}

// DiffPlace is a call: a thread by its id, and a pre-order index in it.
type DiffPlace struct {
	Thread string `json:"thread"`
	Call   int32  `json:"call"`
}

// NewDiff describes what was found in p, and which parts of the balance it accounts for. b was made
// with the options of AccountOptions.
func NewDiff(p *pair.Pair, r *finding.Report, b *account.Balance) *Diff {
	d := &Diff{Similarity: r.Similarity, Pace: r.Pace, unit: p.A.Unit, verdict: r.Verdict,
		DurationNs: Both[int64]{r.Durations[pair.A], r.Durations[pair.B]}}
	d.profile = p.A.Kind == trace.Profile || p.B.Kind == trace.Profile
	d.Findings = attribute(p, r, b, d)
	d.balance(b)
	return d
}

func (d *Diff) balance(b *account.Balance) {
	of := func(k account.Kind) Both[int64] {
		return Both[int64]{b.Total[pair.A][k], b.Total[pair.B][k]}
	}
	w := b.Work()
	a := &d.Account
	a.ElapsedNs, a.WorkNs = Both[int64]{b.Elapsed[pair.A], b.Elapsed[pair.B]}, Both[int64]{w[0], w[1]}
	a.WaitNs, a.IONs, a.OffCPUNs = of(account.Wait), of(account.IO), of(account.OffCPU)
	a.IdleNs = of(account.Idle)
}

// rankFindings puts those first that account for most, and keeps the order of those that own
// nothing. What could be chance comes after the others. A finding that follows from another comes
// after it, before the next one that does not.
func rankFindings(list []DiffFinding) []DiffFinding {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	cause := func(i int) int { // the first of the chain
		for n := 0; n < len(list) && list[i].Under != nil; n++ {
			i = *list[i].Under
		}
		return i
	}
	slices.SortStableFunc(order, func(x, y int) int {
		cx, cy := cause(x), cause(y)
		return cmp.Or(cmp.Compare(toInt(list[cx].byChance()), toInt(list[cy].byChance())),
			cmp.Compare(list[cy].rank(), list[cx].rank()), cmp.Compare(cx, cy),
			cmp.Compare(depth(list, x), depth(list, y)))
	})
	at := make([]int, len(list)) // new index by old
	out := make([]DiffFinding, len(list))
	for k, i := range order {
		out[k], at[i] = list[i], k
	}
	for k := range out {
		if under := out[k].Under; under != nil {
			out[k].Under = &at[*under]
		}
	}
	return out
}

// byChance reports whether a finding could be chance.
func (f *DiffFinding) byChance() bool { return f.Certainty == finding.Chance.String() }

func toInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// depth returns how many findings one follows from.
func depth(list []DiffFinding, i int) (n int) {
	for ; n < len(list) && list[i].Under != nil; n++ {
		i = *list[i].Under
	}
	return n
}

func (f *DiffFinding) rank() int64 {
	return account.Delta{ElapsedNs: f.ElapsedNs, WorkNs: f.WorkNs}.Rank()
}

func diffPlace(t *trace.Trace, at *finding.Place) *DiffPlace {
	if at == nil {
		return nil
	}
	return &DiffPlace{Thread: t.Threads[at.Thread].ID, Call: at.Call}
}
