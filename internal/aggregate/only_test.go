package aggregate

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestOnly holds that a part of a source is the source of the kept leaves alone: the same tree as
// one that is made of their places, and the same values.
func TestOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all, some []Place
		var kept []int
		n := rapid.IntRange(1, 12).Draw(t, "leaves")
		for i := range n {
			p := rapid.SampledFrom([]string{"x", "y"}).Draw(t, "process")
			r := rapid.SampledFrom([]string{"r", "s", "t"}).Draw(t, "role")
			names := []string{p, r, fmt.Sprint(i)}
			all = append(all, Place{Keys: names, Names: names})
		}
		whole, order := NewTree(all)
		s := &table{tree: whole, slices: 3, states: []string{"k"}}
		keep := make([]bool, n)
		for leaf := range n {
			s.v = append(s.v, []float64{float64(leaf), 1, 2})
			if keep[leaf] = rapid.Bool().Draw(t, "keep"); keep[leaf] {
				kept, some = append(kept, leaf), append(some, all[order[leaf]])
			}
		}
		part, node := Only(s, func(leaf int) bool { return keep[leaf] })
		want, _ := NewTree(some)
		if got := part.Tree(); !reflect.DeepEqual(got.Nodes, want.Nodes) || got.Leaves != want.Leaves {
			t.Fatalf("%+v, want %+v", got, want)
		}
		row := make([]float64, 3)
		for i, leaf := range kept {
			if part.Row(i, row); row[0] != float64(leaf) {
				t.Fatalf("leaf %d of the part is %v, want %d", i, row[0], leaf)
			}
			sum := make([]float64, 1)
			if part.Add(i, 0, 0, sum); sum[0] != float64(leaf) {
				t.Fatalf("leaf %d of the part adds %v, want %d", i, sum[0], leaf)
			}
		}
		exact := slices.IndexFunc(whole.Nodes, func(x Node) bool {
			return len(kept) > 0 && int(x.To-x.From) == len(kept) && int(x.From) == kept[0] &&
				int(x.To) == kept[len(kept)-1]+1
		})
		if node != exact {
			t.Fatalf("node %d, want %d", node, exact)
		}
	})
}
