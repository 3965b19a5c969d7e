// Package input is what all loaders share: where bytes come from (a file, a directory or an
// archive, optionally compressed), how much may be read (budget.go), how far reading has got, and
// how a broken input is reported. It knows no trace format.
package input

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync/atomic"

	"diptych/internal/progress"
	"diptych/internal/trace"
)

// FormatError says that an input cannot be read and where: file, byte offset in the unpacked stream
// (−1 if it has no meaning), and why.
type FormatError struct {
	File   string
	Offset int64
	Reason string
	Err    error // the cause, if another error was
}

func (e *FormatError) Error() string {
	s := e.File
	if e.Offset >= 0 {
		s = fmt.Sprintf("%s:%d", s, e.Offset)
	}
	s += ": " + e.Reason
	if e.Err != nil && e.Err != ErrUnknownFormat { // which the reason says in more words
		s += ": " + trace.PlainError(e.Err)
	}
	return s
}

func (e *FormatError) Unwrap() error { return e.Err }

// ErrUnknownFormat says that no loader recognises an input.
var ErrUnknownFormat = errors.New("unknown trace format")

// Options steer loading.
type Options struct {
	// Progress, which may be nil, is told how many of the input's bytes, as stored, have been taken
	// by the loader. It may be called from any goroutine, also by several at once, and must return
	// quickly.
	Progress   progress.Func
	SampleType string // the sample type, event or unit to show; "" for the file's own choice
	Format     string // that the trace is read as; "" for what its content says
	Trace      string // id, or its beginning, of the distributed trace to show; "" for the longest
	RulesFile  string // further classification rules for blocking functions; "" for none
	// Memory is how much memory the program may hold while it loads; budget.go derives all limits
	// from it. Zero stands for 60 % of what the machine has.
	Memory Memory
	// Watch, which may be nil, is told of each further file or directory that the trace depends on,
	// before it is looked at, whether it is there or not. Goroutines may call it at once.
	Watch func(path string)
	// Waiting, which may be nil, is told of a named pipe that has had no writer for a while. It is
	// called while Open waits.
	Waiting func(path string)
	// Listing is what List found at the path; nil if nobody has looked.
	Listing *Listing
	// Outline, which may be nil, follows the trace while it is loaded.
	Outline *trace.Outline
}

// HeadSize is how much of a stream loaders may look at to recognise it. A head of that size may be
// cut anywhere.
const HeadSize = 64 << 10

// Source is one opened input. Exactly one of Stream and Dir is set.
type Source struct {
	Path   string    // as messages name it
	path   string    // as the user named it: Path, or Standard
	Stream io.Reader // the unpacked bytes of a file, from the start
	Dir    fs.FS     // the files of a directory or of an archive of one
	Head   []byte    // the first bytes of Stream, not consumed
	Size   int64     // bytes as stored, for progress

	// Damage tells how an archive or a compressed stream ended too early, or that a part of it
	// cannot be used; the rest is in Dir or Stream.
	Damage error

	Terse   bool // the format says much with few bytes; see Afford
	Counted bool // the loader counts all that it holds

	// Beside names the other files of an archive of which Stream or Dir is one.
	Beside []string

	// Unpacked counts what has been read from Stream, and so gives error offsets.
	Unpacked func() int64

	budget   *budget
	progress progress.Func
	watch    func(path string)
	waiting  func(path string)
	file     *os.File // what Stream or Dir reads, if it is one file
	stored   *reader  // of the file; nil for a member of an archive
	packed   bool     // the file is compressed
	unpacked *reader  // of Stream
	badSum   atomic.Pointer[error]
	archive  *archive     // of Dir, if it is one
	unread   error        // why the first of its members that cannot be read could not be
	again    func() error // opens the stream once more from its start; nil for a pipe
	closers  []func()
	// unpacking is the stage of the load in which file is read, and left what is left of the load.
	unpacking, left stage
}

// Fail makes a FormatError at the current position.
func (s *Source) Fail(reason string, err error) error {
	at := int64(-1)
	if s.Unpacked != nil {
		at = s.Unpacked()
	}
	return &FormatError{File: s.Path, Offset: at, Reason: reason, Err: err}
}

// BadSum returns what is wrong with a compressed stream whose checksum does not fit what was
// unpacked, or nil. It is certain after Drain.
func (s *Source) BadSum() error {
	if e := s.badSum.Load(); e != nil {
		return *e
	}
	return nil
}

func (s *Source) noteBadSum(err error) {
	err = &FormatError{File: s.Path, Offset: -1,
		Reason: "the compressed data is not what was written", Err: err}
	s.badSum.CompareAndSwap(nil, &err)
}
