package match

import (
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
)

// someWindow draws a window, often with borders that are some call's.
func someWindow(t *rapid.T) Window {
	if rapid.IntRange(0, 9).Draw(t, "everything") == 0 {
		return Everything
	}
	from := int64(rapid.IntRange(-2, 40).Draw(t, "from"))
	return Window{
		From:  from,
		To:    from + int64(rapid.IntRange(-1, 40).Draw(t, "width")),
		Least: int64(rapid.IntRange(0, 8).Draw(t, "least") / 2),
	}
}

// within returns which of a side's calls are in the window.
func (w Window) within(p *pair.Pair, s pair.Side, calls []plainCall) []bool {
	out := make([]bool, len(calls))
	for i, c := range calls {
		th := p.Trace(s).Threads[c.thread]
		start, end := th.Start(c.call), th.End(c.call)
		out[i] = w.From <= w.To && start <= w.To && end >= w.From && end-start >= w.Least
	}
	return out
}

// TestWindowsOfWideThreads checks that nextCall, which skips short calls by the pyramid of maxima,
// skips no call of the window.
func TestWindowsOfWideThreads(t *testing.T) {
	g := simulated(t, 20_000)
	for k, th := range g.Sides[pair.A].Threads {
		_, end := th.Span()
		for _, w := range []Window{
			{From: 0, To: end, Least: end / 50}, {From: end / 3, To: end / 2, Least: end / 500},
			{From: end / 3, To: end / 3, Least: 1}, Everything,
		} {
			v := w.viewOf(th)
			i := v.nextCall(0)
			for j := range th.Len() {
				if th.Start(j) > w.To || th.End(j) < w.From || th.Dur(j) < w.Least {
					continue
				}
				if i != j {
					t.Fatalf("thread %d, %v: call %d, want %d", k, w, i, j)
				}
				i = v.nextCall(i + 1)
			}
			if i != th.Len() {
				t.Errorf("thread %d, %v: call %d is not in it", k, w, i)
			}
		}
	}
}
