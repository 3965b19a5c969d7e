package session

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"diptych/internal/match"
	"diptych/internal/pair"
	"diptych/internal/progress"
)

// The match engine compares subjects: two threads, or all. Each pane shows one, and panes may show
// different ones, so what is found is kept by subject; panes that show the same share it. These are
// the wants of a subject, in the order of dependence; what one needs of an earlier one is in Found.
//
//	sample    pair, scope, Graph, τ    →  a sample, until there is a Ladder (firstbars.go)
//	compare   pair, scope              →  Graph, Rows
//	repeats   Graph                    →  Repeats
//	bars      Graph, numbers of bars   →  Ladder
//	distances Ladder, τ                →  Rung, with the distances of its bars
//	groups    Graph, τ, both foci      →  Groups, while they are listed
//	sums      Groups                   →  the matches of each, if that takes long
//	hovered   Ladder, τ, hovered call  →  Lit
//	chosen    Graph, τ, selected call  →  Chosen

const (
	compareSlot   = "compare"
	repeatsSlot   = "repeats"
	sampleSlot    = "sample"
	barsSlot      = "bars"
	distancesSlot = "distances"
	groupsSlot    = "groups"
	sumsSlot      = "sums"
	hoveredSlot   = "hovered"
	chosenSlot    = "chosen"
)

var subjectSlots = []string{compareSlot, repeatsSlot, sampleSlot, barsSlot, distancesSlot, groupsSlot, sumsSlot, hoveredSlot, chosenSlot}

func subjectWants() []Wanted {
	return []Wanted{wantSample(), wantCompared(), wantRepeats(), wantBars{}, wantDistances(), wantGroups(),
		wantSums(), wantHovered(), wantChosen()}
}

const (
	usualBars = 160 // in a pane of 1,600 px, until SetBars tells
	barsRest  = 250 * time.Millisecond
)

// subject is what is compared.
type subject struct {
	pair  *pair.Pair
	scope match.Scope
}

// subject returns what the threads shown are compared as, the zero value if there is nothing.
func (st *State) subject() subject {
	switch {
	case st.Pair == nil:
		return subject{}
	case st.Process:
		return subject{st.Pair, match.Process()}
	case st.Current < len(st.Pair.Threads):
		t := st.Pair.Threads[st.Current]
		return subject{st.Pair, match.Threads(t.A, t.B)}
	}
	return subject{}
}

// inquiry is a subject that some pane shows.
type inquiry struct {
	of   subject
	in   scope
	pane PaneID // one that shows it

	found *Found // for it when the state last changed; nil if nothing was
	tau   int    // of found.Rung
}

// pursueSubjects pursues the wants of all subjects that are shown, and ends what was begun for
// others.
func (s *Session) pursueSubjects() {
	was := s.inquiries
	s.inquiries = nil
	st := &s.state
	if s.left.of.pair != st.Pair {
		s.forget(&s.left)
	}
	st.eachPane(func() {
		of := st.subject()
		if st.Found != nil && st.Found.of != of {
			st.Found = st.foundOf(of)
		}
		known := slices.IndexFunc(was, func(q inquiry) bool { return q.of == of })
		switch {
		case of == subject{} || s.inquiryOf(of) >= 0:
			return
		case known >= 0:
			s.inquiries = append(s.inquiries, inquiry{of: of, in: was[known].in, pane: st.ID})
		case of == s.left.of:
			st.Found, s.left.pane = s.left.foundAt(st.Tau), st.ID
			s.inquiries, s.left, s.glide = append(s.inquiries, s.left), inquiry{}, glide{}
		case !st.kinds[st.View].Unmatched: // else later, when something shows what would be found
			s.lastInquiry++
			s.inquiries = append(s.inquiries, inquiry{of: of, pane: st.ID,
				in: scope{" subject " + strconv.Itoa(s.lastInquiry)}})
			s.glide = glide{}
		}
	})
	for _, q := range was {
		if s.inquiryOf(q.of) < 0 {
			s.leave(&q)
		}
	}
	for _, q := range slices.Clone(s.inquiries) {
		s.In(q.pane, func() {
			for _, w := range subjectWants() {
				w.pursue(s, q.in)
			}
		})
	}
	st.eachPane(func() {
		if st.Found == nil {
			st.Found = st.foundOf(st.subject())
		}
	})
	for k := range s.inquiries {
		q := &s.inquiries[k]
		q.found, q.tau = st.foundOf(q.of), st.Tau
	}
}

// inquiryOf returns the index of the inquiry about a subject, or −1.
func (s *Session) inquiryOf(of subject) int {
	return slices.IndexFunc(s.inquiries, func(q inquiry) bool { return q.of == of })
}

// slotFor returns the slot of a job about what the present pane shows.
func (s *Session) slotFor(slot string) string {
	if k := s.inquiryOf(s.state.subject()); k >= 0 {
		return slot + s.inquiries[k].in.name
	}
	return slot
}

// Comparing reports whether what is found for the pane is still being sought.
func (s *Session) Comparing() bool {
	return s.job(s.slotFor(compareSlot)) != nil || s.job(s.slotFor(barsSlot)) != nil
}

// Compare asks for everything again, as after a cancelled comparison.
func (s *Session) Compare() {
	for _, j := range slices.Clone(s.jobs) {
		if !j.loads {
			s.cancel(j.slot)
		}
	}
	s.asked, s.inquiries, s.left = map[string]any{}, nil, inquiry{}
	s.apply(func(st *State) {
		st.eachPane(func() { st.Found = nil })
		st.Aligned, st.Waits, st.results, st.samples = nil, nil, nil, nil
	})
}

// failed reports whether err is not nil and tells the user unless it is a cancellation.
func (s *Session) failed(err error) bool {
	if err != nil && !errors.Is(err, context.Canceled) {
		s.Say(err.Error())
	}
	return err != nil
}

// wantCompared classifies the calls of a subject.
func wantCompared() Wanted {
	return want[subject]{slot: compareSlot,
		key: func(s *Session) (subject, bool) { return s.state.subject(), true },
		find: func(s *Session, slot string, _, of subject) {
			if s.state.foundOf(of) != nil {
				return
			}
			results, first := s.Store, s.firstSample(of)
			s.begin(slot, "Comparing", 0, s.leadGate.enter(s.leading()), func(ctx context.Context, j *Job) func() {
				f, err := find(ctx, results, of, j.report)
				var sample *match.Sample
				if err == nil {
					sample, err = first(ctx, f)
				}
				return func() {
					if s.failed(err) {
						return
					}
					s.apply(func(st *State) {
						st.eachPane(func() {
							if st.subject() == of {
								st.Found = f
							}
						})
						if sample != nil {
							st.setSample(of, sample)
						}
					})
				}
			})
		}}
}

// find returns the first of what is found: what tubes are drawn from.
func find(ctx context.Context, r Results, of subject, p progress.Func) (*Found, error) {
	g, stored, err := r.Graph(ctx, of.pair, of.scope, p)
	if err != nil {
		return nil, err
	}
	return &Found{of: of, Graph: g, Cached: stored}, nil
}

// wantRepeats asks for the repetitions on both sides.
func wantRepeats() Wanted {
	return want[*match.Graph]{slot: repeatsSlot,
		key: func(s *Session) (*match.Graph, bool) {
			if f := s.state.Found; f != nil && f.Repeats[pair.A] == nil {
				return f.Graph, true
			}
			return nil, false
		},
		find: func(s *Session, slot string, _, g *match.Graph) {
			of := s.state.Found.of
			s.afterBars(slot, "Looking for repetitions", 0, func(ctx context.Context, _ *Job) func() {
				repeats, err := repeatsIn(ctx, g)
				return func() {
					if !s.failed(err) {
						s.apply(func(st *State) { st.amend(of, func(f *Found) { f.Repeats = repeats }) })
					}
				}
			})
		}}
}

func repeatsIn(ctx context.Context, g *match.Graph) (found [2]*match.Repeats, err error) {
	err = progress.Spread(ctx, len(found), func(side int) (err error) {
		found[side], err = g.Sides[side].Repeats(ctx, match.DefaultRho)
		return err
	})
	return found, err
}

// SetBars tells how many intervals of 10 px the overview has room for, by side.
func (s *Session) SetBars(n [2]int) {
	n = [2]int{max(n[0], 1), max(n[1], 1)}
	if n != s.bars {
		s.bars = n
		s.apply(func(*State) {})
	}
}

// wantBars asks for a ladder with as many bars as there is room for: at once if it has none or far
// too few or many, else when the room has stopped changing.
type wantBars struct{}

// barsAsked is what wantBars keeps of a subject.
type barsAsked struct {
	made  [2]int // bars that the ladder has or is being computed for without delay
	asked [2]int // bars last asked for
}

func (wantBars) pursue(s *Session, in scope) {
	f := s.state.Found
	if f == nil || !f.both() {
		return
	}
	slot, wait := barsSlot+in.name, time.Duration(0)
	so, _ := s.asked[slot].(barsAsked)
	switch {
	case s.bars == so.asked:
		return
	case far(s.bars, so.made):
		so.made = s.bars
	case so.asked == so.made && s.job(slot) != nil:
		return // that one first
	default:
		wait = barsRest
	}
	so.asked = s.bars
	s.asked[slot] = so
	s.findBars(slot, wait, f, s.bars)
}

func (s *Session) findBars(slot string, wait time.Duration, f *Found, n [2]int) {
	g, of, results := f.Graph, f.of, s.Store
	s.afterBars(slot, "Comparing at every threshold", wait, func(ctx context.Context, j *Job) func() {
		l, _, err := results.Ladder(ctx, g, n, j.report)
		return func() {
			if s.failed(err) {
				return
			}
			if so, ok := s.asked[slot].(barsAsked); ok {
				so.made = n
				s.asked[slot] = so
			}
			s.apply(func(st *State) {
				st.amend(of, func(f *Found) {
					f.Ladder = l
					f.atTau(st.Tau)
				})
				st.setSample(of, nil)
			})
		}
	})
}

// far reports whether a ladder of have bars is no stand-in for one of want.
func far(want, have [2]int) bool {
	for i := range want {
		if d := want[i] - have[i]; 4*max(d, -d) > have[i] {
			return true
		}
	}
	return false
}

const (
	distancesRest = 300 * time.Millisecond
	// distancesBudget bounds the steps that measuring distances may take: a second or two.
	distancesBudget = 4e9
)

// distancesOf is what the distances of bars depend on.
type distancesOf struct {
	ladder *match.Ladder
	tau    int
}

// wantDistances asks how far from the calls of each bar their matches lie, once τ rests.
func wantDistances() Wanted {
	return want[distancesOf]{slot: distancesSlot,
		key: func(s *Session) (distancesOf, bool) {
			f := s.state.Found
			if f == nil || f.Ladder == nil {
				return distancesOf{}, false
			}
			return distancesOf{f.Ladder, s.state.Tau}, true
		},
		find: func(s *Session, slot string, _, of distancesOf) {
			f := s.state.Found
			s.later(slot, "Measuring shifts", distancesRest, func(ctx context.Context, j *Job) func() {
				rung := *of.ladder.At(of.tau) // the ladder's own is shared
				for side, bars := range rung.Bars {
					rung.Bars[side] = slices.Clone(bars)
				}
				_, err := f.Graph.Distances(ctx, match.Hundredths(of.tau), of.ladder.Intervals, rung.Bars,
					distancesBudget)
				return func() {
					if s.failed(err) {
						return
					}
					s.apply(func(st *State) { st.amend(f.of, func(f *Found) { f.Rung = &rung }) })
				}
			})
		}}
}
