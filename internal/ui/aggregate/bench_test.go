package aggregate

import (
	"fmt"
	"image"
	"strings"
	"testing"

	"diptych/internal/geom"
	"diptych/internal/pair"
	scene "diptych/internal/scene/aggregate"
	"diptych/internal/session"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/ui/uitest/viewtest"
)

// bench shows the view with the tab of states beside it.
type bench struct {
	*viewtest.Bench
	pane  *Pane
	panel *Panel
}

// The files of testdata that tests show.
var (
	queue    = []string{"uftrace/queue-2p2c.data.tar.gz", "uftrace/queue-1p3c.data.tar.gz"}
	pipeline = []string{"gotrace/pipeline-mutex.gotrace", "gotrace/pipeline-chan.gotrace"}
	builds   = []string{"chrome/go-build-cold.json.gz", "chrome/go-build-warm.json.gz"}
)

// newBench shows files of testdata.
func newBench(t testing.TB, files ...string) *bench {
	t.Helper()
	return benchOf(t, viewtest.Opened(t, files...))
}

// cuts are the timeslices: fewer than at first, so that tests take less time.
const cuts = 12

// benchOf shows a session, with further settings such as slices=8.
func benchOf(t testing.TB, s *session.Session, settings ...string) *bench {
	t.Helper()
	b := unstarted(t, s)
	s.Register(b.Row.Kind)
	for _, x := range append([]string{fmt.Sprint("slices=", cuts)}, settings...) {
		key, value, _ := strings.Cut(x, "=")
		if err := b.Set(key, value); err != nil {
			t.Fatal(err)
		}
	}
	b.Start()
	return b
}

// unstarted is a bench before the view is shown.
func unstarted(t testing.TB, s *session.Session) *bench {
	pane, panel := New().(*Pane), newPanel()
	return &bench{viewtest.New(t, s, Row(), pane, panel), pane, panel}
}

// put shows traces made by a test.
func put(t testing.TB, traces ...*trace.Trace) *bench {
	t.Helper()
	s := session.New(func() {})
	for i, tr := range traces {
		s.Put(pair.Side(i), fmt.Sprint("trace ", i), tr)
	}
	return benchOf(t, s)
}

// shift is how long a call of staged takes.
const shift = 1000

// staged builds a trace of workers that each make so many calls of a function, one after the other.
// Of each worker name gives the functions, a letter for a call.
func staged(t testing.TB, names ...string) *trace.Trace {
	b := trace.NewBuilder("staged")
	process := b.Process("p")
	for i, calls := range names {
		th := b.Thread(fmt.Sprint(i), process)
		th.SetName(fmt.Sprint("worker-", i))
		for k, fn := range calls {
			th.Begin(int64(k)*shift, b.Function(trace.Function{Name: string(fn)}))
			th.End(int64(k+1) * shift)
		}
	}
	return testtrace.Build(t, b)
}

func (b *bench) own() *Own { return ownOf(b.State()) }

func (b *bench) foci() [2]geom.Span {
	st := b.State()
	return [2]geom.Span{st.Sides[0].Focus, st.Sides[1].Focus}
}

// overview returns what is shown.
func (b *bench) overview() *overview {
	b.T.Helper()
	o, ok := overviews.Of(b.State())
	if !ok {
		b.T.Fatal("nothing is aggregated")
	}
	return searched(b.State(), o)
}

// shown returns the pictures that are shown.
func (b *bench) shown() pictures { return picturesIn(b.State(), b.overview()) }

// set carries out a setting that there is.
func (b *bench) set(key, value string) {
	b.T.Helper()
	if err := b.Set(key, value); err != nil {
		b.T.Fatalf("%s=%s: %v", key, value, err)
	}
	b.Settle()
}

// in returns a point of the grids in the window.
func (b *bench) in(at geom.Point) image.Point {
	return image.Pt(int(at.X), int(at.Y)).Add(b.pane.Area().Min)
}

func middle(r geom.Rect) geom.Point { return geom.Point{X: (r.X0 + r.X1) / 2, Y: (r.Y0 + r.Y1) / 2} }

// plot returns a plot that is shown.
func (b *bench) plot(of int) *scene.Grid {
	b.T.Helper()
	k := b.pane.find(of)
	if k < 0 {
		b.T.Fatalf("plot %s is not shown", plotNames[of])
	}
	return &b.pane.Shown().Plots[k]
}

// area returns the first aggregate of a plot that is as wanted and large enough to point at, and a
// point over it.
func (b *bench) area(of int, want func(scene.Area) bool) (scene.Area, image.Point) {
	b.T.Helper()
	for _, a := range b.plot(of).Areas {
		if a.Rect.W() >= 5 && a.Rect.H() >= 5 && want(a) {
			return a, b.in(middle(a.Rect))
		}
	}
	b.T.Fatalf("plot %s has no such aggregate", plotNames[of])
	return scene.Area{}, image.Point{}
}

func leavesOf(a scene.Area) int { return a.Leaves[1] - a.Leaves[0] }

// single is an aggregate of one leaf, several one of more.
func single(a scene.Area) bool  { return leavesOf(a) == 1 }
func several(a scene.Area) bool { return leavesOf(a) > 1 }

// spotAt returns the aggregate under a point of the window.
func (b *bench) spotAt(of int, a scene.Area) spot {
	return spot{of: b.overview(), plot: of, place: a.Place, area: a}
}
