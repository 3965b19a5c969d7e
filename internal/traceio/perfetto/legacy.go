package perfetto

import (
	"bytes"
	"cmp"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"diptych/internal/trace"
	"diptych/internal/traceio/spans"
)

// phased is an event of Chrome's older macros, which have a phase, as in its JSON. It comes as a
// TrackEvent.LegacyEvent, or as a ChromeTraceEvent of still older files.
type phased struct {
	phase     byte
	at, until int64 // ns; until only for X
	thread    threadKey
	builder   *trace.ThreadBuilder // of its track; nil for that of thread
	category  string
	name      string
	id        uint64
	local     bool // id counts within the process
	scope     string
	bind      bound
	next      bool   // a finish binds to the next call
	args      []byte // JSON
	flows     []flowEnd

	nameID uint64 // in the packet; in function it has become name
	onTID  bool   // thread is stated
}

// bound is a flow that a call names beside the flows of its track event.
type bound struct {
	id        uint64
	direction uint64 // flowIn, flowOut or both; 0 for no flow
}

// maxUs is the longest duration or latest time in µs.
const maxUs = trace.Limit / 1000

func (p *phased) readLegacy(message []byte) {
	p.next = true
	for f := fieldsOf(message); f.next(); {
		switch f.number {
		case legacyNameID:
			p.nameID = f.n
		case legacyPhase:
			p.phase = byte(f.n)
		case legacyDuration:
			p.until = min(int64(f.n), maxUs) * 1000
		case legacyUnscoped, legacyGlobal:
			p.id = f.n
		case legacyLocal:
			p.id, p.local = f.n, true
		case legacyScope:
			p.scope = f.text()
		case legacyBind:
			p.bind.id = f.n
		case legacyEnclosing:
			p.next = f.n == 0
		case legacyDirection:
			p.bind.direction = f.n
		case legacyPID:
			p.thread.process, p.onTID = int64(int32(f.n)), true
		case legacyTID:
			p.thread.thread, p.onTID = int64(int32(f.n)), true
		}
	}
}

// legacyEvent feeds the legacy part of an event. It reports whether that is all there is to the
// event: if the event has a type, only its thread, its name and a flow can come from here.
func (f *feed) legacyEvent(s *sequence, e *event, at int64) bool {
	var p phased
	p.thread = threadKey{s.process, s.thread}
	p.readLegacy(e.legacy)
	if e.nameID == 0 && len(e.name) == 0 {
		e.nameID = p.nameID
	}
	e.thread, e.onThread = p.thread, p.onTID
	if e.kind != 0 {
		e.bind = p.bind
		return false
	}
	t := f.trackOf(s, e)
	if p.onTID {
		t = f.threadTrack(p.thread)
	}
	p.thread.process = cmp.Or(p.thread.process, t.process)
	if p.phase != 0 {
		p.name = f.nameOf(s, e)
		f.unstated(s, e)
		p.builder = f.builder(t, p.name)
	}
	p.category = string(e.categories)
	if e.categoryID != 0 {
		p.category = s.texts[categories][e.categoryID]
	}
	p.args, p.flows = f.arguments(s, e), e.flows
	p.at, p.until = at, at+p.until
	f.phase(&p)
	return true
}

// phase feeds an event by its phase, as package chrome does that of a JSON event.
func (f *feed) phase(p *phased) {
	if p.builder == nil {
		p.builder = f.thread(p.thread).ThreadBuilder
	}
	f.b.Observe(p.at)
	switch p.phase {
	case 'B':
		f.phasedCall(p, p.builder.Begin(p.at, f.phasedFunction(p, trace.Routine)))
	case 'X':
		f.phasedCall(p, p.builder.Complete(p.at, p.until, f.phasedFunction(p, trace.Routine)))
	case 'E':
		f.phasedEnd(p, p.builder, trace.Routine)
	case 'i', 'I', 'R':
		p.builder.Instant(p.at, f.phasedFunction(p, trace.Event))
		f.addFlows(p.flows, spans.Point{At: p.at, Thread: p.builder})
	case 'b', 'S':
		th := f.lane(p)
		ref := th.Begin(p.at, f.phasedFunction(p, trace.Region))
		th.Args(ref, p.args)
	case 'e', 'F':
		f.phasedEnd(p, f.lane(p), trace.Region)
	case 'n', 'T', 'p':
		f.lane(p).Instant(p.at, f.phasedFunction(p, trace.Event))
	case 's', 't', 'f':
		f.phasedFlow(p)
	default:
		f.notRead("an event of phase %q", p.phase)
	}
}

func (f *feed) phasedFunction(p *phased, k trace.FuncKind) trace.FuncID {
	return f.b.Function(spans.Function(p.name, p.category, k))
}

// phasedCall notes what an event states of the call that it began.
func (f *feed) phasedCall(p *phased, call trace.Ref) {
	p.builder.Args(call, p.args)
	point := spans.Point{At: p.at, Until: max(p.at, p.until), Thread: p.builder, Call: call}
	f.addFlows(p.flows, point)
	f.bindFlow(p.bind, point)
}

// bindFlow notes where the flow that a call is bound to passes.
func (f *feed) bindFlow(b bound, point spans.Point) {
	switch b.direction {
	case flowIn:
		point.Role = spans.Finishes
	case flowOut:
		point.Role = spans.Starts
	case flowIn | flowOut:
		point.Role = spans.Steps
	default:
		return
	}
	f.text = strconv.AppendUint(append(f.text[:0], "bind "...), b.id, 10)
	point.Flow = f.flows.ID(f.text)
	f.flows.Add(point)
}

func (f *feed) phasedEnd(p *phased, th *trace.ThreadBuilder, k trace.FuncKind) {
	if p.name != "" {
		th.EndNamed(p.at, f.phasedFunction(p, k))
	} else {
		th.End(p.at)
	}
	th.ReturnArgs(p.args)
}

// phasedFlow notes an s, t or f event. A flow is known by category (or scope), name and id.
func (f *feed) phasedFlow(p *phased) {
	point := spans.Point{At: p.at, Thread: p.builder}
	switch p.phase {
	case 't':
		point.Role = spans.Steps
	case 'f':
		point.Role, point.Next = spans.Finishes, p.next
	}
	point.Flow = f.flows.ID([]byte(cmp.Or(p.scope, p.category)), []byte(p.name), p.idText())
	f.flows.Add(point)
}

// idText returns the id of an event as Chrome's JSON has it, with its process if it counts there.
func (p *phased) idText() []byte {
	id := strconv.AppendUint([]byte("0x"), p.id, 16)
	if p.local {
		id = strconv.AppendInt(append(id, '@'), p.thread.process, 10)
	}
	return id
}

// lane returns the lane of an event's id, as the loader of Chrome's JSON has it.
func (f *feed) lane(p *phased) *trace.ThreadBuilder {
	id := p.idText()
	f.text = append(append(f.text[:0], cmp.Or(p.scope, p.category)...), 0)
	f.text = append(f.text, id...)
	if th := f.lanes[string(f.text)]; th != nil {
		return th
	}
	pid := number(p.thread.process)
	id, _, _ = bytes.Cut(id, []byte("@"))
	th := f.b.Thread(pid+"/"+spans.PlainID(p.category)+"/"+string(id), f.b.Process(pid))
	th.SetKind(trace.AsyncTrack)
	th.SetName(cmp.Or(p.name, spans.Unnamed))
	f.lanes[string(f.text)] = th
	return th
}

// chromeEvents feeds a ChromeEventBundle.
func (f *feed) chromeEvents(message []byte) {
	for w := fieldsOf(message); w.next(); {
		switch w.number {
		case chromeTraceEvents:
			f.chromeEvent(w.message())
		case chromeMetadata:
			f.metadata(w.message())
		case chromeLegacyJSON:
			f.b.Diagnose(trace.NotRead, 1, "packet before offset %d: events as JSON", f.at)
		}
	}
}

// metadata takes what a browser says of itself.
func (f *feed) metadata(message []byte) {
	name, value := "", ""
	for w := fieldsOf(message); w.next(); {
		switch w.number {
		case metadataName:
			name = w.text()
		case metadataStringValue:
			value = w.text()
		}
	}
	if name == "product-version" && value != "" {
		f.b.Tool = value
	}
}

// chromeEvent feeds a ChromeTraceEvent, whose times are µs of the monotonic clock.
func (f *feed) chromeEvent(message []byte) {
	p := phased{next: true}
	var at, duration int64
	a := annotations{&sequence{}, append(f.args[:0], '{')}
	w := fieldsOf(message)
	for w.next() {
		switch w.number {
		case chromeTime:
			at = int64(w.n)
		case chromeDuration:
			duration = int64(w.n)
		case chromeFlags:
			p.bind.direction = w.n / chromeFlowIn % 4
		case chromeArg:
			a.chromeArgument(w.message())
		default:
			p.readChrome(&w)
		}
	}
	if w.broken || at > maxUs || at < -maxUs || duration > maxUs || duration < -maxUs {
		f.bad("a Chrome event")
		return
	}
	var known bool
	if p.at, known = f.clocks.convert(clock{0, clockMonotonic}, at*1000); !known {
		f.lose(clock{0, clockMonotonic})
		return
	}
	p.until = p.at + duration*1000
	if f.args = append(a.out, '}'); len(f.args) > 2 {
		p.args = f.args
	}
	if p.phase == 'M' {
		f.chromeTitle(&p, message)
		return
	}
	f.phase(&p)
}

func (p *phased) readChrome(w *fields) {
	switch w.number {
	case chromeName:
		p.name = w.text()
	case chromePhase:
		p.phase = byte(w.n)
	case chromeTID:
		p.thread.thread = int64(int32(w.n))
	case chromePID:
		p.thread.process = int64(int32(w.n))
	case chromeScope:
		p.scope = w.text()
	case chromeID:
		p.id = w.n
	case chromeCategory:
		p.category = w.text()
	case chromeBind:
		p.bind.id = w.n
	}
}

// chromeArgument writes an Arg of a ChromeTraceEvent.
func (a *annotations) chromeArgument(message []byte) {
	name := ""
	for f := fieldsOf(message); f.next(); {
		if f.is(chromeArgName, protowire.BytesType) {
			name = f.text()
		}
	}
	a.key(name)
	a.value(message, 0)
}

// chromeTitle takes a metadata event, which names a process or a thread by its argument.
func (f *feed) chromeTitle(p *phased, message []byte) {
	name := ""
	for w := fieldsOf(message); w.next(); {
		if !w.is(chromeArg, protowire.BytesType) {
			continue
		}
		for a := fieldsOf(w.body); a.next(); {
			if a.is(argText, protowire.BytesType) {
				name = a.text()
			}
		}
	}
	switch p.name {
	case "thread_name":
		f.nameThread(threadDescription{pid: p.thread.process, tid: p.thread.thread, name: name})
	case "process_name":
		title(f.processTitles, p.thread.process).name = name
	}
}
