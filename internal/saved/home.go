package saved

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Variable is the environment variable that names the directory to use instead of
// os.UserConfigDir's.
const Variable = "DIPTYCH_CONFIG"

// Home is the directory of what is kept between two runs. The zero Home keeps nothing, for tests,
// pictures and users without a home directory.
type Home struct{ dir string }

// UserHome returns the user's Home: the zero one where the environment names no place for it.
func UserHome() Home {
	if dir := os.Getenv(Variable); dir != "" {
		return HomeAt(dir)
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return Home{}
	}
	return HomeAt(filepath.Join(dir, "diptych"))
}

// HomeAt returns the Home in a directory, which is made when something is first kept.
func HomeAt(dir string) Home { return Home{dir} }

// Keeps reports whether anything is kept at all.
func (h Home) Keeps() bool { return h.dir != "" }

// Names of the files in a Home.
const (
	settingsName = "settings.json"
	recentName   = "recent.json"
	lastName     = "last" + Suffix
)

var (
	settingsKind = kind{"diptych settings", 1, 1 << 20}
	recentKind   = kind{"diptych recent pairs", 1, 1 << 20}
)

// Settings are how the window was left. The zero value of a field stands for the usual.
type Settings struct {
	Head
	Dark        bool    `json:"dark"`
	ColourBlind bool    `json:"colourBlind"`
	Still       bool    `json:"still"`           // nothing moves by itself
	Lighter     bool    `json:"lighter"`         // narrow calls as levels rather than boxes
	Scale       float32 `json:"scale,omitzero"`  // px a device-independent px; 0 for the monitor's
	Width       int     `json:"width,omitzero"`  // of the window, device-independent px
	Height      int     `json:"height,omitzero"` // of the window
	Dock        Dock    `json:"dock,omitzero"`
	Overview    float32 `json:"overview,omitzero"` // its height, device-independent px
}

// Dock is how the dock was left.
type Dock struct {
	Closed bool    `json:"closed,omitzero"`
	Tab    string  `json:"tab,omitzero"`
	Width  float32 `json:"width,omitzero"` // device-independent px
}

func (s *Settings) head() *Head { return &s.Head }

// Limits of what settings may ask for.
const (
	leastScale, mostScale = .25, 8
	mostLength            = 16384
)

func (s *Settings) check() error {
	switch {
	case s.Scale != 0 && !(s.Scale >= leastScale && s.Scale <= mostScale):
		return invalidf("/scale", "want a scale from %g to %d", leastScale, mostScale)
	case s.Width < 0 || s.Width > mostLength:
		return invalidf("/width", "want at most %d", mostLength)
	case s.Height < 0 || s.Height > mostLength:
		return invalidf("/height", "want at most %d", mostLength)
	case !(s.Overview >= 0 && s.Overview <= mostLength):
		return invalidf("/overview", "want at most %d", mostLength)
	case !(s.Dock.Width >= 0 && s.Dock.Width <= mostLength):
		return invalidf("/dock/width", "want at most %d", mostLength)
	}
	return nil
}

// Recent is a pair of traces, or one, that was opened: by absolute path. With a Session that file
// was opened, or the pair was saved to it.
type Recent struct {
	A        string       `json:"a,omitzero"`
	B        string       `json:"b,omitzero"`
	Session  string       `json:"session,omitzero"`
	Requests Both[string] `json:"requests,omitzero"` // those shown, of files that hold many
}

// recents is the file of them, the newest first.
type recents struct {
	Head
	List []Recent `json:"recent"`
}

func (r *recents) head() *Head { return &r.Head }

// mostRecent is how many recent pairs are kept.
const mostRecent = 12

func (r *recents) check() error {
	for i, x := range r.List {
		if x == (Recent{}) {
			return invalidf(item("/recent", i), "it names no file")
		}
	}
	return nil
}

// Fresh reports whether nothing has been kept in it yet: the program runs for the first time.
func (h Home) Fresh() bool {
	_, err := os.Lstat(h.path(settingsName))
	return h.Keeps() && errors.Is(err, fs.ErrNotExist)
}

// path returns where a file of the Home is.
func (h Home) path(name string) string { return filepath.Join(h.dir, name) }

// read reads a file of the Home. That there is none is no error.
func (h Home) read(k kind, name string, into document) error {
	if !h.Keeps() {
		return nil
	}
	if err := k.read(h.path(name), into); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Settings returns the settings; with an error the usual ones.
func (h Home) Settings() (Settings, error) {
	var s Settings
	if err := h.read(settingsKind, settingsName, &s); err != nil {
		return Settings{}, err
	}
	s.Head = Head{}
	return s, nil
}

// KeepSettings keeps the settings.
func (h Home) KeepSettings(s Settings) error {
	return h.keep(settingsKind, settingsName, &s, &Settings{})
}

// Recent returns the pairs that were opened last, the newest first.
func (h Home) Recent() ([]Recent, error) {
	var r recents
	err := h.read(recentKind, recentName, &r)
	if err != nil {
		return nil, err
	}
	return r.List[:min(len(r.List), mostRecent)], nil
}

// AddRecent puts a pair before all others. Other windows may have added theirs meanwhile, so the
// file is read again.
func (h Home) AddRecent(x Recent) error {
	if !h.Keeps() || x == (Recent{}) {
		return nil
	}
	var r recents
	_ = h.read(recentKind, recentName, &r) // a broken one is put aside by keep
	r.List = slices.DeleteFunc(r.List, func(y Recent) bool {
		return y == x || x.Session != "" && y.Session == x.Session
	})
	r.List = append([]Recent{x}, r.List...)
	r.List = r.List[:min(len(r.List), mostRecent)]
	return h.keep(recentKind, recentName, &r, &recents{})
}

// keep replaces a file of the Home. One that cannot be read is renamed first, so that what somebody
// wrote is never lost; one of a newer program stays, and nothing is kept.
func (h Home) keep(k kind, name string, d, was document) error {
	if !h.Keeps() {
		return nil
	}
	if err := os.MkdirAll(h.dir, 0o755); err != nil {
		return err
	}
	if err := h.read(k, name, was); err != nil {
		if errors.Is(err, ErrNewer) {
			return err
		}
		if err := putAside(h.path(name)); err != nil {
			return err
		}
	}
	return k.write(h.path(name), d)
}

// putAside renames a broken file to the first free name.
func putAside(path string) error {
	for i := 1; ; i++ {
		name := fmt.Sprintf("%s.broken-%d", path, i)
		if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			return os.Rename(path, name)
		}
	}
}

// LastSession returns where the last session is kept by itself, and whether there is one.
func (h Home) LastSession() (path string, ok bool) {
	if !h.Keeps() {
		return "", false
	}
	st, err := os.Stat(h.path(lastName))
	return h.path(lastName), err == nil && st.Mode().IsRegular()
}

// KeepLastSession keeps the bytes that Encode returned for LastSession's path. A file of a newer
// program stays.
func (h Home) KeepLastSession(data []byte) error {
	if !h.Keeps() {
		return nil
	}
	if err := os.MkdirAll(h.dir, 0o755); err != nil {
		return err
	}
	path, ok := h.LastSession()
	if ok {
		if _, err := ReadSession(path); err != nil {
			if errors.Is(err, ErrNewer) {
				return err
			}
			if err := putAside(path); err != nil {
				return err
			}
		}
	}
	return writeBytes(path, data)
}
