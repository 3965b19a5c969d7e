package trace

import (
	"testing"

	"pgregory.net/rapid"
)

// someThread builds a thread of complete records with durations of many magnitudes.
func someThread(t *rapid.T) *Thread {
	b, th := newTestBuilder()
	n := rapid.IntRange(1, 3000).Draw(t, "calls")
	seed := uint64(rapid.IntRange(0, 1<<30).Draw(t, "seed"))
	next := func(n uint64) int64 {
		seed = seed*6364136223846793005 + 1442695040888963407
		return int64(seed >> 33 % n)
	}
	var ends []int64
	now := int64(0)
	for range n {
		for len(ends) > 0 && next(3) == 0 {
			now = max(now, ends[len(ends)-1])
			ends = ends[:len(ends)-1]
			if next(4) == 0 {
				now += int64(1) << next(12)
			}
		}
		for len(ends) > 0 && now >= ends[len(ends)-1] {
			ends = ends[:len(ends)-1]
		}
		end := now + int64(1)<<next(20)
		if len(ends) > 0 {
			end = min(end, ends[len(ends)-1])
		}
		th.Complete(now, end, FuncID(next(fns)))
		ends = append(ends, end)
		now += next(3)
	}
	for _, built := range mustBuild(t, b).Threads {
		if built.Lane == 0 {
			return built
		}
	}
	return nil
}

// TestTrunk holds the trunk against what it is defined as.
func TestTrunk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		th := someThread(t)
		share := rapid.Float64Range(.51, 1).Draw(t, "share")
		from, to := th.Start(0), int64(0)
		for i := range th.Len() {
			to = max(to, th.End(i))
		}
		want, least := 0, int64(share*float64(to-from))
		for level := 0; ; level++ {
			found := false
			for i := range th.Len() {
				found = found || int(th.Depth(i)) == level && th.Dur(i) >= least
			}
			if !found {
				break
			}
			want++
		}
		if got := th.Trunk(share); to > from && got != want {
			t.Fatalf("%d levels, want %d", got, want)
		}
	})
}

// TestPyramidOfDeepStack: the pyramid of a thread whose calls are each called by the one before is
// that of its calls, and no more calls than these are looked at around the beginnings of stretches.
func TestPyramidOfDeepStack(t *testing.T) {
	b, th := newTestBuilder()
	n := 3*stretch*fan + 5
	for i := range n {
		th.Complete(int64(i), int64(2*n-i), 0)
	}
	deep := mustBuild(t, b).Threads[0]
	if size := stretchOf(deep); deep.levels() != int32(n) || size*fan < n {
		t.Errorf("%d levels in stretches of %d calls, want %d", deep.levels(), size*fan, n)
	}
	base := deep.LOD.levels[0]
	for i, reach := range base.reach {
		last := min(i*fan+fan, n) - 1
		if reach != roundUp(deep.Dur(i*fan)) || base.depth[i] != uint32(last) {
			t.Fatalf("block %d: reach %v, depth %d", i, reach, base.depth[i])
		}
	}
}

func TestPyramidMatchesScan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		th := someThread(t)
		prev := previousSiblings(th)
		for range 20 {
			from := rapid.IntRange(0, th.Len()-1).Draw(t, "from")
			to := rapid.IntRange(from+1, th.Len()).Draw(t, "to")
			w := float64(int64(1)<<rapid.IntRange(0, 21).Draw(t, "log w")) - 0.5
			want := from
			for want < to && float64(th.Dur(want)) < w &&
				(prev[want] < 0 || float64(th.Start(want)-th.End(prev[want])) < w) {
				want++
			}
			if got := th.NextWide(from, to, w); got != want {
				t.Fatalf("NextWide(%d, %d, %g) = %d, want %d", from, to, w, got, want)
			}
			deepest := 0
			for i := from; i < to; i++ {
				deepest = max(deepest, int(th.Depth(i)))
			}
			if got := th.DeepestIn(from, to); got != deepest {
				t.Fatalf("DeepestIn(%d, %d) = %d, want %d", from, to, got, deepest)
			}
			level := rapid.IntRange(0, deepest+1).Draw(t, "level")
			for want = from; want < to && int(th.Depth(want)) < level; want++ {
			}
			if got := th.NextDeep(from, to, level); got != want {
				t.Fatalf("NextDeep(%d, %d, %d) = %d, want %d", from, to, level, got, want)
			}
		}
	})
}

// TestPyramidIsTight holds that a block reaches exactly as far as the widest of what is in it.
func TestPyramidIsTight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		th := someThread(t)
		if th.Len() <= fan {
			return // it has no pyramid
		}
		prev := previousSiblings(th)
		want := make([]int64, (th.Len()+fan-1)/fan)
		for i := range th.Len() {
			want[i/fan] = max(want[i/fan], th.Dur(i))
			if s := prev[i]; s >= 0 {
				want[i/fan] = max(want[i/fan], th.Start(i)-th.End(s))
			}
		}
		for b, reach := range th.LOD.levels[0].reach {
			if reach != roundUp(want[b]) {
				t.Fatalf("block %d reaches %g, want %d", b, reach, want[b])
			}
		}
	})
}

func previousSiblings(th *Thread) []int {
	prev := make([]int, th.Len())
	for i := -1; i < th.Len(); i++ {
		last := -1
		for c := range th.childSeq(i) {
			prev[c], last = last, c
		}
	}
	return prev
}

func TestLookupMatchesScan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		th := someThread(t)
		_, last := th.Span()
		for range 20 {
			ns := int64(rapid.IntRange(-2, int(last)+2).Draw(t, "ns"))
			want := -1
			for i := range th.Len() {
				if th.Start(i) <= ns && ns <= th.End(i) {
					want = i
				}
			}
			if got := th.Enclosing(ns); got != want {
				t.Fatalf("Enclosing(%d) = %d, want %d", ns, got, want)
			}
		}
	})
}
