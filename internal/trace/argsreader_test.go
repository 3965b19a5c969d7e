package trace

import (
	"context"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// TestArgsReader: a reader returns what was attached to each call, in whatever order it is asked,
// also between the calls of several threads.
func TestArgsReader(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := NewBuilder("test")
		want := make([][]string, 2)
		for k := range want {
			th := b.Thread(strconv.Itoa(k), -1)
			for i := range rapid.IntRange(1, 200).Draw(t, "calls") {
				ref, text := th.Begin(int64(i), 0), ""
				for j := range rapid.SampledFrom([]int{0, 0, 1, 2, 3}).Draw(t, "texts") {
					one := "(" + strconv.Itoa(i) + ", " + strconv.Itoa(j) + ")"
					th.Args(ref, []byte(one))
					if text != "" {
						text += " "
					}
					text += one
				}
				th.End(int64(i))
				want[k] = append(want[k], text)
			}
		}
		b.Function(Function{Name: "f"})
		tr, err := b.Build(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		var r ArgsReader
		k, i := 0, 0
		for range 300 {
			switch rapid.IntRange(0, 9).Draw(t, "where") {
			case 0:
				k, i = 1-k, 0
			case 1:
				i = rapid.IntRange(0, 200).Draw(t, "call")
			default:
				i++
			}
			i %= len(want[k])
			th := tr.Threads[k]
			if got := string(r.Args(th, i)); got != want[k][i] || th.Args(i) != got {
				t.Fatalf("thread %d, call %d: %q and %q, want %q", k, i, got, th.Args(i), want[k][i])
			}
		}
	})
}
