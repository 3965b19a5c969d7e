package ui

import (
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gioui.org/io/key"

	"diptych/internal/pair"
	"diptych/internal/saved"
	"diptych/internal/session"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	"diptych/internal/ui/dock"
)

// restarted shows a new window over the home of an earlier one.
func restarted(t *testing.T, home saved.Home) *bench {
	t.Helper()
	app := New(session.New(func() {}))
	app.Keep(home)
	b := benchOf(t, app, image.Pt(1280, 800))
	b.settle()
	return b
}

// load opens a small pair in a folder.
func (b *bench) load(dir string) [2]string {
	b.t.Helper()
	paths := [2]string{filepath.Join(dir, "base.json"), filepath.Join(dir, "head.json")}
	testtrace.WriteScript(b.t, paths[pair.A], "read", 10., "work", 30., "write", 5.)
	testtrace.WriteScript(b.t, paths[pair.B], "read", 10., "check", 9., "work", 36., "write", 5.)
	b.app.Drop(paths[:])
	b.settle()
	if !b.state().Both() {
		b.t.Fatal("the pair is not open")
	}
	return paths
}

func (b *bench) shows(label string) bool {
	return slices.ContainsFunc(b.pic.Labels(), func(l string) bool { return strings.Contains(l, label) })
}

// TestSettingsOutliveTheWindow: theme, scheme, splits and dock are there after a restart, and so are
// the recent pairs and the session, from the empty window and from the palette.
func TestSettingsOutliveTheWindow(t *testing.T) {
	home := saved.HomeAt(filepath.Join(t.TempDir(), "config"))
	b := restarted(t, home)
	if b.shows("Continue") || b.shows("Open base") {
		t.Errorf("at first there is %q", b.pic.Labels())
	}
	paths := b.load(t.TempDir())
	b.press("T", 0)
	b.press("5", key.ModCtrl)
	b.app.splits.dock, b.app.splits.overview = 300, 120
	b.app.S.SetStyle(func(x *session.Style) { x.ColourBlind = true })
	b.press("4", 0)
	b.press("E", key.ModCtrl)
	b.app.Flush()

	b = restarted(t, home)
	st := b.state()
	if !st.Dark || !st.Style.ColourBlind || b.app.splits.dock != 300 || b.app.splits.overview != 120 ||
		b.app.dock.Tab() != dock.Functions {
		t.Errorf("after the restart: %+v", b.app.settings())
	}
	if x, _ := home.Settings(); x.Width != 1280 || x.Height != 800 {
		t.Errorf("the window had %d × %d", x.Width, x.Height)
	}
	b.click("Continue the last session")
	if st := b.state(); len(st.Layout.Panes()) != 2 || st.View != session.Alignment ||
		b.app.keeper.file != "" {
		t.Errorf("the session continues with %v and %s", st.Layout.Panes(), st.View)
	}
	b.press("W", key.ModCtrl)
	b.click("Open base | head")
	if st := b.state(); !st.Both() || len(st.Layout.Panes()) != 2 || !same(st, paths) {
		t.Error("a recent pair is not opened")
	}
	b.press("W", key.ModCtrl)
	b.press("P", key.ModCtrl|key.ModShift)
	b.write("recent base")
	b.press(key.NameReturn, 0)
	if !b.state().Both() {
		t.Error("the palette does not open a recent pair")
	}
}

func same(st *session.State, paths [2]string) bool {
	for side, path := range paths {
		abs, _ := filepath.Abs(path)
		if st.Sides[side].Path != abs {
			return false
		}
	}
	return true
}

// TestNamesThatCannotBeKept: a pair whose path is no UTF-8 is not among the recent ones, and no error
// says so while it is looked at.
func TestNamesThatCannotBeKept(t *testing.T) {
	home := saved.HomeAt(filepath.Join(t.TempDir(), "config"))
	b := restarted(t, home)
	dir := filepath.Join(t.TempDir(), "run\xff")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Skip(err) // a file system may refuse such names
	}
	b.load(dir)
	b.app.Flush()
	if text, _ := b.app.S.Notice(); text != "" {
		t.Error(text)
	}
	b.load(t.TempDir())
	if recent, err := home.Recent(); err != nil || len(recent) != 1 {
		t.Errorf("%v, %v", recent, err)
	}
}

// TestColoursAreOfferedOnce: the first window asks which colours can be told apart, empty or with a
// pair; the answer is kept, and nobody is asked again, be it answered or not.
func TestColoursAreOfferedOnce(t *testing.T) {
	home, other := saved.HomeAt(filepath.Join(t.TempDir(), "new")), saved.HomeAt(t.TempDir())
	b := restarted(t, home)
	b.click(schemeChoices[1].name)
	if b.settle(); !b.state().Style.ColourBlind || b.shows(schemeChoices[0].name) {
		t.Errorf("after the answer: colour-blind %v, %q", b.state().Style.ColourBlind, b.pic.Labels())
	}
	b.app.Flush()
	if b = restarted(t, home); !b.state().Style.ColourBlind || b.shows(schemeChoices[0].name) {
		t.Errorf("the next window: colour-blind %v, %q", b.state().Style.ColourBlind, b.pic.Labels())
	}
	b = restarted(t, other)
	if b.load(t.TempDir()); !b.shows(schemeChoices[1].name) {
		t.Errorf("beside a pair there is only %q", b.pic.Labels())
	}
	b.app.Flush()
	if b = restarted(t, other); b.state().Style.ColourBlind || b.shows(schemeChoices[1].name) {
		t.Errorf("nobody answered: colour-blind %v, %q", b.state().Style.ColourBlind, b.pic.Labels())
	}
}

// TestSettingsAreKeptInTime: they are written while the window runs, for it may be killed.
func TestSettingsAreKeptInTime(t *testing.T) {
	home := saved.HomeAt(t.TempDir())
	b := restarted(t, home)
	b.load(t.TempDir())
	b.press("T", 0)
	for range 12 { // a second each
		b.pic.Layout()
	}
	x, err := home.Settings()
	if _, ok := home.LastSession(); err != nil || !x.Dark || !ok {
		t.Errorf("%+v, %v, session %v", x, err, ok)
	}
}

// TestKeepingIsTriedAgain: what could not be written, say because the disk was full, is written once
// it can be.
func TestKeepingIsTriedAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(dir, nil, 0o600); err != nil { // where the folder has to be
		t.Fatal(err)
	}
	home := saved.HomeAt(dir)
	b := restarted(t, home)
	b.load(t.TempDir())
	b.press("T", 0)
	for range 12 { // a second each
		b.pic.Layout()
	}
	if text, _ := b.app.S.Notice(); !strings.Contains(text, "config") {
		t.Errorf("it says %q", text)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	for range 62 {
		b.pic.Layout()
	}
	x, err := home.Settings()
	if err != nil || !x.Dark {
		t.Errorf("settings: %+v, %v", x, err)
	}
	b.app.Flush()
	if _, ok := home.LastSession(); !ok {
		t.Error("there is no session")
	}
}

// TestBrokenSettingsAreTold: the window opens as usual, says what is wrong, and loses nothing.
func TestBrokenSettingsAreTold(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "settings.json")
	if err := os.WriteFile(path, []byte(`{"format": "diptych settings", "version": 1, "dark": 3}`), 0o600); err != nil {
		t.Fatal(err)
	}
	b := restarted(t, saved.HomeAt(dir))
	if text, _ := b.app.S.Notice(); !strings.Contains(text, "/dark is of the wrong kind") || b.state().Dark {
		t.Errorf("it says %q", text)
	}
	b.press("T", 0)
	b.app.Flush()
	left, err := os.ReadFile(path + ".broken-1")
	if x, _ := saved.HomeAt(dir).Settings(); err != nil || !strings.Contains(string(left), `"dark": 3`) || !x.Dark {
		t.Errorf("%q, %v, %+v", left, err, x)
	}
}

// TestSaveAndOpen saves a session by keys, opens it, and then after one of its files has moved.
func TestSaveAndOpen(t *testing.T) {
	dir := t.TempDir()
	b := restarted(t, saved.HomeAt(filepath.Join(dir, "config")))
	paths := b.load(dir)
	b.press("6", 0)
	b.app.overlay.files.dir = dir
	b.app.overlay.files.open(b.app.saving())
	b.app.overlay.show(filesPage)
	b.settle()
	if got, want := b.app.overlay.files.path.Text(), filepath.Join(dir, "base-head.diptych"); got != want {
		t.Errorf("%s is proposed, want %s", got, want)
	}
	b.write("other") // in place of it
	b.press(key.NameReturn, 0)
	file := filepath.Join(dir, "other.diptych")
	if _, err := os.Stat(file); err != nil || b.app.keeper.file != file {
		t.Fatalf("%v, saved to %q", err, b.app.keeper.file)
	}
	b.press("3", 0)
	b.press("S", key.ModCtrl) // again, without a question
	if b.app.overlay.page != noPage {
		t.Error("it asks again where to save")
	}
	b.press("5", 0)
	b.press("W", key.ModCtrl)
	b.app.Drop([]string{file})
	b.settle()
	if st := b.state(); !st.Both() || st.View != session.Matches {
		t.Fatalf("it opens with %s", st.View)
	}

	b.app.S.Swap()
	b.settle()
	if b.app.keeper.file != file {
		t.Error("exchanging the sides makes it another comparison")
	}
	b.app.S.Swap()
	other := filepath.Join(dir, "other.json")
	testtrace.WriteScript(t, other, "work", 3.)
	b.app.S.Open(pair.A, other, input.Options{})
	b.settle()
	if b.app.keeper.file != "" {
		t.Error("saving would replace the session by another comparison")
	}

	moved := filepath.Join(dir, "sub", "moved.json")
	if err := os.MkdirAll(filepath.Dir(moved), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(paths[pair.B], moved); err != nil {
		t.Fatal(err)
	}
	b.press("W", key.ModCtrl)
	b.app.OpenSession(file)
	b.settle()
	if !b.shows("Choose trace B") || b.shows("Choose trace A") || b.state().Any() {
		t.Fatalf("the file that moved is not asked for: %q", b.pic.Labels())
	}
	sought := &b.app.overlay.sought
	b.app.overlay.files.open(sought.question(b.app, sought.missing[0]))
	b.app.overlay.show(filesPage)
	b.settle()
	b.write(moved)
	b.press(key.NameReturn, 0)
	if text, _ := b.app.S.Notice(); !b.state().Both() || b.state().Sides[pair.B].Path != moved ||
		strings.Contains(text, "changed") {
		t.Errorf("%+v is open; it says %q", b.state().Sides[pair.B].Path, text)
	}
}

// TestReplacingAFileIsAsked: a file that exists is replaced only when it is saved to once more.
func TestReplacingAFileIsAsked(t *testing.T) {
	b := newBench(t)
	b.load(t.TempDir())
	file := filepath.Join(t.TempDir(), "there.diptych")
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.app.overlay.files.open(b.app.saving())
	b.app.overlay.files.path.SetText(file)
	b.app.overlay.show(filesPage)
	b.settle()
	b.press(key.NameReturn, 0)
	if text, _ := os.ReadFile(file); string(text) != "mine" || b.app.overlay.page != filesPage {
		t.Fatal("it is replaced without a word")
	}
	b.click("Save to this file")
	if _, err := saved.ReadSession(file); err != nil {
		t.Error(err)
	}
}

// TestBrokenSessionsAreTold: the empty window says what is wrong, until something else is opened.
func TestBrokenSessionsAreTold(t *testing.T) {
	b := newBench(t)
	path := filepath.Join(t.TempDir(), "x\x1b.diptych")
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.app.Drop([]string{path})
	b.settle()
	if why := b.app.troubles(b.state()); len(why) != 1 || !strings.Contains(why[0], `x\x1b.diptych at byte 1`) {
		t.Errorf("%q", why)
	}
}

// TestScaleIsKept: texts made larger stay so.
func TestScaleIsKept(t *testing.T) {
	home := saved.HomeAt(t.TempDir())
	b := restarted(t, home)
	for range 2 {
		b.press("P", key.ModCtrl|key.ModShift)
		b.write("larger texts")
		b.press(key.NameReturn, 0)
	}
	b.app.Flush()
	if x, _ := home.Settings(); x.Scale < 1.2 || x.Scale > 1.22 {
		t.Errorf("%+v", x)
	}
}

// TestStandardInputIsNotSaved: what cannot be opened again is said, not saved.
func TestStandardInputIsNotSaved(t *testing.T) {
	s := session.New(func() {})
	s.Put(pair.A, input.Standard, &trace.Trace{})
	a := New(s)
	a.saveTo(filepath.Join(t.TempDir(), "s.diptych"))
	if text, _ := s.Notice(); !strings.Contains(text, "A came from standard input") {
		t.Errorf("%q", text)
	}
}
