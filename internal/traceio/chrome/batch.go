package chrome

import (
	"bytes"
	"slices"
	"sync/atomic"

	"diptych/internal/progress"
	"diptych/internal/trace"
	"diptych/internal/traceio/jsonin"
)

// batch is a block of text and the records that a worker made from it. Batches are reused.
//
// Most events are records of a thread and no more. They go by thread, ready to be appended to it.
// What needs to be looked at in the order of the file becomes a mention beside them: the first
// event of a thread, flows, counters, names and the like.
type batch struct {
	block []byte
	piece []byte // of the stream, in which the block lies; or nil
	final bool   // the stream ends with the block
	args  []byte // the arguments of all events, without their white space
	texts []byte // those of records, by thread, where there are several threads
	said  []byte // in which records have theirs: args or texts
	plain bool   // args are trace.Plain

	dict     *dict          // that numbers the names and threads
	uses     []use          // the functions, in the order of their first use
	tracks   []seen         // the threads, likewise
	records  []trace.Record // of all threads, in the order of the file
	to       []int32        // by record: index into tracks
	mentions []mention
	lo, hi   int64 // extent of the events that are passed over

	kept  int    // events that were understood
	bad   uint64 // broken records
	badAt int    // where the first is
	other unread // events that are passed over
	used  int    // bytes of the block that are done with; an event that is cut begins there
	lost  bool   // what begins at used follows a broken record
	ended bool   // the list of events ends before used
	sound bool   // the block begins with an event

	failed *progress.Panic // of the worker that parsed it, or nil

	byTrack, byLane grouped
	lanes           []*track       // set by the feed
	functions       []trace.FuncID // by number of the name, for records
	pending         atomic.Int32   // queues that still append records
	done            chan struct{}
}

// unread counts events of kinds that the model has nothing for.
type unread struct {
	count uint64
	at    int  // of the first,
	phase byte // whose phase this is
}

// use is the first use of a function in a batch.
type use struct {
	name      int32 // number in the dict
	base      int32 // number of the function that this one is in a file, or −1
	kind      trace.FuncKind
	text, cat span // of the block
	file      span // of the arguments
}

// seen is a thread that events of a batch name.
type seen struct {
	number   int32 // in the dict
	pid, tid span
	begun    uint32 // calls that begin in the batch
	opened   bool   // it has records, so there must be a thread
	thread   *track // set by the feed
}

// mention is an event, or what is special about one, that the feed looks at in the order of the
// file.
type mention struct {
	kind      mentioned
	phase     byte
	track     int32 // index into tracks
	fn        int32 // number of its function, or −1
	at, end   int64
	nth       uint32 // of a call: how many others begin before it in the batch, on its thread
	name, cat span   // of the block
	args      span   // of the arguments
	more
}

type mentioned uint8

const (
	opens        mentioned = iota // the first record of a thread in the batch
	early                         // a call that ends before it begins
	bound                         // a flow that is stated on a call
	showsPage                     // an instant at which a page is shown
	holdsProfile                  // an instant that holds a whole profile
	something                     // an event that is no record of its thread: see its phase
)

// text returns the bytes of a span of the block.
func (t *batch) text(s span) []byte { return t.block[s.from:s.to] }

func (t *batch) reset(d *dict) {
	d.batch++
	t.dict, t.args, t.uses, t.tracks = d, t.args[:0], t.uses[:0], t.tracks[:0]
	t.records, t.to, t.mentions = t.records[:0], t.to[:0], t.mentions[:0]
	t.lo, t.hi, t.kept = 1<<62, -1<<62, 0
	t.bad, t.used, t.lost, t.ended, t.sound = 0, 0, false, false, false
	t.other = unread{}
}

// parse makes records of the block's events. If lost, the block begins amid what follows a broken
// one.
func (t *batch) parse(p *parser, lost bool) {
	t.reset(p.words())
	t.list(p, lost)
	t.plain = trace.Plain(t.args)
	t.said = t.args
	if len(t.tracks) == 1 { // as they are
		t.byTrack.list, t.records = t.records, t.byTrack.list[:0]
		t.byTrack.from = append(t.byTrack.from[:0], 0, int32(len(t.byTrack.list)))
		return
	}
	t.byTrack.group(t.records, t.to, len(t.tracks))
	if len(t.args) > 0 {
		t.groupArgs()
	}
}

// shortArgs is up to which length arguments are moved without a call.
const shortArgs = 128

// groupArgs puts the arguments of records one after the other in the order of the records, by
// thread. A thread then copies them all at once, which saves more time than this takes.
func (t *batch) groupArgs() {
	out := slices.Grow(t.texts[:0], len(t.args)+shortArgs)
	out = out[:cap(out)]
	in, n := t.args[:cap(t.args)], 0
	for i := range t.byTrack.list {
		r := &t.byTrack.list[i]
		from, size := int(r.From), int(r.To-r.From)
		if size > shortArgs || from+shortArgs > len(in) {
			copy(out[n:], in[from:from+size])
		} else if size > 0 {
			a, b := (*[shortArgs]byte)(in[from:]), (*[shortArgs]byte)(out[n:])
			*(*[shortArgs / 2]byte)(b[:]) = *(*[shortArgs / 2]byte)(a[:])
			if size > shortArgs/2 {
				*(*[shortArgs / 2]byte)(b[shortArgs/2:]) = *(*[shortArgs / 2]byte)(a[shortArgs/2:])
			}
		}
		r.From = uint32(n)
		n += size
		r.To = uint32(n)
	}
	t.texts = out[:n]
	t.said = t.texts
}

// list parses the elements of the list one after the other.
func (t *batch) list(p *parser, lost bool) {
	b := t.block
	i := 0
	if lost {
		i = t.recover(p, -1)
	}
	for {
		for i < len(b) && (b[i] <= ' ' || b[i] == ',') {
			i++
		}
		t.used, t.lost = i, lost
		if i == len(b) {
			return
		}
		end, st := t.element(p, i, lost)
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
			i = t.recover(p, i)
		default:
			t.sound = t.sound || t.kept == 1 && t.bad == 0
			lost = false
			i = end
		}
	}
}

// element parses the element of the list that begins at i, or the end of the list.
func (t *batch) element(p *parser, i int, lost bool) (end int, st status) {
	switch t.block[i] {
	case '{':
		return p.read(t, i)
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
func (t *batch) recover(p *parser, i int) int {
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
		end, st := p.scanner.eventAt(b, i)
		if st != broken {
			return i
		}
		budget -= end - i + 16
	}
	return len(b)
}

// grouped are records by thread: those of group k are list[from[k]:from[k+1]], in their order.
type grouped struct {
	list []trace.Record
	from []int32
}

// group distributes records over n groups.
func (g *grouped) group(records []trace.Record, to []int32, n int) {
	g.from = append(g.from[:0], make([]int32, n+1)...)
	for _, k := range to {
		g.from[k+1]++
	}
	for k := range n {
		g.from[k+1] += g.from[k]
	}
	if cap(g.list) < len(records) {
		g.list = make([]trace.Record, 0, cap(records))
	}
	g.list = g.list[:len(records)]
	if n == 1 {
		copy(g.list, records)
		return
	}
	for i, k := range to {
		g.list[g.from[k]] = records[i]
		g.from[k]++
	}
	copy(g.from[1:], g.from[:n]) // each now stands where the next began
	g.from[0] = 0
}

func (g *grouped) of(k int) []trace.Record { return g.list[g.from[k]:g.from[k+1]] }

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
	sampling
	passed // known, and not kept
)

var phases = func() (k [256]kind) {
	for letters, to := range map[string]kind{
		"BEX": call, "beSFnTp": async, "iIR": mark, "stf": flowStep, "C": counter, "M": metadata,
		"P": sampling, "NODVvc()=": passed,
	} {
		for _, c := range []byte(letters) {
			k[c] = to
		}
	}
	return k
}()
