package trace

import (
	"math/rand/v2"
	"testing"
)

// TestPreviewShowsWhatIsWide: of the threads with the most calls, a preview has all calls that are
// at least two slots long and no deeper than is shown, at their times, and no call that the trace
// has not.
func TestPreviewShowsWhatIsWide(t *testing.T) {
	noise := rand.New(rand.NewPCG(1, 4))
	for name, kinds := range mixtures {
		b, first := newTestBuilder()
		for k, n := range []int{20_000, 3000, 0, 70} {
			th := first
			if k > 0 {
				th = b.Thread(string(rune('a'+k)), -1)
			}
			feed(th, manySteps(kinds, n, 0, noise))
		}
		tr := mustBuild(t, b)
		const threads = 3
		g := Preview(tr, threads)
		if g.Calls != calls(tr) || g.Trace.Duration != tr.Duration || g.Lead < 0 || !g.Kept ||
			len(g.Trace.Threads) > threads {
			t.Fatalf("%s: %d calls, %d ns, lead %d", name, g.Calls, g.Trace.Duration, g.Lead)
		}
		type call struct {
			start, dur int64
			fn         FuncID
		}
		for _, seen := range g.Trace.Threads {
			th := tr.Threads[tr.ThreadByID(seen.ID)]
			has, shown, deep := map[call]int{}, map[call]int{}, map[call]bool{}
			for i := range th.Len() {
				v := call{th.Start(i), th.Dur(i), th.Fn[i]}
				has[v]++
				if th.Depth(i) >= mostLevels {
					deep[v] = true
				}
			}
			for i := range seen.Len() {
				v := call{seen.Start(i), seen.Dur(i), seen.Fn[i]}
				if shown[v]++; shown[v] > has[v] {
					t.Fatalf("%s: %v is not in the trace", name, v)
				}
			}
			wide := tr.Duration / mostSlots * 2
			for v, n := range has {
				if v.dur >= wide && shown[v] != n && !deep[v] {
					t.Errorf("%s: %v is missing", name, v)
				}
			}
			if seen.Len() == 0 || seen.Len() > mostKept {
				t.Errorf("%s: %d calls of %d", name, seen.Len(), th.Len())
			}
		}
		o := &Outline{}
		o.Show(g)
		if o.Glimpse(1).Trace != g.Trace {
			t.Error("not shown")
		}
		if NewBuilder("").Follow(o); o.Glimpse(1).Trace == g.Trace {
			t.Error("shown while a recording is read")
		}
	}
}

func calls(tr *Trace) (n int) {
	for _, th := range tr.Threads {
		n += th.Len()
	}
	return n
}
