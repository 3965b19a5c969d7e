package matches

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"diptych/internal/geom"
	"diptych/internal/match"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/scene/links"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/text"
)

const testdata = "../../../testdata"

// figure reads a pair that stands for one of TraceDiff's figures.
func figure(t testing.TB, name string) [2]*trace.Trace {
	t.Helper()
	var out [2]*trace.Trace
	for k, side := range []string{"-a.txt", "-b.txt"} {
		path := filepath.Join(testdata, "tracediff", name+side)
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if out[k], err = text.Parse(path, f); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// loaded keeps the real traces of this test run by name; nothing changes a trace.
var loaded sync.Map

// recorded loads a pair of real traces.
func recorded(t testing.TB, a, b string) [2]*trace.Trace {
	t.Helper()
	var out [2]*trace.Trace
	for k, name := range []string{a, b} {
		if tr, ok := loaded.Load(name); ok {
			out[k] = tr.(*trace.Trace)
			continue
		}
		tr, err := traceio.Load(context.Background(), filepath.Join(testdata, name), input.Options{})
		if err != nil {
			t.Fatal(err)
		}
		out[k] = tr
		loaded.Store(name, tr)
	}
	return out
}

// joined is the state that shows a pair whole, with links at rest.
func joined(t interface {
	Helper()
	Fatal(...any)
}, traces [2]*trace.Trace) State {
	t.Helper()
	p := pair.New(traces[A], traces[B], pair.Rules{})
	g, err := match.Classify(context.Background(), p, match.Process(), nil)
	if err != nil {
		t.Fatal(err)
	}
	st := State{Palette: palette.Light(), Scale: 1}
	for k, tr := range traces {
		st.Sides[k] = Side{Trace: tr, Headers: len(tr.Threads) > 1,
			Focus: geom.Span{End: float64(max(tr.Duration, 1))}}
		for i := range tr.Threads {
			st.Sides[k].Tracks = append(st.Sides[k].Tracks, i)
		}
	}
	st.Links = links.State{Graph: g, Tau: match.DefaultTau,
		Lambda: .35, Band: .4, Strength: .85, Morph: 1}
	return st
}

// named lists the links as pairs of function names and how often each is there.
func named(v *View, traces [2]*trace.Trace) map[[2]string]int {
	out := map[[2]string]int{}
	for i := range v.Links.Drawn {
		var name [2]string
		for k, e := range v.Links.Link(i).Ends {
			name[k] = traces[k].FunctionOf(traces[k].Threads[e.Ref.Thread], int(e.Ref.Call)).Name
		}
		out[name]++
	}
	return out
}

func figureView(t *testing.T, name string, change func(*State)) (*View, [2]*trace.Trace) {
	traces := figure(t, name)
	st := joined(t, traces)
	if change != nil {
		change(&st)
	}
	return Build(&st, geom.Size{W: 1000, H: 700}, nil), traces
}

// TestReplication: what A does once and B four times has four tubes.
func TestReplication(t *testing.T) {
	v, traces := figureView(t, "replication", nil)
	got := named(v, traces)
	for name, want := range map[string]int{"load": 1, "index": 4, "index.work.a": 4, "report": 1} {
		if got[[2]string{name, name}] != want {
			t.Errorf("%s has %d tubes, not %d", name, got[[2]string{name, name}], want)
		}
	}
	if got[[2]string{"main", "main"}] != 0 {
		t.Error("main fills the view and has a tube")
	}
}

// TestPermutationIsRed: what changed places has the colour of a far shift, what did not is grey.
func TestPermutationIsRed(t *testing.T) {
	v, traces := figureView(t, "permutation", nil)
	pal := palette.Light()
	tubes := v.Scene.Layers[0].Tubes.Tubes
	for i := range v.Links.Drawn {
		e := v.Links.Link(i).Ends[A]
		name := traces[A].FunctionOf(traces[A].Threads[0], int(e.Ref.Call)).Name
		fill := palette.WithAlpha(tubes[i].Fill, 255)
		switch name {
		case "alpha", "omega":
			if int(fill.R)-int(fill.G) < 100 {
				t.Errorf("%s is %v, and not red like %v", name, fill, pal.Shift(1))
			}
		case "check", "emit":
			if near := pal.Shift(.1); math.Abs(float64(fill.G)-float64(near.G)) > 24 {
				t.Errorf("%s is %v, and not about %v", name, fill, near)
			}
		}
	}
}

// TestOutliersKeepTheirOwnPlace: seen from A, a step has the colour of its place in B.
func TestOutliersKeepTheirOwnPlace(t *testing.T) {
	v, traces := figureView(t, "outliers", func(st *State) { st.Links.Colour = links.TraceCentric })
	pal := palette.Light()
	tubes := v.Scene.Layers[0].Tubes.Tubes
	place := map[string]float32{
		"read.step02": 13. / 16, "read.step13": 2. / 16, "write.step02": 2. / 16,
	}
	for i := range v.Links.Drawn {
		e := v.Links.Link(i).Ends[A]
		share, ok := place[traces[A].FunctionOf(traces[A].Threads[0], int(e.Ref.Call)).Name]
		if !ok || e.Rect.W() < 20 {
			continue
		}
		if got, want := palette.WithAlpha(tubes[i].Fill, 255), pal.Rainbow(share); got != want {
			t.Errorf("a step at %v of its group is %v, not %v", share, got, want)
		}
	}
}

// TestStrength: the more alike, the stronger the highlight of a thick tube.
func TestStrength(t *testing.T) {
	v, traces := figureView(t, "strength", func(st *State) { st.Links.Similarity = true })
	gloss := map[string]float32{}
	for i, tube := range v.Scene.Layers[0].Tubes.Tubes {
		e := v.Links.Link(i).Ends[A]
		gloss[traces[A].FunctionOf(traces[A].Threads[0], int(e.Ref.Call)).Name] = tube.Gloss
	}
	got := []float32{gloss["weak"], gloss["half"], gloss["alike"], gloss["same2"]}
	if !slices.IsSorted(got) || got[0] == got[3] || got[3] != 1 {
		t.Errorf("highlights from weak to same are %v", got)
	}
}

// TestNesting: tubes of deeper calls are drawn later, lie nearer, and are narrower.
func TestNesting(t *testing.T) {
	v, _ := figureView(t, "nesting", nil)
	tubes := v.Scene.Layers[0].Tubes.Tubes
	if len(tubes) != 12 {
		t.Fatalf("%d tubes, want 12", len(tubes))
	}
	for i := 1; i < len(tubes); i++ {
		if tubes[i].Z0 < tubes[i-1].Z0 {
			t.Errorf("tube %d is farther than the one before", i)
		}
	}
}
