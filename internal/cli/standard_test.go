package cli

import (
	"bufio"
	"bytes"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"diptych/internal/testtrace"
)

// withStandardInput makes standard input a pipe that gives some content, or the file itself.
func withStandardInput(t *testing.T, path string, content io.Reader) {
	t.Helper()
	before := os.Stdin
	t.Cleanup(func() { os.Stdin = before })
	if content == nil {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		os.Stdin = f
		return
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	os.Stdin = r
	go func() {
		defer w.Close()
		_, _ = io.Copy(w, content) // the reader may end before
	}()
}

// TestStandardInput reads traces of several formats and packings from standard input, as a pipe and
// as a file: they are what they are when named.
func TestStandardInput(t *testing.T) {
	for _, name := range []string{"uftrace/family.data.tar.gz", "chrome/node-n8.json.gz",
		"gotrace/pipeline-chan.gotrace", "pprof/pipeline-mutex.heap.pprof"} {
		path := filepath.Join(testdata, name)
		want, errs := infoOf(path)
		if errs != "" {
			t.Fatal(errs)
		}
		want = strings.Replace(want, filepath.Clean(path), "standard input", 1)
		packed, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for how, content := range map[string]io.Reader{"file": nil, "pipe": bytes.NewReader(packed),
			"unpacked": unpacked(t, packed)} {
			withStandardInput(t, path, content)
			if status, out, errs := run(t, "info", "--json", "-"); status != 0 || out != want {
				t.Errorf("%s as %s: exit status %d, %s%s", name, how, status, errs, out)
			}
		}
	}
}

// unpacked returns content without its compression.
func unpacked(t *testing.T, content []byte) io.Reader {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return bytes.NewReader(content)
	}
	return z
}

// TestStandardInputIsASide compares a stream with a file, on both sides, and fails clearly if there
// is nothing to read.
func TestStandardInputIsASide(t *testing.T) {
	a, b := queueA(), filepath.Join(testdata, "uftrace/queue-2p2c.data.tar.gz")
	_, want, _ := run(t, "diff", a, b)
	for args, path := range map[[2]string]string{{"-", b}: a, {a, "-"}: b} {
		withStandardInput(t, path, nil)
		if status, out, errs := run(t, "diff", args[0], args[1]); status != 0 || out != want {
			t.Errorf("%q: exit status %d, %s%s", args, status, errs, out)
		}
	}
	for path, want := range map[string]string{os.DevNull: "standard input:0: the file is empty",
		t.TempDir(): "standard input: cannot open: it is a directory"} {
		withStandardInput(t, path, nil)
		if status, _, errs := run(t, "info", "-"); status != 1 || !strings.Contains(errs, want) {
			t.Errorf("%s: exit status %d, %q", path, status, errs)
		}
	}
}

// TestEveryCommandReadsStandardInput has each command that opens traces read one of two from a pipe,
// also a named one, and refuses two.
func TestEveryCommandReadsStandardInput(t *testing.T) {
	a := filepath.Join("..", "..", "testdata", "uftrace", "family.data.tar.gz") // small, for it is read 20 times
	b := a
	packed, err := os.ReadFile(a)
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	tried := 0
	for _, cmd := range newRoot().Commands() {
		if cmd.Flags().Lookup("memory") == nil || cmd.Name() == "open" || cmd.Name() == "render" {
			continue // these need a display; their files are read alike
		}
		if cmd.Name() == "batch" {
			continue // it opens a list of traces
		}
		args := map[string][]string{"report": {"-o", out + ".html"}, "export": {"--to", "csv", "-o", out}}[cmd.Name()]
		args = append([]string{cmd.Name()}, args...)
		second := []string{b}
		if cmd.Name() == "info" {
			second = nil
		}
		withStandardInput(t, "", bytes.NewReader(packed))
		if status, _, errs := run(t, append(append(args, "-"), second...)...); status != 0 {
			t.Errorf("%s -: exit status %d, %s", cmd.Name(), status, errs)
		}
		if status, _, errs := run(t, append(args, "-", "-")...); status != 2 ||
			!strings.Contains(errs, "-: standard input can be one of the files, not several") {
			t.Errorf("%s - -: exit status %d, %s", cmd.Name(), status, errs)
		}
		fifo := filepath.Join(t.TempDir(), "fifo")
		testtrace.Pipe(t, fifo)
		done := make(chan error, 1)
		go func() { done <- os.WriteFile(fifo, packed, 0) }()
		if status, _, errs := run(t, append(append(args, fifo), second...)...); status != 0 {
			t.Errorf("%s FIFO: exit status %d, %s", cmd.Name(), status, errs)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
		tried++
	}
	if tried < 9 {
		t.Errorf("%d commands are tried", tried)
	}
	withStandardInput(t, a, nil)
	if status, _, errs := run(t, "diff", "--a", "-", "--a", a, "--b", b); status != 2 ||
		!strings.Contains(errs, "each is a file, which may be read twice, and neither - nor a pipe") {
		t.Errorf("several runs: exit status %d, %s", status, errs)
	}
}

// TestPipeWithoutWriter: a named pipe that nobody writes to is waited for, and that is said.
func TestPipeWithoutWriter(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	testtrace.Pipe(t, fifo)
	errs, out := io.Pipe()
	status := make(chan int, 1)
	go func() {
		status <- Main([]string{"info", fifo}, io.Discard, out)
		out.Close()
	}()
	said := bufio.NewReader(errs)
	line, err := said.ReadString('\n')
	if want := "diptych: waiting for a program that writes to the pipe " + fifo + "\n"; err != nil || line != want {
		t.Fatalf("%q, %v, want %q", line, err, want)
	}
	if err := os.WriteFile(fifo, []byte(`[{"name":"f","ph":"X","ts":1,"dur":1}]`), 0); err != nil {
		t.Error(err)
	}
	if rest, err := io.ReadAll(said); <-status != 0 || len(rest) > 0 {
		t.Errorf("%q, %v", rest, err)
	}
}

// TestStandardInputIsNotOverwritten: what standard input reads is an input like any other.
func TestStandardInputIsNotOverwritten(t *testing.T) {
	in := newInputs(t)
	for _, commands := range writers {
		withStandardInput(t, in.a, nil)
		refused(t, in.dir, "a.json", append(append([]string{}, commands[0]...), in.a, "-", in.b)...)
	}
	withStandardInput(t, in.a, nil)
	f, err := os.OpenFile(in.a, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var errs bytes.Buffer
	if status := Main([]string{"info", "-"}, f, &errs); status != 2 ||
		!strings.Contains(errs.String(), "standard input: this command reads the file") {
		t.Errorf("exit status %d, %q", status, errs.String())
	}
}

// TestStandardOutput: - gives what a file would hold, and nothing else.
func TestStandardOutput(t *testing.T) {
	in := newInputs(t)
	for _, commands := range writers {
		for _, args := range commands {
			file := filepath.Join(in.dir, "out")
			if status, _, errs := run(t, append(append([]string{}, args...), file, in.a, in.b)...); status != 0 {
				t.Fatal(errs)
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			status, out, errs := run(t, append(append([]string{}, args...), "-", in.a, in.b)...)
			if status != 0 || !same(out, string(want)) {
				t.Errorf("%q: exit status %d, %s; %d bytes, want %d", args, status, errs, len(out), len(want))
			}
		}
	}
	if left, err := filepath.Glob(filepath.Join(in.dir, "-*")); err != nil || len(left) > 0 {
		t.Errorf("a file is called %q", left)
	}
}

// same compares outputs but for how long it took to make them.
func same(a, b string) bool {
	before := func(s string) string { s, _, _ = strings.Cut(s, `"elapsedNs"`); return s }
	return before(a) == before(b)
}

// TestVersion says the version, the commit and the toolchain.
func TestVersion(t *testing.T) {
	status, out, _ := run(t, "--version")
	if status != 0 || !strings.HasPrefix(out, "diptych ") || !strings.Contains(out, runtime.Version()) {
		t.Errorf("exit status %d, %q", status, out)
	}
	build := &debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Version: "v0.3.0"},
		Settings: []debug.BuildSetting{{Key: "GOOS", Value: "linux"}, {Key: "GOARCH", Value: "amd64"},
			{Key: "vcs.revision", Value: "644c0421"}, {Key: "vcs.time", Value: "2026-11-22T11:40:12Z"},
			{Key: "vcs.modified", Value: "true"}}}
	want := "diptych v0.3.0\ncommit 644c0421 of 2026-11-22T11:40:12Z, with changes\ngo1.26.8 linux/amd64\n"
	if got := describeBuild(build); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestGroupsNameFunctions: the groups of two versions name the functions of their calls, both if the
// sides call them differently.
func TestGroupsNameFunctions(t *testing.T) {
	in := newInputs(t)
	renamed := strings.Replace(content(t, in.dir)[in.b], "main", "start", 1)
	if err := os.WriteFile(in.b, []byte(renamed), 0o600); err != nil {
		t.Fatal(err)
	}
	_, out, _ := run(t, "match", "--groups", "--rename", "main=start", in.a, in.b)
	if !strings.Contains(out, "  function\n") || !strings.Contains(out, "  main / start\n") {
		t.Error(out)
	}
	m := runJSON(t, "match", "--groups", in.a, in.a)
	group := m["groupList"].([]any)[0].(map[string]any)["functions"].(map[string]any)
	if group["a"] != "main" || group["b"] != "main" {
		t.Errorf("%v", group)
	}
}

// TestManifestFromStandardInput: a plan that is written to standard output is one for standard input.
// The batch has the bytes of that of a file in the working directory; it goes on in the same way.
func TestManifestFromStandardInput(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"A/1.json", "A/2.json", "B/1.json", "B/2.json"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		testtrace.WriteScript(t, name, "f", 10., "g", 20.)
	}
	plan := []string{"batch", "plan", "--a", "A/*", "--b", "B/*", "-o"}
	mustRun(t, append(plan, "m.csv")...)
	mustRun(t, "batch", "m.csv", "-o", "out")
	want := filesBelow(t, "out")
	text := mustRun(t, append(plan, "-")...)
	for _, more := range []string{"", "--resume"} {
		withStandardInput(t, "", strings.NewReader(text))
		mustRun(t, append([]string{"batch", "-", "-o", "piped"}, strings.Fields(more)...)...)
		if got := filesBelow(t, "piped"); !maps.Equal(got, want) {
			t.Errorf("%s: from standard input, the files are other ones", more)
		}
	}
	withStandardInput(t, "", strings.NewReader("pair,a\n"))
	if status, _, errs := run(t, "batch", "-", "-o", "none"); status != 1 ||
		errs != "diptych: standard input: line 1: columns \"pair,a\"; want pair,a,b, of which pair may be left out\n" {
		t.Errorf("exit status %d, %s", status, errs)
	}
}
