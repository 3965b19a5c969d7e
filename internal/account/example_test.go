package account

import (
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// TestBusiestIsThatOfEveryNanosecond holds what a thread spends most time in against the innermost
// calls of every single ns.
func TestBusiestIsThatOfEveryNanosecond(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := shape.Draw(t, "trace")
		p := pair.New(tr, tr, pair.Rules{})
		th := tr.Threads[0]
		from := rapid.Int64Range(0, tr.Duration+3).Draw(t, "from")
		to := from + rapid.Int64Range(0, 40).Draw(t, "length")
		sums := map[uint32]int64{}
		for now := from; now < to; now++ {
			id := None
			for i := range th.Fn {
				if th.Start(i) <= now && now < th.End(i) {
					id = p.IDA[th.Fn[i]] // a later one lies within those before
				}
			}
			sums[id]++
		}
		fn, ns := (&side{ids: p.IDA, trace: tr}).busiest(th, from, to)
		most := int64(0)
		for _, sum := range sums {
			most = max(most, sum)
		}
		if ns != most || to > from && sums[fn] != most {
			t.Fatalf("%d is busiest for %d ns of %v in [%d, %d)", fn, ns, sums, from, to)
		}
	})
}

// TestExampleFollowsTheChain holds the longest wait of a change and who held it up: main joins one,
// which waits for a lock that two holds while it works.
func TestExampleFollowsTheChain(t *testing.T) {
	build := func(job int64) *trace.Trace {
		b := trace.NewBuilder("test")
		fn := func(name string) trace.FuncID { return b.Function(trace.Function{Name: name}) }
		m, ended := b.Object("m"), b.Object("one")
		two := b.Thread("two", -1)
		two.Complete(0, job, fn("job"))
		two.Block(two.Complete(job, job, fn("pthread_mutex_unlock")), trace.Release, m)
		one := b.Thread("one", -1)
		one.Block(one.Complete(1, job+1, fn("pthread_mutex_lock")), trace.Wait, m)
		one.Block(one.Complete(job+5, job+6, fn("exit")), trace.Release, ended)
		main := b.Thread("main", -1)
		main.Block(main.Complete(2, job+5, fn("pthread_join")), trace.Wait, ended)
		return testtrace.Build(t, b)
	}
	x := balanceOf(t, build(100), build(900), Options{})
	for _, w := range x.WaitChanges(anyChange) {
		e, ok := x.Example(&w, 4)
		links := map[string]int{"pthread_join": 2, "pthread_mutex_lock": 1}[x.Pair.Names[w.Function]]
		if !ok || e.Side != pair.B || len(e.Chain) != links {
			t.Errorf("%s: %+v, %v; want %d links", x.Pair.Names[w.Function], e, ok, links)
		}
		if x.Pair.B.Threads[e.Thread].Name != "two" || x.Pair.Names[e.Function] != "job" || e.Ns < 890 {
			t.Errorf("%s: %+v, want job on two", x.Pair.Names[w.Function], e)
		}
		if _, ok := x.Example(&w, 1); ok != (links == 1) {
			t.Errorf("%s: told by one link: %v", x.Pair.Names[w.Function], ok)
		}
	}
}

// TestExampleGoesOnlyByMostOfTheTime: a worker that main waits for works, but for two short waits for
// another worker, which waits for it in turn. The cause is the worker's own work.
func TestExampleGoesOnlyByMostOfTheTime(t *testing.T) {
	build := func(job int64) *trace.Trace {
		b := trace.NewBuilder("test")
		fn := func(name string) trace.FuncID { return b.Function(trace.Function{Name: name}) }
		m, ended := b.Object("m"), b.Object("worker")
		other := b.Thread("other", -1)
		other.Block(other.Complete(20, 30, fn("pthread_mutex_unlock")), trace.Release, m)
		worker := b.Thread("worker", -1)
		worker.Complete(0, job, fn("job"))
		worker.Block(worker.Complete(10, 30, fn("pthread_mutex_lock")), trace.Wait, m)
		worker.Block(worker.Complete(job, job+1, fn("exit")), trace.Release, ended)
		main := b.Thread("main", -1)
		main.Block(main.Complete(2, job+1, fn("pthread_join")), trace.Wait, ended)
		return testtrace.Build(t, b)
	}
	x := balanceOf(t, build(100), build(900), Options{})
	told := false
	for _, w := range x.WaitChanges(anyChange) {
		if x.Pair.Names[w.Function] != "pthread_join" {
			continue
		}
		e, ok := x.Example(&w, 4)
		told = true
		if !ok || len(e.Chain) != 1 || x.Pair.B.Threads[e.Thread].Name != "worker" || x.Pair.Names[e.Function] != "job" {
			t.Errorf("%+v, %v; want job on worker", e, ok)
		}
	}
	if !told {
		t.Error("main does not wait longer")
	}
}

// TestSleepersLackNoProcessor holds that a thread which others wait for is in the call that waits,
// if it is off the processor there.
func TestSleepersLackNoProcessor(t *testing.T) {
	for name, marked := range map[string]bool{"usleep": true, "linux:schedule": false} {
		b := trace.NewBuilder("test")
		th := b.Thread("worker", -1)
		ref := th.Complete(0, 100, b.Function(trace.Function{Name: "usleep"}))
		if marked {
			th.Block(ref, trace.Wait)
		}
		th.Complete(5, 95, b.Function(trace.Function{Name: "linux:schedule", Kind: trace.Event, Off: trace.Switched}))
		tr := testtrace.Build(t, b)
		p := pair.New(tr, tr, pair.Rules{})
		fn, ns := (&side{ids: p.IDA, trace: tr}).busiest(tr.Threads[0], 0, 100)
		if p.Names[fn] != name || ns < 90 {
			t.Errorf("is in %s for %d ns, want %s", p.Names[fn], ns, name)
		}
	}
}

// TestLongestWaitIsOfWhatCounts holds that it is no wait of a thread of the runtime, nor one in
// another wait.
func TestLongestWaitIsOfWhatCounts(t *testing.T) {
	b := trace.NewBuilder("test")
	lock, m := b.Function(trace.Function{Name: "lock"}), b.Object("m")
	gc := b.Thread("gc", -1)
	gc.SetKind(trace.Runtime)
	gc.Block(gc.Complete(0, 100, lock), trace.Wait, m)
	th := b.Thread("main", -1)
	th.Block(th.Complete(0, 50, b.Function(trace.Function{Name: "condition"})), trace.Wait, m)
	th.Block(th.Complete(5, 45, lock), trace.Wait, m)
	th.Block(th.Complete(60, 70, lock), trace.Wait, m)
	tr := testtrace.Build(t, b)
	x := balanceOf(t, tr, tr, Options{})
	for _, w := range x.WaitChanges(anyChange) {
		if x.Pair.Names[w.Function] != "lock" {
			continue
		}
		k := x.Longest(&w)[pair.A]
		if ns := x.Waits[pair.A].Waits.Dur(k); ns != 10 {
			t.Errorf("the longest wait takes %d ns, want 10", ns)
		}
		return
	}
	t.Error("no change of lock")
}
