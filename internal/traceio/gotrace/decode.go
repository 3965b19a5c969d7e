package gotrace

import (
	"io"
	"slices"

	xtrace "golang.org/x/exp/trace"
)

// Four goroutines load a trace, a few batches of events ahead of one another: the library decodes
// events, describe takes from each what the loader has to know, the loader makes calls of that, and
// the writer gives them to threads (writer.go). The library's methods copy an event of 80 bytes
// each time, so to take what is needed costs about as much as to make calls of it. To take it where
// events are decoded would save a goroutine, but is no quicker.
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
	whole   []xtrace.Event
	tasks   []xtrace.Task // what those of them that are of tasks say, in their order
	told    int           // of the tasks
	events  []event       // what the loader has to know of each
	skipped error         // an event that could not be decoded follows; the next is unharmed
	end     error         // nothing follows; io.EOF at the proper end
	panic   any           // our own code panicked with this
}

// event is what the loader has to know of an event.
type event struct {
	at     int64
	kind   xtrace.EventKind
	use    use
	from   xtrace.GoState // these are of a change
	to     xtrace.GoState
	of, by xtrace.GoID // whose state changes, and who changes it
	stack  xtrace.Stack
	reason string
}

// use is what is made of an event.
type use uint8

const (
	counted use = iota // it only counts
	change             // a goroutine that exists changes its state
	birth              // a goroutine begins; the stack is the one that it begins in
	looked             // the library's event has to be looked into
)

// describe takes from an event what the loader has to know. If the library panics meanwhile, the
// event still counts.
func (b *batch) describe(whole *xtrace.Event) {
	kind := whole.Kind()
	if len(b.events) == cap(b.events) {
		b.events = slices.Grow(b.events, mostEvents)
	}
	b.events = b.events[:len(b.events)+1]
	e := &b.events[len(b.events)-1] // set in place: to make one and copy it takes far longer
	*e = event{}
	e.at, e.kind = int64(whole.Time()), kind
	if kind == xtrace.EventSync {
		return
	}
	if kind == xtrace.EventStateTransition {
		t := whole.StateTransition()
		if t.Resource.Kind != xtrace.ResourceGoroutine {
			return
		}
		e.from, e.to = t.Goroutine()
		e.use, e.of, e.by, e.reason = change, t.Resource.Goroutine(), whole.Goroutine(), t.Reason
		e.stack = t.Stack
		if e.from == xtrace.GoNotExist {
			e.use = birth
		} else if e.wakes() || e.states() {
			e.stack = whole.Stack() // of who acts
		}
		return
	}
	e.use = looked
}

// wakes reports whether a change is one from waiting to runnable.
func (e *event) wakes() bool { return e.from == xtrace.GoWaiting && e.to == xtrace.GoRunnable }

// states reports whether a change is none, but says what state the goroutine is in.
func (e *event) states() bool { return e.from == xtrace.GoUndetermined || e.from == e.to }

// decoder is the goroutines that run the library.
type decoder struct {
	guard   guard
	batch   *batch
	empty   chan *batch // closed when nothing more is wanted
	decoded chan *batch // closed when the library is done
	full    chan *batch // closed when the goroutines are done
}

// decode begins to decode a trace, so many batches ahead. Each channel has room for all batches, so
// whoever has one never waits.
func decode(from io.Reader, batches int) *decoder {
	d := &decoder{empty: make(chan *batch, batches), decoded: make(chan *batch, batches),
		full: make(chan *batch, batches)}
	for range batches {
		d.empty <- &batch{}
	}
	go d.run(from)
	go d.describe()
	return d
}

// stop ends the goroutines, and waits for them.
func (d *decoder) stop() {
	close(d.empty)
	for range d.full {
	}
}

func (d *decoder) run(from io.Reader) {
	defer close(d.decoded)
	d.batch = <-d.empty
	defer func() {
		if p := recover(); p != nil {
			d.batch.panic = p
			d.decoded <- d.batch
		}
	}()
	d.guard.run(func() { d.read(from) })
	if d.batch == nil {
		return
	}
	if d.guard.fault != nil {
		d.batch.end = d.guard.fault
	}
	d.decoded <- d.batch
}

// describe describes the events of all batches.
func (d *decoder) describe() {
	defer close(d.full)
	for b := range d.decoded {
		if b.panic == nil {
			b.describeAll()
		}
		d.full <- b
	}
}

func (b *batch) describeAll() {
	defer func() { b.panic = recover() }()
	if cap(b.events) < len(b.whole) {
		b.events = make([]event, 0, len(b.whole))
	}
	var g guard
	g.run(func() {
		g.inside = true
		for i := range b.whole {
			b.describe(&b.whole[i])
		}
		g.inside = false
	})
	if g.fault != nil {
		b.end = g.fault
	}
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
		d.decoded <- d.batch
		if d.batch = <-d.empty; d.batch != nil {
			b := d.batch
			*b = batch{whole: b.whole[:0], events: b.events[:0], tasks: b.tasks[:0]}
		}
	}
}

// fill has the library fill a batch with so many events.
func (d *decoder) fill(r *xtrace.Reader, n int) {
	b := d.batch
	if cap(b.whole) < n {
		b.whole = make([]xtrace.Event, 0, n)
	}
	for len(b.whole) < n {
		e, err := r.ReadEvent()
		switch {
		case err == nil:
			b.whole = append(b.whole, e)
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
