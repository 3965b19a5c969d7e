//go:build linux

package batch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// filling are the environment variables that make the test below the process that may not write
// more: what it does (run or merge), in which directory, and how many bytes a file may have, 0 for
// any number.
const (
	fillingDoes  = "DIPTYCH_BATCH_FILLING"
	fillingIn    = "DIPTYCH_BATCH_FILLING_IN"
	fillingLimit = "DIPTYCH_BATCH_FILLING_LIMIT"
)

// pairsFilling is how many pairs the batch has; the first two cannot be compared, and so are small:
// the others have findings.
const pairsFilling = 6

// loadFilling makes the traces of the pairs.
func loadFilling(t *testing.T) Loader {
	return func(_ context.Context, path string) (*trace.Trace, error) {
		if filepath.Base(path) == "bad" {
			return nil, errors.New("it is torn")
		}
		steps := []any{"begin", 5.}
		for k := range 8 {
			if strings.Contains(path, "/B/") {
				steps = append(steps, fmt.Sprint("step of ", filepath.Base(path), k), float64(10+k))
			}
			steps = append(steps, "work", 20.)
		}
		return testtrace.Script(t, steps...), nil
	}
}

// fillOnce runs the batch.
func fillOnce(t *testing.T, dir string, workers int) error {
	_, err := Run(t.Context(), toFill(dir), dir, Options{Compared: Compared{Load: loadFilling(t)},
		Workers: workers, Shard: Whole, Resume: true})
	return err
}

func toFill(dir string) *Manifest {
	m := &Manifest{Path: filepath.Join(filepath.Dir(dir), "m.csv")}
	for k := range pairsFilling {
		b := fmt.Sprintf("B/%d", k)
		if k < 2 {
			b = "bad"
		}
		m.Pairs = append(m.Pairs, Pair{fmt.Sprint("rank", k), fmt.Sprintf("A/%d", k), b})
	}
	return m
}

// fill does what the environment says, and prints the error.
func fill(t *testing.T, does string) {
	if limit, err := strconv.ParseUint(os.Getenv(fillingLimit), 10, 64); err == nil && limit > 0 {
		signal.Ignore(unix.SIGXFSZ) // then writing fails with EFBIG
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
			t.Fatal(err)
		}
	}
	dir := os.Getenv(fillingIn)
	var err error
	if does == "merge" {
		var d *Directory
		if d, err = OpenDirectory(dir); err == nil {
			_, err = Merge(t.Context(), d, nil)
		}
	} else {
		err = fillOnce(t, dir, 1)
	}
	fmt.Printf("error: %v\n", err)
}

// filled runs a process that fills a disk, and returns its error.
func filled(t *testing.T, does, dir string, limit int) string {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run=^TestDiskFull$")
	c.Env = append(os.Environ(), fillingDoes+"="+does, fillingIn+"="+dir, fmt.Sprint(fillingLimit, "=", limit))
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	_, said, _ := strings.Cut(string(out), "error: ")
	said, _, _ = strings.Cut(said, "\n")
	return said
}

var partName = regexp.MustCompile(`^/parts/\d{5}/(pairs|functions|findings|waits|timeline)\.parquet$`)

// wholeParts returns how many parts are there, all of which have to be those of the whole batch, and
// fails if something else is left.
func wholeParts(t *testing.T, want map[string]string, dir, why string) int {
	t.Helper()
	n := 0
	for name, text := range tree(t, dir) {
		if partName.MatchString(name) {
			n++
		}
		if text != want[name] {
			t.Errorf("%s: %s is left, or not whole", why, name)
		}
	}
	if entries, err := os.ReadDir(filepath.Join(dir, partsIn)); err == nil && n != len(Tables)*len(entries) {
		t.Errorf("%s: %d files in %d folders of parts", why, n, len(entries))
	}
	return n / len(Tables)
}

// TestDiskFull lets the disk be full at any moment: before the batch is begun, in a part, while it is
// merged. The error names the file and the reason, parts are whole or absent, nothing else is left, and
// once there is room the batch is completed to that of one run, to the byte.
func TestDiskFull(t *testing.T) {
	if does := os.Getenv(fillingDoes); does != "" {
		fill(t, does)
		return
	}
	root := t.TempDir()
	whole := filepath.Join(root, "whole")
	if err := fillOnce(t, whole, 2); err != nil {
		t.Fatal(err)
	}
	unmerged := tree(t, whole)
	d, err := OpenDirectory(whole)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Merge(t.Context(), d, nil); err != nil {
		t.Fatal(err)
	}
	want := tree(t, whole)
	small := 0 // the largest file of the parts that are small, which those of the others exceed
	for name, text := range unmerged {
		if !strings.HasPrefix(name, "/parts/") || name < "/parts/00002" {
			small = max(small, len(text))
		}
	}
	t.Run("limit", func(t *testing.T) {
		dir := filepath.Join(root, "limited")
		for _, c := range []struct{ limit, parts int }{{10, 0}, {small, 2}} {
			said := filled(t, "run", dir, c.limit)
			if !strings.HasPrefix(said, dir) || !strings.Contains(said, "cannot write: file too large") {
				t.Errorf("a file may have %d bytes: %q", c.limit, said)
			}
			if n := wholeParts(t, unmerged, dir, said); n != c.parts {
				t.Errorf("a file may have %d bytes: %d parts, want %d", c.limit, n, c.parts)
			}
		}
		if err := fillOnce(t, dir, 2); err != nil {
			t.Fatal(err)
		}
		said := filled(t, "merge", dir, small)
		if !strings.Contains(said, "cannot write: file too large") {
			t.Errorf("merging: %q", said)
		}
		alike(t, unmerged, dir, "not merged")
		if said := filled(t, "merge", dir, 0); said != "<nil>" {
			t.Error(said)
		}
		alike(t, want, dir, "merged at last")
	})
	t.Run("tmpfs", func(t *testing.T) { fillTmpfs(t, unmerged) })
}

// fillTmpfs fills file systems of growing sizes, where that is permitted.
func fillTmpfs(t *testing.T, want map[string]string) {
	at := t.TempDir()
	mount := func(flags uintptr, pages int) error {
		return unix.Mount("tmpfs", at, "tmpfs", flags, fmt.Sprintf("size=%d", pages*os.Getpagesize()))
	}
	if err := mount(0, 1); errors.Is(err, unix.EPERM) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Unmount(at, unix.MNT_DETACH) })
	dir, seen := filepath.Join(at, "out"), 0
	for pages := 1; ; pages += testtrace.Sized(9, 1) {
		if err := mount(unix.MS_REMOUNT, pages); err != nil {
			t.Fatal(err)
		}
		err := fillOnce(t, dir, 2)
		if err == nil {
			break
		}
		if !errors.Is(err, unix.ENOSPC) || !strings.Contains(err.Error(), at) {
			t.Fatalf("%d pages: %v", pages, err)
		}
		wholeParts(t, want, dir, fmt.Sprint(pages, " pages"))
		seen++
	}
	alike(t, want, dir, "on a disk that grows")
	if seen < 3 {
		t.Errorf("the disk was full %d times", seen)
	}
}
