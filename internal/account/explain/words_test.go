package explain

import (
	"math"
	"strings"
	"testing"

	"diptych/internal/account"
	"diptych/internal/align/finding"
	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/wait"
)

func TestIdleWords(t *testing.T) {
	for _, c := range []struct {
		total, way, own [2]int64
		want            string
	}{
		{[2]int64{1e6, 3e6}, [2]int64{1e6, 3e6}, [2]int64{1: 2e6},
			"Threads are idle, in no call, for 3.00 ms instead of 1.00 ms; +2.00 ms of the elapsed time"},
		{[2]int64{1e6, 3e6}, [2]int64{}, [2]int64{}, "Threads are idle, in no call, for 3.00 ms instead of 1.00 ms"},
		{[2]int64{315e3, 330e3}, [2]int64{5e6, 40e6}, [2]int64{1: 35e6},
			"Nothing runs on the critical path for 40.0 ms instead of 5.00 ms: +35.0 ms; from their first call to their " +
				"last, threads are idle for 330 µs instead of 315 µs in all"},
		{[2]int64{347e6, 405e6}, [2]int64{50e6, 20e6}, [2]int64{1: -30e6},
			"Nothing runs on the critical path for 20.0 ms instead of 50.0 ms: −30.0 ms; from their first call to their " +
				"last, threads are idle for 405 ms instead of 347 ms in all"},
		{[2]int64{}, [2]int64{5e6, 40e6}, [2]int64{1: 35e6},
			"Nothing runs on the critical path for 40.0 ms instead of 5.00 ms: +35.0 ms; from their first call to their " +
				"last, threads are never idle"},
		{[2]int64{315e3, 315e3}, [2]int64{5e6, 40e6}, [2]int64{1: 35e6},
			"Nothing runs on the critical path for 40.0 ms instead of 5.00 ms: +35.0 ms; from their first call to their " +
				"last, threads are idle for 315 µs in all on both sides"},
		{[2]int64{1e6, 3e6}, [2]int64{1e6, 9e6}, [2]int64{1: 1e6}, // another finding owns the rest
			"Threads are idle, in no call, for 3.00 ms instead of 1.00 ms; +1.00 ms of the elapsed time"},
	} {
		b := &account.Balance{}
		for sd, ns := range c.way {
			b.Way[sd][account.Idle] = ns
		}
		a := attribution{p: &pair.Pair{A: &trace.Trace{}}, b: b}
		if got := a.idleWords(c.total, account.Delta{ElapsedNs: c.own[1]}); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// TestBothAccountsInWords: an account in which nothing is left is not named, and a profile has one.
func TestBothAccountsInWords(t *testing.T) {
	for _, c := range []struct {
		kind trace.Kind
		ns   account.Delta
		want string
	}{
		{trace.Timeline, account.Delta{ElapsedNs: 2e6}, "+2.00 ms elapsed"},
		{trace.Timeline, account.Delta{WorkNs: -3e6}, "−3.00 ms of work"},
		{trace.Timeline, account.Delta{ElapsedNs: 2e6, WorkNs: -3e6}, "+2.00 ms elapsed, −3.00 ms of work"},
		{trace.Profile, account.Delta{ElapsedNs: 2e6, WorkNs: 2e6}, "+2.00 ms"},
	} {
		tr := &trace.Trace{Kind: c.kind}
		d := &Difference{Balance: &account.Balance{Pair: &pair.Pair{A: tr, B: tr}}}
		if got := d.Both(c.ns); got != c.want {
			t.Errorf("%+v: %q, want %q", c.ns, got, c.want)
		}
	}
}

// TestWhatIsExplainedInWords holds how much of either account findings own, which never is more than
// all of it nor less than nothing, and on which pace self times are compared.
func TestWhatIsExplainedInWords(t *testing.T) {
	for _, c := range []struct {
		kind          trace.Kind
		elapsed, work [2]int64
		left          account.Delta
		pace          float64
		want          string
	}{
		{trace.Timeline, [2]int64{10e6, 12e6}, [2]int64{10e6, 11e6}, account.Delta{ElapsedNs: 5e5, WorkNs: -25e4}, 1,
			"explained 1.50 ms of 2.00 ms elapsed (75 %), 750 µs of 1.00 ms work (75 %); similarity 90 %"},
		{trace.Timeline, [2]int64{12e6, 10e6}, [2]int64{10e6, 10e6}, account.Delta{ElapsedNs: -1e6, WorkNs: 1e6}, 1.2,
			"explained 1.00 ms of 2.00 ms elapsed (50 %); similarity 90 %; self times are compared at a pace of 1.2×"},
		{trace.Timeline, [2]int64{10e6, 10e6}, [2]int64{10e6, 11e6}, account.Delta{WorkNs: -3e6}, .5,
			"explained 0 ns of 1.00 ms work (0 %); similarity 90 %; self times are compared at a pace of 0.5×"},
		{trace.Timeline, [2]int64{10e6, 10e6}, [2]int64{10e6, 10e6}, account.Delta{}, 1.005,
			"elapsed and work are equal; similarity 90 %"},
		{trace.Profile, [2]int64{10e6, 12e6}, [2]int64{10e6, 12e6}, account.Delta{}, 1,
			"explained 2.00 ms of 2.00 ms cpu (100 %); similarity 90 %"},
	} {
		tr := &trace.Trace{Kind: c.kind, Unit: trace.Nanoseconds}
		b := &account.Balance{Pair: &pair.Pair{A: tr, B: tr}, Elapsed: c.elapsed}
		b.Total[pair.A][account.CPU], b.Total[pair.B][account.CPU] = c.work[pair.A], c.work[pair.B]
		d := &Difference{Balance: b, Found: &finding.Report{Similarity: .9, Pace: c.pace, SampleType: "cpu"}}
		d.Left.Delta = c.left
		if got := d.explained(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestObjectsHaveTheNamesOfBothSides holds that a reader of B finds its objects, and no name twice.
func TestObjectsHaveTheNamesOfBothSides(t *testing.T) {
	of := func(names ...string) (*trace.Trace, *wait.Analysis) {
		tr, w := &trace.Trace{}, &wait.Analysis{}
		for _, n := range names {
			tr.Objects = append(tr.Objects, trace.Object{Name: n})
			w.Objects = append(w.Objects, wait.ObjectTotal{Kind: wait.Semaphore})
		}
		return tr, w
	}
	a, wa := of("0x71c0", "free")
	b, wb := of("free", "0xa1c0")
	x := attribution{p: &pair.Pair{A: a, B: b}, b: &account.Balance{Pair: &pair.Pair{A: a, B: b},
		Waits: [2]*wait.Analysis{wa, wb}, Objects: []wait.ObjectPair{{A: 0, B: 1}, {A: 1, B: 0},
			{A: 0, B: -1}, {A: -1, B: 1}}}}
	for k, want := range []string{"semaphore 0x71c0 (0xa1c0 in B)", "semaphore free", "semaphore 0x71c0",
		"semaphore 0xa1c0"} {
		if got := x.objectName(int32(k)); got != want {
			t.Errorf("object %d is %q, want %q", k, got, want)
		}
	}
}

// TestMoreFunctionsOfAPackage holds that functions are more of their package if others are told.
func TestMoreFunctionsOfAPackage(t *testing.T) {
	of := map[uint32]string{1: "fmt", 2: "fmt", 3: "time"}
	for _, c := range []struct {
		told []uint32
		want bool
	}{{nil, false}, {[]uint32{3}, false}, {[]uint32{1}, false}, {[]uint32{2, 3}, true}} {
		a := attribution{told: map[uint32]bool{}}
		for _, id := range c.told {
			a.told[id] = true
		}
		if got := a.tellsOf(&group{name: "fmt", functions: []uint32{1}}, of); got != c.want {
			t.Errorf("%v told: %v", c.told, got)
		}
	}
}

// TestStatesAreQuoted holds that the name of a state, which may hold a colon, is told as a name.
func TestStatesAreQuoted(t *testing.T) {
	of := &trace.Trace{Functions: []trace.Function{{Name: "blocked: sleep", Kind: trace.State}, {Name: "sem_wait"}}}
	p := pair.New(of, of, pair.Rules{})
	a := attribution{p: p, r: &finding.Report{}}
	for fn, want := range []string{`the state "blocked: sleep"`, "sem_wait"} {
		if got := a.waitName(p.IDs(pair.A)[fn]); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestWhatProfilesHaveInCommon holds that two recordings of samples which share no order are said to
// have most of their functions in common.
func TestWhatProfilesHaveInCommon(t *testing.T) {
	build := func(names ...string) *trace.Trace {
		b := trace.NewBuilder("test")
		b.Kind, b.Symbols = trace.Profile, true
		th := b.Thread("1", -1)
		for k, name := range names {
			th.Complete(int64(k)*1e6, int64(k+1)*1e6, b.Function(trace.Function{Name: name}))
		}
		return testtrace.Build(t, b)
	}
	d := differenceOf(t, build("f", "f", "f", "g", "g"), build("g", "f", "f", "f", "f"))
	if share := d.InCommon(); math.Abs(share-0.8) > 1e-9 {
		t.Errorf("%v in common, want 0.8", share)
	}
	if got, want := d.explained(), "functions have 80 % of self time in common"; !strings.Contains(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
}
