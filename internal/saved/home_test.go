package saved

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"diptych/internal/fuzzall/seeds"

	"pgregory.net/rapid"
)

// TestSessionsComeBack: what is written is what is read.
func TestSessionsComeBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s"+Suffix)
	rapid.Check(t, func(t *rapid.T) {
		s := drawSession(t)
		if err := s.Write(path); err != nil {
			t.Fatal(err)
		}
		got, err := ReadSession(path)
		if err != nil {
			t.Fatal(err)
		}
		got.Head = s.Head
		if !reflect.DeepEqual(got, s) {
			t.Fatalf("%+v\n became %+v", s, got)
		}
	})
}

func TestSettingsComeBack(t *testing.T) {
	h := HomeAt(filepath.Join(t.TempDir(), "new", "folder"))
	if s, err := h.Settings(); err != nil || s != (Settings{}) {
		t.Errorf("without a file: %+v, %v", s, err)
	}
	want := Settings{Dark: true, ColourBlind: true, Scale: 1.5, Width: 900, Height: 600, Overview: 99,
		Dock: Dock{Closed: true, Tab: "functions", Width: 300}}
	if err := h.KeepSettings(want); err != nil {
		t.Fatal(err)
	}
	if got, err := h.Settings(); err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestRecentPairs(t *testing.T) {
	h := HomeAt(t.TempDir())
	for _, name := range []string{"1", "2", "1", "3"} {
		if err := h.AddRecent(Recent{A: name}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := h.Recent()
	if want := []Recent{{A: "3"}, {A: "1"}, {A: "2"}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	for _, name := range []string{"before", "moved"} { // a session stands once
		if err := h.AddRecent(Recent{A: name, Session: "s"}); err != nil {
			t.Fatal(err)
		}
	}
	if got, _ := h.Recent(); len(got) != 4 || got[0].A != "moved" {
		t.Errorf("%v", got)
	}
	for i := range 2 * mostRecent {
		if err := h.AddRecent(Recent{A: "x", B: strings.Repeat("y", i)}); err != nil {
			t.Fatal(err)
		}
	}
	if got, _ := h.Recent(); len(got) != mostRecent {
		t.Errorf("%d pairs", len(got))
	}
}

// TestNothingIsLost: a broken file is told and put aside before it is replaced; one of a newer
// program is told and stays.
func TestNothingIsLost(t *testing.T) {
	h := HomeAt(t.TempDir())
	for _, c := range []struct {
		name string
		read func() error
		keep func() error
	}{
		{settingsName, func() error { _, err := h.Settings(); return err },
			func() error { return h.KeepSettings(Settings{Dark: true}) }},
		{recentName, func() error { _, err := h.Recent(); return err },
			func() error { return h.AddRecent(Recent{A: "a"}) }},
		{lastName, func() error { _, err := ReadSession(h.path(lastName)); return err },
			func() error { return h.KeepLastSession([]byte(small)) }},
	} {
		path := h.path(c.name)
		text := []byte("{ mine")
		for try := range 2 {
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := c.read(); err == nil || !strings.Contains(err.Error(), path) {
				t.Errorf("%s: nothing is said of a broken file: %v", c.name, err)
			}
			if err := c.keep(); err != nil {
				t.Fatal(err)
			}
			aside := path + ".broken-" + string(rune('1'+try))
			if left, err := os.ReadFile(aside); err != nil || !bytes.Equal(left, text) {
				t.Errorf("%s: the broken file is lost: %q, %v", c.name, left, err)
			}
			if err := c.read(); err != nil {
				t.Errorf("%s: then it reads %v", c.name, err)
			}
		}
		whole, _ := os.ReadFile(path)
		newer := regexp.MustCompile(`"version": \d`).ReplaceAll(whole, []byte(`"version": 9`))
		if err := os.WriteFile(path, newer, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := c.read(); !errors.Is(err, ErrNewer) {
			t.Errorf("%s: of a newer file: %v", c.name, err)
		}
		if err := c.keep(); !errors.Is(err, ErrNewer) {
			t.Errorf("%s: a newer file is replaced: %v", c.name, err)
		}
		if left, _ := os.ReadFile(path); !bytes.Equal(left, newer) {
			t.Errorf("%s: a newer file is lost", c.name)
		}
	}
}

// TestWithoutHome: where the environment names no home, nothing is kept and nothing fails.
func TestWithoutHome(t *testing.T) {
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "AppData", Variable} {
		t.Setenv(name, "")
	}
	h := UserHome()
	_, err := h.Settings()
	_, err2 := h.Recent()
	_, last := h.LastSession()
	if h.Keeps() || last || errors.Join(err, err2, h.KeepSettings(Settings{}), h.AddRecent(Recent{A: "a"}),
		h.KeepLastSession(nil)) != nil {
		t.Errorf("%v %v %v", h, err, err2)
	}
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(t.TempDir(), "c"))
	t.Setenv("HOME", t.TempDir())
	t.Setenv("AppData", t.TempDir())
	if h := UserHome(); !h.Keeps() || filepath.Base(h.dir) != "diptych" {
		t.Errorf("%+v", h)
	}
	t.Setenv(Variable, "elsewhere")
	if h := UserHome(); h != HomeAt("elsewhere") {
		t.Errorf("%+v", h)
	}
}

func TestBadSettings(t *testing.T) {
	h := HomeAt(t.TempDir())
	for text, why := range map[string]string{
		`"scale": 100`: "/scale", `"width": -1`: "/width", `"dock": {"width": -5}`: "/dock/width",
		`"overview": 1e30`: "/overview", `"dark": 1`: "/dark", `"height": 99999`: "/height", `"x": 1`: "/x",
	} {
		text = `{"format": "diptych settings", "version": 1, ` + text + `}`
		if err := os.WriteFile(h.path(settingsName), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := h.Settings(); err == nil || s != (Settings{}) || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %+v, %v", text, s, err)
		}
	}
}

// FuzzSession reads made-up sessions: whatever is read can be written and read again, and errors
// say where.
func FuzzSession(f *testing.F) {
	seeds.Add(f)
	f.Add([]byte(small))
	f.Add([]byte(strings.Replace(small, `"layout": {}`,
		`"notes":[{"number":1,"text":"x","side":"a","call":{"thread":"1","index":2,"function":"f"}}],`+
			`"layout":{"share":0.5,"parts":[{},{"pane":1}]}`, 1)))
	f.Fuzz(func(t *testing.T, data []byte) {
		var s Session
		fuzzed(t, sessions, data, &s, &Session{})
	})
}

// FuzzSettings does the same with settings and recent pairs.
func FuzzSettings(f *testing.F) {
	seeds.Add(f)
	f.Add([]byte(`{"format": "diptych settings", "version": 1, "dark": true, "dock": {"tab": "x"}}`))
	f.Add([]byte(`{"format": "diptych recent pairs", "version": 1, "recent": [{"a": "x"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		fuzzed(t, settingsKind, data, &Settings{}, &Settings{})
		fuzzed(t, recentKind, data, &recents{}, &recents{})
	})
}

func fuzzed(t *testing.T, k kind, data []byte, first, second document) {
	var e *Error
	if err := k.decode("f", data, first); err != nil {
		if !errors.As(err, &e) || e.Offset > int64(len(data)) || strings.Contains(err.Error(), "\n") {
			t.Fatalf("%#v", err)
		}
		return
	}
	again, err := k.encode(first)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.decode("f", again, second); err != nil {
		t.Fatalf("%s\n%v", again, err)
	}
	twice, err := k.encode(second)
	if err != nil || !bytes.Equal(twice, again) {
		t.Fatalf("%s\nbecame\n%s", again, twice)
	}
}
