package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// small builds a trace of one thread: main [0,1000] calling f twice and g once, from time origin
// on.
func small(t testing.TB, origin int64) *trace.Trace {
	t.Helper()
	b := trace.NewBuilder("test")
	fn := func(name string) trace.FuncID { return b.Function(trace.Function{Name: name}) }
	main, f, g := fn("main"), fn("f"), fn("g")
	th := b.Thread("1", b.Process("p"))
	for _, c := range []struct {
		at   int64
		fn   trace.FuncID
		open bool
	}{{0, main, true}, {100, f, true}, {200, f, false}, {300, g, true}, {350, f, true}, {360, f, false},
		{400, g, false}, {1000, main, false}} {
		if c.open {
			th.Begin(origin+c.at, c.fn)
		} else {
			th.End(origin + c.at)
		}
	}
	tr, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func opened(t testing.TB) *Session {
	s := New(func() {})
	s.Put(pair.A, "a", small(t, 0))
	s.Put(pair.B, "b", small(t, 500))
	s.Settle(context.Background())
	return s
}

func TestFocusStaysWithinTheTrace(t *testing.T) {
	s := opened(t)
	rapid.Check(t, func(t *rapid.T) {
		side := pair.Side(rapid.IntRange(0, 1).Draw(t, "side"))
		lock := Lock(rapid.IntRange(0, int(Proportional)).Draw(t, "lock"))
		s.SetLock(lock, side)
		switch rapid.IntRange(0, 2).Draw(t, "what") {
		case 0:
			s.SetFocus(side, geom.Span{Start: rapid.Float64Range(-3e3, 3e3).Draw(t, "a"),
				End: rapid.Float64Range(-3e3, 3e3).Draw(t, "b")})
		case 1:
			s.Zoom(side, rapid.Float64Range(-100, 1100).Draw(t, "at"), rapid.Float64Range(.01, 100).Draw(t, "by"))
		case 2:
			s.Pan(side, rapid.Float64Range(-2e3, 2e3).Draw(t, "dt"))
		}
		for i := range s.State().Sides {
			sd := s.State().Sides[i]
			f, w := sd.Focus, sd.Whole()
			if f.Start < w.Start-1e-6 || f.End > w.End+1e-6 || f.Len() < minFocus-1e-6 {
				t.Fatalf("side %d shows %v of %v", i, f, w)
			}
		}
	})
}

// TestFocusFarFromZero: a recording whose first event has no time, while all others have those of a
// wall clock, is zoomed into as far as float64 tells times apart. The focus is never empty.
func TestFocusFarFromZero(t *testing.T) {
	const clock = 1_700_000_000_000_000_000
	late := func() *trace.Trace {
		b := trace.NewBuilder("test")
		th := b.Thread("1", b.Process("p"))
		for k, at := range []int64{0, clock, clock + 2000, clock + 3000} {
			th.Begin(at, b.Function(trace.Function{Name: string(rune('e' + k))}))
			th.End(at + 10)
		}
		tr, err := b.Build(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return tr
	}
	s := New(func() {})
	s.Put(pair.A, "a", late())
	s.Put(pair.B, "b", late())
	s.Settle(context.Background())
	s.SetLock(FromStart, pair.A)
	check := func(after string) {
		t.Helper()
		for side, sd := range s.State().Sides {
			f := sd.Focus
			if !(f.Len() > 0) || f.Start < 0 || f.End > sd.Whole().End || f.Start+f.Len()/64 == f.Start {
				t.Errorf("after %s, %s shows %v", after, pair.Side(side), f)
			}
		}
	}
	for call := range int32(4) {
		s.Fit(Target{OK: true, Side: pair.A, Ref: trace.CallRef{Call: call}})
		check(fmt.Sprintf("showing call %d", call))
		th := s.State().Sides[pair.A].Trace.Threads[0]
		if f := s.State().Sides[pair.A].Focus; !f.Contains(float64(th.Start(int(call)))) {
			t.Errorf("call %d is not in %v", call, f)
		}
	}
	for range 60 {
		s.Zoom(pair.A, clock+2000, .5)
	}
	check("zooming in")
}

func TestLocks(t *testing.T) {
	for _, c := range []struct {
		lock Lock
		want geom.Span // of B when A shows [600, 800]
	}{
		{Free, geom.Span{Start: 0, End: 1000}},
		{Absolute, geom.Span{Start: 100, End: 300}}, // B's clock is 500 ns ahead
		{FromStart, geom.Span{Start: 600, End: 800}},
		{Proportional, geom.Span{Start: 600, End: 800}},
	} {
		s := opened(t)
		s.SetLock(c.lock, pair.A)
		s.SetFocus(pair.A, geom.Span{Start: 600, End: 800})
		if got := s.State().Sides[pair.B].Focus; c.lock != Free && got != c.want ||
			c.lock == Free && got != s.State().Sides[pair.B].Whole() {
			t.Errorf("%v: B shows %v, want %v", c.lock, got, c.want)
		}
	}
}

func TestAbsoluteNeedsOverlappingClocks(t *testing.T) {
	s := New(func() {})
	s.Put(pair.A, "a", small(t, 0))
	s.Put(pair.B, "b", small(t, 5000))
	s.Settle(context.Background())
	s.SetLock(Absolute, pair.A)
	if s.State().Lock != Free {
		t.Error("locked to a clock that the recordings do not share")
	}
	for range 4 {
		s.CycleLock(pair.A)
		if s.State().Lock == Absolute {
			t.Error("cycling came to a lock that makes no sense")
		}
	}
}

func TestFindIsSmartAboutCase(t *testing.T) {
	s := opened(t)
	for query, want := range map[string]int{"": 3, "m": 1, "MAIN": 0, "main": 1, "f": 1, "a i": 1, "zzz": 0} {
		s.Find(query)
		s.Settle(context.Background())
		if got := len(s.State().Search.Hits); got != want {
			t.Errorf("%q finds %d functions, want %d", query, got, want)
		}
	}
}

func TestSearchStepsThroughAllCallsAndAround(t *testing.T) {
	s := opened(t)
	s.Find("f")
	s.Settle(context.Background())
	var got []int32
	for range 3 {
		s.StepHit(+1)
		got = append(got, s.State().Selected.Ref.Call)
	}
	if d := cmp.Diff([]int32{1, 3, 1}, got); d != "" {
		t.Error(d)
	}
	se := s.State().Search
	for _, c := range []struct {
		from, to int
		want     bool
	}{{0, 1, false}, {0, 4, true}, {2, 3, false}, {3, 4, true}} {
		if some, known := se.Found(pair.A, 0, c.from, c.to); !known || some != c.want {
			t.Errorf("calls [%d,%d) have a hit: %v, want %v", c.from, c.to, some, c.want)
		}
	}
}

func TestNeighboursOnTheSameLevel(t *testing.T) {
	th := small(t, 0).Threads[0] // main 0, f 1, g 2, f 3
	for _, c := range []struct {
		of   int
		r    Relative
		want int
	}{{1, Caller, 0}, {0, Caller, -1}, {2, FirstCallee, 3}, {1, FirstCallee, -1}, {1, CallAfter, 2},
		{2, CallAfter, -1}, {2, CallBefore, 1}, {1, CallBefore, -1}, {3, CallBefore, -1}} {
		if got := neighbour(th, c.of, c.r); got != c.want {
			t.Errorf("neighbour(%d, %d) = %d, want %d", c.of, c.r, got, c.want)
		}
	}
}

func TestHistoryMergesWhatMovesAtOnce(t *testing.T) {
	s := opened(t)
	now := time.Unix(100, 0)
	s.now = func() time.Time { return now }
	at := func(after time.Duration, start float64) {
		now = now.Add(after)
		s.SetFocus(pair.A, geom.Span{Start: start, End: start + 100})
	}
	at(time.Minute, 100)
	at(10*time.Millisecond, 110)
	at(10*time.Millisecond, 120)
	at(time.Minute, 500)
	var starts []float64
	for s.Back() {
		starts = append(starts, s.State().Sides[pair.A].Focus.Start)
	}
	if d := cmp.Diff([]float64{120, 0}, starts); d != "" {
		t.Error(d)
	}
	for s.Forward() {
	}
	if got := s.State().Sides[pair.A].Focus.Start; got != 500 {
		t.Errorf("forward ends at %v", got)
	}
}

func TestUnpairedThreadsAreAllShown(t *testing.T) {
	b := trace.NewBuilder("test")
	th := b.Thread("x", -1)
	th.SetName("other")
	th.Complete(0, 10, b.Function(trace.Function{Name: "h"}))
	other, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	s := New(func() {})
	s.Put(pair.A, "a", small(t, 0))
	s.Put(pair.B, "b", other)
	s.Settle(context.Background())
	st := s.State()
	if !st.Process || len(st.Tracks[pair.A]) != 1 || len(st.Tracks[pair.B]) != 1 {
		t.Errorf("shows %v and %v", st.Tracks[pair.A], st.Tracks[pair.B])
	}
}

func TestReplacedJobIsDropped(t *testing.T) {
	s := New(func() {})
	release := make(chan struct{})
	applied := ""
	s.start("x", "first", func(ctx context.Context, j *Job) func() {
		<-ctx.Done()
		<-release
		return func() { applied += "first" }
	})
	s.start("x", "second", func(ctx context.Context, j *Job) func() {
		return func() { applied += "second" }
	})
	close(release)
	s.Settle(context.Background())
	if applied != "second" || len(s.Jobs()) != 0 {
		t.Errorf("applied %q, %d jobs left", applied, len(s.Jobs()))
	}
}

func TestCancelledLoadChangesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "big.json")
	if err := os.WriteFile(path, []byte("["+strings.Repeat(
		`{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"f"},`, 200_000)+"]"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := opened(t)
	before := s.State().Sides[pair.A].Trace
	s.Open(pair.A, path, input.Options{})
	s.CancelAll()
	s.Settle(context.Background())
	if s.State().Sides[pair.A].Trace != before || s.State().Sides[pair.A].Err != nil {
		t.Error("a cancelled load changed the side")
	}
}

func TestOpenReportsFailures(t *testing.T) {
	s := New(func() {})
	s.Open(pair.B, filepath.Join(t.TempDir(), "missing"), input.Options{})
	s.Settle(context.Background())
	if err := s.State().Sides[pair.B].Err; err == nil || !strings.Contains(err.Error(), "missing") {
		t.Errorf("the error is %v", err)
	}
}

func TestTitle(t *testing.T) {
	for path, want := range map[string]string{
		"/x/yq-cold.json.gz": "yq-cold", "lua.data.tar.gz": "lua", "dir/run.uftrace/": "run",
		"plain": "plain", ".hidden": ".hidden", "a.b.pprof": "a.b",
		"a.json.xz": "a", "b.pftrace.lz4": "b", "run.v2.tar.gz": "run.v2", "run.data.zip": "run",
		"-": "standard input", "dir/-": "-",
	} {
		if got := Title(path); got != want {
			t.Errorf("Title(%q) = %q, want %q", path, got, want)
		}
	}
}
