package wait

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio/text/texttest"
)

// endings writes what became of every wait: thread@start, how, and by what.
func endings(a *Analysis) []string {
	var out []string
	for w := range a.Waits.Len() {
		s := fmt.Sprintf("%s@%d %s", a.Trace.Threads[a.Waits.Thread[w]].ID, a.Waits.Start[w],
			a.Waits.How[w])
		if by := a.Waits.By[w]; by != nobody {
			s += fmt.Sprintf(" by %s@%d", a.Trace.Threads[by.Thread].ID, a.Waits.At[w])
		}
		if o := a.Object(w); o != trace.NoObject {
			s += " " + a.Trace.Objects[o].Name
		}
		out = append(out, s)
	}
	return out
}

func TestEndings(t *testing.T) {
	for _, c := range []struct{ name, trace, want string }{
		{"the last release ends a wait, borders included", `
thread a
  0+10 lock wait=m
thread b
  0+0 unlock release=m
  4+1 unlock release=m
  10+1 unlock release=m
thread c
  5+1 unlock release=m
  11+1 unlock release=m`, "a@0 released by b@10 m"},
		{"not one of its own thread", `
thread a
  0+10 lock wait=m
    3+1 unlock release=m
thread b
  0+20 work`, "a@0 passed m"},
		{"the last of another thread before several of its own", `
thread a
  0+10 lock wait=m
    5+1 unlock release=m
    7+1 unlock release=m
thread b
  3+1 unlock release=m`, "a@0 released by b@3 m"},
		{"what is stated counts, the last of several", `
thread a
  0+10 recv wait
thread b
  1+1 send release
  3+1 send release
thread c
  9+1 unlock release
correspond a:0 b:1 at=3
correspond a:0 b:0 at=1`, "a@0 stated by b@3"},
		{"a condition, though the mutex is let go of later", `
thread a
  0+10 pthread_cond_wait wait=c,m
thread b
  4+1 pthread_cond_signal release=c
  6+1 pthread_mutex_unlock release=m`, "a@0 released by b@6 c"},
		{"of releases of two objects at one time, the later thread's", `
thread a
  0+10 select wait=m,n
thread b
  5+1 send release=m
thread c
  5+1 send release=n`, "a@0 released by c@5 m"},
		{"a join by the end of a thread", `
thread a
  0+10 pthread_join wait=0x7f
thread b
  1+8 work
thread c
  1+2 work
thread d
  1+12 work`, "a@0 joined by b@9 0x7f"},
		{"a wrapper by what ended the waits in it, the last", `
thread a
  0+20 std::mutex::lock wait
    1+4 futex wait=f
    6+4 futex wait=f
    12+1 futex wait=f
thread b
  3+1 wake release=f
  9+1 wake release=f`, "a@0 released by b@9 f; a@1 released by b@3 f; a@6 released by b@9 f; " +
			"a@12 passed f"},
		{"no end", `
thread a
  0+30 main flags=unclosed
    10+20 lock wait=m flags=unclosed
thread b
  15+1 unlock release=m
  29+1 lock wait=m flags=unclosed`, "a@10 unreleased m; b@29 unreleased m"},
		{"an end that was lost in the middle", `
thread a
  0+5 f
    1+4 lock wait=m flags=unclosed
  8+1 g`, "a@1 passed m"},
	} {
		a := mustFind(t, texttest.Parse(t, c.trace))
		if got := strings.Join(endings(a), "; "); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// deadlocks writes circles as threads with what they wait for.
func deadlocks(a *Analysis) string {
	var out []string
	for _, d := range a.Deadlocks {
		var links []string
		for _, s := range d {
			links = append(links, fmt.Sprintf("%s -%s> %s",
				a.Trace.Threads[a.Waits.Thread[s.Wait]].ID, a.Trace.Objects[s.Object].Name,
				a.Trace.Threads[s.Holder].ID))
		}
		out = append(out, strings.Join(links, ", "))
	}
	return strings.Join(out, "; ")
}

func TestDeadlocks(t *testing.T) {
	for _, c := range []struct{ name, trace, want string }{
		{"two threads, two locks, and one that waits for them", `
thread a
  0+1 mutex_lock wait=m
  5+20 mutex_lock wait=n flags=unclosed
thread b
  0+1 mutex_lock wait=n
  6+19 mutex_lock wait=m flags=unclosed
thread c
  7+18 mutex_lock wait=m flags=unclosed`, "a -n> b, b -m> a"},
		{"a lock taken twice", `
thread a
  0+1 mutex_lock wait=m
  2+1 mutex_unlock release=m
  4+1 mutex_lock wait=m
  6+9 mutex_lock wait=m flags=unclosed`, "a -m> a"},
		{"a lock that was given back", `
thread a
  0+1 mutex_lock wait=m
  2+1 mutex_unlock release=m
  4+9 mutex_lock wait=n flags=unclosed
thread b
  0+1 mutex_lock wait=n
  6+7 mutex_lock wait=m flags=unclosed`, ""},
		{"semaphores have no holder", `
thread a
  0+1 sem_wait wait=s
  4+9 sem_wait wait=r flags=unclosed
thread b
  0+1 sem_wait wait=r
  6+7 sem_wait wait=s flags=unclosed`, ""},
		{"who waits for a condition has given the mutex up", `
thread a
  0+1 mutex_lock wait=m
  4+9 cond_wait wait=c,m flags=unclosed
thread b
  0+1 mutex_lock wait=n
  6+7 mutex_lock wait=m flags=unclosed`, ""},
		{"who waits for one of several has given up the others", `
thread a
  0+1 mutex_lock wait=m
  4+9 mutex_lock wait=n,m flags=unclosed
thread b
  0+1 mutex_lock wait=n
  6+7 mutex_lock wait=m flags=unclosed`, ""},
		{"readers and two circles", `
thread a
  0+1 rwlock_rdlock wait=r
  5+20 mutex_lock wait=n flags=unclosed
thread b
  0+1 mutex_lock wait=n
  1+1 rwlock_rdlock wait=r
  6+19 rwlock_wrlock wait=r flags=unclosed
thread c
  0+1 mutex_lock wait=p
  2+23 mutex_lock wait=q flags=unclosed
thread d
  0+1 mutex_lock wait=q
  2+23 mutex_lock wait=p flags=unclosed`, "a -n> b, b -r> a; c -q> d, d -p> c"},
	} {
		if got := deadlocks(mustFind(t, texttest.Parse(t, c.trace))); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestObjectKinds(t *testing.T) {
	for function, want := range map[string]string{
		"pthread_mutex_lock": "mutex", "pthread_rwlock_rdlock": "rwlock", "sem_post": "semaphore",
		"pthread_spin_lock": "spinlock", "pthread_cond_wait": "condition", "mtx_lock": "mutex",
		"std::condition_variable::notify_one": "condition", "pthread_join": "thread",
		"EnterCriticalSection": "mutex", "pthread_barrier_wait": "barrier", "futex": "futex",
		"read": "pipe", "write@plt": "pipe", "my_read": "object", "thread_wait": "object",
		"waitpid": "process", "__wait4": "process", "_exit": "process", "pthread_kill": "signal",
		"sigwait": "signal", "flock": "file", "accept4": "socket", "WaitForSingleObject": "object",
	} {
		if got := operatesOn(function).String(); got != want {
			t.Errorf("%s operates on a %s, want %s", function, got, want)
		}
	}
	a := mustFind(t, texttest.Parse(t, `
thread a
  0+9 pthread_cond_wait wait=c,m
  10+1 write io=f
  12+1 ReleaseMutex release=h
  14+1 WaitForSingleObject wait=h
  16+1 read wait=p
  18+1 write release=p io=p`))
	for name, want := range map[string]ObjectKind{
		"c": Condition, "m": Mutex, "f": File, "h": Mutex, "p": Pipe} {
		o := slices.Index(a.Trace.Objects, trace.Object{Name: name})
		if got := a.Objects[o].Kind; got != want {
			t.Errorf("%s is a %s, want %s", name, got, want)
		}
	}
}

// crowd makes threads that all wait for and release one object over and over.
func crowd(t testing.TB, threads, rounds int) *trace.Trace {
	b := trace.NewBuilder("test")
	lock := b.Function(trace.Function{Name: "mutex_lock"})
	unlock := b.Function(trace.Function{Name: "mutex_unlock"})
	m := b.Object("m")
	for n := range threads {
		th := b.Thread(fmt.Sprint(n), -1)
		for i := range rounds {
			at := int64(i*threads + n)
			th.Block(th.Complete(3*at, 3*at+int64(2*threads), lock), trace.Wait, m)
			at += int64(threads)
			th.Block(th.Complete(3*at-1, 3*at, unlock), trace.Release, m)
		}
	}
	tr, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// TestProcessors holds that a result does not depend on how many processors computed it.
func TestProcessors(t *testing.T) {
	tr := crowd(t, 7, 3000)
	var results []*Analysis
	for _, n := range []int{1, 4} {
		was := runtime.GOMAXPROCS(n)
		results = append(results, mustFind(t, tr))
		runtime.GOMAXPROCS(was)
	}
	x, y := results[0], results[1]
	if x.Correspondences != y.Correspondences || !slices.Equal(x.Waits.By, y.Waits.By) ||
		!slices.Equal(x.Edges, y.Edges) || !slices.Equal(x.Pairs, y.Pairs) ||
		!slices.Equal(x.Objects, y.Objects) {
		t.Error("one processor and four disagree")
	}
}

// TestProgress holds that progress rises to its end, and that work that is cancelled ends.
func TestProgress(t *testing.T) {
	tr := crowd(t, 7, 3000)
	var done, total int64
	_, err := Find(context.Background(), tr, func(d, all int64) {
		if d <= done {
			t.Errorf("progress went from %d to %d", done, d)
		}
		done, total = d, all
	})
	if err != nil || done != total || done == 0 {
		t.Errorf("%d of %d, %v", done, total, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	_, err = Find(ctx, tr, func(int64, int64) { cancel() })
	_, path := mustFind(t, tr).CriticalPath(ctx)
	if !errors.Is(err, context.Canceled) || !errors.Is(path, context.Canceled) {
		t.Errorf("cancelled: %v, %v", err, path)
	}
}

// TestDeepWaits holds that deep stacks of waits cost neither stack nor quadratic time.
func TestDeepWaits(t *testing.T) {
	const deep = 100_000
	b := trace.NewBuilder("test")
	lock, m := b.Function(trace.Function{Name: "lock"}), b.Object("m")
	th, other := b.Thread("a", -1), b.Thread("b", -1)
	for i := range deep {
		th.Block(th.Begin(int64(i), lock), trace.Wait, m)
	}
	for i := range deep {
		th.End(int64(deep + i))
	}
	other.Block(other.Complete(deep, deep+1, lock), trace.Release, m)
	tr := testtrace.Build(t, b)
	a := mustFind(t, tr)
	if a.Correspondences != deep || a.Threads[0].WaitNs != 2*deep-1 || len(a.Edges) != 1 {
		t.Errorf("%d correspondences, %+v, %v", a.Correspondences, a.Threads[0], a.Edges)
	}
}

// TestLongestFirst holds the order by digits against a sort. Times are as far apart as whole numbers
// can be, or so near that many are equal.
func TestLongestFirst(t *testing.T) {
	type timed struct {
		ns  int64
		tie int
	}
	rapid.Check(t, func(t *rapid.T) {
		times := rapid.SampledFrom([]*rapid.Generator[int64]{rapid.Int64(), rapid.Int64Range(-3, 3),
			rapid.Int64Range(0, 1<<22)}).Draw(t, "times")
		var list []timed
		for k, ns := range rapid.SliceOf(times).Draw(t, "list") {
			list = append(list, timed{ns, k * 7 % 5})
		}
		compare := func(x, y timed) int { return cmp.Compare(x.tie, y.tie) }
		want := slices.Clone(list)
		slices.SortFunc(want, func(x, y timed) int {
			return cmp.Or(cmp.Compare(y.ns, x.ns), compare(x, y))
		})
		got := longestFirst(list, func(x *timed) int64 { return x.ns }, compare)
		if !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}
