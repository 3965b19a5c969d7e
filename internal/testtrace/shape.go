// Package testtrace makes traces for tests. It gives:
//
//   - Shape: what random traces look like (threads, calls, functions, times, blocking calls, stray
//     records). Draw draws one in a property test, so that rapid can shrink it; Random makes the
//     same kind from a seed, for tests and benchmarks that need a large one.
//   - Tree: calls without times, for engines that are held against a definition over trees. Grow
//     grows a random forest, Edit makes the second version of one, Number numbers it and spells
//     its subtrees, Record makes a trace of forests, with the times of a Clock.
//   - Build: the end of every trace that a test puts together itself.
//   - Sized and Checks: how large a test is made, in the usual run and in the long one.
//
// The package knows no analysis, no view and no file; programs do not import it.
package testtrace

import (
	"context"
	"fmt"
	"math/rand/v2"

	"pgregory.net/rapid"

	"diptych/internal/trace"
)

// TB is what a test, a benchmark and a case of a property have in common.
type TB interface {
	Helper()
	Fatal(args ...any)
}

// Build ends a trace, or the test.
func Build(t TB, b *trace.Builder) *trace.Trace {
	t.Helper()
	tr, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// Range is a least and a most, both included.
type Range [2]int64

// Exactly is the range of one number.
func Exactly(n int64) Range { return Range{n, n} }

// Shape says what random traces look like. The zero Shape has one thread without calls.
type Shape struct {
	Threads   Range    // number of threads, named 0, 1, …; {0, 0} stands for one
	Records   Range    // begins and ends of a thread
	Functions []string // names of what is called; default f, g, h, i, j
	Start     Range    // time of a thread's first record, ns
	Step      Range    // ns from one record to the next; from 0, for equal times
	Scales    int      // if not 0, steps are of all magnitudes from 0 to 2^Scales instead
	Ends      int      // one record in so many is an end; default 2
	Depth     int      // of the deepest stack; 0 for no limit
	Stray     bool     // ends may come where no call is open
	Close     bool     // calls that are open after the last record are closed a Step later each
	Origin    bool     // a further thread, "tick", has an instant at time 0: Start is kept

	// Blocking calls. With no Objects no call blocks.
	Objects Range // number of objects, named o0, o1, …
	Marks   int   // a call is marked one time in so many as a wait, a release, I/O; default 3
	Stated  bool  // some correspondences are stated by the recording

	Flows   Range // number of flows, from and to any moment of any thread
	Off     int   // so many of the functions, the last ones, stand for time without a processor
	Runtime bool  // some threads are the language runtime's
	Counts  Range // so many times is counted how often a function calls another
}

// Draw draws a trace. Label names what is drawn in rapid's reports.
func (s Shape) Draw(t *rapid.T, label string) *trace.Trace {
	return s.build(t, func(what string, r Range) int64 {
		return rapid.Int64Range(r[0], r[1]).Draw(t, label+" "+what)
	})
}

// Random makes a trace from a seed: the same at each call.
func (s Shape) Random(t TB, seed uint64) *trace.Trace {
	r := rand.New(rand.NewPCG(seed, 6))
	return s.build(t, func(_ string, of Range) int64 { return of[0] + r.Int64N(of[1]-of[0]+1) })
}

// choice picks a number from a range; what says what for.
type choice func(what string, r Range) int64

// below picks an index.
func (c choice) below(what string, n int) int { return int(c(what, Range{0, int64(n) - 1})) }

// once is true one time in n.
func (c choice) once(what string, n int) bool { return c.below(what, n) == n-1 }

func (s Shape) withDefaults() Shape {
	if s.Threads == (Range{}) {
		s.Threads = Exactly(1)
	}
	if len(s.Functions) == 0 {
		s.Functions = []string{"f", "g", "h", "i", "j"}
	}
	if s.Ends == 0 {
		s.Ends = 2
	}
	if s.Marks == 0 {
		s.Marks = 3
	}
	return s
}

// maker builds one trace of a shape.
type maker struct {
	Shape
	pick    choice
	b       *trace.Builder
	fns     []trace.FuncID
	objects []trace.ObjectID

	waits, releases []trace.Ref
	threads         []*trace.ThreadBuilder
	last            int64 // the time of the last record
}

func (s Shape) build(t TB, pick choice) *trace.Trace {
	t.Helper()
	m := &maker{Shape: s.withDefaults(), pick: pick, b: trace.NewBuilder("test")}
	if s.Origin {
		m.b.Thread("tick", -1).Instant(0, m.b.Function(trace.Function{Name: "tick"}))
	}
	for i, name := range m.Functions {
		f := trace.Function{Name: name}
		if i >= len(m.Functions)-s.Off {
			f.Off = trace.Switched
		}
		m.fns = append(m.fns, m.b.Function(f))
	}
	if s.Objects[1] > 0 {
		for o := range pick("objects", s.Objects) {
			m.objects = append(m.objects, m.b.Object(fmt.Sprint("o", o)))
		}
	}
	for k := range pick("threads", m.Threads) {
		th := m.b.Thread(fmt.Sprint(k), -1)
		if m.Runtime && m.pick.once("runtime", 4) {
			th.SetKind(trace.Runtime)
		}
		m.threads = append(m.threads, th)
		m.last = max(m.last, m.record(th))
	}
	m.state()
	m.flow()
	for range pick("counts", s.Counts) {
		m.b.CountCalls(m.fns[pick.below("caller", len(m.fns))], m.fns[pick.below("callee", len(m.fns))],
			pick("times", Range{0, 1 << 40}))
	}
	return Build(t, m.b)
}

// record makes the records of a thread and returns when the last is.
func (m *maker) record(th *trace.ThreadBuilder) int64 {
	now := m.pick("start", m.Start)
	for range m.pick("records", m.Records) {
		now += m.step()
		full := m.Depth > 0 && th.Depth() >= m.Depth
		if (th.Depth() > 0 || m.Stray) && (full || m.pick.once("end", m.Ends)) {
			th.End(now)
			continue
		}
		ref := th.Begin(now, m.fns[m.pick.below("function", len(m.fns))])
		if len(m.objects) > 0 {
			m.mark(th, ref)
		}
	}
	for m.Close && th.Depth() > 0 {
		now += m.step()
		th.End(now)
	}
	return now
}

// step returns the time until the next record.
func (m *maker) step() int64 {
	if m.Scales == 0 {
		return m.pick("step", m.Step)
	}
	return m.pick("step", Range{0, 1<<m.pick("scale", Range{0, int64(m.Scales)}) - 1})
}

// mark makes a call block, or not, in one or several ways on the same objects.
func (m *maker) mark(th *trace.ThreadBuilder, ref trace.Ref) {
	var on []trace.ObjectID
	for range [...]int{0, 1, 1, 1, 2, 3}[m.pick.below("on", 6)] {
		on = append(on, m.objects[m.pick.below("object", len(m.objects))])
	}
	for kind := trace.Wait; kind <= trace.IO; kind++ {
		if !m.pick.once("mark", m.Marks) {
			continue
		}
		th.Block(ref, kind, on...)
		switch kind {
		case trace.Wait:
			m.waits = append(m.waits, ref)
		case trace.Release:
			m.releases = append(m.releases, ref)
		}
	}
}

// state states some correspondences of any waits and releases.
func (m *maker) state() {
	if !m.Stated || len(m.waits) == 0 || len(m.releases) == 0 {
		return
	}
	for range [...]int{0, 0, 1, 4}[m.pick.below("stated", 4)] {
		m.b.Correspond(m.waits[m.pick.below("wait", len(m.waits))],
			m.releases[m.pick.below("release", len(m.releases))], trace.NoObject)
	}
}

// flow makes flows between any two moments, the later of which is its end.
func (m *maker) flow() {
	if m.Flows[1] == 0 {
		return
	}
	moment := func(from int64) trace.Moment {
		return trace.Moment{Thread: m.threads[m.pick.below("flow thread", len(m.threads))],
			At: m.pick("flow at", Range{from, max(from, m.last)})}
	}
	for range m.pick("flows", m.Flows) {
		from := moment(0)
		to := moment(from.At)
		to.Next = m.pick.once("next", 2)
		m.b.Flow(from, to)
	}
}
