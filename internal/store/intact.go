package store

import (
	"encoding/binary"
	"hash/fnv"
	"io"
	"os"
)

// bbolt trusts its file. If page numbers form a circle, it recurses until the stack overflows; if
// the length of the free list is wrong, it may allocate all memory. A program cannot recover from
// either. So before bbolt opens the file, its structure is checked, with plain reads, which cannot
// fault: every page lies in the file, has its own number, is used once or free, and contains the
// elements it lists. Values are not read, so this costs one read for every few of their pieces.
//
// The layout (bbolt's internal/common): pages of pageSize. Pages 0 and 1 are metas, of which the
// one written later counts. A page has a header {id u64, flags u16, count u16, overflow u32}, where
// overflow is the number of further pages that belong to it, and count elements:
//
//	branch  {pos, ksize u32, page u64}
//	leaf    {flags, pos, ksize, vsize u32}
//
// Key and value begin pos bytes after the start of their element. A leaf element with flag 1 is a
// bucket: its value begins {root u64, sequence u64}, and if root is 0, the bucket's only page
// follows. The list of free pages is page numbers. Everything is in the machine's byte order.
const (
	headerLen, elementLen = 16, 16
	bucketLen             = 16
	metaLen               = 64 // from magic to checksum

	branchPage, leafPage, freePage = 1, 2, 16
	bucketFlag                     = 1

	magic, layoutVersion = 0xED0CDAED, 2
)

var order = binary.NativeEndian

// skeleton is a walk through the structure of a file.
type skeleton struct {
	file io.ReaderAt
	used []bool // by page
	next []uint64
}

// intact returns errDamaged if the file's pages do not fit together.
func intact(file *os.File) error {
	stat, err := file.Stat()
	if err != nil {
		return damage("%v", err)
	}
	root, free, pages, err := readMeta(file)
	if err != nil {
		return err
	}
	if pages < 2 || pages > uint64(stat.Size())/pageSize {
		return damage("%d bytes for %d pages", stat.Size(), pages)
	}
	s := skeleton{file: file, used: make([]bool, pages), next: []uint64{root}}
	s.used[0], s.used[1] = true, true
	for len(s.next) > 0 {
		id := s.next[len(s.next)-1]
		s.next = s.next[:len(s.next)-1]
		if err := s.checkPage(id); err != nil {
			return err
		}
	}
	return s.checkFreeList(free)
}

// readMeta returns what the valid meta page that was written later says.
func readMeta(file io.ReaderAt) (root, free, pages uint64, err error) {
	err = damage("no meta page")
	latest := uint64(0)
	for id := range int64(2) {
		var b [metaLen]byte
		if _, e := file.ReadAt(b[:], id*pageSize+headerLen); e != nil {
			return 0, 0, 0, damage("meta page %d: %v", id, e)
		}
		sum := fnv.New64a()
		sum.Write(b[:metaLen-8])
		txid := order.Uint64(b[48:])
		if order.Uint32(b[0:]) != magic || order.Uint32(b[4:]) != layoutVersion ||
			order.Uint32(b[8:]) != pageSize || order.Uint64(b[56:]) != sum.Sum64() ||
			err == nil && txid < latest {
			continue
		}
		root, free, pages, latest = order.Uint64(b[16:]), order.Uint64(b[32:]), order.Uint64(b[40:]), txid
		err = nil
	}
	return root, free, pages, err
}

// claimPages marks n pages as used. It fails if one is used already.
func (s *skeleton) claimPages(id, n uint64) error {
	if id >= uint64(len(s.used)) || n > uint64(len(s.used))-id {
		return damage("page %d of %d", id, len(s.used))
	}
	for k := id; k < id+n; k++ {
		if s.used[k] {
			return damage("page %d has two uses", k)
		}
		s.used[k] = true
	}
	return nil
}

// claimHeader reads the header of a page and claims the page. It returns the page's flags, its
// number of elements and its length in bytes.
func (s *skeleton) claimHeader(id uint64) (flags, count uint16, length int64, err error) {
	var h [headerLen]byte
	if id >= uint64(len(s.used)) {
		return 0, 0, 0, damage("page %d of %d", id, len(s.used))
	}
	if err := s.readAt(h[:], id, 0); err != nil {
		return 0, 0, 0, err
	}
	if order.Uint64(h[0:]) != id {
		return 0, 0, 0, damage("page %d is not itself", id)
	}
	n := 1 + uint64(order.Uint32(h[12:]))
	return order.Uint16(h[8:]), order.Uint16(h[10:]), int64(n) * pageSize, s.claimPages(id, n)
}

func (s *skeleton) readAt(b []byte, id uint64, at int64) error {
	if _, err := s.file.ReadAt(b, int64(id)*pageSize+at); err != nil {
		return damage("page %d: %v", id, err)
	}
	return nil
}

// checkPage checks one page of a tree and lists those below it.
func (s *skeleton) checkPage(id uint64) error {
	flags, count, length, err := s.claimHeader(id)
	if err != nil {
		return err
	}
	if flags != branchPage && flags != leafPage || headerLen+int64(count)*elementLen > length ||
		flags == branchPage && count == 0 {
		return damage("page %d: %d elements of kind %d", id, count, flags)
	}
	elements := make([]byte, int(count)*elementLen)
	if err := s.readAt(elements, id, headerLen); err != nil {
		return err
	}
	for i := range int(count) {
		at := int64(headerLen + i*elementLen)
		e := elements[i*elementLen:]
		if flags == branchPage {
			if err := checkElement(e[0:], e[4:], nil, at, length); err != nil {
				return err
			}
			s.next = append(s.next, order.Uint64(e[8:]))
			continue
		}
		if err := checkElement(e[4:], e[8:], e[12:], at, length); err != nil {
			return err
		}
		switch order.Uint32(e) {
		case 0:
		case bucketFlag:
			value := at + int64(order.Uint32(e[4:])) + int64(order.Uint32(e[8:]))
			if err := s.checkBucket(id, value, int64(order.Uint32(e[12:]))); err != nil {
				return err
			}
		default:
			return damage("page %d: element of kind %d", id, order.Uint32(e))
		}
	}
	return nil
}

// checkElement checks that the element at offset at has a key, and that key and value lie in its
// page.
func checkElement(pos, ksize, vsize []byte, at, length int64) error {
	end := at + int64(order.Uint32(pos)) + int64(order.Uint32(ksize))
	if vsize != nil {
		end += int64(order.Uint32(vsize))
	}
	if end > length || order.Uint32(ksize) == 0 || order.Uint32(pos) < elementLen {
		return damage("element at %d reaches to %d of %d", at, end, length)
	}
	return nil
}

// checkBucket checks a bucket whose value of n bytes is at an offset of a page.
func (s *skeleton) checkBucket(id uint64, at, n int64) error {
	if n < bucketLen || n > pageSize && n != bucketLen {
		return damage("bucket of %d bytes", n)
	}
	v := make([]byte, n)
	if err := s.readAt(v, id, at); err != nil {
		return err
	}
	if root := order.Uint64(v); root != 0 {
		s.next = append(s.next, root)
		return nil
	}
	p := v[bucketLen:]
	if len(p) < headerLen || order.Uint16(p[8:]) != leafPage {
		return damage("bucket without a page")
	}
	count := int(order.Uint16(p[10:]))
	if headerLen+count*elementLen > len(p) {
		return damage("bucket of %d elements", count)
	}
	for i := range count {
		e := p[headerLen+i*elementLen:]
		err := checkElement(e[4:], e[8:], e[12:], int64(headerLen+i*elementLen), int64(len(p)))
		if err != nil || order.Uint32(e) != 0 {
			return damage("bucket: element %d: %v", i, err)
		}
	}
	return nil
}

// checkFreeList checks the list of free pages.
func (s *skeleton) checkFreeList(id uint64) error {
	flags, count, length, err := s.claimHeader(id)
	if err != nil {
		return err
	}
	n, at := int64(count), int64(headerLen)
	if count == 1<<16-1 { // the number itself comes first
		var b [8]byte
		if err := s.readAt(b[:], id, at); err != nil {
			return err
		}
		n, at = int64(order.Uint64(b[:])), at+8
	}
	if flags != freePage || n < 0 || n > (length-at)/8 {
		return damage("%d free pages in a page of kind %d", n, flags)
	}
	ids := make([]byte, 8*n)
	if err := s.readAt(ids, id, at); err != nil {
		return err
	}
	for ; len(ids) > 0; ids = ids[8:] {
		if err := s.claimPages(order.Uint64(ids), 1); err != nil {
			return err
		}
	}
	return nil
}
