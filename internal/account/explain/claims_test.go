package explain

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"diptych/internal/account"
	"diptych/internal/align/finding"
	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// TestSlowerCallsLengthenTheRunByThemselves holds that a function that takes 3 ms longer owns no more
// than 3 ms of elapsed time, although it is on the way in B alone.
func TestSlowerCallsLengthenTheRunByThemselves(t *testing.T) {
	build := func(f, h int64) *trace.Trace {
		b := trace.NewBuilder("test")
		b.Thread("one", -1).Complete(0, f, b.Function(trace.Function{Name: "f"}))
		b.Thread("two", -1).Complete(0, h, b.Function(trace.Function{Name: "h"}))
		return testtrace.Build(t, b)
	}
	a, b := build(10e6, 9e6), build(10.5e6, 12e6)
	x := differenceOf(t, a, b)
	p := pair.New(a, b, pair.Rules{})
	d := New(&finding.Report{Findings: []finding.Finding{{Kind: finding.Slower, Function: "h",
		ID: uint32(slices.Index(p.Names, "h")), DeltaNs: 2e6, Under: -1}}}, x.Balance)
	holdsAccount(t, d)
	for _, f := range d.Findings {
		if f.Function == "h" && (f.Own.ElapsedNs != 3e6 || f.Own.WorkNs != 3e6) {
			t.Errorf("%s owns %d of elapsed time and %d of work, want 3 ms", f.Function, f.Own.ElapsedNs,
				f.Own.WorkNs)
		}
	}
}

// TestFindingsOwnWhatTotalsConfirm holds how much a finding of one function owns, by what it says.
func TestFindingsOwnWhatTotalsConfirm(t *testing.T) {
	ms := func(n float64) int64 { return int64(n * 1e6) }
	for _, c := range []struct {
		name string
		a, b *trace.Trace
		kind finding.Kind
		says int64
		want int64
	}{
		{"one more call of many, while others changed", testtrace.Script(t, "task", 10.),
			testtrace.Script(t, "task", 10., "task", 31.), finding.New, ms(1), ms(1)},
		{"a function that is new: all of it", testtrace.Script(t, "load", 10.),
			testtrace.Script(t, "load", 10., "task", 10., "task", 15.), finding.New, ms(10), ms(25)},
		{"a function that is slower: all that goes the same way", testtrace.Script(t, "task", 10.),
			testtrace.Script(t, "task", 14.), finding.Slower, ms(3), ms(4)},
		{"missing here, but the totals say more", testtrace.Script(t, "task", 10.),
			testtrace.Script(t, "task", 83.), finding.Missing, ms(-3), 0},
	} {
		x := differenceOf(t, c.a, c.b)
		p := pair.New(c.a, c.b, pair.Rules{})
		f := finding.Finding{Kind: c.kind, Function: "task", DeltaNs: c.says, Under: -1,
			ID: uint32(slices.Index(p.Names, "task"))}
		r := &finding.Report{Findings: []finding.Finding{f}}
		d, err := Find(t.Context(), p, r, x.Balance.Waits, nil)
		if err != nil {
			t.Fatal(err)
		}
		holdsAccount(t, d)
		at := slices.IndexFunc(d.Findings, func(of Finding) bool { return of.Kind == c.kind.String() })
		if got := d.Findings[at].Own.WorkNs; got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// TestOwnTimeIsNotThatOfCallees has a function called more often, of which only the self time is
// told. It owns that, nothing of what its callees take longer, and is not told a second time.
func TestOwnTimeIsNotThatOfCallees(t *testing.T) {
	build := func(calls int, self, task int64) *trace.Trace {
		b := trace.NewBuilder("test")
		th, at := b.Thread("main", -1), int64(0)
		for range calls {
			th.Begin(at, b.Function(trace.Function{Name: "wrap"}))
			th.Complete(at+self, at+self+task, b.Function(trace.Function{Name: "task"}))
			at += self + task
			th.End(at)
		}
		return testtrace.Build(t, b)
	}
	a, b := build(2, 1e6, 5e6), build(3, 1e6, 10e6)
	p := pair.New(a, b, pair.Rules{})
	d, err := Find(t.Context(), p, &finding.Report{Findings: []finding.Finding{{Kind: finding.Called,
		Function: "wrap", ID: uint32(slices.Index(p.Names, "wrap")), DeltaNs: 1e6, Under: -1,
		Claims: []finding.Claim{{Quantity: finding.SelfNs, Function: "wrap",
			Values: [2]int64{2e6, 3e6}}}}}}, differenceOf(t, a, b).Balance.Waits, nil)
	if err != nil {
		t.Fatal(err)
	}
	holdsAccount(t, d)
	var own []account.Delta
	for _, f := range d.Findings {
		if f.Function == "wrap" {
			own = append(own, f.Own)
		}
	}
	if want := []account.Delta{{ElapsedNs: 1e6, WorkNs: 1e6}}; !slices.Equal(own, want) {
		t.Errorf("owns %v, want %v", own, want)
	}
}

// TestNamesOfOneFunction holds that a balance counts identities as one that findings count as one:
// a renamed function's, and those of spans that differ only in their arguments.
func TestNamesOfOneFunction(t *testing.T) {
	build := func(name, arguments string) *trace.Trace {
		b := trace.NewBuilder("test")
		th := b.Thread("main", -1)
		fn := func(name string) trace.FuncID { return b.Function(trace.Function{Name: name}) }
		for k, argument := range arguments {
			from := int64(k) * 10
			th.Begin(from, fn("step"))
			th.Begin(from+1, fn(name))
			th.Complete(from+2, from+3, fn("read"))
			th.End(from + 4)
			th.Complete(from+5, from+6, fn("compile x/"+string(argument)))
			th.End(from + 9)
		}
		return testtrace.Build(t, b)
	}
	d := differenceOf(t, build("load", "abcdefgh"), build("fetch", "abcdefgi"))
	p, names := d.Balance.Pair, map[string]string{}
	for id, to := range Options(p, d.Found).Same {
		names[p.Names[id]] = p.Names[to]
	}
	want := map[string]string{"fetch": "load"}
	for _, argument := range "bcdefghi" {
		want["compile x/"+string(argument)] = "compile x/a"
	}
	if !maps.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
	holdsClaims(t, d)
}

// TestWaitingIsTold holds the sentence of a lock that makes two threads run one after the other, and
// that what findings say of the same wait stands under it.
func TestWaitingIsTold(t *testing.T) {
	build := func(waits int64) *trace.Trace {
		b := trace.NewBuilder("test")
		fn := func(name string) trace.FuncID { return b.Function(trace.Function{Name: name}) }
		m := b.Object("m")
		first := b.Thread("first", -1)
		first.Complete(0, 20e6, fn("job"))
		first.Block(first.Complete(20e6, 20e6, fn("pthread_mutex_unlock")), trace.Release, m)
		second := b.Thread("second", -1)
		second.Block(second.Complete(0, waits, fn("pthread_mutex_lock")), trace.Wait, m)
		second.Complete(waits, waits+20e6, fn("job"))
		return testtrace.Build(t, b)
	}
	d := differenceOf(t, build(0), build(20e6))
	holdsAccount(t, d)
	want := "Threads wait 20.0 ms longer for mutex m in pthread_mutex_lock: 20.0 ms instead of " +
		"0 ns over all threads, in 1 call, mostly released by first; +20.0 ms of the elapsed " +
		"time. The longest on side B is 20.0 ms: second waits for first, which is in job for 20.0 ms."
	if len(d.Findings) == 0 || d.Findings[0].Text != want {
		t.Fatalf("no %q first in %+v", want, d.Findings)
	}
	for _, f := range d.Findings {
		if f.Waiting && f.Kind != "wait" && f.Under < 0 {
			t.Errorf("%s stands by itself", f.Text)
		}
	}
	if left := d.Left.Delta; left != (account.Delta{}) {
		t.Errorf("%+v is left", left)
	}
}

// pool simulates the program of docs/recording.md: workers that each ask 10 queries of 1 ms, of which
// as many run at a time as there are permits.
func pool(t *testing.T, workers, permits int) *trace.Trace {
	t.Helper()
	b := trace.NewBuilder("test")
	fn := func(name string) trace.FuncID { return b.Function(trace.Function{Name: name}) }
	sem, free := b.Object("permits"), make([]int64, permits) // when each permit is free
	threads, now := make([]*trace.ThreadBuilder, workers), make([]int64, workers)
	main := b.Thread("main", -1)
	main.Begin(0, fn("main"))
	for w := range threads {
		threads[w] = b.Thread(fmt.Sprint("worker ", w), -1)
		threads[w].Begin(0, fn("worker"))
	}
	for range 10 {
		for w, th := range threads {
			p := slices.Index(free, slices.Min(free))
			begin := max(now[w], free[p])
			th.Block(th.Complete(now[w], begin, fn("sem_wait")), trace.Wait, sem)
			th.Complete(begin, begin+1e6, fn("query"))
			th.Block(th.Complete(begin+1e6, begin+1e6, fn("sem_post")), trace.Release, sem)
			now[w], free[p] = begin+1e6, begin+1e6
		}
	}
	joined := int64(0)
	for w, th := range threads {
		ended := b.Object(fmt.Sprint("thread ", w))
		th.Block(th.Complete(now[w], now[w], fn("exit")), trace.Release, ended)
		th.End(now[w])
		main.Block(main.Complete(joined, now[w], fn("pthread_join")), trace.Wait, ended)
		joined = now[w]
	}
	main.End(joined + 1e5)
	return testtrace.Build(t, b)
}

// TestThePoolWaitsForItsPermits holds that the manual's example begins with its cause, and that this
// explains the difference.
func TestThePoolWaitsForItsPermits(t *testing.T) {
	d := differenceOf(t, pool(t, 4, 4), pool(t, 4, 1))
	holdsAccount(t, d)
	if e := d.Balance.Elapsed; e != ([2]int64{10100000, 40100000}) {
		t.Fatal("elapsed", e)
	}
	if w := "for semaphore permits in sem_wait"; len(d.Findings) == 0 ||
		!strings.Contains(d.Findings[0].Text, w) || d.Findings[0].Own.ElapsedNs < 27e6 {
		t.Errorf("no %q first in %+v", w, d.Findings)
	}
}

// TestSleepingAtOnceIsTold holds that waiting which changes elapsed time alone is a finding: two
// threads sleep one after the other, or at once.
func TestSleepingAtOnceIsTold(t *testing.T) {
	build := func(second int64) *trace.Trace {
		b := trace.NewBuilder("test")
		for k, from := range []int64{0, second} {
			th := b.Thread(fmt.Sprint("thread ", k), -1)
			th.Block(th.Complete(from, from+10e6, b.Function(trace.Function{Name: "sleep"})), trace.Wait)
		}
		return testtrace.Build(t, b)
	}
	d := differenceOf(t, build(10e6), build(0))
	holdsAccount(t, d)
	want := "Threads wait about as long as in A in sleep: 20.0 ms over all threads, " +
		"in 2 calls, more of it at the same time; −10.0 ms of the elapsed time."
	if len(d.Findings) == 0 || d.Findings[0].Text != want {
		t.Errorf("no %q first in %+v", want, d.Findings)
	}
}

// TestIOIsTold holds that I/O that no finding tells is one of the account.
func TestIOIsTold(t *testing.T) {
	build := func(ns int64) *trace.Trace {
		b := trace.NewBuilder("test")
		th := b.Thread("main", -1)
		th.Begin(0, b.Function(trace.Function{Name: "main"}))
		th.Block(th.Complete(1e6, 1e6+ns, b.Function(trace.Function{Name: "read"})), trace.IO)
		th.End(2e6 + ns)
		return testtrace.Build(t, b)
	}
	d := New(&finding.Report{Noise: finding.Noise{Quiet: true}}, differenceOf(t, build(1e6), build(11e6)).Balance)
	holdsAccount(t, d)
	want := "read does I/O for 11.0 ms instead of 1.00 ms, in 1 call."
	if len(d.Findings) != 1 || d.Findings[0].Text != want || d.Findings[0].Own.ElapsedNs != 10e6 {
		t.Errorf("%+v, want %q", d.Findings, want)
	}
}

// TestTheSameIOIsNotTold holds that I/O which takes as long as before is no finding, though the
// critical path no longer goes through it.
func TestTheSameIOIsNotTold(t *testing.T) {
	build := func(job int64) *trace.Trace {
		b := trace.NewBuilder("test")
		reader := b.Thread("reader", -1)
		reader.Block(reader.Complete(0, 10e6, b.Function(trace.Function{Name: "read"})), trace.IO)
		b.Thread("worker", -1).Complete(0, job, b.Function(trace.Function{Name: "job"}))
		return testtrace.Build(t, b)
	}
	d := differenceOf(t, build(1e6), build(20e6))
	holdsAccount(t, d)
	for _, f := range d.Findings {
		if f.Kind == "io" {
			t.Errorf("%+v", f)
		}
	}
}

// TestIdleTimeIsTold holds that time between calls is a finding, and time off CPU is.
func TestIdleTimeIsTold(t *testing.T) {
	build := func(gap, off int64) *trace.Trace {
		b := trace.NewBuilder("test")
		th, step := b.Thread("main", -1), b.Function(trace.Function{Name: "step"})
		th.Complete(0, 10e6, step)
		th.Begin(10e6+gap, step)
		th.Complete(12e6+gap, 12e6+gap+off, b.Function(trace.Function{Name: "linux:schedule (pre-empted)",
			Kind: trace.Event}))
		th.End(20e6 + gap + off)
		return testtrace.Build(t, b)
	}
	d := differenceOf(t, build(1e6, 1e6), build(31e6, 6e6))
	holdsAccount(t, d)
	want := "Threads are idle, in no call, for 31.0 ms instead of 1.00 ms; +30.0 ms of the elapsed time."
	if d.Findings[0].Text != want {
		t.Errorf("the first finding is %q, want %q", d.Findings[0].Text, want)
	}
	// The findings tell the state, too; without them the account does.
	d = New(&finding.Report{Noise: finding.Noise{Quiet: true}}, d.Balance)
	want = "Threads are off CPU, pre-empted or ready to run, for 6.00 ms instead of 1.00 ms."
	if len(d.Findings) < 2 || d.Findings[1].Text != want || d.Findings[1].Own.WorkNs != 5e6 {
		t.Errorf("no %q in %+v", want, d.Findings)
	}
}

// TestSamplesOfItselfAreNotThoseOfCallees holds that in a profile a finding about a function's own
// samples owns these alone.
func TestSamplesOfItselfAreNotThoseOfCallees(t *testing.T) {
	build := func(own, below int64) *trace.Trace {
		b := trace.NewBuilder("test")
		b.Kind = trace.Profile
		th := b.Thread("samples", -1)
		th.Begin(0, b.Function(trace.Function{Name: "f"}))
		th.Complete(0, below, b.Function(trace.Function{Name: "g"}))
		th.End(below + own)
		return testtrace.Build(t, b)
	}
	x := differenceOf(t, build(1000, 1000), build(9000, 5000))
	for q, want := range map[finding.Quantity]int64{finding.SelfNs: 8000, finding.TotalNs: 12000} {
		f := finding.Finding{Kind: finding.Slower, Function: "f", DeltaNs: 12000, Under: -1,
			ID: uint32(slices.Index(x.Balance.Pair.Names, "f")), Claims: []finding.Claim{{Quantity: q}}}
		r := &finding.Report{Findings: []finding.Finding{f}}
		d, err := Find(t.Context(), x.Balance.Pair, r, x.Balance.Waits, nil)
		if err != nil {
			t.Fatal(err)
		}
		holdsAccount(t, d)
		if d.Findings[0].Own.WorkNs != want {
			t.Errorf("%v: %d is owned, want %d", q, d.Findings[0].Own.WorkNs, want)
		}
	}
}

// TestJoinsFollow holds that a wait for a thread's end stands under what made that thread take longer.
func TestJoinsFollow(t *testing.T) {
	build := func(job int64) *trace.Trace {
		b := trace.NewBuilder("test")
		fn := func(name string) trace.FuncID { return b.Function(trace.Function{Name: name}) }
		ended := b.Object("worker")
		worker := b.Thread("worker", -1)
		worker.Complete(0, job, fn("job"))
		worker.Block(worker.Complete(job, job+1000, fn("exit")), trace.Release, ended)
		main := b.Thread("main", -1)
		main.Block(main.Complete(0, job+1000, fn("pthread_join")), trace.Wait, ended)
		return testtrace.Build(t, b)
	}
	d := differenceOf(t, build(10e6), build(30e6))
	holdsAccount(t, d)
	for i, f := range d.Findings {
		if under := map[string]int{"job": -1, "pthread_join": 0}; f.Under != under[f.Function] ||
			i == 0 && (f.Function != "job" || f.Own.ElapsedNs != 20e6) {
			t.Errorf("number %d: %+v", i, f)
		}
	}
}

// TestChanceClaimsLast holds that a finding which could be chance gets only what others leave.
func TestChanceClaimsLast(t *testing.T) {
	a := &attribution{p: &pair.Pair{}, found: []finding.Finding{
		{Kind: finding.Slower, ID: 1, Under: -1, Certainty: finding.Chance},
		{Kind: finding.New, ID: 2, Under: -1, Certainty: finding.Likely},
		{Kind: finding.New, ID: 3, Under: 1}, {Kind: finding.Faster, ID: 4, Under: -1}}}
	if got := a.claimOrder(); !slices.Equal(got, []int{1, 3, 0}) {
		t.Errorf("claim in the order %v", got)
	}
}
