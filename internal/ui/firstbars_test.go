package ui

import (
	"context"
	"fmt"
	"image"
	"math/rand/v2"
	"strings"
	"testing"

	"diptych/internal/match"
	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/scene"
	"diptych/internal/session"
	"diptych/internal/trace"
	"diptych/internal/ui/overview"
)

// unhurried is a store whose ladders wait until they are let go.
type unhurried struct {
	session.Results
	let chan struct{}
}

func (u *unhurried) Ladder(ctx context.Context, g *match.Graph, bars [2]int, p progress.Func) (
	*match.Ladder, bool, error) {
	select {
	case <-u.let:
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
	return u.Results.Ladder(ctx, g, bars, p)
}

// diverse is a trace with thousands of different sets of functions called: the first half of its
// time has calls of one function alone, the second half roots that call three of many each.
func diverse(t *testing.T, seed uint64) *trace.Trace {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 2))
	b := trace.NewBuilder("test")
	var fns []trace.FuncID
	for i := range 60 {
		fns = append(fns, b.Function(trace.Function{Name: fmt.Sprint("f", i)}))
	}
	th := b.Thread("1", -1)
	const calls = 3500
	for i := range int64(2 * calls) {
		th.Begin(10*i, fns[0])
		for k := int64(0); i >= calls && k < 3; k++ {
			th.Complete(10*i+1+2*k, 10*i+2+2*k, fns[r.IntN(len(fns))])
		}
		th.End(10*i + 9)
	}
	tr, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// striped counts the hatched quads in a column of the overview, and the others.
func striped(b *bench, side, bar int) (hatched, flat int) {
	v := b.app.overview.Shown()
	column := v.BarRect(side, bar)
	for i := range v.Scene.Layers {
		for _, q := range v.Scene.Layers[i].Quads {
			switch in := q.Rect.Intersect(column) == q.Rect && !q.Rect.Empty(); {
			case in && q.Shade == scene.Hatch:
				hatched++
			case in:
				flat++
			}
		}
	}
	return hatched, flat
}

// TestFirstBarsSayWhatTheyAre: while the ladder is computed the overview has bars, of which those
// that are not final are striped and say so in the tooltip, the legend and the count of matches;
// pictures have none of them; and the ladder takes their place.
func TestFirstBarsSayWhatTheyAre(t *testing.T) {
	s := session.New(func() {})
	store := &unhurried{s.Store, make(chan struct{})}
	s.Store = store
	b := benchOf(t, New(s), image.Pt(1280, 800))
	b.pic.Settle()
	for side := range 2 {
		s.Put(pair.Side(side), "", diverse(t, uint64(side)))
	}
	b.until("a complete sample", func() bool {
		_, sample := b.state().Bars()
		return sample != nil && sample.Complete()
	})
	b.pic.Settle()
	bars, sample := b.state().Bars()
	last := len(bars[pair.A]) - 2
	if !sample.Settled(pair.A, 1) || sample.Settled(pair.A, last) {
		t.Fatalf("of bar %d all calls are compared, of bar 1 not all", last)
	}
	if hatched, flat := striped(b, 0, 1); hatched != 0 || flat == 0 {
		t.Errorf("a settled bar has %d stripes and %d fills", hatched, flat)
	}
	if hatched, _ := striped(b, 0, last); hatched == 0 {
		t.Error("a bar that can grow has no stripes")
	}
	if !b.tells("of calls compared") {
		t.Errorf("the window does not tell how much is compared: %q", b.pic.Labels())
	}
	b.pointAt(0, last)
	if !b.tells("the bar can only grow") {
		t.Errorf("the tooltip does not say that the bar can grow: %q", b.pic.Labels())
	}
	b.pointAt(0, 1)
	if b.tells("the bar can only grow") {
		t.Error("a settled bar is said to grow")
	}
	if got := len(b.app.overview.Legend(b.state(), b.app.kit.Pal)); got != 6 {
		t.Errorf("%d entries in the legend", got)
	}
	parts := overview.Picture(s, b.app.kit.Pal, image.Pt(800, 200), 1)
	for i := range parts[0].Scene.Layers {
		for _, q := range parts[0].Scene.Layers[i].Quads {
			if q.Shade == scene.Hatch {
				t.Fatal("a picture shows what is not final")
			}
		}
	}

	close(store.let)
	b.until("the ladder", func() bool { return b.state().Found.Rung != nil })
	b.settle()
	if hatched, flat := striped(b, 0, last); hatched != 0 || flat == 0 {
		t.Errorf("a final bar has %d stripes and %d fills", hatched, flat)
	}
	if b.tells("of calls compared") {
		t.Error("the window goes on telling how much was compared")
	}
}

// tells reports whether a text of the window contains the given one.
func (b *bench) tells(text string) bool {
	for _, l := range b.pic.Labels() {
		if strings.Contains(l, text) {
			return true
		}
	}
	return false
}

// pointAt moves the pointer to the column of a bar of the overview.
func (b *bench) pointAt(side, bar int) {
	o := b.app.overview
	r := o.Shown().BarRect(side, bar)
	b.pic.Move(image.Pt(int(r.X0+r.X1)/2, int(r.Y0+r.Y1)/2).Add(o.Area().Min), 0)
	b.pic.Settle()
}
