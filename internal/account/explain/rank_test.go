package explain

import (
	"fmt"
	"strings"
	"testing"

	"diptych/internal/account"
	"diptych/internal/align/finding"
)

// TestFindingsAreRanked holds the order: what owns most first, what follows below its cause, what
// could be chance but is large after that and after a function that is missing, then what takes no
// time, and last what could be chance.
func TestFindingsAreRanked(t *testing.T) {
	owns := func(kind string, level finding.Certainty, elapsed, work int64) Finding {
		return Finding{Kind: kind, Certainty: level, Under: -1,
			Own: account.Delta{ElapsedNs: elapsed, WorkNs: work}}
	}
	b := &account.Balance{Elapsed: [2]int64{400, 500}}
	b.Total[0][account.CPU], b.Total[1][account.CPU] = 400, 500
	list := rankFindings(b, finding.Noise{Quiet: true}, []Finding{
		owns("pace", finding.Certain, 5, 0), owns("divergence", finding.Certain, 0, 0),
		{Kind: "slower", Under: 0}, owns("new", finding.Certain, 1, 9), owns("moved", finding.Certain, 0, 0),
		owns("missing", finding.Certain, 4, 4), owns("slower", finding.Certain, -7, 8),
		{Kind: "faster", Under: 0}, {Kind: "called", Under: 2}, owns("wait", finding.Likely, 17, 0),
		owns("io", finding.Likely, 9, 0), owns("idle", finding.Chance, 90, 0),
		owns("faster", finding.Chance, -80, 0), owns("burst", finding.Chance, 3, 0)})
	want := "new wait pace slower<2 faster<2 called<3 io slower missing idle moved faster burst divergence"
	if s := kindsInOrder(list); s != want {
		t.Errorf("%s, want %s", s, want)
	}
}

// TestBusyMachinesHideNoChange holds that what is certain is told by its part of the time for which
// threads have a processor, however long they have none; what could be chance is not, nor is less.
func TestBusyMachinesHideNoChange(t *testing.T) {
	for _, c := range []struct {
		level  finding.Certainty
		ns, of int64
		want   Section
	}{
		{finding.Certain, -120, 1200, Timed}, {finding.Certain, -12, 1200, Timed}, {finding.Certain, -11, 1200, Minor},
		{finding.Likely, -120, 1200, Minor}, {finding.Chance, -120, 1200, Doubtful}, {finding.Certain, -120, 0, Minor},
	} {
		b := &account.Balance{Elapsed: [2]int64{15_500, 1400}}
		b.Total[0][account.CPU], b.Total[0][account.OffCPU], b.Total[1][account.CPU] = c.of, 15_500-c.of, c.of
		list := rankFindings(b, finding.Noise{Quiet: true}, []Finding{{Kind: "called", Certainty: c.level, Under: -1,
			Calls: [2]int64{500, 50}, DeltaNs: c.ns, Own: account.Delta{ElapsedNs: c.ns, WorkNs: c.ns}}})
		if got := list[0].Section; got != c.want {
			t.Errorf("%+v: section %v, want %v", c, got, c.want)
		}
	}
}

func kindsInOrder(list []Finding) string {
	var got []string
	for _, f := range list {
		text := f.Kind
		if f.Under >= 0 {
			text += fmt.Sprint("<", f.Under)
		}
		got = append(got, text)
	}
	return strings.Join(got, " ")
}

// TestWhatGoesWithTheDifferenceComesFirst holds that a cause stands before what makes up for a part
// of the difference, unless that is more than twice as large.
func TestWhatGoesWithTheDifferenceComesFirst(t *testing.T) {
	b := &account.Balance{Elapsed: [2]int64{2250, 2500}}
	b.Total[0][account.CPU], b.Total[1][account.CPU] = 3950, 4940
	for _, c := range []struct {
		against int64
		want    string
	}{{-305, "called repeat"}, {-490, "called repeat"}, {-500, "repeat called"}} {
		list := rankFindings(b, finding.Noise{Quiet: true}, []Finding{
			{Kind: "repeat", Certainty: finding.Certain, Under: -1, Own: account.Delta{WorkNs: c.against}},
			{Kind: "called", Certainty: finding.Certain, Under: -1, Own: account.Delta{WorkNs: 247}}})
		if got := kindsInOrder(list); got != c.want {
			t.Errorf("%d against 247: %s, want %s", c.against, got, c.want)
		}
	}
}

// TestSlightNewsStandsLast holds that calls in another order and the like come after what could be
// chance if the runs differ, and before it if they do not; and always after a new name.
func TestSlightNewsStandsLast(t *testing.T) {
	for _, c := range []struct {
		elapsed [2]int64
		want    string
	}{
		{[2]int64{1000, 1200}, "renamed idle faster moved threads called divergence"},
		{[2]int64{1000, 1001}, "renamed moved threads called divergence faster idle"},
	} {
		b := &account.Balance{Elapsed: c.elapsed}
		list := rankFindings(b, finding.Noise{Quiet: true}, []Finding{
			{Kind: "moved", Certainty: finding.Certain, Under: -1, Slight: true},
			{Kind: "threads", Certainty: finding.Certain, Under: -1, Waiting: true, DeltaNs: 90},
			{Kind: "called", Certainty: finding.Certain, Under: -1},
			{Kind: "divergence", Certainty: finding.Certain, Under: -1},
			{Kind: "renamed", Certainty: finding.Certain, Under: -1},
			{Kind: "idle", Certainty: finding.Chance, Under: -1, Own: account.Delta{ElapsedNs: 60}},
			{Kind: "faster", Certainty: finding.Chance, Under: -1, Own: account.Delta{ElapsedNs: -12}}})
		if got := kindsInOrder(list); got != c.want {
			t.Errorf("%v: %s, want %s", c.elapsed, got, c.want)
		}
	}
}

// TestFewChangesStandBeforeWhatCouldBeChance holds that a few changes of the program that take no
// time are told before what is large and could be chance, and many after it.
func TestFewChangesStandBeforeWhatCouldBeChance(t *testing.T) {
	b := &account.Balance{Elapsed: [2]int64{1000, 2000}}
	for n, want := range map[int]Section{mostChanged: Changed, mostChanged + 1: Timeless} {
		list := []Finding{{Kind: "idle", Certainty: finding.Chance, Under: -1,
			Own: account.Delta{ElapsedNs: 700}}}
		for range n {
			list = append(list, Finding{Kind: "new", Certainty: finding.Certain, Under: -1})
		}
		ranked := rankFindings(b, finding.Noise{Quiet: true}, list)
		if first := ranked[0].Section; (first == Changed) != (want == Changed) || ranked[n].Section == Changed {
			t.Errorf("%d: %s, the first in section %d", n, kindsInOrder(ranked), first)
		}
	}
}

// TestTheMachineComesAfterTheProgram holds that of what is large, but could be chance, the time
// without a processor comes last.
func TestTheMachineComesAfterTheProgram(t *testing.T) {
	b := &account.Balance{Elapsed: [2]int64{1000, 2000}}
	own := func(ns int64) account.Delta { return account.Delta{ElapsedNs: ns} }
	list := rankFindings(b, finding.Noise{Quiet: true}, []Finding{
		{Kind: "slower", Certainty: finding.Chance, Under: -1, Own: own(700), machine: true},
		{Kind: "wait", Certainty: finding.Chance, Under: -1, Own: own(300)}})
	if got := kindsInOrder(list); got != "wait slower" {
		t.Error(got)
	}
}
