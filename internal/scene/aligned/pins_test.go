package aligned

import (
	"slices"
	"testing"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/scene"
	"diptych/internal/trace"
)

// TestPins checks where pins are drawn and picked: at the starts of their calls, joined where the
// alignment pairs them, and not at all where they are out of sight.
func TestPins(t *testing.T) {
	p := changed(t)
	call := func(s pair.Side, name string) int {
		tr := p.Sides[s]
		return slices.IndexFunc(tr.Threads[0].Fn, func(f trace.FuncID) bool {
			return tr.Functions[f].Name == name
		})
	}
	st := stateOfWhole(p)
	st.Pins = []Pin{
		{Calls: [2]int{call(pair.A, "store"), call(pair.B, "store")}},
		{Calls: [2]int{call(pair.A, "old"), call(pair.B, "fresh")}},
		{Calls: [2]int{-1, call(pair.B, "end")}, Loud: true},
	}
	size := geom.Size{W: 1200, H: 700}
	v := Build(&st, size, nil)
	if len(v.Pins) != len(st.Pins) {
		t.Fatalf("%d pins are drawn", len(v.Pins))
	}
	for k, joined := range []bool{true, false, false} {
		d := &v.Pins[k]
		if d.Index != k || d.Joined != joined {
			t.Errorf("pin %d: %+v", k, d)
		}
		for s, i := range st.Pins[k].Calls {
			if d.Drawn[s] != (i >= 0) {
				t.Errorf("pin %d: drawn %v", k, d.Drawn)
			}
			if i < 0 {
				continue
			}
			ref, _ := p.Ref(Node{Calls: [2]int{i, i}}, pair.Side(s))
			r, _ := v.CallRect(pair.Side(s), ref)
			if want := (geom.Point{X: r.X0, Y: (r.Y0 + r.Y1) / 2}); d.Heads[s] != want {
				t.Errorf("pin %d: head at %v, its call at %v", k, d.Heads[s], r)
			}
			if got, side, ok := v.PickPin(d.Heads[s]); !ok || got != k || side != pair.Side(s) {
				t.Errorf("pin %d: picked %d of %v", k, got, side)
			}
		}
	}
	a, b := v.Pins[0].Heads[pair.A], v.Pins[0].Heads[pair.B]
	between := geom.Rect{X0: a.X - .5, X1: a.X + .5, Y0: a.Y, Y1: b.Y}
	if !has(v.Scene, between, st.Palette.Text, scene.Flat) {
		t.Errorf("no line is drawn in %v", between)
	}
	line := geom.Point{X: a.X + 1, Y: (a.Y + 3*b.Y) / 4}
	if k, side, ok := v.PickPin(line); !ok || k != 0 || side != pair.B {
		t.Errorf("on the line pin %d of %v is picked: %v", k, side, ok)
	}
	if _, _, ok := v.PickPin(geom.Point{X: a.X + scene.PinRadius + pinReach + 1, Y: a.Y}); ok {
		t.Error("beside a pin it is picked")
	}

	n := p.Node(p.NodeOf(pair.A, call(pair.A, "load")))
	st.Focus = geom.Span{Start: float64(n.Start), End: float64(n.End) - 1}
	if v = Build(&st, size, nil); len(v.Pins) != 0 {
		t.Errorf("pins out of sight are drawn: %+v", v.Pins)
	}
	n = p.Node(p.NodeOf(pair.A, call(pair.A, "store")))
	st.Focus = geom.Span{Start: float64(n.Start+n.End) / 2, End: float64(n.End)}
	if v = Build(&st, size, nil); len(v.Pins) != 1 || v.Pins[0].Heads[pair.A].X != v.Axis.X0 {
		t.Errorf("the pin of a call that begins before what is shown: %+v", v.Pins)
	}
}
