// Package spill gives columns room outside of the heap: in a file without a name that is mapped
// into memory. The system writes its pages to the disk where it needs the memory, and reads them
// again when they are looked at, so a trace may be larger than the machine's memory:
//
//	f := spill.New(0)
//	starts := spill.Make[int64](f, n) // as make([]int64, n), on the heap if the file has no room
//	spill.Free(f, starts)             // what only lay there for a while
//
// The file takes what it needs from the disk when room is asked for, never later, since a page that
// the disk has no room for would end the process when it is written. It is mapped as long as the
// process lives, as columns over it may be held by anybody and the collector does not see them; it
// vanishes with the process, however that ends.
//
// The package knows nothing of what it holds. Where files cannot be mapped, all is on the heap.
package spill

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"unsafe"
)

const (
	least     = 256      // bytes: what is smaller is made on the heap
	fine      = 64       // small pieces begin at multiples of so many bytes
	page      = 4 << 10  // larger ones at multiples of a page
	large     = 64 << 10 // pieces of so many bytes give their pages back once they are free
	firstArea = 4 << 20  // of the file, what is mapped at once; later areas grow with it
	mostArea  = 1 << 30
	growth    = 4 // an area is that part of what there is
)

// File is room for columns. Several goroutines may use it at once. A nil File has no room.
type File struct {
	mu    sync.Mutex
	dir   string
	most  int64 // bytes it may have
	file  *os.File
	size  int64            // bytes it has
	left  []byte           // of the last area
	areas [][]byte         // all that is mapped
	free  map[int][][]byte // pieces that are not used, by size
	err   error            // why it has no more room
}

var errFull = errors.New("the disk has too little room")

// New returns a file that takes at most so many bytes, or if that is 0, half of what the disk has
// free. Nothing is touched before its first use. It lies in the directory of $TMPDIR, or in
// /var/tmp where there is one, as /tmp often is memory. It is nil where files cannot be mapped.
func New(most int64) *File {
	if !Supported {
		return nil
	}
	return &File{dir: directory(), most: most}
}

func directory() string {
	if dir := os.Getenv("TMPDIR"); dir != "" {
		return dir
	}
	if st, err := os.Stat(persistent); err == nil && st.IsDir() {
		return persistent
	}
	return os.TempDir()
}

const persistent = "/var/tmp"

// Make returns n zero values, in the file if it has room. T must not hold pointers.
func Make[T any](f *File, n int) []T {
	var one T
	if b := f.take(n * int(unsafe.Sizeof(one))); b != nil {
		return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), n)
	}
	return make([]T, n)
}

// Free gives back a slice that Make returned, or a part of one that begins at a multiple of 4 KiB
// and ends with it or at such a multiple. Nobody may look at it any more. A slice on the heap is
// left to the collector.
func Free[T any](f *File, s []T) {
	if f == nil || cap(s) == 0 {
		return
	}
	s = s[:cap(s)]
	f.give(unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), cap(s)*int(unsafe.Sizeof(s[0]))))
}

// Size returns how many bytes the file has.
func (f *File) Size() int64 {
	if f == nil {
		return 0
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.size
}

// rounded returns how many bytes a piece of n takes.
func rounded(n int) int {
	unit := fine
	if n >= page {
		unit = page
	}
	return (n + unit - 1) / unit * unit
}

// take returns n bytes that are zero, or nil.
func (f *File) take(n int) []byte {
	if f == nil || n < least {
		return nil
	}
	n = rounded(n)
	f.mu.Lock()
	defer f.mu.Unlock()
	if same := f.free[n]; len(same) > 0 {
		last := len(same) - 1
		b := same[last]
		f.free[n] = same[:last]
		clear(b)
		return b
	}
	if f.align(n); n > len(f.left) && !f.grow(n) {
		return nil
	}
	b := f.left[:n:n]
	f.left = f.left[n:]
	return b
}

// align leaves out what lies before the next page, if a piece of n bytes begins on one.
func (f *File) align(n int) {
	if n < page || len(f.left) == 0 {
		return
	}
	skip := (page - int(uintptr(unsafe.Pointer(&f.left[0]))%page)) % page
	f.left = f.left[min(skip, len(f.left)):]
}

// grow maps an area of at least n bytes.
func (f *File) grow(n int) bool {
	if f.err != nil {
		return false
	}
	area := min(max(firstArea, f.size/growth), mostArea)
	area = (max(area, int64(n)) + page - 1) / page * page
	if f.file == nil {
		f.open()
	}
	if f.err == nil && area > f.most-f.size {
		f.fail(errFull)
	}
	if f.err != nil {
		return false
	}
	b, err := extend(f.file, f.size, int(area))
	if err != nil {
		f.fail(err)
		return false
	}
	f.size += area
	f.left = b
	f.areas = append(f.areas, b)
	return true
}

func (f *File) open() {
	f.free = map[int][][]byte{}
	if f.most == 0 {
		f.most = room(f.dir) / 2
	}
	file, err := Nameless(f.dir)
	if err != nil {
		f.fail(err)
		return
	}
	f.file = file
}

// fail notes why there is no more room: the directory and the reason. The name of a temporary file,
// which is made by chance, says nothing.
func (f *File) fail(err error) {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		err = path.Err
	}
	f.err = fmt.Errorf("%s: %w", f.dir, err)
}

// Err returns why the file has no more room, or nil if nothing was asked for in vain.
func (f *File) Err() error {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// give takes back a piece. The pages of a large one are given back to the disk, so that it is not
// written to; it is not used again.
func (f *File) give(b []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !slices.ContainsFunc(f.areas, func(area []byte) bool { return within(area, b) }) {
		return
	}
	b = unsafe.Slice(&b[0], rounded(len(b)))
	if len(b) < large || forget(b) != nil {
		f.free[len(b)] = append(f.free[len(b)], b)
	}
}

func within(area, b []byte) bool {
	at, from := uintptr(unsafe.Pointer(&b[0])), uintptr(unsafe.Pointer(&area[0]))
	return at >= from && at-from < uintptr(len(area))
}

// unnamed makes a temporary file and removes its name.
func unnamed(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, "diptych-*")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
