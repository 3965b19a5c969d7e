package multiples

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"diptych/internal/batch/trend"
	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/typeface"
)

// crowded returns a trend with long names, many changes close together, a drift, a function that is
// new, and outliers.
func crowded() *trend.Trend {
	t := &trend.Trend{Measure: trend.OfB, Unit: "ns", Pairs: 64, Tested: 12}
	for k := range 60 {
		t.Commits = append(t.Commits, trend.Commit{Number: k + 1,
			Name: fmt.Sprintf("nightly-2026-%02d-%02d-release-candidate", 1+k/28, 1+k%28)})
	}
	for i := range 14 {
		s := trend.Series{Kind: trend.Function, Outliers: []int{},
			Function: fmt.Sprintf("company/very/long/path/of/module%d::Class<int, long>::method(int, char)", i)}
		if i < 2 {
			s.Kind, s.Function = []trend.Kind{trend.Elapsed, trend.Work}[i], ""
		}
		value, from := 1e6*math.Pow(3, float64(i)), 0
		level := value
		for k := range t.Commits {
			if i > 1 && i < 8 && k > 3 && k%(4+3*i) == 0 {
				s.Levels = append(s.Levels, trend.Level{From: from + 1, To: k, Value: level})
				t.Changes = append(t.Changes, trend.Change{Kind: s.Kind, Function: s.Function, Commit: k + 1,
					Name: t.Commits[k].Name, Before: level, After: 1.3 * level, Factor: 1.3, ChangeNs: .3 * level})
				from, level = k, 1.3*level
			}
			v := level * (1 + .02*math.Sin(float64(7*k+i)))
			if k == 17 {
				v *= 1.5
				s.Outliers = append(s.Outliers, k+1)
			}
			if i == 9 {
				v = level * math.Pow(1.5, float64(k)/59)
			}
			s.ANs, s.BNs = append(s.ANs, int64(value)), append(s.BNs, int64(v))
		}
		s.Levels = append(s.Levels, trend.Level{From: from + 1, To: 60, Value: level})
		if i == 9 {
			s.Levels = nil
			t.Drifts = append(t.Drifts, trend.Drift{Kind: s.Kind, Function: s.Function, First: level,
				Last: 1.5 * level, Factor: 1.5})
		}
		t.Series = append(t.Series, s)
	}
	return t
}

// extent returns where a text's letters are.
func extent(t scene.Text) geom.Rect {
	w, r := typeface.Width(t.Text, t.Size, t.Bold), t.Rect
	if t.Align == scene.AlignRight {
		r.X0 = r.X1 - w
	}
	r.X1 = r.X0 + w
	return r
}

// TestTextsDoNotOverlap: in any size no text lies on another or outside of the picture.
func TestTextsDoNotOverlap(t *testing.T) {
	for _, size := range []geom.Size{Size, {W: 700, H: 500}, {W: 1900, H: 1000}} {
		texts := Draw(crowded(), size, palette.Light()).Layers[0].Texts
		for i, x := range texts {
			r := extent(x)
			if r.X0 < 0 || r.Y0 < 0 || r.X1 > size.W || r.Y1 > size.H {
				t.Errorf("%v: %q is outside: %v", size, x.Text, r)
			}
			for _, y := range texts[:i] {
				if !r.Inset(1).Intersect(extent(y)).Empty() {
					t.Errorf("%v: %q and %q overlap", size, x.Text, y.Text)
				}
			}
		}
	}
}

// TestPictureIsXML, with names that are no XML.
func TestPictureIsXML(t *testing.T) {
	tr := crowded()
	tr.Series[2].Function = "]]></text><script>\x00\u202e&"
	tr.Commits[0].Name = "<script>\x1b[2J"
	tr.Commits[59].Name = "</svg>"
	var b strings.Builder
	if err := Write(&b, tr); err != nil {
		t.Fatal(err)
	}
	for d := xml.NewDecoder(strings.NewReader(b.String())); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "script" {
			t.Error("a name has become a script")
		}
	}
}

// TestEmptySeriesAreDrawn: a function that A never has has no ratio, and times may be 0.
func TestEmptySeriesAreDrawn(t *testing.T) {
	tr := crowded()
	tr.Measure = trend.Ratio
	for i := range tr.Series {
		clear(tr.Series[i].ANs)
	}
	for _, q := range Draw(tr, Size, palette.Light()).Layers[0].Quads {
		if v := q.Rect.X0 + q.Rect.Y0; v != v {
			t.Fatal("a rectangle is nowhere")
		}
	}
}
