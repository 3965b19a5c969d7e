package trend

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"diptych/internal/batch"
)

// grown returns eight batches of four pairs whose level changes at the fifth, to 2, 1.1, 0.9 and 1.5
// times as much.
func grown(t *testing.T) (list []*batch.Directory, names []string) {
	t.Helper()
	for k := range 8 {
		ns := []int64{1000, 1000, 1000, 1000}
		if k >= 4 {
			ns = []int64{2000, 1100, 900, 1500}
		}
		list = append(list, written(t, "ns", []string{"twice", "hardly", "less", "half more"}, ns))
		names = append(names, fmt.Sprint("c", k+1))
	}
	return list, names
}

// TestPairsThatShowAChange: all together it is 1.375×, so pairs show it that have √1.375 or more.
func TestPairsThatShowAChange(t *testing.T) {
	list, names := grown(t)
	tr, err := Of(t.Context(), list, names, Options{Measure: OfB})
	if err != nil {
		t.Fatal(err)
	}
	if len(tr.Changes) != 3 {
		t.Fatalf("the changes are %+v", tr.Changes)
	}
	for _, c := range tr.Changes {
		if c.Commit != 5 || !near(c.Factor, 1.375) || !near(c.ChangeNs, 1500) || c.Pairs != 2 || c.PairsOf != 4 {
			t.Errorf("%+v", c)
		}
	}
	if tr, err = Of(t.Context(), list, names, Options{Measure: OfA}); err != nil || len(tr.Changes) > 0 {
		t.Errorf("side A is always the same, but %+v, %v", tr.Changes, err)
	}
}

// TestEvidence: a step of +1 in the commits [0, 4), to be seen in a pair if it is half as much in
// the same direction; commits outside do not count.
func TestEvidence(t *testing.T) {
	h := &history{Options: Options{Measure: OfB}}
	for _, c := range []struct {
		name   string
		levels []float64 // by commit
		shows  bool
	}{
		{"as much", []float64{5, 5, 6, 6, 0}, true}, {"half", []float64{5, 5, 5.6, 5.6, 9}, true},
		{"less than half", []float64{5, 5, 5.4, 5.4, 9}, false}, {"the other way", []float64{6, 6, 5, 5, 9}, false},
		{"half on average", []float64{5, 5, 5, 6.2, 0}, true}, {"new", []float64{0, 0, 8, 8, 8}, true},
	} {
		e := &evidence{&Change{step: step{At: 2, To: 4, Before: 1, After: 2}}, make([]float64, 2),
			make([]float64, 2), make([]bool, 2)}
		for k, v := range c.levels {
			h.addTo([]*evidence{e}, k, 1, 0, int64(math.Round(math.Exp(v))))
		}
		if e.count(); e.PairsOf != 1 || (e.Pairs == 1) != c.shows {
			t.Errorf("%s: %d of %d pairs", c.name, e.Pairs, e.PairsOf)
		}
	}
}

// TestMergedTablesAreTheSame: the trend of batches that are merged, parts removed, is that of parts.
func TestMergedTablesAreTheSame(t *testing.T) {
	list, names := grown(t)
	want, err := Of(t.Context(), list, names, Options{Measure: OfB})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range list[2:5] {
		for _, name := range []string{"pairs", "functions"} {
			if name == "pairs" {
				write(t, d.Merged(name), all[batch.PairRow](t, d, name))
			} else {
				write(t, d.Merged(name), all[batch.FunctionRow](t, d, name))
			}
		}
		if err := os.RemoveAll(filepath.Join(d.Path, "parts")); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := Of(t.Context(), list, names, Options{Measure: OfB}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("merged it is %+v, %v; want %+v", got, err, want)
	}
}

func all[T any](t *testing.T, d *batch.Directory, name string) (list []T) {
	t.Helper()
	for rows, err := range table[T](d, name) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, rows...)
	}
	return list
}

// TestDamagedTablesAreNamed: a table that is cut off, empty or something else ends a trend with an
// error that names it.
func TestDamagedTablesAreNamed(t *testing.T) {
	list, names := grown(t)
	for _, name := range []string{"pairs", "functions"} {
		for what, damage := range map[string]func(path string) error{
			"cut off":   func(path string) error { return os.Truncate(path, 60) },
			"empty":     func(path string) error { return os.Truncate(path, 0) },
			"no table":  func(path string) error { return os.WriteFile(path, []byte("pair,function\n"), 0o600) },
			"a folder":  func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
			"of others": func(path string) error { return os.Rename(filepath.Join(filepath.Dir(path), other(name)), path) },
		} {
			d := *list[3]
			d.Path = t.TempDir()
			if err := os.CopyFS(d.Path, os.DirFS(list[3].Path)); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(d.Part(2), name+".parquet")
			if err := damage(path); err != nil {
				t.Fatal(err)
			}
			_, err := read(t.Context(), append([]*batch.Directory{&d}, list[:5]...), names, Options{})
			if err == nil || !strings.Contains(err.Error(), path) {
				t.Errorf("%s that is %s: the error is %v", name, what, err)
			}
		}
	}
}

// other is the table that is not the given one.
func other(name string) string {
	if name == "pairs" {
		return "functions.parquet"
	}
	return "pairs.parquet"
}

// patient is a context that is cancelled once it has been asked so many times.
type patient struct {
	context.Context
	left int
}

func (p *patient) Err() error {
	if p.left--; p.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestReadingCanBeCancelled while any table is read.
func TestReadingCanBeCancelled(t *testing.T) {
	list, names := grown(t)
	p := &patient{t.Context(), math.MaxInt}
	h, err := read(p, list, names, Options{Measure: OfB})
	if err != nil {
		t.Fatal(err)
	}
	asked := math.MaxInt - p.left
	for left := 0; left < asked; left += 5 {
		if _, err := read(&patient{t.Context(), left}, list, names, Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled after %d of %d commits: %v", left, asked, err)
		}
	}
	if asked < 2*len(list) {
		t.Errorf("asked %d times while %d batches are read twice", asked, len(list))
	}
	tr := &Trend{Changes: []Change{{Kind: Function, Function: "f", step: step{At: 4, To: 8, After: 1}}}}
	if err := h.countPairs(&patient{t.Context(), 3}, tr); !errors.Is(err, context.Canceled) {
		t.Errorf("counting pairs ends with %v", err)
	}
}
