package cli

import (
	"bytes"
	"encoding/json"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const testdata = "../../testdata"

// run returns the exit status and what was written.
func run(t *testing.T, args ...string) (status int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	status = Main(args, &o, &e)
	return status, o.String(), e.String()
}

// runJSON returns what a command writes with --json.
func runJSON(t *testing.T, command string, args ...string) (got map[string]any) {
	t.Helper()
	status, out, errs := run(t, append([]string{command, "--json"}, args...)...)
	if status != 0 {
		t.Fatal(errs)
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestExitStatus(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty.json")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	good := filepath.Join(testdata, "chrome/go-build-cold.json.gz")
	for _, c := range []struct {
		args []string
		want int
		says string // on standard error
	}{
		{[]string{"info", good}, 0, ""},
		{[]string{"--help"}, 0, ""},
		{[]string{"info", "--help"}, 0, ""},
		{[]string{"completion", "bash"}, 0, ""},
		{[]string{"licenses"}, 0, ""},
		{[]string{"licenses", "mine"}, 2, "mine"},
		{[]string{"info", filepath.Join(dir, "missing")}, 1, "missing"},
		{[]string{"info", "--sample-type", "cpu", good}, 1, "--sample-type cpu: files of chrome have none; those of speed"},
		{[]string{"structure", "--sample-type", "cpu", good}, 1, "have none"},
		{[]string{"diff", "--sample-type", "cpu", good, good}, 1, "--sample-type cpu: files of chrome have none"},
		{[]string{"render", "--sample-type", "cpu", good, good, "-o", filepath.Join(dir, "x.png")}, 1, "have none"},
		{[]string{"batch", "no.csv", "-o", dir}, 1, "diptych: no.csv: cannot open: no such file"},
		{[]string{"info", empty}, 1, "empty.json:0: the file is empty"},
		{[]string{"info", filepath.Join(testdata, "README.md")}, 1, "README.md"},
		{[]string{"render", empty, "-o", filepath.Join(dir, "x.png")}, 1, "empty.json"},
		{[]string{"info"}, 2, "info takes at least 1 file, not 0\nRun 'diptych info --help'"},
		{[]string{"info", "--nonsense", good}, 2, "nonsense"},
		{[]string{"render", good}, 2, "-o"},
		{[]string{"render", good, "--view", "nonsense", "-o", filepath.Join(dir, "x.png")}, 2, "nonsense"},
		{[]string{"render", good, "--size", "7", "-o", filepath.Join(dir, "x.png")}, 2, "--size 7: want"},
		{[]string{"render", good, "--size", "64x64x9", "-o", filepath.Join(dir, "x.png")}, 2, "WIDTHxHEIGHT"},
		{[]string{"render", good, "--size", "64x9", "-o", filepath.Join(dir, "x.png")}, 2, "from 64 to 8192"},
		{[]string{"info", good, "--memory", "much"}, 2, `--memory: "much" is not an amount`},
		{[]string{"diff", "", good}, 2, "the name of a file is empty"},
		{[]string{""}, 2, "the name of a file is empty"},
		{[]string{"help", "batch", "nonsense"}, 2, "help batch nonsense: there is no such command"},
		{[]string{"render", good, "--scale", "nan", "-o", filepath.Join(dir, "x.png")}, 2, "--scale NaN: want"},
		{[]string{"render", good, "--scale", "-3", "-o", filepath.Join(dir, "x.png")}, 2, "from 0.25 to 8"},
		{[]string{"open", good, "--scale", "1e30"}, 2, "from 0.25 to 8"},
		{[]string{"render", good, "--set", "theme=pink", "-o", filepath.Join(dir, "x.png")}, 2, "dark or light"},
		{[]string{"render", good, "--source", empty, "-o", filepath.Join(dir, "x.png")}, 1, "not a directory"},
		{[]string{"open", good, "--source", filepath.Join(dir, "gone")}, 1, "no such file"},
		{[]string{"open", good, filepath.Join(dir, "gone")}, 1, "gone: cannot open: no such file"},
		{[]string{"render", good, "--set", "nonsense", "-o", filepath.Join(dir, "x.png")}, 2, "key=value"},
		{[]string{"a.json", "b", "c"}, 2, "open takes at most 2 files, not 3"},
		{[]string{"dif", good, good}, 2, "dif: there is no such command and no such file; did you mean diff?"},
		{[]string{"mtach"}, 2, "did you mean match?"},
		{[]string{"hepl"}, 2, "hepl: there is no such command and no such file"},
		{[]string{"help", "diff"}, 0, ""},
		{[]string{"-v"}, 0, ""},
		{[]string{"--version"}, 0, ""},
		{[]string{"help", "batch", "plan"}, 0, ""},
		{[]string{"help", "help"}, 0, ""},
		{[]string{"help", "completion", "bash"}, 0, ""},
		{[]string{"completion", "zsh"}, 0, ""},
		{[]string{"completion", "tcsh"}, 2, "completion tcsh: there is none for this shell"},
		{[]string{"help", "nonsense"}, 2, "help nonsense: there is no such command"},
		{[]string{"diff", good, good, good}, 2, "diff takes 2 files, not 3\nRun 'diptych diff --help'"},
		{[]string{"render", "a", "-o", "x.jpg"}, 2, "-o x.jpg: pictures are PNG or SVG files"},
		{[]string{"render", "a", "--view", "window", "-o", "x.svg"}, 2, "the whole window can only be a PNG file"},
		{[]string{"generate", "a", "-"}, 2, "generate writes three files"},
		{[]string{"info", "-", "-"}, 2, "standard input can be one of the files"},
		{[]string{"diff", "-", "-"}, 2, "standard input can be one of the files"},
		{[]string{"info", "-", "--rules", "-"}, 2, "standard input can be one of the files"},
		{[]string{"diff", "--a", "-", "--b", "x", "--b", "y"}, 2, "may be read twice"},
		{[]string{"align", "--json", "--dump", "-", "a", "b"}, 2, "standard output takes one of both"},
		{[]string{"generate", "one"}, 2, "generate takes 2 files, not 1"},
		{[]string{"generate", "--edit", "slow", filepath.Join(dir, "a"), filepath.Join(dir, "b")}, 2, "kind:rate"},
		{[]string{"generate", "--edit", "slow:.1", "--edit", "slow:.2", filepath.Join(dir, "a"), filepath.Join(dir, "b")}, 2,
			"--edit slow:.2: there is another rate for slow"},
		{[]string{"generate", "--situation", "nonsense", filepath.Join(dir, "a"), filepath.Join(dir, "b")}, 2,
			"no such situation"},
		{[]string{"generate", "--calls", "-1", filepath.Join(dir, "a"), filepath.Join(dir, "b")}, 2,
			"between 1 and 2147483647"},
		{[]string{"generate", "--pace", "0", filepath.Join(dir, "a"), filepath.Join(dir, "b")}, 2, "--pace 0: want a number above 0"},
		{[]string{"generate", "--seed", "-1", "a", "b"}, 2, "--seed -1: want a whole number, 0 or more\n"},
		{[]string{"generate", "--noise", "much", "a", "b"}, 2, "--noise much: want a number\n"},
		{[]string{"diff", "--limit", "few", good, good}, 2, "--limit few: want a whole number, 0 for all\n"},
		{[]string{"diff", "--limit", "99999999999999999999", good, good}, 2, ": want a smaller number\n"},
		{[]string{"diff", "--all=some", good, good}, 2, "--all some: want true or false\n"},
		{[]string{"diff", "--fail-over", "slower=5%,,", good, good}, 2, "--fail-over slower=5%,,: want kind=size"},
		{[]string{"diff", "--fail-over", "slower=5% , moved=3", good, good}, 0, ""},
		{[]string{"batch", "pairs.csv"}, 2, "batch needs --output\nRun 'diptych batch --help'"},
		{[]string{"batch", "plan", "--a", "x"}, 2, "batch plan needs --b, --output\n"},
		{[]string{"batch", "merge"}, 2, "batch merge takes 1 directory, not 0"},
		{[]string{"export", good, good, "-o", "x"}, 2, "export needs --to perfetto, chrome, "},
		{[]string{"waits"}, 2, "waits takes 1 or 2 files, not 0\n"},
		{[]string{"export"}, 2, "export takes 2 files, not 0\n"},
		{[]string{"waits", "--rename", "nonsense", good}, 2, "want old=new"},
		{[]string{"render", filepath.Join(dir, "missing"), "--view", "nonsense", "-o", "x.png"}, 2, "aggregate, window; overview and window only alone)"},
	} {
		status, _, errs := run(t, c.args...)
		if status != c.want || !strings.Contains(errs, c.says) {
			t.Errorf("%q: exit status %d, want %d; %q", c.args, status, c.want, errs)
		}
		if status == 1 && strings.Count(errs, "\n") != 1 {
			t.Errorf("%q: a failure is one line, not %q", c.args, errs)
		}
	}
}

func TestMatchFindsATraceInItself(t *testing.T) {
	file := queueA()
	status, out, errs := run(t, "match", "--json", "--groups", "--scope", "3353:3353", file, file)
	if status != 0 {
		t.Fatal(errs)
	}
	var got struct {
		Calls, Classes, MatchedCalls struct{ A, B int }
		Pairs                        int
		Groups                       int
		GroupList                    []struct {
			A, B, Matches int
			S             float64
		}
		ElapsedNs struct{ Load, Compute int64 }
		Cached    *bool
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	if got.Calls.A == 0 || got.Calls != got.MatchedCalls || got.Classes.A != got.Classes.B {
		t.Errorf("%+v", got)
	}
	if got.Groups != 1 || len(got.GroupList) != 1 || got.GroupList[0].S != 1 ||
		got.GroupList[0].Matches != got.Pairs || got.Cached == nil || got.ElapsedNs.Load <= 0 {
		t.Errorf("groups %+v of %d pairs", got.GroupList, got.Pairs)
	}
	status, _, errs = run(t, "match", file, file, "--tau", "0.3333333333")
	if status != 2 || !strings.Contains(errs, "of at most nine decimal places") {
		t.Errorf("%d %s", status, errs)
	}
	for _, args := range [][]string{{"--tau", "1"}, {"--scope", "x:y"}, {"--groups=all"}} {
		if status, _, _ := run(t, append([]string{"match", file, file}, args...)...); status != 2 {
			t.Errorf("%q: exit status %d", args, status)
		}
	}
}

func TestRenderWritesEveryView(t *testing.T) {
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	a := filepath.Join(testdata, "gotrace/pipeline-mutex.gotrace")
	b := filepath.Join(testdata, "gotrace/pipeline-chan.gotrace")
	for _, view := range []string{"overview", "match", "window"} {
		out := filepath.Join(t.TempDir(), view+".png")
		if status, _, errs := run(t, "render", a, b, "--view", view, "--size", "320x200",
			"--set", "theme=dark", "--set", "focus-a=1ms:2ms", "-o", out); status != 0 {
			t.Fatalf("%s: %s", view, errs)
		}
		f, err := os.Open(out)
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		if s := img.Bounds().Size(); s.X != 320 || s.Y != 200 {
			t.Errorf("%s: the picture is %v", view, s)
		}
		colours := map[[3]uint32]bool{}
		for y := 0; y < 200; y += 2 {
			for x := 0; x < 320; x += 2 {
				r, g, b, _ := img.At(x, y).RGBA()
				colours[[3]uint32{r, g, b}] = true
			}
		}
		if len(colours) < 20 {
			t.Errorf("%s: the picture has %d colours only", view, len(colours))
		}
	}
}

func TestGenerateIsReadBack(t *testing.T) {
	dir := t.TempDir()
	for _, ext := range []string{".json.gz", ".uftrace"} {
		a, b := filepath.Join(dir, "a"+ext), filepath.Join(dir, "b"+ext)
		if status, _, errs := run(t, "generate", "--calls", "5000", "--threads", "5", "--edit", "insert:0.01", a, b); status != 0 {
			t.Fatal(errs)
		}
		status, out, errs := run(t, "info", "--json", a)
		if status != 0 {
			t.Fatal(errs)
		}
		var got struct {
			Calls       int
			Threads     []any
			Diagnostics []struct{ Code string }
		}
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatal(err)
		}
		for _, d := range got.Diagnostics {
			if d.Code != "reordered" { // complete events are written as they end
				t.Errorf("%s: %s", ext, d.Code)
			}
		}
		if got.Calls != 5000 || len(got.Threads) != 5 {
			t.Errorf("%s: %d calls, %d threads", ext, got.Calls, len(got.Threads))
		}
	}
}

func TestOpenIsTheDefaultCommand(t *testing.T) {
	root := newRoot()
	for _, c := range []struct{ args, want []string }{
		{nil, []string{"open"}},
		{[]string{"a", "b"}, []string{"open", "a", "b"}},
		{[]string{"info", "a"}, []string{"info", "a"}},
		{[]string{"--scale", "2", "a"}, []string{"open", "--scale", "2", "a"}},
		{[]string{"help", "info"}, []string{"help", "info"}},
		{[]string{"completion", "zsh"}, []string{"completion", "zsh"}},
	} {
		if got := withOpen(root, c.args); !slices.Equal(got, c.want) {
			t.Errorf("withOpen(%q) = %q, want %q", c.args, got, c.want)
		}
	}
}

// TestUnitsAreNotMixed: a profile in bytes and a trace in ns are refused wherever two are compared.
func TestUnitsAreNotMixed(t *testing.T) {
	const profile, timeline = "../../testdata/pprof/pipeline-mutex.heap.pprof",
		"../../testdata/uftrace/family.data.tar.gz"
	for _, args := range [][]string{
		{"match", profile, timeline}, {"align", profile, timeline}, {"diff", profile, timeline},
		{"render", profile, timeline, "-o", filepath.Join(t.TempDir(), "x.png")},
	} {
		status, _, errs := run(t, args...)
		if status != 1 || !strings.Contains(errs, "cannot be compared") || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit %d, %q", args[0], status, errs)
		}
	}
}
