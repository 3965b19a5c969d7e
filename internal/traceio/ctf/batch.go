package ctf

import (
	"context"
	"fmt"

	"diptych/internal/trace"
)

// Each stream is decoded by a goroutine of its own, which hands over batches of events. A batch
// holds all that the feed needs of an event, so the memory of the packet can be used again. A note
// on a fault lies between two events and is told when the feed gets there. So the order in which
// faults are told does not depend on which goroutine came first.
//
//	stream 0 ──decode──▶ batch, batch ┐
//	stream 1 ──decode──▶ batch        ├─▶ feed, in order of time ──▶ queues append to threads
//	stream 2 ──decode──▶ batch, batch ┘

// The most that a batch holds, and how many batches a stream has: one is filled while the feed
// takes events from another.
const (
	batchEvents  = 4096 // divided by the number of streams, but at least fewestEvents
	fewestEvents = 256
	batchNotes   = 256
	batchText    = 64 << 10
	batchesEach  = 2
)

// batch is events of a stream in their order.
type batch struct {
	events []event
	owners []owner
	values []uint64 // of events whose action looks at more than one field; see keep
	text   []byte
	notes  []note
	most   int // events
}

// event is a decoded event.
type event struct {
	at    int64 // ns
	addr  uint64
	act   int32 // of the tracer
	owner int32 // in the batch
}

// owner is whose event it is, as far as the event itself tells.
type owner struct {
	pid, tid int64
	cpu      int64 // −1 if it is not known
	told     bool  // the event tells the thread
	named    bool  // and its name
	comm     string
}

// note is what lies between events: bytes that were read, or something wrong.
type note struct {
	before  int // which event of the batch
	bytes   int64
	code    trace.Code // "" if only bytes are told
	n       uint64
	example string
}

// full reports whether there is no room for another event or note.
func (b *batch) full() bool {
	return len(b.events) >= b.most || len(b.notes) >= batchNotes || len(b.text) >= batchText
}

// clear makes room in a batch that was taken.
func (b *batch) clear() {
	b.events, b.owners, b.values = b.events[:0], b.owners[:0], b.values[:0]
	b.text, b.notes = b.text[:0], b.notes[:0]
}

// tell notes n violations. Only the first of a kind is put into words: of later ones nobody asks.
func (s *stream) tell(c trace.Code, n uint64, format string, args ...any) {
	if n == 0 {
		return
	}
	v := note{before: len(s.batch.events), code: c, n: n}
	if !s.told[c] {
		if s.told == nil {
			s.told = map[trace.Code]bool{}
		}
		s.told[c], v.example = true, fmt.Sprintf(format, args...)
	}
	s.batch.notes = append(s.batch.notes, v)
}

// decode fills batches with the events of the stream until it ends or ctx is done.
func (s *stream) decode(ctx context.Context) {
	defer close(s.ready)
	for more := true; more; {
		var b *batch
		select {
		case b = <-s.free:
		case <-ctx.Done():
			return
		}
		if more = s.decodeSome(ctx, b); ctx.Err() != nil {
			return
		}
		s.ready <- b // which has room for all
	}
}

// decodeSome fills a batch with the next events, and reports whether there may be more.
func (s *stream) decodeSome(ctx context.Context, b *batch) bool {
	b.clear()
	s.batch, s.listed = b, false
	for s.advance(ctx) {
		s.keep()
	}
	return b.full()
}

// keep adds the present event to the batch.
func (s *stream) keep() {
	b, a := s.batch, s.event.body.act
	s.belong(a)
	b.events = append(b.events, event{s.at, s.num(a.addr), a.number, int32(len(b.owners) - 1)})
	if !a.rest {
		return
	}
	for _, n := range a.wanted {
		v := s.num(n)
		if n.isText() {
			text := s.text(n)
			v = uint64(len(b.text))<<32 | uint64(len(text))
			b.text = append(b.text, text...)
		}
		b.values = append(b.values, v)
	}
}

// restore puts the next values of a batch, those of an event with such an action, into the slots
// that they had.
func (b *batch) restore(a *action, next int, to *slots) {
	for i, n := range a.wanted {
		v := b.values[next+i]
		if n.isText() {
			from, size := v>>32, v&(1<<32-1)
			to.texts[n.slot] = b.text[from : from+size]
			continue
		}
		to.nums[n.slot] = v
	}
}

// belong makes the owner of the present event the last one of the batch.
func (s *stream) belong(a *action) {
	if s.listed && !s.changed && s.common && a.common {
		return
	}
	now := owner{pid: s.t.pid, tid: -1, cpu: s.packet.cpu}
	if a.tid != nil && !(s.t.perf && now.cpu >= 0 && int32(s.num(a.tid)) <= 0) {
		now.told, now.tid = true, int64(s.num(a.tid))
		if a.pid != nil {
			now.pid = int64(s.num(a.pid))
		}
	}
	if a.comm != nil {
		now.named, now.comm = true, s.owner.comm
		if name := trimmed(s.text(a.comm)); string(name) != now.comm {
			now.comm = string(name)
		}
	}
	if !s.listed || now != s.owner {
		s.batch.owners = append(s.batch.owners, now)
	}
	s.owner, s.listed, s.common = now, true, a.common
}
