package table

import (
	"testing"
)

// TestSpread: how far runs of one side are apart is that of the side where they are furthest apart,
// the shown run included.
func TestSpread(t *testing.T) {
	for _, c := range []struct {
		others [2][]int64
		want   int64
		ok     bool
	}{
		{[2][]int64{}, 0, false},
		{[2][]int64{{12}, nil}, 2, true},
		{[2][]int64{{12}, {30, 15}}, 15, true},
		{[2][]int64{nil, {20}}, 0, true},
	} {
		r := Row{WaitNs: [2]int64{10, 20}, others: c.others}
		if got, ok := r.Spread(); got != c.want || ok != c.ok {
			t.Errorf("%v: %d, %v, want %d", c.others, got, ok, c.want)
		}
	}
}
