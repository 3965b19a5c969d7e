package icicle

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/trace"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

var equate = []gocmp.Option{gocmp.AllowUnexported(item{}), cmpopts.EquateEmpty()}

// drawTrace draws a trace of a few threads with all scales of duration, zero included.
func drawTrace(t *rapid.T) *trace.Trace {
	b := trace.NewBuilder("random")
	var fns []trace.FuncID
	for i := range 5 {
		fns = append(fns, b.Function(trace.Function{Name: fmt.Sprintf("pkg%d.F%d", i%3, i)}))
	}
	for k := range rapid.IntRange(1, 3).Draw(t, "threads") {
		th := b.Thread(fmt.Sprint(k), -1)
		at, depth := int64(0), 0
		steps := rapid.SliceOfN(rapid.Uint32(), 2, 300).Draw(t, "steps")
		for _, s := range steps {
			at += int64(s>>8) & (1<<(s>>3&15) - 1)
			if depth == 0 || depth < 9 && s&1 == 0 {
				th.Begin(at, fns[s>>1&3])
				depth++
			} else {
				th.End(at)
				depth--
			}
		}
	}
	tr, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func drawPlot(t *rapid.T, tr *trace.Trace) Plot {
	view := geom.Rect{X0: 30, Y0: 10, X1: 30 + rapid.Float32Range(5, 300).Draw(t, "w")}
	view.Y1 = view.Y0 + rapid.Float32Range(1, 300).Draw(t, "h")
	whole := float64(max(tr.Duration, 1))
	start := rapid.Float64Range(-.2, 1).Draw(t, "start") * whole
	length := max(rapid.Float64Range(1e-4, 1.5).Draw(t, "length")*whole, 2)
	p := Plot{
		Trace:   tr,
		Dir:     Direction(rapid.IntRange(0, 1).Draw(t, "dir")),
		Axis:    geom.Axis{X0: view.X0, X1: view.X1},
		View:    view,
		Scroll:  rapid.Float32Range(0, 100).Draw(t, "scroll"),
		Row:     rapid.Float32Range(2, 20).Draw(t, "row"),
		Header:  rapid.SampledFrom([]float32{0, 15}).Draw(t, "header"),
		Gap:     3,
		Fold:    rapid.SampledFrom([]int{0, 0, 1, 3}).Draw(t, "fold"),
		FoldRow: 2,
		Palette: palette.Light(),
		Budget:  rapid.SampledFrom([]int{0, 20}).Draw(t, "budget"),
	}
	p.Axis.Span = geom.Span{Start: start, End: start + length}
	for k := range tr.Threads {
		p.Threads = append(p.Threads, k)
	}
	return p
}

func draw(p Plot) (*Drawing, *scene.Layer) {
	var l scene.Layer
	return p.Draw(&l, nil), &l
}

// plain returns what should be drawn, from the definition, looking at every call.
func plain(d *Drawing) []item {
	var items []item
	shift := bits.Len64(uint64(ceil(d.Threshold*cellPx)) - 1)
	wide := func(th *trace.Thread, i int) bool { return float64(th.Dur(i)) >= d.Threshold }
	for k, t := range d.Threads {
		th := d.Trace.Threads[t]
		first, last := d.visibleLevels(k)
		top, bottom := d.offsets[k], d.offsets[k+1]
		if bottom <= d.Scroll || top >= d.Scroll+d.View.H() {
			continue
		}
		for i := range th.Len() {
			level := int(th.Depth(i))
			in := level >= first && level < last
			if wide(th, i) && in && d.x(th.End(i)) > float64(d.View.X0) &&
				d.x(th.Start(i)) < float64(d.View.X1) {
				items = append(items, item{int32(k), int32(i), int32(i + 1), false})
			}
		}
		for p := -1; p < th.Len(); p++ {
			if p >= 0 && !wide(th, p) {
				continue
			}
			items = append(items, plainRuns(d, k, p, wide, shift, first, last)...)
		}
	}
	return items
}

// plainRuns groups the narrow children of p.
func plainRuns(
	d *Drawing, k, p int, wide func(*trace.Thread, int) bool, shift, first, last int,
) []item {
	th := d.Trace.Threads[d.Threads[k]]
	var runs [][]int
	prev := -1
	th.Children(p, func(c int) bool {
		joins := prev >= 0 && !wide(th, c) && !wide(th, prev) &&
			th.Start(c)>>shift == th.Start(prev)>>shift &&
			float64(th.Start(c)-th.End(prev)) < d.Threshold
		switch {
		case joins:
			runs[len(runs)-1] = append(runs[len(runs)-1], c)
		case !wide(th, c):
			runs = append(runs, []int{c})
		}
		prev = c
		return true
	})
	var items []item
	for _, r := range runs {
		from, end := r[0], r[len(r)-1]
		level := int(th.Depth(from))
		deepest := 0
		for i := from; i < th.Next(end); i++ {
			deepest = max(deepest, int(th.Depth(i)))
		}
		x0, x1 := d.Axis.X(float64(th.Start(from))), d.Axis.X(float64(th.End(end)))
		if level < last && deepest >= first && max(x1, x0+1) > d.View.X0 &&
			float64(th.Start(from)) <= d.Axis.T(d.View.X1) {
			items = append(items, item{int32(k), int32(from), int32(th.Next(end)), true})
		}
	}
	return items
}

func ceil(v float64) int64 {
	if n := int64(v); float64(n) == v {
		return n
	}
	return int64(v) + 1
}

func sorted(items []item) []item {
	out := slices.DeleteFunc(slices.Clone(items), func(i item) bool { return i.from < 0 })
	slices.SortFunc(out, func(a, b item) int {
		return cmp.Or(cmp.Compare(a.track, b.track), cmp.Compare(a.from, b.from))
	})
	return out
}

// TestDrawsWhatTheDefinitionSays holds the walk against plain, which looks at every call.
func TestDrawsWhatTheDefinitionSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlot(t, drawTrace(t))
		d, _ := draw(p)
		want := sorted(plain(d))
		if diff := gocmp.Diff(want, sorted(d.items), equate...); diff != "" {
			t.Fatalf("drawn (+) is not as defined (−), threshold %g ns:\n%s", d.Threshold, diff)
		}
		if len(d.quads) > d.Budget+1 {
			t.Fatalf("%d quads exceed the budget of %d", len(d.quads), d.Budget)
		}
	})
}

// TestPanningDoesNotChangeShapes: what two panned views both show whole is the same in both.
func TestPanningDoesNotChangeShapes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlot(t, drawTrace(t))
		p.Budget = 0
		q := p
		pan := rapid.Float64Range(-1, 1).Draw(t, "pan")
		q.Axis.Span = p.Axis.Span.Shift(pan * p.Axis.Span.Len())
		d, _ := draw(p)
		e, _ := draw(q)
		whole := func(d, e *Drawing) []item {
			return slices.DeleteFunc(sorted(d.items), func(it item) bool {
				th := d.Trace.Threads[d.Threads[it.track]]
				start := float64(th.Start(int(it.from)))
				end := float64(th.End(lastSibling(th, int(it.from), int(it.to))))
				if !it.run {
					end = float64(th.End(int(it.from)))
				}
				inside := func(d *Drawing) bool {
					return d.Axis.X(start) > d.View.X0+1 && d.Axis.X(end) < d.View.X1-1
				}
				return !inside(d) || !inside(e)
			})
		}
		if diff := gocmp.Diff(whole(d, e), whole(e, d), equate...); diff != "" {
			t.Fatalf("panned view differs:\n%s", diff)
		}
	})
}

// TestThresholdDoesNotTremble: calls of exactly a pixel stay bars while a pan changes the last bits
// of the span.
func TestThresholdDoesNotTremble(t *testing.T) {
	b := trace.NewBuilder("even")
	th, f := b.Thread("1", -1), b.Function(trace.Function{Name: "f"})
	const late = 1<<40 - 1e6 // the span's ends are rounded differently on either side of 2⁴⁰
	th.Complete(0, 1e6, f)
	for i := range int64(2000) {
		th.Complete(late+i*1000, late+i*1000+1000, f)
	}
	p := plotOf(built(t, b))
	for i := range 1000 {
		start := late + float64(i)*123.456789
		p.Axis.Span = geom.Span{Start: start, End: start + 1600*1000}
		d, _ := draw(p)
		if k := slices.IndexFunc(d.items, func(it item) bool { return it.run }); k >= 0 {
			t.Fatalf("from %g on, %+v is a run", start, d.items[k])
		}
	}
}

// TestPickFindsWhatIsDrawn: the centre of each quad picks the call or run it was drawn for.
func TestPickFindsWhatIsDrawn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlot(t, drawTrace(t))
		p.Detail = Detail(rapid.IntRange(0, 1).Draw(t, "detail"))
		d, _ := draw(p)
		for k, q := range d.quads {
			r := q.Rect
			c := geom.Point{X: (r.X0 + r.X1) / 2, Y: (r.Y0 + r.Y1) / 2}
			if !d.View.Contains(c) {
				continue
			}
			got, ok := d.Pick(c)
			it := d.items[k]
			if !ok {
				t.Fatalf("nothing at the centre of %v", r)
			}
			if got.Rect.W() == 0 && r.W() == 0 && got.Rect.X0 == r.X0 {
				continue // two moments that no pixel tells apart
			}
			if got.From != int(it.from) || got.To != int(it.to) || got.Aggregate != it.run {
				t.Fatalf("at the centre of %v, drawn for %+v: %+v", r, it, got)
			}
			c.Y = r.Y0 + .3717*r.H() // on no border of two levels
			if want := plainPick(d, it, c); d.View.Contains(c) && d.picked(k, c).Call != want {
				t.Fatalf("call %d at %v, want %d: %+v", d.picked(k, c).Call, c, want, got)
			}
		}
	})
}

// plainPick returns the call of an item at a point, from the definition: the last to begin of those
// that are not below the level there; of a run at least its first.
func plainPick(d *Drawing, it item, p geom.Point) (call int) {
	if !it.run {
		return int(it.from)
	}
	th, from := d.Trace.Threads[d.Threads[it.track]], int(it.from)
	level := int(th.Depth(from))
	for l := level + 1; l < th.MaxDepth(); l++ {
		if y0, y1 := d.rows(int(it.track), l, l+1); p.Y > y0 && p.Y < y1 {
			level = l
		}
	}
	call = from
	for i := from; i < int(it.to); i++ {
		if int(th.Depth(i)) <= level && float64(th.Start(i)) <= d.Axis.T(p.X) {
			call = i
		}
	}
	return call
}

// TestLabelsStayInside: texts lie in the viewport's width and do not overlap.
func TestLabelsStayInside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlot(t, drawTrace(t))
		p.TextSize, p.MaxLabels = 11, 20
		_, l := draw(p)
		if len(l.Texts) > 20+len(p.Threads) {
			t.Fatalf("%d labels", len(l.Texts))
		}
		for i, a := range l.Texts {
			if a.Rect.X0 < p.View.X0 || a.Rect.X1 > p.View.X1 {
				t.Fatalf("label %q at %v leaves %v", a.Text, a.Rect, p.View)
			}
			for _, b := range l.Texts[:i] {
				if !a.Rect.Intersect(b.Rect).Empty() {
					t.Fatalf("labels %q and %q overlap", a.Text, b.Text)
				}
			}
		}
	})
}
