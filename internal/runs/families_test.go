package runs

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"diptych/internal/account"
	"diptych/internal/pair"
)

// TestFamilies holds what is tested of a study by hand: totals, places and functions, each family
// by itself and its largest change first; and that idle time has no calls.
func TestFamilies(t *testing.T) {
	s := &Study{}
	for sd, times := range [2][]int64{{10, 30, 20}, {50, 10, 70}} {
		for _, ns := range times {
			run := &Summary{ElapsedNs: 100 + ns, Sites: map[Site]account.Amount{
				{Function: "f", Caller: "main"}: {Calls: 1, Ns: ns, WayNs: 1},
				{Function: "f", Caller: "a"}:    {Calls: 2, Ns: ns, WayNs: ns},
				{Function: "a"}:                 {Calls: 3, Ns: 40, WayNs: 40},
				{Kind: account.Idle}:            {Ns: 9, WayNs: 9},
			}, Functions: map[string]account.Amount{"f": {Calls: 3, Ns: 2 * ns}, "a": {Calls: 3, Ns: 40 + ns}}}
			run.Total = [account.Kinds]int64{account.CPU: 40 + 2*ns, account.IO: 5, account.OffCPU: 6,
				account.Wait: 7, account.Idle: 9}
			if err := s.Add(pair.Side(sd), run); err != nil {
				t.Fatal(err)
			}
		}
	}
	c, err := s.Compare(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, list := range [][]Change{c.Total, c.ByPlace, c.ByFunction} {
		for _, x := range list {
			of := strings.TrimSpace(x.Site.Function + " " + x.Site.Caller)
			got = append(got, fmt.Sprintf("%v %s (%s) %v", x.Quantity, of, x.Site.Word(), x.Median))
		}
		got = append(got, "")
	}
	want := []string{
		"time  (on CPU) [120 150]", "time  (on CPU) [91 151]", "time  (on CPU) [7 7]", "time  (on CPU) [5 5]",
		"time  (on CPU) [6 6]", "time  (on CPU) [9 9]", "", // Totals
		"time f a (on CPU) [20 50]", "time f main (on CPU) [20 50]", "time a (on CPU) [40 40]", "time  (idle) [9 9]",
		"elapsed f a (on CPU) [20 50]", "elapsed a (on CPU) [40 40]", "elapsed f main (on CPU) [1 1]",
		"elapsed  (idle) [9 9]",
		"calls a (on CPU) [3 3]", "calls f a (on CPU) [2 2]", "calls f main (on CPU) [1 1]", "",
		"time f (on CPU) [40 100]", "time a (on CPU) [40 40]", "time  (idle) [9 9]",
		"elapsed f (on CPU) [21 51]", "elapsed a (on CPU) [40 40]", "elapsed  (idle) [9 9]",
		"time f (with callees) [40 100]", "time a (with callees) [60 90]",
		"calls a (with callees) [3 3]", "calls f (with callees) [3 3]", "",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant\n%q", got, want)
	}
}

// TestNeeded holds how many runs it takes, by how many functions' own times are tested, and what is
// said about it.
func TestNeeded(t *testing.T) {
	for _, c := range []struct {
		runs   [2]int
		own    int
		want   Needed
		advice string
	}{
		{[2]int{3, 3}, 7, Needed{5, 6, 7, 14}, "With 3 and 3 runs no change can be significant at 5 %: take 5."},
		{[2]int{5, 5}, 7, Needed{5, 6, 7, 2}, "With 5 and 5 runs a change of one function alone, of 7, cannot be " +
			"significant at 5 %, however large; 2 changes together can. Take 6."},
		{[2]int{6, 6}, 7, Needed{5, 6, 7, 1}, "With 6 and 6 runs a change of one function alone can be significant at 5 %."},
		{[2]int{5, 5}, 1, Needed{5, 5, 1, 1}, "With 5 and 5 runs a change of one function alone can be significant at 5 %."},
	} {
		x := &Comparison{Runs: c.runs, ByFunction: []Change{{Site: Site{Kind: Whole}}, {Site: Site{Kind: account.Idle}},
			{Quantity: Elapsed}, {Quantity: Calls, Site: Site{Kind: Whole}}}}
		for range c.own {
			x.ByFunction = append(x.ByFunction, Change{Quantity: Time})
		}
		if got := x.Needed(); got != c.want {
			t.Errorf("%v runs, %d functions: %+v, want %+v", c.runs, c.own, got, c.want)
		}
		if got := x.Advice(); got != c.advice {
			t.Errorf("%v runs, %d functions: %q, want %q", c.runs, c.own, got, c.advice)
		}
	}
}
