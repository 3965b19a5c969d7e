package session

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"diptych/internal/pair"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

// Open loads the trace at path into side in the background. What is shown there stays until it is
// loaded; a side that is empty shows meanwhile what has been read (Side.Growing). If the sides are
// swapped meanwhile, it is loaded into the side that takes its place.
func (s *Session) Open(side pair.Side, path string, o input.Options) {
	s.open(side, path, o, o.Trace != "")
}

// open does so; chosen says that the user asked for the request that is shown of the file.
func (s *Session) open(side pair.Side, path string, o input.Options, chosen bool) {
	asked := o
	outline, drawn := &trace.Outline{}, func() {}
	if !s.hurries() && !s.state.Loaded(side) {
		seen := make(chan struct{})
		outline.Drawn, drawn = seen, sync.OnceFunc(func() { close(seen) })
	}
	o.Outline = outline
	j := s.start(loadSlot(side), loadLabel(side, path), func(ctx context.Context, j *Job) func() {
		o.Progress, o.Waiting = j.report, func(string) { j.waits.Store(true) }
		tr, from, err := s.Traces.LoadFrom(ctx, path, o)
		return func() {
			s.loaded(j.side, Side{Path: path, Format: o.Format, Trace: tr, chosen: chosen, asked: &asked,
				source: from}, err)
			s.tellSampleType(o.SampleType)
			if err == nil {
				s.meetRequests(o)
			}
		}
	})
	j.side, j.loads, j.path = side, true, path
	j.growth.outline, j.growth.drawn = outline, drawn
}

// meetRequests shows requests that can be compared once both sides are loaded, as commands do.
func (s *Session) meetRequests(o input.Options) {
	x := &s.state.Sides
	if s.Loading(pair.A) != nil || s.Loading(pair.B) != nil {
		return
	}
	var stays [2]bool
	for side := range x {
		stays[side] = x[side].chosen || input.Once(x[side].Path)
	}
	for side, id := range pair.Requests(x[pair.A].Trace, x[pair.B].Trace, stays) {
		if id != "" {
			o.Trace, o.Format = id, x[side].Format
			s.open(pair.Side(side), x[side].Path, o, false)
		}
	}
}

func loadSlot(side pair.Side) string { return "load" + side.String() }

func loadLabel(side pair.Side, path string) string {
	return "Loading " + side.String() + ": " + Title(path)
}

// Title shortens a path to the name shown for its trace.
func Title(path string) string {
	if path == input.Standard {
		return input.Name(path)
	}
	base := filepath.Base(filepath.Clean(path))
	for _, packed := range []string{".gz", ".zst", ".xz", ".bz2", ".lz4", ".tgz", ".zip"} {
		base = strings.TrimSuffix(base, packed)
	}
	if ext := filepath.Ext(base); len(ext) > 1 && len(base) > len(ext) {
		base = strings.TrimSuffix(base, ext)
	}
	return strings.TrimSuffix(base, ".data")
}

// shownOfID is how much of a request's id is shown, which tells it from others.
const shownOfID = 8

// RequestTitle is Title for a request of a file that holds several; an id of "" stands for none.
func RequestTitle(path, id string) string {
	if id == "" {
		return Title(path)
	}
	return Title(path) + " · " + string([]rune(id)[:min(utf8.RuneCountInString(id), shownOfID)])
}

// Put shows an already loaded trace, for headless rendering and tests.
func (s *Session) Put(side pair.Side, path string, tr *trace.Trace) { s.PutAs(side, path, "", tr) }

// PutAs is Put for a trace that was read as a format that was asked for.
func (s *Session) PutAs(side pair.Side, path, format string, tr *trace.Trace) {
	s.loaded(side, Side{Path: path, Format: format, Trace: tr}, nil)
}

func (s *Session) loaded(side pair.Side, now Side, err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	if err != nil {
		s.waste()
		s.notLoaded(side, err)
		s.resume() // which may have waited for this
		return
	}
	was := s.state.Sides[side]
	s.show(side, now)
	s.tellNotes(side, was)
	s.resume()
}

// notLoaded tells that a side's trace could not be loaded. What was shown stays.
func (s *Session) notLoaded(side pair.Side, err error) {
	s.apply(func(st *State) { st.Sides[side].Err = err })
	s.Say(err.Error())
}

// show makes a side another one. Nothing of what was found or chosen remains.
func (s *Session) show(side pair.Side, now Side) {
	s.apply(func(st *State) {
		st.Sides[side] = now
		st.Sides[side].Name = RequestTitle(now.Path, now.Request())
		st.setCommon(false)
		st.Sides[side].Focus = st.Sides[side].Whole()
		if st.ShownRun(side) == none {
			st.Runs = nil // it is none of them
		}
		if st.Runs == nil {
			s.letGo(side)
		}
		st.Pair, st.Apart, st.Lock = nil, nil, Free
		st.Selected, st.Hover, st.Search, st.Range = Target{}, Target{}, Search{}, Range{}
		st.Study = Study{}
		st.Before, st.Mark, st.Anchors, st.Brushed = Target{}, Target{}, nil, Brushed{}
		st.eachPane(func() {
			st.Current = 0
			st.retrack()
		})
		st.Notes = st.Notes.renewed(st, side)
	})
	s.history = history{}
	s.history.record(s.state.viewpoint(), s.now())
}

// letGo forgets all that was found, so that nothing holds a trace that a side shows no longer;
// what is known of the other side's trace alone stays. Of several runs a side, one replaces another
// with every click: what was found of all of them is not to be found anew each time.
func (s *Session) letGo(side pair.Side) {
	other := side.Other()
	for _, slot := range slices.Collect(maps.Keys(s.asked)) {
		if slot != countSlot+other.String() && slot != waitsSlot+other.String() {
			s.ask(slot)
		}
	}
	s.state.results = nil
}

// tellSampleType says once all is loaded that a sample type was asked for in vain, if so. Commands
// refuse that; the window shows what it can.
func (s *Session) tellSampleType(asked string) {
	var shown []*trace.Trace
	for side := range s.state.Sides {
		if s.Loading(pair.Side(side)) != nil {
			return
		}
		if tr := s.state.Sides[side].Trace; tr != nil {
			shown = append(shown, tr)
		}
	}
	if err := traceio.CheckSampleType(asked, shown...); err != nil && len(shown) > 0 {
		s.Say(err.Error())
	}
}

// bothTraces are the traces of the sides, nil where nothing is loaded.
type bothTraces [2]*trace.Trace

func (st *State) traces() bothTraces {
	return bothTraces{st.Sides[pair.A].Trace, st.Sides[pair.B].Trace}
}

// wantPair pairs the threads of both traces once both are there, and of one alone at once. Traces
// that cannot be compared are not paired, and the state says why.
func wantPair() Wanted {
	return want[bothTraces]{slot: "pair",
		key: func(s *Session) (bothTraces, bool) {
			return s.state.traces(), s.state.Pair == nil && s.state.Apart == nil
		},
		find: func(s *Session, slot string, _, of bothTraces) {
			a, b, rules := of[pair.A], of[pair.B], s.Rules
			s.cancel(slot)
			switch {
			case a == nil && b == nil:
			case a == nil || b == nil:
				s.apply(func(st *State) { s.setPair(st, pair.New(a, b, rules)) })
			default:
				if err := pair.Comparable(a, b); err != nil {
					s.Say(err.Error())
					s.apply(func(st *State) { st.Apart = err })
					return
				}
				s.start(slot, "Pairing threads", func(ctx context.Context, j *Job) func() {
					p := pair.New(a, b, rules)
					return func() { s.paired(p) }
				})
			}
		}}
}

// paired takes over the pairing of two traces, with which the history begins anew.
func (s *Session) paired(p *pair.Pair) {
	dropped, to := 0, s.arrived()
	s.arrival = nil
	s.apply(func(st *State) {
		dropped = s.setPair(st, p)
		if !s.Whole && st.untouched() {
			st.firstView()
		}
		if to != nil {
			st.arriveAt(to)
		}
	})
	if to != nil {
		s.Find(to.Find)
	}
	s.tellDropped(dropped)
	s.history = history{}
	s.history.record(s.state.viewpoint(), s.now())
	s.resume()
}

// setPair takes over a pairing. Each pane shows the threads that were chosen for it, if they are
// still there, else the pair of threads with the most calls, or all threads where none could be
// paired. It returns how many anchors are dropped with their pairs.
func (s *Session) setPair(st *State, p *pair.Pair) (dropped int) {
	was := s.lastPair
	st.Pair = p
	lines := newHeirs(was, p)
	st.eachPane(func() {
		middle := none
		if st.Chosen && lines.all() {
			middle = lines.of(st.Current)
		}
		if st.Chosen = middle != none; !st.Chosen {
			middle = st.busiest()
		}
		st.Current = middle
		if t := p.Threads; st.Both() && (len(t) == 0 || t[st.Current].A < 0 || t[st.Current].B < 0) {
			st.Process = true
		}
		st.retrack()
	})
	st.renewOwn(was, p)
	return st.rebind()
}

// Swap exchanges A and B. A trace that is being loaded goes on loading, for the other side now.
func (s *Session) Swap() {
	s.exchangeLoads()
	for _, j := range append([]*Job{}, s.jobs...) {
		if !j.loads && !j.finds && !j.apart {
			s.ask(j.slot)
		}
	}
	s.change(func(st *State) {
		st.Sides[0], st.Sides[1] = st.Sides[1], st.Sides[0]
		st.Runs = st.Runs.mirrored()
		st.Selected.Side = st.Selected.Side.Other()
		st.Range.mirror()
		st.Study = Study{}
		st.Hover, st.Before, st.Mark = Target{}, Target{}, Target{}
		st.Pair, st.Anchors, st.Waits = nil, st.Anchors.mirrored(), st.Waits.mirrored()
		st.Notes = st.Notes.mirrored()
		st.Search, st.Brushed = Search{}, Brushed{}
		st.eachPane(st.retrack)
	})
}

// exchangeLoads makes the traces that are being loaded those of the other side each.
func (s *Session) exchangeLoads() {
	for _, j := range s.jobs {
		if j.loads {
			j.side = j.side.Other()
			j.slot, j.Label = loadSlot(j.side), loadLabel(j.side, j.path)
		}
	}
}

// Dismiss forgets why side could not be loaded.
func (s *Session) Dismiss(side pair.Side) {
	s.apply(func(st *State) { st.Sides[side].Err = nil })
}

// DismissFaults forgets the jobs that failed, and the files that were damaged.
func (s *Session) DismissFaults() {
	s.apply(func(st *State) { st.Faults, st.Damaged = nil, nil })
}
