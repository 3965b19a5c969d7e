package saved

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Suffix is what the names of session files end with.
const Suffix = ".diptych"

// sessions is the kind of a session's file.
var sessions = kind{"diptych session", 2, 16 << 20}

// Limits of a session. They are far above what a person makes, and keep a hostile file from costing
// much.
const (
	mostPanes   = 4
	MostNotes   = 10_000
	mostAnchors = 100_000
	MostText    = 4_000 // bytes of a note
	mostNumber  = 1e9   // of a note; the next one has a number, too
	mostPairs   = 1_000_000
	mostRuns    = 1_000
	mostThreads = 1_000 // of which more is said than their ids
	mostRan     = 1_000 // functions of one
	deepest     = 8     // levels of a layout
	deepestOwn  = 32    // of what a view keeps: indents grow with its square
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
	Strict     bool   `json:"strict,omitzero"`  // callees are aligned with callees only

	// Threads are those that the session names by id, and others with their names, as far as is
	// needed to find them in another recording. Version 1 has none.
	Threads Both[[]Thread] `json:"threads,omitzero"`

	Pairs   []Pairing    `json:"pairs,omitzero"` // threads that were paired by hand, in order
	Anchors []Both[Call] `json:"anchors,omitzero"`
	Notes   []Note       `json:"notes,omitzero"`

	Lock     string     `json:"lock,omitzero"`        // one of Locks; "" for the first
	Common   bool       `json:"commonScale,omitzero"` // a second is as wide on either side
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
	Path    string `json:"path"`             // with slashes; relative to the session file's folder
	Request string `json:"request,omitzero"` // the id of the one that is shown, of many in the file
	Hash    string `json:"hash,omitzero"`    // of the trace's content
	Calls   int    `json:"calls,omitzero"`   // that it holds, to tell what has changed
	// Format is what the file is read as; "" for what its content shows.
	Format string `json:"format,omitzero"`
}

// IsZero reports whether the side is empty.
func (t Trace) IsZero() bool { return t.Path == "" }

// Thread is what a thread is called, and what it runs most.
type Thread struct {
	ID       string `json:"id"`
	Name     string `json:"name,omitzero"`
	Role     string `json:"role,omitzero"`
	Numbered bool   `json:"numbered,omitzero"` // its name is its role and a number of this run
	Process  string `json:"process,omitzero"`  // name
	Runs     []Ran  `json:"runs,omitzero"`
}

// Ran is a function and about how often a thread called it.
type Ran struct {
	Function string `json:"function"`
	Times    int    `json:"times"`
}

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

// Stretch is a stretch of time on a side, what it is compared with on the other one, and the pair
// of threads that it is about, or null for all.
type Stretch struct {
	Side    string   `json:"side"`
	Span    Span     `json:"span"`
	Across  Span     `json:"across,omitzero"`
	Threads *Pairing `json:"threads,omitzero"`
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

// On returns the id on a side, 0 for A and 1 for B.
func (p *Pairing) On(side int) **string {
	if side == 0 {
		return &p.A
	}
	return &p.B
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
	Critical  bool    `json:"critical,omitzero"` // the critical path is drawn
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
	Idle    bool                      `json:"idleThreads,omitzero"` // near-idle ones are not folded
	Threads *Pairing                  `json:"threads,omitzero"`     // nil: the busiest
	Chosen  bool                      `json:"chosen,omitzero"`      // by the user
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
	data, err := sessions.encode(&c)
	if err != nil {
		return nil, &Error{path, -1, err.Error(), err}
	}
	return data, nil
}

// Write writes the session to a file.
func (s *Session) Write(path string) error {
	data, err := s.Encode(path)
	if err != nil {
		return err
	}
	return writeBytes(path, data)
}
