package account

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"testing"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/text/texttest"
	"diptych/internal/wait"
)

// call is a call of a test: its function, times, kind of block or 0, and the object.
type call struct {
	fn       string
	from, to int64
	block    trace.BlockKind
	on       string
}

// record builds a trace of threads of calls, in pre-order. Functions whose names begin with "linux:"
// are events.
func record(t testtrace.TB, threads ...[]call) *trace.Trace {
	t.Helper()
	b := trace.NewBuilder("test")
	for k, calls := range threads {
		th := b.Thread(fmt.Sprint(k), -1)
		for _, c := range calls {
			f := trace.Function{Name: c.fn}
			if beginsWith(c.fn, []string{"linux:"}) {
				f.Kind = trace.Event
			}
			ref := th.Complete(c.from, c.to, b.Function(f))
			if c.block != 0 {
				var on []trace.ObjectID
				if c.on != "" {
					on = append(on, b.Object(c.on))
				}
				th.Block(ref, c.block, on...)
			}
		}
	}
	return testtrace.Build(t, b)
}

// told returns the cells of a side as text: kind, function, caller, ns and ns on the way.
func told(x *Balance, sd pair.Side) map[string][2]int64 {
	name := func(id uint32) string {
		if id == None {
			return "-"
		}
		return x.Pair.Names[id]
	}
	out := map[string][2]int64{}
	for _, c := range x.Cells {
		if a := c.Amounts[sd]; a.Ns != 0 || a.WayNs != 0 {
			at := fmt.Sprintf("%v %s < %s", c.Kind, name(c.Function), name(c.Caller))
			out[at] = [2]int64{out[at][0] + a.Ns, out[at][1] + a.WayNs}
		}
	}
	return out
}

// TestParts holds the example of Part, and what belongs to a call that does I/O.
func TestParts(t *testing.T) {
	tr := record(t, []call{
		{"f", 0, 10, 0, ""},
		{"mutex_lock", 2, 5, trace.Wait, "m"},
		{"linux:schedule", 3, 5, 0, ""},
		{"linux:schedule", 7, 10, 0, ""},
		{"read", 14, 20, trace.IO, "file"},
		{"mutex_lock", 15, 19, trace.Wait, "m"},
		{"linux:task-new", 15, 16, 0, ""},
	})
	x := balanceOf(t, tr, tr, Options{})
	want := map[string][2]int64{
		"on CPU f < -":               {4, 4},
		"waiting mutex_lock < f":     {3, 3},
		"off CPU linux:schedule < f": {3, 3},
		"idle - < -":                 {4, 4},
		"I/O read < -":               {6, 6},
	}
	if got := told(x, pair.A); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if w := x.Work(); w != [2]int64{13, 13} {
		t.Errorf("work %v, want 13: waiting and idle time is none", w)
	}
}

// TestGapsThatWait holds that idle time which the recording knows to be a wait is one: it begins
// before the call that ended it.
func TestGapsThatWait(t *testing.T) {
	tr := texttest.Parse(t, `
thread main
  0+50 main
    40+1 post release
thread worker
  0+10 f
  40+10 task wait=m
correspond worker:1 main:1 at=40 idle=15`)
	x := balanceOf(t, tr, tr, Options{})
	if total := x.Total[pair.A]; total[Idle] != 15 || total[Wait] != 15+10 || total[CPU] != 60 {
		t.Errorf("by kind %v", total)
	}
	if w := x.WaitChanges(anyChange); len(w) != 2 || w[0].Calls[pair.A] != 1 || w[1].Calls[pair.A] != 1 {
		t.Errorf("%+v", w) // the gap, which nobody knows the object of, and the call itself
	}
	addsUp(t, x)
}

// TestWay holds which thread the elapsed time goes along.
func TestWay(t *testing.T) {
	for _, c := range []struct {
		name    string
		threads [][]call
		want    []stretch
	}{
		{"no wait known: the thread that lasts longest, then what leads furthest back",
			[][]call{{{"a", 0, 6, 0, ""}}, {{"b", 4, 20, 0, ""}}, {{"c", 2, 5, 0, ""}},
				{{"d", 22, 23, 0, ""}}},
			[]stretch{{0, 0, 4}, {2, 4, 20}, {-1, 20, 22}, {3, 22, 23}}},
		{"a wait leads to the thread that ended it", // SyncTrace's example
			[][]call{{{"main", 0, 30, 0, ""}, {"lock", 10, 20, trace.Wait, "m"}},
				{{"work", 5, 25, 0, ""}, {"unlock", 20, 21, trace.Release, "m"}}},
			[]stretch{{0, 0, 5}, {1, 5, 20}, {0, 20, 30}}},
		{"the thread that started another has ended meanwhile",
			[][]call{{{"main", 0, 5, 0, ""}, {"pthread_create", 1, 2, 0, ""}},
				{{"work", 8, 20, 0, ""}, {"lock", 10, 12, trace.Wait, "m"}},
				{{"help", 9, 14, 0, ""}, {"unlock", 12, 12, trace.Release, "m"}}},
			[]stretch{{0, 0, 5}, {-1, 5, 8}, {1, 8, 9}, {2, 9, 12}, {1, 12, 20}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := record(t, c.threads...)
			way, err := findWay(context.Background(), analyse(t, tr), running(tr))
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(way, c.want) {
				t.Errorf("got %v, want %v", way, c.want)
			}
		})
	}
}

// TestThreadsOfTheRuntimeDoNotCount holds that the totals are the program's, unless there is nothing
// else.
func TestThreadsOfTheRuntimeDoNotCount(t *testing.T) {
	build := func(ordinary bool) *trace.Trace {
		b := trace.NewBuilder("test")
		gc := b.Thread("gc", -1)
		gc.SetKind(trace.Runtime)
		gc.Complete(0, 100, b.Function(trace.Function{Name: "mark"}))
		if ordinary {
			b.Thread("main", -1).Complete(10, 40, b.Function(trace.Function{Name: "main"}))
		}
		return testtrace.Build(t, b)
	}
	with, without := build(true), build(false)
	if x := balanceOf(t, with, with, Options{}); x.Work()[pair.A] != 30 || x.Way[0][Idle] != 70 {
		t.Errorf("work %v, way %v", x.Work(), x.Way[0])
	}
	if x := balanceOf(t, without, without, Options{}); x.Work()[pair.A] != 100 {
		t.Errorf("work %v of a runtime by itself", x.Work())
	}
}

// inTurn records four jobs of 10 ns on two threads, side by side or in turn. In turn, the second
// thread waits until the first one releases it.
func inTurn(t *testing.T, waits bool, wait, release string) *trace.Trace {
	first := []call{{"job", 0, 10, 0, ""}, {"job", 10, 20, 0, ""}, {release, 20, 20, trace.Release, "m"}}
	second := []call{{"job", 0, 10, 0, ""}, {"job", 10, 20, 0, ""}}
	if waits {
		second = []call{{wait, 0, 20, trace.Wait, "m"}, {"job", 20, 30, 0, ""}, {"job", 30, 40, 0, ""}}
	}
	return record(t, first, second)
}

// TestWaitsLengthenTheRun holds that work that follows one after another, because of a lock, is the
// lock's.
func TestWaitsLengthenTheRun(t *testing.T) {
	x := balanceOf(t, inTurn(t, false, "pthread_mutex_lock", "unlock"),
		inTurn(t, true, "pthread_mutex_lock", "unlock"), Options{})
	if d := x.Delta(); d != (Delta{ElapsedNs: 20}) {
		t.Fatal("difference", d)
	}
	changes := x.WaitChanges(anyChange)
	if len(changes) != 1 || changes[0].Delta() != 20 {
		t.Fatal("waits", changes)
	}
	l := NewLedger(x)
	if l.TakeWait(&changes[0]); changes[0].Own != x.Delta() {
		t.Errorf("the lock owns %v of %v", changes[0].Own, x.Delta())
	}
	if kind, name := x.Object(changes[0].Object); kind.Kind != wait.Mutex || name != "m" {
		t.Error(kind.Kind, name)
	}
	threads := x.Overlap()
	if threads != [2]float64{2, 1} {
		t.Errorf("%v threads work at a time", threads)
	}
	if own, overlaps := NewLedger(x).TakeOverlap(); own != x.Delta() || !overlaps {
		t.Errorf("overlap owns %v, %v", own, overlaps)
	}
}

// TestJoinsLengthenNothing holds that a thread that waits for another to end is not why work follows
// one after another.
func TestJoinsLengthenNothing(t *testing.T) {
	x := balanceOf(t, inTurn(t, false, "pthread_join", "exit"), inTurn(t, true, "pthread_join", "exit"),
		Options{})
	changes := x.WaitChanges(anyChange)
	l := NewLedger(x)
	if serial := Net(l.Serial()); len(changes) != 1 || serial.ElapsedNs != 20 {
		t.Fatal(changes, serial)
	}
	if l.TakeWait(&changes[0]); changes[0].Own != (Delta{}) {
		t.Errorf("the join owns %v", changes[0].Own)
	}
}

// TestSameFunctionsAreOne holds that a renamed function has one cell.
func TestSameFunctionsAreOne(t *testing.T) {
	a, b := record(t, []call{{"load", 0, 10, 0, ""}}), record(t, []call{{"fetch", 0, 12, 0, ""}})
	x := balanceOf(t, a, b, Options{Same: map[uint32]uint32{1: 0}})
	if len(x.Cells) != 1 || x.Cells[0].Delta() != (Delta{2, 2}) {
		t.Errorf("%+v", x.Cells)
	}
}

// TestContradictedClaims holds that a claim that the totals contradict gets nothing.
func TestContradictedClaims(t *testing.T) {
	x := balanceOf(t, record(t, steps(1, 100, 50)), record(t, steps(1, 170, 20)), Options{})
	l := NewLedger(x)
	for _, c := range []struct {
		fn         uint32
		says, want int64
	}{{0, -3, 0}, {0, 30, 30}, {0, 90, 40}, {0, 90, 0}, {1, -10, -10}, {1, Unbounded, -20}} {
		if own := l.Take(l.Of(c.fn), c.says); own != (Delta{c.want, c.want}) {
			t.Errorf("f%d says %d and owns %v, want %d", c.fn, c.says, own, c.want)
		}
	}
	if u := l.Unexplained(); u.Delta != (Delta{}) || len(u.Parts) != 0 {
		t.Errorf("left %+v", u)
	}
}

// TestDealing holds that shares are rounded so that they add up.
func TestDealing(t *testing.T) {
	for _, c := range []struct {
		ns         int64
		from, want []int64
	}{
		{1, []int64{1, 1, 1}, []int64{0, 1, 0}},
		{-1, []int64{-6, 2}, []int64{-1, 0}},
		{9, []int64{1, 1}, []int64{1, 1}},
		{-2, []int64{1, 1}, []int64{0, 0}},
	} {
		net := int64(0)
		for _, x := range c.from {
			net += x
		}
		d, got := newDealer(net, net, c.ns), []int64{}
		for _, x := range c.from {
			got = append(got, d.deal(x))
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%d of %v is %v, want %v", c.ns, c.from, got, c.want)
		}
	}
}

// TestAShareIsOfAll holds that a claim takes the same share of a cell, whatever others have taken of
// other cells before.
func TestAShareIsOfAll(t *testing.T) {
	b := &Balance{Cells: make([]Cell, 3)}
	for i, ns := range []int64{100, 60, -50} {
		b.Cells[i].Amounts[pair.B] = Amount{Ns: max(0, ns)}
		b.Cells[i].Amounts[pair.A] = Amount{Ns: max(0, -ns)}
	}
	list := func() (l []Portion) {
		for i := range b.Cells {
			l = append(l, Portion{i, b.Cells[i].Delta()})
		}
		return l
	}
	l := NewLedger(b)
	l.Take(list()[:1], Unbounded)
	if got := l.Take(list(), 22); got.WorkNs != 2 || l.left[1].WorkNs != 48 || l.left[2].WorkNs != -40 {
		t.Errorf("a claim for a fifth owns %d, and leaves %v", got.WorkNs, l.left)
	}
}

// TestRecordingsAddUp holds both accounts of real recordings, and that elapsed time is what the
// file itself says.
func TestRecordingsAddUp(t *testing.T) {
	for _, c := range [][2]string{
		{"chrome/go-build-cold.json.gz", "chrome/go-build-warm.json.gz"},
		{"chrome/node-n8.json.gz", "chrome/node-n16.json.gz"},
		{"uftrace/queue-2p2c.data.tar.gz", "uftrace/queue-1p3c.data.tar.gz"},
		{"gotrace/pipeline-mutex.gotrace", "gotrace/pipeline-chan.gotrace"},
		{"pprof/pipeline-level1.cpu.pprof", "pprof/pipeline-level9.cpu.pprof"},
		{"twice/queue-1.data.tar.gz", "twice/queue-2.data.tar.gz"},
	} {
		var sides [2]*trace.Trace
		for sd, path := range c {
			var err error
			sides[sd], err = traceio.Load(context.Background(), filepath.Join("../../testdata", path),
				input.Options{})
			if err != nil {
				t.Fatal(err)
			}
		}
		x := balanceOf(t, sides[0], sides[1], Options{})
		addsUp(t, x)
		for sd, tr := range sides {
			if x.Elapsed[sd] != tr.Duration || x.Work()[sd] == 0 {
				t.Errorf("%s: elapsed %d of %d, work %d", c[sd], x.Elapsed[sd], tr.Duration, x.Work()[sd])
			}
		}
		t.Logf("%s: elapsed %v, work %v, by kind %v", c[1], x.Elapsed, x.Work(), x.Total)
	}
}

// TestCancel holds that a cancelled comparison ends with the context's error.
func TestCancel(t *testing.T) {
	tr := record(t, steps(1, 5, 5))
	w := analyse(t, tr)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Compare(ctx, pair.New(tr, tr, pair.Rules{}), [2]*wait.Analysis{w, w}, Options{},
		nil); err == nil {
		t.Error("no error")
	}
	if _, err := Compare(context.Background(), pair.New(tr, nil, pair.Rules{}),
		[2]*wait.Analysis{w, w}, Options{}, nil); err == nil {
		t.Error("no error for one trace")
	}
}
