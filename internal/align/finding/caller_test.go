package finding

import (
	"strings"
	"testing"
)

// TestWhoseCallsAreSlower holds that a finding about a function that is called from everywhere
// names the caller whose calls changed, unless that one has most of the function's time anyway.
func TestWhoseCallsAreSlower(t *testing.T) {
	main := func(hash, parse, price int64) []*call {
		var orders []*call
		for range 40 {
			orders = append(orders, f("hash", 10, f("work", hash)), f("parse", 10, f("work", parse)),
				f("price", 10, f("work", price)))
		}
		return []*call{among("main", orders)}
	}
	for _, tt := range []struct {
		name string
		a, b []*call
		want string
	}{
		{"one caller", main(1000, 900, 1100), main(3000, 900, 1100),
			", nearly all of it called by hash (40.0 µs → 120 µs)"},
		{"all callers", main(1000, 900, 1100), main(3000, 2700, 3300), ""},
		{"it has most", main(9000, 900, 1100), main(18000, 900, 1100), ""},
	} {
		f := found(t, "work", tt.a, tt.b)
		got := f.Sentence()
		if tt.want == "" && strings.Contains(got, "called by") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s", tt.name, got)
		}
	}
}

// TestWhoCallsInstead holds that calls which another caller makes are not told as those of one
// loop, and that a long call by a caller that makes none on the other side is no mere stall.
func TestWhoCallsInstead(t *testing.T) {
	store := f("store", 1000)
	one := []*call{among("main", again(60, among("order", f("parse", 300), store)))}
	batch := []*call{among("main", again(6, among("batch", again(10, f("parse", 300)))), again(6, store))}
	want := "store is called 6 times instead of 60, by order 60 → 0 and by main 0 → 6: "
	if got := found(t, "store", one, batch); got.Kind != Called || !strings.HasPrefix(got.Sentence(), want) {
		t.Errorf("found %+v", got)
	}
}
