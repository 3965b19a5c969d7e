package structure

import (
	"image"
	"testing"

	"gioui.org/layout"
	"gioui.org/unit"

	"diptych/internal/pair"
	"diptych/internal/structure"
)

// TestColumnsLeaveRoomForNames: in a narrow table only the change has a column, whatever the scale;
// the values of a single trace always have theirs.
func TestColumnsLeaveRoomForNames(t *testing.T) {
	one, both := &structure.Tree{}, &structure.Tree{}
	one.Sums[pair.A], both.Sums[pair.A], both.Sums[pair.B] =
		[]structure.Sum{{}}, []structure.Sum{{}}, []structure.Sum{{}}
	for _, test := range []struct {
		tree  *structure.Tree
		width int
		scale float32
		want  int
	}{{both, 250, 1, 0}, {both, 350, 1, 2}, {both, 500, 2, 0}, {both, 700, 2, 2}, {one, 250, 1, 1}} {
		gtx := layout.Context{Metric: unit.Metric{PxPerDp: test.scale, PxPerSp: test.scale},
			Constraints: layout.Constraints{Max: image.Pt(test.width, 100)}}
		if got := columns(gtx, test.tree); len(got) != test.want {
			t.Errorf("%d px at scale %g: columns of %v, want %d", test.width, test.scale, got, test.want)
		}
	}
}
