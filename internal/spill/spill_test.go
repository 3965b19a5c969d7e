package spill

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

// inFile reports whether a slice lies in a file.
func inFile[T any](f *File, s []T) bool {
	b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), 1)
	for _, area := range f.areas {
		if within(area, b) {
			return true
		}
	}
	return false
}

func mapped(t interface{ Skip(...any) }, f *File) {
	if f == nil || !inFile(f, Make[byte](f, page)) {
		t.Skip("files cannot be mapped here")
	}
}

// piece is a column that a test holds: all of its values are stamp.
type piece struct {
	stamp uint32
	all   []uint32
}

// TestPieces makes pieces and gives them back, whole or in parts, in any order: what is made is
// zero, and no two pieces overlap.
func TestPieces(t *testing.T) {
	mapped(t, New(0))
	rapid.Check(t, func(t *rapid.T) {
		f := New(0)
		defer func() { f.file.Close() }()
		var held []piece
		for stamp := range uint32(rapid.IntRange(1, 60).Draw(t, "steps")) {
			if k := rapid.IntRange(-8, 8).Draw(t, "give"); k >= 0 && k < len(held) {
				Free(f, held[k].all)
				held = append(held[:k], held[k+1:]...)
				continue
			}
			n := rapid.SampledFrom([]int{1, 70, 300, 1024, 5000, 20_000, 400_000}).Draw(t, "n")
			p := piece{stamp + 1, Make[uint32](f, n)}
			for i, v := range p.all {
				if v != 0 {
					t.Fatalf("%d of %d is %d", i, n, v)
				}
				p.all[i] = p.stamp
			}
			if cut := n / 2 * 4 / page * page / 4; cut > 0 && rapid.Bool().Draw(t, "cut") {
				held = append(held, piece{p.stamp, p.all[:cut:cut]}, piece{p.stamp, p.all[cut:]})
			} else {
				held = append(held, p)
			}
		}
		for _, p := range held {
			for i, v := range p.all {
				if v != p.stamp {
					t.Fatalf("%d of %d: %d, want %d", i, len(p.all), v, p.stamp)
				}
			}
		}
	})
}

// TestFull: what has no room in the file is on the heap, as is all without a file, and small pieces.
func TestFull(t *testing.T) {
	f := New(firstArea)
	mapped(t, f)
	if s := Make[int64](f, firstArea/8); inFile(f, s) || len(s) != firstArea/8 || f.Size() > firstArea {
		t.Errorf("%d values in %d bytes", len(s), f.Size())
	}
	if err := f.Err(); !errors.Is(err, errFull) || !strings.HasPrefix(err.Error(), directory()+": ") {
		t.Errorf("it is full, and says %v", err)
	}
	if inFile(f, Make[byte](f, least-1)) {
		t.Error("a few bytes in the file")
	}
	var none *File
	s := Make[int64](none, 100_000)
	Free(none, s)
	Free(f, s)
	if s[0] = 1; len(s) != 100_000 || none.Size() != 0 || none.Err() != nil {
		t.Error("no file")
	}
}

// TestNoDirectory: where no file can be made, all is on the heap.
func TestNoDirectory(t *testing.T) {
	dir := t.TempDir() + "/none"
	t.Setenv("TMPDIR", dir)
	f := New(0)
	if f != nil && f.Err() != nil {
		t.Errorf("before its first use it says %v", f.Err())
	}
	if s := Make[int64](f, 100_000); len(s) != 100_000 || f != nil && len(f.areas) > 0 {
		t.Error("made in no directory")
	}
	if err := f.Err(); f != nil && (!errors.Is(err, fs.ErrNotExist) ||
		!strings.HasPrefix(err.Error(), dir+": ") || strings.Contains(err.Error(), "diptych-")) {
		t.Errorf("it says %v", err)
	}
}

// TestNothingLeft: the file has no name.
func TestNothingLeft(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	f := New(0)
	mapped(t, f)
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
}

// TestAtOnce has several goroutines share a file.
func TestAtOnce(t *testing.T) {
	f := New(0)
	mapped(t, f)
	var work sync.WaitGroup
	for k := range 8 {
		work.Go(func() {
			for i := range 200 {
				s := Make[uint32](f, 100+i*37)
				for j := range s {
					s[j] += uint32(k + 1)
				}
				for _, v := range s {
					if v != uint32(k+1) {
						t.Errorf("%d, want %d", v, k+1)
						return
					}
				}
				Free(f, s)
			}
		})
	}
	work.Wait()
}
