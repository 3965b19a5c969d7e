package explain

import (
	"slices"
	"testing"

	"diptych/internal/account"
	"diptych/internal/align/finding"
	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// TestLevels holds how sure a change of waiting is, by how large its stretches are and how the run
// changed.
func TestLevels(t *testing.T) {
	real := finding.Noise{Drift: 0.02, Functions: 0.02}
	for _, c := range []struct {
		name    string
		noise   finding.Noise
		elapsed [2]int64
		ns      [2]int64
		each    float64 // ns of a stretch
		want    finding.Certainty
	}{
		{"a simulator's clock", finding.Noise{Quiet: true}, [2]int64{1000, 1000}, [2]int64{100, 200}, 100,
			finding.Certain},
		{"many waits", real, [2]int64{1000, 1000}, [2]int64{100, 300}, 1, finding.Likely},
		{"one long wait", real, [2]int64{1000, 1000}, [2]int64{100, 300}, 200, finding.Chance},
		{"as much more as the run is longer", real, [2]int64{1000, 3000}, [2]int64{100, 300}, 1,
			finding.Chance},
		{"little", real, [2]int64{1000, 1000}, [2]int64{100, 105}, .01, finding.Chance},
		{"a thread that stalls", finding.Noise{StallNs: 100}, [2]int64{1000, 1000}, [2]int64{100, 300}, 1,
			finding.Chance},
	} {
		a := &attribution{noise: c.noise, b: &account.Balance{Elapsed: c.elapsed}}
		squares := float64(c.ns[0]+c.ns[1]) * c.each
		if got := a.levelOf(c.ns, squares); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestLevelsOfThePace holds that a machine runs up to several times faster or slower by chance.
func TestLevelsOfThePace(t *testing.T) {
	pace := func(factor float64, functions int) account.Pace {
		return account.Pace{Factor: factor, Low: factor * .98, High: factor * 1.02, Functions: functions}
	}
	for _, c := range []struct {
		pace  account.Pace
		drift float64
		want  finding.Certainty
	}{
		{pace(1.05, 50), .01, finding.Chance}, {pace(3.4, 50), .01, finding.Chance},
		{pace(5, 50), .01, finding.Likely}, {pace(0.2, 50), .01, finding.Likely},
		{account.Pace{Factor: 1.3, Low: 1.299, High: 1.301, Functions: 50}, .01, finding.Likely},
		{pace(5, 6), .01, finding.Chance}, {pace(5, 50), .5, finding.Chance},
		{account.Pace{Factor: 1000, Unit: true}, .1, finding.Certain},
	} {
		a := &attribution{noise: finding.Noise{Drift: c.drift}, b: &account.Balance{}}
		if got := a.levelOfPace(c.pace); got != c.want {
			t.Errorf("%+v, drift %v: %v, want %v", c.pace, c.drift, got, c.want)
		}
	}
}

// TestLevelsOfTheProfilesPace holds that a busy machine may make all functions of a profile take longer, or
// more samples; but nothing makes them allocate more by chance, if that is not sampled.
func TestLevelsOfTheProfilesPace(t *testing.T) {
	for profile, want := range map[*trace.Trace]finding.Certainty{
		{Unit: trace.Nanoseconds, SampleType: "cpu"}:       finding.Chance,
		{Unit: trace.Counted}:                              finding.Chance,
		{Unit: trace.Counted, SampleType: "samples"}:       finding.Chance,
		{Unit: trace.Counted, SampleType: "alloc_objects"}: finding.Certain,
		{Unit: "bytes", SampleType: "alloc_space"}:         finding.Certain,
	} {
		profile.Kind = trace.Profile
		a := &attribution{p: &pair.Pair{A: profile, B: profile}, r: &finding.Report{}, noise: finding.Noise{Quiet: true}}
		if got := a.levelOfPace(account.Pace{Factor: 1.35, Low: 1.33, High: 1.39, Functions: 21}); got != want {
			t.Errorf("%s in %s: %v, want %v", profile.SampleType, profile.Unit, got, want)
		}
	}
}

// TestLevelsOfTheWay holds that a path that goes through other threads says nothing unless the run
// differs by as much.
func TestLevelsOfTheWay(t *testing.T) {
	for _, c := range []struct {
		own, b int64
		want   finding.Certainty
	}{{500, 1500, finding.Likely}, {500, 1100, finding.Chance}, {-500, 1500, finding.Chance},
		{10, 1010, finding.Chance}} {
		a := &attribution{noise: finding.Noise{Drift: .02}, b: &account.Balance{Elapsed: [2]int64{1000, c.b}}}
		if got := a.levelOfWay(c.own); got != c.want {
			t.Errorf("%d of %d: %v, want %v", c.own, c.b-1000, got, c.want)
		}
	}
}

// TestLevelOfWaits holds that a caller who knows the sums of some waits alone gets the level that a
// finding about them has: 9 waits of 400 on either side have a deviation of about 1,700.
func TestLevelOfWaits(t *testing.T) {
	squares := 2 * 9 * 400. * 400.
	for _, c := range []struct {
		ns    [2]int64
		noise finding.Noise
		want  finding.Certainty
	}{
		{[2]int64{3600, 5300}, finding.Noise{}, finding.Chance},
		{[2]int64{3600, 12000}, finding.Noise{}, finding.Likely},
		{[2]int64{3600, 12000}, finding.Noise{Drift: .9}, finding.Chance},
		{[2]int64{3600, 5300}, finding.Noise{Quiet: true}, finding.Certain},
	} {
		d := &Difference{Balance: &account.Balance{Elapsed: [2]int64{1000, 1000}},
			Found: &finding.Report{Noise: c.noise}}
		if got := d.LevelOfWaits(c.ns, squares); got != c.want {
			t.Errorf("%v with %+v: %v, want %v", c.ns, c.noise, got, c.want)
		}
	}
}

// TestLevelsOfWaits holds that a few long waits are likely to be more than chance where many
// calls of the other side hardly had to wait, and the run is longer by as much; and so are many
// more calls that wait as long as the others.
func TestLevelsOfWaits(t *testing.T) {
	run := func(b int64) *account.Balance { return &account.Balance{Elapsed: [2]int64{1000, b}} }
	for _, c := range []struct {
		name  string
		b     *account.Balance
		ns    [2]int64
		calls [2]int64
		want  finding.Certainty
	}{
		{"three waits of a hundred calls", run(1600), [2]int64{1, 900}, [2]int64{100, 100}, finding.Likely},
		{"the other way round", run(600), [2]int64{900, 1}, [2]int64{100, 100}, finding.Likely},
		{"few calls", run(1600), [2]int64{1, 900}, [2]int64{10, 100}, finding.Chance},
		{"some waiting on both sides", run(1600), [2]int64{90, 900}, [2]int64{100, 100}, finding.Chance},
		{"a run as long as before", run(1010), [2]int64{1, 900}, [2]int64{100, 100}, finding.Chance},
		{"a shorter run", run(700), [2]int64{1, 900}, [2]int64{100, 100}, finding.Chance},
		{"three times the calls", run(3000), [2]int64{200, 600}, [2]int64{40, 120}, finding.Likely},
		{"a third of the calls", run(300), [2]int64{600, 200}, [2]int64{120, 40}, finding.Likely},
		{"a few calls more", run(1400), [2]int64{200, 280}, [2]int64{5, 7}, finding.Chance},
		{"more calls, of which something else takes the time", run(1000), [2]int64{473, 491},
			[2]int64{40, 120}, finding.Chance},
		{"more calls, which wait less", run(700), [2]int64{600, 290}, [2]int64{40, 120}, finding.Chance},
		{"fewer calls, which wait more", run(1400), [2]int64{290, 600}, [2]int64{120, 40}, finding.Chance},
		{"more calls, and each takes longer", run(3000), [2]int64{200, 1900}, [2]int64{40, 120}, finding.Chance},
	} {
		a := &attribution{noise: finding.Noise{Drift: .02}, b: c.b, p: &pair.Pair{Names: []string{"wait"}},
			r: &finding.Report{}}
		w := &account.WaitChange{Ns: c.ns, Calls: c.calls, Squares: 3 * 300 * 300}
		if got := a.levelOfWait(w, false); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		a.p.Names[0] = "pthread_cond_wait" // which is called only if there is something to wait for
		if got := a.levelOfWait(w, false); got != finding.Chance {
			t.Errorf("%s, for a condition: %v", c.name, got)
		}
	}
}

// TestOneWaitSaysNothing holds that of many calls which hardly wait on one side, it takes several
// long waits on the other to be more than chance.
func TestOneWaitSaysNothing(t *testing.T) {
	for long, want := range map[int64]finding.Certainty{1: finding.Chance, 3: finding.Likely} {
		a := &attribution{noise: finding.Noise{Drift: .02}, p: &pair.Pair{Names: []string{"lock"}},
			r: &finding.Report{}, b: &account.Balance{Elapsed: [2]int64{1000, 1600}}}
		each := 900 / long
		w := &account.WaitChange{Ns: [2]int64{1, 900}, Calls: [2]int64{398, 397}, Squares: float64(long * each * each)}
		if got := a.levelOfWait(w, false); got != want {
			t.Errorf("%d long waits: %v, want %v", long, got, want)
		}
		if got := a.levelOfWait(w, true); got != finding.Chance {
			t.Errorf("%d long waits for a thread without a processor: %v", long, got)
		}
	}
}

// TestWaitsForAProcessor holds that a few long waits of many for a lock are chance if its holder has
// no processor meanwhile, and more than that if it works.
func TestWaitsForAProcessor(t *testing.T) {
	build := func(long int, what trace.Function) *trace.Trace {
		b := trace.NewBuilder("test")
		m, one, two := b.Object("m"), b.Thread("one", -1), b.Thread("two", -1)
		fn := func(name string) trace.FuncID { return b.Function(trace.Function{Name: name}) }
		for k := range 100 {
			holds, vary := int64(0), int64(k*k%7)
			if k%33 < long {
				holds = 20_000
			}
			at := int64(k)*1000 + 20_000*int64(k/33*long+min(k%33, long)) + vary
			one.Begin(at, fn("work"))
			if holds > 0 {
				one.Complete(at+10, at+holds, b.Function(what))
			}
			one.Block(one.Complete(at+holds+80, at+holds+90+vary, fn("unlock")), trace.Release, m)
			one.End(at + holds + 100 + vary)
			lock := at + holds + 95 + vary
			if holds > 0 {
				lock = at + 20
			}
			two.Block(two.Complete(lock, at+holds+100+vary, fn("lock")), trace.Wait, m)
		}
		return testtrace.Build(t, b)
	}
	for _, c := range []struct {
		what trace.Function
		want finding.Certainty
	}{{trace.Function{Name: "job"}, finding.Likely}, {trace.Function{Name: "runnable", Kind: trace.State, Off: trace.Ready}, finding.Chance}} {
		d := differenceOf(t, build(0, c.what), build(1, c.what))
		k := slices.IndexFunc(d.Findings, func(f Finding) bool { return f.Kind == "wait" && f.Function == "lock" })
		if k < 0 || d.Findings[k].Certainty != c.want {
			t.Errorf("the holder is in %s: %+v, want %v", c.what.Name, d.Findings, c.want)
		}
	}
}

// TestCrowds holds that threads which wait longer because more of them run at a time, and the run
// takes less time, may do so by chance; but not if the run takes longer.
func TestCrowds(t *testing.T) {
	for _, c := range []struct {
		elapsed, cpu [2]int64
		want         finding.Certainty
	}{
		{[2]int64{1100, 1000}, [2]int64{800, 1100}, finding.Chance},
		{[2]int64{1100, 1000}, [2]int64{800, 800}, finding.Likely},
		{[2]int64{990, 1000}, [2]int64{800, 1100}, finding.Chance},
		{[2]int64{900, 1000}, [2]int64{800, 1100}, finding.Likely},
	} {
		for _, swap := range []bool{false, true} {
			b, w := &account.Balance{}, &account.WaitChange{Calls: [2]int64{600, 600}, Squares: 600}
			for sd := range c.cpu {
				to := sd ^ toInt(swap)
				b.Elapsed[to], b.Total[to][account.CPU], w.Ns[to] = c.elapsed[sd], c.cpu[sd], int64(10+990*sd)
			}
			a := &attribution{b: b, p: &pair.Pair{Names: []string{"lock"}}, r: &finding.Report{}}
			if got := a.levelOfWait(w, false); got != c.want {
				t.Errorf("%v, of which threads run %v: %v, want %v", c.elapsed, c.cpu, got, c.want)
			}
		}
	}
}

// TestLevelsOfABusyMachine holds that one pair of runs cannot say whether threads lack a processor
// because of the program, or only because the machine has something else to do.
func TestLevelsOfABusyMachine(t *testing.T) {
	real, quiet := finding.Noise{Drift: .02}, finding.Noise{Quiet: true}
	for _, c := range []struct {
		noise        finding.Noise
		work         int64 // ns; B takes 2000 ns instead of 1000 for it
		off, overlap finding.Certainty
	}{
		{real, 1500, finding.Chance, finding.Likely}, {real, 750, finding.Chance, finding.Chance},
		{quiet, 1500, finding.Certain, finding.Certain}, {quiet, 750, finding.Certain, finding.Certain},
	} {
		b := &account.Balance{Elapsed: [2]int64{1000, 2000}}
		b.Total[pair.A][account.CPU], b.Total[pair.B][account.CPU] = c.work, c.work
		b.Total[pair.B][account.OffCPU] = 1
		a := &attribution{noise: c.noise, b: b}
		if off, overlap := a.levelOfOffCPU(), a.levelOfOverlap(1000); off != c.off || overlap != c.overlap {
			t.Errorf("%d ns of work, %+v: off CPU is %v, overlap %v", c.work, c.noise, off, overlap)
		}
	}
}

// TestBesideTheRun holds that time which changes besides growing with the run does so by as much
// both ways round.
func TestBesideTheRun(t *testing.T) {
	for _, c := range []struct {
		elapsed, ns [2]int64
		want        float64
	}{
		{[2]int64{20, 200}, [2]int64{10, 600}, 500}, {[2]int64{200, 20}, [2]int64{600, 10}, 500},
		{[2]int64{20, 200}, [2]int64{10, 100}, 0}, {[2]int64{100, 100}, [2]int64{10, 30}, 20},
	} {
		a := &attribution{b: &account.Balance{Elapsed: c.elapsed}}
		if got := a.beside(c.ns); got != c.want {
			t.Errorf("%v of %v: %v, want %v", c.ns, c.elapsed, got, c.want)
		}
	}
}
