package input

import (
	"bufio"
	"bytes"
	"io"
	"os"

	"diptych/internal/spill"
)

// spool holds the members of a compressed archive. As far as an unknown archive may take memory,
// they are kept there. Then, if they show that this is a recording, they move to a file without a
// name, which vanishes with the process, and so do all that follow. As long as they do not, large
// members are refused and only small ones kept, which tell what an archive is:
//
//	1.dat (2 GB)  refused, as nothing is known of the archive
//	info          kept; with it the archive is known, and it is unpacked once more from its start
//
// A large member that is a recording by itself is kept, too.
type spool struct {
	source   *Source
	mem      bytes.Buffer
	inMemory int64       // bytes that may be in mem; as much again for small members
	known    func() bool // whether what is held shows a recording that is a directory
	// shows reports whether a file with such a beginning is a recording, and found whether one of
	// those that are held is.
	shows   func(head []byte) bool
	found   func() bool
	refused bool
	asked   int      // how often known was of interest
	file    *os.File // nil as long as all is in mem
	n       int64    // bytes in the file
}

const (
	smallMember = 64 << 10
	// mostPeeked is how much of a large member is looked at: a block of bzip2 is that large at
	// most.
	mostPeeked = 1 << 20
)

func (h *spool) hold(r io.Reader, n int64, holes bool) (span, bool, error) {
	if h.file == nil && int64(h.mem.Len())+n > h.inMemory {
		h.asked++
		known := h.asked&(h.asked-1) == 0 && h.known() // ever more rarely: it looks at all members
		switch {
		case known && h.refused:
			return span{}, false, errRefused
		case known:
			if err := h.spill(); err != nil {
				return span{}, false, err
			}
		case n <= smallMember && int64(h.mem.Len())+n > 2*h.inMemory:
			if !h.found() {
				return span{}, false, h.unknown()
			}
			return span{}, false, nil
		case n > smallMember:
			large := bufio.NewReaderSize(r, mostPeeked)
			r = large
			if head, _ := large.Peek(mostPeeked); !h.shows(head) {
				h.refused = true
				return span{}, false, nil
			}
			if err := h.spill(); err != nil {
				return span{}, false, err
			}
		}
	}
	if h.file == nil {
		at := int64(h.mem.Len())
		got, err := h.mem.ReadFrom(r)
		return span{at: at, size: got}, true, err
	}
	b := h.source.budget
	// What is in the stream is limited there, whatever a header states.
	if most := b.unpackedMost(h.source.Size); holes && n > most-h.n {
		return span{}, false, b.over(h.source.Path, "it unpacks to more than %v", Memory(most))
	}
	at := h.n
	got, err := io.Copy(writeErrors{h.file}, r)
	h.n += got
	return span{at: at, size: got}, true, err
}

// unknown is the error for an archive of which all that may be looked at shows no recording.
func (h *spool) unknown() error {
	return h.source.budget.over(h.source.Path, "this archive shows no recording in its first %v",
		Memory(h.inMemory))
}

// spill moves what is held to a file.
func (h *spool) spill() error {
	f, err := spill.Nameless(os.TempDir())
	if err != nil {
		return &writeError{err}
	}
	h.file = f
	if h.n, err = h.mem.WriteTo(f); err != nil {
		return &writeError{err}
	}
	h.mem = bytes.Buffer{}
	return nil
}

func (h *spool) data() io.ReaderAt {
	if h.file != nil {
		return h.file
	}
	return bytes.NewReader(h.mem.Bytes())
}

func (h *spool) close() {
	if h.file != nil {
		h.file.Close()
	}
}

// writeError is a failure to keep a member, as against one to read it.
type writeError struct{ error }

func (e *writeError) Unwrap() error { return e.error }

// writeErrors marks the errors of a writer, which io.Copy returns like the reader's.
type writeErrors struct{ io.Writer }

func (w writeErrors) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if err != nil {
		err = &writeError{err}
	}
	return n, err
}
