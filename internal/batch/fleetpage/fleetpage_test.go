package fleetpage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"diptych/internal/aggregate"
	"diptych/internal/batch"
	"diptych/internal/batch/fleet"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// hostile is a name that would end the element of the page's data, and one that would be markup.
const hostile = `</script><b>"x"`

// reported is the page of eight pairs: in one a function takes longer, one cannot be read.
func reported(t *testing.T) (*Page, *fleet.Fleet) {
	t.Helper()
	dir := t.TempDir()
	m := &batch.Manifest{Path: filepath.Join(dir, "pairs.csv")}
	for k := range 8 {
		m.Pairs = append(m.Pairs, batch.Pair{Name: fmt.Sprint(hostile, k), A: "a", B: fmt.Sprint("b", k)})
	}
	o := batch.Options{Shard: batch.Whole}
	o.Load = func(_ context.Context, path string) (*trace.Trace, error) {
		switch filepath.Base(path) {
		case "b3":
			return testtrace.Script(t, "one", 5., hostile, 20., "three", 5.), nil
		case "b5":
			return nil, errors.New("it is torn\ngoroutine 7")
		}
		return testtrace.Script(t, "one", 5., hostile, 10., "three", 5.), nil
	}
	done, err := batch.Run(t.Context(), m, filepath.Join(dir, "out"), o)
	if err != nil {
		t.Fatal(err)
	}
	f, err := fleet.Read(t.Context(), done.Directory, nil)
	if err != nil {
		t.Fatal(err)
	}
	return New("out", f), f
}

func TestPageNamesWhatIsUnlike(t *testing.T) {
	p, f := reported(t)
	if p.Headline != "1 of 7 pairs is unlike the rest" || len(p.Outliers) != 1 || len(p.Cautions) != 1 {
		t.Errorf("%q, %+v, %q", p.Headline, p.Outliers, p.Cautions)
	}
	var out strings.Builder
	if err := p.WriteHTML(&out); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	for _, want := range []string{"takes 2.00× as long", "it is torn", "&lt;/script&gt;", `id="failed"`} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not on the page", want)
		}
	}
	for _, bad := range []string{hostile, "goroutine", "http:", "https:", "src="} {
		if strings.Contains(strings.ReplaceAll(text, "script-src=", ""), bad) {
			t.Errorf("%q is on the page", bad)
		}
	}
	data := regexp.MustCompile(`(?s)id="data">(.*?)</script>`).FindStringSubmatch(text)
	var m matrix
	if err := json.Unmarshal([]byte(data[1]), &m); err != nil || len(m.Rows) != f.Matrix.Rows() {
		t.Errorf("%d rows, want %d: %v", len(m.Rows), f.Matrix.Rows(), err)
	}
}

// TestRowsAreTheirColumns holds that tables have a cell for each column, and a picture for each row.
func TestRowsAreTheirColumns(t *testing.T) {
	p, _ := reported(t)
	for _, table := range p.Tables {
		for _, row := range table.Rows {
			if len(row) != len(table.Columns) {
				t.Errorf("%s: %d cells, %d columns", table.ID, len(row), len(table.Columns))
			}
			for c, cell := range row {
				if (cell.Key != "") != table.Columns[c].Number {
					t.Errorf("%s, %s: %+v", table.ID, table.Columns[c].Title, cell)
				}
			}
		}
		if table.Drawn != "" && len(table.Drawings) != len(table.Rows) {
			t.Errorf("%s: %d pictures of %d rows", table.ID, len(table.Drawings), len(table.Rows))
		}
	}
}

// TestManyPairsAreDrawnAsGroups holds that rows follow one another, have all pairs, and are as many
// as there is room for at most, whatever the tree is like.
func TestManyPairsAreDrawnAsGroups(t *testing.T) {
	for _, n := range []int{1, 3, 256, 257, 5000} {
		for _, wide := range []int{2, 40, 5000} {
			var places []aggregate.Place
			for k := range n {
				keys := []string{fmt.Sprint(k % wide), fmt.Sprint(k % wide * 7 % 50), fmt.Sprint(k)}
				places = append(places, aggregate.Place{Keys: keys, Names: keys})
			}
			tree, _ := aggregate.NewTree(places)
			next := int32(0)
			list := drawnNodes(tree)
			for _, node := range list {
				if node.From != next {
					t.Fatalf("%d pairs: a row begins with %d, want %d", n, node.From, next)
				}
				next = node.To
			}
			if int(next) != n || len(list) > mostRows || n <= mostRows && len(list) != n {
				t.Errorf("%d pairs in %d groups: %d rows of %d", n, wide, len(list), next)
			}
		}
	}
}

func TestMembersAreNamedByRuns(t *testing.T) {
	f := &fleet.Fleet{}
	for k := range 60 {
		f.Pairs = append(f.Pairs, fleet.Pair{PairRow: batch.PairRow{Pair: fmt.Sprint("r", k)}})
	}
	b := &builder{f: f}
	if got := b.members([]int{0, 1, 2, 5, 7, 8}); got != "r0 … r2, r5, r7 … r8" {
		t.Error(got)
	}
	var odd []int
	for k := 1; k < 60; k += 2 {
		odd = append(odd, k)
	}
	if got := b.members(odd); !strings.HasSuffix(got, "r23 and 18 more") {
		t.Error(got)
	}
}
