package chrome

import (
	"bytes"
	"math/bits"
	"slices"

	"diptych/internal/trace"
	"diptych/internal/traceio/jsonin"
)

// parser turns the events of blocks into records. Each worker has one.
type parser struct {
	scanner  scanner
	events   shapes // how the file writes events
	args     shapes // and arguments
	event    event
	stamps   stamps
	stamping bool // stamps are used
	dict     *dict
	recent   [1 << recentShift]recent // threads, by their ids
	names    [1 << namesShift]int32   // numbers of names that were seen lately, plus one
}

// namesShift is for twice as many names as a program has that is not small.
const namesShift = 13

// recentShift is for as many threads as record at a time.
const recentShift = 8

// recent is a thread that was seen lately: short ids are compared as words.
type recent struct {
	pid, tid uint64
	batch    uint32 // that saw it
	index    int32  // of it there
}

// words returns the dict to number names with.
func (p *parser) words() *dict {
	if p.dict == nil || p.dict.full() {
		p.dict, p.recent, p.names = &dict{}, [1 << recentShift]recent{}, [1 << namesShift]int32{}
		p.stamping = stamping()
	}
	return p.dict
}

// keep turns an event, which begins at i, into a record. It returns false for one without phase, or
// without the time its phase needs.
func (p *parser) keep(t *batch, e *event, i int) bool {
	phase := e.phase(t.block)
	kind := phases[phase]
	if kind == unknownPhase {
		return false
	}
	if kind == sampling && !t.ofProfile(e) {
		kind = passed
	}
	if kind == passed && e.ts.empty() {
		t.passOver(i, phase)
		return true
	}
	var at, end int64
	if kind != metadata {
		var ok bool
		if at, end, ok = t.times(e, phase); !ok {
			return false
		}
	}
	t.kept++
	if kind == passed {
		t.passOver(i, phase)
		t.lo, t.hi = min(t.lo, at), max(t.hi, at)
		return true
	}
	if e.noThread = e.tid.empty(); e.noThread {
		e.tid, e.tidWord = e.pid, e.pidWord
	}
	track := p.track(t, e)
	args := t.arguments(e)
	switch kind {
	case call:
		p.call(t, e, phase, track, at, end, args)
	case mark:
		t.add(track, at, end, p.function(t, e, trace.Event), span{}, trace.Point)
		if what := t.told(e); what != something {
			t.mention(what, phase, track, e, at, end, args)
		}
	default:
		m := t.mention(something, phase, track, e, at, end, args)
		if kind == async {
			m.fn = p.laneFunction(t, e, phase)
		}
	}
	return true
}

// told returns what an instant tells besides, or something for nothing.
func (t *batch) told(e *event) mentioned {
	switch string(t.text(e.name)) {
	case pageLoaded:
		return showsPage
	case wholeProfile:
		return holdsProfile
	}
	return something
}

// ofProfile reports whether a sample is a part of a profile, at a time.
func (t *batch) ofProfile(e *event) bool {
	name := string(t.text(e.name))
	return (name == profileChunk || name == profileBegins) && !e.ts.empty()
}

// passOver counts an event of a kind that the model has nothing for.
func (t *batch) passOver(at int, phase byte) {
	if t.other.count == 0 {
		t.other.at, t.other.phase = at, phase
	}
	t.other.count++
}

// call makes the record of a call's begin or end, or of a whole one.
func (p *parser) call(t *batch, e *event, phase byte, track int32, at, end int64, args span) {
	if phase == 'E' {
		kind, fn := trace.Leave, int32(0)
		if !e.name.empty() {
			kind, fn = trace.LeaveNamed, p.function(t, e, trace.Routine)
		}
		t.add(track, at, at, fn, args, kind)
		return
	}
	kind, fn := trace.Enter, p.function(t, e, trace.Routine)
	if phase == 'X' {
		kind, fn = trace.Whole, p.inFile(t, e, args, fn)
	}
	t.add(track, at, max(end, at), fn, args, kind)
	if end < at {
		m := t.mention(early, phase, track, e, at, end, args)
		m.fn = fn
	}
	if !e.bind.empty() {
		t.mention(bound, phase, track, e, at, end, args).nth = t.tracks[track].begun
	}
	t.tracks[track].begun++
}

// bytesEach is how many bytes an event has, about. It is for room.
const bytesEach = 128

// add adds a record of a thread.
func (t *batch) add(track int32, at, end int64, fn int32, args span, kind trace.RecordKind) {
	if s := &t.tracks[track]; !s.opened {
		s.opened = true
		t.mentions = append(t.mentions, mention{kind: opens, track: track})
	}
	t.to = append(t.to, track)
	if n := len(t.records); n < cap(t.records) {
		t.records = t.records[:n+1]
	} else {
		t.records = slices.Grow(t.records, 1+max(n, len(t.block)/bytesEach))[:n+1]
	}
	r := &t.records[len(t.records)-1] // written where it stays
	r.At, r.End, r.Fn, r.From, r.To, r.Kind = at, end, trace.FuncID(fn), args.from, args.to, kind
}

// use adds the first use of a name in the batch, by an event.
func (t *batch) use(name, base int32, e *event) *use {
	if n := len(t.uses); n < cap(t.uses) {
		t.uses = t.uses[:n+1]
	} else {
		t.uses = append(t.uses, use{})
	}
	u := &t.uses[len(t.uses)-1] // written where it stays
	u.name, u.base, u.kind, u.text, u.cat, u.file = name, base, 0, e.name, e.cat, span{}
	return u
}

// mention adds a mention of an event.
func (t *batch) mention(kind mentioned, phase byte, track int32, e *event, at, end int64,
	args span) *mention {
	t.mentions = append(t.mentions, mention{kind: kind, phase: phase, track: track, fn: -1, at: at,
		end: end, name: e.name, cat: e.cat, args: args, more: e.more})
	return &t.mentions[len(t.mentions)-1]
}

// function numbers the function of an event.
func (p *parser) function(t *batch, e *event, k trace.FuncKind) int32 {
	n := p.nameNumber(t.block, e)
	if p.dict.used(n) {
		t.use(n, -1, e).kind = k
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
	if e.pidWord == 0 || e.tidWord == 0 {
		return d.localTrack(t, e, p.trackNumber(t, e))
	}
	slot := &p.recent[(e.pidWord*odd^e.tidWord)*odd>>(64-recentShift)]
	if slot.batch != d.batch || slot.pid != e.pidWord || slot.tid != e.tidWord {
		*slot = recent{e.pidWord, e.tidWord, d.batch, d.localTrack(t, e, p.trackNumber(t, e))}
	}
	return slot.index
}

// trackNumber numbers an event's thread by what it is called, however that is written: if it had
// two numbers, its records in the batch would not stay in the order of the file.
func (p *parser) trackNumber(t *batch, e *event) int32 {
	pid := idText(t.text(e.pid), []byte(unknownProcess))
	return p.dict.tracks.number(pid, idText(t.text(e.tid), pid), nil)
}

// idText returns what an id says that is written so, and what it is if there is none.
func idText(raw, missing []byte) []byte {
	switch {
	case len(raw) == 0:
		return missing
	case bytes.IndexByte(raw, '\\') >= 0:
		return []byte(jsonin.Text(raw))
	}
	return raw
}

// nameNumber numbers the name and the category of an event.
func (p *parser) nameNumber(b []byte, e *event) int32 {
	name, cat := b[e.name.from:e.name.to], b[e.cat.from:e.cat.to]
	n := len(name)
	if int(e.name.from)+longName > len(b) {
		return p.dict.names.number(name, cat, nil)
	}
	h := eightAt(b, int(e.name.from))
	if n < 8 {
		h &= firstBytes[n][0]
	} else {
		h ^= bits.RotateLeft64(eightAt(name, n-8), 23)
	}
	if c := len(cat); c >= 8 {
		h += eightAt(cat, 0) + uint64(cat[c-1])
	}
	slot := &p.names[(h+uint64(n))*odd>>(64-namesShift)]
	if k := *slot - 1; k >= 0 && p.dict.names.is(k, b[e.name.from:], n, cat) {
		return k
	}
	k := p.dict.names.number(name, cat, nil)
	*slot = k + 1
	return k
}

// times returns the start and end of an event.
func (t *batch) times(e *event, phase byte) (start, end int64, ok bool) {
	at := e.at
	if !e.atKnown {
		if at, ok = micros(t.text(e.ts)); !ok {
			return 0, 0, false
		}
	}
	start = at.rounded()
	if phase == 'X' && e.dur != (span{}) { // "" is a duration, and none that can be read
		dur := e.length
		if !e.lengthKnown {
			if dur, ok = micros(t.text(e.dur)); !ok {
				return 0, 0, false
			}
		}
		at = at.plus(dur)
	}
	end = at.rounded()
	return start, end, max(end, -end) <= trace.Limit
}

// arguments adds the event's arguments to the batch's without white space, and nothing for an empty
// object.
func (t *batch) arguments(e *event) span {
	if e.copied {
		return e.out
	}
	from := len(t.args)
	if e.gaps {
		t.squeeze(int(e.args.from), int(e.args.to))
	} else {
		t.args = append(t.args, t.text(e.args)...)
	}
	if string(t.args[from:]) == "{}" {
		t.args = t.args[:from]
	}
	return span{uint32(from), uint32(len(t.args))}
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
		t.use(n, fn, e).file = span{from, from + uint32(len(file))}
	}
	return n
}
