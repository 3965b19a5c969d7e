package session

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"diptych/internal/pair"
	"diptych/internal/saved"
	"diptych/internal/store"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// Kept is what a saved session holds of a view.
type Kept struct {
	// Same says that both traces are the same as when the session was saved, so that numbers mean
	// what they did.
	Same bool
	raw  jsontext.Value
}

// Into reads it into a value of the type that Save returns. What does not belong there is an error.
func (k Kept) Into(v any) error { return json.Unmarshal(k.raw, v, json.RejectUnknownMembers(true)) }

// ErrUnfit says that a value in a saved session is none that a view knows.
var ErrUnfit = errors.New("it has a value that this view does not know")

// ofProcess matches the names of files that a process has open.
var ofProcess = regexp.MustCompile(`^/(dev/(fd|std(in|out|err))|proc/(self|thread-self|\d+)/fd)(/|$)`)

// Unkept says why no session and no recent pair can name a file; it is nil if they can.
func Unkept(path string) error {
	switch {
	case input.Once(path):
		return errors.New("cannot be read again: write it to a file first")
	case ofProcess.MatchString(absolute(path)):
		return errors.New("is another file for every process: open that file by its name")
	case !utf8.ValidString(absolute(path)):
		return errors.New("no session can name, as its path is no UTF-8: rename it first")
	}
	return nil
}

// Saved returns the session as a file holds it, without the way back. O is how traces are loaded.
func (s *Session) Saved(o input.Options) (*saved.Session, error) {
	st := s.State()
	if !st.Any() {
		return nil, errors.New("there is nothing to save: no trace is open")
	}
	f, err := described(st)
	if err != nil {
		return nil, err
	}
	f.SampleType, f.Rules, f.RawNames, f.Strict = o.SampleType, absolute(o.RulesFile), s.Rules.Raw, s.Strict
	for _, r := range s.Rules.Renames {
		f.Renames = append(f.Renames, r.String())
	}
	for i := range st.Sides {
		if sd := &st.Sides[i]; sd.Trace != nil {
			if why := Unkept(sd.Path); why != nil {
				return nil, fmt.Errorf("%v came from %s, which %w", pair.Side(i), source(sd.Path), why)
			}
			*f.Traces.On(i) = saved.Trace{Path: absolute(sd.Path), Format: sd.Format,
				Request: sd.Request(), Hash: s.hash(sd.Trace), Calls: sd.Trace.Calls()}
			sketch(f, pair.Side(i), sd.Trace)
		}
		if st.Runs != nil {
			for _, p := range st.Runs.Paths[i] {
				if why := Unkept(p); why != nil {
					return nil, fmt.Errorf("a run of %v came from %s, which %w", pair.Side(i), source(p), why)
				}
				*f.Runs.On(i) = append(*f.Runs.On(i), absolute(p))
			}
		}
	}
	return f, nil
}

// described returns what of a session is about what its sides show, whatever files that is from.
func described(st *State) (*saved.Session, error) {
	f := &saved.Session{Search: st.Search.Query, Lock: saved.Locks[st.Lock], Common: st.Common, Look: lookOf(st)}
	if st.Search.Place != nil {
		f.Search = "" // it is a place in the code, not a text
	}
	for i := range st.Sides {
		if sd := &st.Sides[i]; sd.Trace != nil {
			*f.Focus.On(i) = spanOf(sd.Focus)
		}
	}
	st.saveMarks(f)
	return f, st.savePanes(f)
}

// source says what a path stands for that can be read once.
func source(path string) string {
	if path != input.Standard && input.Once(path) {
		return "the pipe " + path
	}
	return input.Name(path)
}

// absolute makes paths independent of the folder that the program was started in.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil && path != "" {
		return abs
	}
	return path
}

// hash returns a hash of a trace's content, computed once for each that is open.
func (s *Session) hash(t *trace.Trace) string {
	h, ok := s.hashes[t]
	if !ok {
		sum := store.TraceHash(t)
		h = hex.EncodeToString(sum[:])
		kept := map[*trace.Trace]string{t: h}
		for i := range s.state.Sides {
			if u := s.state.Sides[i].Trace; s.hashes[u] != "" {
				kept[u] = s.hashes[u]
			}
		}
		s.hashes = kept
	}
	return h
}

// sideWords are how files name the sides.
var sideWords = [2]string{"a", "b"}

// sideOf returns the side that a file names; check has seen that it is one.
func sideOf(word string) pair.Side {
	if word == sideWords[pair.B] {
		return pair.B
	}
	return pair.A
}

// saveMarks saves what is attached to calls and times: pairs made by hand, anchors, notes, and what
// is selected.
func (st *State) saveMarks(f *saved.Session) {
	if st.Pair != nil {
		for _, t := range st.Pair.ByHand {
			f.Pairs = append(f.Pairs, st.nameThreads(t))
		}
	}
	for _, x := range st.Anchors.All() {
		f.Anchors = append(f.Anchors, saved.Both[saved.Call]{
			A: st.nameCall(AnchorEnd(x, pair.A)), B: st.nameCall(AnchorEnd(x, pair.B))})
	}
	for _, n := range st.Notes.All() {
		f.Notes = append(f.Notes, saved.Note{Number: n.Number, Text: n.Text, Side: sideWords[n.Side],
			Call: n.named, At: n.At})
	}
	if t := st.Selected; t.OK {
		f.Selected = &saved.Place{Side: sideWords[t.Side], Call: st.nameCall(t)}
	}
	if r := st.Range; r.OK {
		f.Range = &saved.Stretch{Side: sideWords[r.Side], Span: spanOf(r.Span), Across: spanOf(r.Across)}
		if r.One {
			threads := st.nameThreads(r.Threads)
			f.Range.Threads = &threads
		}
	}
}

// nameThreads names a pair of threads by their ids.
func (st *State) nameThreads(t pair.ThreadPair) saved.Pairing {
	id := func(side pair.Side) *string {
		if k := t.On(side); k >= 0 && st.Loaded(side) {
			return &st.Sides[side].Trace.Threads[k].ID
		}
		return nil
	}
	return saved.Pairing{A: id(pair.A), B: id(pair.B)}
}

// threadsNamed returns the pair of threads with these ids; ok is false if one of them is gone.
func (st *State) threadsNamed(p saved.Pairing) (t pair.ThreadPair, ok bool) {
	find := func(side pair.Side, id *string) (int, bool) {
		if id == nil {
			return none, true
		}
		if !st.Loaded(side) {
			return none, false
		}
		k := st.Sides[side].Trace.ThreadByID(*id)
		return k, k >= 0
	}
	a, okA := find(pair.A, p.A)
	b, okB := find(pair.B, p.B)
	return pair.ThreadPair{A: a, B: b}, okA && okB && (a >= 0 || b >= 0)
}

func lookOf(st *State) saved.Look {
	x, w := &st.Style, &st.WaitStyle
	return saved.Look{Tau: st.Tau, Shape: saved.Shapes[x.Shape], Colour: saved.Colours[x.Colour],
		Lambda: x.Lambda, Band: x.Band, Strength: x.Strength, Similarity: x.Similarity, All: x.All,
		Frames: x.Frames, Original: x.Original, Relative: x.Relative, Hidden: x.Hidden,
		Viewpoint: sideWords[st.Viewpoint], Rows: st.Rows, Levels: st.Levels,
		Waits: saved.Waits{ByObject: w.ByObject, All: w.All, Critical: w.Critical,
			Apart: w.Apart, Split: w.Split, Zero: w.Zero, Threshold: w.Threshold}}
}

// savePanes saves the panes in the order in which they stand, which are their numbers in the file.
func (st *State) savePanes(f *saved.Session) error {
	ids := st.Layout.Panes()
	numbers := map[PaneID]int{}
	for k, id := range ids {
		numbers[id] = k
		p, err := st.From(id).savePane()
		if err != nil {
			return err
		}
		f.Panes = append(f.Panes, p)
	}
	f.Active, f.Layout = numbers[st.Active], saveLayout(st.Layout, numbers)
	return nil
}

func saveLayout(l *Split, numbers map[PaneID]int) *saved.Split {
	if l.Parts[0] == nil {
		return &saved.Split{Pane: numbers[l.Pane]}
	}
	return &saved.Split{Down: l.Down, Share: l.Share,
		Parts: []*saved.Split{saveLayout(l.Parts[0], numbers), saveLayout(l.Parts[1], numbers)}}
}

// savePane saves the pane that st is seen from.
func (st *State) savePane() (saved.Pane, error) {
	p := saved.Pane{View: string(st.View), All: st.Process, Chosen: st.Chosen, Idle: st.OpenQuiet,
		Scroll: saved.Both[float32]{A: st.Scroll[pair.A], B: st.Scroll[pair.B]}}
	if st.Pair != nil && st.Current < len(st.Pair.Threads) {
		t := st.nameThreads(st.Pair.Threads[st.Current])
		p.Threads = &t
	}
	if v := spanOf(st.Virtual); st.Virtual.Len() > 0 && !math.IsInf(v.End-v.Start, 0) {
		p.Virtual = &v
	}
	for v, o := range st.own {
		raw, err := saveOwn(st, o)
		if err != nil {
			return p, err
		}
		if raw != nil {
			p.Own = with(p.Own, string(v), raw)
		}
	}
	return p, nil
}

func saveOwn(st *State, o Own) (jsontext.Value, error) {
	kept := o.Save(st)
	if kept == nil {
		return nil, nil
	}
	return json.Marshal(kept, json.Deterministic(true))
}
