package aggregate

import (
	"fmt"
	"image"
	"math"
	"slices"
	"strings"
	"testing"

	"diptych/internal/geom"
	scene "diptych/internal/scene/aggregate"
	"diptych/internal/typeface"
)

// differing shows two runs of three threads, of which the last one differs in its second half and
// the second one for a shorter time.
func differing(t *testing.T) *bench {
	b := put(t, staged(t, "aaaaaaaaaaaaaaaa", "aaaaaaaaaaaabbbb", "aaaaaaaaaaaaaaaa"),
		staged(t, "aaaaaaaaaaaaaaaa", "aaaaaaaaaaaabbcc", "aaaaaaaabbbbbbbb"))
	b.set("slices", "16")
	return b
}

// TestWhereTheSidesDifferMost: the list has what differs, by how much and on which side, the longest
// first.
func TestWhereTheSidesDifferMost(t *testing.T) {
	b := differing(t)
	o := b.overview()
	if len(o.worst) < 2 || len(o.worst) > mostChanges {
		t.Fatalf("there are %d", len(o.worst))
	}
	for i, d := range o.worst {
		if math.Abs(d.share) < leastChange || i > 0 && d.ns > o.worst[i-1].ns {
			t.Errorf("number %d is %+v", i, d)
		}
	}
	first := o.spotOf(o.worst[0])
	if name := first.name(); !strings.Contains(name, "worker-2") {
		t.Errorf("the first one is of %q", name)
	}
	if from, to := first.place.From, first.place.To; from != 8 || to != 15 {
		t.Errorf("the first one has slices %d to %d", from, to)
	}
	// Eight slices of one thread by all of their time.
	if d := o.worst[0]; math.Abs(d.share) != 1 || d.ns != 8*shift {
		t.Errorf("the first one is %+v", d)
	}
	lines := b.listed()
	if len(lines) != len(o.worst) {
		t.Errorf("%d of %d are listed", len(lines), len(o.worst))
	}
	slices.Sort(lines)
	if len(slices.Compact(lines)) != len(o.worst) {
		t.Errorf("lines have the same names: %q", lines)
	}
}

// listed are the labels of the lines that lead to differences.
func (b *bench) listed() (lines []string) {
	for _, l := range b.Labels() {
		if strings.HasPrefix(l, "Show where ") {
			lines = append(lines, l)
		}
	}
	return lines
}

// TestAClickLeadsToTheDifference: its time and its threads become the whole.
func TestAClickLeadsToTheDifference(t *testing.T) {
	b := differing(t)
	x := b.overview().spotOf(b.overview().worst[0])
	b.Click(b.listed()[0])
	want := geom.Span{Start: 8 * shift, End: 16 * shift}
	if b.foci() != [2]geom.Span{want, want} || !slices.Equal(b.own().resources(), x.resources()) {
		t.Errorf("it leads to %v of %v, want %v", b.foci(), b.own().resources(), x.resources())
	}
	b.Click("Show all resources")
	if len(b.own().Zoom) != 0 || len(b.listed()) == 0 {
		t.Error("it does not lead back")
	}
}

// TestEqualRunsDifferNowhere: no line says that something differs.
func TestEqualRunsDifferNowhere(t *testing.T) {
	b := newBench(t, queue[0], queue[0])
	if n := len(b.overview().worst); n != 0 || len(b.listed()) != 0 {
		t.Errorf("equal runs differ in %d places", n)
	}
}

// TestTableOfStates: the means of all that is shown, by the definition, and the rest in no state.
func TestTableOfStates(t *testing.T) {
	b := put(t, staged(t, "aabb", "a"), staged(t, "abbb", "b"))
	b.set("slices", "8")
	want := map[string][2]float64{"a": {3. / 8, 1. / 8}, "b": {2. / 8, 4. / 8}, NoState: {3. / 8, 3. / 8}}
	if len(b.panel.memo.whole) != len(want) {
		t.Fatalf("the table is %+v", b.panel.memo.whole)
	}
	for i, r := range b.panel.memo.whole {
		for s, share := range want[r.name] {
			if !r.known[s] || math.Abs(r.share[s]-share) > 1e-9 {
				t.Errorf("%s is %v, want %v", r.name, r.share, want[r.name])
			}
		}
		if r.name == NoState && i != len(want)-1 {
			t.Error("no state is not the last")
		}
	}
	_, at := b.area(scene.A, single)
	b.Move(at)
	if m := b.panel.memo; m.spot != b.pane.under || len(m.ranks) == 0 {
		t.Errorf("the tab is about %+v", m.spot)
	}
	ranks := b.panel.memo.ranks
	b.Move(at.Add(image.Pt(1, 1)))
	if &b.panel.memo.ranks[0] != &ranks[0] {
		t.Error("the states of the same aggregate are summed again")
	}
}

// TestLongTablesAreCut: of an aggregate the tab lists the first states, and says how many there are
// more. A click on that lists them.
func TestLongTablesAreCut(t *testing.T) {
	b := newBench(t, queue...)
	_, at := b.area(scene.A, single)
	b.Move(at)
	ranks := func(n int) {
		b.panel.memo.ranks = nil
		for i := range n {
			b.panel.memo.ranks = append(b.panel.memo.ranks,
				rank{name: fmt.Sprint("state ", i), share: [2]float64{.5, .2}})
		}
		b.Show()
	}
	last := func(n int) bool { return slices.Contains(b.Labels(), fmt.Sprint("state ", n-1)) }
	if ranks(spotStates + 1); !last(spotStates + 1) {
		t.Error("a row stands for one state")
	}
	ranks(14)
	const more = "5 states more"
	if last(14) || !slices.Contains(b.Labels(), more) {
		t.Fatalf("it shows %q", b.Labels())
	}
	if b.Click(more); !last(14) || slices.Contains(b.Labels(), more) {
		t.Errorf("after a click it shows %q", b.Labels())
	}
	if b.Click("Fewer states"); last(14) {
		t.Error("after another click all are listed still")
	}
}

func TestPointsOfShares(t *testing.T) {
	for share, want := range map[float64]string{.123: "+12.3 pt", -.5: "−50.0 pt", .0001: "0 pt", 0: "0 pt"} {
		if got := points(share); got != want {
			t.Errorf("%v is %q, want %q", share, got, want)
		}
	}
}

// TestStatesKeepDifferentNames holds that two states whose names end alike are told apart.
func TestStatesKeepDifferentNames(t *testing.T) {
	long, short := "ThreadControllerImpl::RunTask", "RunTask"
	width := typeface.Width("ThreadControllerImp", 13, false)
	if got := shortBeside(long, []string{short, long}, width, 13); got == short ||
		!strings.HasPrefix(got, "Thread") || typeface.Width(got, 13, false) > width {
		t.Errorf("%s is %q beside %s", long, got, short)
	}
	if got := shortBeside(short, []string{short, long}, width, 13); got != short {
		t.Errorf("%s is %q", short, got)
	}
	if got := shortBeside(long, []string{long, "other"}, width, 13); got != short {
		t.Errorf("%s is %q where it is alone", long, got)
	}
}

// TestCellsInWords holds that a number of cells fits the line below a plot's badge.
func TestCellsInWords(t *testing.T) {
	for n, want := range map[int]string{500: "500", 99_999: "99 999", 100_000: "100 k", 1_000_000: "1.00 M", 34_300_000: "34.3 M"} {
		if got := cellWords(n); strings.ReplaceAll(got, "\u2009", " ") != want {
			t.Errorf("%d cells are %q, want %q", n, got, want)
		}
	}
}
