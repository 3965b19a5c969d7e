package trace

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"diptych/internal/testtrace/deepeq"
)

// TestClose holds that threads that are closed are what Build makes of them, and that nothing of one
// thread is left on the shelf for the next.
func TestClose(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var lists [][]Brief
		for range rapid.IntRange(1, 8).Draw(t, "threads") {
			n := rapid.SampledFrom([]int{0, 1, 20, 300, 3 * mostShelved}).Draw(t, "records")
			list := someBriefs(t, n)
			if rapid.Bool().Draw(t, "balanced") {
				list = balanced(list)
			}
			lists = append(lists, list)
		}
		instants := rapid.Bool().Draw(t, "instants")
		build := func(closed bool) *Trace {
			b, _ := newTestBuilder()
			var s Shelf
			for _, list := range lists {
				th := b.Thread("2", -1)
				if closed {
					th.Use(&s)
				}
				if th.AppendBrief(list); instants {
					th.Instant(7, 1)
					th.Instant(6, 2)
				}
				if closed {
					th.Close(&s)
				}
			}
			return mustBuild(t, b)
		}
		if x, y := build(true), build(false); !deepeq.Equal(y, x) {
			t.Fatal(cmp.Diff(y, x, everything))
		}
	})
}

// balanced returns records in order of time with as many ends as begins.
func balanced(list []Brief) (out []Brief) {
	last, open := int64(0), 0
	for _, v := range list {
		if v.At < last || v.what&briefKind == briefLeave && open == 0 {
			continue
		}
		switch last = v.At; v.what & briefKind {
		case briefEnter:
			open++
		case briefLeave:
			open--
		case briefLeaf:
			last += int64(v.what >> briefShift)
		}
		out = append(out, v)
	}
	for range open {
		out = append(out, BriefLeave(last))
	}
	return out
}
