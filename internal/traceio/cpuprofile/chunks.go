package cpuprofile

import (
	"cmp"
	"slices"

	"diptych/internal/plural"
	"diptych/internal/trace"
	"diptych/internal/traceio/jsonin"
	"diptych/internal/traceio/stacks"
)

// V8 also writes profiles among the events of a Chrome trace, in chunks while it samples
// (CpuProfile::StreamPendingTraceEvents). These are the arguments of the events:
//
//	Profile       {"data":{"startTime":88}}
//	ProfileChunk  {"data":{"cpuProfile":{"nodes":[{"id":1,"callFrame":{…}},{"id":2,"parent":1,…}],
//	              "samples":[2,2,1]},"lines":[9,9,0],"timeDeltas":[40,60,70]}}
//	ProfileChunk  {"data":{"endTime":400}}
//
// Later chunks add nodes, and have samples of nodes of earlier ones too. Older DevTools wrote a
// whole profile instead, as the arguments of one event: {"data":{"cpuProfile":{…}}}.
//
// A trace may have its events in any order, so chunks are in the order of their events' times. The
// clock of startTime need not be that of the events. So the profile begins at the event Profile,
// which V8 writes a few µs later; DevTools shows it there, too.

// Chunks is a profile that comes in chunks. It becomes calls once all of them are there.
type Chunks struct {
	*profile
	b       *trace.Builder
	counted int64    // bytes that the Builder was told of
	began   *float64 // where the event Profile is, µs
	pieces  []piece
}

// piece is the samples of a chunk: [from, to).
type piece struct {
	at       int64
	from, to int
}

// emptyBytes is what a profile takes in which nothing is.
const emptyBytes = 1 << 10

// NewChunks returns a profile without a sample. It takes as much memory as the Builder may.
func NewChunks(b *trace.Builder) *Chunks {
	b.Holds(emptyBytes)
	c := &Chunks{b: b}
	c.profile = newProfile(func(bytes int64) error {
		b.Holds(bytes - c.counted)
		c.counted = bytes
		return b.Refused()
	})
	return c
}

// Begun reports whether it is known when the profile begins.
func (c *Chunks) Begun() bool { return c.began != nil }

// Begin takes the arguments of the event Profile, which is at a time in ns.
func (c *Chunks) Begin(at int64, args []byte) {
	began := float64(at) / 1000
	c.began = &began
	c.data(args, func(r *jsonin.Reader, name string) {
		if name == "startTime" {
			c.readMember(r, name)
		}
	})
}

// Add takes the arguments of a chunk, whose event is at a time in ns.
func (c *Chunks) Add(at int64, args []byte) {
	from := len(c.samples)
	c.before = from
	c.data(args, func(r *jsonin.Reader, name string) {
		if name != "cpuProfile" {
			c.readPart(r, name)
			return
		}
		for name := range r.Members() {
			c.readPart(r, name)
		}
	})
	for len(c.samples) < len(c.deltas) {
		c.samples = append(c.samples, noNode) // nobody knows what was sampled then
	}
	untimed := len(c.samples) - len(c.deltas)
	c.b.Diagnose(trace.BadRecord, uint64(untimed), "a chunk of a profile has %s without a time",
		plural.Of(untimed, "sample"))
	c.samples = c.samples[:len(c.deltas)]
	if to := len(c.samples); to > from {
		c.pieces = append(c.pieces, piece{at, from, to})
	}
}

// AddWhole takes the arguments of an event that has a whole profile, in times of the events' clock.
func (c *Chunks) AddWhole(args []byte) {
	c.data(args, func(r *jsonin.Reader, name string) {
		if name == "cpuProfile" {
			c.read(r)
		}
	})
}

// data reads the members of the data in an event's arguments.
func (c *Chunks) data(args []byte, member func(r *jsonin.Reader, name string)) {
	if c.stops(0) {
		return
	}
	r := jsonin.NewHead(args)
	for name := range r.Members() {
		if name != "data" {
			continue
		}
		for name := range r.Members() {
			member(r, name)
		}
	}
	n, first := r.Misfits()
	if err := r.Err(); err != nil {
		n, first = n+1, cmp.Or(first, err.Error())
	}
	c.b.Diagnose(trace.BadRecord, n, "a part of a profile: %s", first)
}

// readPart reads a member that profiles in chunks have.
func (c *Chunks) readPart(r *jsonin.Reader, name string) {
	switch name {
	case "nodes", "samples", "timeDeltas", "startTime", "endTime":
		c.readMember(r, name)
	}
}

// Len returns the number of samples whose time is known.
func (c *Chunks) Len() int { return min(len(c.samples), max(len(c.deltas), len(c.times))) }

// Write adds the samples to a thread of the timeline.
func (c *Chunks) Write(line *stacks.Timeline, to *trace.ThreadBuilder) error {
	c.sort()
	if c.began != nil {
		if c.start > 0 && c.end > 0 {
			c.end += *c.began - c.start
		}
		c.start = *c.began
	}
	m := newMaker(c.profile, c.b, line)
	if err := m.resolve(to, c.counted); err != nil {
		return err
	}
	m.addSamples(to)
	return nil
}

// sort puts the samples in the order of the chunks' times.
func (c *Chunks) sort() {
	byTime := func(x, y piece) int { return cmp.Compare(x.at, y.at) }
	if slices.IsSortedFunc(c.pieces, byTime) {
		return
	}
	slices.SortStableFunc(c.pieces, byTime)
	samples, deltas := make([]int32, 0, len(c.samples)), make([]float64, 0, len(c.deltas))
	for _, p := range c.pieces {
		samples = append(samples, c.samples[p.from:p.to]...)
		deltas = append(deltas, c.deltas[p.from:p.to]...)
	}
	c.samples, c.deltas = samples, deltas
}
