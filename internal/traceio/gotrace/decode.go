package gotrace

import (
	"io"

	xtrace "golang.org/x/exp/trace"
)

// The library decodes on a goroutine of its own, a few batches of events ahead of the loader. Its
// tables do not change while the loader looks into them, with one exception, for which it reads no
// further until a batch is used up: a task's name is added to the tables when the task ends, so the
// decoder looks up what the events of tasks say itself. Formats until Go 1.21 are decoded one batch
// after the other, as their tables change with every event.

const (
	batchEvents = 512 // which fit the processor's cache
	ahead       = 4   // batches
)

// batch is a stretch of events, and what stopped the decoder after them.
type batch struct {
	events  []xtrace.Event
	tasks   []xtrace.Task // what those of them that are of tasks say, in their order
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

// decode begins to decode a trace, so many batches ahead.
func decode(from io.Reader, batches int) *decoder {
	d := &decoder{empty: make(chan *batch, batches), full: make(chan *batch, batches)}
	for range batches {
		d.empty <- &batch{events: make([]xtrace.Event, 0, batchEvents)}
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
	for d.batch != nil {
		d.guard.inside = true
		d.fill(r)
		d.guard.inside = false
		if d.batch.end != nil {
			return
		}
		d.full <- d.batch
		if d.batch = <-d.empty; d.batch != nil {
			*d.batch = batch{events: d.batch.events[:0], tasks: d.batch.tasks[:0]}
		}
	}
}

// fill has the library fill a batch.
func (d *decoder) fill(r *xtrace.Reader) {
	b := d.batch
	for len(b.events) < batchEvents {
		e, err := r.ReadEvent()
		switch {
		case err == nil:
			b.events = append(b.events, e)
			if ofTask(&e) {
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

func ofTask(e *xtrace.Event) bool {
	return e.Kind() == xtrace.EventTaskBegin || e.Kind() == xtrace.EventTaskEnd
}
