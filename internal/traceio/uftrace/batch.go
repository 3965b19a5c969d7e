package uftrace

import (
	"encoding/binary"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/spans"
)

// batch gathers the records of one task at a time for its thread.
type batch struct {
	spans.Batch
	steps    trace.Steps // room for the plain ones
	size     int64       // of the file, 0 if that is not known
	expected bool        // the thread was told how many calls there will be
}

// start begins another task.
func (b *batch) start(t *trace.ThreadBuilder) {
	b.Start(t)
	if b.steps.At == nil {
		b.steps = trace.Steps{At: make([]int64, spans.BatchSize), Fn: make([]trace.FuncID, spans.BatchSize)}
	}
	b.size, b.expected = 0, false
}

// expect counts the calls of a small file beforehand.
func (s *stream) expect(shelf *trace.Shelf) {
	if s.out.size > input.MostEnsured {
		return
	}
	s.in.Ensure(int(s.out.size))
	calls, payloads := len(s.switches)/2, 0
	for data := s.in.Rest(); len(data) >= recordSize; {
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
	s.thread.ExpectFew(shelf, calls+min(payloads, calls/64))
	s.out.expected = true
}

// part is how much of a file is read before the number of its calls is judged from it: 1/part.
const part = 16

// flush hands over what there is. So many bytes of the file were read by then.
func (b *batch) flush(read int64) {
	b.Flush()
	b.judge(read)
}

// judge tells the thread how many calls to expect, once enough of the file was read.
func (b *batch) judge(read int64) {
	if !b.expected && read > 0 && read >= b.size/part {
		b.expected = true
		b.Expect(read, b.size)
	}
}

// plain hands over records as long as they are of the plain kind, which almost all are: the next
// function is entered, or the innermost one is left, and neither has arguments. It stops at the end
// of what is at hand and before anything else, which take is for.
func (s *stream) plain() {
	if !s.words.little || !s.seen || !s.stack.began || s.stack.off || s.lost.n > 0 {
		return
	}
	for until := s.until(); ; {
		n := s.steps(until)
		if n == 0 {
			return
		}
		out := s.out
		if out.addSteps(n) {
			continue
		}
		if len(out.List) > 0 {
			out.Flush()
		}
		out.Thread.AppendSteps(trace.Steps{At: out.steps.At[:n], Fn: out.steps.Fn[:n]})
		out.judge(s.in.At())
	}
}

// fewSteps is how many steps are rather made records of than have all records before them handed
// over: to hand over a few takes as long as to hand over a hundred, and calls with arguments mostly
// have a few without between them.
const fewSteps = 64

// addSteps adds so many of the steps to the records that are to be handed over, if there are some
// and the steps are few. It reports whether it did.
func (b *batch) addSteps(n int) bool {
	from := len(b.List)
	if from == 0 || n > fewSteps || from+n > spans.BatchSize {
		return false
	}
	b.List = b.List[:from+n]
	for i := range b.List[from:] {
		v := &b.List[from+i]
		*v = trace.Record{At: b.steps.At[i], Fn: b.steps.Fn[i], Kind: trace.Enter}
		if v.Fn == trace.StepEnd {
			v.Fn, v.Kind = 0, trace.Leave
		}
	}
	return true
}

// steps makes steps of plain records, as many as there is room for, and returns how many.
func (s *stream) steps(until uint64) (n int) {
	for s.ranked() {
		n += s.rankedSteps(until, n)
		if !s.recall(until) || n == spans.BatchSize {
			break
		}
	}
	if n < spans.BatchSize && len(s.in.Rest()) >= recordSize {
		n += s.unrankedSteps(until, n)
	}
	return n
}

// ranked reports whether each open call has the depth of its place on the stack. That is so unless
// the recorder leaves calls out by their depth, or records were lost.
func (s *stream) ranked() bool {
	return !s.stack.wraps && int(s.stack.top()) == len(s.stack.open)-1
}

// rankedSteps is steps from n on for records that keep the calls ranked and whose functions were
// met lately. Most records of most files come this way. As depths have 10 bits and a batch has a
// fixed length, nothing need be held against a length.
func (s *stream) rankedSteps(until uint64, n int) int {
	list, stamp := s.find.recent.list, s.find.recent.stamp
	at := (*[spans.BatchSize]int64)(s.out.steps.At)
	fns := (*[spans.BatchSize]trace.FuncID)(s.out.steps.Fn)
	data := s.in.Rest()
	data = data[:min(len(data)/recordSize, spans.BatchSize-n)*recordSize]
	open := s.stack.roomForAll()
	next, calls, last := uint64(len(s.stack.open)), s.out.Begun, s.last
	from := n
	for i := 0; i < len(data); i += recordSize {
		words := data[i : i+recordSize : i+recordSize]
		packed, now := binary.LittleEndian.Uint64(words[8:]), binary.LittleEndian.Uint64(words)
		if now >= until || now-last > leap {
			break
		}
		if packed&(unlikely|mostDepth<<6) == next<<6|usual {
			e := &list[recentPlace(packed>>16)]
			if e.key != packed>>16|stamp || next == mostDepth {
				break
			}
			open[next&mostDepth] = frame{packed >> 16, int32(next), e.routine, calls}
			calls++
			next++
			fns[n&(spans.BatchSize-1)] = trace.FuncID(e.own)
		} else {
			if packed&(unlikely|mostDepth<<6) != (next-1)<<6|usual|exitRecord ||
				open[(next-1)&mostDepth].addr != packed>>16 {
				break
			}
			next--
			fns[n&(spans.BatchSize-1)] = trace.StepEnd
		}
		at[n&(spans.BatchSize-1)] = int64(now)
		last = now
		n++
	}
	s.took(n-from, open[:next], calls, last)
	return n - from
}

// recall brings the routine of the next record, if it surely begins a call, to where rankedSteps
// looks for it. It reports whether it was somewhere else.
func (s *stream) recall(until uint64) bool {
	data := s.in.Rest()
	if len(data) < recordSize {
		return false
	}
	rec := s.words.decode(data)
	e := s.find.recent.at(rec.addr())
	if rec.packed&unlikely != usual || rec.at >= until || rec.at-s.last > leap ||
		e.key == rec.addr()|s.find.recent.stamp {
		return false
	}
	return s.find.remember(e, rec.addr())
}

// took takes over some steps, after which calls are open, so many have begun, and the last record
// has a time.
func (s *stream) took(n int, open []frame, calls uint32, last uint64) {
	s.out.Ended += uint32(n) - (calls - s.out.Begun)
	s.stack.open, s.out.Begun, s.last = open, calls, last
	s.in.Advance(n * recordSize)
}

// unrankedSteps is steps from n on, whatever depths open calls have.
func (s *stream) unrankedSteps(until uint64, n int) int {
	last, data := s.last, s.in.Rest()
	out, find, open := s.out, s.find, s.stack.open
	at, fns, stamp := out.steps.At, out.steps.Fn[:len(out.steps.At)], find.recent.stamp
	calls, from, top := out.Begun, n, s.stack.top()
	for ; n < len(at) && len(data) >= recordSize; n++ {
		rec := record{binary.LittleEndian.Uint64(data), binary.LittleEndian.Uint64(data[8:])}
		if rec.packed&(unlikely&^exitRecord) != usual || rec.at >= until || rec.at-last > leap {
			break
		}
		depth := s.stack.depth(rec, top)
		if rec.packed&exitRecord == 0 {
			if top >= depth {
				break
			}
			e := find.recent.at(rec.addr())
			if e.key != rec.addr()|stamp && !find.remember(e, rec.addr()) {
				break
			}
			open = append(open, frame{rec.addr(), depth, e.routine, calls})
			calls++
			top = depth
			fns[n] = trace.FuncID(e.own)
		} else {
			k := len(open) - 1
			if top != depth || open[k].addr != rec.addr() {
				break
			}
			open = open[:k]
			top = -1
			if k > 0 {
				top = open[k-1].depth
			}
			fns[n] = trace.StepEnd
		}
		at[n] = int64(rec.at)
		last, data = rec.at, data[recordSize:]
	}
	s.took(n-from, open, calls, last)
	return n - from
}

// A record that plain takes has these bits: an entry or an exit, without more, and with the mark.
const (
	unlikely = 0x3f
	usual    = recordMagic << 3
)

// until returns the time, in ns, from which records are not plain: there is a switch before them,
// or another program or library to look at.
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
