package input

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
)

// Open opens the input at path: a directory as it is, a file without its compression, an archive as
// the directory that it holds. The path Standard stands for standard input. All that is read from
// the source is limited by o.Memory, and ends with ctx. An archive is kept on disk only if known
// says that what it holds so far is a recording.
func Open(ctx context.Context, path string, o Options, known func(*Source) bool) (*Source, error) {
	if o.Progress == nil {
		o.Progress = func(done, total int64) {}
	}
	s := &Source{Path: Name(path), path: path, budget: newBudget(ctx, Name(path), o.Memory),
		unpacking: stage{0, 1}, left: stage{0, 1}}
	st, err := stat(path)
	if err != nil {
		return nil, cannotOpen(s.Path, err)
	}
	if st.IsDir() && path != Standard {
		return s, s.openDir(o.Progress, o.Listing)
	}
	s.Size, s.progress, s.watch, s.waiting = st.Size(), o.Progress, o.Watch, o.Waiting
	if st.Mode().IsRegular() && path != Standard { // standard input is read once, from where it is
		s.again = s.reopen
	}
	if err := s.openStream(); err != nil {
		s.Close()
		return nil, err
	}
	return s.openArchive(known)
}

// openArchive returns what is to be read of a source that may be an archive. An archive without a
// recording is returned as the directory that it is.
func (s *Source) openArchive(known func(*Source) bool) (*Source, error) {
	if !isTar(s.Head) && !isZip(s.Head) {
		return s, nil
	}
	err := s.index(known)
	if err == nil {
		var in *Source
		if in, err = s.enter(known, 1); err == nil {
			return in, nil
		}
		if errors.Is(err, errNothing) {
			if s.Damage == nil {
				s.Damage = s.unread
			}
			return s, nil
		}
	}
	s.Close()
	return nil, err
}

// Close frees what Open took.
func (s *Source) Close() {
	for _, c := range slices.Backward(s.closers) {
		c()
	}
	s.closers = nil
}

// Interrupt ends a read of a pipe that is under way, as if the load was cancelled. So a loader that
// fails can wait for a goroutine of its own that reads, before the source is closed.
func (s *Source) Interrupt() {
	if s.file != nil {
		interrupt(s.file)
	}
}

// Broken returns what ended reading for good: a limit, or a member that cannot be read at all. A
// loader may have taken it for the end of one file.
func (s *Source) Broken() error {
	if s.budget == nil || !s.budget.fails.Load() {
		return nil
	}
	return s.budget.err()
}

// Drain reads what a loader left of a compressed stream, so that its checksum is checked.
func (s *Source) Drain() error {
	if !s.packed || s.Stream == nil || s.unpacked.failed.Load() {
		return nil // the loader has met what is wrong
	}
	if _, err := io.Copy(io.Discard, s.Stream); err != nil {
		s.Damage = s.Fail("damaged after the last record", err)
	}
	return s.budget.err()
}

// ReadAll returns all of the stream, for formats that cannot be read piece by piece.
func (s *Source) ReadAll() ([]byte, error) {
	b := s.budget
	if b == nil { // a source made by hand
		b = newBudget(context.Background(), s.Path, 0)
	}
	return readAll(s.Stream, b, s.Path)
}

// Unpack limits what r unpacks to, a part of the stream of that many bytes as stored that is
// compressed by itself. What exceeds the limit ends the load.
func (s *Source) Unpack(r io.Reader, stored int64) io.Reader {
	b := s.budget
	if b == nil { // a source made by hand
		b = newBudget(context.Background(), s.Path, 0)
	}
	return &reader{from: r, budget: b, file: s.Path, most: b.unpackedMost(stored)}
}

// openStream opens the file from its start and looks through its compression.
func (s *Source) openStream() error {
	f, closeFile, err := openFile(s.budget.ctx, s.path, s.waiting)
	if err != nil {
		return err
	}
	s.file = f
	s.closers = append(s.closers, closeFile)
	stored := io.Reader(f)
	if s.again != nil {
		stored = upTo(s.Size, f)
	}
	s.stored = &reader{from: stored, budget: s.budget, file: s.Path, most: -1}
	return s.openReader(bufio.NewReaderSize(s.stored, 256<<10))
}

// openReader makes what r gives, a file as it is stored, the source's stream.
func (s *Source) openReader(r *bufio.Reader) error {
	stream, err := s.unpack(r)
	if err != nil {
		if broken := s.budget.err(); broken != nil {
			return broken
		}
		return &FormatError{File: s.Path, Reason: "cannot unpack", Err: err}
	}
	if !s.packed && s.stored != nil {
		stream = &past{r, s.stored}
	}
	unpacked := &reader{from: stream, budget: s.budget, file: s.Path, most: -1}
	if s.packed {
		unpacked.most = s.budget.unpackedMost(s.Size)
	}
	s.unpacked = unpacked
	buffered := bufio.NewReaderSize(unpacked, HeadSize)
	head, err := buffered.Peek(HeadSize)
	if err != nil && len(head) == 0 {
		if broken := s.budget.err(); broken != nil {
			return broken
		}
		return empty(s.Path, err)
	}
	if s.stored != nil { // from here on: the head may show an archive, which is read otherwise
		unpacked.report = func(int64) {
			s.tell(s.unpacking, s.stored.n.Load()-int64(r.Buffered()), s.Size)
		}
	}
	s.Head, s.Stream = bytes.Clone(head), buffered
	s.Unpacked = func() int64 { return unpacked.n.Load() - int64(buffered.Buffered()) }
	return nil
}

// past reads what a buffer holds, and then past it, so that what is read of a file in large pieces
// is not copied once more. An error that the buffer has met is met again.
type past struct {
	buffer *bufio.Reader
	file   io.Reader
}

func (r *past) Read(p []byte) (int, error) {
	if r.buffer.Buffered() > 0 {
		return r.buffer.Read(p)
	}
	return r.file.Read(p)
}

const emptyFile = "the file is empty"

// isEmpty reports whether an error says that a file is empty.
func isEmpty(err error) bool {
	var f *FormatError
	return errors.As(err, &f) && f.Reason == emptyFile
}

func empty(path string, err error) error {
	if errors.Is(err, io.EOF) {
		return &FormatError{File: path, Offset: 0, Reason: emptyFile}
	}
	return &FormatError{File: path, Offset: 0, Reason: "cannot read", Err: cause(err)}
}
