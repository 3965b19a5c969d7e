package gotrace

import (
	"io"

	xtrace "golang.org/x/exp/trace"
)

// Three goroutines load a trace, a few batches of events ahead of one another: the library decodes
// events, the loader makes calls of them, and the writer gives these to threads (writer.go).
//
// The library's tables do not change while somebody looks into them, with one exception, for which
// it reads no further until a batch is used up: a task's name is added to the tables when the task
// ends, so the decoder looks up what the events of tasks say itself. Formats until Go 1.21 are
// decoded one batch after the other, as their tables change with every event.

// Batches have few events at first, which is all that a short recording has room for, and many once
// some batches were read: to hand one over costs as much as to decode tens of events.
const (
	fewEvents  = 256
	mostEvents = 1024 // which fit the processor's cache
	fewBatches = 16
	ahead      = 5 // batches
)

// eventsIn returns how many events the k-th batch has.
func eventsIn(k int) int {
	if k < fewBatches {
		return fewEvents
	}
	return mostEvents
}

// batch is a stretch of events, and what stopped the decoder after them.
type batch struct {
	events  []xtrace.Event
	tasks   []xtrace.Task // what those of them that are of tasks say, in their order
	told    int           // of the tasks
	skipped error         // an event that could not be decoded follows; the next is unharmed
	end     error         // nothing follows; io.EOF at the proper end
	panic   any           // our own code panicked with this
}

// decoder is the goroutine that runs the library.
type decoder struct {
	guard guard
	batch *batch
	empty chan *batch // closed when nothing more is wanted
	full  chan *batch // closed when the goroutine is done
}

// decode begins to decode a trace, so many batches ahead. Each channel has room for all batches, so
// whoever has one never waits.
func decode(from io.Reader, batches int) *decoder {
	d := &decoder{empty: make(chan *batch, batches), full: make(chan *batch, batches)}
	for range batches {
		d.empty <- &batch{}
	}
	go d.run(from)
	return d
}

// stop ends the goroutine, and waits for it.
func (d *decoder) stop() {
	close(d.empty)
	for range d.full {
	}
}

func (d *decoder) run(from io.Reader) {
	defer close(d.full)
	d.batch = <-d.empty
	defer func() {
		if p := recover(); p != nil {
			d.batch.panic = p
			d.full <- d.batch
		}
	}()
	d.guard.run(func() { d.read(from) })
	if d.batch == nil {
		return
	}
	if d.guard.fault != nil {
		d.batch.end = d.guard.fault
	}
	d.full <- d.batch
}

// read fills batches until the trace ends, or nobody wants more.
func (d *decoder) read(from io.Reader) {
	var (
		r   *xtrace.Reader
		err error
	)
	d.guard.call(func() { r, err = xtrace.NewReader(stream{from, &d.guard}) })
	if err != nil {
		d.batch.end = err
		return
	}
	for k := 0; d.batch != nil; k++ {
		d.guard.inside = true
		d.fill(r, eventsIn(k))
		d.guard.inside = false
		if d.batch.end != nil {
			return
		}
		d.full <- d.batch
		if d.batch = <-d.empty; d.batch != nil {
			b := d.batch
			*b = batch{events: b.events[:0], tasks: b.tasks[:0]}
		}
	}
}

// fill has the library fill a batch with so many events.
func (d *decoder) fill(r *xtrace.Reader, n int) {
	b := d.batch
	if cap(b.events) < n {
		b.events = make([]xtrace.Event, 0, n)
	}
	for len(b.events) < n {
		e, err := r.ReadEvent()
		switch {
		case err == nil:
			b.events = append(b.events, e)
			if ofTask(e.Kind()) {
				b.tasks = append(b.tasks, e.Task())
			}
			continue
		case err == io.EOF || e.Kind() == xtrace.EventBad:
			b.end = err
		default: // it names a string or stack that the trace does not have
			b.skipped = err
		}
		return
	}
}

func ofTask(k xtrace.EventKind) bool {
	return k == xtrace.EventTaskBegin || k == xtrace.EventTaskEnd
}
