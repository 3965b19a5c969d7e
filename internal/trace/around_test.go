package trace

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// TestMoments binds a flow to calls of a thread with two lanes: the one it comes from, the one it
// arrives in and, with Next, the one it arrives before. A call is shown as lane:index.
func TestMoments(t *testing.T) {
	const none = "-"
	spans := [][2]int64{{10, 50}, {20, 30}, {30, 40}, {45, 60}, {45, 47}, {70, 70}, {80, 90}}
	// lane 0: [10,50) [20,30) [30,40) [45,47) [70,70) [80,90)   lane 1: [45,60)
	for _, c := range []struct {
		at             int64
		from, to, next string
	}{
		{0, none, none, "0:0"},
		{10, "0:0", "0:0", "0:0"},
		{15, "0:0", "0:0", "0:1"},
		{20, "0:0", "0:1", "0:1"},
		{30, "0:1", "0:2", "0:2"}, // one ends, one starts
		{40, "0:2", "0:2", "0:3"},
		{45, "1:0", "0:3", "0:3"}, // two start: the first lane's
		{46, "0:3", "0:3", "0:4"},
		{50, "0:0", "1:0", "0:4"},
		{55, "1:0", "1:0", "0:4"},
		{65, none, none, "0:4"},
		{70, "0:4", "0:4", "0:4"}, // no length
		{71, none, none, "0:5"},
		{81, "0:5", "0:5", none},
		{95, none, none, none},
	} {
		got := map[string]string{}
		for _, end := range []string{"from", "to", "next"} {
			b, th := newTestBuilder()
			for _, s := range spans {
				th.Complete(s[0], s[1], 0)
			}
			other := b.Thread("other", -1)
			other.Complete(0, 100, 1)
			here, there := Moment{Thread: th, At: c.at, Next: end == "next"}, Moment{Thread: other, At: 50}
			if end == "from" {
				b.Flow(here, there)
			} else {
				b.Flow(there, here)
			}
			tr := mustBuild(t, b)
			got[end] = none
			if len(tr.Links) > 0 {
				ref := tr.Links[0].To
				if end == "from" {
					ref = tr.Links[0].From
				}
				got[end] = fmt.Sprintf("%d:%d", tr.Threads[ref.Thread].Lane, ref.Call)
			} else if d := tr.Diagnostics; d[len(d)-1].Code != UnboundFlow {
				t.Errorf("flow at %d: no link and diagnostics %v", c.at, d)
			}
		}
		want := map[string]string{"from": c.from, "to": c.to, "next": c.next}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("flow at %d: %v, want %v", c.at, got, want)
		}
	}
}

// TestNextMatchesScan holds next against a look at every call of every lane.
func TestNextMatchesScan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, th := newTestBuilder()
		feed(th, someSteps(t, mixtures["mixed"]))
		tr := mustBuild(t, b)
		for ns := int64(-2); ns < tr.Duration+2; ns++ {
			want := int64(-1)
			for _, lane := range th.lanes {
				for i := range lane.Len() {
					if start := lane.Start(i); start >= ns && (want < 0 || start < want) {
						want = start
					}
				}
			}
			lane, call := th.next(ns)
			switch {
			case (call < 0) != (want < 0):
				t.Fatalf("next(%d) = %d, want one that starts at %d", ns, call, want)
			case call >= 0 && lane.Start(int(call)) != want:
				t.Fatalf("next(%d) starts at %d, want %d", ns, lane.Start(int(call)), want)
			case call > 0 && lane.Start(int(call-1)) == want:
				t.Fatalf("next(%d) is not the outermost call that starts there", ns)
			}
		}
	})
}
