//go:build linux || darwin

package tracefile

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestStampOfDirectory: whatever is done to any file of a directory, however deep it lies, the
// directory has another stamp; if nothing is done, it has the same.
func TestStampOfDirectory(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	deep := filepath.Join(dir, "a", "b")
	file, other := filepath.Join(deep, "1.dat"), filepath.Join(deep, "2.dat")
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(os.MkdirAll(deep, 0o700))
	write(t, file, "content")
	seen := map[sum]string{}
	for _, x := range []struct {
		name string
		do   func()
	}{
		{"as it is", func() {}},
		{"another content of the same length, with the old time", func() {
			st, err := os.Stat(file)
			check(err)
			write(t, file, "CONTENT")
			check(os.Chtimes(file, st.ModTime(), st.ModTime()))
		}},
		{"one more file", func() { write(t, other, "") }},
		{"a longer file", func() { write(t, other, "more") }},
		{"another name", func() { check(os.Rename(other, filepath.Join(deep, "3.dat"))) }},
		{"another mode", func() { check(os.Chmod(file, 0o640)) }},
		{"a file replaced", func() {
			check(os.Remove(file))
			write(t, file, "CONTENT")
		}},
		{"an empty directory", func() { check(os.Mkdir(filepath.Join(dir, "c"), 0o700)) }},
		{"one file less", func() { check(os.Remove(file)) }},
	} {
		time.Sleep(10 * time.Millisecond) // times have the granularity of the system's clock
		x.do()
		first, err := stampOf(ctx, dir)
		check(err)
		again, err := stampOf(ctx, dir)
		check(err)
		if first.sum != again.sum {
			t.Errorf("%s: two stamps", x.name)
		}
		if was, known := seen[first.sum]; known {
			t.Errorf("%s: the stamp of %s", x.name, was)
		}
		seen[first.sum] = x.name
	}
	check(os.Symlink("..", filepath.Join(deep, "loop")))
	if _, err := stampOf(ctx, dir); !errors.Is(err, errNoStamp) {
		t.Errorf("a link to a directory: %v", err)
	}
}
