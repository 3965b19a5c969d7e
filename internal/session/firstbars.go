package session

import (
	"context"
	"slices"
	"time"

	"diptych/internal/match"
	"diptych/internal/pair"
	"diptych/internal/progress"
)

// The ladder of two traces with very many classes takes seconds, and classifying many calls a good
// part of one. Until the ladder is there, the overview shows the bars of a match.Sample, which
// compares the most frequent classes first, and which a job refines round by round:
//
//	no graph yet, all threads are compared   a sample of the lead pair of threads alone
//	graph, no ladder                         samples of the graph, each refined from the last
//	ladder                                   none: what is sampled is dropped
//
// A sample is for the overview alone. Groups, what a hovered call lights, findings and exports wait
// for what is exact.

// sizes are those from which first bars pay.
type sizes struct {
	// pairs of classes. With fewer the ladder is there before anybody has looked.
	pairs int64
	// firstCalls of both sides are classified for so long that other work should wait for the
	// first bars.
	firstCalls int
	// leadCalls of both sides are classified for so long that the lead threads are worth showing
	// before all threads are.
	leadCalls int
}

var usualSizes = sizes{pairs: 10_000_000, firstCalls: 500_000, leadCalls: 4_000_000}

// sampleRest is how long τ and the room for bars have to rest before they are sampled anew.
const sampleRest = 60 * time.Millisecond

// sampled is the latest sample of a subject.
type sampled struct {
	of     subject
	sample *match.Sample
}

// sampleOf returns what was sampled last of a subject, or nil.
func (st *State) sampleOf(of subject) *match.Sample {
	for _, s := range st.samples {
		if s.of == of {
			return s.sample
		}
	}
	return nil
}

// setSample replaces what was sampled of a subject; nil forgets it.
func (st *State) setSample(of subject, sample *match.Sample) {
	st.samples = slices.DeleteFunc(slices.Clone(st.samples),
		func(s sampled) bool { return s.of == of })
	if sample != nil {
		st.samples = append(st.samples, sampled{of, sample})
	}
}

// Bars returns the bars of both sides at τ as far as they are known, nil if nothing is. Bars that
// are not final come with the sample that says how much of them is known.
func (st *State) Bars() (bars [2][]match.Bar, from *match.Sample) {
	if f := st.Found; f != nil && f.Rung != nil {
		return f.Rung.Bars, nil
	}
	if from = st.sampleOf(st.subject()); from == nil || from.Tau != match.Hundredths(st.Tau) {
		return bars, nil
	}
	return [2][]match.Bar{from.Sides[pair.A].Bars, from.Sides[pair.B].Bars}, from
}

// Final returns the state without what is known for now only.
func (st *State) Final() *State {
	final := *st
	final.samples = nil
	return &final
}

// sampleKey is what the next sample of a subject depends on.
type sampleKey struct {
	of    subject
	graph *match.Graph // nil for a sample of the lead threads
	lead  match.Scope  // used if there is no graph
	tau   int
	bars  [2]int
	from  *match.Sample // the one it refines or, if that is of another τ, begins with
}

// wantSample asks for the next sample while there is no ladder. A session that settles takes none,
// since it shows nothing before the end.
func wantSample() Wanted {
	return want[sampleKey]{slot: sampleSlot, key: (*Session).nextSample,
		find: func(s *Session, slot string, _, k sampleKey) {
			s.cancel(slot)
			if k == (sampleKey{}) {
				return
			}
			wait := time.Duration(0)
			if k.continues() && !k.refines() || k.resized() {
				wait = sampleRest
			}
			s.later(slot, "Comparing the most frequent calls first", wait,
				func(ctx context.Context, j *Job) func() {
					next, err := k.next(ctx, j.report)
					return func() {
						if !s.failed(err) {
							s.apply(func(st *State) { st.setSample(k.of, next) })
						}
					}
				})
		}}
}

// nextSample returns what the next sample of the pane's subject depends on.
func (s *Session) nextSample() (k sampleKey, ok bool) {
	st := &s.state
	of, f := st.subject(), st.Found
	k = sampleKey{of: of, tau: st.Tau, bars: s.bars, from: st.sampleOf(of)}
	switch {
	case s.hurries() || f != nil && !s.sizes.sampled(f):
		return sampleKey{}, true
	case f != nil:
		k.graph = f.Graph
	default:
		compare := s.slotFor(compareSlot)
		if k.lead, ok = s.leadThreads(of); !ok || s.asked[compare] != nil && s.job(compare) == nil {
			return sampleKey{}, true
		}
	}
	return k, !k.refines() || !k.from.Complete()
}

// sampled reports whether what is known of the bars before the ladder is worth showing.
func (z sizes) sampled(f *Found) bool {
	return f.Ladder == nil && f.both() && f.Graph.ClassPairs() >= z.pairs
}

// firstSample returns what compares the most frequent calls of a new graph, nil if nothing is to be
// shown of them. It runs in the job that made the graph, so that the bars are in the first frame
// with tubes, which may take long to draw.
func (s *Session) firstSample(of subject) func(context.Context, *Found) (*match.Sample, error) {
	k, z, hurried := sampleKey{of: of, tau: s.state.Tau, bars: s.bars}, s.sizes, s.hurries()
	return func(ctx context.Context, f *Found) (*match.Sample, error) {
		if hurried || f.Cached || !z.sampled(f) {
			return nil, nil
		}
		k.graph = f.Graph
		return k.next(ctx, nil)
	}
}

// leadThreads returns the pair of threads with the most calls, if all threads are compared, they
// are many calls, and most of those are in other threads.
func (s *Session) leadThreads(of subject) (lead match.Scope, ok bool) {
	if !of.scope.Process || of.calls() < s.sizes.leadCalls || len(of.pair.Threads) == 0 {
		return lead, false
	}
	t := of.pair.Threads[s.state.busiest()]
	lead = match.Threads(t.A, t.B)
	return lead, t.A >= 0 && t.B >= 0 && 2*(subject{of.pair, lead}).calls() <= of.calls()
}

// calls returns how many calls both sides of a subject have.
func (of subject) calls() (n int) {
	for _, side := range []pair.Side{pair.A, pair.B} {
		tr := of.pair.Trace(side)
		switch th := of.scope.Threads.On(side); {
		case tr == nil:
		case of.scope.Process:
			n += tr.Calls()
		case th >= 0:
			n += tr.Threads[th].Len()
		}
	}
	return n
}

// refines reports whether the next sample is a further round of the last.
func (k *sampleKey) refines() bool {
	return k.continues() && k.from.Tau == match.Hundredths(k.tau)
}

// continues reports whether the last sample is of the same calls and has the same bars.
func (k *sampleKey) continues() bool {
	if k.from == nil || k.graph == nil && k.from.Whole() || k.graph != nil && k.from.Graph() != k.graph {
		return false
	}
	return k.bars == [2]int{len(k.from.Sides[pair.A].Bars), len(k.from.Sides[pair.B].Bars)}
}

// resized reports whether there is a sample of the same graph with another number of bars.
func (k *sampleKey) resized() bool {
	return k.from != nil && k.graph != nil && k.from.Graph() == k.graph && !k.continues()
}

// next finds the next sample.
func (k *sampleKey) next(ctx context.Context, report progress.Func) (*match.Sample, error) {
	from, tau := k.from, match.Hundredths(k.tau)
	switch g := k.graph; {
	case k.refines():
	case k.continues():
		from = from.At(tau)
	default:
		var err error
		if g == nil {
			if g, err = match.Classify(ctx, k.of.pair, k.lead, nil); err != nil {
				return nil, err
			}
		}
		if from, err = g.Sample(ctx, tau, k.bars, g.SampleRows(), k.of.scope); err != nil {
			return nil, err
		}
	}
	return from.Refine(ctx, report)
}

// barsDue reports whether the first bars of something that is shown are still to come and take so
// long that other work should wait for them. All processors are at work on them meanwhile, so what
// waits loses little.
func (s *Session) barsDue() (due bool) {
	st := &s.state
	if s.hurries() {
		return false
	}
	st.eachPane(func() {
		of := st.subject()
		if of == (subject{}) || of.calls() < s.sizes.firstCalls {
			return
		}
		f, sample := st.foundOf(of), st.sampleOf(of)
		if sample != nil && (f == nil || sample.Whole()) || f != nil && (f.Cached || !s.sizes.sampled(f)) {
			return
		}
		k := s.inquiryOf(of)
		if k < 0 {
			due = due || !st.kinds[st.View].Unmatched
			return
		}
		in := s.inquiries[k].in.name
		due = due || s.job(compareSlot+in) != nil || s.job(sampleSlot+in) != nil
	})
	return due
}

// leading reports whether the lead threads of something that is shown are being sampled: comparing
// all threads waits for that, which is a small part of it.
func (s *Session) leading() bool {
	return slices.ContainsFunc(s.inquiries, func(q inquiry) bool {
		return s.state.foundOf(q.of) == nil && s.state.sampleOf(q.of) == nil &&
			s.job(sampleSlot+q.in.name) != nil
	})
}

// gate is what jobs wait for; nil while none waits.
type gate struct{ passed chan struct{} }

// enter returns what a job has to wait for while the gate is shut, else nil.
func (g *gate) enter(shut bool) <-chan struct{} {
	if !shut {
		return nil
	}
	if g.passed == nil {
		g.passed = make(chan struct{})
	}
	return g.passed
}

// open lets all go on that waits.
func (g *gate) open() {
	if g.passed != nil {
		close(g.passed)
		g.passed = nil
	}
}

// afterBars starts work that would keep the first bars from coming, once they are there.
func (s *Session) afterBars(slot, label string, wait time.Duration, work work) *Job {
	return s.begin(slot, label, wait, s.barsGate.enter(s.barsDue()), work)
}

// openGates lets the work go on that waits for what has come, or will not come.
func (s *Session) openGates() {
	if s.leadGate.passed != nil && !s.leading() {
		s.leadGate.open()
	}
	if s.barsGate.passed != nil && !s.barsDue() {
		s.barsGate.open()
	}
}
