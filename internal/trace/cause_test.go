package trace

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// awaitsName has functions whose name begins with "wait" count as calls that wait.
func awaitsName(f *Function) bool { return strings.HasPrefix(f.Name, "wait") }

// TestFlowsThatWait holds which flows end a wait: they come from another thread, and end a call
// that waits since before they began, or an idle gap.
func TestFlowsThatWait(t *testing.T) {
	type flow struct {
		at, until int64
		next      bool
	}
	for _, c := range []struct {
		name  string
		calls string // of the receiving thread: function start end
		flow  flow
		same  bool // it begins on the receiving thread
		want  string
	}{
		{"work that was caused is no wait", "task 0 60", flow{35, 40, false}, false, ""},
		{"a task that was queued while the thread was busy", "task 0 38,task 40 60",
			flow{35, 40, false}, false, ""},
		{"it ends an idle gap", "task 0 30,task 40 60", flow{35, 40, false}, false, "1 idle 10"},
		{"at the very begin of the gap", "task 0 35,task 40 60", flow{35, 40, false}, false, "1 idle 5"},
		{"at the very end of the gap", "task 0 30,task 35 60", flow{35, 35, false}, false, "1 idle 5"},
		{"in the first call of the task", "task 0 30,task 40 60,run 40 60,run 42 60",
			flow{35, 43, false}, false, "1 idle 10"},
		{"in a later call of the task", "task 0 30,task 40 60,run 41 42,run 43 60",
			flow{35, 44, false}, false, ""},
		{"before the first task there is no gap", "task 40 60", flow{35, 40, false}, false, ""},
		{"a gap that the thread ended itself", "task 0 36,task 40 60", flow{36, 40, false}, true, ""},
		{"it goes to the next task", "task 0 30,task 40 60", flow{33, 34, true}, false, "1 idle 10"},
		{"it ends a call that waits", "task 0 60,wait 10 50", flow{35, 45, false}, false, "1"},
		{"a call that waits and began with it", "task 0 60,wait 35 50", flow{35, 45, false}, false, ""},
		{"a call that waits for its own thread", "task 0 60,wait 10 50", flow{35, 45, false}, true, ""},
		{"another lane was busy", "task 0 30,task 40 60,task 20 38", flow{35, 40, false}, false, ""},
		{"another lane was idle too", "task 0 30,task 40 60,task 20 33", flow{35, 40, false}, false,
			"1 idle 7"},
	} {
		b := NewBuilder("test")
		b.Awaits(awaitsName)
		x, y := b.Thread("x", -1), b.Thread("y", -1)
		x.Complete(0, 100, b.Function(Function{Name: "post"}))
		for call := range strings.SplitSeq(c.calls, ",") {
			var name string
			var start, end int64
			if _, err := fmt.Sscan(call, &name, &start, &end); err != nil {
				t.Fatal(err)
			}
			y.Complete(start, end, b.Function(Function{Name: name}))
		}
		from := x
		if c.same {
			from = y
		}
		b.Flow(Moment{Thread: from, At: c.flow.at},
			Moment{Thread: y, At: c.flow.until, Next: c.flow.next})
		tr := mustBuild(t, b)
		got := ""
		for _, w := range tr.Correspondences {
			if got = fmt.Sprint(w.Wait.Call); w.Idle > 0 {
				got += fmt.Sprintf(" idle %d", w.Idle)
			}
			if w.At != c.flow.at || tr.Threads[w.Release.Thread].ID != "x" {
				t.Errorf("%s: released by %v at %d", c.name, w.Release, w.At)
			}
		}
		if got != c.want {
			t.Errorf("%s: wait %q, want %q", c.name, got, c.want)
		}
		marks := 0
		for _, th := range tr.Threads {
			for _, k := range th.Blocks {
				marks += int(k.Kind)
			}
		}
		want := int(Wait+Release) * len(tr.Correspondences)
		if strings.Contains(c.want, "idle") {
			want = int(Release) // a gap is no call to mark
		}
		if len(tr.Links) != 1 || marks != want {
			t.Errorf("%s: %d links, marks %d, want 1, %d", c.name, len(tr.Links), marks, want)
		}
	}
}

// TestFlowsMarkOnce: a call that several flows reach or leave waits and releases once, and a flow
// that names its calls is not looked up.
func TestFlowsMarkOnce(t *testing.T) {
	b := NewBuilder("test")
	b.Awaits(awaitsName)
	wait := b.Function(Function{Name: "wait"})
	x, y := b.Thread("x", -1), b.Thread("y", -1)
	at := func(th *ThreadBuilder, at int64) Moment { return Moment{Thread: th, At: at} }
	first := x.Complete(0, 10, wait)
	second := y.Complete(5, 20, wait)
	x.Complete(20, 30, wait)
	b.Flow(at(x, 7), at(y, 8))
	b.Flow(at(x, 9), at(y, 9))
	named := Moment{Thread: y, At: 6, Call: second}
	b.Flow(named, Moment{Thread: x, At: 25, Call: first})
	tr, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t0, t1 := tr.Threads[0], tr.Threads[1]
	got := fmt.Sprint(t0.plainBlocks(t0.Blocks), t1.plainBlocks(t1.Blocks))
	if want := "[{0 wait []} {0 release []}] [{0 wait []} {0 release []}]"; got != want {
		t.Errorf("marked %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(tr.Links), "[{{1 0} {0 0} 6 25 false} {{0 0} {1 0} 7 8 false} {{0 0} {1 0} 9 9 false}]"; got != want {
		t.Errorf("links %s, want %s", got, want)
	}
}

// TestGapBefore holds the gap before a task against the definition: the time since the last moment
// at which any call ran, on all lanes; none if a call runs across the task's start or the call is
// not the first of each of its callers.
func TestGapBefore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, th := newTestBuilder()
		feed(th, someSteps(t, mixtures["mixed"]))
		mustBuild(t, b)
		for _, lane := range th.lanes {
			for call := range lane.Len() {
				root, first := call, true
				for lane.Parent(root) >= 0 {
					first = first && int(lane.Parent(root)) == root-1
					root = int(lane.Parent(root))
				}
				want := int64(-1)
				for l, other := range th.lanes {
					for i := range other.Len() {
						before := other.Start(i) < lane.Start(root) ||
							th.lanes[l] == lane && i < root
						if before && lane.Parent(root) < 0 && !within(other, i, lane, root) {
							gap := max(lane.Start(root)-other.End(i), 0)
							if want < 0 || gap < want {
								want = gap
							}
						}
					}
				}
				if !first {
					want = 0
				}
				if _, got := th.gapBefore(lane, call); got != max(want, 0) {
					t.Fatalf("gap before call %d of %v: %d, want %d", call, lane, got, want)
				}
			}
		}
	})
}

// within reports whether call i of one lane lies in the subtree of a root of the same lane.
func within(th *Thread, i int, lane *Thread, root int) bool {
	return th == lane && i >= root && i < lane.Next(root)
}
