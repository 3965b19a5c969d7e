package structure

import (
	"fmt"
	"testing"

	"diptych/internal/geom"
	"diptych/internal/scene"
	"diptych/internal/trace"
)

// TestOutlinesLeaveNamesFree: the border around a cell crosses no name, such as that of a group, which
// lies across the cells in it.
func TestOutlinesLeaveNamesFree(t *testing.T) {
	b := trace.NewBuilder("long names")
	th := b.Thread("1", -1)
	for k := range 160 {
		th.Begin(int64(k), b.Function(trace.Function{Name: fmt.Sprintf("AGroupOfFunctions%d::f%d", k/40, k)}))
		th.End(int64(k) + 1)
	}
	tr, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	st, err := stateOf([2]*trace.Trace{tr})
	if err != nil {
		t.Fatal(err)
	}
	crossed := false
	for st.Hover = 1; st.Hover < len(st.Tree.Nodes); st.Hover++ {
		v := Build(&st, geom.Size{W: 400, H: 300}, nil)
		var texts []geom.Rect
		for _, l := range v.Scene.Layers {
			for k := range l.Texts {
				texts = append(texts, inked(&l.Texts[k]).Intersect(l.Clip))
			}
		}
		cell := v.NodeRect(st.Hover)
		for _, text := range texts {
			in := text.Intersect(cell)
			crossed = crossed || !in.Empty() && in != text
		}
		n := 0
		for _, l := range v.Scene.Layers {
			for _, q := range l.Quads {
				if q.Fill != st.Palette.Hover {
					continue
				}
				n++
				for _, text := range texts {
					if q.Shade == scene.Outline || !q.Rect.Intersect(text).Empty() {
						t.Fatalf("%s: the border at %v crosses the name at %v", st.Tree.FullName(st.Hover), q.Rect, text)
					}
				}
			}
		}
		if n == 0 {
			t.Errorf("%s has no border", st.Tree.FullName(st.Hover))
		}
	}
	if !crossed {
		t.Error("no name lies across a border, the test needs one")
	}
}
