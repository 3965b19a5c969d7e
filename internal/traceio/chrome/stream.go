package chrome

import (
	"bytes"
	"context"
	"io"

	"diptych/internal/progress"
	"diptych/internal/traceio/jsonin"
)

// blockSize is how much text a worker parses at a time: enough for handing it over to cost little
// beside the 0.1 ms that parsing takes, little enough to stay in a second-level cache with its
// records.
const blockSize = 256 << 10

// chunk is a piece of the stream as it was read.
type chunk struct {
	piece []byte // the text, behind headroom bytes
	nul   bool   // it has a NUL byte
	blank bool   // it is large and has nothing else
	err   error  // why the stream ends after it, io.EOF if properly
}

// stream hands a text out piece by piece. A goroutine reads ahead, so that unpacking overlaps
// parsing.
type stream struct {
	ctx    context.Context
	chunks chan chunk
	free   chan []byte
	rest   []byte // what the current piece still holds
	piece  []byte // nil if there is none, or it was taken as a block
	behind bool   // rest lies in the piece, to its end
	taken  int64  // bytes up to the end of the current piece
	nuls   jsonin.Nuls
	err    error // set at the end

	done chan struct{} // closed once nothing is read any more
}

// readAhead is the number of pieces read before they are asked for. All processors parse now and
// then, and whatever unpacks the text waits for one of them; what was read ahead keeps them busy
// until it has caught up. A plain file needs less, but gains by it too.
const readAhead = 8

// headroom is how much text can be put before a piece, so that what was left of the one before it
// becomes one block with it. That mostly is a part of an event.
const headroom = 4 << 10

func newStream(ctx context.Context, r io.Reader, size int) *stream {
	pieces := readAhead + 2 + jobCount() // the last in blocks
	s := &stream{ctx: ctx, chunks: make(chan chunk, readAhead), free: make(chan []byte, pieces),
		done: make(chan struct{})}
	for range cap(s.free) {
		s.free <- nil
	}
	go s.read(r, size)
	return s
}

// read runs until the stream ends or the context is done. Pieces grow to the given size, so that
// small files cost little.
func (s *stream) read(r io.Reader, size int) {
	defer close(s.done)
	for want := min(size, 16<<10); ; want = min(size, 2*want) {
		var buf []byte
		select {
		case buf = <-s.free:
		case <-s.ctx.Done():
			return
		}
		if cap(buf) < headroom+want {
			buf = make([]byte, headroom+want)
		}
		buf = buf[:headroom+want]
		var n int
		var err error
		if p := progress.Try(func() { n, err = fill(r, buf[headroom:]) }); p != nil {
			err = p // of what unpacks the text: nobody could recover it in this goroutine
		}
		text := buf[headroom : headroom+n]
		blank := n >= blankSize && jsonin.OnlyNuls(text)
		select {
		case s.chunks <- chunk{buf[:headroom+n], blank || bytes.IndexByte(text, 0) >= 0, blank, err}:
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

// blankSize is how large a piece of NUL bytes alone is that need not be looked at: one of them says
// as much. So a file that was grown by gigabytes of zeros is read as fast as the disk allows.
const blankSize = 64 << 10

// take makes c the current piece.
func (s *stream) take(c chunk) {
	s.release(s.piece)
	s.piece, s.rest, s.behind, s.err = c.piece, c.piece[headroom:], true, c.err
	if c.nul {
		s.nuls.Look(s.rest)
	} else {
		s.nuls.Pass(len(s.rest))
	}
	s.taken += int64(len(s.rest))
	if c.blank {
		s.piece, s.rest = s.piece[:headroom+1], s.rest[:1]
	}
}

// release gives a piece back to be read into.
func (s *stream) release(piece []byte) {
	if piece != nil {
		s.free <- piece
	}
}

// block takes the rest as one text with what came before it, and the piece that the text lies in,
// which must be released; nil if there is none.
func (s *stream) block(before []byte) (text, piece []byte) {
	rest := s.rest
	from := len(s.piece) - len(rest) - len(before)
	piece, s.piece, s.rest = s.piece, nil, nil
	if piece != nil && s.behind && from >= 0 {
		copy(piece[from:], before)
		return piece[from:], piece
	}
	s.release(piece)
	return append(bytes.Clone(before), rest...), nil
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
	s.behind = false
}
