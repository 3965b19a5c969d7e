package account

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// builtBy returns a trace of what build adds, with the calls it makes by name.
func builtBy(t *testing.T, build func(call func(th *trace.ThreadBuilder, from, to int64, name string) trace.Ref,
	b *trace.Builder)) *trace.Trace {
	b := trace.NewBuilder("test")
	build(func(th *trace.ThreadBuilder, from, to int64, name string) trace.Ref {
		return th.Complete(from, to, b.Function(trace.Function{Name: name}))
	}, b)
	return testtrace.Build(t, b)
}

// TestWhatThreadsDoInTurn holds that sleeps which come one after the other, because threads wait
// for each other, are the lock's; but not those of a thread for whose results another one waits.
func TestWhatThreadsDoInTurn(t *testing.T) {
	const threads, nap = 4, 1000
	// Each thread naps under a lock, which is kept meanwhile or given back at once.
	locked := func(kept bool) *trace.Trace {
		return builtBy(t, func(call func(*trace.ThreadBuilder, int64, int64, string) trace.Ref, b *trace.Builder) {
			m := b.Object("m")
			for k := range int64(threads) {
				th, begin := b.Thread(fmt.Sprint("worker ", k), -1), 10*k
				if kept {
					begin = (nap + 20) * k
				}
				th.Block(call(th, k, begin+5, "lock"), trace.Wait, m)
				if kept {
					th.Block(call(th, begin+6, begin+6+nap, "usleep"), trace.Wait)
					th.Block(call(th, begin+nap+10, begin+nap+12, "unlock"), trace.Release, m)
				} else {
					th.Block(call(th, begin+6, begin+8, "unlock"), trace.Release, m)
					th.Block(call(th, begin+9, begin+9+nap, "usleep"), trace.Wait)
				}
			}
		})
	}
	// A thread waits for results, of several threads or of one alone.
	served := func(workers int64) *trace.Trace {
		return builtBy(t, func(call func(*trace.ThreadBuilder, int64, int64, string) trace.Ref, b *trace.Builder) {
			done, main := b.Object("done"), b.Thread("main", -1)
			per, end := threads/workers, int64(0)
			for k := range workers {
				th, begin := b.Thread(fmt.Sprint("worker ", k), -1), k
				for range per {
					th.Block(call(th, begin, begin+nap, "usleep"), trace.Wait)
					th.Block(call(th, begin+nap+1, begin+nap+2, "post"), trace.Release, done)
					begin += nap + 10
				}
				end = max(end, begin)
			}
			main.Block(call(main, 1, end-7, "receive"), trace.Wait, done)
		})
	}
	for _, c := range []struct {
		name, waits string
		a, b        *trace.Trace
		own         int64
	}{
		{"kept in B", "lock", locked(false), locked(true), (threads - 1) * nap},
		{"kept in A", "lock", locked(true), locked(false), -(threads - 1) * nap},
		{"for results", "receive", served(threads), served(1), 0},
	} {
		x := balanceOf(t, c.a, c.b, Options{})
		l, seen := NewLedger(x), false
		for _, w := range x.WaitChanges(anyChange) {
			if l.TakeWait(&w); x.Pair.Names[w.Function] == c.waits {
				seen = true
				if d := w.Own.ElapsedNs - c.own; magnitude(d) > nap/10 {
					t.Errorf("%s: it owns %d ns, want about %d", c.name, w.Own.ElapsedNs, c.own)
				}
			}
		}
		if !seen {
			t.Errorf("%s: no change of %s", c.name, c.waits)
		}
	}
}

// TestTurnsAreThoseOfEachThread holds how long threads wait for each other against sums over all
// waits for each thread.
func TestTurnsAreThoseOfEachThread(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := shape.Draw(t, "trace")
		x := balanceOf(t, tr, tr, Options{})
		d := x.sides[pair.A]
		ws := &d.waits.Waits
		for k := range ws.Len() {
			fn, object, want := ws.Fn[k], d.objectOf(k), int64(0)
			for th := range tr.Threads {
				waits, awaited := int64(0), int64(0)
				for i := range ws.Len() {
					by, of := int(ws.By[i].Thread), int(ws.Thread[i])
					if by >= 0 && by != of && ws.Outermost(i) && d.waits.Counts(of) && d.ids[ws.Fn[i]] == d.ids[fn] &&
						d.objectOf(i) == object {
						waits += ws.Dur(i) * int64(toInt(of == th))
						awaited += ws.Dur(i) * int64(toInt(by == th))
					}
				}
				want += min(waits, awaited)
			}
			got := int64(0)
			if n := d.turns().keys.Find(pair.KeyOf(d.ids[fn], uint32(object))); n >= 0 {
				got = d.turns().mutual[n]
			}
			if got != want {
				t.Fatalf("%d for %d: %d ns in turn, want %d", fn, object, got, want)
			}
		}
	})
}
