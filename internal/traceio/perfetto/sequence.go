package perfetto

import (
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"diptych/internal/trace"
)

// sequence is what the packets of one writer have stated so far. A packet that clears the
// incremental state makes all of it void but the thread, and the clocks, which are kept elsewhere.
type sequence struct {
	id      uint64
	begun   bool   // it had a packet
	valid   bool   // the incremental state is complete: nothing was dropped since it was cleared
	track   uint64 // the track of events that name none
	clock   uint64 // the clock of packets that name none; 0 for the trace's
	process int64  // of the thread that it described last
	thread  int64
	now     int64 // µs, the sum of timestamp_delta_us

	described bool // process and thread are stated

	texts     [tables]map[uint64]string
	locations map[uint64]location
	functions map[functionKey]trace.FuncID
	state     uint64             // number of what stands for the functions, 0 if it has none yet
	extra     [extras]extra      // tracks of the further counters of events that name none
	counts    map[uint64]float64 // by track: the sum of incremental values
	stacks    *interned          // nil if there are none
}

// table is one of those of InternedData whose entries are a text.
type table uint8

const (
	categories table = iota
	names
	argNames
	argTexts
	symbols
	tables
)

var tableOf = map[protowire.Number]table{
	internedCategories: categories, internedNames: names,
	internedArgNames: argNames, internedArgTexts: argTexts, internedSymbols: symbols,
}

// location is a place in source code.
type location struct{ file, function string }

// functionKey is how an event names its function, where nothing is spelt out.
type functionKey struct {
	name, category uint64
	kind           trace.FuncKind
}

// recent are functions of all sequences, by some bits of their keys, which are looked up for less
// than in a map. A sequence whose numbers stand for something else has another state.
type recent struct {
	states uint64 // how many there were so far
	slots  [512]struct {
		state uint64
		functionKey
		fn trace.FuncID
	}
}

// slot returns the index of a key in the state of a sequence.
func (r *recent) slot(s *sequence, k *functionKey) uint64 {
	if s.state == 0 {
		r.states++
		s.state = r.states
	}
	return (s.state<<6 ^ k.category<<4 ^ k.name) % uint64(len(r.slots))
}

// find returns the function of a key.
func (r *recent) find(s *sequence, k *functionKey) (trace.FuncID, bool) {
	x := &r.slots[r.slot(s, k)]
	return x.fn, x.state == s.state && x.name == k.name && x.category == k.category && x.kind == k.kind
}

func (r *recent) keep(s *sequence, k *functionKey, fn trace.FuncID) {
	x := &r.slots[r.slot(s, k)]
	x.state, x.functionKey, x.fn = s.state, *k, fn
}

// clear begins a new incremental state. The sequence goes on being that of its thread.
func (s *sequence) clear() {
	*s = sequence{id: s.id, begun: s.begun, valid: true, process: s.process, thread: s.thread,
		described: s.described}
}

// put sets an entry of a map, which it makes first if there is none: a damaged file can have very
// many sequences that state nothing.
func put[K comparable, V any](m *map[K]V, k K, v V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[k] = v
}

// setDefaults takes a TracePacketDefaults.
func (s *sequence) setDefaults(message []byte) {
	s.clock, s.track, s.extra = 0, 0, [extras]extra{}
	for f := fieldsOf(message); f.next(); {
		switch {
		case f.is(defaultsClock, protowire.VarintType):
			s.clock = f.n
		case f.is(defaultsTrackEvent, protowire.BytesType):
			for e := fieldsOf(f.body); e.next(); {
				if e.is(eventTrack, protowire.VarintType) {
					s.track = e.n
				}
				readTracks(&e, &s.extra)
			}
		}
	}
}

// intern takes an InternedData and reports whether it is sound, and whether it has parts of stacks.
func (s *sequence) intern(message []byte) (stacks, sound bool) {
	f := fieldsOf(message)
	sound = true
	for f.next() {
		if f.kind != protowire.BytesType {
			continue
		}
		if t, ok := tableOf[f.number]; ok {
			sound = s.internText(t, f.body) && sound
		} else if f.number == internedLocations {
			s.internLocation(f.body)
		} else if slices.Contains(stackTables, f.number) {
			stacks = true
		}
	}
	return stacks, sound && !f.broken
}

// stated reports whether a number stands for a name of events.
func (s *sequence) stated(name uint64) bool {
	_, ok := s.texts[names][name]
	return ok
}

func (s *sequence) internText(t table, entry []byte) bool {
	id, text := uint64(0), ""
	f := fieldsOf(entry)
	for f.next() {
		switch f.number {
		case internedID:
			id = f.n
		case internedText:
			text = f.text()
		}
	}
	if old, ok := s.texts[t][id]; ok && old != text {
		clear(s.functions) // writers do not do that; what was found by number is void
		s.state = 0
	}
	put(&s.texts[t], id, text)
	return !f.broken
}

func (s *sequence) internLocation(entry []byte) {
	id, at := uint64(0), location{}
	for f := fieldsOf(entry); f.next(); {
		switch f.number {
		case internedID:
			id = f.n
		case locationFile:
			at.file = f.text()
		case locationFunction:
			at.function = f.text()
		}
	}
	put(&s.locations, id, at)
}

// setThread takes a ThreadDescriptor, which names the thread of the sequence.
func (s *sequence) setThread(d *threadDescription) {
	s.process, s.thread, s.now, s.described = d.pid, d.tid, d.reference, true
}
