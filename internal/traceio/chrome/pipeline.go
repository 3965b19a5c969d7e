package chrome

import (
	"bytes"
	"context"
	"slices"

	"diptych/internal/progress"
)

// pipeline parses one list of events: blocks go out to workers, and their records come back in
// order.
type pipeline struct {
	stream *stream
	feed   *feed
	parser parser // for what is parsed again
	jobs   chan *batch
	idle   chan *batch
	made   int      // batches
	flight []*batch // handed to workers, oldest first
	carry  []byte   // text after the last cut
	tail   []byte   // text of an event that its block did not hold completely
	tried  int      // length of tail when it was last parsed
	lost   bool     // the tail, or the next block, begins amid what follows a broken record
	final  bool     // the last batch knew that nothing follows it
	at     int64    // offset of the tail in the stream
}

// maxWorkers is as many as one goroutine that takes their results can keep busy.
const maxWorkers = 16

// jobsEach is how many blocks are handed out for each worker: the one that it parses, and one that
// it finds when it is done. To wake a goroutine on an idle processor can take as long as parsing
// half a block, so a worker that had to wait for its next one would idle for much of the time.
const jobsEach = 2

// batchesEach is how many batches there are for each job, and one more: one at work or waiting to
// be taken, and one whose records are being appended.
const batchesEach = 2

// jobCount is how many blocks are handed out at a time: one more than the workers have, which the
// pipeline prepares.
func jobCount() int { return jobsEach*workers() + 1 }

func workers() int { return min(progress.Processors(), maxWorkers) }

// maxEvent is the length beyond which an event without end is given up.
const maxEvent = 64 << 20

// events parses the list of events that the stream is in and reports whether its end was found. If
// lost, the stream is amid garbage.
func (p *pipeline) events(ctx context.Context, lost bool) (ended bool, err error) {
	defer p.start()()
	p.tail, p.tried, p.lost, p.final, p.at = nil, 0, lost, false, p.stream.offset()
	p.carry = p.carry[:0]
	eof := p.stream.err != nil
	p.dispatch(eof)
	for len(p.flight) > 0 || !eof {
		chunks, oldest := p.sources(eof)
		select {
		case c := <-chunks:
			p.stream.take(c)
			eof = c.err != nil
			p.dispatch(eof)
		case <-oldest:
			if p.takeOldest() {
				return true, nil
			}
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
	return p.finish(), nil
}

// start starts the workers and returns what stops them. Batches in flight are waited for: their
// text must not be in use any more.
func (p *pipeline) start() (stop func()) {
	n := jobCount()
	p.jobs = make(chan *batch, n)
	p.idle, p.made = make(chan *batch, batchesEach*n), 0
	for range workers() {
		go func(jobs <-chan *batch) {
			var own parser
			for t := range jobs {
				t.failed = progress.Try(func() { t.parse(&own, false) })
				t.done <- struct{}{}
			}
		}(p.jobs)
	}
	return func() {
		close(p.jobs)
		for _, t := range p.flight {
			<-t.done
			p.releaseText(t)
		}
		p.flight = nil
		p.feed.queues.Wait()
	}
}

// sources returns what to wait for: more text while the workers can take it, and the oldest batch.
func (p *pipeline) sources(eof bool) (chunks <-chan chunk, oldest <-chan struct{}) {
	if !eof && len(p.flight) < cap(p.jobs) {
		chunks = p.stream.chunks
	}
	if len(p.flight) > 0 {
		oldest = p.flight[0].done
	}
	return chunks, oldest
}

// dispatch hands the text up to the last complete event of the stream's piece to a worker; at the
// end of the stream all of it. What came before stands in front of it.
func (p *pipeline) dispatch(eof bool) {
	block, piece := p.stream.block(p.carry)
	end := len(block)
	if !eof {
		end = lastEvent(&p.parser.scanner, block)
	}
	if end == 0 {
		p.carry = append(p.carry[:0], block...)
		p.stream.release(piece)
		return
	}
	t := p.batch()
	t.block, t.piece, t.final = block[:end], piece, eof
	p.carry = append(p.carry[:0], block[end:]...)
	p.flight = append(p.flight, t)
	p.jobs <- t
}

// batch returns a batch that is free. If there are many already, it waits until the records of one
// are appended.
func (p *pipeline) batch() *batch {
	select {
	case t := <-p.idle:
		return t
	default:
	}
	if p.made < cap(p.idle) {
		p.made++
		return &batch{done: make(chan struct{}, 1)}
	}
	return <-p.idle
}

// takeOldest takes the oldest batch, which is done. If the block before it ended elsewhere than
// where it begins, it is parsed again as one with what was left. It returns true at the end of the
// list.
func (p *pipeline) takeOldest() bool {
	t := p.flight[0]
	p.flight = slices.Delete(p.flight, 0, 1)
	if t.failed != nil {
		panic(t.failed) // in this goroutine, whose caller may recover it
	}
	if len(p.tail) > 0 || p.lost && !t.sound {
		p.tail = append(p.tail, t.block...)
		p.releaseText(t)
		if len(p.tail) < 2*p.tried {
			p.idle <- t
			return false // only reparse when it has doubled, so that the cost stays linear
		}
		t.block, p.tail = bytes.Clone(p.tail), p.tail[:0]
		t.parse(&p.parser, p.lost)
	}
	return p.accept(t)
}

// accept takes a batch that begins where it should. What is left of its block becomes the tail.
func (p *pipeline) accept(t *batch) (ended bool) {
	at := p.at
	p.at += int64(t.used)
	p.lost, p.final, ended = t.lost, t.final, t.ended
	p.tail = append(p.tail[:0], t.block[t.used:]...)
	p.tried = len(p.tail)
	idle := p.idle
	p.feed.batch(t, at, func() { idle <- t })
	p.releaseText(t)
	switch {
	case ended:
		p.putBack()
	case len(p.tail) > maxEvent:
		p.feed.bad(1, p.at, "longer than an event can be")
		p.at += int64(len(p.tail))
		p.tail, p.tried = p.tail[:0], 0
		p.lost = true
	}
	return ended
}

// releaseText gives the text of a batch back to the stream.
func (p *pipeline) releaseText(t *batch) {
	p.stream.release(t.piece)
	t.block, t.piece = nil, nil
}

// putBack returns the text after the end of the list to the stream.
func (p *pipeline) putBack() {
	back := p.tail
	for _, t := range p.flight {
		<-t.done
		t.done <- struct{}{}
		back = append(back, t.block...)
	}
	p.stream.unread(append(back, p.carry...))
	p.tail, p.carry = nil, p.carry[:0]
}

// finish looks at what is left when the stream has ended amid the list: an event that was cut, or
// one with a defect that hides its end, and others behind it.
func (p *pipeline) finish() (ended bool) {
	const rounds = 64
	for range rounds {
		if len(p.tail) == 0 {
			break
		}
		skip := 0
		if p.final { // what the tail begins with has no end
			skip = 1
		}
		t := p.batch()
		t.final = true
		t.block = bytes.Clone(p.tail[skip:])
		p.at += int64(skip)
		t.parse(&p.parser, skip > 0 || p.lost)
		if skip > 0 && t.kept == 0 && !t.ended {
			break
		}
		if p.accept(t) {
			return true
		}
	}
	return false
}

// lastEvent returns where the last complete event of a block begins, which is a good place to cut
// it, or the block's length if none is found near its end.
func lastEvent(s *scanner, b []byte) int {
	const tries = 64
	i := len(b)
	for range tries {
		if i = bytes.LastIndexByte(b[:i], '{'); i <= 0 {
			break
		}
		if begins(b, i) {
			if _, st := s.eventAt(b, i); st == whole {
				return i
			}
		}
	}
	return len(b)
}
