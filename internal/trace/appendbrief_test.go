package trace

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"diptych/internal/testtrace/deepeq"
)

// someBriefs draws records with marks: few or many ends, and seldom a time that goes back, a number
// that does not fit, or a deep stack.
func someBriefs(t *rapid.T, n int) (list []Brief) {
	disorder := rapid.SampledFrom([]int64{0, 0, 1}).Draw(t, "disorder")
	ends, plain := rapid.IntRange(1, 9).Draw(t, "ends"), rapid.Bool().Draw(t, "no marks")
	rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	for at := int64(1000); len(list) < n; {
		fn, block, flags := FuncID(rnd.IntN(fns)), BlockKind(0), Flags(0)
		if !plain && rnd.IntN(3) == 0 {
			block, flags = BlockKind(rnd.IntN(4)), Flags(rnd.IntN(4))
		}
		if at += rnd.Int64N(100) - disorder; rnd.IntN(300) == 0 {
			at += far
		}
		switch k := rnd.IntN(15); {
		case k < ends:
			list = append(list, BriefLeave(at))
		case k < 10:
			list = append(list, BriefEnter(at, fn, flags, block))
		default:
			dur := rnd.Uint32N(90)
			list = append(list, BriefLeaf(at, dur, fn, block))
			at += int64(dur)
		}
	}
	return list
}

// sameBrief fails unless records that are appended in pieces make what they make one by one.
func sameBrief(t rapid.TB, list []Brief, piece func() int) {
	b, th := newTestBuilder()
	for from := 0; from < len(list); {
		to := min(from+piece(), len(list))
		th.AppendBrief(list[from:to])
		from = to
	}
	want, one := newTestBuilder()
	for i := range list {
		one.hold()
		one.appendBrief(&list[i])
	}
	th.ReturnArgs([]byte("late"))
	one.ReturnArgs([]byte("late"))
	if x, y := mustBuild(t, b), mustBuild(t, want); !deepeq.Equal(y, x) {
		t.Fatal(cmp.Diff(y, x, everything))
	}
}

// TestAppendBrief holds that records with marks are what Begin, End, Flag and Block make of them,
// whatever the pieces.
func TestAppendBrief(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(1, 600).Draw(t, "piece")
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "pieces"), 0))
		sameBrief(t, someBriefs(t, 2000), func() int { return 1 + rnd.IntN(most) })
	})
}

// TestAppendManyBrief holds the same for so many that columns have several pieces, and that the
// distance from most calls to their caller does not fit.
func TestAppendManyBrief(t *testing.T) {
	list := []Brief{BriefEnter(5, 0, 0, Wait)}
	for at := int64(10); len(list) < 3*mostUp; at += 10 {
		list = append(list, BriefEnter(at, 1, Sampled, 0), BriefLeaf(at+2, 3, 2, Wait), BriefLeave(at+7),
			BriefLeaf(at+8, 0, 3, Release))
	}
	sameBrief(t, list, func() int { return 64 })
}
