package cli

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"diptych/internal/testtrace"
)

// writeFile writes a file that has nothing to do with any input.
func writeFile(path string, content func(io.Writer) error) error {
	o, err := newOutput(path, nil, nil)
	if err != nil {
		return err
	}
	return o.write(content)
}

// TestOutput holds that a file is written whole or left as it was, and that a symbolic link stays a
// link and a file keeps its mode.
func TestOutput(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	failed := errors.New("failed")
	err := writeFile(link, func(w io.Writer) error {
		_, _ = io.WriteString(w, "half")
		return failed
	})
	if got, _ := os.ReadFile(file); !errors.Is(err, failed) || string(got) != "old" {
		t.Errorf("%q, %v", got, err)
	}
	say := func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }
	if err := writeFile(link, say); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != "new" {
		t.Errorf("%q, %v", got, err)
	}
	if at, err := os.Stat(file); err != nil || at.Mode().Perm() != 0o600 {
		t.Errorf("what only its owner could read: %v, %v", at, err)
	}
	if to, err := os.Readlink(link); err != nil || to != file {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("%v, %v", left, err)
	}
}

// TestOutputNowhere holds that an error names the file that was asked for, and no other.
func TestOutputNowhere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none", "file")
	err := writeFile(path, func(io.Writer) error { return nil })
	if want := path + ": cannot create: "; !errors.Is(err, os.ErrNotExist) ||
		!strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), ".diptych") {
		t.Errorf("%v, want %s…", err, want)
	}
}

// TestOutputToPipe holds that a pipe is written to, not replaced.
func TestOutputToPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	testtrace.Pipe(t, pipe)
	got := make(chan string)
	go func() {
		b, err := os.ReadFile(pipe)
		if err != nil {
			b = []byte(err.Error())
		}
		got <- string(b)
	}()
	err := writeFile(pipe, func(w io.Writer) error { _, err := io.WriteString(w, "said"); return err })
	if s := <-got; err != nil || s != "said" {
		t.Errorf("%q, %v", s, err)
	}
}

// writers are the commands that read traces and write a file, each without its traces and with the
// flag for the file last. The traces are A and B.
var writers = map[string][][]string{
	"align": {{"align", "--dump"}},
	"export": {{"export", "--to", "json", "-o"}, {"export", "--to", "perfetto", "-o"},
		{"export", "--to", "csv", "--table", "calls", "-o"}, {"export", "--to", "speedscope", "-o"},
		{"export", "--to", "folded", "-o"}, {"export", "--to", "pprof", "-o"},
		{"export", "--to", "parquet", "-o"}},
	"report": {{"report", "-o"}, {"report", "--to", "md", "-o"}},
	"render": {{"render", "--size", "64x64", "-o"}},
}

// inputs are files that a command reads, in a directory of their own.
type inputs struct {
	dir, a, b, rules string
}

func newInputs(t *testing.T) *inputs {
	t.Helper()
	dir := t.TempDir()
	in := &inputs{dir, filepath.Join(dir, "a.json"), filepath.Join(dir, "b.json"),
		filepath.Join(dir, "names.rules")}
	event := `[{"ph":"X","pid":1,"tid":1,"name":"main","ts":0,"dur":9}]`
	for path, text := range map[string]string{in.a: event, in.b: event, in.rules: "wait lock_*\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return in
}

// content returns what each file below a directory holds. Links are listed but not followed.
func content(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		if e.Type()&os.ModeSymlink != 0 {
			all[path], err = os.Readlink(path)
			return err
		}
		b, err := os.ReadFile(path)
		all[path] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// filesBelow returns what is in the files of a directory, by their paths in it.
func filesBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for path, text := range content(t, dir) {
		files[strings.TrimPrefix(path, dir)] = text
	}
	return files
}

// refused runs a command and fails t unless it ends with status 2 and one line that names the file,
// and has changed nothing in dir.
func refused(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	before := content(t, dir)
	status, out, errs := run(t, args...)
	if status != 2 || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, name) || out != "" {
		t.Errorf("%q: exit status %d, want 2 and one line that names %s; printed %q and %q", args,
			status, name, out, errs)
	}
	if after := content(t, dir); !maps.Equal(before, after) {
		t.Errorf("%q changed the files: %q, were %q", args, after, before)
	}
}

// aliases returns other names of a file: relative to the working directory, through a symbolic link
// to the file or to its directory, and a hard link.
func aliases(t *testing.T, path string) map[string]string {
	t.Helper()
	dir := filepath.Dir(path)
	t.Chdir(dir)
	soft, hard, folder := filepath.Join(dir, "soft"), filepath.Join(dir, "hard"),
		filepath.Join(dir, "folder")
	for _, err := range []error{os.Symlink(path, soft), os.Link(path, hard),
		os.Symlink(dir, folder)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	name := filepath.Base(path)
	return map[string]string{"plain": path, "relative": "./" + name, "symbolic link": soft,
		"hard link": hard, "linked directory": filepath.Join(folder, name)}
}

// TestInputsAreNotOverwritten holds that no command writes over a trace that it reads, whatever
// name the trace has.
func TestInputsAreNotOverwritten(t *testing.T) {
	for name, commands := range writers {
		t.Run(name, func(t *testing.T) {
			in := newInputs(t)
			for what, out := range aliases(t, in.a) {
				for _, args := range commands {
					t.Run(what, func(t *testing.T) {
						refused(t, in.dir, filepath.Base(out), append(slices.Clone(args), out, in.a, in.b)...)
						refused(t, in.dir, filepath.Base(out), append(slices.Clone(args), out, in.b, in.a)...)
					})
				}
			}
			// The trace may be the one that has another name.
			refused(t, in.dir, "a.json", append(slices.Clone(commands[0]), in.a, "soft", in.b)...)
			refused(t, in.dir, "names.rules", append(slices.Clone(commands[0]), in.rules, "--rules",
				"names.rules", in.a, in.b)...)
		})
	}
}

// TestInputDirectoriesAreNotChanged holds the same of all that lies in a directory that is read.
func TestInputDirectoriesAreNotChanged(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.uftrace"), filepath.Join(dir, "b.uftrace")
	if status, _, errs := run(t, "generate", "--calls", "500", "--threads", "2", a, b); status != 0 {
		t.Fatal(errs)
	}
	dat, err := filepath.Glob(filepath.Join(a, "*.dat"))
	if err != nil || len(dat) == 0 {
		t.Fatal(dat, err)
	}
	link, hard, folder := filepath.Join(dir, "link"), filepath.Join(dir, "hard"),
		filepath.Join(dir, "folder")
	for _, err := range []error{os.Symlink(dat[0], link), os.Link(dat[0], hard),
		os.Symlink(a, folder)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, commands := range writers {
		for _, out := range []string{dat[0], filepath.Join(a, "info"), link, hard, a,
			filepath.Join(a, "new.json"), filepath.Join(folder, "new.json"), folder} {
			refused(t, dir, filepath.Base(out), append(slices.Clone(commands[0]), out, a, b)...)
		}
		refused(t, dir, "hard", append(slices.Clone(commands[0]), hard, folder, b)...)
	}
}

// TestGeneratedFilesAreApart holds that the outputs of generate are not the same file and none lies
// in another.
func TestGeneratedFilesAreApart(t *testing.T) {
	in := newInputs(t)
	for _, out := range aliases(t, in.a) {
		refused(t, in.dir, filepath.Base(out), "generate", "--calls", "500", in.a, out)
		refused(t, in.dir, "a.json", "generate", "--calls", "500", out, in.a)
	}
	for _, pair := range [][2]string{{"new.json", "./new.json"}, {"folder/new.json", "new.json"},
		{"c.json.truth.json", "c.json"}, {"c.uftrace", "c.uftrace/b.json"}, {"c.uftrace/x", "c.uftrace"}} {
		refused(t, in.dir, pair[1], "generate", "--calls", "500", pair[0], pair[1])
	}
}

// TestStandardOutputIsNoInput holds that nothing is printed into a file that is read.
func TestStandardOutputIsNoInput(t *testing.T) {
	in := newInputs(t)
	before := content(t, in.dir)
	for _, args := range [][]string{{"info", in.b, in.a}, {"diff", in.a, in.b}, {"waits", in.a}} {
		f, err := os.OpenFile(in.a, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		var errs bytes.Buffer
		if status := Main(args, f, &errs); status != 2 || !strings.Contains(errs.String(), in.a) {
			t.Errorf("%q: exit status %d, %q", args, status, errs.String())
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if after := content(t, in.dir); !maps.Equal(before, after) {
		t.Errorf("the files are now %q", after)
	}
}

// TestEveryWriterIsTested holds that writers has every command with a flag that names a file to
// write.
func TestEveryWriterIsTested(t *testing.T) {
	for _, cmd := range newRoot().Commands() {
		if cmd.Name() == "batch" {
			continue // it writes a directory: TestBatchKeepsInputs
		}
		if writes(cmd) && writers[cmd.Name()] == nil {
			t.Errorf("%s writes a file and is not tested", cmd.Name())
		}
	}
}

// writes reports whether a command has a flag that takes a file to write.
func writes(cmd *cobra.Command) bool {
	return cmd.Flags().Lookup("output") != nil || cmd.Flags().Lookup("dump") != nil
}
