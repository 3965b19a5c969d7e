package explain

import (
	"fmt"
	"strings"
	"testing"

	"diptych/internal/account"
	"diptych/internal/align/finding"
)

// listed writes the rows of a list: "0 1+2" is finding 0, finding 1 and two more that follow.
func listed(rows []Row) string {
	var b strings.Builder
	for _, r := range rows {
		if fmt.Fprint(&b, r.Finding); r.More > 0 {
			fmt.Fprintf(&b, "+%d", r.More)
		}
		b.WriteByte(' ')
	}
	return b.String()
}

func TestRows(t *testing.T) {
	d := &Difference{}
	for _, under := range []int{-1, 0, 0, 2, 0, 0, -1, 6, -1} {
		d.Findings = append(d.Findings, Finding{Under: under})
	}
	for _, c := range []struct {
		limit int
		want  string
	}{
		{0, "0 1 2 3 4 5 6 7 8 (0 after)"},
		{4, "0 1 2 3 0+2 (3 after)"},
		{3, "0 1 2 (6 after)"},
		{6, "0 1 2 3 0+2 6 7 (1 after)"},
		{9, "0 1 2 3 0+2 6 7 8 (0 after)"},
	} {
		rows, left := d.Rows(c.limit)
		if got := fmt.Sprintf("%s(%d after)", listed(rows), left.Total()); got != c.want {
			t.Errorf("limit %d: %s, want %s", c.limit, got, c.want)
		}
	}
}

// TestSmallFollowersAreCounted: what follows from a cause and makes less than a tenth of it has no line
// of its own, unless a function is new or missing.
func TestSmallFollowersAreCounted(t *testing.T) {
	d := &Difference{Findings: []Finding{{Under: -1, DeltaNs: 1000}, {Under: 0, DeltaNs: 99},
		{Under: 0, DeltaNs: -100}, {Under: 2, DeltaNs: 5}, {Under: 0, Kind: "missing"}, {Under: -1}}}
	if rows, left := d.Rows(30); listed(rows) != "0 2 4 0+2 5 " || left.Total() != 0 {
		t.Errorf("the list is %q and leaves out %v", listed(rows), left)
	}
}

// TestTriflesAreCounted: what owns next to nothing is left out with all that follows from it, and
// counted by section; what says that the structure differs, or tells of much time, or could be
// chance and makes a hundredth of the run, is told.
func TestTriflesAreCounted(t *testing.T) {
	own := func(ns int64) account.Delta { return account.Delta{ElapsedNs: ns} }
	d := &Difference{Balance: &account.Balance{Elapsed: [2]int64{100_000, 110_000}}, Findings: []Finding{
		{Under: -1, Kind: "slower", Own: own(9_000)},
		{Under: -1, Section: Timeless, Kind: "new"},
		{Under: -1, Section: Timeless, Kind: "called"},
		{Under: 2, Section: Timeless, Kind: "new"},
		{Under: -1, Section: Timeless, Kind: "called", Calls: [2]int64{10, 15}, Own: own(150)},
		{Under: -1, Section: Timeless, Kind: "moved", Slight: true},
		{Under: -1, Section: Doubtful, Kind: "wait", Own: own(1_200), Certainty: finding.Chance},
		{Under: -1, Section: Doubtful, Kind: "wait", Own: own(1_000), Certainty: finding.Chance},
		{Under: -1, Section: Minor, Kind: "divergence"},
		{Under: -1, Section: Timeless, Kind: "slower", DeltaNs: 60_000},
		{Under: -1, Section: Timeless, Kind: "wait", DeltaNs: 60_000},
	}}
	rows, left := d.Rows(30)
	want := "6 more: 4 of little or no time, 1 that could be chance, 1 minor"
	if got := listed(rows); got != "0 1 4 6 9 " || left.String() != want {
		t.Errorf("the list is %q with %q, want 0 1 4 6 9 and %q", got, left, want)
	}
	if rows[3].Title != "Could be chance" {
		t.Errorf("the last row stands under %q", rows[3].Title)
	}
	if rows, left := d.Rows(0); listed(rows) != "0 1 2 3 4 5 6 7 8 9 10 " || left.Total() != 0 {
		t.Errorf("without a limit the list is %q and leaves out %v", listed(rows), left)
	}
}

func TestWhatIsLeftOutInWords(t *testing.T) {
	for _, c := range []struct {
		left Left
		want string
	}{
		{Left{}, ""},
		{Left{Timed: 3}, "3 more"},
		{Left{Doubtful: 2}, "2 more that could be chance"},
		{Left{Timeless: 1}, "1 more of little or no time"},
		{Left{Minor: 1}, "1 more: minor"},
		{Left{Timeless: 1, Minor: 4}, "5 more: 1 of little or no time, 4 minor"},
	} {
		if got := c.left.String(); got != c.want {
			t.Errorf("%v is %q, want %q", [Minor + 1]int(c.left), got, c.want)
		}
	}
}

// TestOneFindingTellsOfTheOrder holds that of minor findings the list has one about calls in another
// order, which stands for all.
func TestOneFindingTellsOfTheOrder(t *testing.T) {
	d := &Difference{Balance: &account.Balance{Elapsed: [2]int64{1000, 1000}}, Findings: []Finding{
		{Under: -1, Section: Timed},
		{Under: -1, Section: Minor, Kind: "moved", Order: true, Slight: true},
		{Under: -1, Section: Minor, Kind: "moved", Order: true, Slight: true, Lead: true},
		{Under: -1, Section: Minor, Kind: "divergence"}}}
	if rows, left := d.Rows(30); listed(rows) != "0 2 " || left[Minor] != 2 {
		t.Errorf("the list is %q and leaves out %v", listed(rows), left)
	}
}
