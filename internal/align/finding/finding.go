// Package finding puts into words what differs between two aligned traces: a ranked list of
// functions that got slower or faster, of calls that are missing, new, moved, renamed or repeated
// more or less often, of threads that only one side has, and where the two first part ways.
//
// Two rules keep the list short. An effect is told once, at its cause (cause.go): time is counted as
// the self time of paired calls, and a subtree without a partner as one whole by its topmost call.
// And what varies by itself is no finding (noise.go): a change of self time is weighed against the
// function's own spread, and against what all other functions do by chance; what the system does to a
// thread and what samples have merely missed is counted, but never told call by call (trust.go).
// Calls in another order are compared with each other first (reorder.go). Profiles have no order at
// all, and are told by function (profile.go).
//
// The package holds pure functions of alignments (DESIGN §6, ALGORITHMS A and E). It knows no files,
// views or other analyses.
package finding

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/trace"
)

// Kind is what happened.
type Kind uint8

const (
	Slower     Kind = iota // a function's own time grew over paired calls
	Faster                 // or fell
	Missing                // calls only in A, where B has none like them
	New                    // calls only in B
	Moved                  // the same calls in another place
	Renamed                // a function under another name
	Repeat                 // a loop that runs more or fewer times
	Divergence             // where the two runs first differ
	Threads                // threads that only one side has
	kinds
)

var kindNames = [kinds]string{"slower", "faster", "missing", "new", "moved", "renamed", "repeat",
	"divergence", "threads"}

func (k Kind) String() string {
	if k < kinds {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

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
	ID       uint32 // the function's identity in A, or where A has none in B; 0 for Threads;
	// of spans that differ in their arguments, the first one's
	Calls   [2]int64
	DeltaNs int64   // the time that B takes more by this alone
	Share   float64 // |DeltaNs| of the longer run's duration
	At      [2]*Place
	Waiting bool // the calls wait: the cause lies with whoever lets them wait
	Text    string
}

// Report is all that was found, most important first.
type Report struct {
	Findings   []Finding
	Similarity float64
	Durations  [2]int64 // ns, by side
	// Pace is how much longer everything takes in B, as far as all functions agree: the machine
	// rather than the program. Changes are measured against it.
	Pace float64
}

// Options say what is worth telling; the zero value is the default.
type Options struct {
	// Least is the share of the run below which a function that got slower or faster, or calls
	// that are missing or new, are not told; default 0.0001.
	Least float64
}

const defaultLeast = 1e-4

// Find returns what differs between the two sides of p, given alignments of its threads. report,
// which may be nil, counts calls. The result depends on nothing but the arguments.
func Find(ctx context.Context, p *pair.Pair, results []*align.Result, o Options,
	report progress.Func) (*Report, error) {
	if p.A == nil || p.B == nil {
		return nil, fmt.Errorf("findings need two traces")
	}
	if o.Least <= 0 {
		o.Least = defaultLeast
	}
	s := newStudy(ctx, p, results, o, report)
	find := s.findInOrder
	if p.A.Kind == trace.Profile || p.B.Kind == trace.Profile {
		find = s.tellProfiles
	}
	if err := find(); err != nil {
		return nil, err
	}
	s.tellThreads()
	s.sortFindings()
	return s.report, nil
}

// findInOrder finds what differs between traces of what happened when.
func (s *study) findInOrder() error {
	for _, stage := range []func() error{s.findRenames, s.findOrder, s.findFamilies,
		s.findEfforts, s.findCauses} {
		if err := stage(); err != nil {
			return err
		}
	}
	s.tellEfforts()
	s.tellCauses()
	s.tellRenames()
	return s.tellDivergence()
}

// study is one call of Find.
type study struct {
	p       *pair.Pair
	aligned []*align.Result        // of threads that both sides have
	results []*align.Result        // the same with pairs that are out of order
	moved   [][][2]int32           // roots of what is out of order, by result
	lone    []*align.Result        // of threads that one side has
	whole   map[*align.Result]bool // whether all calls are equal
	o       Options
	report  *Report
	unit    trace.Unit
	run     int64 // ns, of the longer run

	names   []string            // by identity
	family  map[uint32]bool     // identities that stand for spans with arguments
	same    []uint32            // identity in A by identity, for renamed functions
	taken   map[uint32]bool     // names of renamed functions
	gone    [2][]bool           // by side that has them: names that the other all but lacks
	renames []rename            // by calls
	trusts  [][2][]trust        // what durations say, by result and side
	times   [][2][]int64        // self times in ns, by result and side
	efforts [trusts][]*effort   // self times by what they say and identity, nil without pairs
	causes  map[site]*unmatched // calls without a partner
	moves   map[uint32]*move

	ctx   context.Context
	meter *progress.Meter
	calls progress.Ticker // gone through by one goroutine
}

func newStudy(ctx context.Context, p *pair.Pair, results []*align.Result, o Options,
	report progress.Func) *study {
	s := &study{p: p, o: o, unit: p.A.Unit, causes: map[site]*unmatched{}, moves: map[uint32]*move{},
		taken: map[uint32]bool{}, family: map[uint32]bool{}, whole: map[*align.Result]bool{},
		ctx: ctx, meter: progress.NewMeter(report, 0)}
	s.calls = progress.Ticker{Meter: s.meter, Every: checkEvery}
	s.report = &Report{Durations: [2]int64{p.A.Duration, p.B.Duration}, Pace: 1}
	s.run = max(p.A.Duration, p.B.Duration, 1)
	var total align.Metrics
	for _, r := range results {
		m := r.Metrics()
		total = total.Plus(m)
		s.whole[r] = m.Different+m.GapA+m.GapB == 0
		switch {
		case r.Indices[pair.A] >= 0 && r.Indices[pair.B] >= 0:
			s.results = append(s.results, r)
			s.meter.Expect(passes * int64(len(r.Partner[pair.A])))
		case r.Indices[pair.A] >= 0 || r.Indices[pair.B] >= 0:
			s.lone = append(s.lone, r)
		}
	}
	s.report.Similarity = total.Similarity()
	s.names = slices.Clone(p.Names)
	s.same = make([]uint32, len(p.Names))
	for id := range s.same {
		s.same[id] = uint32(id)
	}
	return s
}

// id returns the identity of call i of side sd, renamed functions under their name in A.
func (s *study) identity(r *align.Result, sd pair.Side, i int32) uint32 {
	return s.same[r.ID(sd, int(i))]
}

// place names call i of a side of r.
func placeOf(r *align.Result, sd pair.Side, i int32) *Place {
	return &Place{Thread: r.Indices[sd], Call: i}
}

// share returns the part of the run that ns is.
func (s *study) share(ns int64) float64 { return float64(magnitude(ns)) / float64(s.run) }

func magnitude(n int64) int64 { return max(n, -n) }

const (
	passes     = 6 // over the calls
	checkEvery = 1 << 16
)

// tick counts calls that were gone through, and sees whether to go on.
func (s *study) tick(calls int64) error { return s.calls.Add(s.ctx, calls) }

// rank puts the findings in order: where the runs part ways first, then what counts by its size in
// time and by calls; what waits comes after what may be the cause of it.
func (s *study) sortFindings() {
	slices.SortFunc(s.report.Findings, func(x, y Finding) int {
		return cmp.Or(
			-cmp.Compare(toInt(x.Kind == Divergence), toInt(y.Kind == Divergence)),
			cmp.Compare(toInt(x.Waiting), toInt(y.Waiting)),
			-cmp.Compare(magnitude(x.DeltaNs), magnitude(y.DeltaNs)),
			-cmp.Compare(x.Calls[0]+x.Calls[1], y.Calls[0]+y.Calls[1]),
			cmp.Compare(x.Kind, y.Kind),
			cmp.Compare(x.Function, y.Function),
			cmp.Compare(x.Text, y.Text))
	})
}

func toInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// add appends a finding whose words are still missing.
func (s *study) addFinding(f Finding) {
	f.Share = s.share(f.DeltaNs)
	s.report.Findings = append(s.report.Findings, f)
}
