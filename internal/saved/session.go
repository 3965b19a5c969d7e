package saved

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Suffix is what the names of session files end with.
const Suffix = ".diptych"

// sessions is the kind of a session's file.
var sessions = kind{"diptych session", 1, 16 << 20}

// Limits of a session. They are far above what a person makes, and keep a hostile file from costing
// much.
const (
	MostPanes   = 4
	MostNotes   = 10_000
	MostAnchors = 100_000
	MostText    = 4_000 // bytes of a note
	mostPairs   = 1_000_000
	mostRuns    = 1_000
	deepest     = 8 // levels of a layout
)

// Session is a comparison as a file holds it. Times are ns since the beginning of a trace. Whatever
// belongs to both sides has members a and b.
type Session struct {
	Head
	Traces Both[Trace] `json:"traces"`
	Runs   Both[Paths] `json:"runs,omitzero"` // all recordings, where a side has several

	SampleType string `json:"sampleType,omitzero"` // of profiles
	Rules      string `json:"rules,omitzero"`      // file of rules for blocking functions
	RawNames   bool   `json:"rawNames,omitzero"`
	Renames    Paths  `json:"renames,omitzero"` // as --rename takes them

	Pairs   []Pairing    `json:"pairs,omitzero"` // threads that were paired by hand, in order
	Anchors []Both[Call] `json:"anchors,omitzero"`
	Notes   []Note       `json:"notes,omitzero"`

	Lock     string     `json:"lock,omitzero"` // one of Locks; "" for the first
	Focus    Both[Span] `json:"focus"`
	Selected *Place     `json:"selected,omitzero"`
	Range    *Stretch   `json:"range,omitzero"`
	Search   string     `json:"search,omitzero"`
	Look     Look       `json:"look"`

	Panes  []Pane `json:"panes"`
	Active int    `json:"active,omitzero"` // into Panes
	Layout *Split `json:"layout"`
}

// Both is what there is of each side.
type Both[T any] struct {
	A T `json:"a,omitzero"`
	B T `json:"b,omitzero"`
}

// On returns what belongs to a side: 0 for A, 1 for B.
func (b *Both[T]) On(side int) *T {
	if side == 0 {
		return &b.A
	}
	return &b.B
}

// Paths are texts of which each is a path or a rule.
type Paths []string

// IsZero reports whether there are none.
func (p Paths) IsZero() bool { return len(p) == 0 }

// Trace is the file of a side.
type Trace struct {
	Path string `json:"path"`           // with slashes; relative to the folder of the session's file
	Hash string `json:"hash,omitzero"`  // of the trace's content
	Call int    `json:"calls,omitzero"` // that it holds, to tell what has changed
}

// IsZero reports whether the side is empty.
func (t Trace) IsZero() bool { return t.Path == "" }

// Call names a call so that it is found again in whatever order threads are: by its thread's id and
// its index in pre-order. The function's name tells whether it is the same call.
type Call struct {
	Thread   string `json:"thread"`
	Index    int    `json:"index"`
	Function string `json:"function"`
}

// Place is a call on a side.
type Place struct {
	Side string `json:"side"` // "a" or "b"
	Call Call   `json:"call"`
}

// Stretch is a stretch of time on a side.
type Stretch struct {
	Side string `json:"side"`
	Span Span   `json:"span"`
}

// Span is a stretch of time from Start to End, ns.
type Span struct {
	Start float64 `json:"start"`
	End   float64 `json:"end"`
}

// Pairing is two threads, by their ids, that were paired by hand; a side that is missing stands for
// a thread that is left alone.
type Pairing struct {
	A *string `json:"a"`
	B *string `json:"b"`
}

// Note is a text at a call, or at a time if Call is missing.
type Note struct {
	Number int     `json:"number"`
	Text   string  `json:"text"`
	Side   string  `json:"side"`
	Call   *Call   `json:"call,omitzero"`
	At     float64 `json:"at,omitzero"`
}

// Look is how things are drawn that all panes have in common.
type Look struct {
	Tau        int     `json:"tau"` // hundredths
	Shape      string  `json:"shape"`
	Colour     string  `json:"colour"`
	Lambda     float32 `json:"lambda"`
	Band       float32 `json:"band"`
	Strength   float32 `json:"strength"`
	Similarity bool    `json:"similarity,omitzero"`
	All        bool    `json:"all,omitzero"`
	Frames     bool    `json:"frames,omitzero"`
	Original   bool    `json:"original,omitzero"`
	Relative   bool    `json:"relative,omitzero"`
	Hidden     bool    `json:"hidden,omitzero"`
	Viewpoint  string  `json:"viewpoint,omitzero"` // "a" or "b"; "" for a

	Rows   float32 `json:"rows,omitzero"`
	Levels int     `json:"levels,omitzero"`
	Waits  Waits   `json:"waits,omitzero"`
}

// Waits is how the view of threads is drawn.
type Waits struct {
	ByObject  bool    `json:"byObject,omitzero"`
	All       bool    `json:"all,omitzero"`
	Apart     bool    `json:"apart,omitzero"`
	Split     float32 `json:"split,omitzero"`
	Zero      float32 `json:"zero,omitzero"`
	Threshold int     `json:"threshold"`
}

// The words of a Look and a Session, in the order in which the session counts them.
var (
	Locks   = []string{"free", "absolute", "from-start", "proportional", "by-alignment"}
	Shapes  = []string{"tubes", "lines", "both"}
	Colours = []string{"shift", "trace", "plain"}
)

// Pane is a part of the main area. Threads name the pair that it shows.
type Pane struct {
	View    string                    `json:"view"`
	All     bool                      `json:"allThreads,omitzero"`
	Threads *Pairing                  `json:"threads,omitzero"` // nil: those with the most calls
	Chosen  bool                      `json:"chosen,omitzero"`  // the user asked for these threads
	Scroll  Both[float32]             `json:"scroll,omitzero"`
	Virtual *Span                     `json:"virtual,omitzero"` // visible time of the alignment
	Own     map[string]jsontext.Value `json:"own,omitzero"`     // by view: what it keeps for itself
}

// Split says how panes share the main area: a pane, or two parts.
type Split struct {
	Pane  int      `json:"pane,omitzero"` // into Panes, if there are no parts
	Down  bool     `json:"down,omitzero"` // the second part lies below the first
	Share float32  `json:"share,omitzero"`
	Parts []*Split `json:"parts,omitzero"`
}

func (s *Session) head() *Head { return &s.Head }

// ReadSession reads a session's file. Paths in what it returns are ready to be opened.
func ReadSession(path string) (*Session, error) {
	s := &Session{}
	if err := sessions.read(path, s); err != nil {
		return nil, err
	}
	s.eachPath(func(p string) string { return fromFile(path, p) })
	return s, nil
}

// Encode returns what a session's file at path holds.
func (s *Session) Encode(path string) ([]byte, error) {
	c := *s
	c.Runs = Both[Paths]{slices.Clone(s.Runs.A), slices.Clone(s.Runs.B)}
	c.eachPath(func(p string) string { return toFile(path, p) })
	if err := c.check(); err != nil {
		return nil, &Error{path, -1, err.Error(), nil}
	}
	return sessions.encode(&c)
}

// Write writes the session to a file.
func (s *Session) Write(path string) error {
	data, err := s.Encode(path)
	if err != nil {
		return err
	}
	return writeBytes(path, data)
}

// eachPath replaces all paths to other files.
func (s *Session) eachPath(f func(string) string) {
	for _, p := range []*string{&s.Traces.A.Path, &s.Traces.B.Path, &s.Rules} {
		if *p != "" {
			*p = f(*p)
		}
	}
	for side := range 2 {
		for i, p := range *s.Runs.On(side) {
			(*s.Runs.On(side))[i] = f(p)
		}
	}
}

// toFile returns how the session file at file names a path: relative to its folder for what lies
// in the folder, below it, or beside it, so that all may be moved together, and absolute for what
// lies farther away.
func toFile(file, path string) string {
	abs, err := filepath.Abs(path)
	dir, err2 := filepath.Abs(filepath.Dir(file))
	if err != nil || err2 != nil {
		return path
	}
	rel, err := filepath.Rel(dir, abs)
	up := ".." + string(filepath.Separator)
	if err != nil || strings.HasPrefix(rel, up+up) {
		return filepath.ToSlash(abs)
	}
	return filepath.ToSlash(rel)
}

// fromFile returns the path that the session file at file means.
func fromFile(file, path string) string {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(file), path)
}

// Lost returns why the trace of a side, or another file that the session needs, cannot be opened
// from where it should be; nil if it can. Only files and folders are opened: nobody feeds a pipe
// that a session names.
func Lost(path string) error {
	st, err := os.Stat(path)
	switch {
	case os.IsNotExist(err):
		return fmt.Errorf("it is not there")
	case err != nil:
		return err
	case !st.Mode().IsRegular() && !st.IsDir():
		return fmt.Errorf("it is neither a file nor a folder")
	}
	return nil
}

// Missing is a file that a session needs and that is not where it was.
type Missing struct {
	What string  // "trace A", "run 2 of B" or "rules"
	Flag string  // of the command line that says where it is now; "" if there is none
	Path *string // in the session, to be replaced
	Why  error
}

// Missing lists the files that cannot be opened.
func (s *Session) Missing() (list []Missing) {
	add := func(what, flag string, path *string) {
		if *path == "" {
			return
		}
		if err := Lost(*path); err != nil {
			list = append(list, Missing{what, flag, path, err})
		}
	}
	for side, letter := range []string{"A", "B"} {
		trace := s.Traces.On(side)
		add("trace "+letter, "--"+strings.ToLower(letter), &trace.Path)
		runs := *s.Runs.On(side)
		for k := range runs {
			if runs[k] != trace.Path {
				add(fmt.Sprintf("run %d of %s", k+1, letter), "", &runs[k])
			}
		}
	}
	add("the file of rules", "--rules", &s.Rules)
	return list
}

// Move says where a trace is now, also among the runs of its side.
func (s *Session) Move(m Missing, path string) {
	for side := range 2 {
		if m.Path == &s.Traces.On(side).Path {
			runs := *s.Runs.On(side)
			if k := slices.Index(runs, *m.Path); k >= 0 {
				runs[k] = path
			}
		}
	}
	*m.Path = path
}

// check returns what is wrong with the session by itself.
func (s *Session) check() error {
	for _, check := range []func() error{s.checkTraces, s.checkMarks, s.checkLook, s.checkPanes} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (s *Session) checkTraces() error {
	switch {
	case s.Traces.A.Path == "" && s.Traces.B.Path == "":
		return invalidf("/traces", "no trace is named")
	case max(len(s.Runs.A), len(s.Runs.B)) > mostRuns:
		return invalidf("/runs", "there can be at most %d runs", mostRuns)
	case len(s.Pairs) > mostPairs:
		return invalidf("/pairs", "there can be at most %d pairs", mostPairs)
	}
	for i, p := range s.Pairs {
		if p.A == nil && p.B == nil {
			return invalidf(item("/pairs", i), "a pair names no thread")
		}
	}
	for _, t := range []struct {
		at   jsontext.Pointer
		path string
	}{{"/traces/a/path", s.Traces.A.Path}, {"/traces/b/path", s.Traces.B.Path}, {"/rules", s.Rules}} {
		if strings.ContainsRune(t.path, 0) || !utf8.ValidString(t.path) {
			return invalidf(t.at, "no file can have such a name")
		}
	}
	return nil
}

// checkMarks checks what is attached to calls and times.
func (s *Session) checkMarks() error {
	if len(s.Notes) > MostNotes || len(s.Anchors) > MostAnchors {
		return invalidf("/notes", "there can be at most %d notes and %d anchors", MostNotes, MostAnchors)
	}
	numbers := map[int]bool{}
	for i, n := range s.Notes {
		at := item("/notes", i)
		switch {
		case n.Number < 1 || numbers[n.Number]:
			return invalidf(at+"/number", "notes need numbers from 1 on, each its own")
		case len(n.Text) > MostText:
			return invalidf(at+"/text", "a note has at most %d bytes", MostText)
		case !isSide(n.Side):
			return invalidf(at+"/side", "want a or b")
		case n.Call != nil && n.Call.Index < 0:
			return invalidf(at+"/call/index", "there is no such call")
		}
		numbers[n.Number] = true
	}
	for i, x := range s.Anchors {
		if x.A.Index < 0 || x.B.Index < 0 {
			return invalidf(item("/anchors", i), "there is no such call")
		}
	}
	if p := s.Selected; p != nil && (!isSide(p.Side) || p.Call.Index < 0) {
		return invalidf("/selected", "there is no such call")
	}
	if r := s.Range; r != nil && (!isSide(r.Side) || !r.Span.sound()) {
		return invalidf("/range", "want a side, a start and a later end")
	}
	return nil
}

func isSide(s string) bool { return s == "a" || s == "b" }

// sound reports whether a span is one: nothing is if it ends before it starts.
func (s Span) sound() bool {
	return s.Start <= s.End && !math.IsInf(s.Start, 0) && !math.IsInf(s.End, 0)
}

func (s *Session) checkLook() error {
	l := &s.Look
	for _, w := range []struct {
		at    jsontext.Pointer
		word  string
		known []string
	}{{"/lock", s.Lock, append(Locks, "")}, {"/look/shape", l.Shape, Shapes},
		{"/look/colour", l.Colour, Colours}, {"/look/viewpoint", l.Viewpoint, []string{"", "a", "b"}}} {
		if !slices.Contains(w.known, w.word) {
			return invalidf(w.at, "want %s", strings.Join(slices.DeleteFunc(slices.Clone(w.known),
				func(k string) bool { return k == "" }), ", "))
		}
	}
	for side, at := range []jsontext.Pointer{"/focus/a", "/focus/b"} {
		if !s.Focus.On(side).sound() {
			return invalidf(at, "it ends before it starts")
		}
	}
	if l.Tau < 0 || l.Tau > 99 {
		return invalidf("/look/tau", "want a number from 0 to 99")
	}
	return nil
}

func (s *Session) checkPanes() error {
	switch n := len(s.Panes); {
	case n < 1 || n > MostPanes:
		return invalidf("/panes", "want 1 to %d panes, not %d", MostPanes, n)
	case s.Active < 0 || s.Active >= n:
		return invalidf("/active", "there is no pane %d", s.Active)
	case s.Layout == nil:
		return invalidf("/layout", "want a layout")
	}
	for i, p := range s.Panes {
		if p.Virtual != nil && !p.Virtual.sound() {
			return invalidf(item("/panes", i)+"/virtual", "it ends before it starts")
		}
	}
	seen := make([]bool, len(s.Panes))
	if err := s.Layout.check("/layout", seen, 0); err != nil {
		return err
	}
	if k := slices.Index(seen, false); k >= 0 {
		return invalidf("/layout", "pane %d has no place", k)
	}
	return nil
}

// check checks that each pane has one place.
func (l *Split) check(at jsontext.Pointer, seen []bool, depth int) error {
	switch {
	case depth > deepest:
		return invalidf(at, "the layout is too deep")
	case len(l.Parts) == 0 && (l.Pane < 0 || l.Pane >= len(seen) || seen[l.Pane]):
		return invalidf(at, "there is no pane %d, or it has a place already", l.Pane)
	case len(l.Parts) == 0:
		seen[l.Pane] = true
		return nil
	case len(l.Parts) != 2 || l.Parts[0] == nil || l.Parts[1] == nil:
		return invalidf(at+"/parts", "want two parts")
	case !(l.Share > 0 && l.Share < 1):
		return invalidf(at+"/share", "want a share between 0 and 1")
	}
	for i, p := range l.Parts {
		if err := p.check(item(at+"/parts", i), seen, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// item points to an item of a list.
func item(list jsontext.Pointer, i int) jsontext.Pointer {
	return list + jsontext.Pointer(fmt.Sprintf("/%d", i))
}
