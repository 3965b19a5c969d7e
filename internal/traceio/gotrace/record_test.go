package gotrace

import (
	"bytes"
	"context"
	"iter"
	"runtime"
	"runtime/debug"
	rtrace "runtime/trace"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"diptych/internal/trace"
)

// record traces f in this process.
func record(t *testing.T, f func(context.Context)) *trace.Trace {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection may not have ended when f has
	runtime.GC()                                     // nor one that has begun
	var buf bytes.Buffer
	if err := rtrace.Start(&buf); err != nil {
		t.Fatal(err)
	}
	f(context.Background())
	rtrace.Stop()
	return load(t, buf.Bytes())
}

// find returns the only thread with a call of the named function, and that call.
func find(t *testing.T, tr *trace.Trace, name string) (*trace.Thread, int) {
	t.Helper()
	var (
		at   *trace.Thread
		call int
	)
	for _, th := range tr.Threads {
		for i := range th.Len() {
			if tr.FunctionOf(th, i).Name == name {
				if at != nil {
					t.Fatalf("more than one call of %s", name)
				}
				at, call = th, i
			}
		}
	}
	if at == nil {
		t.Fatalf("no call of %s", name)
	}
	return at, call
}

// path names the callers of a call, outermost first.
func path(tr *trace.Trace, th *trace.Thread, call int) (names []string) {
	for i := call; i >= 0; i = int(th.Parent(i)) {
		names = append([]string{tr.FunctionOf(th, i).Name}, names...)
	}
	return names
}

func receiver(in <-chan int, done *sync.WaitGroup) {
	defer done.Done()
	for range in {
	}
}

func TestChannelHandover(t *testing.T) {
	const items = 50
	tr := record(t, func(ctx context.Context) {
		in, done := make(chan int), sync.WaitGroup{}
		done.Add(1)
		go receiver(in, &done)
		rtrace.WithRegion(ctx, "feed", func() {
			for i := range items {
				in <- i
			}
		})
		close(in)
		done.Wait()
	})
	checkWaits(t, tr)
	checkLeaves(t, tr)
	feeding, feed := find(t, tr, "feed")
	const me = "diptych/internal/traceio/gotrace."
	received, sent := 0, 0
	for _, c := range tr.Correspondences {
		wait, release := tr.Threads[c.Wait.Thread], tr.Threads[c.Release.Thread]
		switch name := tr.FunctionOf(wait, int(c.Wait.Call)).Name; {
		case strings.HasPrefix(wait.Name, me+"receiver · ") && name == "blocked: chan receive":
			received++
			if release != feeding {
				t.Errorf("receiver released by %s", release.Name)
			}
			above := path(tr, wait, int(c.Wait.Call))
			if len(above) < 2 || above[0] != me+"receiver" {
				t.Errorf("receiver waits in %v", above)
			}
		case wait == feeding && name == "blocked: chan send":
			sent++
			if !strings.Contains(strings.Join(path(tr, wait, int(c.Wait.Call)), " "), " feed ") {
				t.Error("sender waits outside its region")
			}
		}
	}
	// Each item needs a wait on one side at least, but for what the scheduler had already arranged.
	if received+sent == 0 {
		t.Error("no wait on the channel")
	}
	if f := tr.FunctionOf(feeding, feed); f.Package != strings.TrimSuffix(me, ".") {
		t.Errorf("region in package %q", f.Package)
	}
}

func TestRegionsTasksLogs(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection's own region may have no end
	tr := record(t, func(ctx context.Context) {
		ctx, outer := rtrace.NewTask(ctx, "outer task")
		rtrace.WithRegion(ctx, "outer", func() {
			rtrace.Log(ctx, "colour", "blue")
			inner, task := rtrace.NewTask(ctx, "inner task")
			rtrace.WithRegion(inner, "inner", func() {})
			task.End()
		})
		outer.End()
		rtrace.StartRegion(ctx, "endless")
		_, _ = rtrace.NewTask(ctx, "endless task")
	})
	th, inner := find(t, tr, "inner")
	if names := strings.Join(path(tr, th, inner), "/"); !strings.Contains(names, "/outer/") {
		t.Errorf("inner region under %s", names)
	}
	if _, outer := find(t, tr, "outer"); th.End(inner) > th.End(outer) {
		t.Error("inner region outlasts the outer")
	}
	lane, call := find(t, tr, "inner task")
	if lane.Kind != trace.AsyncTrack || lane.Name != "inner task" || lane.Args(call) == "" {
		t.Errorf("task lane %q, kind %v, args %q", lane.Name, lane.Kind, lane.Args(call))
	}
	_, endless := find(t, tr, "endless")
	if th.Flags(endless)&trace.Unclosed == 0 || th.End(endless) != tr.Duration {
		t.Error("a region without end does not last to the end of the trace")
	}
	unclosed := uint64(0)
	for _, d := range tr.Diagnostics {
		if d.Code == trace.UnmatchedBegin {
			unclosed = d.Count
		}
	}
	if unclosed != 2 {
		t.Errorf("diagnostics %v", tr.Diagnostics)
	}
	for _, in := range th.Instants {
		if tr.Functions[in.Fn].Name == "colour: blue" {
			return
		}
	}
	t.Error("no instant for the log")
}

// TestLongRecordings: a recording that is long enough for larger batches, and for a goroutine that
// writes, has the calls that its events say.
func TestLongRecordings(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	data := recorded(t, func(done *sync.WaitGroup) {
		exchange(done, 4, 1000)
		serve(done, 200)
	})
	tr := load(t, data)
	want := ofEvents(t, data)
	if want.Unblocks < fewGiven/2 {
		t.Fatalf("only %d times was a goroutine woken", want.Unblocks)
	}
	if d := cmp.Diff(want, ofTrace(t, tr)); d != "" {
		t.Error(d)
	}
	checkWaits(t, tr)
	checkLeaves(t, tr)
}

// TestTaskOfBefore: the end of a task that is older than the recording is no fault of it. Only a task
// that ends twice is one.
func TestTaskOfBefore(t *testing.T) {
	ctx, before := rtrace.NewTask(context.Background(), "before")
	tr := record(t, func(context.Context) {
		_, within := rtrace.NewTask(ctx, "within")
		before.End()
		within.End()
		within.End()
	})
	lane, call := find(t, tr, "task")
	if lane.Kind != trace.AsyncTrack || lane.Start(call) != 0 || lane.End(call) == tr.Duration {
		t.Errorf("%s lasts from %d to %d", lane.Name, lane.Start(call), lane.End(call))
	}
	if d := tr.Diagnostics; len(d) != 1 || d[0].Code != trace.UnmatchedEnd || d[0].Count != 1 {
		t.Errorf("diagnostics %v", d)
	}
}

// TestCoroutineIsTheProgram: what iter.Pull runs is no goroutine of the runtime, although a function
// of the runtime starts it. The caller waits for it.
func TestCoroutineIsTheProgram(t *testing.T) {
	tr := record(t, func(context.Context) {
		next, stop := iter.Pull(func(yield func(int) bool) {
			rtrace.WithRegion(context.Background(), "pulled", func() { yield(1) })
		})
		next()
		next()
		stop()
	})
	checkWaits(t, tr)
	checkLeaves(t, tr)
	if th, _ := find(t, tr, "pulled"); th.Kind != trace.Ordinary {
		t.Errorf("%s is of kind %v", th.Name, th.Kind)
	}
}

// TestBesideFlightRecorder: a recording beside a flight recorder has a goroutine that is older than
// the recording, and wakes another one before any of its stacks is seen. The runtime states one frame
// without a name for that moment, which is nothing.
func TestBesideFlightRecorder(t *testing.T) {
	r := rtrace.NewFlightRecorder(rtrace.FlightRecorderConfig{})
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	defer r.Stop()
	tr := record(t, func(context.Context) {})
	checkWaits(t, tr)
	checkLeaves(t, tr)
}

// recorded returns a recording of work, which is done when all goroutines are.
func recorded(t testing.TB, work func(done *sync.WaitGroup)) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := rtrace.Start(&buf); err != nil {
		t.Fatal(err)
	}
	var done sync.WaitGroup
	work(&done)
	done.Wait()
	rtrace.Stop()
	return buf.Bytes()
}

// exchange has pairs of goroutines pass on a number to and fro.
func exchange(done *sync.WaitGroup, pairs, times int) {
	for range pairs {
		there, back := make(chan int), make(chan int)
		done.Go(func() {
			for i := range times {
				there <- i
				<-back
			}
			close(there)
		})
		done.Go(func() {
			for i := range there {
				back <- i
			}
		})
	}
}

// serve has short-lived goroutines, ten at a time, work in a region each and take turns with a lock.
func serve(done *sync.WaitGroup, times int) {
	var lock sync.Mutex
	for range times {
		var ten sync.WaitGroup
		for range 10 {
			ten.Go(func() {
				rtrace.WithRegion(context.Background(), "request", func() {
					lock.Lock()
					defer lock.Unlock()
					time.Sleep(0)
				})
			})
		}
		ten.Wait()
	}
}
