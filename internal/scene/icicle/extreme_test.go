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
