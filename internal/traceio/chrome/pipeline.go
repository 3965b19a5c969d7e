package chrome

import (
	"bytes"
	"context"
	"io"
	"runtime"
	"slices"
)

// pipeline parses one list of events: blocks go out to workers, and their records come back in
// order.
type pipeline struct {
	stream  *stream
	feed    *feed
	jobs    chan *batch
	idle    []*batch
	flight  []*batch // handed to workers, oldest first
	scanner scanner
	carry   []byte // text after the last cut
	tail    []byte // text of an event that its block did not hold completely
	tried   int    // length of tail when it was last parsed
	lost    bool   // the tail, or the next block, begins amid what follows a broken record
	final   bool   // the last batch knew that nothing follows it
	at      int64  // offset of the tail in the stream
}

// maxWorkers is as many as one goroutine that replays can keep busy.
const maxWorkers = 8

// maxEvent is the length beyond which an event without end is given up.
const maxEvent = 64 << 20

// events parses the list of events that the stream is in and reports whether its end was found. If
// lost, the stream is amid garbage.
func (p *pipeline) events(ctx context.Context, lost bool) (ended bool, err error) {
	defer p.start()()
	p.tail, p.tried, p.lost, p.final, p.at = nil, 0, lost, false, p.stream.offset()
	p.carry = append(p.carry[:0], p.stream.rest...)
	p.stream.rest = nil
	eof := p.stream.err != nil
	p.dispatch(eof)
	for len(p.flight) > 0 || !eof {
		chunks, oldest := p.sources(eof)
		select {
		case c := <-chunks:
			p.stream.take(c)
			p.carry = append(p.carry, p.stream.rest...)
			p.stream.rest = nil
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
	n := min(runtime.GOMAXPROCS(0), maxWorkers)
	p.jobs = make(chan *batch, n+1)
	for range n {
		go func(jobs <-chan *batch) {
			for t := range jobs {
				t.parse(false)
				t.done <- struct{}{}
			}
		}(p.jobs)
	}
	return func() {
		close(p.jobs)
		for _, t := range p.flight {
			<-t.done
			p.idle = append(p.idle, t)
		}
		p.flight = nil
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

// dispatch hands the text up to the last complete event to a worker; at the end of the stream all
// of it.
func (p *pipeline) dispatch(eof bool) {
	end := len(p.carry)
	if !eof {
		end = lastEvent(&p.scanner, p.carry)
	}
	if end == 0 {
		return
	}
	t := p.batch()
	t.block, t.final = append(t.block[:0], p.carry[:end]...), eof
	p.carry = p.carry[:copy(p.carry, p.carry[end:])]
	p.flight = append(p.flight, t)
	p.jobs <- t
}

func (p *pipeline) batch() *batch {
	if k := len(p.idle) - 1; k >= 0 {
		t := p.idle[k]
		p.idle = p.idle[:k]
		return t
	}
	return &batch{done: make(chan struct{}, 1)}
}

// takeOldest takes the oldest batch, which is done. If the block before it ended elsewhere than
// where it begins, it is parsed again as one with what was left. It returns true at the end of the
// list.
func (p *pipeline) takeOldest() bool {
	t := p.flight[0]
	p.flight = slices.Delete(p.flight, 0, 1)
	defer func() { p.idle = append(p.idle, t) }()
	if len(p.tail) > 0 || p.lost && !t.sound {
		p.tail = append(p.tail, t.block...)
		if len(p.tail) < 2*p.tried {
			return false // only reparse when it has doubled, so that the cost stays linear
		}
		t.block, p.tail = append(t.block[:0], p.tail...), p.tail[:0]
		t.parse(p.lost)
	}
	return p.accept(t)
}

// accept replays a batch that begins where it should. What is left of its block becomes the tail.
func (p *pipeline) accept(t *batch) (ended bool) {
	p.feed.batch(t, p.at)
	p.at += int64(t.used)
	p.lost, p.final = t.lost, t.final
	p.tail = append(p.tail[:0], t.block[t.used:]...)
	p.tried = len(p.tail)
	switch {
	case t.ended:
		p.putBack()
	case len(p.tail) > maxEvent:
		p.feed.bad(1, p.at, "longer than an event can be")
		p.at += int64(len(p.tail))
		p.tail, p.tried = p.tail[:0], 0
		p.lost = true
	}
	return t.ended
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
	t := p.batch()
	for range rounds {
		if len(p.tail) == 0 {
			break
		}
		skip := 0
		if p.final { // what the tail begins with has no end
			skip = 1
		}
		t.final = true
		t.block = append(t.block[:0], p.tail[skip:]...)
		p.at += int64(skip)
		t.parse(skip > 0 || p.lost)
		if skip > 0 && len(t.records) == 0 && !t.ended {
			break
		}
		if p.accept(t) {
			return true
		}
	}
	return false
}

// blockSize is how much text a worker parses at a time: enough to make handing over cheap, little
// enough to stay in a second-level cache with its records.
const blockSize = 512 << 10

// chunk is a piece of the stream as it was read.
type chunk struct {
	text []byte
	err  error // why the stream ends after text, io.EOF if properly
}

// stream hands a text out piece by piece. A goroutine reads ahead, so that unpacking overlaps
// parsing.
type stream struct {
	ctx    context.Context
	chunks chan chunk
	free   chan []byte
	rest   []byte // what the current piece still holds
	piece  []byte
	taken  int64 // bytes up to the end of the current piece
	err    error // set at the end
}

// readAhead is the number of pieces read before they are asked for.
const readAhead = 2

func newStream(ctx context.Context, r io.Reader, size int) *stream {
	s := &stream{ctx: ctx, chunks: make(chan chunk, readAhead), free: make(chan []byte, readAhead+2)}
	for range cap(s.free) {
		s.free <- nil
	}
	go s.read(r, size)
	return s
}

// read runs until the stream ends or the context is done. Pieces grow to the given size, so that
// small files cost little.
func (s *stream) read(r io.Reader, size int) {
	for want := min(size, 16<<10); ; want = min(size, 2*want) {
		var buf []byte
		select {
		case buf = <-s.free:
		case <-s.ctx.Done():
			return
		}
		if len(buf) < want {
			buf = make([]byte, want)
		}
		n, err := fill(r, buf)
		select {
		case s.chunks <- chunk{buf[:n], err}:
		case <-s.ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// fill reads until buf is full. Unlike io.ReadFull it passes errors on as they are: an archive that
// was cut answers io.ErrUnexpectedEOF.
func fill(r io.Reader, buf []byte) (int, error) {
	n := 0
	for n < len(buf) {
		k, err := r.Read(buf[n:])
		n += k
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// take makes c the current piece.
func (s *stream) take(c chunk) {
	if s.piece != nil {
		s.free <- s.piece[:cap(s.piece)]
	}
	s.piece, s.rest, s.err = c.text, c.text, c.err
	s.taken += int64(len(c.text))
}

// offset is the position in the stream.
func (s *stream) offset() int64 { return s.taken - int64(len(s.rest)) }

// more makes the next piece current. It returns false at the end of the stream or when the context
// is done.
func (s *stream) more() bool {
	for s.err == nil {
		select {
		case c := <-s.chunks:
			s.take(c)
		case <-s.ctx.Done():
			s.err = s.ctx.Err()
			return false
		}
		if len(s.rest) > 0 {
			return true
		}
	}
	return false
}

// peek returns the next byte without taking it, or 0 at the end.
func (s *stream) peek() byte {
	if len(s.rest) == 0 && !s.more() {
		return 0
	}
	return s.rest[0]
}

// next takes the next byte, 0 at the end.
func (s *stream) next() byte {
	c := s.peek()
	if len(s.rest) > 0 {
		s.rest = s.rest[1:]
	}
	return c
}

// ended reports whether all has been taken, after a peek or next that gave 0.
func (s *stream) ended() bool { return s.err != nil && len(s.rest) == 0 }

// ahead returns up to n bytes of what comes, without taking them.
func (s *stream) ahead(n int) []byte {
	for len(s.rest) < n {
		seen := bytes.Clone(s.rest) // the piece may be reused once the next one is there
		s.rest = nil
		ok := s.more()
		s.unread(seen)
		if !ok {
			break
		}
	}
	return s.rest
}

// unread puts text back in front of the rest.
func (s *stream) unread(text []byte) {
	s.rest = append(text[:len(text):len(text)], s.rest...)
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
