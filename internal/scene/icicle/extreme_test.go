package icicle

import (
	"context"
	"fmt"
	"testing"

	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/trace"
)

func built(t testing.TB, b *trace.Builder) *trace.Trace {
	t.Helper()
	tr, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// deep is a recursion of many levels, each 10 ns longer than the next at both ends.
func deep(t testing.TB, levels int) *trace.Trace {
	b := trace.NewBuilder("deep")
	th, f := b.Thread("1", -1), b.Function(trace.Function{Name: "recurse"})
	for i := range levels {
		th.Begin(int64(i)*10, f)
	}
	for i := range levels {
		th.End(int64(levels+i) * 10)
	}
	return built(t, b)
}

func plotOf(tr *trace.Trace) Plot {
	p := Plot{
		Trace: tr, View: geom.Rect{X1: 1600, Y1: 500}, Row: 19, Header: 15, TextSize: 11,
		Palette: palette.Light(),
	}
	p.Axis = geom.Axis{Span: geom.Span{End: float64(tr.Duration)}, X1: 1600}
	for k := range tr.Threads {
		p.Threads = append(p.Threads, k)
	}
	return p
}

// TestDeepStack: 100,000 levels are drawn wherever they are scrolled to, a viewport's worth at a
// time.
func TestDeepStack(t *testing.T) {
	const levels = 100_000
	p := plotOf(deep(t, levels))
	p.Axis.Span = geom.Span{Start: levels*10 - 500, End: levels*10 + 500}
	for _, top := range []int{0, 1000, levels / 2, levels - 20} {
		p.Scroll = float32(top) * p.Row
		d, _ := draw(p)
		if len(d.quads) < 20 || len(d.quads) > 40 {
			t.Errorf("scrolled to level %d: %d quads", top, len(d.quads))
		}
		pick, ok := d.Pick(geom.Point{X: 800, Y: 200})
		if !ok || pick.Call < top || pick.Call > top+12 {
			t.Errorf("scrolled to level %d: picked %+v", top, pick)
		}
	}
}

// TestThinStrips: a stem 100,000 levels deep takes the height it is given, drawn by a few strips
// that leave no gap, each of which is picked.
func TestThinStrips(t *testing.T) {
	const levels = 100_000
	p := plotOf(deep(t, levels))
	p.Header = 0
	p.Axis.Span = geom.Span{Start: levels*10 - 40, End: levels*10 - 20}
	p.Fold = Stem(p.Trace.Threads[0], p.Axis.Span) - 1
	if p.Fold < levels-10 || p.Fold >= levels {
		t.Fatalf("%d of %d levels are folded", p.Fold, levels)
	}
	p.FoldRow = 60 / float32(p.Fold)
	d, _ := draw(p)
	if len(d.quads) < 50 || len(d.quads) > 80 {
		t.Fatalf("%d quads", len(d.quads))
	}
	for k, q := range d.quads[1:] {
		if gap := q.Rect.Y0 - d.quads[k].Rect.Y1; gap > .01 || gap < -.01 {
			t.Errorf("%v px lie between strips %d and %d", gap, k, k+1)
		}
	}
	if got := d.quads[len(d.quads)-1].Rect.Y1; got < 60 || got > 60+5*p.Row {
		t.Errorf("the deepest call ends at %v", got)
	}
	if pick, ok := d.Pick(geom.Point{X: 800, Y: 30}); !ok || pick.Call < levels/3 || pick.Call > levels*2/3 {
		t.Errorf("half way down the strips %+v is picked", pick)
	}
}

// TestStem: the stem of a focus is what fills it, whatever the thread has elsewhere.
func TestStem(t *testing.T) {
	b := trace.NewBuilder("stem")
	th, f := b.Thread("1", -1), b.Function(trace.Function{Name: "f"})
	th.Complete(0, 1000, f)
	th.Complete(100, 500, f)
	th.Complete(150, 450, f)
	th.Complete(500, 990, f)
	th.Complete(2000, 2001, f)
	thread := built(t, b).Threads[0]
	for _, c := range []struct {
		from, to float64
		want     int
	}{
		{0, 1000, 1}, {200, 300, 3}, {140, 460, 3}, {120, 480, 2}, {450, 550, 1}, {600, 610, 2},
		{1500, 1600, 0}, {-100, 1e6, 0}, {900, 950, 2}, {3000, 4000, 0}, {-50, -10, 0},
	} {
		if got := Stem(thread, geom.Span{Start: c.from, End: c.to}); got != c.want {
			t.Errorf("the stem of [%v, %v] has %d levels, want %d", c.from, c.to, got, c.want)
		}
	}
}

// TestManyThreads: of 20,000 tracks only those in view are drawn.
func TestManyThreads(t *testing.T) {
	b := trace.NewBuilder("wide")
	f := b.Function(trace.Function{Name: "work"})
	for i := range 20_000 {
		b.Thread(fmt.Sprint(i), -1).Complete(int64(i), int64(i)+5000, f)
	}
	p := plotOf(built(t, b))
	p.Scroll = 300_000
	if d, _ := draw(p); len(d.quads) < 20 || len(d.quads) > 60 {
		t.Errorf("%d quads", len(d.quads))
	}
}

func BenchmarkDeepStackScrolled(b *testing.B) {
	const levels = 100_000
	p := plotOf(deep(b, levels))
	p.Scroll = (levels - 20) * p.Row
	p.Axis.Span = p.Axis.Span.ZoomAt(levels*10, .001)
	for b.Loop() {
		draw(p)
	}
}
