package session

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// slowFile is a named pipe, so that a test decides when which part of a trace is read.
type slowFile struct {
	path string
	to   *os.File
}

func newSlowFile(t *testing.T) *slowFile {
	f := &slowFile{path: filepath.Join(t.TempDir(), "slow.json")}
	testtrace.Pipe(t, f.path)
	return f
}

// calls writes calls f0 of 1 µs, each in a g of 10 µs, from one time to another in units of 10 µs.
func (f *slowFile) calls(t *testing.T, from, to int) {
	t.Helper()
	if f.to == nil {
		var err error
		if f.to, err = os.OpenFile(f.path, os.O_WRONLY, 0); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.to.Close() })
	}
	var b strings.Builder
	if from == 0 {
		b.WriteString("[")
	}
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, `{"ph":"X","pid":1,"tid":1,"ts":%d,"dur":10,"name":"g"},`+
			`{"ph":"X","pid":1,"tid":1,"ts":%d,"dur":1,"name":"f%d"},`, 10*i, 10*i, i%7)
	}
	if _, err := f.to.WriteString(b.String()); err != nil {
		t.Fatal(err)
	}
}

// framesUntil drains as an interface does, until something is so.
func framesUntil(t *testing.T, s *Session, what string, done func(st *State) bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !done(s.State()); time.Sleep(time.Millisecond) {
		if s.Drain(); time.Now().After(end) {
			t.Fatalf("%s does not come about", what)
		}
	}
}

func growingCalls(side pair.Side, least int) func(st *State) bool {
	return func(st *State) bool {
		g := st.Sides[side].Growing
		return g != nil && g.Calls >= least
	}
}

// TestGrowing holds that a side shows what has been read of its trace until it has all of it, and
// that nothing else follows from that.
func TestGrowing(t *testing.T) {
	f, s := newSlowFile(t), New(func() {})
	s.Open(pair.B, f.path, input.Options{})
	framesUntil(t, s, "an empty picture", func(st *State) bool { return st.Sides[pair.B].Growing != nil })
	if st := s.State(); st.Empty() || st.Any() || st.Facing() || st.Sides[pair.A].Growing != nil {
		t.Error("the state is wrong before anything is read")
	}
	f.calls(t, 0, 50_000)
	framesUntil(t, s, "a picture", growingCalls(pair.B, 50_000))
	seen := s.State().Sides[pair.B].Growing
	if len(seen.Tracks(false)) != 1 || seen.Whole < seen.Read(false) || seen.Read(false) < 1e8 {
		t.Errorf("of %d calls %v are shown until %v, %v of the file, of %v ns", seen.Calls, seen.Tracks(false),
			seen.Read(false), seen.Share, seen.Whole)
	}
	f.calls(t, 50_000, 100_000)
	framesUntil(t, s, "a larger picture", growingCalls(pair.B, 150_000))
	if st := s.State(); st.Pair != nil || len(s.Jobs()) != 1 {
		t.Errorf("%d jobs, paired: %t", len(s.Jobs()), st.Pair != nil)
	}
	f.to.Close()
	framesUntil(t, s, "the trace", func(st *State) bool { return st.Loaded(pair.B) })
	s.Drain()
	st := s.State()
	if sd := st.Sides[pair.B]; sd.Growing != nil || sd.Trace.Calls() != 200_000 {
		t.Fatalf("growing: %t, %d calls", sd.Growing != nil, sd.Trace.Calls())
	}
	if n := len(seen.Trace.Threads); n != 1 {
		t.Fatalf("%d threads were seen", n)
	}
	inTrace(t, seen.Trace, st.Sides[pair.B].Trace)
}

// inTrace holds that the only thread of a glimpse has calls of the trace.
func inTrace(t *testing.T, seen, all *trace.Trace) {
	t.Helper()
	th, in := seen.Threads[0], all.Threads[0]
	for i := range th.Len() {
		k := in.Enclosing(th.Start(i))
		for k >= 0 && in.Depth(k) > th.Depth(i) {
			k = int(in.Parent(k))
		}
		if k < 0 || in.Depth(k) != th.Depth(i) || in.Start(k) != th.Start(i) {
			t.Fatalf("call %d at %d on level %d is not in the trace", i, th.Start(i), th.Depth(i))
		}
	}
}

// TestGrowingEnds holds that nothing of a trace stays that is cancelled, fails, or is swapped away.
func TestGrowingEnds(t *testing.T) {
	f, s := newSlowFile(t), New(func() {})
	s.Open(pair.A, f.path, input.Options{})
	f.calls(t, 0, 50_000)
	framesUntil(t, s, "a picture", growingCalls(pair.A, 1))
	s.Swap()
	framesUntil(t, s, "a picture across", growingCalls(pair.B, 1))
	if s.State().Sides[pair.A].Growing != nil {
		t.Error("a side that was swapped goes on growing")
	}
	s.Cancel(s.Loading(pair.B))
	s.Drain()
	if !s.State().Empty() {
		t.Error("what was cancelled is still shown")
	}
	s.Open(pair.A, filepath.Join(t.TempDir(), "missing"), input.Options{})
	framesUntil(t, s, "the failure", func(st *State) bool { return st.Sides[pair.A].Err != nil })
	s.Drain()
	if !s.State().Empty() {
		t.Error("what failed is still shown")
	}
}

// TestNothingGrowsOverATrace holds that a side that shows a trace shows it until the next is there.
func TestNothingGrowsOverATrace(t *testing.T) {
	f, s := newSlowFile(t), New(func() {})
	s.Put(pair.A, "before", grown(t, 1, 40))
	s.Settle(context.Background())
	s.Open(pair.A, f.path, input.Options{})
	f.calls(t, 0, 50_000)
	for range 20 {
		s.Drain()
		time.Sleep(time.Millisecond)
	}
	if sd := s.State().Sides[pair.A]; sd.Growing != nil || sd.Name != "before" {
		t.Errorf("%s is shown, growing: %t", sd.Name, sd.Growing != nil)
	}
	s.CancelAll()
}

// TestEstimate holds that the length of a trace is foretold of files in either order, and that it
// is told anew seldom.
func TestEstimate(t *testing.T) {
	for name, c := range map[string]struct {
		length func(share float64) float64 // that has been read
		most   int                         // estimates
	}{
		"in the order of time":    {func(share float64) float64 { return 1e9 * share }, 1},
		"after a long header":     {func(share float64) float64 { return 1e9 * max(share-.2, 0) / .8 }, 10},
		"thread after thread":     {func(share float64) float64 { return 1e9 * min(8*share, 1) }, 10},
		"denser towards the end":  {func(share float64) float64 { return 1e9 * math.Sqrt(share) }, 15},
		"sparser towards the end": {func(share float64) float64 { return 1e9 * share * share }, 25},
	} {
		g, told, last := growth{}, 0, 0.
		for n := 1; n <= 40; n++ {
			share := float64(n) / 40
			whole := g.estimate(share, c.length(share))
			if whole < c.length(share) {
				t.Errorf("%s: %v is told when %v has been read", name, whole, c.length(share))
			}
			if whole != last {
				told, last = told+1, whole
			}
			if share > .9 && math.Abs(whole/1e9-1) > .1 {
				t.Errorf("%s: %v is told at %v", name, whole, share)
			}
		}
		if last != 1e9 && math.Abs(last/1e9-1) > 1e-9 || told > c.most {
			t.Errorf("%s: at last %v is told, by %d estimates", name, last, told)
		}
	}
	if whole := (&growth{}).estimate(-1, 5e6); whole != 5e6 {
		t.Errorf("%v is told of a file without a known size", whole)
	}
}

// TestKeptPictureComesFirst: what loads a kept trace is told that its preview was drawn in the frame
// after the one that shows it, or at once where nobody draws.
func TestKeptPictureComesFirst(t *testing.T) {
	told := func(s *Session) bool {
		select {
		case <-s.Loading(pair.A).growth.outline.Drawn:
			return true
		default:
			return false
		}
	}
	f, s := newSlowFile(t), New(func() {})
	s.Open(pair.A, f.path, input.Options{})
	f.calls(t, 0, 50_000)
	framesUntil(t, s, "a picture", growingCalls(pair.A, 50_000))
	g := s.State().Sides[pair.A].Growing.Glimpse
	g.Kept = true
	s.Loading(pair.A).growth.outline.Show(g)
	framesUntil(t, s, "the preview", func(st *State) bool { return st.Sides[pair.A].Growing.Kept })
	if told(s) {
		t.Error("the frame of the preview is not drawn yet")
	}
	if s.Drain(); !told(s) {
		t.Error("the frame of the preview is drawn")
	}
	s.Open(pair.A, f.path, input.Options{})
	if told(s) {
		t.Error("nothing was drawn")
	}
	if s.drawNothing(); !told(s) {
		t.Error("nobody draws")
	}
	s.CancelAll()
}
