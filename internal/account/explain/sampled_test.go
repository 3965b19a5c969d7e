package explain

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"diptych/internal/align/finding"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// sampledRun has threads whose calls are runs of samples, 1 ms each: hot is met so often, in
// between other functions, and fresh so often at the end.
func sampledRun(t testtrace.TB, threads, hot, fresh int) *trace.Trace {
	b := trace.NewBuilder("test")
	b.Symbols = true
	for k := range threads {
		th, now := b.Thread(string(rune('1'+k)), -1), int64(0)
		th.SetName("worker")
		th.SetSampled()
		th.Begin(0, b.Function(trace.Function{Name: "main"}))
		run := func(name string) {
			th.Begin(now, b.Function(trace.Function{Name: name}))
			now += 1_000_000
			th.End(now)
		}
		for i := range 2 * hot {
			run([]string{"hot", "step"}[i%2])
		}
		for range fresh {
			run("fresh")
		}
		th.End(now)
	}
	tr, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// TestSampledCallsAreNotCounted: the number of runs of samples is no number of calls, so no
// sentence tells it; what is told is time.
func TestSampledCallsAreNotCounted(t *testing.T) {
	counted := regexp.MustCompile(`\b(calls?|called|runs \d+ times?)\b`)
	for _, threads := range []int{1, 2} {
		d := differenceOf(t, sampledRun(t, threads, 40, 0), sampledRun(t, 2, 160, 90))
		holdsAccount(t, d)
		told := ""
		for i := range d.Findings {
			f := &d.Findings[i]
			told += f.Kind + " " + f.Text + "\n"
			if text := strings.NewReplacer("in no call", "", ", called by main", "").Replace(f.Text); counted.MatchString(text) {
				t.Errorf("%d threads: calls are counted: %s", threads, text)
			}
		}
		for _, want := range []string{"fresh is sampled in B only, called by main: +180 ms", "hot takes 320 ms of self time instead of "} {
			if !strings.Contains(told, want) {
				t.Errorf("%d threads: no %q in\n%s", threads, want, told)
			}
		}
	}
}

// TestTimeWithoutSamples: while a thread has no samples, it waits or another program has its
// processor, which one pair of runs cannot tell from a change; and it need not be in no call.
func TestTimeWithoutSamples(t *testing.T) {
	build := func(gap int64) *trace.Trace {
		b := trace.NewBuilder("test")
		th, now := b.Thread("1", -1), int64(0)
		th.SetSampled()
		for k := range 100 {
			if k == 50 {
				now += gap
			}
			th.Complete(now, now+1_000_000, b.Function(trace.Function{Name: []string{"f", "g"}[k%2]}))
			now += 1_000_000
		}
		return testtrace.Build(t, b)
	}
	d := differenceOf(t, build(40_000_000), build(0))
	holdsAccount(t, d)
	want := "Threads are in no sampled function, idle or without a processor, for 0 ns instead of " +
		"40.0 ms; −40.0 ms of the elapsed time; could be chance."
	if f := find(t, d, "Threads are"); f.Text != want || f.Certainty != finding.Chance {
		t.Errorf("%q, want %q", f.Text, want)
	}
}

// TestInterruptsAreChance: that a package changed is not sure if it did so in interrupts alone.
func TestInterruptsAreChance(t *testing.T) {
	build := func(rounds int, name string) *trace.Trace {
		b := trace.NewBuilder("test")
		b.Symbols = true
		th, now := b.Thread("1", -1), int64(0)
		th.SetSampled()
		fn := func(pkg, name string) trace.FuncID {
			return b.Function(trace.Function{Name: name, Package: pkg})
		}
		th.Begin(0, fn("app", "main"))
		for i := range 300 {
			if now += 1000; i < rounds {
				th.Begin(now, fn("kernel", name))
				for k := range 5 {
					th.Complete(now, now+200, fn("kernel", fmt.Sprint("work", (5*i+k)%100)))
					now += 200
				}
				th.End(now)
			}
		}
		th.End(now)
		return testtrace.Build(t, b)
	}
	for _, name := range []string{"asm_sysvec_apic_timer_interrupt", "do_syscall_64"} {
		d, sure := differenceOf(t, build(100, name), build(10, name)), 0
		holdsAccount(t, d)
		for _, f := range d.Findings {
			sure += toInt(!f.byChance())
		}
		if (sure > 0) != (name == "do_syscall_64") {
			t.Errorf("%s: %+v", name, d.Findings)
		}
	}
}

// page returns a trace with tasks of a thread that run scripts, and stack samples of the same time:
// of layout, which takes 2 ms a task, and of render, which takes as many.
func page(t testtrace.TB, render int64) *trace.Trace {
	const tasks, ms = 40, 1_000_000
	b := trace.NewBuilder("test")
	b.Symbols = true
	main, samples := b.Thread("1", -1), b.Thread("1/samples", -1)
	main.SetName("main")
	samples.SetName("main samples")
	samples.SetSampled()
	samples.SetKind(trace.Samples)
	fn := func(name string) trace.FuncID { return b.Function(trace.Function{Name: name}) }
	now := int64(0)
	for range tasks {
		end := now + (2+render)*ms
		main.Complete(now, end+ms, fn("RunTask"))
		main.Complete(now, end, fn("FunctionCall"))
		samples.Complete(now, now+2*ms, fn("layout"))
		samples.Complete(now+2*ms, end, fn("render"))
		now = end + 2*ms
	}
	return testtrace.Build(t, b)
}

// TestSamplesBesideEvents: what stack samples of a thread show, whose events are there too, is no
// work beside that of the events. But it is told with them, for it says where their time went.
func TestSamplesBesideEvents(t *testing.T) {
	d := differenceOf(t, page(t, 3), page(t, 6))
	holdsAccount(t, d)
	holdsClaims(t, d)
	if got, want := d.Balance.Delta().WorkNs, int64(40*3*1_000_000); got != want {
		t.Errorf("%d ns more work, want %d", got, want)
	}
	var told []string
	for i := range d.Findings {
		if f := &d.Findings[i]; f.Section == Timed {
			told = append(told, fmt.Sprint(f.Function, " ", f.DeltaNs, " ", f.Own.WorkNs))
		}
	}
	if got := fmt.Sprint(told); got != "[FunctionCall 120000000 120000000 render 120000000 0]" {
		t.Errorf("told: %v", got)
	}
}

// TestPhasesOfTheRuntimeComeFirst holds that what the runtime does more often, on a track of its own,
// stands before what could be chance, though it owns no thread's time.
func TestPhasesOfTheRuntimeComeFirst(t *testing.T) {
	build := func(stays int, work int64) *trace.Trace {
		b := trace.NewBuilder("test")
		main := b.Thread("main", -1)
		main.Complete(0, work, b.Function(trace.Function{Name: "work"}))
		main.Complete(work, 1e9, b.Function(trace.Function{Name: "rest"}))
		world, mark := b.Thread("world", -1), b.Function(trace.Function{Name: "mark", Kind: trace.Event})
		world.SetKind(trace.AsyncTrack)
		for k := range stays {
			world.Complete(int64(k)*6e6, int64(k)*6e6+2e6, mark)
		}
		return testtrace.Build(t, b)
	}
	d := differenceOf(t, build(60, 3e8), build(160, 6e8))
	if f := d.Findings[0]; f.Function != "mark" || f.Section != Timed {
		t.Errorf("first is %q: %+v", f.Text, f)
	}
}
