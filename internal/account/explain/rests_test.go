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

// TestRestsAreTold holds what is told of functions' own time where the alignment found nothing.
func TestRestsAreTold(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b []any
		want string // "" for nothing
	}{
		{"longer calls", []any{"task", 10., "rest", 90.}, []any{"task", 14., "rest", 90.},
			"slower: task takes 14.0 ms of self time instead of 10.0 ms (+4.00 ms), in 1 call; could " +
				"be chance."},
		{"more calls", []any{"task", 10., "rest", 90.}, []any{"task", 10., "task", 11., "rest", 90.},
			"called: task takes 21.0 ms of self time instead of 10.0 ms (+11.0 ms), in 2 instead of 1 " +
				"call."},
		{"more calls, and longer ones", []any{"task", 10., "task", 10., "rest", 90.},
			[]any{"task", 20., "task", 20., "task", 20., "rest", 90.},
			"slower: task takes 60.0 ms of self time instead of 20.0 ms (+40.0 ms), in 3 instead of 2 " +
				"calls; could be chance."},
		{"a small change beside a large one", []any{"task", 10., "rest", 900.},
			[]any{"task", 11., "rest", 990.},
			"slower: rest takes 990 ms of self time instead of 900 ms (+90.0 ms), in 1 call; could be " +
				"chance."},
	} {
		a, b := testtrace.Script(t, c.a...), testtrace.Script(t, c.b...)
		x := differenceOf(t, a, b)
		d := New(&finding.Report{}, x.Balance)
		holdsAccount(t, d)
		if len(d.Findings) != 1 {
			t.Errorf("%s: %d findings, want 1: %+v", c.name, len(d.Findings), d.Findings)
			continue
		}
		if got := d.Findings[0].Kind + ": " + d.Findings[0].Text; got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestTheRestOfACountIsARest holds that what is left of a function which another finding counts is
// told as that, and not as all that its time changed by.
func TestTheRestOfACountIsARest(t *testing.T) {
	x := differenceOf(t, testtrace.Script(t, "task", 10., "rest", 90.),
		testtrace.Script(t, "task", 10., "task", 11., "rest", 90.))
	id := uint32(slices.Index(x.Balance.Pair.Names, "task"))
	d := New(&finding.Report{Findings: []finding.Finding{{Kind: finding.Called, Function: "task", ID: id, Under: -1,
		Calls: [2]int64{1, 2}, DeltaNs: 4e6, Text: "task is called 2 times instead of 1: +4.00 ms"}}}, x.Balance)
	holdsAccount(t, d)
	f := find(t, d, "task takes")
	want := "task takes 7.00 ms more of self time beyond what other findings account for: 21.0 ms instead of " +
		"10.0 ms in all, in 2 instead of 1 call."
	if f.Text != want || f.Own.WorkNs != 7e6 {
		t.Errorf("%s owns %+v, want %q", f.Text, f.Own, want)
	}
}

// TestTheRestOfACountInBothAccounts holds that what is left of a counted function names the elapsed
// time where its part of that is another one.
func TestTheRestOfACountInBothAccounts(t *testing.T) {
	for _, c := range []struct {
		own  account.Delta
		kind finding.Kind
		want string
	}{
		{account.Delta{WorkNs: 7e6}, finding.Called, beyond + "."},
		{account.Delta{ElapsedNs: 7e6, WorkNs: 7e6}, finding.Called, beyond + "."},
		{account.Delta{ElapsedNs: 3e6, WorkNs: 7e6}, finding.Called, beyond + "; +3.00 ms of the elapsed time."},
		{account.Delta{WorkNs: -7e6}, finding.Called, strings.Replace(beyond, "more", "less", 1) + "."},
		{account.Delta{WorkNs: 11e6}, finding.Called, all}, // nothing is told of it elsewhere
		{account.Delta{WorkNs: 7e6}, finding.Slower, all},
		{account.Delta{ElapsedNs: 3e6, WorkNs: 11e6}, finding.Slower, strings.TrimSuffix(all, ".") +
			"; +3.00 ms of the elapsed time."},
		{account.Delta{WorkNs: 11e6}, finding.New, "task is new in B: +11.0 ms of self time, in 2 calls."},
	} {
		p := pair.New(testtrace.Script(t, "task", 10.), testtrace.Script(t, "task", 10., "task", 11.), pair.Rules{})
		a := &attribution{p: p, b: &account.Balance{Pair: p, Elapsed: [2]int64{10e6, 21e6}}, r: &finding.Report{},
			found: []finding.Finding{{Kind: finding.Called, Function: "task"}}}
		f := &Finding{Function: "task", Kind: c.kind.String(), DeltaNs: 11e6, Calls: [2]int64{1, 2}}
		if got := a.restWords(0, f, [2]int64{10e6, 21e6}, c.own) + "."; got != c.want {
			t.Errorf("%v of %v: %q, want %q", c.own, c.kind, got, c.want)
		}
	}
}

const (
	beyond = "task takes 7.00 ms more of self time beyond what other findings account for: 21.0 ms instead of " +
		"10.0 ms in all, in 2 instead of 1 call"
	all = "task takes 21.0 ms of self time instead of 10.0 ms (+11.0 ms), in 2 instead of 1 call."
)

// TestWorthTelling holds which parts of the accounts are told: a twentieth of the difference in
// either, unless that is next to nothing of the run, or a good part of the run itself.
func TestWorthTelling(t *testing.T) {
	balance := func(elapsed, work [2]int64) *account.Balance {
		b := &account.Balance{Elapsed: elapsed}
		for sd := range work {
			b.Total[sd][account.CPU] = work[sd]
		}
		return b
	}
	differ := balance([2]int64{10_000, 12_000}, [2]int64{10_000, 11_000})
	for _, c := range []struct {
		name string
		b    *account.Balance
		d    account.Delta
		want bool
	}{
		{"a twentieth of the elapsed time's difference", differ, account.Delta{ElapsedNs: 100}, true},
		{"less", differ, account.Delta{ElapsedNs: 99}, false},
		{"a twentieth of the work's difference", differ, account.Delta{WorkNs: -50}, true},
		{"less of it", differ, account.Delta{WorkNs: 49}, false},
		{"half a difference of nearly nothing", balance([2]int64{10_000, 10_010}, [2]int64{10_000, 10_010}),
			account.Delta{ElapsedNs: 5, WorkNs: 5}, false},
		{"a thousandth of the run, which is all of the difference",
			balance([2]int64{10_010, 10_000}, [2]int64{}), account.Delta{ElapsedNs: -11}, true},
		{"half of equal runs, made up for elsewhere", balance([2]int64{10_000, 10_000}, [2]int64{10_000, 10_000}),
			account.Delta{WorkNs: -5000}, true},
		{"nothing", balance([2]int64{}, [2]int64{}), account.Delta{}, false},
	} {
		if got := worthTelling(c.b, c.d); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// TestPackagesAreTold holds that a package of which no function changed much is told, as certain as
// its number of samples makes it.
func TestPackagesAreTold(t *testing.T) {
	build := func(samples int64) *trace.Trace {
		b := trace.NewBuilder("test")
		b.Kind = trace.Profile
		th := b.Thread("samples", -1)
		now := int64(0)
		add := func(name, pkg string, n int64) {
			th.Complete(now, now+n, b.Function(trace.Function{Name: name, Package: pkg}))
			now += n
		}
		for k := range 100 {
			add(fmt.Sprint("small.f", k), "small", samples)
		}
		add("large.f", "large", 100_000)
		return testtrace.Build(t, b)
	}
	for _, c := range []struct {
		samples int64
		want    finding.Certainty
	}{{400, finding.Certain}, {104, finding.Chance}} {
		x := differenceOf(t, build(100), build(c.samples))
		d := New(&finding.Report{Sample: 100}, x.Balance)
		holdsAccount(t, d)
		want := fmt.Sprintf("100 functions of small take %s of self time in all instead of",
			finding.Length(100*c.samples, trace.Nanoseconds))
		if len(d.Findings) != 1 || !strings.HasPrefix(d.Findings[0].Text, want) ||
			d.Findings[0].Certainty != c.want {
			t.Errorf("%d samples: %+v, want %q, %v", c.samples, d.Findings, want, c.want)
		}
		if d.Left.Delta != (account.Delta{}) {
			t.Errorf("%d samples: %v is left", c.samples, d.Left.Delta)
		}
	}
}

// TestFewSamplesOfAPackage holds that functions which differ by one sample are told together, in
// however short a recording, and that those are named that went the way of all.
func TestFewSamplesOfAPackage(t *testing.T) {
	const sample = 10_000_000
	build := func(samples map[string]int64) *trace.Trace {
		b := trace.NewBuilder("test")
		b.Kind = trace.Profile
		th, now := b.Thread("samples", -1), int64(0)
		for _, name := range slices.Sorted(maps.Keys(samples)) {
			pkg, _, _ := strings.Cut(name, ".")
			th.Complete(now, now+sample*samples[name], b.Function(trace.Function{Name: name, Package: pkg}))
			now += sample * samples[name]
		}
		return testtrace.Build(t, b)
	}
	for _, c := range []struct {
		a, b map[string]int64
		want string
	}{
		{map[string]int64{"main.run": 9, "runtime.gc": 2, "runtime.send": 2},
			map[string]int64{"main.run": 9, "runtime.alloc": 1, "runtime.gc": 3, "runtime.send": 1},
			"3 functions of runtime take 50.0 ms of self time in all instead of 40.0 ms (+10.0 ms), above all " +
				"gc (+10.0 ms) and alloc (+10.0 ms); the other one −10.0 ms; could be chance."},
		{map[string]int64{"main.run": 9, "runtime.gc": 2, "runtime.recv": 1, "runtime.send": 2},
			map[string]int64{"main.run": 9, "runtime.alloc": 1, "runtime.gc": 3, "runtime.mark": 1,
				"runtime.send": 1},
			"5 functions of runtime take 60.0 ms of self time in all instead of 50.0 ms (+10.0 ms), above all " +
				"gc (+10.0 ms) and alloc (+10.0 ms); the other 3 together −10.0 ms; could be chance."},
		{map[string]int64{"main.run": 9, "runtime.gc": 1}, // the others went the same way
			map[string]int64{"main.run": 9, "runtime.alloc": 1, "runtime.gc": 2, "runtime.send": 1},
			"3 functions of runtime take 40.0 ms of self time in all instead of 10.0 ms (+30.0 ms), above all " +
				"gc (+10.0 ms) and alloc (+10.0 ms); could be chance."},
	} {
		x := differenceOf(t, build(c.a), build(c.b))
		d := New(&finding.Report{Sample: sample}, x.Balance)
		holdsAccount(t, d)
		if len(d.Findings) != 1 || d.Findings[0].Text != c.want {
			t.Errorf("%+v, want %q", d.Findings, c.want)
		}
	}
}

// TestAProgramOfAnotherName: the file of a new build may have another name, which makes no package
// of its functions. Those of a library have one.
func TestAProgramOfAnotherName(t *testing.T) {
	build := func(program, more string) *trace.Trace {
		b := trace.NewBuilder("test")
		for k, f := range [][2]string{{"main", program}, {more, program}, {"malloc", "libc.so.6"}} {
			b.Thread("1", -1).Complete(int64(k), int64(k+1), b.Function(trace.Function{Name: f[0], Module: f[1]}))
		}
		return testtrace.Build(t, b)
	}
	p, functions := pair.New(build("app", "old"), build("app-2", "new"), pair.Rules{}), map[string]int{}
	for _, name := range (&attribution{p: p}).packages() {
		functions[name]++
	}
	if want := map[string]int{"app": 3, "libc.so.6": 1}; !maps.Equal(functions, want) {
		t.Errorf("%v, want %v", functions, want)
	}
}

// TestCallsWithoutAnEndMayBeChance holds that a call is not taken for slower because the recording
// ended later on one side.
func TestCallsWithoutAnEndMayBeChance(t *testing.T) {
	build := func(until int64) *trace.Trace {
		b := trace.NewBuilder("test")
		th := b.Thread("main", -1)
		for k := range int64(20) {
			th.Complete(k*1e6, (k+1)*1e6, b.Function(trace.Function{Name: "step"}))
		}
		th.Begin(20e6, b.Function(trace.Function{Name: "wait"}))
		th.Complete(until-1, until, b.Function(trace.Function{Name: "step"}))
		return testtrace.Build(t, b)
	}
	d := differenceOf(t, build(30e6), build(90e6))
	holdsAccount(t, d)
	holdsClaims(t, d)
	told := false
	for _, f := range d.Findings {
		if f.Function == "wait" {
			told = true
			if f.Certainty != finding.Chance ||
				!strings.Contains(f.Text, "the end of the longest call is not in the recording") {
				t.Errorf("%+v", f)
			}
		}
	}
	if !told {
		t.Errorf("nothing about wait in %+v", d.Findings)
	}
}

// TestRestsOfCallsThatAreLeftOut holds that more recorded calls of a function are no sure change of
// its time where the recorder leaves out short calls and has counted as many on both sides.
func TestRestsOfCallsThatAreLeftOut(t *testing.T) {
	const ms = 1_000_000
	build := func(passes, counted int) *trace.Trace {
		b := trace.NewBuilder("test")
		th, now := b.Thread("1", -1), int64(0)
		call := func(name string, ns int64) {
			th.Complete(now, now+ns, b.Function(trace.Function{Name: name}))
			now += ns
		}
		for k := range int64(360) {
			call(fmt.Sprint("pass", k%12), ms/2+ms/100*(7*k%60))
		}
		for range passes {
			call("inline", 20*ms)
		}
		sum := b.Thread("2", -1)
		sum.SetKind(trace.Sums)
		ref := sum.Complete(0, 40*ms, b.Function(trace.Function{Name: "Total inline"}))
		sum.Args(ref, fmt.Appendf(nil, `{"count":%d}`, counted))
		return testtrace.Build(t, b)
	}
	for counted, want := range map[int]finding.Certainty{90: finding.Chance, 200: finding.Likely} {
		x := differenceOf(t, build(4, 90), build(20, counted))
		a := &attribution{p: x.Balance.Pair, b: x.Balance, r: x.Found}
		id := uint32(slices.Index(a.p.Names, "inline"))
		if _, got := a.judgeRest(id, [2]int64{80 * ms, 400 * ms}, [2]int64{4, 20}); got != want {
			t.Errorf("%d calls are counted in B: %v, want %v", counted, got, want)
		}
	}
}
