package tracefile

import (
	"encoding/binary"
	"io"
	"unsafe"

	"github.com/zeebo/xxh3"

	"diptych/internal/trace"
)

// A file is, all numbers in the byte order of the machine:
//
//	columns    one after the other, each aligned to 8 bytes, long ones to a page
//	texts      of all names, one after the other
//	outline    everything else as a row of numbers: see outline.go
//	sums       xxh3 of each MiB of all that, u64
//	preview    of a large trace, what can be seen of it from afar: a file like this in itself
//	trailer    what this is and where all of it lies: see below
//
// Everything before the sums is covered by them, and what follows by a last one. So the file is
// written from its start to its end, and any change of a byte is found. The preview has its own
// sums, so that it can be shown before all of the file is read.
type trailer struct {
	magic   uint64
	version uint32
	machine uint32 // layout of numbers and structures in memory
	texts   uint64 // where they begin
	outline uint64 // where it begins
	end     uint64 // where it ends and the sums begin
	preview uint64 // where it begins and the sums end; where the trailer begins if there is none
	length  uint64 // of the file
	sum     uint64 // xxh3 of the sums, the preview and the trailer up to here
}

const (
	magic = 0x6563617274_706964 // "diptrace" in memory, little-endian

	// Version is raised when the form of files or the meaning of a column changes.
	Version = 10

	block     = 1 << 20 // bytes that share a sum
	pageSize  = 4096
	longBytes = 1 << 20 // a column of so many bytes begins on a page
	alignment = 8

	trailerLen = int(unsafe.Sizeof(trailer{}))
)

// machine describes the layout of columns in memory: the byte order and the sizes of structures.
func machine() uint32 {
	order := []byte{1, 2}
	n := uint32(binary.NativeEndian.Uint16(order))
	for _, size := range []uintptr{unsafe.Sizeof(trace.Instant{}), unsafe.Sizeof(trace.Link{}),
		unsafe.Sizeof(trace.Correspondence{}), unsafe.Sizeof(trace.CallCount{}),
		unsafe.Offsetof(trace.Link{}.Part), unsafe.Sizeof(uint(0))} {
		n = n*31 + uint32(size)
	}
	return n
}

// writer writes the parts of a file and sums them up.
type writer struct {
	to   io.Writer
	dry  bool   // nothing is written, only places are found
	n    uint64 // bytes so far
	hash xxh3.Hasher
	part int // bytes of the block that is being hashed
	sums []uint64
	err  error
}

func (w *writer) write(b []byte) {
	if w.dry {
		w.n += uint64(len(b))
		return
	}
	for len(b) > 0 && w.err == nil {
		n := min(block-w.part, len(b))
		_, _ = w.hash.Write(b[:n]) // never fails
		_, w.err = w.to.Write(b[:n])
		w.part += n
		w.n += uint64(n)
		b = b[n:]
		if w.part == block {
			w.closeBlock()
		}
	}
}

func (w *writer) closeBlock() {
	if w.part > 0 {
		w.sums = append(w.sums, w.hash.Sum64())
		w.hash.Reset()
		w.part = 0
	}
}

var zeros [pageSize]byte

// align writes zeros up to a multiple of n.
func (w *writer) align(n uint64) { w.write(zeros[:(n-w.n%n)%n]) }

// put writes a column and returns where it begins.
func (w *writer) put(column []byte) (at uint64) {
	w.align(alignment)
	if len(column) >= longBytes {
		w.align(pageSize)
	}
	at = w.n
	w.write(column)
	return at
}

// writeTrace writes a trace and, beside it, a note: a few bytes that readTrace returns.
func writeTrace(to io.Writer, tr *trace.Trace, note []byte) error {
	ahead, err := previewOf(tr)
	if err != nil {
		return err
	}
	return writeWith(to, tr, note, ahead)
}

// writeWith is writeTrace with a preview that is made already.
func writeWith(to io.Writer, tr *trace.Trace, note, ahead []byte) error {
	w := &writer{to: to}
	o := outlineOf(w, tr.Form())
	o.bytes(note)
	t := trailer{magic: magic, version: Version, machine: machine()}
	t.texts = w.put(o.text)
	t.outline = w.put(memoryOf(o.numbers))
	t.end = w.n
	w.closeBlock()
	sums := memoryOf(w.sums)
	t.preview = w.n + uint64(len(sums))
	t.length = t.preview + uint64(len(ahead)+trailerLen)
	last := memoryOf([]trailer{t})
	h := xxh3.New()
	_, _ = h.Write(sums)
	_, _ = h.Write(ahead)
	_, _ = h.Write(last[:trailerLen-8])
	t.sum = h.Sum64()
	if w.err == nil {
		_, w.err = to.Write(sums)
	}
	if w.err == nil {
		_, w.err = to.Write(ahead)
	}
	if w.err == nil {
		_, w.err = to.Write(memoryOf([]trailer{t}))
	}
	return w.err
}
