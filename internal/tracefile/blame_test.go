//go:build linux || darwin

package tracefile

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"diptych/internal/progress"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// inUse opens a recording whose trace is mapped, and returns the file that it lies in.
func inUse(t *testing.T, c *Cache, text string) (tr *trace.Trace, file, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "run.folded")
	write(t, path, text)
	before := files(t, c, traceEnding)
	load(t, c, path, input.Options{})
	tr, err := c.Load(t.Context(), path, input.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, file = range files(t, c, traceEnding) {
		if !slices.Contains(before, file) {
			return tr, file, path
		}
	}
	t.Fatal("it is not kept")
	return nil, "", ""
}

// lookAtAll looks at all calls of a trace.
func lookAtAll(tr *trace.Trace) (sum int64) {
	for _, th := range tr.Threads {
		for i := range th.Len() {
			sum += th.Start(i)
		}
	}
	return sum
}

// TestBlameForAFault: a file that is cut while it is in use makes a panic of the next look at it, in
// goroutines of a group too. Its trace alone is lost; the file is removed, which is told once.
func TestBlameForAFault(t *testing.T) {
	c := greedy(t.TempDir())
	other, kept, _ := inUse(t, c, recording+"main;c 9\n")
	tr, file, path := inUse(t, c, recording)
	if err := os.Truncate(file, 0); err != nil {
		t.Fatal(err)
	}
	var p *progress.Panic
	func() {
		defer func() { p = progress.Caught(recover()) }()
		var group progress.Group
		group.Do(func() { lookAtAll(tr) })
		_ = group.Wait()
	}()
	if p == nil {
		t.Fatal("no fault")
	}
	lost, found := c.Blame(p)
	if !slices.Equal(lost, []*trace.Trace{tr}) || len(found) != 1 || found[0].File != file ||
		found[0].Recording != path || !found[0].InUse {
		t.Errorf("lost %v, found %+v", lost, found)
	}
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is still there: %v", err)
	}
	if _, err := os.Stat(kept); err != nil {
		t.Error(err)
	}
	lookAtAll(other)
	if lost, found := c.Blame(p); len(lost) != 1 || len(found) != 0 {
		t.Errorf("the second time: lost %d, found %v", len(lost), found)
	}
	if news := c.News(); len(news) != 1 || !strings.Contains(news[0].String(), file+" was damaged while it was in use") {
		t.Errorf("told is %v", news)
	}
	if news := c.News(); len(news) != 0 {
		t.Errorf("told twice: %v", news)
	}
	if _, hit := load(t, c, path, input.Options{}); hit {
		t.Error("what was cut is found again")
	}
}

// TestBlameForAPanic: of any other panic a file is to blame that was written over, and none that was
// not.
func TestBlameForAPanic(t *testing.T) {
	c := greedy(t.TempDir())
	tr, file, _ := inUse(t, c, recording)
	if lost, found := c.Blame("index out of range"); len(lost)+len(found) != 0 {
		t.Errorf("lost %v, found %v", lost, found)
	}
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte("something else"), 0); err != nil {
		t.Fatal(err)
	}
	lost, found := c.Blame("index out of range")
	if !slices.Equal(lost, []*trace.Trace{tr}) || len(found) != 1 {
		t.Errorf("lost %v, found %v", lost, found)
	}
	if lost, found := (*Cache)(nil).Blame("anything"); len(lost)+len(found) != 0 {
		t.Error("without a cache something is to blame")
	}
}
