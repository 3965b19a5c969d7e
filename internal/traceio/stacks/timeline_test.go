package stacks

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// bench is a timeline under test with functions of one letter.
type bench struct {
	b    *trace.Builder
	line *Timeline
	t    *Thread
}

func newBench() *bench {
	b := trace.NewBuilder("x")
	b.Weigh((&input.Source{Path: "x"}).AffordTrace)
	l := NewTimeline(b)
	return &bench{b, l, l.Thread(b.Thread("1", -1))}
}

// stack returns the stack of functions named by letters, outermost first.
func (x *bench) stack(letters string) Node {
	var fns []trace.FuncID
	for _, r := range letters {
		fns = append(fns, x.b.Function(trace.Function{Name: string(r)}))
	}
	return x.line.Stack(fns)
}

// add adds a sample of a stack; that of "-" is the Root, and that of "+m" holds until the next one.
func (x *bench) add(at int64, stack string) {
	add := x.t.Sample
	if strings.HasPrefix(stack, "+") {
		add = x.t.Hold
	}
	add(at, x.stack(strings.Trim(stack, "-+")))
}

func (x *bench) trace(t interface{ Fatal(...any) }) *trace.Trace {
	if err := x.line.Write(context.Background()); err != nil {
		t.Fatal(err)
	}
	tr, err := x.b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// calls writes a thread's calls as "a 0-3  b 1-2", callees after a dot for each level.
func calls(tr *trace.Trace) string {
	var all []string
	for _, th := range tr.Threads {
		for i := range th.Len() {
			all = append(all, fmt.Sprintf("%s%s %d-%d", strings.Repeat(".", int(th.Depth(i))),
				tr.FunctionOf(th, i).Name, th.Start(i), th.End(i)))
		}
	}
	return strings.Join(all, " ")
}

func TestRunsOfSamplesAreCalls(t *testing.T) {
	for _, c := range []struct {
		what, samples, want string // samples: "TIME STACK", as of bench.add
		interval            int64
		whole               bool
	}{
		{"the example of the comment", "0 ma|1 ma|2 mb|3 mba", "m 0-4 .a 0-2 .b 2-4 ..a 3-4", 0, false},
		{"a frame under another caller is another call", "0 ma|1 na", "m 0-1 .a 0-1 n 1-2 .a 1-2", 0, false},
		{"the same function deeper", "0 a|1 aa|2 a", "a 0-3 .a 1-2", 0, false},
		{"a gap ends calls", "0 m|1 m|2 m|20 m|21 m", "m 0-3 m 20-22", 0, false},
		{"no gap yet", "0 m|1 m|5 m|6 m", "m 0-7", 0, false},
		{"a gap in a recording that has samples for idle time", "0 m|1 m|2 m|20 m", "m 0-21", 0, true},
		{"no gap after a sample that holds", "0 m|1 m|2 +n|20 m|21 m", "m 0-2 n 2-20 m 20-22", 0, false},
		{"idle", "0 m|1 m|2 -|7 m", "m 0-2 m 7-8", 0, true},
		{"an end without time behind it", "0 m|4 n|6 -", "m 0-4 n 4-6", 0, true},
		{"one sample of a known interval", "7 mn", "m 0-10 .n 0-10", 10, false},
		{"one sample of an unknown interval", "7 mn", "m 0-0 .n 0-0", 0, false},
		{"two samples at once", "0 m|3 a|3 b|6 b", "m 0-3 a 3-3 b 3-9", 0, false},
		{"an interval beyond all times", "0 -|7 m", "m 7-2305843009213693952", math.MaxInt64, false},
		{"out of order", "4 b|0 m|2 m", "m 0-4 b 4-6", 0, false},
	} {
		x := newBench()
		x.line.Interval, x.line.Whole = c.interval, c.whole
		for _, s := range strings.Split(c.samples, "|") {
			var at int64
			var letters string
			fmt.Sscan(s, &at, &letters)
			x.add(at, letters)
		}
		tr := x.trace(t)
		if got := calls(tr); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
		if th := tr.Threads[0]; !th.Sampled || th.Flags(0)&trace.Sampled == 0 {
			t.Errorf("%s: not marked as sampled", c.what)
		}
		if out := c.what == "out of order"; out != (len(tr.Diagnostics) == 1) {
			t.Errorf("%s: %v", c.what, tr.Diagnostics)
		}
	}
}

// plainCalls makes calls of samples by the definition: a frame continues a call of the sample
// before if all its callers do and the function is the same.
func plainCalls(at []int64, of []string, interval int64, whole bool) string {
	type call struct {
		name       string
		start, end int64
		depth      int
	}
	var all []*call
	var open []*call
	for i, s := range of {
		until := at[i] + interval
		gap := i+1 < len(of) && !whole && interval > 0 && (at[i+1]-at[i])/gapFactor > interval
		if i+1 < len(of) && !gap {
			until = at[i+1]
		}
		var now []*call
		for d := range s {
			if len(now) == d && d < len(open) && open[d].name == s[d:d+1] && open[d].end == at[i] {
				now = append(now, open[d])
				continue
			}
			c := &call{name: s[d : d+1], start: at[i], depth: d}
			now, open = append(now, c), open[:min(d, len(open))]
			all = append(all, c)
		}
		for _, c := range now {
			c.end = until
		}
		if open = now; gap {
			open = nil
		}
	}
	var out []string
	for _, c := range all {
		out = append(out, fmt.Sprintf("%s%s %d-%d", strings.Repeat(".", c.depth), c.name,
			c.start-at[0], c.end-at[0]))
	}
	return strings.Join(out, " ")
}

func TestTimelineIsThePlainOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := newBench()
		x.line.Interval = rapid.Int64Range(1, 4).Draw(t, "interval")
		x.line.Whole = rapid.Bool().Draw(t, "whole")
		var at []int64
		var of []string
		now := int64(0)
		for range rapid.IntRange(1, 30).Draw(t, "samples") {
			s := rapid.StringOfN(rapid.RuneFrom([]rune("abc")), 0, 5, -1).Draw(t, "stack")
			at, of = append(at, now), append(of, s)
			x.t.Sample(now, x.stack(s))
			now += rapid.Int64Range(1, 20).Draw(t, "later")
		}
		want := plainCalls(at, of, x.line.Interval, x.line.Whole)
		tr := x.trace(t)
		if first := slices.IndexFunc(of, func(s string) bool { return s != "" }); first < 0 {
			return // no call
		}
		if got := calls(tr); got != want {
			t.Fatalf("%v %q:\n%s\nwant\n%s", at, of, got, want)
		}
	})
}

func TestIntervalIsTheMedian(t *testing.T) {
	x := newBench()
	now := int64(0)
	for i := range 3 * mostIntervals { // more than are looked at
		x.t.Sample(now, x.stack("m"))
		now += int64([]int{9, 10, 11}[i%3])
	}
	if got := x.line.usual(); got < 9 || got > 11 {
		t.Errorf("the usual interval is %d ns", got)
	}
}

// TestStacksOutOfProportion: few bytes can name a deep stack often, and two such stacks in turn
// make a call of each frame every time.
func TestStacksOutOfProportion(t *testing.T) {
	x := newBench()
	deep := [2]Node{}
	for k := range deep {
		for i := range 10_000 {
			deep[k] = x.line.Child(deep[k], x.b.Function(trace.Function{Name: fmt.Sprint(i + k)}))
		}
	}
	for i := range int64(1000) {
		x.t.Sample(i, deep[i%2])
	}
	err := x.line.Write(context.Background())
	if err == nil || !errors.Is(err, input.ErrLimit) || !strings.Contains(err.Error(), "to be decoded") {
		t.Errorf("error %v", err)
	}
}

func TestWriteIsCancelled(t *testing.T) {
	x := newBench()
	x.t.Sample(1, x.stack("m"))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := x.line.Write(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestTimesBeyondTheModel(t *testing.T) {
	x := newBench()
	x.t.Sample(1<<62, x.stack("m"))
	x.t.Sample(5, x.stack("m"))
	if tr := x.trace(t); tr.Calls() != 1 || tr.Diagnostics[0].Code != trace.BadRecord {
		t.Errorf("%s, %v", calls(tr), tr.Diagnostics)
	}
}

// TestSamplesThatHoldLongWeighMore holds that what a sample weighs grows with those that hold for as
// long as many others, and that neither idle time nor a gap is one, nor a sample that is known to
// hold.
func TestSamplesThatHoldLongWeighMore(t *testing.T) {
	for _, c := range []struct {
		times []int64
		late  string // the last but one: a stack, - for the Root, or +m that holds
		whole bool
		want  int64
	}{
		{[]int64{0, 10, 20, 30}, "m", true, 10},
		{[]int64{0, 10, 20, 100}, "m", true, 66}, // (2·10² + 80²) / 100
		{[]int64{0, 10, 20, 100}, "m", false, 10},
		{[]int64{0, 10, 20, 100}, "-", true, 10},
		{[]int64{0, 10, 20, 100}, "+m", true, 10},
	} {
		x := newBench()
		x.line.Whole = c.whole
		for k, at := range c.times {
			stack := "m"
			if k == len(c.times)-2 {
				stack = c.late
			}
			x.add(at, stack)
		}
		if tr := x.trace(t); tr.SampleWeight != c.want {
			t.Errorf("samples at %d: one weighs %d ns, want %d", c.times, tr.SampleWeight, c.want)
		}
	}
}

// TestStallsAreKnown holds that samples which hold for many times as long as most are listed, from the
// trace's start on, and what the others weigh.
func TestStallsAreKnown(t *testing.T) {
	x := newBench()
	x.line.Whole = true
	at := int64(5000)
	for k := range 20 {
		x.add(at, "m")
		if at += 10; k == 7 {
			at += 790
		}
	}
	x.add(at, "-")
	tr := x.trace(t)
	if want := []trace.Stall{{At: 70, Dur: 800}}; !slices.Equal(tr.Threads[0].Stalls(), want) {
		t.Errorf("%+v, want %+v", tr.Threads[0].Stalls(), want)
	}
	if tr.SteadyWeight != 10 || tr.SampleWeight != (19*100+800*800)/990 {
		t.Errorf("a sample weighs %d ns, and %d without it", tr.SampleWeight, tr.SteadyWeight)
	}
}

// TestNameBeside holds names and roles of threads beside others.
func TestNameBeside(t *testing.T) {
	for name, role := range map[string]string{"main": "main x", "worker 7": "worker x", "9": "x"} {
		x := newBench()
		NameBeside(x.t.to, "8/9", name, "x")
		x.t.Sample(1, x.stack("m"))
		if th := x.trace(t).Threads[0]; th.Name != name+" x" || th.Role != role || th.Numbered != (name == "9") {
			t.Errorf("%q has the role %q, numbered %v", th.Name, th.Role, th.Numbered)
		}
	}
}

// TestIdleSamplesExtendARecording: a recording goes on while its thread is idle, unless its samples
// lie beside events, which say that.
func TestIdleSamplesExtendARecording(t *testing.T) {
	for aside, want := range map[bool]int64{false: 9, true: 2} {
		x := newBench()
		x.line.Aside, x.line.Whole = aside, true
		x.add(0, "m")
		x.add(2, "-")
		x.add(9, "-")
		if tr := x.trace(t); calls(tr) != "m 0-2" || tr.Duration != want {
			t.Errorf("aside %v: %s, %d ns in all, want %d", aside, calls(tr), tr.Duration, want)
		}
	}
}
