package chrome

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"diptych/internal/trace"
)

// parser turns the events of blocks into records. Each worker has one.
type parser struct {
	scanner scanner
	order   [orderLen]uint8 // the members of the last event, as quick.go tells them
	event   event
	dict    *dict
	recent  [64]recent             // threads, by their ids
	names   [1 << namesShift]int32 // numbers of names that were seen lately, plus one
}

// namesShift is for twice as many names as a program has that is not small.
const namesShift = 13

// recent is a thread that was seen lately: short ids are compared as words.
type recent struct {
	pid, tid uint64
	number   int32 // plus one
}

// words returns the dict to number names with.
func (p *parser) words() *dict {
	if p.dict == nil || p.dict.full() {
		p.dict, p.recent, p.names = &dict{}, [64]recent{}, [1 << namesShift]int32{}
	}
	return p.dict
}

// keep turns an event into a record. It returns false for one without phase, or without the time
// its phase needs.
func (p *parser) keep(t *batch, e *event) bool {
	phase := e.phase(t.block)
	kind := phases[phase]
	if kind == unknownPhase {
		return false
	}
	if kind == passed && e.ts.empty() {
		return true
	}
	var r trace.Record
	if kind != metadata && !t.times(e, phase, &r) {
		return false
	}
	t.kept++
	if kind == passed {
		t.lo, t.hi = min(t.lo, r.At), max(t.hi, r.At)
		return true
	}
	if e.noThread = e.tid.empty(); e.noThread {
		e.tid, e.tidWord = e.pid, e.pidWord
	}
	track := p.track(t, e)
	from := uint32(len(t.args))
	if n := e.args.to - e.args.from; n > 2 || n == 2 && t.block[e.args.from] != '{' {
		t.arguments(e)
	}
	args := span{from, uint32(len(t.args))}
	switch kind {
	case call:
		r.From, r.To = args.from, args.to
		p.call(t, e, phase, track, &r)
	case mark:
		r.Kind, r.Fn = trace.Point, trace.FuncID(p.function(t, e, trace.Event))
		t.add(track, &r)
		if string(t.text(e.name)) == pageLoaded {
			t.mention(showsPage, phase, track, e, &r, args)
		}
	default:
		m := t.mention(something, phase, track, e, &r, args)
		if kind == async {
			m.fn = p.laneFunction(t, e, phase)
		}
	}
	return true
}

// call makes the record of a call's begin or end, or of a whole one.
func (p *parser) call(t *batch, e *event, phase byte, track int32, r *trace.Record) {
	args := span{r.From, r.To}
	switch phase {
	case 'E':
		r.Kind = trace.Leave
		if !e.name.empty() {
			r.Kind, r.Fn = trace.LeaveNamed, trace.FuncID(p.function(t, e, trace.Routine))
		}
		t.add(track, r)
		return
	case 'B':
		r.Kind, r.Fn = trace.Enter, trace.FuncID(p.function(t, e, trace.Routine))
	case 'X':
		fn := p.function(t, e, trace.Routine)
		r.Kind, r.Fn = trace.Whole, trace.FuncID(p.inFile(t, e, args, fn))
	}
	to := *r
	to.End = max(to.End, to.At)
	t.add(track, &to)
	if r.Kind == trace.Whole && r.End < r.At {
		t.mention(early, phase, track, e, r, args).fn = int32(r.Fn)
	}
	if !e.bind.empty() {
		t.mention(bound, phase, track, e, r, args).nth = t.tracks[track].begun
	}
	t.tracks[track].begun++
}

// add adds a record of a thread.
func (t *batch) add(track int32, r *trace.Record) {
	if s := &t.tracks[track]; !s.opened {
		s.opened = true
		t.mentions = append(t.mentions, mention{kind: opens, track: track})
	}
	t.records = append(t.records, *r)
	t.to = append(t.to, track)
}

// mention adds a mention of an event.
func (t *batch) mention(kind mentioned, phase byte, track int32, e *event, r *trace.Record,
	args span) *mention {
	t.mentions = append(t.mentions, mention{kind: kind, phase: phase, track: track, fn: -1, at: r.At,
		end: r.End, name: e.name, cat: e.cat, args: args, more: e.more})
	return &t.mentions[len(t.mentions)-1]
}

// function numbers the function of an event.
func (p *parser) function(t *batch, e *event, k trace.FuncKind) int32 {
	n := p.nameNumber(t.block, e)
	if p.dict.used(n) {
		t.uses = append(t.uses, use{name: n, base: -1, kind: k, text: e.name, cat: e.cat})
	}
	return n
}

// laneFunction numbers the function of an event in a lane, −1 for an end without a name.
func (p *parser) laneFunction(t *batch, e *event, phase byte) int32 {
	switch phase {
	case 'b', 'S':
		return p.function(t, e, trace.Region)
	case 'e', 'F':
		if e.name.empty() {
			return -1
		}
		return p.function(t, e, trace.Routine)
	}
	return p.function(t, e, trace.Event)
}

// track returns the index of an event's thread in the batch.
func (p *parser) track(t *batch, e *event) int32 {
	d := p.dict
	n := p.trackNumber(t.block, e)
	if int(n) == len(d.seenIn) {
		d.seenIn, d.local = append(d.seenIn, 0), append(d.local, 0)
	}
	if d.seenIn[n] != d.batch {
		d.seenIn[n], d.local[n] = d.batch, int32(len(t.tracks))
		t.tracks = append(t.tracks, seen{number: n, pid: e.pid, tid: e.tid})
	}
	return d.local[n]
}

func (p *parser) trackNumber(b []byte, e *event) int32 {
	const odd = 0x9E3779B97F4A7C15
	pid, tid := b[e.pid.from:e.pid.to], b[e.tid.from:e.tid.to]
	if e.pidWord == 0 || e.tidWord == 0 {
		return p.dict.tracks.number(pid, tid, nil)
	}
	slot := &p.recent[(e.pidWord*odd^e.tidWord)*odd>>58]
	if slot.number == 0 || slot.pid != e.pidWord || slot.tid != e.tidWord {
		*slot = recent{e.pidWord, e.tidWord, p.dict.tracks.number(pid, tid, nil) + 1}
	}
	return slot.number - 1
}

// nameNumber numbers the name and the category of an event.
func (p *parser) nameNumber(b []byte, e *event) int32 {
	const odd = 0x9E3779B97F4A7C15
	name, cat := b[e.name.from:e.name.to], b[e.cat.from:e.cat.to]
	n := len(name)
	if n < 8 {
		return p.dict.names.number(name, cat, nil)
	}
	h := binary.LittleEndian.Uint64(name) ^ bits.RotateLeft64(binary.LittleEndian.Uint64(name[n-8:]), 23)
	if c := len(cat); c >= 8 {
		h += binary.LittleEndian.Uint64(cat) + uint64(cat[c-1])
	}
	slot := &p.names[(h+uint64(n))*odd>>(64-namesShift)]
	if k := *slot - 1; k >= 0 {
		if w := &p.dict.names; w.equal(&w.entries[k], name, cat, nil) {
			return k
		}
	}
	k := p.dict.names.number(name, cat, nil)
	*slot = k + 1
	return k
}

// times fills in the record's start and end.
func (t *batch) times(e *event, phase byte, r *trace.Record) bool {
	at, ok := e.at, e.atKnown
	if !ok {
		if at, ok = micros(t.text(e.ts)); !ok {
			return false
		}
	}
	r.At = at.rounded()
	if phase == 'X' && !e.dur.empty() {
		dur, ok := e.length, e.lengthKnown
		if !ok {
			if dur, ok = micros(t.text(e.dur)); !ok {
				return false
			}
		}
		at = at.plus(dur)
	}
	r.End = at.rounded()
	return max(r.End, -r.End) <= trace.Limit
}

// arguments adds the event's arguments to the batch's without white space, and nothing for an empty
// object.
func (t *batch) arguments(e *event) {
	text := t.text(e.args)
	if !e.gaps {
		t.args = append(t.args, text...)
		return
	}
	from := len(t.args)
	if t.args = squeeze(t.args, text); string(t.args[from:]) == "{}" {
		t.args = t.args[:from]
	}
}

// inFile numbers the function of a complete record whose arguments begin with a path as its detail;
// fn is that of all such records. See feed.inFile.
func (p *parser) inFile(t *batch, e *event, args span, fn int32) int32 {
	text := t.args[args.from:args.to]
	if !bytes.HasPrefix(text, detailKey) {
		return fn
	}
	rest := text[len(detailKey):]
	end := bytes.IndexByte(rest, '"')
	if end < 0 {
		return fn
	}
	file := withoutPosition(rest[:end])
	if !sourcePath(file) {
		return fn
	}
	n := p.dict.names.number(t.text(e.name), t.text(e.cat), file)
	if p.dict.used(n) {
		from := args.from + uint32(len(detailKey))
		t.uses = append(t.uses, use{name: n, base: fn, text: e.name, cat: e.cat,
			file: span{from, from + uint32(len(file))}})
	}
	return n
}
