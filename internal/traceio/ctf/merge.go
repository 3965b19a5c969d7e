package ctf

import (
	"container/heap"
	"context"
	"errors"
	"math"
	"sync"

	"diptych/internal/plural"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// source is a stream as the feed sees it: its events, one by one, in batches that are decoded
// meanwhile.
type source struct {
	slots  // of the present event, if its action looks at more than one field
	t      *tracer
	from   *stream
	number int // ties between streams
	batch  *batch
	next   int // which event of the batch is the present one
	quiet  int // the first event from that one on that has a note before it, or all
	noted  int // notes that were taken
	valued int // and values

	at    int64 // the present event
	addr  uint64
	owner *owner

	lane *lane   // the thread that the last event was on
	key  laneKey // of that
	own  *owner  // in the batch, by which it was found last; nil if that does not say enough
}

// advance goes to the next event, and returns false when there is none. It reports losses between
// the two.
func (s *source) advance(f *feed) bool {
	s.next++
	for s.next >= s.quiet {
		for s.noted < len(s.batch.notes) && s.batch.notes[s.noted].before <= s.next {
			f.note(s.t, &s.batch.notes[s.noted])
			s.noted++
		}
		s.quiet = len(s.batch.events)
		if s.noted < len(s.batch.notes) {
			s.quiet = s.batch.notes[s.noted].before
		}
		if s.next < len(s.batch.events) {
			break
		}
		if !s.refill() {
			return false
		}
	}
	s.at = s.batch.events[s.next].at
	return true
}

// refill takes the next batch, and returns false at the end of the stream.
func (s *source) refill() bool {
	if s.batch != nothing {
		s.from.free <- s.batch // which has room for all
	}
	b, more := <-s.from.ready
	if !more {
		s.batch, s.next, s.quiet, s.noted = nothing, 0, 0, 0
		return false
	}
	s.batch, s.next, s.quiet, s.noted, s.valued, s.own = b, 0, 0, 0, 0, nil
	return true
}

// nothing is what a source has before its first batch and after its last.
var nothing = &batch{}

// take makes the event that the source is at the present one.
func (s *source) take() *action {
	e := &s.batch.events[s.next]
	a := s.t.acts[e.act]
	s.addr, s.owner = e.addr, &s.batch.owners[e.owner]
	if a.rest {
		s.batch.restore(a, s.valued, &s.slots)
		s.valued += len(a.wanted)
	}
	return a
}

// note takes over what lies before an event.
func (f *feed) note(t *tracer, v *note) {
	if !f.expected && f.bytes > 0 && f.bytes >= f.size/part {
		f.expect()
	}
	f.bytes += v.bytes
	f.showAgain()
	if v.code == "" {
		return
	}
	if v.code == trace.BadRecord && t.why == nil {
		t.why = errors.New(v.example)
	}
	f.b.Diagnose(v.code, v.n, "%s", v.example)
}

// queue is the streams by the time of their present events.
type queue []*source

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].before(q[j].at, q[j].number) }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(*source)) }
func (q *queue) Pop() any {
	s := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return s
}

// before reports whether the present event comes before that of another stream.
func (s *source) before(at int64, number int) bool {
	return s.at < at || s.at == at && s.number < number
}

// second returns the time and the number of the stream that comes after the first.
func (q queue) second() (at int64, number int) {
	at = math.MaxInt64
	for _, s := range q[1:min(3, len(q))] {
		if s.before(at, number) {
			at, number = s.at, s.number
		}
	}
	return at, number
}

// run feeds the events of all streams in order of time. They are decoded at once.
func (f *feed) run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	var decoding sync.WaitGroup
	defer decoding.Wait() // the files are closed then
	defer stop()
	var all []*source
	for _, t := range f.tracers {
		for _, s := range t.streams {
			all = append(all, newSource(t, s, len(all)))
		}
	}
	for _, s := range all {
		most := max(batchEvents/len(all), fewestEvents)
		for range batchesEach {
			s.from.free <- &batch{most: most}
		}
		decoding.Go(func() { s.from.decode(ctx) })
	}
	f.merge(ctx, all)
	f.queues.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if f.events == 0 {
		return &input.FormatError{File: f.tracers[0].name, Offset: -1, Reason: "no event in " +
			plural.Of(len(all), "stream"), Err: f.tracers[0].why}
	}
	return nil
}

// newSource connects a stream with the feed.
func newSource(t *tracer, s *stream, number int) *source {
	s.ready, s.free = make(chan *batch, batchesEach), make(chan *batch, batchesEach)
	most := int32(0)
	for _, class := range t.meta.streams {
		if class.layout != nil {
			most = max(most, class.layout.most)
		}
	}
	source := &source{t: t, from: s, number: number, batch: nothing}
	source.grow(most)
	return source
}

// merge feeds the events in order of time: of the stream that comes first, up to the time of the
// one that comes next.
func (f *feed) merge(ctx context.Context, all []*source) {
	var q queue
	for _, s := range all {
		if s.advance(f) {
			q = append(q, s)
		}
	}
	heap.Init(&q)
	steps := 0
	for len(q) > 0 {
		s, more := q[0], true
		at, number := q.second()
		for first := true; more && (first || s.before(at, number)); first = false {
			if steps++; steps&0x3f == 0 && ctx.Err() != nil {
				return
			}
			if !f.calls(s, at, number) {
				f.event(s)
			}
			more = s.advance(f)
		}
		if more {
			heap.Fix(&q, 0)
		} else {
			heap.Pop(&q)
		}
	}
}
