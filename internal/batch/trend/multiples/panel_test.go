package multiples

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"diptych/internal/batch/trend"
	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
)

// of returns a drawing of six commits with one series.
func of(measure trend.Measure, a, b []int64) (*drawing, *trend.Series) {
	t := &trend.Trend{Measure: measure, Unit: "ns"}
	for _, name := range []string{"c1", "c2", "c3", "c4", "c5", "c6"}[:len(b)] {
		t.Commits = append(t.Commits, trend.Commit{Name: name})
	}
	t.Series = []trend.Series{{Kind: trend.Function, Function: "f", ANs: a, BNs: b,
		Levels: []trend.Level{{From: 1, To: len(b), Value: 1}}}}
	return &drawing{t, palette.Light(), (&scene.Scene{}).Layer(geom.Rect{})}, &t.Series[0]
}

// TestReach: the panel shows all values, with 8 % of their range to spare or 2 % of the largest,
// and nothing below 0.
func TestReach(t *testing.T) {
	for _, c := range []struct {
		of        trend.Measure
		a, b      []int64
		low, high float64
	}{
		{trend.OfB, []int64{0, 0}, []int64{1000, 2000}, 920, 2080},
		{trend.OfB, []int64{0, 0}, []int64{1000, 1000}, 980, 1020},
		{trend.OfA, []int64{100, 500}, []int64{7, 7}, 68, 532},
		{trend.OfB, []int64{0, 0}, []int64{0, 100}, 0, 108},
		{trend.OfB, []int64{0, 0}, []int64{0, 0}, 0, .001},
		{trend.Ratio, []int64{100, 0, 100}, []int64{50, 9, 150}, .42, 1.58},
		{trend.Ratio, []int64{0, 0}, []int64{5, 5}, 0, 1},
	} {
		d, s := of(c.of, c.a, c.b)
		if low, high := d.reach(s); math.Abs(low-c.low) > 1e-9 || math.Abs(high-c.high) > 1e-9 {
			t.Errorf("%s of %v and %v: [%v, %v], want [%v, %v]", c.of, c.a, c.b, low, high, c.low, c.high)
		}
	}
}

// TestPlaces: four commits have a quarter of the width each, and values go up.
func TestPlaces(t *testing.T) {
	p := &plot{Rect: geom.Rect{X0: 100, Y0: 50, X1: 500, Y1: 250}, low: 10, high: 30, n: 4}
	for _, c := range []struct {
		k    int
		v    float64
		x, y float32
	}{{0, 10, 150, 250}, {3, 30, 450, 50}, {1, 20, 250, 150}, {2, 25, 350, 100}} {
		if got := p.at(c.k, c.v); got != (geom.Point{X: c.x, Y: c.y}) {
			t.Errorf("%v at %d is at %v", c.v, c.k, got)
		}
	}
	if p.x(-.5) != p.X0 || p.x(3.5) != p.X1 {
		t.Errorf("the commits are from %v to %v", p.x(-.5), p.x(3.5))
	}
}

// TestWordsOfAPanel: what a panel says of a series.
func TestWordsOfAPanel(t *testing.T) {
	change := trend.Change{Kind: trend.Function, Function: "f", Commit: 4, Name: "c4", Before: 100, After: 250,
		Factor: 2.5, ChangeNs: 150}
	gone := change
	gone.Commit, gone.Name, gone.Before, gone.After, gone.Factor, gone.ChangeNs = 6, "c6", 250, 0, 0, -250
	other := change
	other.Function = "g"
	total := change
	total.Kind, total.Function = trend.Work, ""
	for _, c := range []struct {
		changes []trend.Change
		drifts  []trend.Drift
		want    []string // texts that are not labels of axes
	}{
		{nil, nil, []string{"no change", "f"}},
		{[]trend.Change{other, total}, nil, []string{"no change", "f"}},
		{[]trend.Change{change}, nil, []string{"1 change", "f", "2.50× at c4"}},
		{[]trend.Change{change, gone}, nil, []string{"2 changes", "f", "gone at c6", "2.50× at c4"}},
		{nil, []trend.Drift{{Kind: trend.Function, Function: "f", First: 100, Last: 40, Factor: .4}},
			[]string{"drifts, 0.40×", "f"}},
		{nil, []trend.Drift{{Kind: trend.Function, Function: "f", Last: 40}}, []string{"drifts, new", "f"}},
	} {
		d, s := of(trend.OfB, make([]int64, 6), []int64{100, 100, 100, 250, 250, 250})
		d.Changes, d.Drifts = c.changes, c.drifts
		d.panel(s, geom.Rect{X0: 0, Y0: 0, X1: 900, Y1: 300})
		var got []string
		for _, text := range d.Texts {
			if !strings.HasSuffix(text.Text, " ns") && text.Text != "c1" && (text.Text != "c6" || text.Fill == d.Error) {
				got = append(got, text.Text)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v, %v: the panel says %q, want %q", c.changes, c.drifts, got, c.want)
		}
	}
}

// TestRings: outliers, and they alone, are rings, and a commit without a ratio has no dot.
func TestRings(t *testing.T) {
	d, s := of(trend.Ratio, []int64{1, 0, 2, 2, 2, 2}, []int64{1, 1, 2, 9, 2, 2})
	s.Outliers = []int{4}
	d.panel(s, geom.Rect{X0: 0, Y0: 0, X1: 500, Y1: 300})
	dots, rings := 0, 0
	for _, q := range d.Quads {
		if q.Fill == d.B {
			dots++
			if q.Shade == scene.Outline {
				rings++
			}
		}
	}
	if dots != 5 || rings != 1 {
		t.Errorf("%d dots, %d of them rings", dots, rings)
	}
}

// TestNothingLeavesItsPanel: levels of ratios count a function that A lacks as 1 ns of A, which no
// value is near; a drift's line may end beyond the values.
func TestNothingLeavesItsPanel(t *testing.T) {
	at := geom.Rect{X0: 10, Y0: 20, X1: 510, Y1: 320}
	for name, draw := range map[string]func(t *trend.Trend, s *trend.Series){
		"a level without ratios": func(t *trend.Trend, s *trend.Series) {
			s.Levels = []trend.Level{{From: 1, To: 3, Value: 5e6}, {From: 4, To: 6, Value: 1}}
		},
		"a level below": func(t *trend.Trend, s *trend.Series) {
			s.Levels = []trend.Level{{From: 1, To: 6, Value: 1e-6}}
		},
		"a drift": func(t *trend.Trend, s *trend.Series) {
			t.Drifts = []trend.Drift{{Kind: s.Kind, Function: s.Function, First: 1e-3, Last: 1e3, Factor: 1e6}}
		},
		"a drift that falls": func(t *trend.Trend, s *trend.Series) {
			t.Drifts = []trend.Drift{{Kind: s.Kind, Function: s.Function, First: 1e3, Last: 1e-3, Factor: 1e-6}}
		},
	} {
		d, s := of(trend.Ratio, []int64{0, 0, 0, 5e6, 5e6, 5e6}, []int64{5e6, 5e6, 5e6, 5e6, 5.1e6, 5e6})
		draw(d.Trend, s)
		d.panel(s, at)
		for _, q := range d.Quads {
			if q.Rect.Y0 < at.Y0 || q.Rect.Y1 > at.Y1 || q.Rect.X0 < at.X0 || q.Rect.X1 > at.X1 {
				t.Errorf("%s: a rectangle is at %v", name, q.Rect)
			}
		}
		for _, r := range d.Ribbons {
			for _, y := range []float32{r.Edges[0][0].Y, r.Edges[0][3].Y} {
				if y < at.Y0 || y > at.Y1 {
					t.Errorf("%s: a line ends at a height of %v", name, y)
				}
			}
		}
	}
}

// full is a disk with room for so many bytes.
type full struct{ left int }

var errFull = errors.New("no space left")

func (f *full) Write(p []byte) (int, error) {
	if n := f.left; n < len(p) {
		f.left = 0
		return n, errFull
	}
	f.left -= len(p)
	return len(p), nil
}

// TestDriftIsACurve: between 100 and 400 ns it is at 200 ns in the middle.
func TestDriftIsACurve(t *testing.T) {
	d, _ := of(trend.OfB, make([]int64, 3), []int64{100, 200, 400})
	p := &plot{Rect: geom.Rect{X1: 300, Y1: 400}, high: 400, n: 3}
	d.curve(p, &trend.Drift{First: 100, Last: 400, Factor: 4})
	if len(d.Ribbons) != 2 || d.Ribbons[0].Edges[0][0] != (geom.Point{X: 50, Y: 300}) ||
		d.Ribbons[0].Edges[0][3] != (geom.Point{X: 150, Y: 200}) || d.Ribbons[1].Edges[0][3] != (geom.Point{X: 250}) {
		t.Errorf("the curve is %v", d.Ribbons)
	}
}

// TestFullDisk: wherever the disk is full, writing says so.
func TestFullDisk(t *testing.T) {
	var whole strings.Builder
	tr := crowded()
	if err := Write(&whole, tr); err != nil {
		t.Fatal(err)
	}
	for left := 0; left < whole.Len(); left += whole.Len()/7 + 1 {
		if err := Write(&full{left}, tr); !errors.Is(err, errFull) {
			t.Errorf("with room for %d of %d bytes: %v", left, whole.Len(), err)
		}
	}
	if err := Write(&full{whole.Len()}, tr); err != nil {
		t.Errorf("with room for all: %v", err)
	}
}
