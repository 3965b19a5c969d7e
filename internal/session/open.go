package session

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

// Open loads the trace at path into side in the background. What is shown there stays until it is
// loaded.
func (s *Session) Open(side pair.Side, path string, o input.Options) {
	label := "Loading " + side.String() + ": " + Title(path)
	s.start("load"+side.String(), label, func(ctx context.Context, j *Job) func() {
		o.Progress = j.report
		tr, err := traceio.Load(ctx, path, o)
		return func() { s.loaded(side, path, tr, err) }
	})
}

// Title shortens a path to the name shown for its trace.
func Title(path string) string {
	base := filepath.Base(filepath.Clean(path))
	for _, packed := range []string{".gz", ".zst", ".tgz"} {
		base = strings.TrimSuffix(base, packed)
	}
	if ext := filepath.Ext(base); len(ext) > 1 && len(base) > len(ext) {
		base = strings.TrimSuffix(base, ext)
	}
	return strings.TrimSuffix(base, ".data")
}

// Put shows an already loaded trace, for headless rendering and tests.
func (s *Session) Put(side pair.Side, path string, tr *trace.Trace) { s.loaded(side, path, tr, nil) }

func (s *Session) loaded(side pair.Side, path string, tr *trace.Trace, err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	if err != nil {
		s.apply(func(st *State) { st.Sides[side].Err = err })
		s.say(err.Error())
		return
	}
	s.apply(func(st *State) {
		st.Sides[side] = Side{Path: path, Name: Title(path), Trace: tr}
		st.Sides[side].Focus = st.Sides[side].Whole()
		st.Pair, st.Current, st.Lock = nil, 0, Free
		st.Selected, st.Hover, st.Search, st.Range = Target{}, Target{}, Search{}, Range{}
		st.Before, st.Mark, st.Anchors = Target{}, Target{}, nil
		st.retrack()
	})
	s.history = history{}
	s.history.record(s.state.viewpoint(), s.now())
	s.count(side)
	s.pairUp()
}

// pairUp pairs the threads of both traces once both are there.
func (s *Session) pairUp() {
	a, b := s.state.Sides[pair.A].Trace, s.state.Sides[pair.B].Trace
	if a == nil && b == nil {
		return
	}
	if a == nil || b == nil {
		p := pair.New(a, b, s.Rules)
		s.apply(func(st *State) { st.setPair(p) })
		return
	}
	rules := s.Rules
	s.start("pair", "Pairing threads", func(ctx context.Context, j *Job) func() {
		p := pair.New(a, b, rules)
		return func() {
			dropped := 0
			s.apply(func(st *State) { dropped = st.setPair(p) })
			s.tellDropped(dropped)
			s.history = history{}
			s.history.record(s.state.viewpoint(), s.now())
		}
	})
}

// setPair takes over a pairing and shows the pair of threads with the most calls, or all threads
// where none could be paired. It returns how many anchors are dropped with their pairs.
func (st *State) setPair(p *pair.Pair) (dropped int) {
	middle := st.Circle.middle(st.Current, p)
	st.Pair, st.Circle = p, st.Circle.on(p)
	if st.Current = middle; middle == none {
		st.Current = st.busiest()
	}
	if t := p.Threads; st.Both() && (len(t) == 0 || t[st.Current].A < 0 || t[st.Current].B < 0) {
		st.Process = true
	}
	st.retrack()
	return st.rebind()
}

// Swap exchanges A and B.
func (s *Session) Swap() {
	s.stopAll()
	s.change(func(st *State) {
		st.Sides[0], st.Sides[1] = st.Sides[1], st.Sides[0]
		st.Selected.Side = st.Selected.Side.Other()
		st.Range.Side = st.Range.Side.Other()
		st.Hover, st.Before, st.Mark = Target{}, Target{}, Target{}
		st.Pair, st.Anchors = nil, st.Anchors.mirrored()
		st.Search = Search{}
		st.retrack()
	})
	s.pairUp()
}

// Close empties both sides.
func (s *Session) Close() {
	s.stopAll()
	s.apply(func(st *State) {
		*st = State{Rev: st.Rev, Dark: st.Dark, Lighter: st.Lighter, Rows: st.Rows, Levels: st.Levels,
			Tau: st.Tau, Style: st.Style, Still: st.Still, Circle: &Circle{}, WaitStyle: st.WaitStyle}
		for i := range st.Sides {
			st.Sides[i].Focus = geom.Span{Start: 0, End: 1}
		}
	})
	s.history = history{}
}

// Dismiss forgets why side could not be loaded.
func (s *Session) Dismiss(side pair.Side) {
	s.apply(func(st *State) { st.Sides[side].Err = nil })
}
