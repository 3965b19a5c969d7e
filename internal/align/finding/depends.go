package finding

import (
	"slices"
	"sort"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// dependence is what a call's duration depends on.
type dependence uint8

const (
	onFunction dependence = iota // what the function does
	onSamples                    // when samples were taken: they gave the call its borders
	onDevice                     // a file or a device
	onThreads                    // other threads
	onSystem                     // the operating system
	dependences
)

// dependenceRules say what the duration of each call of a trace depends on. Some calls take it from
// others:
//
//   - whatever is called by a call that waits, or that the system makes, depends on what that
//     does;
//   - a call with sampled callees depends on the samples, for these leave it its self time;
//   - a span of an asynchronous track lasts until the thread that works on it is done;
//   - a wait for something that was released before it began (over) is an ordinary call.
//
// A call that mostly waits for parts of it on other threads, as a span does for its children,
// depends on these; what it calls on its own thread does not (parts).
type dependenceRules struct {
	t      *trace.Trace
	states []bool           // by function: its calls are what the system does to a thread
	any    bool             // there are such functions
	over   []map[int32]bool // by thread
	parts  []map[int32]bool // by thread: calls that mostly wait for their parts; nil if none does
}

func newRules(t *trace.Trace) *dependenceRules {
	d := &dependenceRules{t: t, states: statesOf(t), over: overAtOnce(t), parts: waitForParts(t)}
	d.any = slices.Contains(d.states, true)
	return d
}

// statesOf says of each function of a trace whether its calls are what the system does to a thread.
func statesOf(t *trace.Trace) []bool {
	states := make([]bool, len(t.Functions))
	for fn := range states {
		states[fn] = byNature(t.Functions[fn].Kind)
	}
	return states
}

// inThread returns what the duration of each call of thread k depends on; nil if that is what the
// function does, for all of them. It uses the memory of room.
func (d *dependenceRules) inThread(k int, room []dependence) []dependence {
	th := d.t.Threads[k]
	if d.plain(th) && len(th.Blocks) == 0 {
		return nil
	}
	on := resized(room, th.Len())
	clear(on)
	if !d.plain(th) {
		d.mark(on, th)
	}
	for _, b := range th.Blocks {
		switch {
		case b.Kind == trace.IO:
			on[b.Call] = max(on[b.Call], onDevice)
		case b.Kind == trace.Wait && !d.over[k][b.Call]:
			on[b.Call] = onThreads
		}
	}
	if !d.plain(th) {
		inherit(on, th, 0, th.Len())
		return on
	}
	done := 0
	for _, b := range th.Blocks {
		if i := int(b.Call); i >= done && on[i] >= onDevice {
			done = th.Next(i)
			inherit(on, th, i, done)
		}
	}
	return on
}

// inherit hands what the calls [from, to) depend on, whole subtrees, on to what they call.
func inherit(on []dependence, th *trace.Thread, from, to int) {
	for i := from; i < to; i++ {
		if up := int(th.Parent(i)); up >= from && on[up] >= onDevice {
			on[i] = max(on[i], on[up])
		}
	}
}

// plain reports whether durations of a thread depend on nothing but functions and blocking.
func (d *dependenceRules) plain(th *trace.Thread) bool {
	return th.Kind == trace.Ordinary && !d.any && d.t.Kind != trace.Profile && !th.Flagged()
}

// mark marks the calls that depend on the system, on samples, or on what works on an asynchronous
// track.
func (d *dependenceRules) mark(on []dependence, th *trace.Thread) {
	merged, total := d.t.Kind == trace.Profile, th.Kind == trace.Sums
	for i, fn := range th.Fn {
		switch {
		case th.Kind == trace.AsyncTrack:
			on[i] = onThreads
		case total || th.Kind == trace.Runtime || d.states[fn]:
			on[i] = onSystem
		case merged || th.Flags(i)&trace.Sampled != 0:
			on[i] = onSamples
			if up := th.Parent(i); up >= 0 {
				on[up] = max(on[up], onSamples)
			}
		}
	}
}

// waitingCalls are the outermost calls of a thread that wait for other threads or the system, in
// order.
type waitingCalls []subtree

// subtree is calls [from, to).
type subtree struct{ from, to int32 }

// waitingCallsOf returns the outermost calls of thread k that wait. A thread that another one has
// pre-empted does not wait: there is nothing that it waits for.
func (d *dependenceRules) waitingCallsOf(k int) *waitingCalls {
	var list waitingCalls
	th := d.t.Threads[k]
	add := func(i int32) {
		if n := len(list); n == 0 || i >= list[n-1].to {
			list = append(list, subtree{i, int32(th.Next(int(i)))})
		}
	}
	if d.plain(th) {
		for _, b := range th.Blocks {
			if b.Kind == trace.Wait && !d.over[k][b.Call] {
				add(b.Call)
			}
		}
		return &list
	}
	for i, on := range d.inThread(k, nil) {
		if on >= onThreads && !d.preempted(th, int32(i)) {
			add(int32(i))
		}
	}
	return &list
}

// preempted reports whether call i of a thread is a state in which the thread could run, as when
// another thread has its processor.
func (d *dependenceRules) preempted(th *trace.Thread, i int32) bool {
	waits := func(b trace.Block) bool { return b.Kind == trace.Wait }
	return th.Kind == trace.Ordinary && d.states[th.Fn[i]] && !slices.ContainsFunc(th.BlocksOf(int(i)), waits)
}

// from returns those that end after call i begins.
func (w *waitingCalls) from(i int32) waitingCalls {
	n := sort.Search(len(*w), func(n int) bool { return (*w)[n].to > i })
	return (*w)[n:]
}

// waits reports whether the duration of call i of thread k depends on other threads or the system:
// whether the call or one around it does by itself.
func (d *dependenceRules) waits(k int, i int32) bool {
	th := d.t.Threads[k]
	if th.Kind != trace.Ordinary {
		return true
	}
	if d.parts != nil && d.parts[k][i] {
		return true
	}
	for ; i >= 0; i = th.Parent(int(i)) {
		if d.states[th.Fn[i]] {
			return true
		}
		for _, b := range th.BlocksOf(int(i)) {
			if b.Kind == trace.Wait && !d.over[k][i] {
				return true
			}
		}
	}
	return false
}

// overAtOnce returns, by thread, the waiting calls that had nothing to wait for: all that they
// waited for was released before they began, as the inputs of a build step are.
func overAtOnce(t *trace.Trace) []map[int32]bool {
	over := make([]map[int32]bool, len(t.Threads))
	for _, c := range t.Correspondences {
		k, i := c.Wait.Thread, c.Wait.Call
		if over[k] == nil {
			over[k] = map[int32]bool{}
		}
		late := c.At > t.Threads[k].Start(int(i))
		if before, known := over[k][i]; !known || before {
			over[k][i] = !late
		}
	}
	return over
}

// withParts marks calls of A that wait for their parts, or whose partners do, in what the calls of
// a pair of threads depend on; nil stands for nothing but functions. It may use the memory of room.
func (s *study) withParts(on, room []dependence, r *align.Result) []dependence {
	for sd, k := range r.Indices {
		parts := s.rules[sd].parts
		if parts == nil {
			continue
		}
		for i := range parts[k] {
			if pair.Side(sd) == pair.B {
				i = r.Partner[pair.B][i]
			}
			if i == align.None {
				continue
			}
			if on == nil {
				on = resized(room, len(r.Partner[pair.A]))
				clear(on)
			}
			on[i] = max(on[i], onThreads)
		}
	}
	return on
}

// waitForParts returns, by thread, the calls that wait for their parts for half of their self time.
func waitForParts(t *trace.Trace) []map[int32]bool {
	awaits := t.Awaits()
	if awaits == nil {
		return nil
	}
	list := make([]map[int32]bool, len(awaits))
	for k, of := range awaits {
		ns := map[int32]int64{}
		for _, a := range of {
			ns[a.Call] += a.To - a.From
		}
		th := t.Threads[k]
		list[k] = map[int32]bool{}
		for i, waits := range ns {
			self := th.Dur(int(i))
			for c := int(i) + 1; c < th.Next(int(i)); c = th.Next(c) {
				self -= th.Dur(c)
			}
			if 2*waits >= self {
				list[k][i] = true
			}
		}
	}
	return list
}

// awaitsParts reports whether the longest call of a function, on either side, waits for its parts.
func (s *study) awaitsParts(t [2]*total) bool {
	for sd, of := range t {
		if parts := s.rules[sd].parts; parts != nil && of.calls > 0 && parts[of.at.Thread][of.at.Call] {
			return true
		}
	}
	return false
}

// byNature reports whether calls of a kind are what the system does to a thread, such as
// pre-emption, rather than what the thread calls.
func byNature(k trace.FuncKind) bool { return k == trace.State || k == trace.Event }

// recordedByChance reports whether chance decides how often such a call is recorded, and under
// which caller: it was inferred from samples, or the system made it.
func (s *study) recordedByChance(r *align.Result, sd pair.Side, i int32) bool {
	th := r.Threads[sd]
	return s.rules[sd].states[th.Fn[i]] || th.Flags(int(i))&trace.Sampled != 0 ||
		s.p.Trace(sd).Kind == trace.Profile
}
