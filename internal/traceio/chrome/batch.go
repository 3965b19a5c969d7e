package chrome

import (
	"bytes"
	"hash/maphash"

	"diptych/internal/trace"
	"diptych/internal/traceio/jsonin"
)

// record is an event ready to be replayed. It holds no pointers, so that the collector skips
// batches.
type record struct {
	at, end int64 // ns; end only for X
	name    int32 // number of the pair (name, category)
	track   int32 // number of the pair (process, thread)
	args    span
	more    int32 // index into batch.more, or −1
	phase   byte
}

// batch is a block of text and the records that a worker made from it. Batches are reused.
type batch struct {
	block []byte
	final bool   // the stream ends with the block
	args  []byte // arguments without their white space; spans beyond the block lie in here

	records []record
	more    []more
	names   pairs
	tracks  pairs
	bad     uint64 // broken records
	badAt   int    // where the first is
	used    int    // bytes of the block that are done with; an event that is cut begins there
	lost    bool   // what begins at used follows a broken record
	ended   bool   // the list of events ends before used
	sound   bool   // the block begins with an event

	scanner scanner
	event   event
	done    chan struct{}
}

// text returns the bytes of a span.
func (t *batch) text(s span) []byte {
	if n := uint32(len(t.block)); s.from >= n && !s.empty() {
		return t.args[s.from-n : s.to-n]
	}
	return t.block[s.from:s.to]
}

// name and category return the fields of that name of a record, still escaped.
func (t *batch) name(r *record) []byte     { return t.text(t.names.entries[r.name].a) }
func (t *batch) category(r *record) []byte { return t.text(t.names.entries[r.name].b) }

func (t *batch) reset() {
	t.args, t.records, t.more = t.args[:0], t.records[:0], t.more[:0]
	t.names.reset()
	t.tracks.reset()
	t.bad, t.used, t.lost, t.ended, t.sound = 0, 0, false, false, false
}

// parse makes records of the block's events. If lost, the block begins amid what follows a broken
// one.
func (t *batch) parse(lost bool) {
	t.reset()
	b := t.block
	i := 0
	if lost {
		i = t.recover(-1)
	}
	for {
		for i < len(b) && (b[i] <= ' ' || b[i] == ',') {
			i++
		}
		t.used, t.lost = i, lost
		if i == len(b) {
			return
		}
		end, st := t.element(i, lost)
		if t.ended {
			t.used = end
			return
		}
		switch st {
		case cut:
			return
		case broken:
			if !lost {
				t.spoil(i)
			}
			lost = true
			i = t.recover(i)
		default:
			t.sound = t.sound || len(t.records) == 1 && t.bad == 0
			lost = false
			i = end
		}
	}
}

// element parses the element of the list that begins at i, or the end of the list.
func (t *batch) element(i int, lost bool) (end int, st status) {
	switch t.block[i] {
	case '{':
		end, st = t.scanner.event(t.block, i, &t.event)
		if st == whole && t.event.members > 0 && !t.keep(&t.event) {
			t.spoil(i)
		}
		return end, st
	case ']':
		if lost {
			return i, broken
		}
		st = t.listEnd(i + 1)
		t.ended = st == whole
		return i + 1, st
	}
	if end, st = scalar(t.block, i); st == whole {
		t.spoil(i)
	}
	return end, st // a list in the list would swallow events
}

// listEnd looks at what follows the bracket before i. It can be the end of the list of events if
// another member of the outermost object comes next, or nothing: damage must not end the list
// early.
func (t *batch) listEnd(i int) status {
	b := t.block
	i = jsonin.SkipSpace(b, i)
	comma := i < len(b) && b[i] == ','
	if comma {
		i = jsonin.SkipSpace(b, i+1)
	}
	switch {
	case i == len(b) && !t.final:
		return cut
	case i == len(b), comma && b[i] == '"', !comma && b[i] == '}':
		return whole
	}
	return broken
}

// spoil counts a bad record.
func (t *batch) spoil(at int) {
	if t.bad == 0 {
		t.badAt = at
	}
	t.bad++
}

// recover returns where, after the broken record at i, an event begins that is intact as far as the
// block shows it, or the block's length. It tries each place where one could begin; the work it may
// spend on that is linear in the block.
func (t *batch) recover(i int) int {
	b := t.block
	budget := 16*len(b) + 1<<16
	for i++; budget > 0; i++ {
		k := bytes.IndexByte(b[min(i, len(b)):], '{')
		if k < 0 {
			break
		}
		i += k
		if !begins(b, i) {
			continue
		}
		end, st := t.scanner.eventAt(b, i)
		if st != broken {
			return i
		}
		budget -= end - i + 16
	}
	return len(b)
}

// keep turns an event into a record. It returns false for one without phase, or without the time
// its phase needs.
func (t *batch) keep(e *event) bool {
	r := record{phase: e.phase(t.block), more: -1}
	kind := phases[r.phase]
	if kind == unknownPhase {
		return false
	}
	if kind == passed && e.ts.empty() {
		return true
	}
	if kind != metadata && !t.times(e, &r) {
		return false
	}
	r.name = t.names.number(t.block, e.name, e.cat)
	if e.noThread = e.tid.empty(); e.noThread {
		e.tid = e.pid
	}
	r.track = t.tracks.number(t.block, e.pid, e.tid)
	if n := e.args.to - e.args.from; n > 2 || n == 2 && t.block[e.args.from] != '{' {
		r.args = t.arguments(e)
	}
	if kind != call && kind != mark || !e.bind.empty() {
		r.more = int32(len(t.more))
		t.more = append(t.more, e.more)
	}
	t.records = append(t.records, r)
	return true
}

// times fills in the record's start and end.
func (t *batch) times(e *event, r *record) bool {
	at, ok := micros(t.block[e.ts.from:e.ts.to])
	if !ok {
		return false
	}
	r.at = at.rounded()
	if r.phase == 'X' && !e.dur.empty() {
		dur, ok := micros(t.block[e.dur.from:e.dur.to])
		if !ok {
			return false
		}
		at = at.plus(dur)
	}
	r.end = at.rounded()
	return max(r.end, -r.end) <= trace.Limit
}

// arguments returns the event's arguments without white space, and nothing for an empty object.
func (t *batch) arguments(e *event) span {
	if !e.gaps {
		return e.args
	}
	n := uint32(len(t.block))
	from := n + uint32(len(t.args))
	t.args = squeeze(t.args, t.block[e.args.from:e.args.to])
	s := span{from, n + uint32(len(t.args))}
	if string(t.text(s)) == "{}" {
		return span{}
	}
	return s
}

// pairs numbers pairs of strings (name and category, process and thread) in the order of their
// first use within one block. The strings stay where they are in the block.
type pairs struct {
	entries []pair
	slots   []int32 // open addressing: index into entries plus one, or 0
	last    int32   // most events are on their predecessor's thread
}

type pair struct {
	hash uint64
	a, b span
}

var seed = maphash.MakeSeed()

func (p *pairs) reset() {
	p.entries, p.last = p.entries[:0], -1
	if p.slots == nil {
		p.slots = make([]int32, 1024)
	}
	clear(p.slots)
}

// number returns the number of the pair a, b, both pieces of text.
func (p *pairs) number(text []byte, a, b span) int32 {
	x, y := text[a.from:a.to], text[b.from:b.to]
	if p.last >= 0 && p.entries[p.last].equal(text, x, y) {
		return p.last
	}
	h := maphash.Bytes(seed, x)
	if len(y) > 0 {
		h = h*31 + maphash.Bytes(seed, y)
	}
	mask := uint64(len(p.slots) - 1)
	for at := h & mask; ; at = (at + 1) & mask {
		k := p.slots[at] - 1
		if k < 0 {
			k = int32(len(p.entries))
			p.slots[at] = k + 1
			p.entries = append(p.entries, pair{h, a, b})
			p.grow()
			p.last = k
			return k
		}
		if e := &p.entries[k]; e.hash == h && e.equal(text, x, y) {
			p.last = k
			return k
		}
	}
}

func (e *pair) equal(text, x, y []byte) bool {
	return bytes.Equal(text[e.a.from:e.a.to], x) && bytes.Equal(text[e.b.from:e.b.to], y)
}

// grow doubles the table when it is half full.
func (p *pairs) grow() {
	if 2*len(p.entries) < len(p.slots) {
		return
	}
	p.slots = make([]int32, 2*len(p.slots))
	mask := uint64(len(p.slots) - 1)
	for k, e := range p.entries {
		at := e.hash & mask
		for p.slots[at] != 0 {
			at = (at + 1) & mask
		}
		p.slots[at] = int32(k) + 1
	}
}

// kind is how a phase is treated; the package comment lists them.
type kind uint8

const (
	unknownPhase kind = iota
	call
	async
	mark
	flowStep
	counter
	metadata
	passed // known, and not kept
)

var phases = func() (k [256]kind) {
	for letters, to := range map[string]kind{
		"BEX": call, "beSFnTp": async, "iIR": mark, "stf": flowStep, "C": counter, "M": metadata,
		"NODPVvc()=": passed,
	} {
		for _, c := range []byte(letters) {
			k[c] = to
		}
	}
	return k
}()
