package aligned

import (
	"fmt"
	"strings"
	"testing"

	"diptych/internal/align"
	"diptych/internal/geom"
	"diptych/internal/scene"
)

// ranks returns n rows of as many thread pairs, of which the last is shown.
func ranks(p *Prepared, n int) (rows []Row) {
	for k := range n {
		rows = append(rows, Row{Pair: k, Title: fmt.Sprintf("rank %d", k), Timeline: p.Timeline,
			Length: float64(p.Virtual.Length), Current: k == n-1})
	}
	return rows
}

// TestRowsScroll: rows are high enough to read and named; those that do not fit are scrolled to, and
// the pair that is shown is in sight until then.
func TestRowsScroll(t *testing.T) {
	p := changed(t)
	st := stateOfWhole(p)
	st.Pairs, st.PairScroll = ranks(p, 60), -1
	v := Build(&st, geom.Size{W: 1200, H: 700}, nil)
	if r := v.PairRow(59); r.H() < 8 || v.PairRow(0) != (geom.Rect{}) {
		t.Errorf("the pair that is shown is at %v, the first at %v", r, v.PairRow(0))
	}
	st.PairScroll = 10 * pairRow
	if v = Build(&st, geom.Size{W: 1200, H: 700}, nil); v.PairRow(10).Y0 != v.PairRows.Y0 {
		t.Errorf("row 10 is at %v, rows begin at %v", v.PairRow(10), v.PairRows)
	}
	named := 0
	for _, l := range v.Scene.Layers {
		for _, x := range l.Texts {
			for k := range st.Pairs {
				if x.Text == st.Pairs[k].Title && x.Rect.Y0 == v.PairRow(k).Y0 {
					named++
				}
			}
		}
	}
	if seen := int(v.PairRows.H() / pairRow); named < seen {
		t.Errorf("%d of %d rows are named", named, seen)
	}
	if !writes(v.Scene, "all pairs of threads: dissimilarity over skew") {
		t.Error("nothing says what the rows show")
	}
	name := geom.Point{X: 20, Y: v.PairRow(12).Y0 + 2}
	if h, ok := v.Pick(name); !ok || h.Part != Pairs || h.Row != 12 {
		t.Errorf("at the name of row 12 lies %+v", h)
	}
	st.PairScroll = 1e9
	if v = Build(&st, geom.Size{W: 1200, H: 700}, nil); v.PairScroll != v.MaxPairScroll ||
		v.PairRow(59).Y1 > v.PairRows.Y1+.01 {
		t.Errorf("scrolled by %g of %g", v.PairScroll, v.MaxPairScroll)
	}
	thumb := func(q scene.Quad) bool { return q.Rect.X0 > v.PairRows.X1 && near(q.Rect.Y1, v.PairRows.Y1) }
	if !draws(v, thumb) {
		t.Error("no thumb is at the end of the rows")
	}
}

// TestWidePanesNameWholeThreads: a pane that has the room gives names more of it.
func TestWidePanesNameWholeThreads(t *testing.T) {
	p := changed(t)
	st := stateOfWhole(p)
	const name = "12460|13526 CrRendererM"
	st.Pairs = ranks(p, 2)
	st.Pairs[0].Title, st.Pairs[1].Title = name, "thread 14905 | 14909"
	for width, whole := range map[float32]bool{1200: false, 2100: true} {
		v := Build(&st, geom.Size{W: width, H: 700}, nil)
		found, numbers := false, false
		for _, l := range v.Scene.Layers {
			for _, x := range l.Texts {
				found = found || x.Text == name
				numbers = numbers || strings.HasSuffix(x.Text, "14905 | 14909")
			}
		}
		if found != whole {
			t.Errorf("%v px wide: the name is whole: %v", width, found)
		}
		if !numbers {
			t.Errorf("%v px wide: the numbers of a thread without a name are cut", width)
		}
	}
}

// TestSum: the summary of all rows is their mean dissimilarity and their largest skew.
func TestSum(t *testing.T) {
	line := func(heat float64, skew int64) *align.Timeline {
		return &align.Timeline{Dissimilarity: []float64{heat}, Skew: []int64{skew}}
	}
	all := Sum([]Row{{Timeline: line(.2, 10), Length: 100, Similarity: 1},
		{Timeline: line(.8, -30), Start: 50, Length: 150, Similarity: .5}})
	if all.Start != 0 || all.Length != 200 || all.Similarity != .75 || all.Farthest() != 30 {
		t.Errorf("%+v", all)
	}
	for _, c := range []struct {
		at, heat float64
		skew     int64
	}{{25, .2, 10}, {75, .5, -30}, {150, .8, -30}} {
		if heat, skew, ok := all.At(c.at); !ok || heat < c.heat-1e-9 || heat > c.heat+1e-9 || skew != c.skew {
			t.Errorf("at %g: %g, %d", c.at, heat, skew)
		}
	}
	if none := Sum(nil); none.Timeline != nil || none.Farthest() != 0 {
		t.Errorf("of no rows: %+v", none)
	}
}

// TestRowsAreClipped: of rows that are scrolled half out of sight nothing is drawn beyond the others.
func TestRowsAreClipped(t *testing.T) {
	p := changed(t)
	st := stateOfWhole(p)
	st.Pairs = ranks(p, 60)
	unclipped := func(scroll float32) (n int) {
		st.PairScroll = scroll
		for _, l := range Build(&st, geom.Size{W: 1200, H: 700}, nil).Scene.Layers {
			if l.Clip.Empty() {
				n += len(l.Quads)
			}
		}
		return n
	}
	want := unclipped(10 * pairRow)
	for px := range pairRow {
		if got := unclipped(10*pairRow + float32(px)); got != want {
			t.Errorf("scrolled by %d px more: %d quads may be anywhere, not %d", px, got, want)
		}
	}
}

// TestNamesOfRowsAreWhole: a row so far out of sight that its name would be cut has none, and every
// other row has one.
func TestNamesOfRowsAreWhole(t *testing.T) {
	p := changed(t)
	st := stateOfWhole(p)
	st.Pairs = ranks(p, 60)
	for px := range pairRow {
		st.PairScroll = 10*pairRow + float32(px)
		v := Build(&st, geom.Size{W: 1200, H: 700}, nil)
		names := 0
		for _, l := range v.Scene.Layers {
			for _, x := range l.Texts {
				if x.Align != scene.AlignRight || x.Rect.Y1 < v.PairRows.Y0 {
					continue
				}
				names++
				middle := (x.Rect.Y0 + x.Rect.Y1) / 2
				if middle-x.Size/2 < v.PairRows.Y0 || middle+x.Size/2 > v.PairRows.Y1 {
					t.Errorf("scrolled by %d px more, %q is cut", px, x.Text)
				}
			}
		}
		if least := int(v.PairRows.H()/pairRow) - 1; names < least {
			t.Errorf("scrolled by %d px more, %d names are shown, not %d", px, names, least)
		}
	}
}
