package firefox

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"diptych/internal/plural"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/spans"
	"diptych/internal/traceio/stacks"
)

// maker makes threads of what was read.
type maker struct {
	b     *trace.Builder
	src   *input.Source
	root  *profile
	line  *stacks.Timeline
	sums  bool // samples have no times: their weights are added up
	count int  // of threads so far
	last  *sampler
}

func newMaker(b *trace.Builder, src *input.Source, p *profile) *maker {
	m := &maker{b: b, src: src, root: p, line: stacks.NewTimeline(b)}
	m.line.Whole = p.meta.imported == ""
	if ns, ok := nanoseconds(p.meta.interval); ok && ns > 0 {
		m.line.Interval = ns
	}
	return m
}

// write makes all threads.
func (m *maker) write(ctx context.Context) error {
	timed, untimed := m.root.kinds()
	if !timed && untimed != "" {
		m.sums, m.b.Kind = true, trace.Profile
		m.b.Unit, m.b.SampleType = units[untimed], untimed
	}
	if err := m.profile(ctx, m.root, 0, "1"); err != nil {
		return err
	}
	return m.line.Write(ctx)
}

// units are those of weights, by their type.
var units = map[string]trace.Unit{"bytes": "bytes", "tracing-ms": trace.Nanoseconds, "samples": "samples"}

// kinds returns whether there are samples with times, and the type of the weights of those without.
func (p *profile) kinds() (timed bool, untimed string) {
	for _, t := range p.own {
		switch {
		case t.samples == 0:
		case t.timed() && p.meta.unit != "bytes":
			timed = true
		case untimed == "":
			untimed = t.typeOfWeights()
		}
	}
	for _, q := range p.below {
		more, other := q.kinds()
		timed, untimed = timed || more, cmp.Or(untimed, other)
	}
	return timed, untimed
}

func (t *thread) typeOfWeights() string {
	if units[t.weightType] == "" {
		return "samples"
	}
	return t.weightType
}

// profile makes the threads of a profile, whose times are so many ms later than those of the root.
func (m *maker) profile(ctx context.Context, p *profile, later float64, id string) error {
	m.b.Diagnose(trace.NotRead, p.counters, "%s", plural.Of(p.counters, "counter"))
	for _, t := range p.own {
		if err := ctx.Err(); err != nil {
			return err
		}
		t.orShared(&p.shared)
		m.thread(p, t, later, m.process(p, t, id))
	}
	for i, q := range p.below {
		later := 0.
		if q.meta.start > 0 && m.root.meta.start > 0 {
			later = q.meta.start - m.root.meta.start
		}
		if err := m.profile(ctx, q, later, id+"."+strconv.Itoa(i+1)); err != nil {
			return err
		}
	}
	return nil
}

// process returns the process of a thread. Profiles of Gecko are those of a process each, also
// where threads do not say which.
func (m *maker) process(p *profile, t *thread, id string) int32 {
	if t.pid != "" {
		id = t.pid
	} else if len(m.root.below) == 0 && t.processType == "" {
		return -1
	}
	if m.b.HasProcess(id) {
		return m.b.Process(id)
	}
	n := m.b.Process(id)
	m.b.NameProcess(n, t.processTitle(p))
	if t.site != "" {
		m.b.LabelProcess(n, t.site)
	}
	m.b.SortProcess(n, m.count)
	return n
}

// titles are what Firefox calls processes, by their type.
var titles = map[string]string{"tab": "Content", "web": "Content", "gpu": "GPU", "plugin": "Plugin",
	"socket": "Socket", "rdd": "RDD", "utility": "Utility", "extension": "WebExtensions"}

func (t *thread) processTitle(p *profile) string {
	kind := cmp.Or(t.processType, p.meta.processType)
	if kind == "default" {
		return cmp.Or(t.processName, p.meta.product, kind)
	}
	return cmp.Or(t.processName, titles[kind], kind, p.meta.product)
}

// thread makes calls of a thread's samples, and tracks of its markers.
func (m *maker) thread(p *profile, t *thread, later float64, process int32) {
	m.count++
	id := spans.PlainID(cmp.Or(t.tid, strconv.Itoa(m.count)))
	if t.pid != "" {
		id = spans.PlainID(t.pid) + "/" + id
	}
	b := m.b.Thread(id, process)
	b.SetName(cmp.Or(t.name, id))
	b.SetSort(m.count)
	m.b.Diagnose(trace.NotRead, t.allocations, "thread %s: %s", t.name,
		plural.Of(t.allocations, "allocation"))
	s := &sampler{maker: m, thread: t, later: later, libs: t.libs, paused: t.paused}
	if s.libs == nil {
		s.libs = p.libs
	}
	if s.paused == nil {
		s.paused = p.paused
	}
	if p.devtools {
		s.paused = nil // on the other clock, too
	}
	s.prepare()
	switch {
	case m.sums:
		s.addWeights(b)
		return // what has no times has no markers that mean something
	case t.timed() && p.meta.unit != "bytes":
		s.addSamples(m.line.Thread(b))
	case t.samples > 0:
		m.b.Diagnose(trace.NotRead, uint64(t.samples), "thread %s: samples without times", t.name)
	}
	if p.devtools && t.markers.rows > 0 {
		m.b.Diagnose(trace.UnknownClock, uint64(t.markers.rows), "thread %s: %s of a recording by "+
			"DevTools", t.name, plural.Of(t.markers.rows, "marker"))
		return
	}
	(&marking{maker: m, thread: t, on: b, later: later, meta: &p.meta, process: process, id: id}).write()
}

// frameCount returns how many frames the table has, as far as they say what they are.
func (t *thread) frameCount() int { return max(t.frameFunc.length(), t.frameLocation.length()) }

// sampler makes samples of a thread.
type sampler struct {
	*maker
	*thread
	later  float64
	libs   []library
	paused []float64
	nodes  []stacks.Node // by stack
	frames []frame       // by number in the table
	bad    uint64
}

// frame is what a frame is in the tree; (root) is nothing.
type frame struct {
	fn    trace.FuncID
	root  bool
	known bool
}

// prepare makes room for what stacks and frames are in the tree. Where the thread before has the
// same tables, as all have in newer versions, that is known: to begin anew would take the time of
// the number of threads by the size of the tables.
func (s *sampler) prepare() {
	before := s.last
	s.last = s
	if before != nil && before.tables.same(&s.tables) && same(before.libs, s.libs) {
		s.nodes, s.frames = before.nodes, before.frames
		return
	}
	s.nodes, s.frames = make([]stacks.Node, s.stackFrame.length()), make([]frame, s.frameCount())
	for i := range s.nodes {
		s.nodes[i] = unresolved
	}
}

const (
	unresolved stacks.Node = -1
	resolving  stacks.Node = -2
)

// node returns the node of a stack. A stack that is its own caller, which only damage makes, has no
// callers.
func (s *sampler) node(stack int32) stacks.Node {
	if stack == null {
		return stacks.Root
	}
	if int(stack) >= len(s.nodes) {
		s.bad++
		return stacks.Root
	}
	var path []int32
	for n := stack; n >= 0 && int(n) < len(s.nodes) && s.nodes[n] == unresolved; n = s.stackPrefix.at(n) {
		s.nodes[n] = resolving
		path = append(path, n)
	}
	for _, n := range slices.Backward(path) {
		up := stacks.Root
		if prefix := s.stackPrefix.at(n); prefix != null {
			if int(prefix) >= len(s.nodes) || s.nodes[prefix] < 0 {
				s.bad++
			} else {
				up = s.nodes[prefix]
			}
		}
		if f := s.frame(s.stackFrame.at(n)); f.root {
			s.nodes[n] = up
		} else {
			s.nodes[n] = s.line.Child(up, f.fn)
		}
	}
	return s.nodes[stack]
}

func (s *sampler) frame(n int32) frame {
	if n < 0 || int(n) >= len(s.frames) {
		return s.newFrame(n)
	}
	if !s.frames[n].known {
		s.frames[n] = s.newFrame(n)
	}
	return s.frames[n]
}

func (s *sampler) newFrame(n int32) frame {
	f := s.function(n, s.libs)
	if !s.told(n) {
		s.b.Diagnose(trace.BadRecord, 1, "thread %s: frame %d is of no function that is there", s.name, n)
	}
	if f == nowhere || strings.HasPrefix(f.Name, f.Package+"+0x") {
		s.b.Diagnose(trace.NoSymbol, 1, "thread %s: frame %d is called %s", s.name, n, f.Name)
	}
	if f.Name == "(root)" {
		return frame{root: true, known: true}
	}
	return frame{fn: s.b.Function(f), known: true}
}

// addSamples adds the samples with their times.
func (s *sampler) addSamples(to *stacks.Thread) {
	to.Grow(s.samples)
	now, last, paused := 0., math.Inf(-1), s.paused
	for i := range s.samples {
		if len(s.time.decimal) > 0 {
			now = s.time.time(i)
		} else {
			now += s.delta.time(i)
		}
		at, ok := nanoseconds(now + s.later)
		if !ok {
			s.bad++
			continue
		}
		for ; len(paused) > 0 && paused[0] <= now; paused = paused[1:] {
			if paused[0] > last {
				s.stop(to, paused[0])
			}
		}
		to.Sample(at, s.node(s.stack.at(int32(i))))
		last = max(last, now)
		if w := s.weight.time(i); s.weightType == "tracing-ms" && w >= 0 && !(s.time.time(i+1) <= now+w) {
			s.stop(to, now+w)
			last = now + w
		}
	}
	s.tell()
}

// stop says that nothing is known of the thread from a time on.
func (s *sampler) stop(to *stacks.Thread, ms float64) {
	if at, ok := nanoseconds(ms + s.later); ok {
		to.Sample(at, stacks.Root)
	}
}

func (s *sampler) tell() {
	if s.bad > 0 {
		s.b.Diagnose(trace.BadRecord, s.bad, "thread %s: %s without a time or a stack that is there",
			s.name, plural.Of(s.bad, "sample or stack", "samples or stacks"))
	}
}

// addWeights adds up the weights of samples.
func (s *sampler) addWeights(to *trace.ThreadBuilder) {
	if s.samples == 0 {
		return
	}
	kind := s.typeOfWeights()
	if units[kind] != s.b.Unit {
		s.b.Diagnose(trace.NotRead, uint64(s.samples), "thread %s: weights in %s", s.name, kind)
		return
	}
	p := stacks.NewProfile(s.line.Tree, s.b, string(s.b.Unit))
	for i := range s.samples {
		w := 1.
		if len(s.weight.decimal) > 0 {
			w = s.weight.time(i)
		}
		if kind == "tracing-ms" {
			w *= 1e6
		}
		if !(math.Abs(w) < trace.Limit) {
			s.bad++
			continue
		}
		p.Add(s.node(s.stack.at(int32(i))), int64(math.Round(w)), "")
	}
	s.tell()
	p.Write(to)
}

// nanoseconds returns a time in ms as ns.
func nanoseconds(ms float64) (int64, bool) {
	if !(math.Abs(ms) < trace.Limit/1_000_000) {
		return 0, false
	}
	whole := int64(ms)
	return whole*1_000_000 + int64(math.Round((ms-float64(whole))*1e6)), true
}
