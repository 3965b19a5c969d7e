package finding

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// TestWorkThatChangesThreads holds that calls which another thread makes are told once, with both
// threads, by the topmost function that moved.
func TestWorkThatChangesThreads(t *testing.T) {
	job := f("decode", 2000, f("read", 500), f("check", 700))
	draw, poll := again(30, f("draw", 3000)), again(30, f("poll", 3000))
	threads := func(main, io *call) *trace.Trace {
		return recorded(t, nil, among("main", main), among("io", io))
	}
	a := threads(among("run", draw, again(10, job)), among("run", poll))
	b := threads(among("run", draw), among("run", poll, again(10, job)))
	p, _, r := compared(t, a, b)
	want := "decode now runs in thread io, called by run (0 → 10 calls) rather than in thread main, " +
		"called by run (10 → 0); in all 10 calls, 32.0 µs → 32.0 µs including callees."
	found := 0
	for _, f := range r.Findings {
		if strings.Contains(f.Sentence(), "now runs in") {
			if found++; f.Sentence() != want || f.Kind != Moved {
				t.Errorf("%s, want %s", f.Sentence(), want)
			}
		}
	}
	if found != 1 {
		t.Errorf("%d functions have moved: %+v", found, r.Findings)
	}
	checkClaims(t, p, r)
}

// TestMadeWhenFirstAsked holds that a function which a thread makes when it is first asked for, and
// not the main thread at the start, is told with both callers, although B's caller is new itself.
func TestMadeWhenFirstAsked(t *testing.T) {
	build, get := f("build", 40_000, f("fill", 300)), f("get", 900, f("hash", 100))
	run := func(main, first *call) *trace.Trace {
		return recorded(t, nil, among("main", main, again(20, f("read", 3000))), among("worker", first, again(20, get)))
	}
	p, _, r := compared(t, run(build, get), run(f("read", 3000), f("get", 900, f("once", 200, build), f("hash", 100))))
	checkClaims(t, p, r)
	want := "build moved from main (1 → 0 calls) to once (0 → 1), from thread main to thread worker; in all 1 call."
	if got := only(t, r, Moved); got.Sentence() != want || !got.Lead {
		t.Errorf("%s, want %s", got.Sentence(), want)
	}
}

// TestUnpairedCallsAreLikePaired holds that a function is told to be slower by all of its calls where
// threads share work otherwise, so that half of them have no partner.
func TestUnpairedCallsAreLikePaired(t *testing.T) {
	record := func(first int, ns int64, seed uint64) *trace.Trace {
		draw, task := again(400, f("draw", 3000)), func(n int) []*call { return again(n, f("task", ns)) }
		return recorded(t, noisy(seed), among("one", draw, task(first)), among("two", draw, task(600-first)))
	}
	_, _, r := compared(t, record(450, 700, 1), record(150, 4200, 2))
	for _, f := range r.Findings {
		if f.Function == "task" && f.Kind == Slower && f.Certainty == Certain && f.Calls == [2]int64{600, 600} {
			return
		}
	}
	t.Errorf("task is not slower: %+v", r.Findings)
}

// TestCallsThatAccompanyOthers holds that a function which only B calls, as often as another one
// that both sides call as often, is no chance where threads share work by the schedule; but it could
// be if it is called a few times less than that.
func TestCallsThatAccompanyOthers(t *testing.T) {
	write, sync := f("write", 500), f("fsync", 20_000)
	record := func(synced int, seed uint64) *trace.Trace {
		r := rand.New(rand.NewPCG(seed, 9))
		threads := []*call{{name: "w0"}, {name: "w1"}, {name: "w2"}, {name: "w3"}}
		for n := range 200 {
			w, log := threads[r.IntN(len(threads))], f("log", 100)
			if n%20 == 0 {
				log = f("log", 100, write)
			}
			if n/20 < synced && n%20 == 0 {
				log = f("log", 100, write, sync)
			}
			w.kids = append(w.kids, f(fmt.Sprint("task", n%12), 2000, f("hash", 300)), log)
		}
		return recorded(t, noisy(seed), threads...)
	}
	for synced, want := range map[int]Certainty{10: Certain, 9: Chance} {
		_, _, r := compared(t, record(0, 1), record(synced, 2))
		if got := only(t, r, New); got.Certainty != want {
			t.Errorf("%d of 10: %s: %v, want %v", synced, got.Sentence(), got.Certainty, want)
		}
	}
}

// TestAPoolSharesItsWork holds that nothing has moved if any thread may do any piece of work.
func TestAPoolSharesItsWork(t *testing.T) {
	pool := func(seed uint64) []*call {
		r := rand.New(rand.NewPCG(seed, 9))
		threads := []*call{{name: "w0"}, {name: "w1"}, {name: "w2"}, {name: "w3"}}
		for n := range 200 {
			w := threads[r.IntN(len(threads))]
			w.kids = append(w.kids, f(fmt.Sprint("task", n%12), 2000, f("hash", 300)))
		}
		return threads
	}
	for seed := range uint64(5) {
		_, _, r := compared(t, recorded(t, nil, pool(2*seed)...), recorded(t, nil, pool(2*seed+1)...))
		for _, f := range r.Findings {
			if strings.Contains(f.Sentence(), "now runs in") {
				t.Errorf("seed %d: %s", seed, f.Sentence())
			}
		}
	}
}

// TestLittleWorkThatChangesThreads holds that a function is told to run in another thread if all of
// its calls do, however short, unless these are few; and that so do calls which another function
// makes.
func TestLittleWorkThatChangesThreads(t *testing.T) {
	draw := again(30, f("draw", 3000))
	run := func(thread string, logs ...*call) *call { return among(thread, among("run", draw, logs)) }
	for _, c := range []struct {
		was, is []*call
		want    string
	}{
		{again(10, f("log", 25)), again(10, f("log", 25)), "log now runs in thread logger, called by run (0 → 10 calls) " +
			"rather than in thread main, called by run (10 → 0); in all 10 calls"},
		{again(3, f("log", 90)), again(3, f("log", 90)), ""},
		{again(400, f("log", 25)), again(401, f("log", 25)), "log now runs in thread logger"},
		{again(10, f("log", 5)), again(10, f("log", 5)), ""},
	} {
		p, _, r := compared(t, recorded(t, nil, run("main", c.was...), run("logger")),
			recorded(t, nil, run("main"), run("logger", c.is...)))
		told := ""
		for i := range r.Findings {
			if f := &r.Findings[i]; f.Function == "log" && strings.Contains(f.Text, " now runs ") {
				told = f.Text
			}
		}
		if !strings.HasPrefix(told, c.want) || c.want == "" && told != "" {
			t.Errorf("%q, want %q: %+v", told, c.want, r.Findings)
		}
		checkClaims(t, p, r)
	}
	a := recorded(t, nil, among("main", draw, again(9, f("sharpen", 2000))), among("worker", draw))
	b := recorded(t, nil, among("main", draw), among("worker", draw, again(9, f("sharpen", 2000))))
	want := "sharpen moved from main (9 → 0 calls) to worker (0 → 9), from thread main to thread worker; in all 9 calls."
	if _, _, r := compared(t, a, b); !strings.Contains(only(t, r, Moved).Text+".", want) {
		t.Errorf("%+v", r.Findings)
	}
}

// TestWhoOfAPoolWorksMayBeChance holds that it could be chance how many threads of a pool do some
// work, unless one side has more of them, or lets only a few of them work.
func TestWhoOfAPoolWorksMayBeChance(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b []int
		want Certainty
	}{
		{"one of two took all", []int{60, 60}, []int{120, 0}, Chance},
		{"one more of them", []int{60, 60}, []int{40, 40, 40}, Certain},
		{"one of eight has to do it", []int{15, 15, 15, 15, 15, 15, 15, 15}, []int{120, 0, 0, 0, 0, 0, 0, 0}, Certain},
	} {
		_, _, r := compared(t, pool(t, 100, c.a), pool(t, 200, c.b))
		told := 0
		for i := range r.Findings {
			if f := &r.Findings[i]; f.Threads {
				told++
				if f.Certainty != c.want {
					t.Errorf("%s: %s is %v, want %v", c.name, f.Sentence(), f.Certainty, c.want)
				}
			}
		}
		if told < 4 {
			t.Errorf("%s: %d functions of 4 are told", c.name, told)
		}
	}
}

// pool makes a trace of workers that take so many items each, with numbers from first on.
func pool(t testtrace.TB, first int, items []int) *trace.Trace {
	b := trace.NewBuilder("test")
	worker := b.Function(trace.Function{Name: "worker"})
	parts := []trace.FuncID{}
	for _, name := range []string{"take", "parse", "lock", "store", "unlock"} {
		parts = append(parts, b.Function(trace.Function{Name: name}))
	}
	for k, n := range items {
		th := b.Thread(fmt.Sprint(first+k), -1)
		th.SetName("worker")
		th.SetRole("worker", true)
		th.Begin(0, worker)
		now := int64(1000)
		for range n {
			for _, fn := range parts {
				th.Complete(now, now+500, fn)
				now += 500
			}
		}
		th.Complete(now, now+500, parts[0]) // nothing is left
		th.End(now + 500)
	}
	return testtrace.Build(t, b)
}
