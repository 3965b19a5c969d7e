package aggregate

import (
	"image"
	"math"
	"slices"
	"strings"
	"testing"

	"gioui.org/io/pointer"

	"diptych/internal/aggregate"
	"diptych/internal/geom"
	"diptych/internal/pair"
	scene "diptych/internal/scene/aggregate"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/uitest/viewtest"
)

// overlap is how much of [from, to) is in [a, b).
func overlap(from, to, a, b int64) float64 { return float64(max(min(to, b)-max(from, a), 0)) }

// plainShares are the shares of states in some time of some threads, from the definition: of each
// call and each timeslice the time that none of its callees has.
func plainShares(p *pair.Pair, side pair.Side, threads []int, borders []int64, name func(trace.FuncID) string) map[string]float64 {
	out := map[string]float64{}
	cells := float64(len(threads) * (len(borders) - 1))
	for _, i := range threads {
		th := p.Trace(side).Threads[i]
		for s := range len(borders) - 1 {
			from, to := borders[s], borders[s+1]
			for k := range th.Len() {
				share := overlap(th.Start(k), th.End(k), from, to) / float64(to-from) / cells
				out[name(th.Fn[k])] += share
				if up := th.Parent(k); up >= 0 {
					out[name(th.Fn[up])] -= share
				}
			}
		}
	}
	return out
}

// threadsOf returns the threads that a spot is about on its side.
func threadsOf(x spot) (list []int) {
	for _, r := range x.resources() {
		if th := x.of.cut.Pair.Threads[r].On(pair.Side(x.plot)); th >= 0 {
			list = append(list, th)
		}
	}
	return list
}

// TestHoverTellsResourcesTimeAndStates: each aggregate that can be pointed at says which threads it is
// of, from when to when, and the shares of states as they are summed over the calls.
func TestHoverTellsResourcesTimeAndStates(t *testing.T) {
	for name, files := range map[string][]string{"queue": queue, "builds": builds} {
		for _, states := range []aggregate.States{aggregate.ByFunction, aggregate.ByPackage} {
			t.Run(name+" by "+states.String(), func(t *testing.T) {
				b := benchOf(t, viewtest.Opened(t, files...), "slices=20", "states="+states.String())
				for plot := range scene.Difference {
					checkHover(t, b, plot, states)
				}
			})
		}
	}
}

func checkHover(t *testing.T, b *bench, plot int, states aggregate.States) {
	side := pair.Side(plot)
	p := b.State().Pair
	tr := p.Trace(side)
	name := func(f trace.FuncID) string {
		if states == aggregate.ByPackage {
			fn := tr.Functions[f]
			for _, text := range []string{fn.Package, fn.Module, aggregate.NoPackage} {
				if text != "" {
					return text
				}
			}
		}
		return p.Names[p.IDs(side)[f]]
	}
	pointed, every := 0, testtrace.Sized(3, 1)
	for i, a := range slices.Clone(b.plot(plot).Areas) {
		if a.Rect.W() < 5 || a.Rect.H() < 5 || i%every != 0 {
			continue
		}
		pointed++
		b.Move(b.in(middle(a.Rect)))
		x := b.pane.under
		if !b.pane.over || x.plot != plot || x.place.From != a.From || x.place.Leaves != a.Leaves || b.Over != side {
			t.Fatalf("over %+v is %+v", a.Place, x)
		}
		borders := b.overview().cut.Sides[side].Borders[a.From : a.To+2]
		want := plainShares(p, side, threadsOf(x), borders, name)
		all := 0.0
		for _, r := range b.overview().ranked(x.shares()) {
			if r.name == NoState || r.name == aggregate.Other {
				continue
			}
			if math.Abs(r.share[side]-want[r.name]) > 1e-6 {
				t.Errorf("%s has %v in %+v, want %v", r.name, r.share[side], a.Place, want[r.name])
			}
			all += want[r.name]
		}
		lines := b.pane.lines
		if len(lines) < 3 || len(lines) > 4+tipStates {
			t.Fatalf("it says %q", lines)
		}
		if th := threadsOf(x); len(th) == 1 && !strings.Contains(lines[0], tr.Threads[th[0]].Title()) &&
			!strings.Contains(tr.Threads[th[0]].Title(), lines[0]) {
			t.Errorf("it says %q of %q", lines, tr.Threads[th[0]].Title())
		}
		from := value(b.State(), float64(borders[0]))
		if !strings.HasPrefix(lines[1], from+" – ") ||
			!strings.HasSuffix(lines[1], kit.Plural(20, "timeslice")) {
			t.Errorf("it says %q, which begins at %s", lines[1], from)
		}
		if !strings.HasPrefix(lines[2], kit.Plural(leavesOf(a), "thread")+", ") {
			t.Errorf("it says %q of %d threads", lines[2], leavesOf(a))
		}
		top := b.overview().ranked(b.onSide(x))
		if len(top) > 0 && !strings.HasPrefix(lines[3], kit.Percent(top[0].share[side])+" ") {
			t.Errorf("it says %q of %s", lines[3], kit.Percent(top[0].share[side]))
		}
	}
	if pointed == 0 {
		t.Errorf("nothing in %s can be pointed at", plotNames[plot])
	}
}

// onSide returns the shares in a spot on the side of its plot.
func (b *bench) onSide(x spot) (shares [2][]float64) {
	shares[x.plot] = x.shares()[x.plot]
	return shares
}

// TestHoverOfADifferenceTellsBothSides: the difference says what both sides have, and by how much
// they differ, the largest difference first.
func TestHoverOfADifferenceTellsBothSides(t *testing.T) {
	b := put(t, staged(t, "aaaaaaaa", "aaaabbbb"), staged(t, "aaaaaaaa", "bbbbbbbb"))
	b.set("slices", "8")
	_, at := b.area(scene.Difference, func(a scene.Area) bool { return single(a) && a.Share != 0 })
	b.Move(at)
	lines := strings.Join(b.pane.lines, "\n")
	for _, want := range []string{"worker-1", "A 0 ns – 4.00 µs, B 0 ns – 4.00 µs, 4 of 8 timeslices", "1 pair of threads, ",
		"A 100 %   B 0 %   −100.0 pt   a", "A 0 %   B 100 %   +100.0 pt   b"} {
		if !strings.Contains(lines, want) {
			t.Errorf("it says\n%s\nbut not %q", lines, want)
		}
	}
}

// TestHoverMarksAllPlots: what is under the pointer is outlined, and the same threads and time in the
// other plots, until the pointer goes elsewhere.
func TestHoverMarksAllPlots(t *testing.T) {
	b := newBench(t, queue...)
	a, at := b.area(scene.A, single)
	b.Move(at)
	st := b.pane.built.state
	if !st.Hover.OK || st.Plots[st.Hover.Plot].Of != scene.A || st.Hover.Leaves != a.Leaves {
		t.Errorf("outlined is %+v", st.Hover)
	}
	o := b.overview()
	r := o.parts[scene.A].of[a.Leaves[0]]
	for k := range st.Plots {
		of := st.Plots[k].Of
		if of == scene.A {
			continue
		}
		want := slices.Index(o.parts[of].of, r)
		if h := st.Plots[k].Hovered; !h.OK || h.From != a.From || h.To != a.To ||
			want >= 0 && h.Leaves != [2]int{want, want + 1} || want < 0 && h.Leaves[0] != h.Leaves[1] {
			t.Errorf("in %s marked is %+v, want leaf %d", plotNames[of], h, want)
		}
	}
	b.Move(b.in(geom.Point{X: 2, Y: b.plot(scene.A).Plot.Y0 + 2}))
	if b.pane.built.state.Hover.OK || !b.pane.inside {
		t.Error("beside the grid something is outlined")
	}
	b.Move(at)
	b.Point(pointer.Leave, image.Pt(2, 2), 0)
	b.Move(image.Pt(2, 2))
	if b.pane.built.state.Hover.OK || b.pane.inside {
		t.Error("something is outlined though the pointer is away")
	}
}

// TestSpanOfResources: resources that do not stand side by side have no one place.
func TestSpanOfResources(t *testing.T) {
	p := &part{of: []int{4, 2, 7, 1}}
	for _, c := range []struct {
		of   []int
		want [2]int
	}{{[]int{2}, [2]int{1, 2}}, {[]int{7, 2}, [2]int{1, 3}}, {[]int{4, 7}, [2]int{}}, {[]int{9}, [2]int{}},
		{[]int{1, 9}, [2]int{3, 4}}, {nil, [2]int{}}} {
		if got := p.span(c.of); got != c.want {
			t.Errorf("%v are at %v, want %v", c.of, got, c.want)
		}
	}
}

// TestHowAlikeThePartsAre: words for what an aggregate loses.
func TestHowAlikeThePartsAre(t *testing.T) {
	b := put(t, staged(t, "aaaaaaaa", "abababab"), staged(t, "aaaaaaaa", "abababab"))
	b.set("slices", "8")
	b.set("p", "0")
	a, _ := b.area(scene.A, func(a scene.Area) bool { return single(a) && a.From == 0 && a.To == 7 })
	if got := b.spotAt(scene.A, a).homogeneity(); got != "homogeneous, nothing is lost" {
		t.Errorf("of one state it says %q", got)
	}
	a, _ = b.area(scene.A, func(a scene.Area) bool { return a.From == a.To })
	if got := b.spotAt(scene.A, a).homogeneity(); got != "one cell, nothing is lost" {
		t.Errorf("of a cell it says %q", got)
	}
	b.set("p", "1")
	a, _ = b.area(scene.A, func(a scene.Area) bool { return a.From == 0 && a.To == 7 && several(a) })
	if got := b.spotAt(scene.A, a).homogeneity(); got != "100 % of the detail is lost in it" {
		t.Errorf("of everything it says %q", got)
	}
}
