package aggregate

import (
	"fmt"
	"image"
	"testing"

	"diptych/internal/pair"
	scene "diptych/internal/scene/aggregate"
	"diptych/internal/session"
)

// crowd shows two runs of so many threads that do the same by and large.
func crowd(t *testing.T, threads int) *bench {
	var names [2][]string
	for i := range threads {
		names[0] = append(names[0], "aaaabbbb"[:4+i%5])
		names[1] = append(names[1], "aaabbbcc"[:3+i%6])
	}
	s := session.New(func() {})
	for side, list := range names {
		s.Put(pair.Side(side), fmt.Sprint("trace ", side), staged(t, list...))
	}
	return benchOf(t, s, "slices=8")
}

// TestFramesCostWhatIsVisible: with fifteen times as many threads a frame allocates little more, at
// rest, over an aggregate of all threads, and while the pointer moves from one to the next.
// Allocations stand for work, since they do not depend on the machine.
func TestFramesCostWhatIsVisible(t *testing.T) {
	few, many := crowd(t, 32), crowd(t, 500)
	if n := few.overview().leaves(); n != 64 || many.overview().leaves() != 1000 {
		t.Fatalf("%d threads are shown", n)
	}
	for _, b := range []*bench{few, many} {
		b.set("p", "1")
	}
	frames := map[string]func(b *bench, k int){
		"still": func(b *bench, _ int) { b.Frame(0) },
		"hover": func(b *bench, k int) {
			b.Move(b.in(middle(b.pane.Shown().Plots[scene.A].Areas[0].Rect)).Add(image.Pt(k%20, 0)))
		},
	}
	for name, frame := range frames {
		var cost []float64
		for _, b := range []*bench{few, many} {
			k := 0
			frame(b, k)
			cost = append(cost, testing.AllocsPerRun(8, func() { frame(b, k); k++ }))
		}
		t.Log(name, fmt.Sprint(cost))
		if cost[1] > 1.5*cost[0]+200 {
			t.Errorf("%s: %.0f allocations with few threads, %.0f with many", name, cost[0], cost[1])
		}
	}
}
