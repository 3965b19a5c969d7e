package aggregate

import (
	"image"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"diptych/internal/aggregate"
	scene "diptych/internal/scene/aggregate"
	"diptych/internal/session"
)

const curveName = "Simplicity against detail, with the quality curves"

// wide shows the view alone, with room for the curves.
func wide(t *testing.T, files ...string) *bench {
	b := newBench(t, files...)
	b.Beside, b.Area = nil, image.Rect(12, 80, 1270, 770)
	b.Settle()
	return b
}

// onCurve returns the point of the slider at some p.
func (b *bench) onCurve(p float64) image.Point {
	b.T.Helper()
	r, ok := b.Find(curveName)
	if !ok {
		b.T.Fatal("there are no curves")
	}
	left, right := r.Min.X+knob, r.Max.X-knob-16
	return image.Pt(left+int(p*float64(right-left)+.5), (r.Min.Y+r.Max.Y)/2)
}

// isBest checks that each picture is the partition that is optimal for p.
func (b *bench) isBest(p float64) {
	b.T.Helper()
	o, shown := b.overview(), b.shown()
	for k, c := range o.curves {
		if c == nil {
			continue
		}
		x, err := c.Best(b.T.Context(), p)
		if err != nil {
			b.T.Fatal(err)
		}
		parts := [][]int{{scene.A, scene.B}, {scene.Difference}}[k]
		i := 0
		for _, plot := range parts {
			if o.parts[plot] == nil {
				continue
			}
			if !reflect.DeepEqual(shown[plot].Partition.Aggregates, x.Partitions[i].Aggregates) {
				b.T.Errorf("p = %v: %s shows %d aggregates, want %d", p, plotNames[plot],
					len(shown[plot].Partition.Aggregates), len(x.Partitions[i].Aggregates))
			}
			i++
		}
	}
}

// TestSliderOfP: a drag chooses p, a double click goes back to the best one; what is shown is the
// partition for it.
func TestSliderOfP(t *testing.T) {
	b := wide(t, queue...)
	if b.own().Fixed || b.shown() != b.overview().shown {
		t.Fatal("p is not the best at first")
	}
	b.Drag(b.onCurve(.2), b.onCurve(.8), 0)
	if o := b.own(); !o.Fixed || math.Abs(o.P-.8) > .01 {
		t.Errorf("dragged to %+v", o)
	}
	b.isBest(b.own().P)
	fine := len(b.shown()[scene.A].Partition.Aggregates)
	b.ClickAt(b.onCurve(.1))
	if o := b.own(); math.Abs(o.P-.1) > .01 || len(b.shown()[scene.A].Partition.Aggregates) <= fine {
		t.Errorf("a click leads to %v", o.P)
	}
	b.isBest(b.own().P)
	b.Drag(b.onCurve(.5), b.onCurve(.5).Add(image.Pt(2000, 0)), 0)
	if b.own().P != 1 {
		t.Errorf("dragged beyond the end to %v", b.own().P)
	}
	b.Frame(1e9)
	if b.DoubleClick(b.onCurve(.3)); b.own().Fixed {
		t.Errorf("a double click leads to %v", b.own().P)
	}
	for k, pic := range b.shown() {
		if pic != b.overview().shown[k] {
			t.Errorf("%s does not show the best partition", plotNames[k])
		}
	}
}

// TestStepsOfP: wheel and keys go from one significant p to the next, to either end and no further.
func TestStepsOfP(t *testing.T) {
	b := wide(t, queue...)
	b.finishCurves()
	points := func(k int) []aggregate.Point { return b.overview().known(growthIn(b.State(), b.overview()), k) }
	list := points(sides)
	at := func(p float64) int {
		for i, x := range list {
			if x.From <= p && p <= x.To {
				return i
			}
		}
		t.Fatalf("no point has %v", p)
		return 0
	}
	here := at(b.overview().best[sides].P)
	for _, c := range []struct {
		do func()
		by int
	}{
		{func() { b.Strike("Shift-S") }, +1},
		{func() { b.Strike("Shift-S") }, +1},
		{func() { b.Strike("Shift-W") }, -1},
		{func() { b.Scroll(b.onCurve(.4), 0, -1, 0) }, +1},
		{func() { b.Scroll(b.onCurve(.4), 0, 1, 0) }, -1},
		{func() { b.Scroll(b.onCurve(.4), 0, .5, 0) }, 0}, // half a notch
		{func() { b.Scroll(b.onCurve(.4), 0, .5, 0) }, -1},
	} {
		c.do()
		here += c.by
		if o := b.own(); !o.Fixed || at(o.P) != here {
			t.Fatalf("at point %d, want %d", at(o.P), here)
		}
		b.isBest(b.own().P)
		if got := b.shown()[scene.A].Partition; len(got.Aggregates) != len(list[here].Partitions[0].Aggregates) {
			t.Errorf("shown are %d aggregates, want %d", len(got.Aggregates), len(list[here].Partitions[0].Aggregates))
		}
	}
	b.set("p", "1")
	if b.Do(NextP); at(b.own().P) != len(list)-1 {
		t.Errorf("beyond the last it is at %v", b.own().P)
	}
	b.set("p", "0")
	if b.Do(PrevP); at(b.own().P) != 0 {
		t.Errorf("before the first it is at %v", b.own().P)
	}
	if b.Strike("Shift-Q"); b.own().Fixed {
		t.Error("the key does not lead to the best p")
	}
	b.Do(ShowTheDifference)
	list = points(apart)
	if b.overview().p(b.own()) != b.overview().best[apart].P {
		t.Error("the difference alone does not have its own best p")
	}
	here = at(b.overview().best[apart].P)
	if b.Do(NextP); at(b.own().P) != here+1 {
		t.Errorf("along the difference it is at point %d, want %d", at(b.own().P), here+1)
	}
	b.isBest(b.own().P)
}

// TestWithinAPoint: p is written with few digits where the range of the partition has such a number.
func TestWithinAPoint(t *testing.T) {
	for _, c := range []struct{ from, to, p, want float64 }{
		{.1, .4, .2512345, .25}, {.2511, .2519, .2515, .252}, {.25111, .25119, .25115, .2511}, // rounded within
		{.25, .25000001, .250000005, .250000005}, {0, .3, 0, 0}, {.7, 1, 1, 1},
	} {
		got := within(aggregate.Point{From: c.from, To: c.to, P: c.p})
		if got != c.want && !(got > c.from && got < c.to) {
			t.Errorf("%v to %v: %v, want %v", c.from, c.to, got, c.want)
		}
	}
}

// finishCurves takes all rounds of searches; a session that settles takes but one.
func (b *bench) finishCurves() {
	b.C.S.SetDark(!b.State().Dark) // any change, after which what was settled goes on
	for len(b.C.S.Jobs()) > 0 {
		time.Sleep(time.Millisecond) // for the jobs
		b.C.S.Drain()
	}
}

// TestCurvesEnd: rounds of searches end by themselves, with curves that lack nothing that would show.
func TestCurvesEnd(t *testing.T) {
	b := newBench(t, pipeline...)
	for k, show := range []Show{ShowAll, ShowDifference} {
		change(b.C.S, func(o *Own) { o.Show = show })
		b.finishCurves()
		o := b.overview()
		g := growthIn(b.State(), o)
		if g == nil || !g.done() || g.rounds > mostRounds || g.curve != k {
			t.Fatalf("curve %d is not finished", k)
		}
		if len(g.points) < 5 || g.points[0].P != 0 || g.points[len(g.points)-1].P != 1 {
			t.Errorf("curve %d has %d points", k, len(g.points))
		}
		if missing := o.curves[k].Missing(); missing >= finest {
			t.Errorf("curve %d lacks %v", k, missing)
		}
		for i := 1; i < len(g.points); i++ {
			if g.points[i].Gain < g.points[i-1].Gain || g.points[i].Loss < g.points[i-1].Loss {
				t.Errorf("curve %d falls at %d", k, i)
			}
		}
	}
}

// TestRoundsBuildNoScene: while the curves grow, the picture stays as it is.
func TestRoundsBuildNoScene(t *testing.T) {
	b := newBench(t, queue...)
	b.Hasty = true
	f := b.foci()[0]
	f.End /= 2
	b.C.S.SetFocus(0, f)
	rounds, state := 0, b.pane.built.state
	for len(b.C.S.Jobs()) > 0 && rounds < 5 {
		time.Sleep(time.Millisecond) // for the jobs
		b.Frame(0)
		o, ok := overviews.Of(b.State())
		if !ok {
			continue
		}
		if g := growthIn(b.State(), searched(b.State(), o)); g != nil && g.rounds > 0 {
			if rounds++; rounds > 1 && b.pane.built.state != state {
				t.Errorf("round %d builds a scene", g.rounds)
			}
		}
		state = b.pane.built.state
	}
	if rounds < 2 {
		t.Errorf("there were %d rounds", rounds)
	}
}

// TestCurvesGrowAtRest: while the range moves on, searches for curves do not begin, and one that
// waits ends with the overview that it was for.
func TestCurvesGrowAtRest(t *testing.T) {
	b := newBench(t, queue...)
	defer func(was time.Duration) { curveRest = was }(curveRest)
	curveRest = time.Hour
	b.Hasty = true
	waits := func() bool {
		return slices.ContainsFunc(b.C.S.Jobs(), func(j *session.Job) bool {
			if j.Label == curves.Label && time.Until(j.Started) < curveRest/2 {
				t.Error("a search begins at once")
			}
			return j.Label == curves.Label
		})
	}
	f := b.foci()[0]
	for range 3 {
		f.End *= .8
		if b.C.S.SetFocus(0, f); waits() {
			t.Fatal("the curve of what is not shown any more is searched for")
		}
		for until := time.Now().Add(time.Minute); !waits(); time.Sleep(time.Millisecond) {
			if b.Frame(0); time.Now().After(until) {
				t.Fatal("no curve will be searched for")
			}
		}
		if o := b.overview(); !o.searched || growthIn(b.State(), o) != nil {
			t.Error("the curve has grown")
		}
	}
}

// TestNarrowPanesHaveASlider: without room for the curves there is a plain slider for p, and gain and
// loss as text.
func TestNarrowPanesHaveASlider(t *testing.T) {
	b := newBench(t, queue...)
	b.Area = image.Rect(12, 80, 600, 770)
	b.Settle()
	if _, ok := b.Find(curveName); ok {
		t.Error("there are curves")
	}
	r := b.Middle("Simplicity against detail")
	b.ClickAt(r)
	if o := b.own(); !o.Fixed || math.Abs(o.P-.5) > .1 {
		t.Errorf("the slider leads to %+v", o)
	}
	b.isBest(b.own().P)
	b.ClickAt(r.Add(image.Pt(40, 0)))
	if b.own().P < .7 {
		t.Errorf("the slider leads to %v", b.own().P)
	}
	if got := quality(b.State(), b.overview()); !strings.HasPrefix(got, "gain ") || !strings.Contains(got, "loss ") {
		t.Errorf("the quality is %q", got)
	}
}

// TestNameOfTheDifferenceHasRoom: where the best p of the difference is at an end of the curves, its
// name stands within them, alone.
func TestNameOfTheDifferenceHasRoom(t *testing.T) {
	b := wide(t, queue[0], queue[0])
	o := b.overview()
	ends := func() (ends []string) {
		for _, l := range b.Labels() {
			if l == exact || l == simple {
				ends = append(ends, l)
			}
		}
		return ends
	}
	for _, c := range []struct {
		p    float64
		want []string
	}{{0, []string{simple}}, {.5, []string{exact, simple}}, {1, []string{exact}}} {
		o.best[apart].P = c.p
		b.Frame(0)
		if got := ends(); !slices.Equal(got, c.want) {
			t.Errorf("with the best p at %v the ends are %q", c.p, got)
		}
	}
}

// TestNumbersOfAggregatesAreNotCut: not even where each of many cells is an aggregate of its own.
func TestNumbersOfAggregatesAreNotCut(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	threads := make([]string, 1800)
	for i := range threads {
		stages := make([]byte, cuts)
		for k := range stages {
			stages[k] = 'a' + byte(random.IntN(20))
		}
		threads[i] = string(stages)
	}
	b := put(t, staged(t, threads...))
	b.Beside, b.Area = nil, image.Rect(12, 80, 1270, 770)
	setP(b.C.S, 0)
	b.Settle()
	if n := len(b.shown()[scene.A].Partition.Aggregates); n < 10000 {
		t.Fatalf("there are %d aggregates", n)
	}
	b.Frame(0)
	for _, cut := range b.C.Kit.Cuts() {
		if strings.Contains(cut.Text, " of ") {
			t.Errorf("%q is cut after %d letters", cut.Text, cut.Shown)
		}
	}
}
