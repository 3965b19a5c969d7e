package output

import (
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// inDir makes the test run in a new directory.
func inDir(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
}

// write writes a file with the content text and commits it.
func write(path, text string) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	defer f.Discard()
	_, _ = io.WriteString(f, text) // Commit has the error
	return f.Commit()
}

// want checks which files the directory has, with what they hold. Links are not followed.
func want(t *testing.T, files map[string]string) {
	t.Helper()
	got := map[string]string{}
	err := filepath.WalkDir(".", func(name string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		if e.Type()&os.ModeSymlink != 0 {
			var to string
			to, err = os.Readlink(name)
			text = []byte("→ " + to)
		}
		got[name] = string(text)
		return err
	})
	if err != nil || !maps.Equal(got, files) {
		t.Errorf("there are %q, %v, want %q", got, err, files)
	}
}

// each runs a test for files without a name, as on Linux, and with one, as elsewhere.
func each(t *testing.T, test func(t *testing.T)) {
	t.Run("by place", test)
	place = temporaryNamed
	defer func() { place = temporary }()
	t.Run("named", test)
}

func TestFileIsWholeOrNotThere(t *testing.T) {
	each(t, func(t *testing.T) {
		inDir(t)
		f, err := Create("a")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, "half"); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat("a"); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("it is there before it is complete: %v", err)
		}
		f.Discard()
		want(t, map[string]string{})
		for _, text := range []string{"first", "second"} {
			if err := write("a", text); err != nil {
				t.Fatal(err)
			}
			want(t, map[string]string{"a": text})
		}
	})
}

// TestLinksStay: what a symbolic link leads to is written, whether it is there or not.
func TestLinksStay(t *testing.T) {
	each(t, func(t *testing.T) {
		inDir(t)
		for name, to := range map[string]string{"a": "real", "b": "a", "dangling": "dir/new"} {
			if err := os.Symlink(to, name); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(os.WriteFile("real", []byte("old"), 0o600), os.Mkdir("dir", 0o700),
			write("b", "one"), write("dangling", "two")); err != nil {
			t.Fatal(err)
		}
		want(t, map[string]string{"a": "→ real", "b": "→ a", "real": "one",
			"dangling": "→ dir/new", "dir/new": "two"})
	})
}

// TestErrorsNameTheOutputOnce has outputs that fail, at the beginning and later: the message names
// the file that was asked for and the reason, each once.
func TestErrorsNameTheOutputOnce(t *testing.T) {
	each(t, func(t *testing.T) {
		inDir(t)
		if err := errors.Join(os.Mkdir("dir", 0o700), os.Symlink("loop", "loop"),
			os.Symlink("/dev/full", "full")); err != nil {
			t.Fatal(err)
		}
		for path, want := range map[string]string{
			"none/file":  "none/file: cannot create: no such file or directory",
			"dir":        "dir: cannot write: it is a directory",
			"loop":       "loop: cannot create: too many levels of symbolic links",
			"/proc/file": "/proc/file: cannot create: ",
			"full":       "full: cannot write: no space left on device",
		} {
			err := write(path, "text")
			if err == nil || !strings.HasPrefix(err.Error(), want) ||
				strings.Count(err.Error(), ": ") != 2 {
				t.Errorf("%v, want %s", err, want)
			}
		}
	})
}

// TestFirstErrorCounts: after a failed write nothing is written, and the target stays.
func TestFirstErrorCounts(t *testing.T) {
	inDir(t)
	if err := write("a", "old"); err != nil {
		t.Fatal(err)
	}
	f, err := Create("a")
	if err != nil {
		t.Fatal(err)
	}
	f.file.Close() // so that writing fails
	_, first := io.WriteString(f, "x")
	_, second := io.WriteString(f, "y")
	if err := f.Commit(); first == nil || second != first || err != first {
		t.Errorf("%v, %v, %v", first, second, err)
	}
	want(t, map[string]string{"a": "old"})
}

// TestDirectories replaces a directory as a whole.
func TestDirectories(t *testing.T) {
	inDir(t)
	for _, names := range [][]string{{"a", "b"}, {"b", "c"}} {
		d, err := CreateDirectory("dir/")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if err := os.WriteFile(filepath.Join(d.Name, name), []byte(names[0]), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := d.Commit(); err != nil {
			t.Fatal(err)
		}
		want(t, map[string]string{"dir/" + names[0]: names[0], "dir/" + names[1]: names[0]})
	}
	d, err := CreateDirectory("dir")
	if err != nil {
		t.Fatal(err)
	}
	d.Discard()
	want(t, map[string]string{"dir/b": "b", "dir/c": "b"})
}

// TestExchangeByRename is what other systems do.
func TestExchangeByRename(t *testing.T) {
	inDir(t)
	err := errors.Join(os.Mkdir("x", 0o700), os.Mkdir("y", 0o700), os.WriteFile("x/1", nil, 0o600),
		exchangeByRename("x", "y"))
	if err != nil {
		t.Fatal(err)
	}
	want(t, map[string]string{"y/1": ""})
	if err := exchangeByRename("x", "none"); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// TestSweep: what a dead process left is removed by the next output of that name, and nothing else
// is: not what a living process writes, nor another target's.
func TestSweep(t *testing.T) {
	inDir(t)
	living, name, err := temporaryNamed("", "a")
	if err != nil {
		t.Fatal(err)
	}
	defer living.Close()
	stays := []string{".a.diptych", ".b.123.diptych", "a.123.diptych", ".a.b.123.diptych", name}
	for _, name := range append([]string{".a.dead.diptych"}, stays[:4]...) {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(".a.folder.diptych/sub", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := write("a", ""); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(".")
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	stays = append(stays, "a")
	slices.Sort(stays)
	if err != nil || !slices.Equal(got, stays) {
		t.Errorf("left are %q, %v, want %q", got, err, stays)
	}
}

// TestDirectoriesAtOnce commits several directories to one target at the same time: each succeeds,
// one of them is there, whole, and nothing else.
func TestDirectoriesAtOnce(t *testing.T) {
	inDir(t)
	for round := range 50 {
		target := filepath.Join("at-once", strconv.Itoa(round))
		if err := os.MkdirAll("at-once", 0o700); err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		begin := make(chan struct{})
		for range 6 {
			d, err := CreateDirectory(target)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"x", "y"} {
				if err := os.WriteFile(filepath.Join(d.Name, name), []byte(name), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			all.Go(func() {
				<-begin
				if err := d.Commit(); err != nil {
					t.Error(err)
				}
			})
		}
		close(begin)
		all.Wait()
		for _, name := range []string{"x", "y"} {
			if text, err := os.ReadFile(filepath.Join(target, name)); err != nil || string(text) != name {
				t.Fatalf("round %d: %s is %q, %v", round, name, text, err)
			}
		}
		if entries, err := os.ReadDir("at-once"); err != nil || len(entries) != round+1 {
			t.Fatalf("round %d: left are %v, %v", round, entries, err)
		}
	}
}
