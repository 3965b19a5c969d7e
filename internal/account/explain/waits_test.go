package explain

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"diptych/internal/account"
	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// TestWhatCallsWaitInIsNamed holds that a sentence about calls that mostly wait says in what.
func TestWhatCallsWaitInIsNamed(t *testing.T) {
	build := func(retries int) *trace.Trace {
		s := newSwitching()
		s.call("main", 1000, func() {
			for k := range 40 {
				s.call("send", 10_000)
				if k < retries {
					s.call("backoff", 100, func() { s.call("usleep", 300_000) })
				}
			}
		})
		return testtrace.Build(t, s.b)
	}
	d := differenceOf(t, build(0), build(20))
	holdsAccount(t, d)
	want := "backoff is new in B: 20 calls, +6.00 ms including callees, called by main, most of it waiting in usleep."
	if f := find(t, d, "backoff is new"); f.Text != want {
		t.Errorf("%q, want %q", f.Text, want)
	}
}

// TestTheOneLongWaitIsTold holds that a state of which one stay makes almost all of the change says
// so, and where that is: one request of a hundred that takes much longer.
func TestTheOneLongWaitIsTold(t *testing.T) {
	build := func(slow int, extra int64) *trace.Trace {
		b := trace.NewBuilder("test")
		th, now := b.Thread("main", -1), int64(0)
		fn := func(name string, kind trace.FuncKind) trace.FuncID {
			return b.Function(trace.Function{Name: name, Kind: kind})
		}
		th.Begin(0, fn("serve", 0))
		for k := range 100 {
			ns := int64(200_000)
			if k == slow {
				ns += extra
			}
			th.Begin(now, fn("query", 0))
			th.Begin(now+1000, fn("sleep", 0))
			th.Block(th.Complete(now+2000, now+2000+ns, fn("blocked: sleep", trace.State)), trace.Wait)
			now += 3000 + ns
			th.End(now)
			th.End(now)
		}
		th.End(now)
		return testtrace.Build(t, b)
	}
	for _, c := range []struct {
		extra int64
		want  string
	}{{30e6, "\"blocked: sleep\", nearly all of it in one wait of 30.2 ms in B, in sleep called by query: "}, {0, ""}} {
		d := differenceOf(t, build(-1, 0), build(63, c.extra))
		holdsAccount(t, d)
		told := fmt.Sprint(d.Findings)
		if c.want == "" && strings.Contains(told, "one wait of") || !strings.Contains(told, c.want) {
			t.Errorf("no %q: %s", c.want, told)
		}
	}
}

// TestSplitLocksAreTold holds that a sentence says for how many objects a caller waits, if a lock
// was split.
func TestSplitLocksAreTold(t *testing.T) {
	build := func(locks int, wait int64) *trace.Trace {
		b := trace.NewBuilder("test")
		for w := range 2 {
			th, now := b.Thread(fmt.Sprint(w), -1), int64(0)
			th.SetName("worker")
			th.Begin(0, b.Function(trace.Function{Name: "record"}))
			for k := range 200 {
				lock := b.Object(fmt.Sprint("0x", k%locks))
				ref := th.Complete(now, now+wait, b.Function(trace.Function{Name: "pthread_mutex_lock"}))
				th.Block(ref, trace.Wait, lock)
				now += wait + 5000
			}
			th.End(now)
		}
		return testtrace.Build(t, b)
	}
	d := differenceOf(t, build(1, 40_000), build(8, 200))
	holdsAccount(t, d)
	if told := fmt.Sprint(d.Findings); !strings.Contains(told, " called by record (on 8 of them instead of 1): ") {
		t.Errorf("%s", told)
	}
}

// TestJoinsAreOneWait holds that waits for the ends of several threads are told together, without
// the addresses by which the threads are joined: A's and B's say nothing of each other.
func TestJoinsAreOneWait(t *testing.T) {
	build := func(first int, waits ...int64) *trace.Trace {
		b := trace.NewBuilder("test")
		th, now := b.Thread("main", -1), int64(0)
		th.Begin(0, b.Function(trace.Function{Name: "stage"}))
		for k, ns := range slices.Repeat(waits, 4) {
			ref := th.Complete(now, now+ns, b.Function(trace.Function{Name: "pthread_join"}))
			th.Block(ref, trace.Wait, b.Object(fmt.Sprint("0x", first+k%len(waits))))
			now += ns + 1000
		}
		th.End(now)
		return testtrace.Build(t, b)
	}
	d := differenceOf(t, build(10, 9000, 1000, 2000), build(70, 1000, 19_000, 2000))
	holdsAccount(t, d)
	holdsClaims(t, d)
	want := "Threads wait 40.0 µs longer in pthread_join called by stage: 88.0 µs instead of 48.0 µs over all threads, in 12 calls"
	find(t, d, want)
	if told := fmt.Sprint(d.Findings); strings.Contains(told, "thread 0x") || strings.Count(told, "{wait ") != 1 {
		t.Errorf("%s", told)
	}
}

// TestWaitsOnTheCriticalPath holds that a change of the elapsed time is called one only if waiting
// that changed may have made it.
func TestWaitsOnTheCriticalPath(t *testing.T) {
	tr := testtrace.Script(t, "step", 10.)
	a := &attribution{p: pair.New(tr, tr, pair.Rules{}), b: &account.Balance{Elapsed: [2]int64{100e6, 101e6}}}
	for _, c := range []struct {
		waits, elapsed int64
		want           string
	}{
		{10e6, 8e6, "; +8.00 ms of the elapsed time"},
		{-10e6, -19e6, "; −19.0 ms of the elapsed time"},
		{10e6, 30e6, "; 30.0 ms more of it lies on the critical path"},
		{10e6, -2e6, "; 2.00 ms less of it lies on the critical path"},
		{1000, -9e6, "; −9.00 ms of the elapsed time"}, // as long as in A, more of it at the same time
		{10e6, 0, ""},
	} {
		w := &account.WaitChange{Ns: [2]int64{50e6, 50e6 + c.waits}, Own: account.Delta{ElapsedNs: c.elapsed}}
		if got := a.elapsedWords(w); got != c.want {
			t.Errorf("%d longer: %q, want %q", c.waits, got, c.want)
		}
	}
}
