package matches

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/geom"
	"diptych/internal/match"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// recording builds traces by hand.
type recording struct {
	b  *trace.Builder
	th *trace.ThreadBuilder
}

func record() recording {
	b := trace.NewBuilder("test")
	return recording{b, b.Thread("1", -1)}
}

// call records a call from start to end and what it calls.
func (r recording) call(name string, start, end int64, within ...func()) {
	r.th.Begin(start, r.b.Function(trace.Function{Name: name}))
	for _, f := range within {
		f()
	}
	r.th.End(end)
}

func (r recording) build(t *testing.T) *trace.Trace {
	t.Helper()
	tr, err := r.b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// interpreter is a run like that of a Lua program: a parser and then an interpreter, each below a
// stem of its own many levels deep, which calls short functions. No single stem fills the whole.
func interpreter(t *testing.T, levels int) *trace.Trace {
	r := record()
	phase := func(name string, start, end int64) {
		for k := range levels {
			r.th.Begin(start+int64(k), r.b.Function(trace.Function{Name: fmt.Sprint(name, k)}))
		}
		for at := start + 1000; at+2000 < end; at += 2000 {
			r.call(fmt.Sprint(name, "-step", at/2000%7), at, at+1500, func() {
				r.call(fmt.Sprint(name, "-get", at/2000%5), at+100, at+900)
			})
		}
		for k := levels - 1; k >= 0; k-- {
			r.th.End(end - int64(k))
		}
	}
	r.call("main", 0, 1_000_000, func() { phase("parse", 100, 450_000); phase("run", 450_100, 999_900) })
	return r.build(t)
}

// TestDeepStacksShowMatches: zoomed in by ten notches, deep stacks do not hide the calls that match
// behind callers that fill the view. Both phases are in the view at .43, and so is no stem.
func TestDeepStacksShowMatches(t *testing.T) {
	traces := [2]*trace.Trace{interpreter(t, 40), interpreter(t, 36)}
	for _, size := range []geom.Size{{W: 812, H: 320}, {W: 1240, H: 660}, {W: 1560, H: 900}, {W: 300, H: 200}} {
		for _, at := range []float64{.2, .43, .7} {
			st := joined(t, traces)
			for k := range st.Sides {
				f := st.Sides[k].Focus
				st.Sides[k].Focus = f.ZoomAt(f.Len()*at, math.Pow(.8, 10))
			}
			v := Build(&st, size, nil)
			if v.Links.Drawn < 5 || v.Hint != nil {
				t.Errorf("%v at %v: %d matches are drawn, hint %+v", size, at, v.Links.Drawn, v.Hint)
			}
			a, b := v.Sides[A].Drawing, v.Sides[B].Drawing
			if stem := at != .43; stem != (a.Fold > 30) || stem != (b.Fold > 30) || a.FoldRow != b.FoldRow || a.Row != b.Row {
				t.Errorf("%v at %v: %d and %d levels are folded to %v and %v px", size, at, a.Fold, b.Fold,
					a.FoldRow, b.FoldRow)
			}
		}
	}
}

// stairs is a stack in which each call lasts four fifths of its caller, down to one that both sides
// have; the other names are the side's own, so only the deepest calls match across.
func stairs(t *testing.T, own string, levels int) *trace.Trace {
	r, length := record(), 1e9
	var ends []int64
	for k := range levels {
		name := fmt.Sprint(own, k)
		if k == levels-1 {
			name = "shared"
		}
		r.th.Begin(0, r.b.Function(trace.Function{Name: name}))
		ends = append(ends, int64(length))
		length *= .8
	}
	for k := levels - 1; k >= 0; k-- {
		r.th.End(ends[k])
	}
	return r.build(t)
}

// TestHintLeadsToMatches: where no match is drawn the hint says where some are, and following it
// shows them.
func TestHintLeadsToMatches(t *testing.T) {
	xy, xz := record(), record()
	for k, r := range []recording{xy, xz} {
		r.call("main", 0, 1000, func() {
			r.call("x", 0, 900, func() { r.call([]string{"y", "z"}[k], 300, 500) })
		})
	}
	ab, bc := record(), record()
	ab.call("early", 0, 900)
	ab.call("a", 1000, 2000)
	bc.call("early", 0, 900)
	bc.call("b", 50_000, 51_000)
	p, q := record(), record()
	p.call("p", 0, 900)
	q.call("q", 0, 900)
	one := record()
	one.call("p", 0, 900)
	for name, c := range map[string]struct {
		traces [2]*trace.Trace
		focus  [2]geom.Span
		where  [2]Where
		text   string
	}{
		"levels": {[2]*trace.Trace{stairs(t, "a", 60), stairs(t, "b", 60)},
			[2]geom.Span{{End: 1e6}, {End: 1e6}}, [2]Where{Below, Above},
			"below what is shown of A and above what is shown of B"},
		"context": {[2]*trace.Trace{xy.build(t), xz.build(t)},
			[2]geom.Span{{Start: 200, End: 600}, {Start: 200, End: 600}}, [2]Where{}, "context"},
		"time": {[2]*trace.Trace{ab.build(t), bc.build(t)},
			[2]geom.Span{{End: 900}, {Start: 50_000, End: 51_000}}, [2]Where{Here, Left}, "left in B"},
		"none": {[2]*trace.Trace{p.build(t), q.build(t)},
			[2]geom.Span{{End: 900}, {End: 900}}, [2]Where{}, "No match: no two calls shown have more than τ = 0.20"},
		"empty": {[2]*trace.Trace{one.build(t), record().build(t)},
			[2]geom.Span{{End: 900}, {End: 900}}, [2]Where{}, "There are no calls in B"},
	} {
		t.Run(name, func(t *testing.T) {
			st := joined(t, c.traces)
			for k := range st.Sides {
				st.Sides[k].Focus = c.focus[k]
			}
			size := geom.Size{W: 800, H: 420}
			v := Build(&st, size, nil)
			h := v.Hint
			if v.Links.Drawn > 0 || h == nil {
				t.Fatalf("%d matches are drawn, hint %+v", v.Links.Drawn, h)
			}
			if h.Where != c.where || !strings.Contains(h.Text, c.text) || h.Context != (name == "context") {
				t.Errorf("%+v", h)
			}
			narrow := Build(&st, geom.Size{W: 400, H: size.H}, nil).Hint
			if name == "levels" && (narrow == nil || !strings.HasSuffix(narrow.Text, " below A, above B")) {
				t.Errorf("in a narrow pane: %+v", narrow)
			}
			short := Build(&st, geom.Size{W: 200, H: size.H}, nil).Hint
			if name == "none" && (short == nil || !strings.Contains(short.Text, "found")) {
				t.Errorf("where no long text fits, it says more than was looked at: %+v", short)
			}
			inside := geom.Rect{X1: size.W, Y0: v.Sides[A].Icicle.Y1, Y1: v.Sides[B].Icicle.Y0}
			if h.Rect.Empty() || h.Rect.Intersect(inside) != h.Rect {
				t.Errorf("the hint is at %v, and free is %v", h.Rect, inside)
			}
			if h.None != (name == "none" || name == "empty") {
				t.Errorf("%+v", h)
			}
			if h.None {
				return
			}
			for k := range st.Sides {
				st.Sides[k].Scroll, st.Sides[k].Focus = h.Scroll[k], h.Focus[k]
			}
			st.Links.Frames = h.Context
			if v = Build(&st, size, nil); v.Links.Drawn == 0 || v.Hint != nil {
				t.Errorf("following it leads to %d matches, hint %+v", v.Links.Drawn, v.Hint)
			}
		})
	}
}

// TestNeverSilentlyEmpty: whenever two calls of the foci match and nothing is drawn, there is a
// hint, and following hints ends at a match.
func TestNeverSilentlyEmpty(t *testing.T) {
	var a Arena
	hints := 0
	testtrace.CheckUntil(t, func() bool { return hints > 0 }, func(t *rapid.T) {
		st := joined(t, [2]*trace.Trace{randomTrace(t), randomTrace(t)})
		for k := range st.Sides {
			f := st.Sides[k].Focus
			at := rapid.Float64Range(0, 1).Draw(t, "at")
			st.Sides[k].Focus = f.ZoomAt(f.Len()*at, rapid.Float64Range(.02, 1).Draw(t, "zoom"))
			st.Sides[k].Scroll = rapid.Float32Range(0, 400).Draw(t, "scroll")
		}
		size := geom.Size{W: 4000, H: rapid.Float32Range(200, 500).Draw(t, "height")}
		v := Build(&st, size, &a)
		if v.Links == nil || v.Links.Drawn > 0 {
			return
		}
		if v.Hint.None {
			if f, g, ok := anyMatch(&st); ok {
				t.Fatalf("nothing is drawn, the hint says that there is no match, and call %d of A matches call %d of B", f, g)
			}
			return
		}
		hints++
		for range 4 {
			for k := range st.Sides {
				st.Sides[k].Scroll, st.Sides[k].Focus = v.Hint.Scroll[k], v.Hint.Focus[k]
			}
			st.Links.Frames = st.Links.Frames || v.Hint.Context
			if v = Build(&st, size, &a); v.Links.Drawn > 0 {
				return
			}
			if v.Hint.None {
				break
			}
		}
		t.Fatalf("following hints ends at %+v", v.Hint)
	})
}

// randomTrace draws a deep trace of one thread and few functions, every call of which lasts long
// enough to be seen.
func randomTrace(t *rapid.T) *trace.Trace {
	b := trace.NewBuilder("random")
	th, at, depth := b.Thread("1", -1), int64(0), 0
	for _, s := range rapid.SliceOfN(rapid.IntRange(0, 99), 2, 80).Draw(t, "steps") {
		if at += 100; s < 62 || depth == 0 {
			th.Begin(at, b.Function(trace.Function{Name: fmt.Sprint("f", s%31)}))
			depth++
		} else {
			th.End(at)
			depth--
		}
	}
	for ; depth > 0; depth-- {
		at += 100
		th.End(at)
	}
	tr, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// anyMatch returns two calls that are in the foci of both sides and match.
func anyMatch(st *State) (f, g int, ok bool) {
	graph := st.Links.Graph
	in := func(k, i int) bool {
		th, s := st.Sides[k].Trace.Threads[0], st.Sides[k].Focus
		return float64(th.End(i)) > s.Start && float64(th.Start(i)) < s.End
	}
	for f := range st.Sides[A].Trace.Threads[0].Len() {
		for g := range st.Sides[B].Trace.Threads[0].Len() {
			if in(A, f) && in(B, g) && graph.Similarity(f, g) > st.Links.Tau.Float() {
				return f, g, true
			}
		}
	}
	return 0, 0, false
}

// BenchmarkHint builds frames in which nothing matches, so that all places are looked at.
func BenchmarkHint(b *testing.B) {
	var traces [2]*trace.Trace
	for k := range traces {
		var err error
		if traces[k], err = synthetic(200_000, 1, uint64(k+1)); err != nil {
			b.Fatal(err)
		}
	}
	st := joined(b, traces)
	st.Links.Tau = match.Hundredths(100)
	for k := range st.Sides {
		f := st.Sides[k].Focus
		st.Sides[k].Focus = f.ZoomAt(f.Len()*.3, .01)
	}
	var a Arena
	for b.Loop() {
		st.Sides[A].Focus = st.Sides[A].Focus.Shift(1) // panning: nothing is as it was
		if v := Build(&st, geom.Size{W: 1600, H: 1000}, &a); v.Links.Drawn > 0 {
			b.Fatalf("%d matches", v.Links.Drawn)
		}
	}
}

// TestHintOfOneSidedThread: where one thread is shown and the other side has none that goes with it,
// the hint says so, and not that calls have little in common.
func TestHintOfOneSidedThread(t *testing.T) {
	a, b := record(), record()
	a.call("p", 0, 900)
	b.call("p", 0, 900)
	for k, want := range []string{"Only B has this thread", "Only A has this thread"} {
		st := joined(t, [2]*trace.Trace{a.build(t), b.build(t)})
		st.Sides[k].Tracks = nil
		if h := Build(&st, geom.Size{W: 800, H: 420}, nil).Hint; h == nil || h.Text != want {
			t.Errorf("%+v, want %s", h, want)
		}
	}
}
