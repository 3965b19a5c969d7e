// Package finding puts into words what differs between two aligned traces. It makes a ranked list
// of functions that got slower or faster, of calls that are missing, new, moved, renamed or
// repeated more or less often, of threads that only one side has, and of where the two runs first
// differ.
//
// Find runs these stages, each over all pairs of threads that count the same (pair.SampleTypes):
//
//	study.go       which threads these are
//	renames.go     functions renamed in B; peers.go: which names are compared; renamed.go: what
//	               is told of them
//	reorder.go     calls that come in another order are paired with their twins
//	families.go    spans that differ only in arguments; members.go: which of them changed
//	identical.go   pairs whose subtrees are identical
//	opencalls.go   calls that may get another partner
//	depends.go     what the duration of a call depends on: itself, or other threads
//	gather.go      all calls are gone through, for what the next seven hold:
//	rows.go        several pairs of short threads, put together
//	joint.go       two aligned threads, side by side
//	edges.go       by which function each call is called, thread by thread
//	totals.go      calls and times of each function and caller, over both whole sides
//	uneven.go      levels on which calls have no partner
//	straighten.go  self times by rank, where pairing is arbitrary
//	pairs.go       the paired calls of each function, as columns
//	efforts.go     the pace of the machine, and
//	pace.go        what it is in most cases; stretches.go: of each stretch of the run
//	levels.go      calls without a partner, counted level by level
//	causes.go      those calls summed up by function and caller
//	callgraph.go   who calls whom, on both sides
//	chance.go      how durations vary by chance
//	weigh.go       what the pairs of each function come to
//	pairmath.go    what is computed of each pair, of eight at once; middle.go: medians
//	ratios.go      how the calls of each function changed; outliers.go: which took far longer
//	judge.go       functions whose self time changed, and how sure that is; onecaller.go: by the
//	               calls of one caller alone; passedon.go: time that callers and callees pass on
//	states.go      states of threads that last longer or shorter; phases.go: those of the runtime
//	               that are the whole program's
//	counts.go      functions that are called more or less often, told with their totals
//	subjects.go    what these calls are about, by their arguments
//	floor.go       calls that recorders leave out; written.go: that they count all the same
//	places.go      the places where that is; examples.go: a call that the other side lacks
//	parallelism.go how many calls of a service run at the same time
//	schedule.go    which numbers and lengths of calls are left to the schedule; rounds.go: those
//	               of event loops
//	hardlymet.go   functions of which hardly any stack was recorded
//	moves.go       calls that have moved; swaps.go: callees in another order
//	threadmoves.go calls that another thread makes
//	divergence.go  where the runs first differ; threads that only one side has
//	verdict.go     what to say of whole runs that no finding explains
//	under.go       which findings follow from others
//	claims.go      what each finding claims, as data
//	words.go       the sentences of findings; countwords.go: those about numbers of calls
//
// Profiles have no order in time: after renames.go, profile.go compares them instead, function by
// function, without what interrupts take (interrupts.go), and first those that one side alone has
// (lone.go). stalls.go says what chance explains, and samplepace.go what the pace of samples does.
// Where the recorder has counted calls, callcounts.go says how often functions are called.
//
// Quantities come from totals of both whole sides; the alignment says where and why, never how
// much. An effect is told once, where it comes from: of paired calls only self time counts, and of
// a subtree without a partner only the topmost call is told. A change that chance may explain is
// told after the others, and only if it makes a hundredth of the run: a function's change is
// compared with its own spread and with what all other functions do by chance.
//
// Time is linear in the calls, which are gone through four times, on all processors, and in the
// pairs of functions, which are gone through three times more; sorting of callees comes on top
// where calls have no partner. Memory is about 6 bytes a call, for pairs.
//
// The package holds pure functions of alignments. It knows no files, views or other analyses.
package finding

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/progress"
)

// Kind says what happened.
type Kind uint8

const (
	Slower     Kind = iota // a function's own time grew over paired calls
	Faster                 // or fell
	Missing                // a function that only A calls
	New                    // or only B
	Moved                  // the same calls in another place
	Renamed                // a function under another name
	Repeat                 // a loop that runs more or fewer times
	Divergence             // where the two runs first differ
	Threads                // threads that only one side has
	Called                 // a function that both sides call, more or less often
	Burst                  // a part of a function's calls takes longer, or less
	kinds
)

var kindNames = [kinds]string{"slower", "faster", "missing", "new", "moved", "renamed", "repeat",
	"divergence", "threads", "called", "burst"}

func (k Kind) String() string {
	if k < kinds {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// KindNames returns the names of all kinds.
func KindNames() []string { return slices.Clone(kindNames[:]) }

// KindNamed returns the kind of that name.
func KindNamed(name string) (Kind, error) {
	for k, n := range kindNames {
		if n == name {
			return Kind(k), nil
		}
	}
	return 0, fmt.Errorf("no such kind of finding: %q", name)
}

// Place is a call of one side.
type Place struct {
	Thread int   // index into the trace's threads
	Call   int32 // pre-order index in the thread
}

// Finding is one difference.
type Finding struct {
	Kind     Kind
	Function string // or the thread's name, for Threads
	// Caller is whose calls of the function it is about, most of all: "" for nobody's in
	// particular.
	Caller string
	// ID is the function's identity in A, or in B if A does not have it. Spans that differ only in
	// their arguments have the first one's. It is 0 for Threads.
	ID        uint32
	Calls     [2]int64  // of the function, in all; by Caller where DeltaNs is about these only
	DeltaNs   int64     // the time that B takes more because of this
	Share     float64   // |DeltaNs| as a share of the longer run's duration
	At        [2]*Place // an example on each side, nil where there is none
	Waiting   bool      // the calls wait, so the cause lies with what they wait for
	Certainty Certainty
	Claims    []Claim // every number of the sentence that can be counted again
	Under     int     // index of the finding that this one follows from, −1 for none
	Slight    bool    // of calls that moved: only their order did, or the thread of a pool
	Threads   bool    // of calls that moved: more threads run them, or fewer
	Order     bool    // of calls that moved: some calls of the same callers make them elsewhere
	Lead      bool    // of these: it stands for all, as it is the largest that no schedule explains
	Awaits    bool    // most of that time the calls wait, in what the account knows
	Text      string  // one sentence, but for its end: see Awaiting and Labelled

	threads [2]*int  // that alone are summed up, see sums
	caller  uint32   // whose calls without a partner make most of it
	named   uint32   // of Caller
	single  bool     // a change of self time is due to one call
	scope   extent   // what DeltaNs measures, of findings about counts
	alone   [2]int64 // ns, by side: the longest call without a partner, of findings about counts
	instead string   // who makes such calls where Caller makes none, in words
}

// Report is all that was found, most important first.
type Report struct {
	Findings   []Finding
	Similarity float64
	Durations  [2]int64 // ns, by side
	// Pace is the factor by which all functions together take longer in B. It is due to the
	// machine rather than to the program, so changes are measured against it: 1.1 if B's machine
	// is a tenth slower.
	Pace float64
	// Ratios are by how much the calls of each function changed, Pace included; none where the
	// calls that both sides have do not make half of the run.
	Ratios []Ratio
	// Noise is by how much two runs of one program differ by chance, as far as this pair shows it.
	Noise Noise
	// Dropped is how many findings were left out because a claim contradicted them.
	Dropped int
	// Sample is the weight of one sample of a profile, in its unit; 0 for timelines, and for
	// profiles that are Exact: of these all was counted, so nothing differs by chance.
	Sample float64
	Exact  bool
	// Verdict says in a sentence how the whole runs differ, for when there is nothing else to say.
	Verdict string
	// SampleType is which of the pair's sample types it is about, "" if there is one alone.
	SampleType string
	// Others are the reports of the other sample types.
	Others []*Report

	sums        sums
	interrupted map[uint32][2]int64 // by identity: self time, ns
	rounds      map[uint32]bool     // identities of functions called in rounds of an event loop
	leftOut     map[uint32]bool     // and of those of which recorders leave out calls
}

// Options say how small a finding may be; the zero value is the default.
type Options struct {
	// Least is a share of the longer run. A function that got slower or faster by less is not
	// told, nor are calls that are missing, new or moved and take less. The default is 0.0001.
	Least float64
}

const defaultLeast = 1e-4

// Find returns what differs between the two sides of p, given alignments of its threads. report,
// which may be nil, counts calls. The same arguments always give the same findings.
func Find(ctx context.Context, p *pair.Pair, results []*align.Result, o Options,
	report progress.Func) (*Report, error) {
	tell, err := Gather(ctx, p, results, o, report)
	if err != nil {
		return nil, err
	}
	return tell()
}

// Gather does what Find does on all processors. What it returns does the rest on one, most of which
// is to put into words what was gathered; others may do something else meanwhile.
func Gather(ctx context.Context, p *pair.Pair, results []*align.Result, o Options,
	report progress.Func) (tell func() (*Report, error), err error) {
	if p.A == nil || p.B == nil {
		return nil, fmt.Errorf("findings need two traces")
	}
	if o.Least <= 0 {
		o.Least = defaultLeast
	}
	types := p.SampleTypes()
	tells := make([]func() (*Report, error), len(types))
	for k, of := range types { // no two are added up
		if tells[k], err = newStudy(ctx, p, results, of, o, report).find(); err != nil {
			return nil, err
		}
	}
	return func() (*Report, error) {
		of := make([]*Report, len(tells))
		for k, tell := range tells {
			if of[k], err = tell(); err != nil {
				return nil, err
			}
		}
		of[0].Others = of[1:]
		return of[0], nil
	}, nil
}

// find does what Gather does, with the threads of one sample type.
func (s *study) find() (tell func() (*Report, error), err error) {
	gather, words := s.gatherInOrder, s.tellInOrder
	if s.p.BySamples() {
		gather, words = s.findRenames, s.tellProfiles
	}
	if err := gather(); err != nil {
		return nil, err
	}
	return func() (*Report, error) {
		if err := words(); err != nil {
			return nil, err
		}
		s.tellThreads()
		s.dropRepeated()
		s.sortFindings()
		if err := s.findExamples(); err != nil {
			return nil, err
		}
		s.sayVerdict()
		s.report.sums = s.sums
		return s.report, nil
	}, nil
}

// gatherInOrder goes through timelines, and tells functions whose calls take longer or less.
func (s *study) gatherInOrder() error {
	for _, stage := range []func() error{s.findRenames, s.findOrder, s.findFamilies, s.gatherThreads,
		s.findNoiseAndCauses} {
		if err := stage(); err != nil {
			return err
		}
	}
	s.tellEfforts()
	return s.ctx.Err()
}

// tellInOrder tells what else differs between timelines.
func (s *study) tellInOrder() error {
	s.tellStates()
	s.noteRounds()
	s.findSchedule()
	s.findFloor()
	s.noteLeftOut()
	s.tellCauses()
	s.trustCallees()
	s.tellCallees()
	if err := s.tellThreadMoves(); err != nil {
		return err
	}
	s.tellRenames()
	return s.tellDivergence()
}

// sortFindings sorts the findings by time and by number of calls. Calls that wait come after what
// may be the cause of their waiting, then what makes no time, what could be chance, and last the
// divergence, which says where to begin to look but not how much it matters.
func (s *study) sortFindings() {
	slices.SortFunc(s.report.Findings, func(x, y Finding) int {
		return cmp.Or(
			cmp.Compare(x.group(), y.group()),
			-cmp.Compare(magnitude(x.DeltaNs), magnitude(y.DeltaNs)),
			-cmp.Compare(x.Calls[0]+x.Calls[1], y.Calls[0]+y.Calls[1]),
			cmp.Compare(x.Kind, y.Kind),
			cmp.Compare(x.Function, y.Function),
			cmp.Compare(x.Text, y.Text))
	})
	s.findUnder()
}

// group says in which group of the list a finding stands.
func (f *Finding) group() int {
	switch {
	case f.Kind == Divergence:
		return 4
	case f.Certainty == Chance:
		return 3
	case f.DeltaNs == 0:
		return 2
	}
	return toInt(f.Waiting)
}

// addFinding appends a finding to the report, unless its claims contradict it.
func (s *study) addFinding(f Finding) {
	f.Share, f.threads = s.share(f.DeltaNs), s.threads
	if !f.holds() {
		s.report.Dropped++
		return
	}
	s.report.Findings = append(s.report.Findings, f)
}
