package wait

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"diptych/internal/trace"
	"diptych/internal/traceio/text/texttest"
)

// gapped is a worker that is idle from 30 to 40, until the main thread posts a task at 35, and from
// 60 to 70, of which nothing is known; its second task is itself a wait.
const gapped = `
thread main
  0+100 main
    35+1 post release
thread worker
  0+30 task
  40+20 flush wait=f
  70+10 task
correspond worker:1 main:1 at=35 idle=10`

// TestGaps holds that an idle gap that something ended is a wait: it has a time of its own, ends by
// its release, counts in totals, and the critical path follows it.
func TestGaps(t *testing.T) {
	a := mustFind(t, texttest.Parse(t, gapped))
	if got := strings.Join(endings(a), "; "); got != "worker@30 stated by main@35; worker@40 passed f" {
		t.Errorf("waits are %s", got)
	}
	call := trace.CallRef{Thread: 1, Call: 1}
	if gap, wait := a.Waits.FindGap(call), a.Waits.Find(call); gap != 0 || wait != 1 {
		t.Errorf("the gap is wait %d, the call after it wait %d", gap, wait)
	}
	task := trace.CallRef{Thread: 1, Call: 2}
	if a.Waits.Find(task) >= 0 || a.Waits.FindGap(task) >= 0 || a.Waits.FindGap(trace.CallRef{}) >= 0 {
		t.Error("what is no wait is found as one")
	}
	if sum := a.Threads[1]; sum.WaitNs != 30 || sum.GapNs != 10 || sum.Waits != 2 || sum.Released != 1 {
		t.Errorf("the worker's totals are %+v", sum)
	}
	if got := fmt.Sprint(a.Pairs); got != "[{1 0 1 10}]" {
		t.Errorf("pairs %s", got)
	}
	if ns := a.Spent(1, 1, trace.Wait); ns != 20 {
		t.Errorf("the call after the gap waits %d ns", ns)
	}
	states, err := a.FindStates(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := states.Of(1).Within(25, 45), [NumStates]int64{Running: 5, Blocked: 15}; got != want {
		t.Errorf("the worker's states around the gap are %v, want %v", got, want)
	}
}

// TestTaskAfterGapIsNoWait holds that a call that ended a gap is not taken for the next wait of its
// thread.
func TestTaskAfterGapIsNoWait(t *testing.T) {
	a := mustFind(t, texttest.Parse(t, strings.NewReplacer("flush wait=f", "task",
		"70+10 task", "70+10 flush wait=f").Replace(gapped)))
	task := trace.CallRef{Thread: 1, Call: 1}
	if gap, wait := a.Waits.FindGap(task), a.Waits.Find(task); gap != 0 || wait != -1 {
		t.Errorf("the gap is wait %d, the task after it wait %d", gap, wait)
	}
}

func TestPathFollowsGaps(t *testing.T) {
	a := mustFind(t, texttest.Parse(t, strings.Replace(gapped, "0+100 main", "0+50 main", 1)))
	p, err := a.CriticalPath(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range p.Segments {
		got = append(got, fmt.Sprintf("%s %d-%d", a.Trace.Threads[s.Thread].ID, s.From, s.To))
	}
	if got := strings.Join(got, "; "); got != "main 0-35; worker 35-80" {
		t.Errorf("path %s", got)
	}
}

// TestPreempted holds that time without a processor belongs to the wait or the input that it lies
// in, and elsewhere is a sum of its own.
func TestPreempted(t *testing.T) {
	a := mustFind(t, texttest.Parse(t, `
func linux:schedule kind=event off=switched
func runnable kind=state off=ready
thread a
  0+100 main
    5+10 linux:schedule
    20+20 lock wait=m
      22+16 linux:schedule
    50+10 read io=f
      51+1 linux:schedule
    60+10 unlock release=m
      61+3 linux:schedule
    80+4 runnable
  110+7 runnable`))
	if sum := a.Threads[0]; sum.OffCPUNs != 10+3+4+7 || sum.WaitNs != 20 || sum.IONs != 10 {
		t.Errorf("totals %+v", sum)
	}
}

// TestRuntimeIsLeftOut holds that the runtime's threads count in no total but their own, unless that
// is asked for; and that a thread of the program that they let go on has waited for them.
func TestRuntimeIsLeftOut(t *testing.T) {
	tr := texttest.Parse(t, `
thread 1 name=main
  0+80 main
    10+20 recv wait=c
thread 2 name=bgsweep runtime
  0+90 runtime.bgsweep
    5+30 blocked wait=c
    40+50 blocked wait flags=unclosed
thread 3 name=gc runtime
  0+90 runtime.gc
    20+0 unblock release=c`)
	for _, all := range []bool{false, true} {
		find, want := Find, "1 correspondences, 1 ended, 0 unreleased, edges [{0 2 0 1 20}], "+
			"object waited for by 1 for 20, released by 0; path ends at 80"
		if all {
			find, want = FindAll, "2 correspondences, 2 ended, 1 unreleased, "+
				"edges [{1 -1 4294967295 1 50} {1 2 0 1 30} {0 2 0 1 20}], "+
				"object waited for by 2 for 50, released by 1; path ends at 90"
		}
		a, err := find(context.Background(), tr, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := a.CriticalPath(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		o := a.Objects[0]
		got := fmt.Sprintf("%d correspondences, %d ended, %d unreleased, edges %v, "+
			"object waited for by %d for %d, released by %d; path ends at %d", a.Correspondences, a.Ended,
			len(a.Unreleased), a.Edges, o.Waiters, o.WaitNs, o.Releasers,
			p.Segments[len(p.Segments)-1].To)
		if got != want {
			t.Errorf("all %v: %s, want %s", all, got, want)
		}
		if want := [2]uint64{1, 0}[len(a.Unreleased)]; a.EndedAside != want {
			t.Errorf("all %v: %d waits of the runtime ended, want %d", all, a.EndedAside, want)
		}
		if a.Threads[1].WaitNs != 80 || a.Threads[1].Unreleased != 1 {
			t.Errorf("the thread's own totals are %+v", a.Threads[1])
		}
	}
}

// TestProcessesEnd holds what ends a wait for a process: its exit, or the end of its last thread.
func TestProcessesEnd(t *testing.T) {
	for _, c := range []struct{ name, child, wait, want string }{
		{"its exit", "process=2\n  5+60 main\n    40+20 _exit release=\"process 2\"",
			`30+50 waitpid wait="process 2"`, `p@30 released by c@40 "process 2"`},
		{"its last event", "process=2\n  5+60 main", `30+50 waitpid wait="process 2"`,
			`p@30 joined by c@65 "process 2"`},
		{"an exit that had begun", "process=2\n  5+20 main flags=unclosed\n    25+0 _exit flags=unclosed",
			`30+50 waitpid wait="process 2"`, `p@30 joined by c@80 "process 2"`},
		{"one that ends as the wait begins", "process=2\n  5+25 main", `30+50 waitpid wait="process 2"`,
			`p@30 joined by c@30 "process 2"`},
		{"not one that was over", "process=2\n  5+20 main", `30+50 waitpid wait="process 2"`,
			`p@30 passed "process 2"`},
		{"whichever ends, if none is named", "process=2\n  5+60 main", "30+50 wait wait",
			"p@30 joined by c@65"},
		{"not another one", "process=2\n  5+60 main", `30+50 waitpid wait="process 3"`,
			`p@30 passed "process 3"`},
		{"not another's child", "process=3\n  5+60 main", "30+50 wait wait", "p@30 passed"},
		{"not a thread of its own", "process=1\n  5+60 main", "30+50 wait wait", "p@30 passed"},
	} {
		a := mustFind(t, texttest.Parse(t, fmt.Sprintf("trace test\nprocess 1\nprocess 2 parent=1\n"+
			"process 3 parent=9\nthread p process=1\n  0+100 main\n    %s\nthread c %s", c.wait, c.child)))
		got := strings.Join(endings(a), "; ")
		if want := strings.ReplaceAll(c.want, `"`, ""); got != want {
			t.Errorf("%s: %s, want %s", c.name, got, want)
		}
	}
}

// TestForksStartProcesses holds that the critical path goes from a child's first call to its parent.
func TestForksStartProcesses(t *testing.T) {
	for fork, want := range map[string]string{
		"fork": "p 0-20; c 20-100", "forked": "c 20-100", "fork@plt": "p 0-20; c 20-100"} {
		a := mustFind(t, texttest.Parse(t, fmt.Sprintf("trace test\nprocess 1\nprocess 2 parent=1\n"+
			"process 3\nthread p process=1\n  0+50 main\n    10+5 %s\nthread q process=3\n  0+12 main\n"+
			"    11+1 fork\nthread c process=2\n  20+80 main", fork)))
		p, err := a.CriticalPath(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range p.Segments {
			got = append(got, fmt.Sprintf("%s %d-%d", a.Trace.Threads[s.Thread].ID, s.From, s.To))
		}
		if got := strings.Join(got, "; "); got != want {
			t.Errorf("%s: %s, want %s", fork, got, want)
		}
	}
}

// TestConditionsReleaseTheirMutex: a lock that was free only because its owner began to wait for a
// condition was released by that wait.
func TestConditionsReleaseTheirMutex(t *testing.T) {
	a := mustFind(t, texttest.Parse(t, `
thread a
  0+5 pthread_mutex_lock wait=m
  10+50 pthread_cond_wait wait=c,m release=m
thread b
  3+8 pthread_mutex_lock wait=m
  20+1 pthread_cond_signal release=c
  30+1 pthread_mutex_unlock release=m`))
	want := "a@0 passed m; a@10 released by b@30 c; b@3 released by a@10 m"
	if got := strings.Join(endings(a), "; "); got != want {
		t.Errorf("waits are %s, want %s", got, want)
	}
}
