package matches

import (
	"testing"

	"diptych/internal/geom"
	"diptych/internal/trace"
)

// deep returns a trace whose stack has a trunk of the given levels and below it two calls with
// stacks as deep as said.
func deep(t *testing.T, trunk, below int) *trace.Trace {
	t.Helper()
	b := trace.NewBuilder("test")
	th := b.Thread("1", -1)
	fn := b.Function(trace.Function{Name: "f"})
	for range trunk {
		th.Begin(0, fn)
	}
	for k := range int64(2) {
		for range below {
			th.Begin(100*k, fn)
		}
		for range below {
			th.End(100*k + 90)
		}
	}
	for range trunk {
		th.End(200)
	}
	tr, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// TestRoomForBoth checks how stacks give way to the matches.
func TestRoomForBoth(t *testing.T) {
	for name, c := range map[string]struct {
		trunk, below int
		folded       int
		usual        bool // rows have their usual height
	}{
		"fits":          {2, 3, 0, true},
		"lower rows":    {2, 9, 0, false},
		"trunk is deep": {20, 4, 19, true},
		"all is deep":   {5, 90, 4, false},
	} {
		t.Run(name, func(t *testing.T) {
			st := joined(t, [2]*trace.Trace{deep(t, c.trunk, c.below), deep(t, 1, 1)})
			size := geom.Size{W: 900, H: 700}
			v := Build(&st, size, nil)
			d := v.Sides[A].Drawing
			if d.Fold != c.folded || (d.Row == rowHeight) != c.usual || d.Row < labelRow {
				t.Errorf("%d levels are folded, rows are %v px high", d.Fold, d.Row)
			}
			free := v.Sides[B].Icicle.Y0 - v.Sides[A].Icicle.Y1
			if want := st.Links.Band * size.H; free < want-1 || free > want+1 {
				t.Errorf("%v px are free for matches, want %v", free, want)
			}
			if v.Sides[B].Drawing.Row != d.Row {
				t.Error("rows are not as high on both sides")
			}
		})
	}
}

// TestNoMatchesNoBand checks that the stacks have all the room where no matches are drawn.
func TestNoMatchesNoBand(t *testing.T) {
	st := joined(t, [2]*trace.Trace{deep(t, 20, 5), deep(t, 1, 1)})
	st.Links.Graph = nil
	v := Build(&st, geom.Size{W: 900, H: 700}, nil)
	if free := v.Sides[B].Icicle.Y0 - v.Sides[A].Icicle.Y1; free > 2*middle {
		t.Errorf("%v px are free", free)
	}
	if d := v.Sides[A].Drawing; d.Fold != 0 || d.Row != rowHeight {
		t.Errorf("%d levels are folded, rows are %v px high", d.Fold, d.Row)
	}
}
