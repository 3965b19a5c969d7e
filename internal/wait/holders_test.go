package wait

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/trace"
	"diptych/internal/traceio/text/texttest"
)

// TestWhoHeldTheLock: what counts as taking and giving back a lock, and where it is not known.
func TestWhoHeldTheLock(t *testing.T) {
	for name, c := range map[string]struct {
		lines string
		want  string // who held the lock of thread 9's wait, and when
	}{
		"a mutex": {`
thread 1
  0+2 pthread_mutex_lock wait=0xa
  10+1 pthread_mutex_unlock release=0xa`, "1:5-10"},
		"taken twice": {`
thread 1
  0+2 pthread_mutex_lock wait=0xa
  3+1 pthread_mutex_lock wait=0xa
  10+1 pthread_mutex_unlock release=0xa
  14+1 pthread_mutex_unlock release=0xa`, "1:5-14"},
		"never given back": {`
thread 1
  0+50 run
    0+2 pthread_mutex_lock wait=0xa`, "1:5-20"},
		"one after the other": {`
thread 1
  0+2 pthread_mutex_lock wait=0xa
  10+1 pthread_mutex_unlock release=0xa
thread 2
  1+12 pthread_mutex_lock wait=0xa
  17+1 pthread_mutex_unlock release=0xa`, "1:5-10 2:13-17"},
		"taken while another has not given it back": {`
thread 1
  0+50 run
    0+2 pthread_mutex_lock wait=0xa
thread 2
  1+12 pthread_mutex_lock wait=0xa
  17+1 pthread_mutex_unlock release=0xa`, "1:5-13 2:13-17"},
		"given back while waiting for a condition": {`
thread 1
  0+2 pthread_mutex_lock wait=0xa
  8+4 pthread_cond_wait wait=0xc,0xa
  16+1 pthread_mutex_unlock release=0xa`, "1:5-8 1:12-16"},
		"tried for": {`
thread 1
  0+2 pthread_mutex_trylock wait=0xa
  10+1 pthread_mutex_unlock release=0xa`, ""},
		"given back alone": {`
thread 1
  0+1 run
  10+1 pthread_mutex_unlock release=0xa`, ""},
	} {
		a := mustFind(t, texttest.Parse(t, c.lines+`
thread 9
  5+15 pthread_mutex_lock wait=0xa
thread 8
  30+1 pthread_mutex_lock wait=0xa
`))
		got := ""
		for w := range a.Waits.Len() {
			if a.Trace.Threads[a.Waits.Thread[w]].ID == "9" {
				for h := range a.Held(w) {
					got += fmt.Sprintf(" %s:%d-%d", a.Trace.Threads[h.Thread].ID, h.From, h.To)
				}
			}
		}
		if got != "" {
			got = got[1:]
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	a := mustFind(t, texttest.Parse(t, `
thread 1
  0+2 sem_wait wait=0xa
  10+1 sem_post release=0xa
thread 2
  5+6 sem_wait wait=0xa
`))
	if by, _ := a.Holder(1); by >= 0 {
		t.Errorf("thread %d holds a semaphore", by)
	}
}

// TestHolder: the thread that held a lock longest counts, of equals the first one.
func TestHolder(t *testing.T) {
	for until, want := range map[int]Hold{20: {0, 5, 12}, 21: {1, 13, 21}} {
		a := mustFind(t, texttest.Parse(t, fmt.Sprintf(`
thread 1
  0+2 pthread_mutex_lock wait=0xa
  12+1 pthread_mutex_unlock release=0xa
thread 2
  1+12 pthread_mutex_lock wait=0xa
  %d+1 pthread_mutex_unlock release=0xa
thread 3
  5+17 pthread_mutex_lock wait=0xa
`, until)))
		if by, ns := a.Holder(a.Waits.Len() - 1); by != want.Thread || ns != want.To-want.From {
			t.Errorf("until %d, thread %d held it for %d ns, want %v", until, by, ns, want)
		}
	}
}

// TestHoldersOfASchedule: threads take a lock in turns by a schedule that is drawn, and wait for it
// from some time before; who held it meanwhile is what the schedule says.
func TestHoldersOfASchedule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := trace.NewBuilder("schedule")
		lock := b.Object("lock")
		take := b.Function(trace.Function{Name: "pthread_mutex_lock"})
		give := b.Function(trace.Function{Name: "pthread_mutex_unlock"})
		threads, free := make([]*trace.ThreadBuilder, 4), make([]int64, 4)
		for k := range threads {
			threads[k] = b.Thread(fmt.Sprint(k), -1)
		}
		var turns, waits []Hold
		for now := int64(1); len(turns) < 12; {
			k := rapid.IntRange(0, 3).Draw(t, "thread")
			from := max(now-rapid.Int64Range(0, 20).Draw(t, "early"), free[k])
			got := now + rapid.Int64Range(0, 3).Draw(t, "pause") + 1
			until := got + rapid.Int64Range(1, 9).Draw(t, "held")
			for _, c := range []struct {
				start, end int64
				kind       trace.BlockKind
				fn         trace.FuncID
			}{{from, got, trace.Wait, take}, {until, until + 1, trace.Release, give}} {
				r := threads[k].Begin(c.start, c.fn)
				threads[k].End(c.end)
				threads[k].Block(r, c.kind, lock)
			}
			waits = append(waits, Hold{int32(k), from, got})
			turns = append(turns, Hold{int32(k), got, until})
			now, free[k] = until+1, until+1
		}
		tr, err := b.Build(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		a := mustFind(t, tr)
		base := waits[0].From
		for _, w := range waits {
			base = min(base, w.From)
		}
		if !a.Objects[lock].Shared() {
			return
		}
		for w := range a.Waits.Len() {
			thread, from, to := a.Waits.Thread[w], a.Waits.Start[w], a.Waits.End[w]
			var want []Hold
			for _, turn := range turns {
				id := fmt.Sprint(turn.Thread)
				at := slices.IndexFunc(tr.Threads, func(th *trace.Thread) bool { return th.ID == id })
				h := Hold{int32(at), max(turn.From-base, from), min(turn.To-base, to)}
				if h.Thread != thread && h.From < h.To {
					want = append(want, h)
				}
			}
			if a.Object(w) == trace.NoObject {
				t.Fatal("a wait for no object")
			}
			if got := slices.Collect(a.Held(w)); !slices.Equal(got, want) {
				t.Fatalf("wait of %d from %d to %d: %v, want %v", thread, from, to, got, want)
			}
		}
	})
}
