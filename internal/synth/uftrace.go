package synth

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
)

const uftraceMagic = "Ftrace!\x00"

// uftraceSink writes a uftrace data directory (format version 4): a file of 16-byte records for
// each thread, and around them the symbols, the tasks, the mappings and the argument types
// (uftracehead.go).
//
// A record is its time and a word of type (2 bits: 0 entry, 1 exit), more (1: a payload follows),
// magic 5 (3), depth (10) and address (48). A payload is padded to 8 bytes.
type uftraceSink struct {
	tasks []*task
	prog  *program
	err   error
}

type task struct {
	file *os.File
	buf  []byte
}

const (
	uftraceBuffer = 1 << 16
	bootTime      = 1_000_000_000_000 // ns: what the monotonic clock said when the program started
)

func newUftraceSink(p *places, path string, s *side) (*uftraceSink, error) {
	dir, err := p.directory(path)
	if err != nil {
		return nil, err
	}
	threads := len(s.prog.threadNames())
	if err := writeUftraceHead(dir, s.names, s.prog, threads); err != nil {
		return nil, fmt.Errorf("writing %s: %w", path, err)
	}
	u := &uftraceSink{prog: s.prog}
	for t := range threads {
		f, err := os.Create(filepath.Join(dir, fmt.Sprintf("%d.dat", tid(t))))
		if err != nil {
			u.abandon()
			return nil, fmt.Errorf("writing %s: %w", path, err)
		}
		u.tasks = append(u.tasks, &task{file: f})
	}
	return u, nil
}

const (
	recordExit = 1
	recordMore = 1 << 2
	recordTag  = 5 << 3
)

func (u *uftraceSink) enter(thread, depth int, c *activation) {
	t := u.tasks[thread]
	o := opOf(c.fn)
	kind := uint64(recordTag)
	if o != plain {
		kind |= recordMore
	}
	t.record(c.start, kind, depth, u.prog.place(c.fn))
	if o != plain {
		u.arguments(t, o, c.object)
	}
	u.spill(t)
}

func (u *uftraceSink) leave(thread, depth int, c *activation, end int64) {
	t := u.tasks[thread]
	var kind uint64 = recordTag | recordExit
	fn := u.prog.place(c.fn)
	switch opOf(c.fn) {
	case opSemWait:
		t.record(end, kind|recordMore, depth, fn)
		t.words(0)
	case opOpen:
		t.record(end, kind|recordMore, depth, fn)
		t.words(uint64(descriptor(c.object)))
	case opRead, opWrite:
		t.record(end, kind|recordMore, depth, fn)
		t.words(ioLength)
	default:
		t.record(end, kind, depth, fn)
	}
	u.spill(t)
}

// cut writes the exit of the outermost call; those of the others are missing.
func (u *uftraceSink) cut(thread int, stack []activation, end int64) {
	u.leave(thread, 0, &stack[0], end)
}

// arguments appends what argumentTypes promises.
func (u *uftraceSink) arguments(t *task, o op, object uint32) {
	switch o {
	case opOpen: // a length, the string, padding to 4, the flags
		name := fileName(object)
		at := len(t.buf)
		t.buf = binary.LittleEndian.AppendUint16(t.buf, uint16(len(name)))
		t.buf = append(t.buf, name...)
		t.pad(at, 4)
		t.words(openFlags)
		t.pad(at, 8)
	case opRead, opWrite:
		at := len(t.buf)
		t.buf = binary.LittleEndian.AppendUint32(t.buf, descriptor(object))
		t.words(ioBuffer, ioLength)
		t.pad(at, 8)
	case opCreate:
		t.words(u.prog.objects.address(o, object), startAddr)
	case opFsync:
		t.words(uint64(descriptor(object)))
	case opCondWait, opCondTimed:
		t.words(u.prog.objects.address(o, object), u.prog.objects.address(o, mutexOf(object)))
	default:
		t.words(u.prog.objects.address(o, object))
	}
}

func (t *task) record(ns int64, kind uint64, depth, fn int) {
	t.words(uint64(ns)+bootTime, kind|uint64(depth&0x3ff)<<6|(imageBase+symbolAddress(fn))<<16)
}

func (t *task) words(words ...uint64) {
	for _, w := range words {
		t.buf = binary.LittleEndian.AppendUint64(t.buf, w)
	}
}

// pad fills up with zeros to a multiple of n from at.
func (t *task) pad(at, n int) {
	for (len(t.buf)-at)%n != 0 {
		t.buf = append(t.buf, 0)
	}
}

const largestRecord = 256

func (u *uftraceSink) spill(t *task) {
	if len(t.buf) > uftraceBuffer-largestRecord {
		u.flush(t)
	}
}

func (u *uftraceSink) flush(t *task) {
	if _, err := t.file.Write(t.buf); err != nil && u.err == nil {
		u.err = err
	}
	t.buf = t.buf[:0]
}

func (u *uftraceSink) failed() error { return u.err }

func (u *uftraceSink) close() error {
	for _, t := range u.tasks {
		u.flush(t)
		if err := t.file.Close(); err != nil && u.err == nil {
			u.err = err
		}
	}
	return u.err
}

func (u *uftraceSink) abandon() {
	for _, t := range u.tasks {
		t.file.Close()
	}
}
