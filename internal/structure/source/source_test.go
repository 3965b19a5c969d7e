package source

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"diptych/internal/testtrace"
)

// write makes files below a directory.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRead holds which files a folder has, and their lines.
func TestRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "shop")
	write(t, dir, map[string]string{
		"main.go":             "package main\n\nfunc main() {}\n",
		"cart/cart.GO":        "no line feed at the end",
		"empty.c":             "",
		"notes.txt":           "not a program\n",
		"picture.c":           "binary\x00",
		".gitignore":          "# comment\n*.gen.go\n!keep.gen.go\n/build/\nlogs/**/x.c\n",
		"a.gen.go":            "ignored\n",
		"keep.gen.go":         "kept\n",
		"build/b.c":           "ignored\n",
		"deep/build/b.c":      "kept: the pattern is anchored\n",
		"logs/2024/x.c":       "ignored\n",
		"sub/.gitignore":      "local.c\r\n",
		"sub/local.c":         "ignored\n",
		"sub/sub/local.c":     "ignored\n",
		"local.c":             "kept: the pattern holds below sub\n",
		".git/hooks/x.sh":     "ignored\n",
		".git/info/exclude":   "private.c\n",
		"private.c":           "ignored\n",
		"sub/private.c":       "ignored\n",
		"vendor/lib/lib.rs":   "a\nb\n",
		"vendor/.gitignore":   "",
		"cart/.gitignore/x.c": "a folder may have that name\n",
	})
	var last [2]int64
	report := func(done, total int64) { last = [2]int64{done, total} }
	f, err := Read(context.Background(), dir, report)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, file := range f.Files {
		got = append(got, fmt.Sprint(file.Path, " ", file.Lines))
	}
	want := []string{"cart/.gitignore/x.c 1", "cart/cart.GO 1", "deep/build/b.c 1", "empty.c 0",
		"keep.gen.go 1", "local.c 1", "main.go 3", "vendor/lib/lib.rs 2"}
	if d := cmp.Diff(want, got); d != "" || f.Name != "shop" || f.Lines() != 10 {
		t.Error(f.Name, f.Lines(), d)
	}
	if last != [2]int64{9, 9} {
		t.Error("progress ended with", last)
	}
}

func TestReadFails(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"a.c": "x"})
	if _, err := Read(context.Background(), filepath.Join(dir, "missing"), nil); err == nil ||
		!strings.Contains(err.Error(), "missing") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Read(ctx, dir, nil); err == nil {
		t.Error("a cancelled reading goes on")
	}
}

func folder(paths ...string) *Folder {
	f := &Folder{}
	for _, p := range paths {
		f.Files = append(f.Files, File{Path: p})
	}
	return f
}

// TestPatternsAreNotWaitedFor has a pipe for the file of patterns, to which nobody writes.
func TestPatternsAreNotWaitedFor(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"a.c": "a\n"})
	testtrace.Pipe(t, filepath.Join(dir, ".gitignore"))
	if f, err := Read(context.Background(), dir, nil); err != nil || len(f.Files) != 1 {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		name         string
		files, paths []string
		want         []int
	}{
		{"the longest suffix", []string{"admin/cart.go", "cart/cart.go"},
			[]string{"/ci/shop/cart/cart.go", "/ci/shop/admin/cart.go", "", "/ci/x.go"},
			[]int{1, 0, NoFile, NoFile}},
		{"a relative path", []string{"src/queue.c", "util.c"},
			[]string{"queue.c", "util.c", `src\queue.c`}, []int{NoFile, 1, 0}},
		{"two files fit as well", []string{"a/x.c", "b/x.c"}, []string{"x.c", "/c/x.c", "/r/a/x.c"},
			[]int{NoFile, NoFile, 0}},
		{"a file of a library", []string{"util.go", "cart/cart.go", "cart/item.go"},
			[]string{"/ci/cart/cart.go", "/ci/cart/item.go", "/usr/go/src/util.go", "/ci/util.go"},
			[]int{1, 2, NoFile, 0}},
		{"a library with the same folder", []string{"in/trace/a.go", "in/trace/b.go", "x/c.go"},
			[]string{"/usr/in/trace/a.go", "/ci/in/trace/a.go", "/ci/in/trace/b.go", "/ci/x/c.go"},
			[]int{NoFile, 0, 1, 2}},
		{"a part of the build's tree", []string{"lib/src/a.c", "lib/src/b.c"},
			[]string{"/build/src/a.c", "/build/src/b.c"}, []int{0, 1}},
		{"only names", []string{"a.c", "b.c"}, []string{"/x/a.c", "/y/b.c"}, []int{0, 1}},
		{"one path twice", []string{"a.c"}, []string{"a.c", "a.c"}, []int{0, 0}},
	} {
		if d := cmp.Diff(c.want, folder(c.files...).Match(c.paths)); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}
