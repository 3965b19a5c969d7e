package dock

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gioui.org/layout"

	"diptych/internal/account"
	"diptych/internal/account/explain"
	"diptych/internal/align/finding"
)

// says reports whether the dock shows a text.
func (b *bench) says(text string) bool { return slices.Contains(b.Labels(), text) }

// TestFindingsOpenWithTheBalance holds that all that a report opens with is in the tab.
func TestFindingsOpenWithTheBalance(t *testing.T) {
	b := newBench(t, runA, runB)
	d := b.state().Difference()
	for _, q := range d.Quantities() {
		for _, text := range []string{q.Name, d.Length(q.Ns[0]), d.Length(q.Ns[1]), q.Ratio()} {
			if text != "" && !b.says(text) {
				t.Errorf("no %q of %s in %q", text, q.Name, b.Labels())
			}
		}
	}
	of := d.Explained()[0]
	if text := fmt.Sprintf("explained %d %% of %s", of.Percent(), d.Signed(of.DeltaNs)); !b.says(text) {
		t.Errorf("no %q", text)
	}
	for i := range d.Findings {
		if elapsed, _ := d.Owns(&d.Findings[i]); elapsed != "" && !b.says(elapsed) {
			t.Errorf("no %q of %q", elapsed, d.Findings[i].Text)
		}
	}
}

// TestRowsOfADifference holds which rows there are: findings in their order, what follows from a cause
// set in and without an amount, sections under titles, and what is left.
func TestRowsOfADifference(t *testing.T) {
	b := newBench(t, runA, runB)
	d := *b.state().Difference()
	own := account.Delta{ElapsedNs: 3000, WorkNs: 2000}
	d.Findings = []explain.Finding{{Kind: "new", Text: "first", Own: own, Under: -1},
		{Kind: "wait", Text: "follower", Under: 0}, {Kind: "slower", Text: "second", Under: -1,
			Certainty: finding.Likely},
		{Kind: "renamed", Text: "third", Under: -1, Section: explain.Timeless},
		{Kind: "faster", Text: "fourth", Own: account.Delta{ElapsedNs: 5000}, Under: -1,
			Section: explain.Doubtful, Certainty: finding.Chance},
		{Kind: "divergence", Text: "fifth", Under: -1, Section: explain.Minor}}
	d.Left = account.Unexplained{Delta: account.Delta{ElapsedNs: -4000}}
	var f findingList
	f.read(&d)
	if len(f.items) != 10 {
		t.Fatalf("%d rows, want 10", len(f.items))
	}
	for i, want := range []string{"", "first|+3.00 µs|work +2.00 µs", "follower", "second|likely",
		"Little or no time of its own", "third", "Could be chance", "fourth|+5.00 µs",
		"1 more: minor", "unexplained|−4.00 µs"} {
		b.LayOut(roomOf(340, 300), func(gtx C) { f.items[i](b.c, gtx, b.state()) })
		for text := range strings.SplitSeq(want, "|") {
			if text != "" && !b.says(text) {
				t.Errorf("row %d shows %q, want %q", i, b.Labels(), want)
			}
		}
		if n := len(b.Labels()); i > 0 && n > len(strings.Split(want, "|"))+1 {
			t.Errorf("row %d shows %q, want %q alone", i, b.Labels(), want)
		}
	}
}

// TestTriflesAreListedOnDemand: a click on the row that counts them lists them all, another click hides
// them.
func TestTriflesAreListedOnDemand(t *testing.T) {
	b := newBench(t, runA, runB)
	d := *b.state().Difference()
	d.Findings = []explain.Finding{{Kind: "slower", Text: "first", Own: account.Delta{ElapsedNs: 3000}, Under: -1},
		{Kind: "divergence", Text: "second", Under: -1, Section: explain.Minor}}
	var f findingList
	f.read(&d)
	b.Settle, b.Show = nil, func() {
		for range 2 { // what an event changes is drawn in the frame after it
			b.LayOut(roomOf(340, 400), func(gtx C) {
				f.pressed(b.c, gtx)
				f.items[len(f.items)-1](b.c, gtx, b.state())
			})
		}
	}
	for _, c := range []struct {
		click, want string
		rows        int
	}{{"1 more: minor", "Fewer", 5}, {"Fewer", "1 more: minor", 3}} {
		b.Show()
		if b.Click(c.click); !b.says(c.want) || len(f.items) != c.rows {
			t.Errorf("after %q the last of %d rows is %q, want %q", c.click, len(f.items), b.Labels(), c.want)
		}
	}
}

// TestFollowersAreListedOnDemand: a click on the row that counts what else follows from a finding lists
// it there, a click on the row below hides it; what was chosen stays chosen.
func TestFollowersAreListedOnDemand(t *testing.T) {
	b := newBench(t, runA, runB)
	d := *b.state().Difference()
	d.Findings = []explain.Finding{{Kind: "called", Text: "cause", DeltaNs: 900, Under: -1}}
	for k := range 6 {
		d.Findings = append(d.Findings, explain.Finding{Kind: "called", Text: fmt.Sprint("follower ", k),
			DeltaNs: 800 - int64(k), Under: 0})
	}
	d.Findings = append(d.Findings, explain.Finding{Kind: "slower", Text: "next", Under: -1})
	var f findingList
	f.read(&d)
	f.chosen = 2
	b.Settle, b.Show = nil, func() {
		for range 2 {
			b.LayOut(roomOf(340, 800), func(gtx C) {
				f.pressed(b.c, gtx)
				var rows []layout.FlexChild
				for _, lay := range f.items {
					rows = append(rows, layout.Rigid(func(gtx C) D { return lay(b.c, gtx, b.state()) }))
				}
				layout.Flex{Axis: layout.Vertical}.Layout(gtx, rows...)
			})
		}
	}
	shown := func() (texts []string) {
		for _, l := range b.Labels() {
			if strings.HasPrefix(l, "follower") || strings.Contains(l, "follow from") || l == "next" ||
				l == "Fewer" {
				texts = append(texts, l)
			}
		}
		return slices.Compact(texts)
	}
	b.Show()
	folded := shown()
	const more = "… 3 more follow from it."
	if !slices.Contains(folded, more) || slices.Contains(folded, "follower 5") {
		t.Fatalf("it shows %q", folded)
	}
	b.Click(more)
	if got := shown(); !slices.Contains(got, "follower 5") || slices.Contains(got, more) || f.chosen != 2 {
		t.Errorf("after a click it shows %q", got)
	}
	b.Click("Fewer")
	if got := shown(); !slices.Equal(got, folded) {
		t.Errorf("after another click it shows %q, want %q", got, folded)
	}
}

// TestNarrowBalances holds that columns which have no room are left out rather than cut.
func TestNarrowBalances(t *testing.T) {
	b := newBench(t, runA, runB)
	d := b.state().Difference()
	for width, want := range map[int]bool{340: true, 280: false} {
		b.LayOut(roomOf(width, 300), func(gtx C) { balance(b.c, gtx, b.state(), d) })
		if got := b.says("B : A"); got != want {
			t.Errorf("%d px wide it shows the ratio: %v", width, got)
		}
	}
}

// TestUntilTheDifferenceIsKnown holds what the tab says meanwhile.
func TestUntilTheDifferenceIsKnown(t *testing.T) {
	b := newBench(t, runA, runB)
	s := b.c.S
	s.Swap()
	said := []string{noFindings(b.state())}
	for s.Ready(t.Context()) > 0 {
		if s.Take(0); noFindings(b.state()) != said[len(said)-1] {
			said = append(said, noFindings(b.state()))
		}
	}
	want := []string{"The calls of both traces are being aligned.",
		"What both traces are made of is being counted.", ""}
	if !slices.Equal(said, want) {
		t.Errorf("it says %q, want %q", said, want)
	}
}
