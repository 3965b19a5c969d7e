package perfetto

import (
	"google.golang.org/protobuf/encoding/protowire"

	"diptych/internal/trace"
	"diptych/internal/traceio/spans"
)

// event is a TrackEvent as it stands in its packet. It is used again for each, so that its lists
// are not allocated anew.
type event struct {
	kind       uint64
	track      uint64
	hasTrack   bool
	nameID     uint64
	name       []byte
	categoryID uint64 // the first category, if it is interned
	categories []byte // all of them, joined by commas, if there are several or they are spelt out
	args       [][]byte
	posted     uint64 // the interned place in the source that posted the task
	from       uint64 // the interned place in the source of the slice itself
	legacy     []byte
	thread     threadKey // that the legacy part names
	onThread   bool      // it does
	bind       bound     // of the legacy part
	flows      []flowEnd
	value      float64 // of a counter
	hasValue   bool
	extra      [extras]extra // of further counters
	us         int64         // timestamp_delta_us or timestamp_absolute_us
	time       timeKind
}

// flowEnd is the id of a flow that passes an event.
type flowEnd struct {
	id   uint64
	ends bool
}

// timeKind says what the µs of an event count from, which older writers state instead of a time of
// the packet.
type timeKind uint8

const (
	ofPacket timeKind = iota
	sinceLast
	sinceBoot
)

// read takes a TrackEvent of a sequence and reports whether it is sound.
func (e *event) read(s *sequence, message []byte) bool {
	args, flows, categories, more := e.args[:0], e.flows[:0], e.categories[:0], e.extra
	*e = event{} // in place: to make one with these lists and copy it takes several times as long
	e.args, e.flows, e.categories = args, flows, categories
	for i, x := range more {
		e.extra[i] = extra{x.tracks[:0], x.values[:0]}
	}
	f := fieldsOf(message)
	for f.next() {
		switch f.number {
		case eventType:
			e.kind = f.n
		case eventTrack:
			e.track, e.hasTrack = f.n, true
		case eventNameID:
			e.nameID = f.n
		case eventName:
			e.name = f.message()
		case eventCategory:
			f.each(func(id uint64) { e.addCategory(s, id) })
		case eventCategories:
			e.spellCategory(s, f.text())
		case eventAnnotation:
			e.args = append(e.args, f.message())
		case eventTask:
			e.posted = firstNumber(f.message(), taskPostedFrom)
		case eventLocationID:
			e.from = f.n
		case eventLegacy:
			e.legacy = f.message()
		case eventFlow, eventFlowOld:
			f.each64(func(id uint64) { e.flows = append(e.flows, flowEnd{id, false}) })
		case eventFlowEnd, eventEndOld:
			f.each64(func(id uint64) { e.flows = append(e.flows, flowEnd{id, true}) })
		default:
			e.readRare(&f)
		}
	}
	return !f.broken
}

// readRare takes the fields that few events have.
func (e *event) readRare(f *fields) {
	switch f.number {
	case eventInt:
		e.value, e.hasValue = float64(int64(f.n)), true
	case eventDouble:
		e.value, e.hasValue = f.double(), true
	case eventExtraInts:
		f.each(e.extra[extraInts].addInt)
	case eventExtraDoubles:
		f.each64(e.extra[extraDoubles].addDouble)
	case eventExtraTracks, eventExtraDoubleTracks:
		readTracks(f, &e.extra)
	case eventDeltaUs:
		e.us, e.time = int64(f.n), sinceLast
	case eventAbsoluteUs:
		e.us, e.time = int64(f.n), sinceBoot
	}
}

// addCategory adds an interned category. Nearly all events have one, which stays a number.
func (e *event) addCategory(s *sequence, id uint64) {
	if e.categoryID == 0 && len(e.categories) == 0 {
		e.categoryID = id
		return
	}
	e.spellCategory(s, s.texts[categories][id])
}

// spellCategory adds a category that is not interned, or one of several.
func (e *event) spellCategory(s *sequence, name string) {
	if e.categoryID != 0 {
		e.categories = append(e.categories, s.texts[categories][e.categoryID]...)
		e.categoryID = 0
	}
	if len(e.categories) > 0 {
		e.categories = append(e.categories, ',')
	}
	e.categories = append(e.categories, name...)
}

// firstNumber returns the value of a numeric field of a message, 0 if it has none.
func firstNumber(message []byte, number protowire.Number) uint64 {
	for f := fieldsOf(message); f.next(); {
		if f.is(number, protowire.VarintType) {
			return f.n
		}
	}
	return 0
}

// trackEvent feeds the TrackEvent of a packet, whose time is at if that is known.
func (f *feed) trackEvent(s *sequence, h *header, at int64, timed bool) {
	e := &f.event
	if !e.read(s, h.data) {
		f.bad("a track event")
		return
	}
	if e.time != ofPacket {
		if at, timed = f.oldTime(s, e); !timed {
			f.lose(clock{0, clockMonotonic})
		}
	}
	if !timed {
		if e.time == ofPacket && !h.hasStamp {
			f.bad("a track event without a time")
		}
		return // time has counted it otherwise
	}
	f.countExtras(s, e, at)
	if e.legacy != nil && f.legacyEvent(s, e, at) {
		return
	}
	t := f.trackOf(s, e)
	switch e.kind {
	case typeBegin:
		th := f.builderOf(t, s, e)
		f.begin(s, e, th, th.Begin(at, f.function(s, e, routineOn(t))), at)
	case typeEnd:
		f.end(s, e, f.builder(t, ""), at, routineOn(t))
	case typeInstant:
		th := f.builderOf(t, s, e)
		th.Instant(at, f.function(s, e, trace.Event))
		f.addFlows(e.flows, spans.Point{At: at, Thread: th})
	case typeCounter:
		f.count(s, e, t, at)
	case typeState:
		f.state(s, e, t, at)
	default:
		f.b.Observe(at)
		f.notRead("a track event of type %d", e.kind)
	}
}

// oldTime returns the time of an event that states it in µs of the monotonic clock.
func (f *feed) oldTime(s *sequence, e *event) (int64, bool) {
	us := e.us
	if e.time == sinceLast {
		s.now += us
		us = s.now
	}
	return f.monotonic(us)
}

// monotonic returns a time in µs of the monotonic clock as one of the trace's.
func (f *feed) monotonic(us int64) (int64, bool) {
	if us < 0 || us > trace.Limit/1000 {
		return 0, false
	}
	return f.clocks.convert(clock{0, clockMonotonic}, us*1000)
}

// trackOf returns the track of an event: the one it names, or the default of its sequence. Where
// that is none, it is the thread that the event names in its legacy part, or the one that the
// sequence has described, unless the event has a type and says itself that it has no track.
func (f *feed) trackOf(s *sequence, e *event) *track {
	uuid := s.track
	if e.hasTrack {
		uuid = e.track
	}
	switch {
	case uuid != 0:
	case e.onThread:
		return f.threadTrack(e.thread)
	case s.described && !(e.hasTrack && e.kind != 0):
		return f.threadTrack(threadKey{s.process, s.thread})
	}
	return f.track(uuid)
}

// threadTrack returns a track that stands for a thread without one.
func (f *feed) threadTrack(k threadKey) *track {
	return &track{place: onThread, process: k.process, thread: k.thread}
}

// routineOn is what slices of a track are: code of a thread, or a region that a program marks.
func routineOn(t *track) trace.FuncKind {
	if t.place == onThread {
		return trace.Routine
	}
	return trace.Region
}

// nameOf returns the name of an event, "" if it has none or one that the sequence has not stated.
func (f *feed) nameOf(s *sequence, e *event) string {
	if e.nameID != 0 {
		return s.texts[names][e.nameID]
	}
	return string(e.name)
}

// function returns the function of an event.
func (f *feed) function(s *sequence, e *event, k trace.FuncKind) trace.FuncID {
	spelt := e.nameID == 0 || len(e.categories) > 0
	key := functionKey{e.nameID, e.categoryID, k}
	if !spelt {
		if fn, ok := f.functions.find(s, &key); ok {
			return fn
		}
		if fn, ok := s.functions[key]; ok {
			f.functions.keep(s, &key, fn)
			return fn
		}
	}
	category := string(e.categories)
	if e.categoryID != 0 {
		category = s.texts[categories][e.categoryID]
	}
	fn := f.b.Function(spans.Function(f.nameOf(s, e), category, k))
	if f.unstated(s, e); !spelt && s.stated(e.nameID) {
		put(&s.functions, key, fn)
	}
	return fn
}

// unstated counts an event whose name is a number that its sequence has not stated.
func (f *feed) unstated(s *sequence, e *event) {
	if e.nameID != 0 && !s.stated(e.nameID) {
		f.bad("a name that its sequence has not stated")
	}
}

// begin notes what an event states of the call that it began.
func (f *feed) begin(s *sequence, e *event, th *trace.ThreadBuilder, call trace.Ref, at int64) {
	if args := f.arguments(s, e); len(args) > 0 {
		th.Args(call, args)
	}
	if len(e.flows) > 0 || e.bind.direction != 0 {
		p := spans.Point{At: at, Until: at, Thread: th, Call: call}
		f.addFlows(e.flows, p)
		f.bindFlow(e.bind, p)
	}
}

// end feeds an end, by name if it has one.
func (f *feed) end(s *sequence, e *event, th *trace.ThreadBuilder, at int64, k trace.FuncKind) {
	if e.nameID != 0 || len(e.name) > 0 {
		th.EndNamed(at, f.function(s, e, k))
	} else {
		th.End(at)
	}
	if args := f.arguments(s, e); len(args) > 0 {
		th.ReturnArgs(args)
	}
	if len(e.flows) > 0 {
		f.addFlows(e.flows, spans.Point{At: at, Thread: th})
	}
}

// addFlows notes the flows that pass an event at a point.
func (f *feed) addFlows(flows []flowEnd, p spans.Point) {
	for _, x := range flows {
		f.text = protowire.AppendFixed64(f.text[:0], x.id)
		p.Flow, p.Role = f.flows.ID(f.text), spans.Passes
		if x.ends {
			p.Role = spans.Ends
		}
		f.flows.Add(p)
	}
}
