package uftrace

import (
	"encoding/binary"

	"diptych/internal/trace"
)

const (
	// batchSize is how many records a thread is given at once: what fits a processor's first cache.
	batchSize = 512
	batchText = 32 << 10 // bytes of arguments that are held at most before a record
)

// batch gathers the records of one task at a time for its thread, which takes many at once in far
// less time than one by one.
type batch struct {
	thread   *trace.ThreadBuilder
	list     []trace.Record
	text     []byte
	calls    uint32 // begun so far
	ended    uint32
	size     int64 // of the file, 0 if that is not known
	expected bool  // the thread was told how many calls there will be
}

// start begins another task.
func (b *batch) start(t *trace.ThreadBuilder) {
	if b.list == nil {
		b.list = make([]trace.Record, 0, batchSize)
	}
	*b = batch{thread: t, list: b.list[:0], text: b.text[:0]}
}

func (b *batch) full() bool { return len(b.list) == batchSize || len(b.text) >= batchText }

// begin begins a call and returns how many there were before it.
func (b *batch) begin(at int64, fn trace.FuncID) uint32 {
	b.add(trace.Record{At: at, Fn: fn, Kind: trace.Enter})
	b.calls++
	return b.calls - 1
}

// end ends the innermost call.
func (b *batch) end(at int64) {
	b.add(trace.Record{At: at, Kind: trace.Leave})
	b.ended++
}

func (b *batch) add(v trace.Record) {
	if b.full() {
		b.flush(0)
	}
	b.list = append(b.list, v)
}

// explain gives the last record its arguments or its result. The text begins with all of b.text.
func (b *batch) explain(text []byte) {
	v := &b.list[len(b.list)-1]
	v.From, v.To = uint32(len(b.text)), uint32(len(text))
	b.text = text
}

// expect counts the calls of a small file beforehand.
func (s *stream) expect() {
	if s.out.size > windowSize/2 {
		return
	}
	s.in.ensure(int(s.out.size))
	calls, payloads := len(s.switches)/2, 0
	for data := s.in.rest(); len(data) >= recordSize; {
		rec := s.words.decode(data)
		if !rec.sound() {
			payloads, data = payloads+1, data[8:] // or what is taken for one
			continue
		}
		if rec.kind() == entryRecord {
			calls++
		}
		data = data[recordSize:]
	}
	s.thread.Expect(calls + min(payloads, calls/64))
	s.out.expected = true
}

// part is how much of a file is read before the number of its calls is judged from it: 1/part.
const part = 16

// flush hands over what there is. So many bytes of the file were read by then, 0 if that does not
// matter.
func (b *batch) flush(read int64) {
	b.thread.Append(trace.Records{List: b.list, Text: b.text})
	b.list, b.text = b.list[:0], b.text[:0]
	if b.expected || read == 0 || read < b.size/part {
		return
	}
	b.expected = true
	// Each call has a begin and an end; of those that are open only one was read.
	calls := float64(b.calls+b.ended) / 2 * float64(b.size) / float64(read)
	b.thread.Expect(int(calls + calls/64))
}

// plain takes records as long as they are of the plain kind, which almost all are: the next function
// is entered, or the innermost one is left, and neither has arguments. It stops at the end of what is
// at hand and before anything else, which take is for.
func (s *stream) plain() {
	if !s.words.little || !s.seen || !s.stack.began || s.stack.off || s.lost.n > 0 {
		return
	}
	until, last, data := s.until(), s.last, s.in.rest()
	out, find, open := s.out, s.find, s.stack.open
	from, calls, used := len(out.list), out.calls, 0
	to, list := from, out.list[:batchSize]
	top := s.stack.top()
	for len(data)-used >= recordSize && to < len(list) {
		b := data[used : used+recordSize : used+recordSize]
		rec := record{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])}
		if rec.packed&(unlikely&^exitRecord) != usual || rec.at >= until || rec.at-last > leap {
			break
		}
		depth, v := s.stack.depth(rec, top), &list[to]
		if rec.packed&exitRecord == 0 {
			if top >= depth {
				break
			}
			i := find.cache.get(rec.addr())
			if i < 0 || find.own[i] < 0 {
				break
			}
			v.Fn, v.Kind = trace.FuncID(find.own[i]), trace.Enter
			open = append(open, frame{rec.addr(), depth, i, calls})
			calls++
			top = depth
		} else {
			k := len(open) - 1
			if top != depth || open[k].addr != rec.addr() {
				break
			}
			v.Kind = trace.Leave
			open = open[:k]
			top = -1
			if k > 0 {
				top = open[k-1].depth
			}
		}
		v.At, v.From, v.To = int64(rec.at), 0, 0
		last = rec.at
		used += recordSize
		to++
	}
	out.ended += uint32(to-from) - (calls - out.calls)
	s.stack.open, out.list, out.calls = open, list[:to], calls
	s.last = last
	s.in.pos += used
}

// A record that plain takes has these bits: an entry or an exit, without more, and with the mark.
const (
	unlikely = 0x3f
	usual    = recordMagic << 3
)

// until returns the time, in ns, from which records are not plain: there is a switch before them, or
// another program or library to look at.
func (s *stream) until() uint64 {
	until := uint64(trace.Limit + 1)
	if k := s.stack.next; k < len(s.switches) {
		until = min(until, uint64(max(s.switches[k].at, -1)+1))
	}
	if s.find.until < int64(until) {
		until = uint64(max(s.find.until, 0))
	}
	return until
}
