package wait

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/trace"
	"diptych/internal/traceio/text/texttest"
)

// relay is a waiting for b, who waits for c, who sleeps; a timer wakes d.
const relay = `
thread a
  0+100 main
    2+1 pthread_create
    10+80 lock wait=m
thread b
  5+95 work
    20+40 lock wait=n
    80+1 unlock release=m
thread c
  7+93 work
    30+10 nanosleep wait
    50+1 unlock release=n
thread d
  0+9 sleep wait
thread timer
  8+0 unblock release
correspond d:0 timer:0 at=8`

func TestChain(t *testing.T) {
	a := mustFind(t, texttest.Parse(t, relay))
	w := a.Waits.Find(trace.CallRef{Thread: 0, Call: 2})
	want := []Link{{w, 10, 80}, {w + 2, 20, 50}, {w + 3, 30, 40}}
	for most := 1; most < 5; most++ {
		if got := a.Chain(w, most); !slices.Equal(got, want[:min(most, len(want))]) {
			t.Errorf("at most %d links: chain %v, want %v", most, got, want)
		}
	}
}

// TestChainOfEquals: of two waits that are equally long, a chain goes on with the later one.
func TestChainOfEquals(t *testing.T) {
	a := mustFind(t, texttest.Parse(t, `
thread a
  10+70 lock wait=m
thread b
  20+10 lock wait=n
  40+10 lock wait=o
  79+1 unlock release=m`))
	want := []Link{{0, 10, 79}, {2, 40, 50}}
	if got := a.Chain(0, 9); !slices.Equal(got, want) {
		t.Errorf("chain %v, want %v", got, want)
	}
}

func TestCriticalPath(t *testing.T) {
	for _, c := range []struct{ name, trace, want string }{
		{"through releases, back to who started the thread", relay,
			"a 0-7; c 7-50 waits 10; b 50-80; a 80-100"},
		{"a release after the path has left stays without effect", `
thread a
  0+100 main
    10+50 lock wait=m
thread b
  0+80 work
    20+50 lock wait=n
      40+1 unlock release=m
thread c
  0+90 work
    65+1 unlock release=n`, "b 0-40 waits 20; a 40-100"},
		{"a release stated for later than the wait it ended", `
thread a
  0+100 main
    10+50 recv wait
thread b
  0+90 work
    70+1 send release
correspond a:1 b:1 at=70`, "a 0-100 waits 50"},
		{"started by the last that started one before", `
thread a
  0+30 main
    3+1 pthread_create
thread b
  5+95 work
thread c
  1+40 other
    8+1 pthread_create`, "a 0-5; b 5-100"},
		{"a timer", `
thread a
  0+100 main
    10+50 sleep wait
thread timer
  60+0 unblock release
correspond a:1 timer:0 at=60`, "a 0-100 waits 50"},
		{"a thread of the runtime wakes another, and then waits for work", `
thread a
  0+100 main
    10+50 lock wait
thread gc runtime
  0+100 mark
    5+50 idle wait
    60+1 ready release
correspond a:1 gc:2 at=60`, "a 0-100 waits 50"},
		{"who waits for a thread started it, where no call tells", `
thread a
  0+100 main
    50+40 recv wait
thread b
  20+70 work
    85+1 send release
correspond a:1 b:1 at=85`, "a 0-20; b 20-85; a 85-100"},
		{"of those that end last one that was not left waiting", `
thread a
  0+100 lock wait=m flags=unclosed
thread b
  1+99 work`, "b 1-100"},
		{"the first of those that are all left waiting", `
thread a
  0+100 lock wait=m flags=unclosed
thread b
  0+100 lock wait=m flags=unclosed`, "a 0-100 waits 100"},
		{"started by a call that begins at the same time", `
thread a
  0+30 main
    5+1 pthread_create
thread b
  5+95 work`, "a 0-5; b 5-100"},
		{"a further lane belongs to its thread", `
thread a
  0+50 main
thread a.2 lane=1
  40+60 finalize
thread b
  10+20 work`, "a 0-40; a.2 40-100"},
		{"nothing", "thread a", ""},
	} {
		a := mustFind(t, texttest.Parse(t, c.trace))
		p, err := a.CriticalPath(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range p.Segments {
			line := fmt.Sprintf("%s %d-%d", a.Trace.Threads[s.Thread].ID, s.From, s.To)
			if s.WaitNs > 0 {
				line += fmt.Sprint(" waits ", s.WaitNs)
			}
			got = append(got, line)
		}
		if got := strings.Join(got, "; "); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestPathIsOneLine holds that the critical path is one line through time that ends where the trace
// does, but for the runtime's threads.
func TestPathIsOneLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := someTrace(t)
		a := mustFind(t, tr)
		p, err := a.CriticalPath(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Segments) == 0 {
			for n, th := range tr.Threads {
				if th.Len() > 0 && a.Counts(n) {
					t.Fatal("no path")
				}
			}
			return
		}
		sum, end := int64(0), int64(0)
		for i, s := range p.Segments {
			if s.From > s.To || i > 0 && s.From != p.Segments[i-1].To {
				t.Fatalf("segment %d: %+v after %+v", i, s, p.Segments[i-1])
			}
			if s.WaitNs < 0 || s.WaitNs > s.To-s.From {
				t.Fatalf("segment %d: %+v", i, s)
			}
			sum += s.To - s.From
		}
		for n, th := range tr.Threads {
			if _, e := th.Span(); a.Counts(n) {
				end = max(end, e)
			}
		}
		if last := p.Segments[len(p.Segments)-1]; last.To != end || sum != p.Ns {
			t.Fatalf("path ends at %d, trace at %d; %d ns of %d", last.To, end, p.Ns, sum)
		}
	})
}

// TestChainStays holds that a chain stays within the time it explains and ends.
func TestChainStays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := mustFind(t, someTrace(t))
		for w := range a.Waits.Len() {
			chain := a.Chain(w, a.Waits.Len())
			if len(chain) == 0 || chain[0].Wait != w {
				t.Fatalf("chain of %d: %v", w, chain)
			}
			for i, l := range chain[1:] {
				before := chain[i]
				if l.From < before.From || l.To > before.To || l.From > l.To ||
					a.Waits.Thread[l.Wait] != a.Waits.By[before.Wait].Thread {
					t.Fatalf("chain of %d: %v", w, chain)
				}
			}
		}
	})
}
