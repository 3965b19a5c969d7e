package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/fnv"
	"os"
	"testing"

	"diptych/internal/fuzzall/seeds"
)

// FuzzUnpack checks that a value with a right checksum but wrong content gives errDamaged, or a
// value within the limit that can be packed again.
func FuzzUnpack(f *testing.F) {
	seeds.Add(f)
	for _, v := range [][]byte{value(1, 100), make([]byte, blockLen+5)} {
		packed, err := pack(ctx, key(1), v)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(packed[sumLen:])
	}
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, body []byte) {
		sum := checksum(key(1), body)
		v, err := unpack(ctx, key(1), append(sum[:], body...), 1<<16)
		if err != nil {
			if !errors.Is(err, errDamaged) {
				t.Errorf("%d bytes, %v", len(v), err)
			}
			return
		}
		packed, err := pack(ctx, key(1), v)
		if err != nil || len(v) > 16<<16 {
			t.Fatalf("%d bytes, %v", len(v), err)
		}
		if again, err := unpack(ctx, key(1), packed, 1<<16); err != nil || !bytes.Equal(again, v) {
			t.Errorf("%d bytes are %d, %v", len(v), len(again), err)
		}
	})
}

// FuzzFile checks that no file content ends the program or returns a wrong value, and that the
// store can be written afterwards. An input lists the bytes of a file that are not zero. The metas
// get right checksums, which no input would hit upon, so that what they say is tried as well.
func FuzzFile(f *testing.F) {
	seeds.Add(f)
	const small, large = 1, 4 // of which one lies in its bucket's page, the other in one of its own
	s := At(f.TempDir(), 1<<20)
	wants := map[int][]byte{small: value(small, 300), large: value(large, 2400)}
	for i, v := range wants {
		put(f, s, key(i), v)
	}
	whole, err := os.ReadFile(s.path())
	if err != nil {
		f.Fatal(err)
	}
	packed, err := pack(ctx, key(7), value(7, 10))
	if err != nil {
		f.Fatal(err)
	}
	if got := dense(sparse(whole)); !bytes.Equal(got, whole) {
		f.Fatalf("an input of %d bytes for %d", len(got), len(whole))
	}
	f.Add(sparse(whole))
	f.Add(sparse(whole[:3*pageSize]))
	f.Fuzz(func(t *testing.T, input []byte) {
		s := At(s.dir, s.limit) // the same directory each time: making one costs as much as the rest
		if err := os.WriteFile(s.path(), signed(dense(input)), 0o600); err != nil {
			t.Fatal(err)
		}
		if v, ok := s.Get(ctx, key(small)); ok && !bytes.Equal(v, wants[small]) {
			t.Error("the small value is wrong")
		}
		// Get would note once more that a value was used, which opens the file twice.
		if packed, _, err := s.fetchPacked(key(large)); err == nil {
			if v, err := unpack(ctx, key(large), packed, s.limit); err == nil && !bytes.Equal(v, wants[large]) {
				t.Error("the large value is wrong")
			}
		}
		if err := s.storePacked(ctx, key(7), packed); err != nil {
			t.Error(err)
		}
		if v, ok := s.Get(ctx, key(7)); !ok || !bytes.Equal(v, value(7, 10)) {
			t.Errorf("what was stored is there: %v", ok)
		}
	})
}

// A sparse file is a list of its runs of bytes that are not zero, each with its place: at u16 (in
// the file), n u8, the bytes. So most of what a mutation hits has a meaning, and no run moves
// because another changes its length.
const runHeader = 3

// sparse lists the runs of a file of at most 64 KiB, and its last byte.
func sparse(file []byte) (runs []byte) {
	last := len(file) - 1
	for at := 0; at <= last; at++ {
		if file[at] == 0 && at < last {
			continue
		}
		n := 1
		for n < 255 && at+n < last && file[at+n] != 0 {
			n++
		}
		runs = binary.LittleEndian.AppendUint16(runs, uint16(at))
		runs = append(append(runs, byte(n)), file[at:][:n]...)
		at += n - 1
	}
	return runs
}

// dense returns the file that runs describe.
func dense(runs []byte) (file []byte) {
	for len(runs) > runHeader {
		at, n := int(binary.LittleEndian.Uint16(runs)), int(runs[2])
		runs = runs[runHeader:]
		n = min(n, len(runs))
		file = append(file, make([]byte, max(at+n-len(file), 0))...)
		copy(file[at:], runs[:n])
		runs = runs[n:]
	}
	return file
}

// signed gives the metas of a file the checksums of their content.
func signed(file []byte) []byte {
	for at := 0; at < 2*pageSize && at+headerLen+metaLen <= len(file); at += pageSize {
		meta := file[at+headerLen:][:metaLen]
		sum := fnv.New64a()
		sum.Write(meta[:metaLen-8])
		order.PutUint64(meta[metaLen-8:], sum.Sum64())
	}
	return file
}
