package store

import (
	"context"
	"encoding/binary"
	"unsafe"
	"weak"

	"github.com/zeebo/xxh3"

	"diptych/internal/trace"
)

// TraceHash returns a hash of what a trace holds, wherever and whenever it was read from: its kind,
// unit and duration, functions, threads and the columns start, end, function and size, which determine
// parent and depth. Arguments, blocking marks, instants and counters are not in it, so that rules
// for blocking functions do not change it: the key of what is computed from those needs them too.
//
// It guards against chance, not malice. Machines of different byte order disagree about it.
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
	for _, th := range t.Threads {
		text(th.ID, th.Name, th.Role)
		head = append(head, byte(th.Kind))
		head = binary.AppendUvarint(head, uint64(th.Len()))
		parts = cut(parts, raw(th.Start), piece)
		parts = cut(parts, raw(th.End), piece)
		parts = cut(parts, raw(th.Fn), piece)
		parts = cut(parts, raw(th.Size), piece)
	}
	parts = cut(parts, head, piece)
	sums := make([][16]byte, len(parts))
	// What cannot be cancelled and never fails has no error.
	_ = each(context.Background(), len(parts), func(i int) error {
		sums[i] = xxh3.Hash128(parts[i]).Bytes()
		return nil
	})
	return xxh3.Hash128(raw(sums)).Bytes()
}

// cut appends the pieces of b to parts.
func cut(parts [][]byte, b []byte, piece int) [][]byte {
	for len(b) > piece {
		parts, b = append(parts, b[:piece]), b[piece:]
	}
	return append(parts, b)
}

// raw returns the memory of a column of numbers.
func raw[T int64 | uint32 | trace.FuncID | [16]byte](column []T) []byte {
	if len(column) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&column[0])), len(column)*int(unsafe.Sizeof(column[0])))
}

// hash returns TraceHash, computed once for each trace, and zeros for nil.
func (s *Store) hash(t *trace.Trace) [16]byte {
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
