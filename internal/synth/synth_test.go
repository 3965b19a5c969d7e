package synth

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// allEdits are all edits of calls and functions.
func allEdits(rate float64) map[Kind]float64 {
	m := map[Kind]float64{}
	for k := range Contend {
		m[k] = rate
	}
	return m
}

func generate(t *testing.T, o Options, ending string) (a, b string, truth *Truth) {
	t.Helper()
	dir := t.TempDir()
	a, b = filepath.Join(dir, "a"+ending), filepath.Join(dir, "b"+ending)
	sum, err := Generate(context.Background(), o, a, b, nil)
	if err != nil {
		t.Fatal(err)
	}
	truth, err = ReadTruth(TruthName(b))
	if err != nil {
		t.Fatal(err)
	}
	if sum.Calls != truth.Calls || !cmp.Equal(sum.Counts, truth.Counts) {
		t.Errorf("returned %v %v, written %v %v", sum.Calls, sum.Counts, truth.Calls, truth.Counts)
	}
	return a, b, truth
}

func total(threads map[int][]call) (n int) {
	for _, calls := range threads {
		n += len(calls)
	}
	return n
}

func TestSideAHasExactlyTheCallsAskedFor(t *testing.T) {
	for _, tt := range []struct {
		calls, threads, functions int
		ending                    string
	}{
		{2, 1, 100, ".json"},
		{23, 1, 100, ".data"},
		{100, 8, 3000, ".data"},
		{3000, 3, 150, ".json.gz"},
		{3000, 8, 0, ".json.zst"},
		{9001, 43, 0, ".data"},
		{10000, 2, 500, ".data"},
	} {
		t.Run(fmt.Sprint(tt), func(t *testing.T) {
			o := Options{Calls: tt.calls, Threads: tt.threads, Functions: tt.functions, Seed: 7,
				Edits: allEdits(0.01)}
			a, b, truth := generate(t, o, tt.ending)
			sideA, sideB := readSide(t, a), readSide(t, b)
			if n := total(sideA); n != tt.calls || truth.Calls.A != int64(n) {
				t.Errorf("side A has %d calls, the truth says %d", n, truth.Calls.A)
			}
			if len(sideA) != tt.threads || len(sideB) != tt.threads {
				t.Errorf("%d and %d threads", len(sideA), len(sideB))
			}
			if n := total(sideB); truth.Calls.B != int64(n) {
				t.Errorf("side B has %d calls, the truth says %d", n, truth.Calls.B)
			}
		})
	}
}

func TestFormatsSayTheSame(t *testing.T) {
	o := Options{Calls: 5000, Threads: 5, Seed: 3, Edits: allEdits(0.005),
		Situations: staged()[:7]} // no deadlock: the plain readers want every call's end
	_, b1, truth1 := generate(t, o, ".json")
	_, b2, truth2 := generate(t, o, ".data")
	if diff := cmp.Diff(readSide(t, b1), readSide(t, b2), cmp.AllowUnexported(call{})); diff != "" {
		t.Errorf("Chrome and uftrace differ:\n%.2000s", diff)
	}
	if diff := cmp.Diff(truth1, truth2); diff != "" {
		t.Errorf("the truths differ:\n%.2000s", diff)
	}
}

func TestWithoutEditsBothSidesAreEqual(t *testing.T) {
	for _, o := range []Options{{Calls: 20000, Seed: 5},
		{Calls: 30000, Seed: 5, Waits: 1000, Situations: staged()}} {
		a, b, truth := generate(t, o, ".data")
		if len(truth.Edits) != 0 || hash(t, a) != hash(t, b) {
			t.Errorf("sides differ, %d edits", len(truth.Edits))
		}
	}
}

// The digest pins the bytes on every platform: it changes only when what is simulated does.
func TestBytesDependOnOptionsAlone(t *testing.T) {
	o := Options{Calls: 15000, Threads: 6, Functions: 800, Seed: 42, Edits: allEdits(0.01)}
	a, b, _ := generate(t, o, ".data")
	got := hash(t, a) + hash(t, b) + hash(t, TruthName(b))
	a, b, _ = generate(t, o, ".data")
	if again := hash(t, a) + hash(t, b) + hash(t, TruthName(b)); got != again {
		t.Error("two runs differ")
	}
	const want = "a7d9af135694914270aaae9cfc1eac4cdf9e40f9b3da9810"
	if got != want {
		t.Errorf("digest is %s, was %s", got, want)
	}
	o.Seed++
	if a, _, _ := generate(t, o, ".data"); got[:16] == hash(t, a) {
		t.Error("another seed gives the same trace")
	}
}

func hash(t *testing.T, path string) string {
	t.Helper()
	h := sha256.New()
	err := filepath.WalkDir(path, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		fmt.Fprintln(h, e.Name(), len(data))
		h.Write(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

func TestNothingIsLeftHalfWritten(t *testing.T) {
	for _, ending := range []string{".json", ".data"} {
		dir := t.TempDir()
		ctx, cancel := context.WithCancel(context.Background())
		progress := func(done, _ int64) {
			if done > 20_000 {
				cancel()
			}
		}
		_, err := Generate(ctx, Options{Calls: 1_000_000}, filepath.Join(dir, "a"+ending),
			filepath.Join(dir, "b"+ending), progress)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error is %v", ending, err)
		}
		if entries, _ := os.ReadDir(dir); len(entries) != 0 {
			t.Errorf("%s: left behind: %v", ending, entries)
		}
	}
}

func TestOutputsReplaceOnlyTheirLike(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	run := func(seed uint64) error {
		_, err := Generate(context.Background(), Options{Calls: 500, Seed: seed}, a, b, nil)
		return err
	}
	if err := run(1); err != nil {
		t.Fatal(err)
	}
	first := hash(t, a)
	if err := run(2); err != nil || hash(t, a) == first {
		t.Errorf("not replaced: %v", err)
	}
	if err := os.Remove(filepath.Join(b, "info")); err != nil {
		t.Fatal(err)
	}
	second := hash(t, a)
	if err := run(3); err == nil || hash(t, a) != second {
		t.Errorf("a directory of something else was overwritten, or a half pair: %v", err)
	}
	entries, _ := os.ReadDir(dir)
	if len(entries) != 3 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestProgressEndsAtItsTotal(t *testing.T) {
	var last, sum int64
	dir := t.TempDir()
	_, err := Generate(context.Background(), Options{Calls: 60_000}, filepath.Join(dir, "a"),
		filepath.Join(dir, "b"), func(done, total int64) {
			if done < last {
				t.Errorf("progress went back from %d to %d", last, done)
			}
			last, sum = done, total
		})
	if err != nil || sum != 120_000 || last != sum {
		t.Errorf("ends at %d of %d: %v", last, sum, err)
	}
}

func TestParseEdit(t *testing.T) {
	for _, tt := range []struct {
		in   string
		kind Kind
		rate float64
		ok   bool
	}{
		{"slow:0.05", Slow, 0.05, true},
		{"insert:0", Insert, 0, true},
		{"rename:1", Rename, 1, true},
		{"contend:0.5", Contend, 0.5, true},
		{"shard:1", Shard, 1, true},
		{"slow", 0, 0, false},
		{"slow:", 0, 0, false},
		{"slow:1.5", 0, 0, false},
		{"slow:NaN", 0, 0, false},
		{"slow:-1", 0, 0, false},
		{"melt:0.1", 0, 0, false},
	} {
		k, rate, err := ParseEdit(tt.in)
		if k != tt.kind || rate != tt.rate || err == nil != tt.ok {
			t.Errorf("ParseEdit(%q) = %v, %v, %v", tt.in, k, rate, err)
		}
	}
}

func TestBadOptionsAreRefused(t *testing.T) {
	for _, o := range []Options{
		{Calls: -1}, {Calls: 10}, {Threads: 100_000}, {Functions: 3},
		{Edits: map[Kind]float64{Slow: 2}}, {Edits: map[Kind]float64{Slow: 0.6, Delete: 0.6}},
		{Edits: map[Kind]float64{99: 0.1}}, {Situations: []string{"rush-hour"}},
		{Waits: 20}, {Waits: -1}, {Calls: 5000, Waits: 4000}, {Calls: 2000, Waits: 300},
	} {
		dir := t.TempDir()
		if _, err := Generate(context.Background(), o, dir+"/a", dir+"/b", nil); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

func TestPopularityIsZipfLike(t *testing.T) {
	const calls = 100_000
	a, _, _ := generate(t, Options{Calls: calls, Seed: 11}, ".data")
	count := map[string]int{}
	deepest := 0
	for _, calls := range readSide(t, a) {
		for _, c := range calls {
			count[c.name]++
			deepest = max(deepest, c.depth)
		}
	}
	var counts []int
	for _, n := range count {
		counts = append(counts, n)
	}
	slices.Sort(counts)
	slices.Reverse(counts)
	top := 0
	for _, n := range counts[:len(counts)/10] {
		top += n
	}
	if len(counts) < 500 || top < calls/2 || deepest < 10 {
		t.Errorf("%d functions, the busiest tenth has %d of %d calls, depth %d",
			len(counts), top, calls, deepest)
	}
}
