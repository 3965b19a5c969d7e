package blocking

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// script makes a trace of calls `process/thread start end function args`.
func script(t *testing.T, text string, prepare func(*trace.Builder)) *trace.Trace {
	t.Helper()
	b := trace.NewBuilder("test")
	b.Observe(0)
	threads := map[string]*trace.ThreadBuilder{}
	for line := range strings.Lines(strings.TrimSpace(text)) {
		f := strings.SplitN(strings.TrimSpace(line), " ", 5)
		process, id, _ := strings.Cut(f[0], "/")
		th := threads[id]
		if th == nil {
			th = b.Thread(id, b.Process(process))
			threads[id] = th
		}
		var start, end int64
		if _, err := fmt.Sscan(f[1], &start); err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Sscan(f[2], &end); err != nil {
			t.Fatal(err)
		}
		ref := th.Complete(start, end, b.Function(trace.Function{Name: f[3]}))
		if len(f) > 4 {
			th.Args(ref, []byte(f[4]))
		}
	}
	prepare(b)
	tr, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func blocks(tr *trace.Trace) []string {
	var out []string
	for _, th := range tr.Threads {
		for _, k := range th.Blocks {
			line := fmt.Sprintf("%s@%d %s %s", th.ID, th.Start(int(k.Call)), k.Kind, tr.FunctionOf(th, int(k.Call)).Name)
			for _, o := range th.ObjectsIn(k.Objects) {
				line += " " + tr.Objects[o].Name
			}
			out = append(out, line)
		}
	}
	return out
}

func TestApply(t *testing.T) {
	rules := Builtin()
	for _, c := range []struct{ name, script, want string }{
		{"locks and waits", `
1/10 0 9 main
1/10 1 2 pthread_mutex_lock (0xa0)
1/10 3 4 pthread_cond_wait (0xc0, 0xa0) = 0
1/10 5 6 pthread_mutex_unlock (0xa0)
1/10 7 8 pthread_join (0x7f00, 0)`, `
10@1 wait pthread_mutex_lock 0xa0
10@3 wait pthread_cond_wait 0xc0 0xa0
10@3 release pthread_cond_wait 0xa0
10@5 release pthread_mutex_unlock 0xa0
10@7 wait pthread_join 0x7f00`},
		{"a condition of which nothing is known releases nothing", `
1/10 1 2 pthread_cond_wait
1/10 3 4 pthread_cond_wait (0xc0)`, `
10@1 wait pthread_cond_wait
10@3 wait pthread_cond_wait 0xc0`},
		{"signals", `
1/10 1 9 sigwait (0x7f00, 0x7f10) = 0
1/10 11 19 sigtimedwait (0x7f00, 0, 0x7f20) = 12
1/10 20 30 sigwaitinfo (0x7f00, 0) = -1
1/11 2 3 pthread_kill (0x7f30, 10) = 0
1/11 4 5 pthread_kill (0x7f30, 0) = 0
1/11 6 7 pthread_kill
2/20 2 3 kill (1, 12) = 0
2/20 4 5 kill (77, 12) = 0`, `
10@1 wait sigwait signals
10@11 wait sigtimedwait signal 12
10@20 wait sigwaitinfo signals
11@2 release pthread_kill signal 10 signals
11@6 release pthread_kill signals
20@2 release kill signal 12 signals
20@4 release kill`},
		{"processes", `
1/10 1 2 fork () = 2
1/10 3 9 waitpid (2, 0x7f00, 0) = 2
1/10 10 12 waitpid (-1, 0x7f00, 0) = 3
1/10 13 14 wait (0x7f00) = -1
1/10 15 16 waitpid (3, 0x7f00, 1) = 0
2/2 2 3 main
2/2 8 8 _exit (0)`, `
10@3 wait waitpid process 2
10@10 wait waitpid process 3
10@13 wait wait
10@15 wait waitpid process 3
2@8 release _exit process 2`},
		{"a program of one process ends without releasing anything", `
1/10 1 2 exit (0)`, `
10@1 release exit`},
		{"pipes whose descriptors the arguments show", `
1/10 1 2 pipe ([3, 4]) = 0
1/10 3 4 fork () = 2
1/10 5 20 read (3, 0x7f00, 10) = 1
2/20 10 11 write (4, 0x7f00, 1) = 1
2/20 12 13 close (4) = 0
2/20 14 15 write (4, 0x7f00, 1) = -1
3/30 16 17 write (4, 0x7f00, 1) = 1
1/10 21 22 eventfd (0, 0) = 9
1/11 23 30 read (9, 0x7f00, 8) = 8
1/10 24 25 write (9, 0x7f00, 8) = 8
1/10 31 32 socketpair (1, 1, 0, {5,6}) = 0
1/10 33 35 recv (6, 0x7f00, 1, 0) = 1
1/11 34 34 send (5, 0x7f00, 1, 0) = 1
1/10 36 37 pipe ([7, 8]) = -1`, `
10@1 io pipe
10@5 wait read pipe 3,4
10@21 io eventfd
10@24 release write pipe 9
10@24 io write pipe 9
10@31 io socketpair
10@33 wait recv pipe 5,6
10@36 io pipe
20@10 release write pipe 3,4
20@10 io write pipe 3,4
20@12 io close pipe 3,4
20@14 io write fd 4 (2)
30@16 io write fd 4 (3)
11@23 wait read pipe 9
11@34 release send pipe 5,6
11@34 io send pipe 5,6`},
		{"pipes that are guessed from the use of their ends", `
1/10 1 2 pipe (0x7ffe10) = 0
1/10 3 4 open ("log", 0x241) = 5
1/10 6 20 read (3, 0x7f00, 10) = 1
1/11 7 8 write (4, 0x7f00, 1) = 1
1/11 9 10 write (5, 0x7f00, 1) = 1
1/11 11 12 write (8, 0x7f00, 1) = 1
1/11 13 14 read (7, 0x7f00, 1) = 1
1/11 15 15 write (1, 0x7f00, 1) = 1
1/10 21 22 read (0, 0x7f00, 1) = 1`, `
10@1 io pipe
10@3 io open log
10@6 wait read pipe 3,4
10@21 io read fd 0
11@7 release write pipe 3,4
11@7 io write pipe 3,4
11@9 io write log
11@11 io write fd 8
11@13 io read fd 7
11@15 io write fd 1`},
		{"equal addresses of two processes", `
1/10 1 2 sem_wait (0xa0)
2/20 1 2 sem_wait (0xa0)
2/20 3 4 sem_wait (0xb0)`, `
10@1 wait sem_wait 0xa0 (1)
20@1 wait sem_wait 0xa0 (2)
20@3 wait sem_wait 0xb0`},
		{"descriptors over time, across threads and processes", `
1/10 1 2 open ("a.log", 0x241) = 3
1/11 3 4 read (3, 0x1, 10) = 10
2/20 3 4 read (3, 0x1, 10) = 10
1/10 5 6 dup (3) = 4
1/10 7 8 close (3) = 0
1/10 9 9 write (3, 0x1, 10) = -1
1/10 10 11 write (4, 0x1, 10) = 10
1/10 12 13 open ("none", 0) = -1
1/10 14 15 fopen ("b", "r") = 0xf0
1/10 16 17 fread (0x1, 1, 2, 0xf0) = 2
1/10 18 19 fclose (0xf0) = 0`, `
10@1 io open a.log
10@5 io dup a.log
10@7 io close a.log
10@9 io write fd 3 (1)
10@10 io write a.log
10@12 io open none
10@14 io fopen b
10@16 io fread b
10@18 io fclose b
11@3 io read a.log
20@3 io read fd 3 (2)`},
		{"descriptors in a trace in which nothing is opened or closed", `
1/10 1 2 read (5, 0x1, 10) = 10`, `
10@1 io read fd 5`},
	} {
		tr := script(t, c.script, rules.Apply)
		if diff := cmp.Diff(strings.Split(strings.TrimSpace(c.want), "\n"), blocks(tr)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// What a loader marked from explicit records stays.
func TestExplicitMarksWin(t *testing.T) {
	tr := script(t, "1/10 1 2 sem_wait (0xa0)", func(b *trace.Builder) {
		th := b.Thread("11", b.Process("1"))
		ref := th.Complete(3, 4, b.Function(trace.Function{Name: "sem_wait"}))
		th.Args(ref, []byte("(0xa0)"))
		th.Block(ref, trace.Release, b.Object("explicit"))
		last := th.Complete(5, 6, b.Function(trace.Function{Name: "sem_post"}))
		th.Args(last, []byte("(0xa0)"))
		Builtin().Apply(b)
	})
	want := []string{"10@1 wait sem_wait 0xa0", "11@3 release sem_wait explicit", "11@5 release sem_post 0xa0"}
	if diff := cmp.Diff(want, blocks(tr)); diff != "" {
		t.Error(diff)
	}
}

// TestUnpairedLocks holds that a recorder has lost calls if there are far fewer of one of two that
// come in pairs.
func TestUnpairedLocks(t *testing.T) {
	for _, c := range []struct {
		lock, unlock, try int
		floor             int64
		want              string
	}{
		{100, 100, 0, 0, ""}, {100, 60, 0, 0, ""}, {17, 1, 0, 0, ""}, {100, 0, 0, 0, ""},
		{100, 10, 0, 0, "[{lost-records 90 pthread_mutex_unlock@plt is called 10 times, but pthread_mutex_lock 100 times}]"},
		{100, 10, 0, 2000, ""},
		{3, 100, 0, 0, "[{lost-records 97 pthread_mutex_lock is called 3 times, but pthread_mutex_unlock@plt 100 times}]"},
		{3, 100, 50, 0, ""},
	} {
		b := trace.NewBuilder("test")
		b.Floor = c.floor
		th, at := b.Thread("1", b.Process("1")), int64(0)
		for name, n := range map[string]int{"pthread_mutex_lock": c.lock, "pthread_mutex_unlock@plt": c.unlock,
			"pthread_mutex_trylock": c.try} {
			for fn := b.Function(trace.Function{Name: name}); n > 0; n, at = n-1, at+2 {
				th.Complete(at, at+1, fn)
			}
		}
		Builtin().Apply(b)
		tr := testtrace.Build(t, b)
		got, partial := "", c.want == ""
		if len(tr.Diagnostics) > 0 {
			got = fmt.Sprint(tr.Diagnostics)
		}
		for _, f := range tr.Functions {
			partial = partial || f.Partial && strings.Contains(c.want, " "+f.Name+" is called")
		}
		if got != c.want || !partial {
			t.Errorf("%d, %d, %d: %s, want %s", c.lock, c.unlock, c.try, got, c.want)
		}
	}
}

// TestTextsAreNotCopied: calls whose texts were met before take no memory of their own.
func TestTextsAreNotCopied(t *testing.T) {
	allocs := func(calls int) float64 {
		b := trace.NewBuilder("test")
		lock := b.Function(trace.Function{Name: "pthread_mutex_lock"})
		read := b.Function(trace.Function{Name: "read"})
		th := b.Thread("1", b.Process("1"))
		for i := range calls {
			at := int64(2 * i)
			th.Args(th.Begin(at, lock), []byte("(0x10) = 0"))
			th.End(at)
			th.Args(th.Begin(at, read), []byte(`{"arguments":"(5, 0x1)","retval":"3"}`))
			th.End(at)
		}
		tr, err := b.Build(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		rules, marks := Builtin(), 0
		rules.mark(tr, func(_ *trace.Thread, m trace.Marks) { marks = len(m.Calls) })
		if marks != 2*calls {
			t.Fatalf("%d of %d calls are marked", marks, 2*calls)
		}
		return testing.AllocsPerRun(5, func() { rules.mark(tr, func(*trace.Thread, trace.Marks) {}) })
	}
	if few, many := allocs(10), allocs(5000); many > few+50 {
		t.Errorf("%v allocations for 20 calls, %v for 10,000", few, many)
	}
}
