package finding

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

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
