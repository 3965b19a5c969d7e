package finding

import (
	"slices"
	"strings"
	"testing"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// sampledCalls makes a run of get, whose callee sleep is met so often and takes so long; all calls
// of both were inferred from samples.
func sampledCalls(t *testing.T, rounds, sleeps int, get, sleep int64) *trace.Trace {
	b := trace.NewBuilder("test")
	th, now := b.Thread("1", -1), int64(0)
	fn := func(name string) trace.FuncID { return b.Function(trace.Function{Name: name}) }
	th.Begin(0, fn("main"))
	for range rounds {
		th.Complete(now, now+5000, fn("step"))
		now += 5000
		th.Flag(th.Begin(now, fn("get")), trace.Sampled)
		now += get
		for range sleeps {
			th.Flag(th.Complete(now, now+sleep, fn("sleep")), trace.Sampled)
			now += sleep
		}
		th.End(now)
	}
	th.End(now)
	return testtrace.Build(t, b)
}

// TestNumbersOfSamplesSayLittle holds that a number of samples which both sides have could differ
// by chance, unless it is many times as large, and not if that is of a single one.
func TestNumbersOfSamplesSayLittle(t *testing.T) {
	for _, c := range []struct {
		rounds, sleeps int
		want           Certainty
	}{{50, 4, Chance}, {50, 20, Likely}, {1, 17, Chance}, {1, 25, Likely}} {
		_, _, r := compared(t, sampledCalls(t, c.rounds, c.sleeps, 1000, 20_000), sampledCalls(t, c.rounds, 1, 1000, 20_000))
		k := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Function == "sleep" && f.counts() })
		if k < 0 || r.Findings[k].Certainty != c.want {
			t.Errorf("%d samples in each of %d calls: %+v, want %v", c.sleeps, c.rounds, r.Findings, c.want)
		}
	}
}

// TestAFunctionIsToldOnce holds that one thing is told of a function that is slower, where samples
// were taken in some of its calls and none in the others.
func TestAFunctionIsToldOnce(t *testing.T) {
	build := func(self int64) *trace.Trace {
		b, vary := trace.NewBuilder("test"), noisy(uint64(self))
		th, now := b.Thread("1", -1), int64(0)
		fn := func(name string) trace.FuncID { return b.Function(trace.Function{Name: name}) }
		th.Begin(0, fn("main"))
		for k := range 200 {
			th.Begin(now, fn("render"))
			if now += vary(self); k%2 == 0 {
				th.Flag(th.Complete(now, now, fn("preempt")), trace.Sampled)
			}
			th.End(now)
		}
		th.End(now)
		return testtrace.Build(t, b)
	}
	_, _, r := compared(t, build(20_000), build(80_000))
	if n := only(t, r, Slower).Calls; n != [2]int64{200, 200} {
		t.Errorf("%+v", r.Findings)
	}
}

// TestSamplesPassTimeOn holds that self time which a sampled function loses to a callee is no sure
// change of either, but a change of both together is.
func TestSamplesPassTimeOn(t *testing.T) {
	for _, c := range []struct {
		sleep int64
		want  Certainty
	}{{22_000, Chance}, {2000, Certain}} {
		_, _, r := compared(t, sampledCalls(t, 50, 1, 21_000, 2000), sampledCalls(t, 50, 1, 1000, c.sleep))
		k := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Function == "get" && f.Kind == Faster })
		if k < 0 || r.Findings[k].Certainty != c.want {
			t.Errorf("sleep takes %d ns: %+v, want %v", c.sleep, r.Findings, c.want)
		}
	}
}

// TestSamplesPassTimeToCallees holds the same of the callee that gains this time, and that it has
// changed by more than chance if its caller takes no less.
func TestSamplesPassTimeToCallees(t *testing.T) {
	for get, want := range map[int64]Certainty{21_000: Chance, 1000: Likely} {
		_, _, r := compared(t, sampledCalls(t, 50, 1, get, 2000), sampledCalls(t, 50, 1, 1000, 22_000))
		k := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Function == "sleep" && f.Kind == Slower })
		if k < 0 || r.Findings[k].Certainty != want {
			t.Errorf("get takes %d ns in A: %+v, want %v", get, r.Findings, want)
		}
	}
}

// TestSampledCallsThatBlock holds that calls which wait are recorded, however seldom others are
// sampled.
func TestSampledCallsThatBlock(t *testing.T) {
	build := func(calls int, waits bool) *trace.Trace {
		b := trace.NewBuilder("test")
		th, now := b.Thread("1", -1), int64(0)
		for k := range 50 {
			th.Complete(now, now+5000, b.Function(trace.Function{Name: "step"}))
			now += 5000
			if k < calls {
				ref := th.Complete(now, now+7000, b.Function(trace.Function{Name: "backoff"}))
				if th.Flag(ref, trace.Sampled); waits {
					th.Block(ref, trace.Wait)
				}
				now += 7000
			}
		}
		return testtrace.Build(t, b)
	}
	for _, c := range []struct {
		calls int
		waits bool
		told  bool
	}{{10, true, true}, {10, false, false}, {4, true, false}, {40, false, true}} {
		_, _, r := compared(t, build(0, c.waits), build(c.calls, c.waits))
		told := slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Function == "backoff" && f.Kind == New })
		if told != c.told {
			t.Errorf("%d calls that wait (%v): told %v: %+v", c.calls, c.waits, told, r.Findings)
		}
	}
}

// TestTheRuntimeDecides holds that how often the runtime's own functions are sampled in each other
// is up to it, also if one side alone has some; what the program calls is not.
func TestTheRuntimeDecides(t *testing.T) {
	build := func(calls int, caller string) *trace.Trace {
		b := trace.NewBuilder("test")
		th, now := b.Thread("1", -1), int64(0)
		fn := func(name string) trace.FuncID {
			pkg, _, _ := strings.Cut(name, ".")
			return b.Function(trace.Function{Name: name, Package: pkg})
		}
		for k := range 50 {
			th.Begin(now, fn(caller))
			if now += 5000; k < calls {
				th.Flag(th.Complete(now, now+7000, fn("runtime.sweep")), trace.Sampled)
				now += 7000
			}
			th.End(now)
		}
		return testtrace.Build(t, b)
	}
	for _, c := range []struct {
		caller string
		had    int
		want   Certainty
	}{{"runtime.bgsweep", 2, Chance}, {"runtime.bgsweep", 0, Chance}, {"main.run", 0, Likely}, {"main.run", 2, Likely}} {
		_, _, r := compared(t, build(c.had, c.caller), build(40, c.caller))
		k := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Function == "runtime.sweep" && f.counts() })
		if k < 0 || r.Findings[k].Certainty != c.want {
			t.Errorf("%s calls it %d times in A: %+v, want %v", c.caller, c.had, r.Findings, c.want)
		}
	}
}

// TestInterruptsAreNoFindings holds that nothing is told for sure of what the kernel does in
// interrupts while a thread has the processor, but all of what the thread itself calls, in the
// kernel too.
func TestInterruptsAreNoFindings(t *testing.T) {
	build := func(rounds int, name string) *trace.Trace {
		b := trace.NewBuilder("test")
		b.Symbols = true
		th, now := b.Thread("1", -1), int64(0)
		th.SetSampled()
		fn := func(name string) trace.FuncID { return b.Function(trace.Function{Name: name}) }
		th.Begin(0, fn("main"))
		for i := range 300 {
			if now += 1000; i < rounds {
				th.Begin(now, fn(name))
				th.Complete(now, now+1000, fn("handle_softirqs"))
				now += 1000
				th.End(now)
			}
		}
		th.End(now)
		return testtrace.Build(t, b)
	}
	for name, want := range map[string]int{"asm_sysvec_apic_timer_interrupt": 0, "el1h_64_irq_handler": 0,
		"smp_apic_timer_interrupt": 0, "entry_SYSCALL_64_after_hwframe": 1, "asm_exc_page_fault": 1} {
		_, _, r := compared(t, build(100, name), build(0, name))
		if len(r.Findings) != want {
			t.Errorf("%s: %+v", name, r.Findings)
		}
		softirqs := slices.Index(r.sums.names, "handle_softirqs")
		if got := r.Interrupted(uint32(softirqs)); got[0] != int64(1-want)*100_000 || got[1] != 0 {
			t.Errorf("%s: %v ns are interrupts", name, got)
		}
	}
}

// TestFewLongWaitsAreChance holds that a profile of waits differs for certain only by more than the
// weight of a wait explains, however short most of them are.
func TestFewLongWaitsAreChance(t *testing.T) {
	waits := func(long, weight int64) *trace.Trace {
		b := trace.NewBuilder("test")
		b.Kind, b.Symbols, b.SampleWeight = trace.Profile, true, weight
		th, now := b.Thread("delay", -1), int64(0)
		for k := range 9 {
			th.Complete(now, now+2000, b.Function(trace.Function{Name: string(rune('a' + k))}))
			now += 2000
		}
		if long > 0 {
			th.Complete(now, now+long, b.Function(trace.Function{Name: "unlock"}))
		}
		return testtrace.Build(t, b)
	}
	for weight, want := range map[int64]int{0: 1, 100_000: 1, 3_500_000: 0} {
		_, _, r := compared(t, waits(0, 0), waits(17_500_000, weight))
		if len(r.Findings) != want {
			t.Errorf("a wait of %d ns: %+v, want %d", weight, r.Findings, want)
		}
	}
}

// TestSamplesOfANewFunctionAreSure holds that a function which one side lacks is new for certain if
// it was met often, even if single samples hold for so long that its time says little; and if they
// do not, by its time.
func TestSamplesOfANewFunctionAreSure(t *testing.T) {
	run := func(met int, ns, weight int64) *trace.Trace {
		b, now := trace.NewBuilder("test"), int64(0)
		b.SampleWeight = weight
		th := b.Thread("1", -1)
		th.SetSampled()
		for k := range 200 {
			th.Complete(now, now+1000, b.Function(trace.Function{Name: "old"}))
			now += 1000
			if k < met {
				th.Complete(now, now+ns, b.Function(trace.Function{Name: "fresh"}))
				now += ns
			}
		}
		return testtrace.Build(t, b)
	}
	for _, c := range []struct {
		met        int
		ns, weight int64
		want       int
	}{{100, 1000, 1_000_000, 1}, {8, 1000, 1_000_000, 0}, {2, 10_000, 1900, 1}, {2, 10_000, 2100, 0}} {
		_, _, r := compared(t, run(0, 0, c.weight), run(c.met, c.ns, c.weight))
		if len(r.Findings) != c.want {
			t.Errorf("%+v: %+v", c, r.Findings)
		}
	}
}

// TestStallsCountWhereTheyAre holds that a function which one side lacks is new for certain whatever
// single samples hold for elsewhere, unless it is little more than such a sample; and that what both
// sides call could be chance all the same.
func TestStallsCountWhereTheyAre(t *testing.T) {
	const ms = 1_000_000
	run := func(name string, ns, stallAt int64) *trace.Trace {
		b := trace.NewBuilder("test")
		b.SampleWeight, b.SteadyWeight = 50*ms, ms
		th := b.Thread("1", -1)
		th.SetSampled()
		th.Complete(0, 2000*ms, b.Function(trace.Function{Name: "old"}))
		th.Complete(2000*ms, 2000*ms+ns, b.Function(trace.Function{Name: name}))
		if stallAt > 0 {
			th.Stall(stallAt, 270*ms)
		}
		for k := range int64(400) { // functions that are met for 1 ms each
			at := 2500*ms + k*ms
			th.Complete(at, at+ms, b.Function(trace.Function{Name: string(rune('a' + k%9))}))
		}
		return testtrace.Build(t, b)
	}
	for _, c := range []struct {
		name    string
		was     string
		ns, at  int64
		certain bool
	}{
		{"the stall is elsewhere", "old", 400 * ms, 100 * ms, true},
		{"the stall is most of it", "old", 400 * ms, 2050 * ms, false},
		{"both sides call it", "fresh", 400 * ms, 100 * ms, false},
	} {
		_, _, r := compared(t, run(c.was, 1*ms, 0), run("fresh", c.ns, c.at))
		told := slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Function == "fresh" && f.Certainty == Certain })
		if told != c.certain {
			t.Errorf("%s: it is certain: %v, want %v: %+v", c.name, told, c.certain, r.Findings)
		}
	}
}

// TestACalleeIsNamed holds that a function with more samples below it says in which callee most of
// them are, if there is one.
func TestACalleeIsNamed(t *testing.T) {
	profile := func(leaves ...int64) *trace.Trace {
		b := trace.NewBuilder("test")
		b.Kind, b.Symbols = trace.Profile, true
		th, now := b.Thread("cpu", -1), int64(0)
		add := func(name string, ns int64) {
			th.Complete(now, now+ns, b.Function(trace.Function{Name: name}))
			now += ns
		}
		for k := range 10 {
			add(string(rune('a'+k)), 1)
		}
		th.Begin(now, b.Function(trace.Function{Name: "frame"}))
		for k, ns := range leaves {
			add([]string{"compare", "copy", "find"}[k], ns)
		}
		th.End(now)
		return testtrace.Build(t, b)
	}
	for want, leaves := range map[string][]int64{"+59 ns, mostly in compare.": {62, 52, 9}, "+72 ns.": {60, 50, 26}} {
		_, _, r := compared(t, profile(30, 25, 9), profile(leaves...))
		if len(r.Findings) != 1 || !strings.HasSuffix(r.Findings[0].Sentence(), want) {
			t.Errorf("%d: %+v, want %s", leaves, r.Findings, want)
		}
	}
}

// TestWhatIsHardlyMetCouldBeChance holds that a function of which one side alone has few stacks, or
// only some of one moment, could be there on the other side too, unless it takes a part of the run.
func TestWhatIsHardlyMetCouldBeChance(t *testing.T) {
	build := func(stacks, every int, ns int64) *trace.Trace {
		b := trace.NewBuilder("test")
		th, now := b.Thread("1", -1), int64(0)
		fn := func(name string) trace.FuncID { return b.Function(trace.Function{Name: name}) }
		th.Begin(0, fn("main"))
		for k := range 3200 {
			th.Complete(now, now+10_000, fn("step"))
			now += 10_000
			if k%every == 0 && k/every < stacks {
				th.Flag(th.Complete(now, now+ns, fn("met")), trace.Sampled)
				now += ns
			}
		}
		th.End(now)
		return testtrace.Build(t, b)
	}
	for _, c := range []struct {
		stacks, every int
		ns            int64
		want          Certainty
	}{{19, 160, 5000, Chance}, {60, 1, 5000, Chance}, {60, 50, 5000, Likely}, {19, 160, 100_000, Likely}} {
		_, _, r := compared(t, build(0, 1, 0), build(c.stacks, c.every, c.ns))
		if got := only(t, r, New).Certainty; got != c.want {
			t.Errorf("%d stacks, one of %d steps, %d ns each: %v", c.stacks, c.every, c.ns, got)
		}
	}
}

// TestSampledCallsOfOneSideBothWays holds that calls which one side alone has are told for sure in
// either direction, where that side also calls their caller more often.
func TestSampledCallsOfOneSideBothWays(t *testing.T) {
	build := func(puts, locks int) *trace.Trace {
		b := trace.NewBuilder("test")
		th, now := b.Thread("1", -1), int64(0)
		fn := func(name string) trace.FuncID { return b.Function(trace.Function{Name: name}) }
		for range puts {
			th.Begin(now, fn("put"))
			th.Complete(now, now+400_000/int64(puts), fn("digest"))
			now += 400_000 / int64(puts)
			for range locks {
				th.Flag(th.Complete(now, now+20_000, fn("lock")), trace.Sampled)
				now += 20_000
			}
			th.End(now)
		}
		return testtrace.Build(t, b)
	}
	a, b := build(1, 0), build(4, 7)
	for kind, sides := range map[Kind][2]*trace.Trace{New: {a, b}, Missing: {b, a}} {
		_, _, r := compared(t, sides[0], sides[1])
		k := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Function == "lock" && f.Kind == kind })
		if k < 0 || r.Findings[k].Certainty == Chance {
			t.Errorf("%v: %+v", kind, r.Findings)
		}
	}
}
