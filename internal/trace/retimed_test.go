package trace

import (
	"context"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// TestOtherTimes: a thread on another axis, and one made of columns, are what a Builder would have
// made of the same calls at these times.
func TestOtherTimes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		steps := rapid.SliceOfN(rapid.Uint32Range(0, 1000), 2, 200).Draw(t, "steps")
		build := func(gap func(uint32) int64) *Thread {
			b := NewBuilder("random")
			th, f, at, depth := b.Thread("1", -1), b.Function(Function{Name: "f"}), int64(0), 0
			for _, s := range steps {
				if depth == 0 || depth < 7 && s&1 == 0 {
					th.Begin(at, f)
					depth++
				} else {
					th.End(at)
					depth--
				}
				at += 1 + gap(s)
			}
			tr, err := b.Build(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			return tr.Threads[0]
		}
		from := build(func(s uint32) int64 { return int64(s) })
		want := build(func(s uint32) int64 { return int64(1000 - s) })
		start, end, parent := timesAndCallers(want)
		made := FromColumns("1", start, end, want.Fn, parent)
		for _, got := range []*Thread{from.Retimed(start, end), made} {
			if !reflect.DeepEqual(got.columns, want.columns) || got.MaxDepth() != want.MaxDepth() {
				t.Fatalf("%+v, want %+v", got, want)
			}
			w := rapid.Float64Range(1, 2000).Draw(t, "w")
			i := rapid.IntRange(0, want.Len()-1).Draw(t, "i")
			if a, b := got.NextWide(i, want.Len(), w), want.NextWide(i, want.Len(), w); a != b {
				t.Fatalf("call %d is the first of %g ns, not %d", a, w, b)
			}
		}
	})
}

func timesAndCallers(t *Thread) (start, end []int64, parent []int32) {
	for i := range t.Len() {
		start, end = append(start, t.Start(i)), append(end, t.End(i))
		parent = append(parent, t.Parent(i))
	}
	return start, end, parent
}
