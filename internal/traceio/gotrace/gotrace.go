// Package gotrace loads Go execution traces (runtime/trace), those of Go 1.22 and later and the
// older formats that golang.org/x/exp/trace reads: a goroutine is a thread, its states are leaf
// calls, the stacks on its events are sampled calls, and what made it runnable is an explicit
// release. It decodes nothing itself and must not know what the calls are later used for.
//
// decode.go has the library read the events. mend.go and mendold.go close what was cut off,
// resync.go passes over what is broken, and salvageold.go leaves it out of traces until Go 1.21,
// whose records recordold.go reads. guard.go turns panics of the library into faults of the trace.
// byid.go keeps what is known of goroutines, names.go makes their names, and writer.go hands calls
// to the threads of the Builder.
//
// What becomes of each kind of event:
//
//   - state transitions of goroutines: states, waits and releases (goroutine.go);
//   - stacks, those of CPU samples too: sampled calls (stack.go);
//   - user regions: calls in the stack they were begun in (region.go);
//   - user tasks and the runtime's ranges, such as a garbage collection: asynchronous lanes
//     (lane.go);
//   - metrics: counters; logs and labels: instants on their goroutine;
//   - state transitions of processors say where a goroutine ran, not what it did; synchronisation
//     points and experimental events say nothing about the program. They only count towards the
//     extent.
package gotrace

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"strings"

	xtrace "golang.org/x/exp/trace"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// header is how all versions begin: "go 1.26 trace" and three zero bytes.
const headerLen = 16

// Sniff reports whether the source begins with the header of a Go execution trace.
func Sniff(src *input.Source) bool {
	h := src.Head
	return len(h) >= headerLen && bytes.HasPrefix(h, []byte("go 1.")) &&
		bytes.HasSuffix(h[:headerLen], []byte(" trace\x00\x00\x00"))
}

// What is held until all is read, in bytes a piece, with the maps that lead to it.
const (
	goroutineBytes = 350
	recordBytes    = 16
	laneBytes      = 200
	stackBytes     = 120 // and its functions
	frameBytes     = 4
)

// loader carries one trace from the reader to the builder.
type loader struct {
	b          *trace.Builder
	guard      guard
	batch      *batch // of the current event
	started    bool   // an event was read
	found      bool   // a goroutine was
	born       int64  // time of the first event: what is older begins here
	now        int64  // time of the current event
	first      int64  // of all events so far, of which the reader tells the builder
	last       int64
	events     uint64 // but for synchronisation points
	goroutines byID[goroutine]
	names      names
	tasks      map[xtrace.TaskID]*lane
	oldest     xtrace.TaskID // of those that began in the recording; 0 if none did
	ranges     map[xtrace.ResourceID]*lane
	lanes      []*lane         // of tasks and ranges, in order of appearance
	spare      [][]trace.Brief // room for the records of a goroutine
	writer     writer
	shelf      trace.Shelf  // of tasks that are over
	over       []*goroutine // goroutines that are over, whose room others can have
	said       []byte       // room for arguments
	runtime    *goroutine   // acts where no goroutine did
	stacks     stacks
	fns        functions
}

// Load reads the trace. Events before a fault are kept, and the fault becomes a diagnostic. mend.go
// treats files that were cut off.
func Load(ctx context.Context, src *input.Source, _ input.Options, b *trace.Builder) error {
	header := src.Head[:min(len(src.Head), headerLen)]
	if version, _, ok := strings.Cut(string(header), " trace"); ok {
		b.Tool = "runtime/trace, format of " + version
	}
	b.Symbols = true
	l := &loader{b: b,
		tasks:  map[xtrace.TaskID]*lane{},
		ranges: map[xtrace.ResourceID]*lane{},
	}
	l.fns.b, l.stacks.fns, l.stacks.guard = b, &l.fns, &l.guard
	mended := mend(src.Stream)
	mended.holds = b.Holds
	batches := ahead
	if minor, ok := version(header); ok && minor <= newestOld {
		batches = 1
	}
	defer l.writer.stop()
	fault := l.read(ctx, mended, batches)
	var kept *salvaged
	if mended.old && fault != nil && !l.started && ctx.Err() == nil {
		if kept = salvageOld(ctx, header, mended.whole, fault); kept != nil {
			l.guard = guard{}
			fault = l.read(ctx, bytes.NewReader(kept.data), batches)
			mended.clock = true
		}
	}
	mended.whole = nil
	if err := cmp.Or(ctx.Err(), b.Refused()); err != nil {
		return err
	}
	switch {
	case l.found:
	case mended.mended && !mended.old && (fault == nil || errors.Is(mended.cause, io.EOF) ||
		errors.Is(mended.cause, io.ErrUnexpectedEOF)):
		return src.Fail("the file ends before its first events, which a recording writes last",
			firstLine(mended.cause))
	case mended.old && !mended.clock:
		return src.Fail("the file ends or is broken before it states how fast its clock ticks, which Go "+
			"until 1.21 writes behind all events", firstLine(fault))
	case fault == nil && kept != nil:
		return src.Fail("no goroutine can be read", kept.why)
	case fault == nil:
		return src.Fail("the trace has no goroutines", nil)
	default:
		return src.Fail("no goroutine can be read", firstLine(fault))
	}
	l.finish()
	if kept != nil {
		kept.diagnose(b, src.Path)
	}
	if mended.mended {
		b.Diagnose(trace.Truncated, 1, "%s ends too early or is broken (%v): %d events are kept",
			src.Path, firstLine(mended.cause), l.events)
	}
	if fault != nil {
		b.Diagnose(code(fault), 1, "%s: after %d events: %v", src.Path, l.events, firstLine(fault))
	}
	return nil
}

// read feeds all events to the builder and returns what stopped it, nil at the proper end.
func (l *loader) read(ctx context.Context, from io.Reader, ahead int) (err error) {
	d := decode(from, ahead)
	defer d.stop()
	l.guard.run(func() { err = l.readBatches(ctx, d) })
	return cmp.Or(l.guard.fault, err)
}

func (l *loader) readBatches(ctx context.Context, d *decoder) error {
	for b := range d.full {
		if b.panic != nil {
			panic(b.panic)
		}
		if err := cmp.Or(ctx.Err(), l.b.Refused()); err != nil {
			return err
		}
		l.batch = b
		for i := range b.events {
			l.event(&b.events[i])
		}
		if l.started {
			l.b.Observe(l.first)
			l.b.Observe(l.last)
		}
		switch {
		case b.end == io.EOF:
			return nil
		case b.end != nil:
			return b.end
		case b.skipped != nil:
			l.b.Diagnose(trace.BadRecord, 1, "%v", firstLine(b.skipped))
		}
		d.empty <- b
	}
	return nil
}

// task returns what the next event of a task in the batch says.
func (b *batch) task() xtrace.Task {
	b.told++
	return b.tasks[b.told-1]
}

// event adds one event. If the library panics when it is asked what the event says, the event still
// counts.
func (l *loader) event(e *xtrace.Event) {
	at, kind := int64(e.Time()), e.Kind()
	if at > trace.Limit || at < -trace.Limit {
		l.b.Diagnose(trace.BadRecord, 1, "%v event at time %d", kind, at)
		if ofTask(kind) {
			l.batch.task()
		}
		return
	}
	if l.now = at; !l.started {
		l.started, l.born, l.first, l.last = true, at, at, at
	}
	l.first, l.last = min(l.first, at), max(l.last, at)
	if kind == xtrace.EventSync {
		l.generation()
		return
	}
	l.events++
	if kind != xtrace.EventStateTransition {
		l.look(e, kind)
		return
	}
	l.guard.inside = true
	t := e.StateTransition()
	l.guard.inside = false
	if t.Resource.Kind == xtrace.ResourceGoroutine {
		l.change(e, &t)
	}
}

// look adds an event of a seldom kind.
func (l *loader) look(e *xtrace.Event, kind xtrace.EventKind) {
	at := l.now
	switch kind {
	case xtrace.EventStackSample:
		l.sampled(e)
	case xtrace.EventRegionBegin, xtrace.EventRegionEnd:
		l.region(e, kind)
	case xtrace.EventTaskBegin, xtrace.EventTaskEnd:
		l.task(e, kind)
	case xtrace.EventRangeBegin, xtrace.EventRangeActive, xtrace.EventRangeEnd:
		l.ranged(e, kind)
	case xtrace.EventMetric:
		l.sampled(e)
		if m := ask(&l.guard, e.Metric); m.Value.Kind() == xtrace.ValueUint64 {
			l.b.Count(-1, m.Name, at, float64(m.Value.Uint64()))
		}
	case xtrace.EventLog:
		l.sampled(e)
		if log := ask(&l.guard, e.Log); log.Category != "" {
			l.instant(e.Goroutine(), log.Category+": "+log.Message)
		} else {
			l.instant(e.Goroutine(), log.Message)
		}
	case xtrace.EventLabel:
		label := ask(&l.guard, e.Label)
		if res := label.Resource; res.Kind == xtrace.ResourceGoroutine {
			l.instant(res.Goroutine(), "label: "+label.Label)
		}
	}
}

// generation begins a generation of the trace. Identifiers of stacks are those of one generation.
// Threads get their records, so that whoever looks at them while they are read sees what there was.
func (l *loader) generation() {
	l.stacks.forget()
	l.goroutines.all((*goroutine).flush)
}

// instant marks the current moment on a goroutine, or on the runtime's thread if there is none.
func (l *loader) instant(id xtrace.GoID, text string) {
	l.actor(id).instant(l.now, l.fns.named(text, trace.Event))
}

// finish closes what the trace leaves open at the time of its last event.
func (l *loader) finish() {
	l.goroutines.all(func(g *goroutine) { g.cut(l.now) })
	if l.runtime != nil {
		l.runtime.flush()
	}
	for _, n := range l.lanes {
		l.leave(n)
	}
	l.writer.finish()
}

// code tells the end of the file from something wrong in it. The reader wraps few of its errors.
func code(fault error) trace.Code {
	s := fault.Error()
	if errors.Is(fault, io.EOF) || errors.Is(fault, io.ErrUnexpectedEOF) ||
		strings.Contains(s, "EOF") || strings.Contains(s, "truncated") ||
		strings.Contains(s, "failed to read full batch") {
		return trace.Truncated
	}
	return trace.BadRecord
}

// firstLine shortens the reader's errors, which may list its whole state.
func firstLine(err error) error {
	line, _, more := strings.Cut(err.Error(), "\n")
	if !more {
		return err
	}
	return errors.New(strings.TrimSuffix(line, ":"))
}
