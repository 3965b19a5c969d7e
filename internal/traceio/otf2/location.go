package otf2

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strconv"
	"strings"

	"diptych/internal/plural"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/spans"
)

// track is a location while it is read: its thread, and what joins it with others.
type track struct {
	a  *archive
	at *location
	th *trace.ThreadBuilder
	decoder
	faults input.Faults
	// defined says that the location has a file of definitions of its own, and undefined names the
	// one that it has not.
	defined   bool
	undefined string
	unread    [256]uint64 // events by kind that are left out

	functions []int32          // numbers in archive.functions, by the location's own
	numbers   map[uint32]int32 // of them, by region
	named     map[string]int32 // of those that are no regions, by name
	quick     [64]number       // the regions met last

	open           []frame  // calls, outermost first
	contexts, path []uint32 // those it is in, outermost first, and those it enters
	latest         []int32  // by function: the innermost open call in open, or −1
	text           []byte
	out            *spans.Batch
	before         trace.Ref      // the outermost call that ended last
	common         []trace.FuncID // the Builder's numbers of the functions

	testing []bool // see tests; by the location's own numbers
	notes
}

// number is the function of a region.
type number struct {
	region uint32
	fn     int32 // and one more; 0 for none
}

// frame is an open call.
type frame struct {
	ord   uint32 // see trace.ThreadBuilder.Call
	start int64
	fn    int32
	outer int32 // the next open call of the same function outwards, or −1
	note  int32 // in notes.calls, or −1
	leaf  bool  // it has called nothing so far
	over  bool  // it has ended before one that it calls
}

func (a *archive) newTrack(l *location) *track {
	process := int32(-1)
	if p, ok := a.units[l.group]; ok {
		process = p
	}
	t := &track{a: a, at: l, th: a.b.Thread(strconv.FormatUint(l.id, 10), process),
		numbers: map[uint32]int32{}, named: map[string]int32{}}
	name, g := a.defs.text(l.name), locationGroup{}
	if name != "" {
		t.th.SetName(name)
	}
	g, _ = a.defs.groups.get(l.group)
	if rest, ok := strings.CutPrefix(name, a.defs.text(g.name)); ok && len(rest) < len(name) {
		role := strings.Trim(rest, "# 0123456789")
		if len(role) == 1 {
			role = "" // "P#1T#0" of the process "P#1" is the number of a thread
		}
		t.th.SetRole(role, false)
	}
	t.unit, t.first, t.final = process, math.MaxInt64, math.MinInt64
	return t
}

// read reads the files of the location. Without one of events it has none.
func (t *track) read(ctx context.Context, out *spans.Batch) error {
	base := t.a.name + "/" + strconv.FormatUint(t.at.id, 10)
	name := base + ".evt"
	f, done, err := t.a.open(name, true)
	if errors.Is(err, fs.ErrNotExist) {
		if t.at.events > 0 {
			t.faults.Add(trace.LostRecords, t.at.events, "%s is missing; it is said to have %s",
				name, plural.Of(t.at.events, "event"))
		}
		return nil
	}
	if err != nil {
		return t.a.fail(name, -1, "cannot open", plain(err))
	}
	defer done()
	err = t.a.eachRecord(base+".def", &t.faults, func(kind byte, f *fields) error {
		if !t.decoder.local.read(kind, f) {
			return fmt.Errorf("a broken definition of kind %d", kind)
		}
		return nil
	})
	switch t.defined = err == nil; {
	case errors.Is(err, fs.ErrNotExist):
		t.undefined = base + ".def"
	case err != nil:
		return err
	}
	t.readEvents(ctx, f, name, out)
	if err := f.in.Failure(); err != nil {
		return t.a.fail(name, f.in.At(), "cannot read", err)
	}
	return ctx.Err()
}

// judged is how much of a file is read before the number of its calls is judged from it: 1/judged.
const judged = 16

// readEvents feeds all events of a file to the thread.
func (t *track) readEvents(ctx context.Context, f *frames, name string, out *spans.Batch) {
	t.out = out
	out.Start(t.th)
	judgedAt := f.size / judged // or MaxInt64 after that
	for n := 0; n&0xfff != 0 || ctx.Err() == nil; n++ {
		if f.in.At() >= judgedAt {
			judgedAt = math.MaxInt64
			out.Expect(f.in.At(), f.size)
		}
		t.plain(f, judgedAt)
		r, err := f.next()
		if errors.Is(err, errLost) && f.mend(&t.faults, name) {
			continue
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				t.faults.Add(trace.Truncated, 1, "%s: byte %d: %v", name, f.in.At(), err)
			}
			break
		}
		e, err := t.decode(r, f.order)
		if err != nil {
			t.faults.Add(trace.BadRecord, 1, "%s: byte %d: %v", name, r.from, err)
			continue
		}
		if e == nil {
			continue
		}
		if at, ok := t.a.defs.clock.ns(e.time); ok {
			t.take(e, at)
		} else {
			t.faults.Add(trace.ClockJump, 1, "%s: byte %d: time %d", name, r.from, e.time)
		}
	}
	t.finish()
}

// take feeds one event.
func (t *track) take(e *event, at int64) {
	t.disorder = t.disorder || at < t.last
	t.first, t.final, t.last = min(t.first, at), max(t.final, at), at
	switch e.kind {
	case enter:
		t.enter(e, at)
	case leave:
		t.leave(e, at)
	case contextEnter, contextLeave, contextSample:
		t.inContext(e, at)
	case bufferFlush:
		t.flush(e, at)
	case programBegin:
		t.instant(at, "program begin "+t.a.defs.text(uint32(e.v[0])))
	case programEnd:
		t.programEnd(int64(e.v[0]), at)
	case measurementOnOff:
		t.instant(at, map[bool]string{true: "measurement on", false: "measurement off"}[e.v[0] == 1])
	case parameterString, parameterInt, parameterUnsigned:
		t.parameter(e)
	default:
		if !t.note(e, at) {
			t.unread[e.kind]++
		}
	}
}

// deepestStack is how many calls may be open at once; more are no program's.
const deepestStack = 1 << 18

func (t *track) enter(e *event, at int64) {
	if len(t.open) >= deepestStack {
		t.faults.Add(trace.BadRecord, 1, "location %d: more than %d open calls", t.at.id, deepestStack)
		return
	}
	fn := t.function(uint32(e.v[0]))
	if k := len(t.open) - 1; k >= 0 {
		t.open[k].leaf = false
	}
	ord := t.out.Begin(at, trace.FuncID(fn))
	t.open = append(t.open, frame{ord: ord, start: at, fn: fn, outer: t.latest[fn], note: -1, leaf: true})
	t.latest[fn] = int32(len(t.open) - 1)
	if len(e.attrs) > 0 {
		t.out.Explain(t.values(t.out.Text, e.attrs))
	}
	t.barrier(uint32(e.v[0]), at)
}

// leave ends the innermost open call of a region. A tool may leave a call before one that it calls;
// that one stays open.
func (t *track) leave(e *event, at int64) {
	fn := t.function(uint32(e.v[0]))
	t.out.EndNamed(at, trace.FuncID(fn))
	if len(e.attrs) > 0 {
		t.out.Explain(t.values(t.out.Text, e.attrs))
	}
	k := t.latest[fn]
	if k < 0 {
		return // the Builder counts it
	}
	f := &t.open[k]
	f.over, t.latest[fn] = true, f.outer
	t.closeCall(f, at)
	for n := len(t.open); n > 0 && t.open[n-1].over; n-- {
		t.before, t.open = t.th.Call(t.open[n-1].ord), t.open[:n-1]
	}
}

// flush makes a call of the time in which the tracer wrote its buffer.
func (t *track) flush(e *event, at int64) {
	until, ok := t.a.defs.clock.ns(e.v[0])
	if !ok || until < at {
		t.faults.Add(trace.BadRecord, 1, "location %d: a buffer flush from %d to %d", t.at.id, e.time, e.v[0])
		return
	}
	fn := t.other(eventOf("buffer flush"), "buffer flush")
	t.out.Begin(at, trace.FuncID(fn))
	t.out.EndNamed(until, trace.FuncID(fn))
}

func (t *track) instant(at int64, name string) {
	t.th.Instant(at, trace.FuncID(t.other(eventOf(strings.TrimSpace(name)), "event of the tracer")))
}

// programEnd notes the end of a program, and its exit status if the tool knows it.
func (t *track) programEnd(status int64, at int64) {
	if status == math.MinInt64 {
		t.instant(at, "program end")
		return
	}
	t.instant(at, "program end "+strconv.FormatInt(status, 10))
}

// parameter adds a parameter to the arguments of the innermost call.
func (t *track) parameter(e *event) {
	k := len(t.open) - 1
	if k < 0 {
		t.unread[e.kind]++
		return
	}
	id, _ := t.a.defs.parameters.get(uint32(e.v[0]))
	text := append(t.text[:0], t.a.defs.text(id)...)
	text = append(text, '=')
	switch e.kind {
	case parameterString:
		text = append(text, t.a.defs.text(uint32(e.v[1]))...)
	case parameterInt:
		text = strconv.AppendInt(text, int64(e.v[1]), 10)
	default:
		text = strconv.AppendUint(text, e.v[1], 10)
	}
	t.text = text
	t.args(t.th.Call(t.open[k].ord), text)
}

// locks are the names that EZTrace gives to the addresses of what threads wait for.
var locks = map[string]bool{"mutex": true, "sem": true, "cond": true, "rwlock": true, "spinlock": true,
	"barrier": true, "lock": true}

// args adds to the arguments of a call, after those that the records so far have.
func (t *track) args(ref trace.Ref, text []byte) {
	t.out.Flush()
	t.th.Args(ref, text)
}

// values appends attributes as arguments: the address of a lock as a debugger would, others with
// their names.
func (t *track) values(text []byte, list []attribute) []byte {
	for i, a := range list {
		if i > 0 {
			text = append(text, ' ')
		}
		id, _ := t.a.defs.attributes.get(a.id)
		name := t.a.defs.text(id)
		switch {
		case locks[name] && a.kind == typeUint64 && len(list) == 1:
			text = append(text, "(0x"...)
			text = append(strconv.AppendUint(text, a.bits, 16), ')')
		case a.kind == typeString:
			text = append(append(text, name...), '=')
			text = append(text, t.a.defs.text(uint32(a.bits))...)
		default:
			text = a.text(append(append(text, name...), '='))
		}
	}
	return text
}

// function returns the location's number for a region.
func (t *track) function(id uint32) int32 {
	q := &t.quick[id%uint32(len(t.quick))]
	if q.region == id && q.fn > 0 {
		return q.fn - 1
	}
	fn, ok := t.numbers[id]
	if !ok {
		if _, defined := t.a.defs.regions.get(id); !defined {
			return t.stray(id)
		}
		fn = t.add(t.a.region(id))
		t.numbers[id] = fn
	}
	*q = number{id, fn + 1}
	return fn
}

// mostStray is how many regions that are not defined, and other things, are told apart.
const mostStray = 1000

// stray returns the location's number for a region that is not defined.
func (t *track) stray(id uint32) int32 {
	f := t.a.function(id)
	if _, known := t.named[f.Name]; !known {
		t.faults.Add(trace.BadRecord, 1, "location %d: region %d is not defined", t.at.id, id)
	}
	return t.other(f, "region that is not defined")
}

// other returns the location's number for what is no region that is defined. If there are too many,
// they share a name.
func (t *track) other(f trace.Function, shared string) int32 {
	if _, known := t.named[f.Name]; !known && len(t.named) >= mostStray {
		f.Name = shared
	}
	fn, ok := t.named[f.Name]
	if !ok {
		fn = t.add(t.a.named(f))
		t.named[f.Name] = fn
	}
	return fn
}

// eventOf returns what the tracer tells of itself or of the program.
func eventOf(name string) trace.Function {
	return trace.Function{Name: name, Package: "tracer", Kind: trace.Event}
}

// add adds a function by its number in archive.functions, and returns the location's own.
func (t *track) add(n int32) int32 {
	t.functions = append(t.functions, n)
	t.latest = append(t.latest, -1)
	t.th.Interim(t.functions)
	return int32(len(t.functions) - 1)
}

// finish forgets what is needed for reading only. Of calls that are still open it is not known how
// long they waited; the Builder counts them.
func (t *track) finish() {
	t.endContexts(0, t.last) // of callers that were unwound, no event says that they end
	t.out.Flush()
	t.out = nil
	t.open, t.latest, t.numbers, t.maps, t.posts = nil, nil, nil, [16]idMap{}, nil
	t.contexts, t.path = nil, nil
}

// handOver hands over what the location's reader kept to itself.
func (t *track) handOver() {
	if t.first <= t.final {
		t.a.b.Observe(t.first)
		t.a.b.Observe(t.final)
	}
	t.faults.HandOver(t.a.b)
	for kind, n := range t.unread {
		t.a.unread[kind] += n
	}
}
