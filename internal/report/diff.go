package report

import (
	"slices"

	"diptych/internal/account"
	"diptych/internal/account/explain"
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
	Trust      *Both[*Trust] `json:"trust,omitzero"` // if one of the recordings is not complete
	// Options are what the tool was told for one recording alone, if they differ.
	Options *Both[[]string] `json:"options,omitzero"`
	// Requests are those that are compared, if the files hold distributed traces.
	Requests *Requests `json:"requests,omitzero"`
	// SampleTypes are those of a profile that has several, with how much each has in all. The first
	// is the default: the account is of it alone, and so are findings that name no other.
	SampleTypes []DiffSampleType `json:"sampleTypes,omitzero"`
	// Runs says what several runs a side tell; all else is about one run of each.
	Runs *DiffRuns `json:"runs,omitzero"`

	from *explain.Difference
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

// DiffSampleType is one of several sample types.
type DiffSampleType struct {
	Name string `json:"name"`
	A    int64  `json:"a"`
	B    int64  `json:"b"`
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

	SampleType string `json:"sampleType,omitzero"` // that it is about, if that is not the default
}

// DiffPlace is a call: a thread by its id, and a pre-order index in it.
type DiffPlace struct {
	Thread string `json:"thread"`
	Call   int32  `json:"call"`
}

// NewDiff describes a difference.
func NewDiff(x *explain.Difference) *Diff {
	p, found := x.Balance.Pair, x.Found
	d := &Diff{from: x, Similarity: found.Similarity, Pace: found.Pace,
		DurationNs: Both[int64]{found.Durations[pair.A], found.Durations[pair.B]},
		Account:    diffAccount(x), Findings: []DiffFinding{}, Trust: trustOf(p),
		Requests: RequestsOf(p)}
	if r := p.Recorded(); r.Differ() {
		d.Options = &Both[[]string]{slices.Concat([]string{}, r[pair.A]), slices.Concat([]string{}, r[pair.B])}
	}
	for _, q := range x.SampleTypes() {
		d.SampleTypes = append(d.SampleTypes, DiffSampleType{q.Name, q.Ns[pair.A], q.Ns[pair.B]})
	}
	for i := range x.Findings {
		d.Findings = append(d.Findings, diffFinding(p, &x.Findings[i]))
	}
	return d
}

func diffAccount(x *explain.Difference) DiffAccount {
	b := x.Balance
	of := func(k account.Kind) Both[int64] {
		return Both[int64]{b.Total[pair.A][k], b.Total[pair.B][k]}
	}
	w := b.Work()
	a := DiffAccount{ElapsedNs: Both[int64]{b.Elapsed[pair.A], b.Elapsed[pair.B]},
		WorkNs: Both[int64]{w[pair.A], w[pair.B]}, WaitNs: of(account.Wait), IONs: of(account.IO),
		OffCPUNs: of(account.OffCPU), IdleNs: of(account.Idle)}
	a.Unexplained = DiffUnexplained{x.Left.Delta.ElapsedNs, x.Left.Delta.WorkNs, []DiffPart{}}
	for _, r := range x.Left.Parts {
		a.Unexplained.Parts = append(a.Unexplained.Parts, DiffPart{Function: x.NameOf(r),
			Kind: r.Kind.String(), Ns: r.Delta.ElapsedNs, WorkNs: r.Delta.WorkNs})
	}
	return a
}

func diffFinding(p *pair.Pair, f *explain.Finding) DiffFinding {
	d := DiffFinding{Kind: f.Kind, Function: f.Function, Caller: f.Caller,
		Calls: Both[int64]{f.Calls[pair.A], f.Calls[pair.B]}, DeltaNs: f.DeltaNs, Share: f.Share,
		ElapsedNs: f.Own.ElapsedNs, WorkNs: f.Own.WorkNs, A: diffPlace(p.A, f.At[pair.A]),
		B: diffPlace(p.B, f.At[pair.B]), Waiting: f.Waiting, Certainty: f.Certainty.String(),
		Claims: diffClaims(p, f.Claims), Text: f.Text, Factor: f.Factor, SampleType: f.SampleType}
	if f.Under >= 0 {
		d.Under = &f.Under
	}
	return d
}

func diffPlace(t *trace.Trace, at *finding.Place) *DiffPlace {
	if at == nil {
		return nil
	}
	return &DiffPlace{Thread: t.Threads[at.Thread].ID, Call: at.Call}
}
