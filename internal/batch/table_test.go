package batch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// written returns the directory of a batch of so many pairs, with these parts.
func written(t *testing.T, pairs, perPart int, parts ...int) *Directory {
	t.Helper()
	d := &Directory{t.TempDir(), Description{Layout: layout, Pairs: pairs, PerPart: perPart}}
	if err := os.MkdirAll(filepath.Join(d.Path, partsIn), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, part := range parts {
		var rows Rows
		for k, to := d.span(part); k < to; k++ {
			rows.Pairs = append(rows.Pairs, PairRow{Number: int64(k + 1)})
		}
		if err := d.write(part, &rows); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

func TestMissing(t *testing.T) {
	missing, err := written(t, 9, 2, 1, 4).Missing()
	if err != nil || !slices.Equal(missing, []int{0, 2, 3}) {
		t.Errorf("missing %v, %v", missing, err)
	}
}

func TestTablePartByPart(t *testing.T) {
	want := int64(1)
	for rows, err := range Table[PairRow](written(t, 5, 2, 0, 1, 2), "pairs") {
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			if r.Number != want {
				t.Errorf("row %d, want %d", r.Number, want)
			}
			want++
		}
	}
	if want != 6 {
		t.Errorf("%d rows", want-1)
	}
	var last error
	for _, last = range Table[PairRow](written(t, 5, 2, 0, 2), "pairs") {
	}
	if last == nil || !strings.Contains(last.Error(), "not complete") {
		t.Errorf("a part is missing: %v", last)
	}
}

func TestPerPart(t *testing.T) {
	for pairs, want := range map[int]int{1: 1, 64: 1, 100: 1, 101: 2, 2_000: 5, 10_000: 10,
		1_000_000: 100, 10_000_000: 1000} {
		if got := perPart(pairs); got != want {
			t.Errorf("%d of %d pairs in a part, want %d", got, pairs, want)
		}
	}
}
