package finding

import (
	"strings"
	"testing"
)

// TestRatesAreTold holds that a sentence says what changed in one call of a caller that both sides
// call equally often, and what a call takes if more calls do the same work.
func TestRatesAreTold(t *testing.T) {
	loop := func(calls, kids, every int, self int64) *call {
		c := among("main")
		for i := range calls {
			up := f("store", 500)
			if i%every == 0 {
				up.kids = again(kids, f("flush", self))
			}
			c.kids = append(c.kids, up)
		}
		return c
	}
	for _, c := range []struct {
		a, b *call
		want string
	}{
		{loop(400, 1, 8, 9000), loop(400, 1, 40, 9000), " (in one in 40 of its calls instead of one in 8): −360 µs"},
		{loop(40, 1, 4, 9000), loop(40, 1, 1, 9000), " (in each of its calls instead of one in 4): +270 µs"},
		{loop(40, 1, 1, 9000), loop(40, 11, 1, 9000), " (11 instead of 1 in each of its calls): +3.60 ms"},
		{loop(48, 1, 2, 9000), loop(48, 3, 4, 9000), " (in 75 % of its calls instead of 50 %): +108 µs"},
		{loop(40, 10, 1, 9000), loop(40, 11, 1, 9000), " by store: +360 µs"},
		{loop(40, 1, 4, 9000), loop(60, 1, 1, 9000), " by store: +450 µs"},
		{loop(40, 1, 2, 9000), loop(40, 1, 1, 5000), ", for 5.00 µs each instead of 9.00 µs: "},
	} {
		got := found(t, "flush", []*call{c.a}, []*call{c.b})
		if !strings.Contains(got.Sentence(), c.want) {
			t.Errorf("%s, want %s", got.Sentence(), c.want)
		}
	}
}
