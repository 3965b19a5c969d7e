package saved

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

// small is a session that names one trace.
const small = `{"format": "diptych session", "version": 1,
 "traces": {"a": {"path": "a.json"}}, "focus": {"a": {"start": 1, "end": 2}},
 "look": {"tau": 20, "shape": "tubes", "colour": "shift", "lambda": 0.35, "band": 0.4,
  "strength": 0.85, "waits": {"threshold": 25}},
 "panes": [{"view": "matches"}], "layout": {}}`

// write puts a file into a new folder.
func write(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestBadSessions: whatever is wrong with a file is told in one line with the file, where it is, and
// why. At says what stands at the offset that is named.
func TestBadSessions(t *testing.T) {
	change := func(from, to string) string {
		if !strings.Contains(small, from) {
			t.Fatalf("the session lacks %q", from)
		}
		return strings.Replace(small, from, to, 1)
	}
	for _, c := range []struct{ name, text, at, why string }{
		{"empty", "", "", "too early"},
		{"cut", small[:100], "", "too early"},
		{"no JSON", "format", "ormat", "invalid"},
		{"a list", "[]", "[]", "wrong kind"},
		{"another format", change(`"diptych session"`, `"other"`), `"other"`, "no diptych session"},
		{"newer", change(`"version": 1`, `"version": 3, "new": 3`), "3,", "newer"},
		{"older than all", change(`"version": 1`, `"version": 0`), "0,", "no version 0"},
		{"unknown member", change(`"tau": 20`, `"taus": 20`), `20`, "/look/taus"},
		{"wrong kind", change(`"tau": 20`, `"tau": "20"`), `"20"`, "a text"},
		{"not whole", change(`"tau": 20`, `"tau": 2.5`), "2.5", "2.5"},
		{"too large", change(`"tau": 20`, `"tau": 100`), "100", "0 to 99"},
		{"huge number", change(`"end": 2`, `"end": 1e999`), "1e999", "/focus/a/end"},
		{"turned span", change(`"end": 2`, `"end": 0`), `{"start"`, "before it starts"},
		{"unknown word", change(`"tubes"`, `"worms"`), `"worms"`, "tubes, lines, both"},
		{"no word", change(`"shape": "tubes", `, ``), `{"tau"`, "/look/shape: want tubes, lines, both"},
		{"no trace", change(`"a": {"path": "a.json"}`, ``), "{}", "no trace"},
		{"impossible name", change(`"a.json"`, `"a\u0000"`), `"a\u0000"`, "no file"},
		{"no panes", change(`[{"view": "matches"}]`, `[]`), "[]", "1 to 4"},
		{"nothing that runs", change(`"focus"`, `"threads": {"b": [{"id": "1", "runs": [{"function": "f", "times": 0}]}]}, "focus"`),
			`{"id"`, "at least once"},
		{"no such pane", change(`"layout": {}`, `"layout": {"pane": 3}`), `{"pane"`, "no pane 3"},
		{"no layout", change(`, "layout": {}`, ``), `{"format"`, "layout"},
		{"a pane twice", change(`"layout": {}`, `"layout": {"share": 0.5, "parts": [{}, {}]}`), `{}]`, "already"},
		{"one part", change(`"layout": {}`, `"layout": {"share": 0.5, "parts": [{}]}`), `[{}]`, "two parts"},
		{"no share", change(`"layout": {}`, `"layout": {"share": 1, "parts": [{}, {}]}`), `1, "parts"`, "share"},
		{"deep layout", change(`"layout": {}`, `"layout": `+strings.Repeat(`{"share":0.5,"parts":[`, 4000)+
			`{}`+strings.Repeat(`,{}]}`, 4000)), "", "/layout"},
		{"deeper than JSON", change(`{}}`, strings.Repeat(`[`, 20000)), "", "depth"},
		{"deep value of a view", change(`"matches"}`, `"matches", "own": {"x": `+
			strings.Repeat("[", 4000)+strings.Repeat("]", 4000)+`}}`), `{"x"`, "too deep"},
		{"note without side", change(`"panes"`, `"notes": [{"number": 1, "text": "x", "side": "c"}], "panes"`),
			`"c"`, "a or b"},
		{"note twice", change(`"panes"`, `"notes": [{"number": 1, "text": "x", "side": "a"},
			{"number": 1, "text": "y", "side": "a"}], "panes"`), `1, "text": "y"`, "its own"},
		{"note without a next", change(`"panes"`, `"notes": [{"number": 9223372036854775807, "text": "x",
			"side": "a"}], "panes"`), `9223372036854775807, "text"`, "a billion"},
		{"call below 0", change(`"panes"`, `"anchors": [{"a": {"thread": "1", "index": -1, "function": "f"},
			"b": {"thread": "1", "index": 1, "function": "f"}}], "panes"`), `{"a": {"thread"`, "no such call"},
		{"too many anchors", change(`"panes"`, `"anchors": [`+strings.Repeat(`{},`, mostAnchors)+`{}], "panes"`),
			`[{},`, "anchors"},
		{"too many threads", change(`"panes"`, `"threads": {"b": [`+strings.Repeat(`{"id": "1"},`, mostThreads)+
			`{"id": "1"}]}, "panes"`), `[{"id"`, "at most 1000 threads"},
		{"too many runs", change(`"panes"`, `"runs": {"a": [`+strings.Repeat(`"x",`, mostRuns)+`"x"]}, "panes"`),
			`{"a"`, "runs"},
		{"pair of nothing", change(`"panes"`, `"pairs": [{"a": null, "b": null}], "panes"`), `{"a": null`, "no thread"},
	} {
		path := write(t, c.name+Suffix, c.text)
		_, err := ReadSession(path)
		var e *Error
		if !errors.As(err, &e) || e.File != path || strings.Contains(err.Error(), "\n") ||
			!strings.Contains(e.Reason, c.why) {
			t.Errorf("%s: %v, want %q", c.name, err, c.why)
			continue
		}
		if e.Offset < 0 || e.Offset > int64(len(c.text)) || !strings.HasPrefix(c.text[e.Offset:], c.at) {
			t.Errorf("%s: at %d, which is not %q", c.name, e.Offset, c.at)
		}
	}
}

// TestFilesThatAreNotRead: pipes, folders and large files are refused before anything is read from
// them, and names with control characters are shown as escapes.
func TestFilesThatAreNotRead(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large"+Suffix)
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, sessions.most+1); err != nil {
		t.Fatal(err)
	}
	odd := write(t, "a\x1b[2J\n.diptych", "x")
	for path, why := range map[string]string{large: "larger than 16 MB", dir: "no regular file",
		filepath.Join(dir, "gone"): "no such file", odd: `a\x1b[2J\n.diptych at byte 0`} {
		if _, err := ReadSession(path); err == nil || !strings.Contains(err.Error(), why) ||
			strings.ContainsAny(err.Error(), "\x1b\n") {
			t.Errorf("%q: %v, want %s", path, err, why)
		}
	}
}

// sound returns a small session that can be written.
func sound(t *testing.T) *Session {
	s, err := ReadSession(write(t, "small"+Suffix, small))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestNothingUnreadableIsWritten: what could not be read again is not written.
func TestNothingUnreadableIsWritten(t *testing.T) {
	text := func(bytes int) *Session {
		s := sound(t)
		s.Search = strings.Repeat("x", bytes)
		return s
	}
	wrong := sound(t)
	wrong.Look.Tau = 100
	for why, s := range map[string]*Session{"larger than 16 MB": text(16 << 20), "/look/tau: want": wrong} {
		path := filepath.Join(t.TempDir(), "x"+Suffix)
		if err := s.Write(path); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%v, want %s", err, why)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s: it is written", why)
		}
	}
	path := filepath.Join(t.TempDir(), "x"+Suffix)
	if err := text(16<<20 - 1000).Write(path); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadSession(path); err != nil {
		t.Error(err)
	}
}

// TestPaths: what lies beside the session moves with it, what is far away does not.
func TestPaths(t *testing.T) {
	dir := t.TempDir()
	at := func(parts ...string) string { return filepath.Join(append([]string{dir}, parts...)...) }
	file := at("p", "q", "s.diptych")
	for path, want := range map[string]string{
		at("p", "q", "a.json"):      "a.json",
		at("p", "q", "r", "a.json"): "r/a.json",
		at("p", "a.json"):           "../a.json",
		at("a.json"):                filepath.ToSlash(at("a.json")),
	} {
		if got := toFile(file, path); got != want {
			t.Errorf("%s is written %s, want %s", path, got, want)
		}
		if got := fromFile(file, toFile(file, path)); got != path {
			t.Errorf("%s comes back as %s", path, got)
		}
	}
}

func TestMissingFiles(t *testing.T) {
	here := write(t, "a.json", "")
	s := &Session{Traces: Both[Trace]{Trace{Path: here}, Trace{Path: "gone.json"}},
		Runs: Both[Paths]{B: Paths{"gone.json", "gone2.json"}}}
	list := s.Missing()
	if len(list) != 2 || list[0].Flag != "--b" || list[1].What != "run 2 of B" {
		t.Fatalf("%+v", list)
	}
	s.Move(list[0], here)
	if s.Traces.B.Path != here || s.Runs.B[0] != here || s.Runs.B[1] != "gone2.json" {
		t.Errorf("%+v", s)
	}
}

// drawSession draws a session that a file may hold.
func drawSession(t *rapid.T) *Session {
	text := func(t *rapid.T, name string) string { return rapid.StringN(0, 5, 20).Draw(t, name) }
	path := func(name string) string {
		return filepath.Join(string(filepath.Separator), "d", rapid.StringMatching(`[a-z]{1,4}`).Draw(t, name))
	}
	call := rapid.Custom(func(t *rapid.T) Call {
		return Call{text(t, "thread"), rapid.IntRange(0, 1<<30).Draw(t, "index"), text(t, "function")}
	})
	span := rapid.Custom(func(t *rapid.T) Span {
		from := rapid.Float64Range(0, 1e15).Draw(t, "from")
		return Span{from, from + rapid.Float64Range(0, 1e15).Draw(t, "length")}
	})
	s := &Session{Traces: Both[Trace]{A: Trace{Path: path("a"), Hash: text(t, "hash"), Calls: 3,
		Format: text(t, "format"), Request: text(t, "request")}},
		Focus:  Both[Span]{span.Draw(t, "focus"), span.Draw(t, "focus")},
		Lock:   rapid.SampledFrom(Locks).Draw(t, "lock"),
		Search: text(t, "search"), Layout: &Split{},
		Look: Look{Tau: rapid.IntRange(0, 99).Draw(t, "tau"), Shape: rapid.SampledFrom(Shapes).Draw(t, "shape"),
			Colour: rapid.SampledFrom(Colours).Draw(t, "colour"), Lambda: rapid.Float32Range(0, 1).Draw(t, "lambda")},
		Panes: []Pane{{View: text(t, "view"), Own: map[string]jsontext.Value{"x": jsontext.Value(`1`)}}}}
	for k := range rapid.IntRange(0, 3).Draw(t, "notes") {
		n := Note{Number: k + 1, Text: text(t, "text"), Side: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "side")}
		if rapid.Bool().Draw(t, "at a call") {
			c := call.Draw(t, "call")
			n.Call = &c
		} else {
			n.At = rapid.Float64Range(0, 1e15).Draw(t, "at")
		}
		s.Notes = append(s.Notes, n)
	}
	for range rapid.IntRange(0, 2).Draw(t, "anchors") {
		s.Anchors = append(s.Anchors, Both[Call]{call.Draw(t, "a"), call.Draw(t, "b")})
	}
	for k := 1; k <= rapid.IntRange(0, mostPanes-1).Draw(t, "splits"); k++ {
		s.Panes = append(s.Panes, Pane{View: text(t, "view"), Scroll: Both[float32]{A: float32(k)}})
		s.Layout = &Split{Down: k%2 == 0, Share: rapid.Float32Range(.1, .9).Draw(t, "share"),
			Parts: []*Split{s.Layout, {Pane: k}}}
	}
	s.Active = rapid.IntRange(0, len(s.Panes)-1).Draw(t, "active")
	return s
}
