package ctf

import (
	"math"
	"sync"

	"diptych/internal/trace"
)

// lane is a thread while it is fed. Its records are gathered and then appended by the queue that it
// has, while the feed goes on: until all are, nothing else may touch the ThreadBuilder's calls.
type lane struct {
	*trace.ThreadBuilder
	laneKey
	comm    string
	proc    *process
	started trace.FuncID // the program's function that it began with, 0 if there is none
	depth   int          // of open calls
	at      int64        // time of its last event
	dumped  bool         // it told the state of the process, as a thread of the tracer does

	away     away      // from its processor
	syscalls [2]inside // in one that events name, and in one that they number: perf can record both

	queue int // that appends its records
	trace.Records
	begun uint32   // calls
	waits []uint32 // which of them are waits that have ended
	lost  []uint32 // which of them have no end on record
}

// inside is the system call that a thread is in.
type inside struct {
	open bool
	call uint32
	fn   trace.FuncID
}

const (
	// queueCount is among how many queues the threads are distributed.
	queueCount = 16
	// mostFlying is how many lists of records wait to be appended at most.
	mostFlying = 64
	// mostHeld is how many records the lists of all lanes together have room for before all of them
	// are handed over: there may be many thousands of lanes.
	mostHeld   = 1 << 17
	fewRecords = 8 // that a list has room for at first
	fullList   = 2048
	mostText   = 32 << 10 // bytes of arguments before a list is handed over
)

func freshLists() *sync.Pool {
	return &sync.Pool{New: func() any { return &trace.Records{List: make([]trace.Record, 0, fullList)} }}
}

// begin begins a call and returns its number: see trace.ThreadBuilder.Call.
func (f *feed) begin(l *lane, at int64, fn trace.FuncID) uint32 {
	l.depth++
	v := f.record(l)
	v.At, v.Fn, v.Kind = at, fn, trace.Enter
	l.begun++
	return l.begun - 1
}

// end ends the innermost call, or that of a function.
func (f *feed) end(l *lane, at int64, fn trace.FuncID) {
	l.depth = max(l.depth-1, 0)
	v := f.record(l)
	v.At, v.Fn, v.Kind = at, fn, trace.LeaveNamed
	if fn == 0 {
		v.Kind = trace.Leave
	}
}

// point records an instant.
func (f *feed) point(l *lane, at int64, fn trace.FuncID) {
	v := f.record(l)
	v.At, v.Fn, v.Kind = at, fn, trace.Point
}

// record adds a record without arguments to a thread.
func (f *feed) record(l *lane) *trace.Record {
	n := len(l.List)
	if n == cap(l.List) || len(l.Text) >= mostText {
		f.room(l)
		n = len(l.List)
	}
	l.List = l.List[:n+1]
	v := &l.List[n]
	v.From, v.To = 0, 0
	return v
}

// room makes room for a record: it hands over a full list, and lets others grow.
func (f *feed) room(l *lane) {
	full := len(l.List) == fullList
	if full || len(l.Text) >= mostText {
		f.handOver(l)
	}
	if f.held >= mostHeld {
		f.handOverAll()
	}
	if full {
		l.Records = *f.lists.Get().(*trace.Records)
		f.held += fullList
		return
	}
	size := min(max(2*cap(l.List), fewRecords), fullList)
	f.held += size - cap(l.List)
	l.List = append(make([]trace.Record, 0, size), l.List...)
}

// handOver has the records of a lane appended to its thread.
func (f *feed) handOver(l *lane) {
	f.held -= cap(l.List)
	r, to := l.Records, l.ThreadBuilder
	l.Records = trace.Records{}
	f.flight <- struct{}{}
	f.queues.Add(l.queue, func() {
		to.Append(r)
		if cap(r.List) == fullList {
			f.lists.Put(&trace.Records{List: r.List[:0], Text: r.Text[:0]})
		}
		<-f.flight
	})
}

func (f *feed) handOverAll() {
	for _, l := range f.lanes {
		if len(l.List) > 0 {
			f.handOver(l)
		}
	}
}

// part is how much of the files is read before the number of calls is judged from it: 1/part.
const part = 16

// expect tells the threads how many calls to expect, once enough is read to judge by.
func (f *feed) expect() {
	f.expected = true
	for _, l := range f.lanes {
		calls := float64(l.begun) / float64(f.bytes) * float64(f.size)
		f.queues.Add(l.queue, func() { l.ExpectCalls(int(calls + calls/64)) })
	}
}

// settle gives the calls of a lane the numbers that functions have in the trace, and marks those
// that waited. All its records are appended by then.
func (l *lane) settle(to []trace.FuncID) {
	l.Renumber(to)
	for _, call := range l.waits {
		l.Block(l.Call(call), trace.Wait)
	}
	for _, call := range l.lost {
		l.Flag(l.Call(call), trace.Unclosed)
	}
}

// explain gives the last record its arguments or its result.
func (l *lane) explain(text []byte) {
	v := &l.List[len(l.List)-1]
	v.From = uint32(len(l.Text))
	l.Text = append(l.Text, text...)
	v.To = uint32(len(l.Text))
}

// calls feeds a run of events, and reports whether there was one: entries and exits of functions on
// the thread of the event before, up to the present event of another stream. The source is then at
// the last event of the run. It does what enter and exit do, without looking up the thread.
func (f *feed) calls(s *source, at int64, number int) bool {
	l, o := s.lane, s.own
	if o == nil || l.away.off || l.started == 0 || o.named && o.comm != l.comm {
		return false
	}
	events, acts := s.batch.events[:s.quiet], s.t.acts
	i, from, lo, hi := s.next, s.next, int64(math.MaxInt64), int64(math.MinInt64)
	owner := events[i].owner
	if o != &s.batch.owners[owner] {
		return false
	}
	for ; i < len(events); i++ {
		e := &events[i]
		a := acts[e.act]
		if a.kind == otherwise || !a.met || e.owner != owner || e.at > at || e.at == at && s.number > number {
			break
		}
		fn := f.place(e.addr)
		if fn.proc != l.proc || fn.addr != e.addr {
			f.lookUp(fn, l.proc, e.addr)
		}
		n := len(l.List)
		if n == cap(l.List) {
			f.room(l)
			n = len(l.List)
		}
		l.List = l.List[:n+1]
		v := &l.List[n]
		v.At, v.Fn, v.From, v.To = e.at, fn.fn, 0, 0
		if v.Kind = trace.LeaveNamed; a.kind == enters {
			v.Kind = trace.Enter
			l.depth++
			l.begun++
		} else {
			l.depth = max(l.depth-1, 0)
		}
		lo, hi = min(lo, e.at), max(hi, e.at)
	}
	if i == from {
		return false
	}
	l.at = events[i-1].at
	f.events += i - from
	f.last = l.at
	f.b.Observe(lo)
	f.b.Observe(hi)
	s.next, s.at = i-1, l.at
	return true
}
