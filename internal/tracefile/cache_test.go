package tracefile

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

// greedy returns a cache that keeps everything, also what was changed just now.
func greedy(dir string) *Cache {
	c := At(dir, DefaultLimit)
	c.All, c.racy = true, -time.Hour
	c.build = func() string { return "test" }
	return c
}

// load loads a trace, waits until it is kept, and reports whether it came from the cache. What it
// returns must be what traceio gives.
func load(t testing.TB, c *Cache, path string, o input.Options) (tr *trace.Trace, hit bool) {
	t.Helper()
	q, err := c.ask(context.Background(), path, o)
	if err == nil {
		hit = q.find(context.Background()) != nil
	}
	tr, err = c.Load(context.Background(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	c.Wait(context.Background())
	plain, err := traceio.Load(context.Background(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	if d := difference(plain, tr); d != "" {
		t.Errorf("%s: %s", path, d)
	}
	return tr, hit
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

const recording = "main;a 3\nmain;b 4\n"

func files(t testing.TB, c *Cache, ending string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(c.dir, "*"+ending))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestFound: a trace is found again as long as nothing that it depends on has changed, and what is
// found is what loading gives.
func TestFound(t *testing.T) {
	at := t.TempDir()
	path, other := filepath.Join(at, "run.folded"), filepath.Join(at, "copy.folded")
	c := greedy(t.TempDir())
	later := func() { write(t, path, strings.Replace(recording, "4", "5", 1)) }
	back := func() {
		st, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		write(t, path, strings.Replace(recording, "4", "6", 1))
		if err := os.Chtimes(path, st.ModTime(), st.ModTime()); err != nil {
			t.Fatal(err)
		}
	}
	for _, x := range []struct {
		name   string
		before func()
		path   string
		o      input.Options
		found  bool
	}{
		{"first", func() { write(t, path, recording) }, path, input.Options{}, false},
		{"again", func() {}, path, input.Options{}, true},
		{"with a format", func() {}, path, input.Options{Format: "folded"}, false},
		{"a copy", func() { write(t, other, recording) }, other, input.Options{}, true},
		{"of equal size", later, path, input.Options{}, false},
		{"that again", func() {}, path, input.Options{}, true},
		{"with its old time", back, path, input.Options{}, false},
		{"as at first", func() { write(t, path, recording) }, path, input.Options{}, true},
		{"with rules", func() { write(t, other, "wait a\n") }, path, input.Options{RulesFile: other}, false},
		{"with rules again", func() {}, path, input.Options{RulesFile: other}, true},
		{"with other rules", func() { write(t, other, "wait b\n") }, path, input.Options{RulesFile: other}, false},
		{"another build", func() { c.build = func() string { return "other" } }, path, input.Options{}, false},
	} {
		x.before()
		if _, hit := load(t, c, x.path, x.o); hit != x.found {
			t.Errorf("%s: found %v", x.name, hit)
		}
	}
}

// TestRecent: what was changed a moment before it was read is not kept, for it may be changed again
// with the same time.
func TestRecent(t *testing.T) {
	path, c := filepath.Join(t.TempDir(), "run.folded"), greedy(t.TempDir())
	c.racy = racy
	write(t, path, recording)
	load(t, c, path, input.Options{})
	if _, hit := load(t, c, path, input.Options{}); hit || len(files(t, c, "")) > 0 {
		t.Error("kept")
	}
}

// TestChangedMeanwhile: what is changed while it is loaded is not kept.
func TestChangedMeanwhile(t *testing.T) {
	path, c := filepath.Join(t.TempDir(), "run.folded"), greedy(t.TempDir())
	write(t, path, recording)
	q, err := c.ask(context.Background(), path, input.Options{})
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, strings.ToUpper(recording))
	if err := q.keep(context.Background(), small(t)); err == nil || len(files(t, c, "")) > 0 {
		t.Errorf("kept: %v", err)
	}
}

// TestSmall: a trace that loads at once is not kept, and a Cache that is nil keeps nothing.
func TestSmall(t *testing.T) {
	path, c := filepath.Join(t.TempDir(), "run.folded"), greedy(t.TempDir())
	c.All = false
	write(t, path, recording)
	load(t, c, path, input.Options{})
	if n := len(files(t, c, "")); n > 0 {
		t.Errorf("%d files", n)
	}
	var none *Cache
	if _, err := none.Load(context.Background(), path, input.Options{}); err != nil {
		t.Error(err)
	}
	none.Wait(context.Background())
}

// TestStopped: what waits to be written when a program ends is given up at once.
func TestStopped(t *testing.T) {
	path, c := filepath.Join(t.TempDir(), "run.folded"), greedy(t.TempDir())
	c.Delay = time.Hour
	write(t, path, recording)
	if _, err := c.Load(context.Background(), path, input.Options{}); err != nil {
		t.Fatal(err)
	}
	c.Stop()
	c.Wait(context.Background())
	if n := len(files(t, c, "")); n > 0 {
		t.Errorf("%d files", n)
	}
}

// TestLarge: a trace that takes more than half of the memory that loading may take is mapped at
// once.
func TestLarge(t *testing.T) {
	path, c := filepath.Join(t.TempDir(), "run.folded"), greedy(t.TempDir())
	c.All = false
	write(t, path, recording)
	q, err := c.ask(context.Background(), path, input.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tr, err := traceio.Load(context.Background(), path, input.Options{})
	if err != nil {
		t.Fatal(err)
	}
	mapped := q.exchange(context.Background(), tr)
	if mapped == tr || difference(tr, mapped) != "" {
		t.Errorf("not the same trace from a file: %s", difference(tr, mapped))
	}
	c.limit = 0
	if write(t, path, recording+"c 1\n"); q.exchange(context.Background(), tr) != tr {
		t.Error("exchanged what cannot be kept")
	}
}

// TestDirectories: a directory is known by all of its files, and an anchor file by those beside it.
func TestDirectories(t *testing.T) {
	for _, x := range []struct{ archive, path, change string }{
		{"uftrace/family.data.tar.gz", "*", "*/task.txt"},
		{"otf2/ring.data.tar.gz", "*/*.otf2", "*/*.def"},
		{"ctf/queue-1p3c.data.tar.gz", "*", "*/*"},
	} {
		at, c := unpacked(t, filepath.Join(testdata, x.archive)), greedy(t.TempDir())
		for k, found := range []bool{false, true, false, true} {
			if k == 2 {
				old := time.Now().Add(-time.Hour)
				if err := os.Chtimes(only(t, at, x.change), old, old); err != nil {
					t.Fatal(err)
				}
			}
			if _, hit := load(t, c, only(t, at, x.path), input.Options{}); hit != found {
				t.Errorf("%s, time %d: found %v", x.archive, k, hit)
			}
		}
	}
}

// only returns the first file of a pattern.
func only(t *testing.T, dir, pattern string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: %v", pattern, err)
	}
	return names[0]
}

// unpacked returns a directory with the files of an archive.
func unpacked(t *testing.T, archive string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return dir
		}
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		path := filepath.Join(dir, h.Name)
		if err == nil && h.Typeflag == tar.TypeReg {
			err = errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, b, 0o600))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestNamed: a trace that says from which file it was read is not found for a copy of that file.
func TestNamed(t *testing.T) {
	at, c := t.TempDir(), greedy(t.TempDir())
	whole, err := os.ReadFile(filepath.Join(testdata, "gotrace/pipeline-mutex.gotrace"))
	if err != nil {
		t.Fatal(err)
	}
	first, second := filepath.Join(at, "first"), filepath.Join(at, "second")
	for _, path := range []string{first, second} {
		write(t, path, string(whole[:len(whole)*3/4]))
	}
	for _, x := range []struct {
		path  string
		found bool
	}{{first, false}, {first, true}, {second, false}, {second, true}} {
		if _, hit := load(t, c, x.path, input.Options{}); hit != x.found {
			t.Errorf("%s: found %v", x.path, hit)
		}
	}
}

// TestDamaged: a file that is damaged anywhere is removed, that is said, and the recording is read
// again. So is one that lies under the name of another, and a record that says anything.
func TestDamaged(t *testing.T) {
	path, c := filepath.Join(t.TempDir(), "run.folded"), greedy(t.TempDir())
	var said []string
	c.Say = func(d Damage) { said = append(said, d.String()) }
	write(t, path, recording)
	load(t, c, path, input.Options{})
	kept, record := files(t, c, traceEnding)[0], files(t, c, recordEnding)[0]
	whole, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	var other bytes.Buffer
	if err := writeTrace(&other, small(t), []byte("other")); err != nil {
		t.Fatal(err)
	}
	bad := [][]byte{nil, []byte("hello"), whole[:len(whole)/2], whole[:len(whole)-1], other.Bytes()}
	noise := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		bad = append(bad, testtrace.Mutate(noise, whole, "\x00\xff"))
	}
	for k, b := range bad {
		if bytes.Equal(b, whole) {
			continue
		}
		// Never in place, for it is mapped.
		if err := os.Remove(kept); err != nil {
			t.Fatal(err)
		}
		write(t, kept, string(b))
		said = nil
		if _, hit := load(t, c, path, input.Options{}); hit || len(said) != 1 {
			t.Errorf("%d: found %v, said %q", k, hit, said)
		}
		if _, hit := load(t, c, path, input.Options{}); !hit {
			t.Errorf("%d: not kept again", k)
		}
	}
	for _, text := range []string{"", "{}", "[]", `{"Trace":"../x"}`, "\x00"} {
		write(t, record, text)
		if _, hit := load(t, c, path, input.Options{}); !hit { // by the content
			t.Errorf("%q: not found", text)
		}
	}
}

// TestRoom: the traces that were used longest ago are removed, with their records, and one that was
// opened before stays as it is.
func TestRoom(t *testing.T) {
	at, c := t.TempDir(), greedy(t.TempDir())
	paths := make([]string, 6)
	var traces []*trace.Trace
	for i := range paths {
		paths[i] = filepath.Join(at, string(rune('a'+i)))
		write(t, paths[i], recording+strings.Repeat("x", i+1)+" 1\n")
		load(t, c, paths[i], input.Options{})
		tr, _ := load(t, c, paths[i], input.Options{})
		traces = append(traces, tr)
		if i == 2 { // room for about as many
			for _, name := range files(t, c, traceEnding) {
				st, err := os.Stat(name)
				if err != nil {
					t.Fatal(err)
				}
				c.limit = max(c.limit%DefaultLimit, 3*st.Size()+200)
			}
		}
		time.Sleep(10 * time.Millisecond) // the order of use is told by times
	}
	if n, records := len(files(t, c, traceEnding)), len(files(t, c, recordEnding)); n > 4 || n < 2 || records > 4 {
		t.Errorf("%d traces, %d records", n, records)
	}
	for _, tr := range traces {
		walk(tr)
	}
	c.limit = 10
	write(t, paths[0], recording+"y 1\n")
	load(t, c, paths[0], input.Options{})
	if _, hit := load(t, c, paths[0], input.Options{}); hit {
		t.Error("kept beyond the limit")
	}
}

// TestAtOnce has several programs, each with a cache of its own in one directory, load and change
// the same recordings at once.
func TestAtOnce(t *testing.T) {
	at, dir := t.TempDir(), t.TempDir()
	var work sync.WaitGroup
	for k := range 6 {
		work.Go(func() {
			c := greedy(dir)
			c.limit = 40 << 10
			mine := filepath.Join(at, string(rune('a'+k)))
			noise := rand.New(rand.NewPCG(1, uint64(k)))
			for range 25 {
				write(t, mine, strings.Repeat(recording, 1+noise.IntN(3)))
				load(t, c, mine, input.Options{})
			}
		})
	}
	work.Wait()
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range left {
		if strings.HasPrefix(e.Name(), ".") {
			t.Errorf("%s is left", e.Name())
		}
	}
}
