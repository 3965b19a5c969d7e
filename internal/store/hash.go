package store

import (
	"context"
	"encoding/binary"
	"unsafe"
	"weak"

	"github.com/zeebo/xxh3"

	"diptych/internal/progress"
	"diptych/internal/trace"
)

// TraceHash returns a hash of a trace's content, the same whenever and from wherever it is read. It
// covers kind, unit and duration, functions, threads, and of each call its times, function and
// place, which determine its depth. It leaves out arguments, blocking marks, instants and
// counters, so that other rules for blocking functions do not change it; whoever stores a result
// that depends on those must add them to its key.
//
// It protects against chance, not against attacks. Machines of different byte order give different
// hashes.
func TraceHash(t *trace.Trace) [16]byte { return hashInPieces(t, hashPiece) }

// hashPiece is how many bytes of a column one processor hashes at a time. Hashes depend on it.
const hashPiece = 1 << 20

func hashInPieces(t *trace.Trace, piece int) [16]byte {
	var parts [][]byte
	var head []byte
	text := func(ss ...string) {
		for _, s := range ss {
			head = append(binary.AppendUvarint(head, uint64(len(s))), s...)
		}
	}
	text(string(t.Unit))
	head = append(head, byte(t.Kind))
	head = binary.AppendVarint(head, t.Duration)
	head = binary.AppendUvarint(head, uint64(len(t.Functions)))
	for i := range t.Functions {
		f := &t.Functions[i]
		text(f.Name, f.Package, f.File)
		head = append(binary.AppendVarint(head, int64(f.Line)), byte(f.Kind))
	}
	f := t.Form()
	for k, th := range t.Threads {
		text(th.ID, th.Name, th.Role)
		head = append(head, byte(th.Kind))
		head = binary.AppendUvarint(head, uint64(th.Len()))
		parts = cutPieces(parts, memoryOf(th.Fn), piece)
		x := &f.Threads[k]
		parts = cutPieces(parts, memoryOf(x.Base), piece)
		parts = cutPieces(parts, memoryOf(x.Spans), piece)
		parts = cutPieces(parts, memoryOf(x.Places), piece)
		parts = cutPieces(parts, memoryOf(x.Times), piece)
		parts = cutPieces(parts, memoryOf(x.LargePlaces), piece)
	}
	parts = cutPieces(parts, head, piece)
	sums := make([][16]byte, len(parts))
	// There is no error: this is never cancelled, and no call fails.
	_ = progress.Spread(context.Background(), len(parts), func(i int) error {
		sums[i] = xxh3.Hash128(parts[i]).Bytes()
		return nil
	})
	return xxh3.Hash128(memoryOf(sums)).Bytes()
}

// cutPieces appends the pieces of b to parts.
func cutPieces(parts [][]byte, b []byte, piece int) [][]byte {
	for len(b) > piece {
		parts, b = append(parts, b[:piece]), b[piece:]
	}
	return append(parts, b)
}

// memoryOf returns the memory of a column of numbers, or of structures of numbers.
func memoryOf[T any](column []T) []byte {
	if len(column) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&column[0])), len(column)*int(unsafe.Sizeof(column[0])))
}

// hashOf returns TraceHash, computed once for each trace, and zeros for nil.
func (s *Store) hashOf(t *trace.Trace) [16]byte {
	if t == nil {
		return [16]byte{}
	}
	s.hashing.Lock()
	defer s.hashing.Unlock()
	p := weak.Make(t)
	h, ok := s.hashes[p]
	if !ok {
		h = TraceHash(t)
		s.hashes[p] = h
	}
	return h
}
