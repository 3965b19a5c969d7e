package uftrace

import (
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"strconv"

	"diptych/internal/plural"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// gathered is what a task's reader hands over to the recording.
type gathered struct {
	thread     *trace.ThreadBuilder
	functions  []int32 // in recording.functions, by the task's own numbers
	violations input.Faults
	started    string // the function of its first call, if that is where it began
}

func (t *task) name() string { return "task " + strconv.Itoa(t.tid) }

// violate counts n violations and keeps the first example of each kind.
func (t *task) violate(c trace.Code, n uint64, format string, args ...any) {
	t.violations.AddAs(c, n, trace.NewExample(format, args...).After(t.name()+": "))
}

// stream reads the records of one task.
type stream struct {
	*task
	in      *input.Window
	words   words
	stack   stack
	find    *resolver
	values  values
	out     *batch
	last    uint64 // time of the last record
	lost    losses // since then
	seen    bool   // whether there was one
	routine *routine
}

// worker reads the files of tasks, one after the other.
type worker struct {
	*recording
	find   *resolver
	out    batch
	stream stream
	shelf  trace.Shelf // of the threads
}

// newWorker makes a worker. Its stream serves one task after the other, so that what the stream
// needs is made once.
func newWorker(r *recording, find *resolver) *worker {
	w := &worker{recording: r, find: find}
	s := &w.stream
	s.values = values{order: r.order, symbol: s.symbol, enum: func(name string, v int64) string {
		if _, ok := s.routine.enums[name]; ok {
			return s.routine.enums.format(name, v)
		}
		return r.info.layouts.enums.format(name, v)
	}}
	return w
}

// readTask reads a task's file. A missing or empty one is counted, though nothing need be lost: the
// recorder makes none for a task without calls.
func (r *worker) readTask(ctx context.Context, t *task) error {
	name := strconv.Itoa(t.tid) + ".dat"
	f, err := r.dir.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		t.violate(trace.NoRecords, 1, "%s is missing", name)
		return nil
	}
	if err != nil {
		return r.fail(name, -1, "cannot open", err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err == nil && st.Size() == 0 {
		t.violate(trace.NoRecords, 1, "%s is empty", name)
		return nil
	}
	r.find.start(t)
	r.out.start(t.thread)
	s := &r.stream
	open := s.stack.open[:0]
	*s = stream{task: t, in: input.NewWindow(f), find: r.find, out: &r.out, values: s.values}
	defer s.in.Close()
	s.in.Ensure(recordSize)
	s.words = newWords(r.order, s.in.Rest())
	s.stack = stack{task: t, find: s.find, out: s.out, open: open, wraps: r.maxStack > 1<<10}
	if err == nil {
		s.out.size = st.Size()
		s.expect(&r.shelf)
	}
	s.run(ctx)
	s.out.Flush()
	if err := s.in.Failure(); err != nil {
		return r.fail(name, s.in.At(), "cannot read", err)
	}
	return ctx.Err()
}

func (s *stream) symbol(addr uint64) string { return s.find.symbolAt(addr, int64(s.last)) }

// run feeds all records to the thread.
func (s *stream) run(ctx context.Context) {
	for n := 0; ; n++ {
		if n&0xfff == 0 && ctx.Err() != nil {
			return
		}
		if s.plain(); !s.in.Ensure(recordSize) {
			break
		}
		if s.out.Full() {
			s.out.flush(s.in.At())
			continue
		}
		rec := s.words.decode(s.in.Rest())
		if !rec.sound() {
			s.resync("no record")
			continue
		}
		if rec.kind() == lostRecord {
			s.in.Advance(recordSize)
			s.lost.add(max(rec.addr(), 1))
			continue
		}
		if rec.at-s.last > leap && s.seen && s.broken(rec) || rec.at > trace.Limit {
			s.violate(trace.ClockJump, 1, "byte %d: time %d ns", s.in.At(), rec.at)
			s.in.Advance(recordSize)
			continue
		}
		s.in.Advance(recordSize)
		if !s.seen {
			s.last, s.lost.began = rec.at, rec.at
		}
		if s.lost.n > 0 {
			s.lost.tell(&s.violations, s.name(), s.last, rec.at)
		}
		s.last, s.seen = rec.at, true
		s.take(rec)
	}
	if s.lost.n > 0 {
		s.lost.tell(&s.violations, s.name(), s.last, never)
	}
	if n := len(s.in.Rest()); n > 0 {
		s.violate(trace.Truncated, 1, "byte %d: %s of a record", s.in.At(), plural.Of(n, "byte"))
	}
	s.stack.finish()
}

func (s *stream) take(rec record) {
	at := int64(rec.at)
	s.stack.passSwitches(at)
	switch rec.kind() {
	case entryRecord:
		i := s.stack.enter(at, rec)
		if rec.more() {
			s.routine = &s.find.routines[i]
			s.payload("(", s.routine.layout.args, ")", true)
		}
	case exitRecord:
		closed := s.stack.leave(at, rec)
		if rec.more() {
			s.routine = &s.find.routines[s.find.routine(rec.addr(), at)]
			s.payload("= ", s.routine.layout.rets, "", closed)
		}
	case eventRecord:
		name := s.find.r.eventName(rec.addr())
		s.thread.Instant(at, s.find.id(trace.Function{Name: name, Kind: trace.Event}))
		if rec.more() {
			s.skipEvent()
		}
	}
}

// payload prints the values after a record, which are the last record's if they are wanted. If
// what follows them is no record, they are not laid out as the specification says, and the next
// record is looked for.
func (s *stream) payload(open string, items []item, end string, wanted bool) {
	from := len(s.out.Text)
	text, n, err := s.print(open, items)
	if len(s.in.Rest())-n < recordSize || err != nil { // mostly there is more in the file
		s.in.Ensure(payloadLimit)
		text, n, err = s.print(open, items)
	}
	text = append(text, end...)
	s.out.Text = text[:from]
	data := s.in.Rest()
	fits := err == nil && len(items) > 0 && n <= len(data) &&
		(len(data)-n < recordSize || s.words.decode(data[n:]).sound())
	if !fits {
		s.resync("arguments or result of " + s.routine.name + " do not fit their layout")
		return
	}
	s.in.Advance(n)
	if wanted {
		s.out.Explain(text)
	}
}

// print appends the values at hand to the batch's text, after what opens them. It returns how many
// bytes they take.
func (s *stream) print(open string, items []item) (text []byte, n int, err error) {
	return s.values.text(append(s.out.Text, open...), items, s.in.Rest())
}

// skipEvent passes over an event's data: a length, so many bytes, and padding to 8.
func (s *stream) skipEvent() {
	if !s.in.Ensure(2) {
		return
	}
	n := (2 + int(s.words.order.Uint16(s.in.Rest())) + 7) &^ 7
	s.in.Ensure(n)
	s.in.Advance(n)
}

// leap is a pause, in ns, after which a record's time is held against the next one's: 73 minutes.
const leap = 1 << 42

// broken reports whether a record's time is wrong: the next record's follows the last one's
// instead.
func (s *stream) broken(rec record) bool {
	if !s.in.Ensure(2 * recordSize) {
		return false
	}
	next := s.words.decode(s.in.Rest()[recordSize:])
	return next.sound() && next.at-s.last <= leap && next.at-rec.at > leap
}

// resync looks for the next record: bytes with the magic number and a time not long after the last.
// Everything in a task's file lies at multiples of 8.
func (s *stream) resync(why string) {
	from := s.in.At()
	for s.in.Ensure(recordSize) {
		rec := s.words.decode(s.in.Rest())
		if s.in.At() > from && rec.sound() && (!s.seen || rec.at-s.last <= leap) {
			break
		}
		s.in.Advance(8)
	}
	if len(s.in.Rest()) < recordSize {
		s.in.Advance(len(s.in.Rest()))
	}
	s.violate(trace.BadRecord, 1, "bytes %d to %d: %s", from, s.in.At(), why)
}

// Records are two 64-bit words: the time in ns, and from the lowest bit type (2), more (1), magic
// (3), depth (10) and address (48).
const recordSize = 16

// Record types.
const (
	entryRecord = iota
	exitRecord
	lostRecord
	eventRecord
)

const recordMagic = 5

// words decodes records of either byte order. On a big-endian machine the compiler lays the bit
// fields out from the highest bit.
type words struct {
	order   binary.ByteOrder
	little  bool
	highest bool
}

func newWords(order binary.ByteOrder, first []byte) words {
	w := words{order: order, little: order == binary.LittleEndian}
	if !w.little && len(first) >= recordSize {
		second := order.Uint64(first[8:])
		w.highest = second>>3&7 != recordMagic && second>>58&7 == recordMagic
	}
	return w
}

// record is one record, its fields still packed as above.
type record struct {
	at     uint64
	packed uint64
}

func (r record) kind() int    { return int(r.packed & 3) }
func (r record) more() bool   { return r.packed&4 != 0 }
func (r record) sound() bool  { return r.packed>>3&7 == recordMagic }
func (r record) depth() int   { return int(r.packed >> 6 & 0x3ff) }
func (r record) addr() uint64 { return r.packed >> 16 }

func (w *words) decode(b []byte) record {
	if w.little {
		return record{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])}
	}
	at, p := w.order.Uint64(b), w.order.Uint64(b[8:])
	if w.highest {
		p = p>>62 | p>>61&1<<2 | p>>58&7<<3 | p>>48&0x3ff<<6 | p<<16
	}
	return record{at, p}
}
