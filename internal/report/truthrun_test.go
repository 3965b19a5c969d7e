package report

import (
	"slices"
	"testing"

	"diptych/internal/synth"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// A run as trees of calls, which can be edited and timed anew on a machine with noise.

// run is one execution of a program.
type run struct {
	lanes   []*lane
	symbols bool
	unit    trace.Unit
}

// lane is a thread of a run. Top stands for no call: its self time is idle.
type lane struct {
	id, name string
	start    int64 // ns
	top      *step
}

// step is a call. Its self time is what passes before each callee and after the last one, ns.
type step struct {
	fn    trace.Function
	parts []int64
	kids  []*step
	block trace.BlockKind // 0 for none
	from  *step           // of which this is a copy
	ns    int64           // including callees, as it was recorded last
}

// takeApart makes a run of a trace. A thread with a single root becomes one with the root's
// callees: the root would only stand for the thread.
func takeApart(tr *trace.Trace) *run {
	r := &run{symbols: tr.Symbols, unit: tr.Unit}
	for _, th := range tr.Threads {
		if th.Len() == 0 || th.Kind == trace.Sums || th.Kind == trace.AsyncTrack {
			continue
		}
		l := &lane{id: th.ID, name: th.Name, start: th.Start(0), top: &step{parts: []int64{0}}}
		open, now := []*step{l.top}, l.start
		var ends []int64
		leave := func(until int64) {
			for n := len(ends); n > 0 && ends[n-1] <= until; n = len(ends) {
				open[n].pass(ends[n-1] - now)
				now, open, ends = ends[n-1], open[:n], ends[:n-1]
			}
		}
		kinds := map[int32]trace.BlockKind{}
		for _, b := range th.Blocks {
			kinds[b.Call] = b.Kind
		}
		for i := range th.Fn {
			if d := int(th.Depth(i)); d < len(ends) {
				leave(ends[d])
			}
			at := open[len(open)-1]
			at.pass(th.Start(i) - now)
			now = th.Start(i)
			s := &step{fn: tr.Functions[th.Fn[i]], parts: []int64{0}, block: kinds[int32(i)]}
			at.add(len(at.kids), s)
			open, ends = append(open, s), append(ends, th.End(i))
		}
		if len(ends) > 0 {
			leave(ends[0])
		}
		if len(l.top.kids) == 1 && len(l.top.kids[0].kids) > 1 {
			l.top = l.top.kids[0]
		}
		r.lanes = append(r.lanes, l)
	}
	return r
}

// pass lets time pass after the last callee.
func (s *step) pass(ns int64) { s.parts[len(s.parts)-1] += ns }

// add puts a callee in place k, right after the time that passes there.
func (s *step) add(k int, kid *step) {
	s.kids = slices.Insert(s.kids, k, kid)
	s.parts = slices.Insert(s.parts, k+1, 0)
}

// drop takes out the callee in place k.
func (s *step) drop(k int) *step {
	kid := s.kids[k]
	s.kids = slices.Delete(s.kids, k, k+1)
	s.parts[k] += s.parts[k+1]
	s.parts = slices.Delete(s.parts, k+1, k+2)
	return kid
}

func (s *step) self() (ns int64) {
	for _, p := range s.parts {
		ns += p
	}
	return ns
}

// all returns the time including callees.
func (s *step) all() (ns int64) {
	ns = s.self()
	for _, k := range s.kids {
		ns += k.all()
	}
	return ns
}

// take makes the self time so many times as long.
func (s *step) take(times float64) (more int64) {
	before := s.self()
	for k := range s.parts {
		s.parts[k] = int64(float64(s.parts[k]) * times)
	}
	return s.self() - before
}

func (s *step) copied() *step {
	c := *s
	c.from = s
	c.parts, c.kids = slices.Clone(s.parts), slices.Clone(s.kids)
	for k := range c.kids {
		c.kids[k] = c.kids[k].copied()
	}
	return &c
}

func (r *run) copied() *run {
	c := *r
	c.lanes = nil
	for _, l := range r.lanes {
		to := *l
		to.top = l.top.copied()
		c.lanes = append(c.lanes, &to)
	}
	return &c
}

// visit is one call and where it is.
type visit struct {
	s     *step
	up    *step // its caller, or the top of its lane
	lane  int
	depth int            // of the same function around it
	open  map[string]int // how many calls of each function are open around it
}

// each calls yield for all calls, callers first.
func (r *run) each(yield func(v visit)) {
	for k, l := range r.lanes {
		depth := map[string]int{}
		var walk func(up *step)
		walk = func(up *step) {
			for _, s := range slices.Clone(up.kids) {
				yield(visit{s, up, k, depth[s.fn.Name], depth})
				depth[s.fn.Name]++
				walk(s)
				depth[s.fn.Name]--
			}
		}
		walk(l.top)
	}
}

// ns returns how long the run takes.
func (r *run) ns() (longest int64) {
	for _, l := range r.lanes {
		longest = max(longest, l.start+l.top.all())
	}
	return longest
}

// overlap returns how many threads work at a time.
func (r *run) overlap() float64 {
	work := int64(0)
	r.each(func(v visit) {
		if v.s.block != trace.Wait {
			work += v.s.self()
		}
	})
	return float64(work) / float64(max(r.ns(), 1))
}

// spent is what a function takes in a run, without noise.
type spent struct{ calls, self, all, waits int64 }

// sums returns what each function takes, and under "" the idle time.
func (r *run) sums() map[string]spent {
	m := map[string]spent{}
	r.each(func(v visit) {
		t := m[v.s.fn.Name]
		t.calls++
		t.self += v.s.self()
		if v.depth == 0 {
			t.all += v.s.all()
		}
		if v.s.block == trace.Wait {
			t.waits += v.s.all()
		}
		m[v.s.fn.Name] = t
	})
	idle := spent{}
	for _, l := range r.lanes {
		idle.self += l.top.self()
	}
	m[""] = idle
	return m
}

// machine returns a machine on which the run takes place.
func (r *run) machine(n synth.Noise, seed uint64) *synth.Machine {
	calls, self := int64(0), int64(0)
	r.each(func(v visit) {
		calls++
		self += v.s.self()
	})
	return synth.NewMachine(n, seed, 1, r.ns(), self/max(calls, 1))
}

// record makes a trace of the run on a machine.
func (r *run) record(t testtrace.TB, m *synth.Machine) *trace.Trace {
	b := trace.NewBuilder("test")
	b.Symbols, b.Unit = r.symbols, r.unit
	for k, l := range r.lanes {
		th, clock, now := b.Thread(l.id, -1), m.Thread(k), l.start
		th.SetName(l.name)
		var walk func(s *step, begun int64)
		enter := func(s *step) {
			begun := now
			ref := th.Begin(now, b.Function(s.fn))
			if s.block != 0 {
				th.Block(ref, s.block)
			}
			walk(s, clock.Stretch(s.self(), now))
			th.End(now)
			s.ns = now - begun
		}
		walk = func(s *step, takes int64) {
			self := max(s.self(), 1)
			for i, p := range s.parts {
				d := int64(float64(p) / float64(self) * float64(takes))
				if i == len(s.kids) && s != l.top {
					d = max(takes, 0)
				}
				now, takes = now+d, takes-d
				if i < len(s.kids) {
					enter(s.kids[i])
				}
			}
		}
		walk(l.top, l.top.self())
	}
	return testtrace.Build(t, b)
}

// TestRunsAreRecordedAsTheyWere holds that a trace that is taken apart and recorded on a machine
// without noise has the times that it had.
func TestRunsAreRecordedAsTheyWere(t *testing.T) {
	tr := generated(t, synth.Options{Seed: 3, Calls: 3000, Threads: 3, Functions: 120})[0]
	r := takeApart(tr)
	again := takeApart(r.record(t, r.machine(synth.Noise{}, 1)))
	was, is := r.sums(), again.sums()
	for name, t0 := range was {
		if name == "" {
			continue // no call ends idle time after the last one
		}
		if t1 := is[name]; t0.calls != t1.calls || max(t0.self-t1.self, t1.self-t0.self) > 3*t0.calls+9 {
			t.Errorf("%q: %+v, then %+v", name, t0, t1)
		}
	}
	if r.ns() == 0 || len(is) != len(was) {
		t.Errorf("%d functions, then %d; %d ns", len(was), len(is), r.ns())
	}
}
