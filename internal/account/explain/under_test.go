package explain

import (
	"slices"
	"strings"
	"testing"

	"diptych/internal/account"
	"diptych/internal/align/finding"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// switching builds a thread whose calls may be off CPU.
type switching struct {
	b   *trace.Builder
	th  *trace.ThreadBuilder
	off trace.FuncID
	now int64
}

func newSwitching() *switching {
	b := trace.NewBuilder("test")
	s := &switching{b: b, th: b.Thread("main", -1)}
	s.off = b.Function(trace.Function{Name: "linux:schedule", Kind: trace.Event, Off: trace.Switched})
	return s
}

// call adds a call that runs for self ns around what it calls.
func (s *switching) call(name string, self int64, callees ...func()) {
	at := s.now
	s.now += self / 2
	for _, c := range callees {
		c()
	}
	s.now += self - self/2
	ref := s.th.Complete(at, s.now, s.b.Function(trace.Function{Name: name}))
	if strings.HasPrefix(name, "usleep") {
		s.th.Block(ref, trace.Wait)
	}
}

// sleep adds a stay without a processor.
func (s *switching) sleep(ns int64) {
	s.th.Complete(s.now, s.now+ns, s.off)
	s.now += ns
}

// find returns the finding whose sentence begins with some words.
func find(t *testing.T, d *Difference, words string) *Finding {
	t.Helper()
	k := slices.IndexFunc(d.Findings, func(f Finding) bool { return strings.HasPrefix(f.Text, words) })
	if k < 0 {
		t.Fatalf("no finding begins with %q: %+v", words, d.Findings)
	}
	return &d.Findings[k]
}

// TestPreemptionIsNoWaiting holds that calls which are off CPU do not wait for anything, and do not
// own that time: another program's turn may have fallen into any call.
func TestPreemptionIsNoWaiting(t *testing.T) {
	build := func(lookups int) *trace.Trace {
		s := newSwitching()
		s.call("main", 1000, func() {
			for range 40 {
				s.call("draw", 50_000)
			}
			for k := range lookups {
				s.call("lookup", 10_000, func() {
					if k%8 == 0 {
						s.sleep(200_000)
					}
				})
			}
		})
		return testtrace.Build(t, s.b)
	}
	d := differenceOf(t, build(0), build(40))
	holdsAccount(t, d)
	f := find(t, d, "lookup is new in B")
	want := "lookup is new in B: 40 calls, +1.40 ms including callees, called by main, most of it off CPU."
	if f.Text != want || f.Own.WorkNs != 400_000 {
		t.Errorf("%q owns %+v, want %q", f.Text, f.Own, want)
	}
}

// TestFollowersAreToldOnce holds that a function which is called less because its caller is called
// less is told under it, and not by its self time once more. Most of the time of both is off CPU,
// and so is more of that of others in B: so only their self time is told.
func TestFollowersAreToldOnce(t *testing.T) {
	build := func(areas, crosses int, inDraw int64) *trace.Trace {
		s := newSwitching()
		s.call("main", 1000, func() {
			for range 40 {
				s.call("draw", 50_000, func() { s.call("at", 100, func() { s.sleep(inDraw) }) })
			}
			for range areas {
				s.call("area", 2_000, func() {
					for range crosses {
						s.call("cross", 2_000, func() { s.call("at", 100, func() { s.sleep(100_000) }) })
					}
				})
			}
		})
		return testtrace.Build(t, s.b)
	}
	d := differenceOf(t, build(120, 3, 0), build(10, 1, 1_200_000))
	holdsAccount(t, d)
	told := 0
	for i := range d.Findings {
		told += toInt(d.Findings[i].Function == "cross" && d.Findings[i].Kind != finding.Divergence.String())
	}
	f := find(t, d, "area runs 10 times instead of 120 in the same loops by main: −220 µs of self time")
	if told != 1 || f.Own != (account.Delta{ElapsedNs: -920_000, WorkNs: -920_000}) {
		t.Errorf("cross is told %d times, area owns %+v: %+v", told, f.Own, d.Findings)
	}
}

// TestNewWaits holds that waiting in a function that only one side calls is the program's, however
// few calls there are, and that the state in which the thread was meanwhile is told under it.
func TestNewWaits(t *testing.T) {
	build := func(sleeps int) *trace.Trace {
		s := newSwitching()
		s.call("main", 1000, func() {
			for k := range 40 {
				s.call("draw", 50_000)
				s.call("flush", 1_000, func() {
					if k < sleeps {
						s.call("usleep", 1000, func() { s.sleep(300_000) })
					}
				})
			}
		})
		return testtrace.Build(t, s.b)
	}
	a, b := build(0), build(4)
	for _, c := range []struct {
		name string
		a, b *trace.Trace
		want string
	}{
		{"new", a, b, "Threads wait 1.20 ms longer in usleep (new in B) called by flush, in 4 calls; " +
			"+1.20 ms of the elapsed time."},
		{"missing", b, a, "Threads wait 1.20 ms less in usleep (missing in B) called by flush, in 4 " +
			"calls; −1.20 ms of the elapsed time."},
	} {
		d := differenceOf(t, c.a, c.b)
		holdsAccount(t, d)
		f := find(t, d, "Threads wait")
		if f.Text != c.want || f.Certainty != finding.Likely {
			t.Errorf("%s: %q is %v, want %q", c.name, f.Text, f.Certainty, c.want)
		}
		state := find(t, d, "Threads spend")
		if state.Under < 0 || &d.Findings[state.Under] != f {
			t.Errorf("%s: %q stands by itself", c.name, state.Text)
		}
		if state.Certainty != f.Certainty || strings.Contains(state.Text, "chance") {
			t.Errorf("%s: %q is %v, but the same as a wait that is %v", c.name, state.Text, state.Certainty, f.Certainty)
		}
	}
}

// TestSpecificCausesComeFirst holds that calls which are more frequent by themselves own their
// time, and not the dispatcher that is called more often too; but calls that the dispatcher
// explains are its own.
func TestSpecificCausesComeFirst(t *testing.T) {
	build := func(tasks, layouts, replies int) *trace.Trace {
		s := newSwitching()
		s.call("main", 1000, func() {
			for k := range tasks {
				s.call("task", 10_000, func() {
					if k < 100 {
						s.call("script", 20_000, func() {
							if k < layouts {
								s.call("layout", 30_000)
							}
						})
					}
					if k < replies {
						s.call("reply", 9_000)
					}
				})
			}
		})
		return testtrace.Build(t, s.b)
	}
	d := differenceOf(t, build(100, 2, 100), build(160, 100, 160))
	holdsAccount(t, d)
	want := map[string]int64{"layout": 98 * 30_000, "task": 60 * (10_000 + 9_000), "reply": 0}
	for i := range d.Findings {
		f := &d.Findings[i]
		if ns, ok := want[f.Function]; ok && f.Kind != "divergence" && f.Own.WorkNs != ns {
			t.Errorf("%s owns %d ns, want %d", f.Text, f.Own.WorkNs, ns)
		}
	}
	if d.Findings[0].Function != "layout" || d.Findings[1].Function != "task" {
		t.Errorf("%s comes first, then %s", d.Findings[0].Text, d.Findings[1].Text)
	}
}

// TestLongIOIsToldAsSuch holds that what a call waits for a device is not owned by a finding about
// the little self time that it takes more: it is told as I/O, with its own numbers.
func TestLongIOIsToldAsSuch(t *testing.T) {
	build := func(self, off int64) *trace.Trace {
		s := newSwitching()
		s.call("main", 1000, func() {
			for range 40 {
				s.call("step", 1e6)
			}
			at := s.now
			s.sleep(off)
			s.now += self
			ref := s.th.Complete(at, s.now, s.b.Function(trace.Function{Name: "open"}))
			s.th.Block(ref, trace.IO)
		})
		return testtrace.Build(t, s.b)
	}
	d := differenceOf(t, build(100e3, 0), build(600e3, 10e6))
	io := find(t, d, "open does I/O for 10.6 ms instead of 100 µs")
	if io.Own.WorkNs < 9e6 {
		t.Errorf("%+v owns %v", io.Text, io.Own)
	}
	for i := range d.Findings {
		if f := &d.Findings[i]; f.Kind == "slower" && f.Function == "open" && f.Own.WorkNs > 1e6 {
			t.Errorf("%s owns %v", f.Text, f.Own)
		}
	}
}

// TestAllCallsAreCounted holds that a sentence about a function's own time counts all its calls, also
// those that wait for all of theirs: of two calls of a service, one has an answer.
func TestAllCallsAreCounted(t *testing.T) {
	build := func(calls ...int64) *trace.Trace {
		b := trace.NewBuilder("test")
		th, now := b.Thread("web", -1), int64(0)
		th.Begin(0, b.Function(trace.Function{Name: "cart"}))
		for k, ns := range calls {
			ref := th.Complete(now, now+ns, b.Function(trace.Function{Name: "call api"}))
			if k == 0 {
				th.Block(ref, trace.Wait)
			}
			now += ns
		}
		th.End(now + 1e6)
		return testtrace.Build(t, b)
	}
	d := differenceOf(t, build(50e6), build(40e6, 50e6))
	f := find(t, d, "call api takes")
	if f.Calls != [2]int64{1, 2} || !strings.Contains(f.Text, "in 2 instead of 1 call") {
		t.Errorf("%v: %s", f.Calls, f.Text)
	}
}

// TestWhoseWaitsGrow holds that a wait is told as one of a caller's calls only if the times that follow
// are mostly of its calls, too.
func TestWhoseWaitsGrow(t *testing.T) {
	build := func(gen, late int64) *trace.Trace {
		s := newSwitching()
		s.call("main", 1000, func() {
			for range 40 {
				s.call("draw", 50_000)
				for _, by := range []struct {
					name string
					ns   int64
				}{{"gen", gen}, {"late", late}} {
					if by.ns > 0 {
						s.call(by.name, 1_000, func() { s.call("usleep", 1000, func() { s.sleep(by.ns) }) })
					}
				}
			}
		})
		return testtrace.Build(t, s.b)
	}
	for _, c := range []struct {
		a, b *trace.Trace
		want string
	}{
		{build(300_000, 0), build(300_000, 400_000), " in usleep, most of that called by late: "},
		{build(10_000, 100_000), build(10_000, 400_000), " in usleep called by late: "},
	} {
		if f := find(t, differenceOf(t, c.a, c.b), "Threads wait"); !strings.Contains(f.Text, c.want) {
			t.Errorf("%s, want %s", f.Text, c.want)
		}
	}
}

// TestCountedCausesOwnTheirCallees holds that a function of a Callgrind profile which is called more
// often owns what its callees cost, also if one of these is told by itself, since an estimate splits
// its costs among callers.
func TestCountedCausesOwnTheirCallees(t *testing.T) {
	build := func(lines, copied int64) *trace.Trace {
		b := trace.NewBuilder("test")
		b.Kind, b.Unit, b.Symbols, b.Exact = trace.Profile, "Ir", true, true
		fn := func(name string) trace.FuncID { return b.Function(trace.Function{Name: name}) }
		b.CountCalls(fn("main"), fn("order"), 500)
		b.CountCalls(fn("order"), fn("line"), lines)
		th, now := b.Thread("1", -1), int64(0)
		copies := func(cost int64) {
			th.Complete(now, now+cost, fn("(inlined copy.h)"))
			now += cost
		}
		th.Begin(0, fn("main"))
		th.Begin(0, fn("order"))
		th.Begin(0, fn("line"))
		now += 100 * lines
		copies(80 * lines)
		th.End(now)
		copies(copied)
		th.End(now)
		th.Complete(now, now+80_000, fn("end"))
		th.End(now + 80_000)
		return testtrace.Build(t, b)
	}
	for _, turned := range []bool{false, true} {
		a, b := build(500, 30_000), build(1000, 30_400)
		if turned {
			a, b = b, a
		}
		d := differenceOf(t, a, b)
		holdsAccount(t, d)
		if f := &d.Findings[0]; f.Function != "line" || magnitude(f.Own.WorkNs) != 90_000 || len(d.Findings) < 2 {
			t.Errorf("line owns not all: %+v", d.Findings)
		}
	}
}
