package session

import (
	"context"
	"time"

	"diptych/internal/progress"
)

// Wanted is a result that follows from the state and is computed in a job. pursue, which every
// change of the state ends with, compares what each result was last asked for with what the state
// wants now and starts what is missing; so no command has to know what depends on it.
type Wanted interface {
	pursue(s *Session, in scope)
}

// scope is where a result is wanted: in the whole session, for one subject of comparison, or in one
// pane. The state is seen from a pane of that scope while its wants are pursued.
type scope struct{ name string }

// want is a result that depends on a key. The result is looked for when the key changes.
//
//	key  what the result depends on. The zero key says that there is nothing to look for; ok false
//	     that whatever is known or being looked for stays as it is.
//	find takes back what must not be shown any longer and starts the job. Slot is the job's.
type want[K comparable] struct {
	slot    string
	perPane bool
	key     func(s *Session) (k K, ok bool)
	find    func(s *Session, slot string, was, now K)
}

func (w want[K]) pursue(s *Session, in scope) {
	now, ok := w.key(s)
	slot := w.slot + in.name
	if w.perPane {
		slot += paneScope(s.state.ID)
	}
	was, _ := s.asked[slot].(K)
	if !ok || now == was {
		return
	}
	s.asked[slot] = now
	w.find(s, slot, was, now)
}

// sessionWants are what the whole session needs; the order is that of dependence.
//
//	count A, B      trace                        →  Side.Stats
//	pair            both traces                  →  Pair
//	(a subject)     Pair, threads of a pane      →  subjectWants
//	aligned         Pair, Anchors                →  Aligned, then its Findings
//	lines           Aligned                      →  Aligned.Lines, while an alignment is shown
//	waits A, B      trace                        →  Waits, for Difference or if threads are shown
//	difference      Aligned.Findings, Waits      →  Difference
//	compared waits  both Waits, Pair             →  Waits.Compared, while threads are shown
//	threads         Waits, Pair                  →  PreparedThreads, while threads are shown
//	changed waits   Waits.Compared, threshold    →  WaitChanges
//	runs            Runs                         →  ComparedRuns
//	waits of runs   Runs, Waits                  →  the ranges in the WaitTable
//	table of waits  Waits, Waits.Compared, Pair  →  WaitTable
//	(a pane)        Aligned, its threads         →  Aligned.Shown
//	(a pane)        Runs, Aligned.Shown          →  SkewBand
//	(a view)        whatever its Kind says       →  Result
func sessionWants() []Wanted {
	return []Wanted{wantCount(0), wantCount(1), wantPair(), wantAligned(), wantLines(),
		wantWaits(0), wantWaits(1), difference.Wanted(), wantComparedWaits(), preparedThreads.Wanted(),
		waitsOfRuns.Wanted(), waitTable.Wanted(), waitChanges.Wanted(), wantComparedRuns()}
}

// pursue starts what the state needs and has not been asked for. It runs after every change.
func (s *Session) pursue() {
	for _, w := range sessionWants() {
		w.pursue(s, scope{})
	}
	s.pursueSubjects()
	from := s.state.ID
	for _, id := range s.state.Layout.Panes() {
		s.state.enter(id)
		wantShown().pursue(s, scope{})
		skewBand.Wanted().pursue(s, scope{})
		for _, w := range s.state.kinds[s.state.View].Wants {
			w.pursue(s, scope{})
		}
	}
	s.state.enter(from)
}

func paneScope(id PaneID) string { return " pane " + string(rune('0'+id)) }

// ask forgets what was asked for in a slot, so that it is asked for again.
func (s *Session) ask(slot string) {
	s.cancel(slot)
	delete(s.asked, slot)
}

// Result is a result that a view wants of the session, kept there as long as its key stays the
// same.
type Result[K comparable, R any] struct {
	Slot    string        // of its job; tells it from all other results
	Label   string        // of its job, as the status line shows it
	Rest    time.Duration // how long the state has to rest before the job begins
	PerPane bool          // panes that show the view each have one of their own
	// Rests is Rest for some key, where not all keys have to rest as long; may be nil.
	Rests func(k K) time.Duration
	// Gradual says that each result leads to the next, a little better one. A session that settles
	// takes one of them.
	Gradual bool
	// Key says what the result depends on; ok false that nothing is wanted. The zero key says so,
	// too, and ends what is being looked for.
	Key  func(st *State) (k K, ok bool)
	Find func(ctx context.Context, k K, report progress.Func) (R, error)
	// Then is called with the new result in the state, to do what follows from it; may be nil.
	Then func(s *Session)
}

// known is a result with the key it was found for.
type known[K comparable, R any] struct {
	key    K
	result R
}

// Of returns the result for the state, and whether it is known.
func (r *Result[K, R]) Of(st *State) (result R, ok bool) {
	k, wanted := r.Key(st)
	have, found := st.results[r.slot(st)].(known[K, R])
	if !wanted || !found || have.key != k {
		return result, false
	}
	return have.result, true
}

// Last returns the result that was found last, for whatever key, to be shown until a new one is
// there.
func (r *Result[K, R]) Last(st *State) (result R, ok bool) {
	have, found := st.results[r.slot(st)].(known[K, R])
	return have.result, found
}

func (r *Result[K, R]) slot(st *State) string {
	if r.PerPane {
		return r.Slot + paneScope(st.ID)
	}
	return r.Slot
}

// Wanted makes the result one that the session computes.
func (r *Result[K, R]) Wanted() Wanted {
	return want[K]{slot: r.Slot, perPane: r.PerPane,
		key: func(s *Session) (K, bool) { return r.Key(&s.state) },
		find: func(s *Session, slot string, _, k K) {
			var none K
			if _, ok := r.Of(&s.state); ok || k == none {
				s.cancel(slot)
				return
			}
			_, before := r.Last(&s.state)
			if before && r.Gradual && s.hurries() {
				delete(s.asked, slot) // it goes on with the next change
				return
			}
			rest := r.Rest
			if r.Rests != nil {
				rest = r.Rests(k)
			}
			if !before {
				rest = 0 // nothing is shown yet
			}
			s.later(slot, r.Label, rest, func(ctx context.Context, j *Job) func() {
				result, err := r.Find(ctx, k, j.report)
				return func() {
					if s.failed(err) {
						return
					}
					s.apply(func(st *State) {
						st.results = with(st.results, slot, any(known[K, R]{k, result}))
					})
					if r.Then != nil {
						r.Then(s)
					}
				}
			})
		}}
}
