package chrome

import (
	"slices"

	"diptych/internal/trace"
)

// stamped makes the record of the event at i, if it fits a stamp, and returns its end, else 0. If
// it could become a stamp, it says where.
func (p *parser) stamped(t *batch, i int) (end int, place *slot) {
	x := &p.stamps
	b := t.block
	if i < 2 || i+mostStamp+margin > len(b) {
		return 0, nil
	}
	x.count()
	if s := x.guess(); s != nil && s.fits(b[i:]) && p.record(t, s, i) {
		x.noteFitting(s)
		return i + s.len, nil
	}
	key := keyOf(b, i)
	if x.slots != nil {
		s := x.slots[key>>(64-slotShift)].stamp
		if s != nil && s.fits(b[i:]) && p.record(t, s, i) {
			x.noteFitting(s)
			return i + s.len, nil
		}
	}
	return 0, x.place(key)
}

// stamp makes a stamp of the event b[i:end], which is well-formed.
func (p *parser) stamp(b []byte, i, end int, place *slot) {
	if end-i > mostStamp {
		return
	}
	draft := &p.stamps.draft
	if !draft.make(&p.scanner, b[i:end]) {
		place.stamp = nil
		return
	}
	if place.stamp == nil {
		place.stamp = new(stamp)
	}
	*place.stamp, *draft = *draft, *place.stamp // what a guess may still point to is a whole stamp
}

// record makes the record of the event at i, which fits a stamp. It returns false, and has done
// nothing, if that takes more than the usual.
func (p *parser) record(t *batch, s *stamp, i int) bool {
	e, b := &p.event, t.block[i:i+mostStamp+margin]
	phase := b[s.phase]
	kind := phases[phase]
	at, ok := s.start.micros(b)
	if !ok || kind != call && kind != mark {
		return false
	}
	start := at.rounded()
	stop := start
	if phase == 'X' && s.length.whole > 0 {
		dur, ok := s.length.micros(b)
		if !ok {
			return false
		}
		stop = at.plus(dur).rounded()
	}
	if stop > trace.Limit {
		return false
	}
	e.name, e.cat, e.bind = s.name.plus(i), s.cat.plus(i), span{}
	if kind == mark && t.told(e) != something {
		return false
	}
	e.pid, e.pidWord = s.pid.word(b, i)
	e.tid, e.tidWord = s.tid.word(b, i)
	t.kept++
	track := p.track(t, e)
	if kind == mark {
		t.add(track, start, stop, p.function(t, e, trace.Event), span{}, trace.Point)
		return true
	}
	p.call(t, e, phase, track, start, stop, t.copyArgs(s, b))
	return true
}

// plus moves a span, unless it is empty.
func (s span) plus(i int) span {
	if s.empty() {
		return span{}
	}
	return span{s.from + uint32(i), s.to + uint32(i)}
}

// word returns where a number of at most seven digits is, and its text as a word.
func (n number) word(b []byte, i int) (span, uint64) {
	at := uint32(i) + n.at
	return span{at, at + uint32(n.whole)}, eightAt(b, int(n.at)) & (1<<(8*n.whole) - 1)
}

// micros reads a number of µs. It is not ok if it is beyond all times.
func (n number) micros(b []byte) (instant, bool) {
	i, d := int(n.at), int(n.whole)
	v := eightAt(b, i) ^ zeros
	lead := uint64(0)
	if d > 8 {
		lead = eight(v)
		v, d = eightAt(b, i+8)^zeros, d-8
		lead *= tens[d]
	}
	whole, part := lead+eight(v<<(64-8*d)), uint64(0)
	if f := int(n.behind); f > 0 {
		part = eight((eightAt(b, i+int(n.whole)+1)^zeros)<<(64-8*f)) * tens[9-f]
	}
	return instant{int64(whole*1000 + part/fracUnit), int32(part % fracUnit)}, whole < mostMicros
}

// copyArgs adds the arguments to the batch's, without their white space, and nothing for an empty
// object.
func (t *batch) copyArgs(s *stamp, b []byte) span {
	if s.args.empty() {
		return span{}
	}
	from := len(t.args)
	t.growArgs(s.args.len() + 64)
	to := from + s.copyKept(t.args[from:cap(t.args)], b)
	if to-from == len("{}") {
		to = from
	}
	t.args = t.args[:to]
	return span{uint32(from), uint32(to)}
}

// growArgs makes room for n more bytes of arguments. Where there are some, there will be many.
func (t *batch) growArgs(n int) {
	if len(t.args)+n > cap(t.args) {
		t.args = slices.Grow(t.args, max(n, cap(t.args), len(t.block)/4))
	}
}

// plainlyCopyKept copies the bytes of the arguments that are kept, and returns how many these are.
// It copies more than it keeps, since many parts are short: there must be 64 bytes more of out.
func (s *stamp) plainlyCopyKept(out, b []byte) (n int) {
	const step = 16 // bytes that are moved without a call
	for _, v := range s.parts {
		i, end := int(v.from), int(v.to)
		for k := n; i < end; i, k = i+step, k+step {
			*(*[step]byte)(out[k:]) = *(*[step]byte)(b[i:])
		}
		n += v.len()
	}
	return n
}
