package batch

// The tables of a batch. Columns called Ns are in ns, in profiles in the profile's unit; A and B
// are the sides. Each row names its pair by the number of its line in the manifest, counted from 1,
// and by its name, so that no table needs another one to be read.

// PairRow is a pair of traces as a whole: one row a line of the manifest. If it could not be
// compared, Error says why, and the rest is empty.
type PairRow struct {
	Number int64  `parquet:"number"`
	Pair   string `parquet:"pair"`
	A      string `parquet:"a"`
	B      string `parquet:"b"`
	Error  string `parquet:"error"` // "" if there was none

	Unit    string `parquet:"unit,dict"`
	CallsA  int64  `parquet:"callsA"`
	CallsB  int64  `parquet:"callsB"`
	Threads int64  `parquet:"threads"` // pairs of threads, and threads without a partner

	Similarity float64 `parquet:"similarity"` // of the alignment (Weber et al.), in [0,1]
	Dice       float64 `parquet:"dice"`

	// Both accounts, B − A: what the findings explain and what they leave adds up to it.
	ElapsedANs        int64   `parquet:"elapsedANs"`
	ElapsedBNs        int64   `parquet:"elapsedBNs"`
	DeltaNs           int64   `parquet:"deltaNs"` // of elapsed time
	WorkANs           int64   `parquet:"workANs"`
	WorkBNs           int64   `parquet:"workBNs"`
	DeltaWorkNs       int64   `parquet:"deltaWorkNs"`
	UnexplainedNs     int64   `parquet:"unexplainedNs"`
	UnexplainedWorkNs int64   `parquet:"unexplainedWorkNs"`
	Explained         float64 `parquet:"explained"`     // share of |deltaNs|, 1 if that is 0
	ExplainedWork     float64 `parquet:"explainedWork"` // of |deltaWorkNs|
	WaitANs           int64   `parquet:"waitANs"`
	WaitBNs           int64   `parquet:"waitBNs"`
	Findings          int64   `parquet:"findings"`
	DiagnosticsA      int64   `parquet:"diagnosticsA"` // records that broke a rule of the format
	DiagnosticsB      int64   `parquet:"diagnosticsB"`
	TrustA            string  `parquet:"trustA"` // trace.Verdict: complete, repaired or lossy
	TrustB            string  `parquet:"trustB"`
}

// FunctionRow is what one function does on both sides of a pair.
type FunctionRow struct {
	Number   int64  `parquet:"number"`
	Pair     string `parquet:"pair,dict"`
	Function string `parquet:"function,dict"`
	CallsA   int64  `parquet:"callsA"`
	CallsB   int64  `parquet:"callsB"`
	SelfANs  int64  `parquet:"selfANs"`
	SelfBNs  int64  `parquet:"selfBNs"`
	TotalANs int64  `parquet:"totalANs"`
	TotalBNs int64  `parquet:"totalBNs"`
	WaitANs  int64  `parquet:"waitANs"`
	WaitBNs  int64  `parquet:"waitBNs"`
	DeltaNs  int64  `parquet:"deltaNs"` // of self time, B − A
}

// FindingRow is one finding of a pair, as `diptych diff` has them.
type FindingRow struct {
	Number    int64   `parquet:"number"`
	Pair      string  `parquet:"pair,dict"`
	Rank      int64   `parquet:"rank"` // from 1, the most important first
	Kind      string  `parquet:"kind,dict"`
	Function  string  `parquet:"function,dict"`
	Caller    string  `parquet:"caller,dict"`
	CallsA    int64   `parquet:"callsA"`
	CallsB    int64   `parquet:"callsB"`
	DeltaNs   int64   `parquet:"deltaNs"`   // that the sentence tells of
	ElapsedNs int64   `parquet:"elapsedNs"` // of the pair's deltaNs, this finding's alone
	WorkNs    int64   `parquet:"workNs"`    // of its deltaWorkNs
	Share     float64 `parquet:"share"`     // of the longer run, in [0,1]
	Certainty string  `parquet:"certainty,dict"`
	Under     int64   `parquet:"under"` // rank of its cause, 0 for none
	ThreadA   string  `parquet:"threadA,dict"`
	CallA     int64   `parquet:"callA"`    // pre-order index in the thread, −1 for none
	StartANs  int64   `parquet:"startANs"` // of that call, since the trace's start; −1 for none
	ThreadB   string  `parquet:"threadB,dict"`
	CallB     int64   `parquet:"callB"`
	StartBNs  int64   `parquet:"startBNs"`
	Text      string  `parquet:"text"`
}

// WaitRow is what threads of one role waited for an object that threads of another released.
type WaitRow struct {
	Number   int64  `parquet:"number"`
	Pair     string `parquet:"pair,dict"`
	Waiter   string `parquet:"waiter,dict"`
	Releaser string `parquet:"releaser,dict"` // "" if nothing ended the waits
	Object   string `parquet:"object,dict"`   // "" if it has no name
	CountA   int64  `parquet:"countA"`
	CountB   int64  `parquet:"countB"`
	WaitANs  int64  `parquet:"waitANs"`
	WaitBNs  int64  `parquet:"waitBNs"`
	DeltaNs  int64  `parquet:"deltaNs"`
}

// Buckets is how many rows of the timeline a pair has.
const Buckets = 200

// TimelineRow is one of Buckets equal shares of a pair's time. Dissimilarity and skew are along the
// virtual time of each pair of threads: dissimilarity is the mean over those pairs, weighted by
// their calls, and skew that of the pair of threads with the most calls, as are the real times that
// say when on either side it is. Waits are along the real time of each side.
type TimelineRow struct {
	Number        int64   `parquet:"number"`
	Pair          string  `parquet:"pair,dict"`
	Bucket        int64   `parquet:"bucket"` // from 0
	Dissimilarity float64 `parquet:"dissimilarity"`
	SkewNs        int64   `parquet:"skewNs"` // by how much A has run longer than B so far
	AtANs         int64   `parquet:"atANs"`  // of A in the bucket's middle, since its start
	AtBNs         int64   `parquet:"atBNs"`  // and of B: that of the threads of skewNs
	WaitA         float64 `parquet:"waitA"`  // share of the threads that wait, in [0,1]
	WaitB         float64 `parquet:"waitB"`
}

// Rows is all that is written of some pairs, in the order of the manifest.
type Rows struct {
	Pairs     []PairRow
	Functions []FunctionRow // by change of self time, the largest first
	Findings  []FindingRow
	Waits     []WaitRow // what changed most first
	Timeline  []TimelineRow
}

// add adds the rows of further pairs.
func (r *Rows) add(o *Rows) {
	r.Pairs = append(r.Pairs, o.Pairs...)
	r.Functions = append(r.Functions, o.Functions...)
	r.Findings = append(r.Findings, o.Findings...)
	r.Waits = append(r.Waits, o.Waits...)
	r.Timeline = append(r.Timeline, o.Timeline...)
}
