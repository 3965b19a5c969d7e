package perfetto

import (
	"cmp"
	"math"
	"strings"

	"diptych/internal/traceio/spans"
)

// counter is what a CounterDescriptor says.
type counter struct {
	multiplier int64
	delta      bool
	ofThread   bool // it is the clock or the count of instructions of a thread
}

func counterOf(message []byte) *counter {
	c := &counter{multiplier: 1}
	for f := fieldsOf(message); f.next(); {
		switch f.number {
		case counterType:
			c.ofThread = f.n == counterThreadTime || f.n == counterThreadInstructions
		case counterMultiplier:
			c.multiplier = cmp.Or(int64(f.n), 1)
		case counterDelta:
			c.delta = f.n != 0
		}
	}
	return c
}

// extras are the lists of values of counters that an event has beside what it is itself: those that
// are whole numbers, and the others.
const (
	extraInts = iota
	extraDoubles
	extras
)

// extra is one of these lists, and the tracks of its values. Without tracks, those of the sequence
// count; there may be more tracks than values.
type extra struct {
	tracks []uint64
	values []float64
}

func (x *extra) addTrack(uuid uint64) { x.tracks = append(x.tracks, uuid) }
func (x *extra) addInt(n uint64)      { x.values = append(x.values, float64(int64(n))) }
func (x *extra) addDouble(n uint64)   { x.values = append(x.values, math.Float64frombits(n)) }

// readTracks takes a field that lists tracks of counters, of an event or of the defaults.
func readTracks(f *fields, all *[extras]extra) {
	switch f.number {
	case eventExtraTracks:
		f.each(all[extraInts].addTrack)
	case eventExtraDoubleTracks:
		f.each(all[extraDoubles].addTrack)
	}
}

// countExtras feeds the further counters of an event. Clocks of threads are left out, as they are
// of Chrome's JSON: there would be two values for each call.
func (f *feed) countExtras(s *sequence, e *event, at int64) {
	for i := range e.extra {
		tracks := e.extra[i].tracks
		if len(tracks) == 0 {
			tracks = s.extra[i].tracks
		}
		for k, v := range e.extra[i].values {
			var t *track
			if k < len(tracks) {
				t = f.tracks[tracks[k]]
			}
			switch {
			case t == nil || t.counter == nil:
				f.bad("a value of a counter that is not described")
			case !t.counter.ofThread:
				f.sample(s, t, at, v)
			}
		}
	}
}

// count feeds an event that is the value of a counter.
func (f *feed) count(s *sequence, e *event, t *track, at int64) {
	f.b.Observe(at)
	if !e.hasValue {
		f.bad("a counter without a value")
		return
	}
	f.sample(s, t, at, e.value)
}

// sample feeds the value of a counter. Those that share a writer may be written as differences.
func (f *feed) sample(s *sequence, t *track, at int64, v float64) {
	c := t.counter
	if c == nil {
		c = &counter{multiplier: 1}
	}
	v *= float64(c.multiplier)
	if c.delta {
		v += s.counts[t.uuid]
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		f.bad("a counter that is no number")
		return
	}
	if c.delta {
		put(&s.counts, t.uuid, v)
	}
	process := int32(-1)
	if pid, known := f.processOfTrack(t); known {
		process = f.b.Process(pid)
	}
	f.b.Count(process, f.counterName(t), at, v)
}

// counterName returns the name of a counter, which other tracks and threads of the process may have
// counters of, too.
func (f *feed) counterName(t *track) string {
	name := cmp.Or(strings.TrimSpace(t.name), spans.Unnamed)
	for up := range f.above(t) {
		if up != t && up.place == onThread {
			name += " (" + number(up.thread) + ")"
		}
	}
	return f.under(t, name)
}
