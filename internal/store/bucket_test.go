package store

import (
	"bytes"
	"errors"
	"testing"
)

// TestInlineBuckets holds that a bucket within a page is taken for intact only if its own page is a
// leaf, all of whose elements have keys, lie in it and are no buckets.
func TestInlineBuckets(t *testing.T) {
	const at = 100                                // of the bucket in the page
	const page = at + bucketLen                   // of its own
	const first = page + headerLen                // element
	const elements = 2                            // of it
	const n = bucketLen + headerLen + elements*20 // bytes of it: keys and values of two bytes
	sound := make([]byte, 3*pageSize)
	order.PutUint16(sound[page+8:], leafPage)
	order.PutUint16(sound[page+10:], elements)
	for i := range elements {
		e := sound[first+i*elementLen:]
		order.PutUint32(e[4:], uint32((elements-i)*elementLen+4*i)) // from the element to its key
		order.PutUint32(e[8:], 2)
		order.PutUint32(e[12:], 2)
	}
	second := first + elementLen
	for name, hurt := range map[string]func(b []byte){
		"":                          func([]byte) {},
		"of another kind":           func(b []byte) { order.PutUint16(b[page+8:], branchPage) },
		"more elements than fit":    func(b []byte) { order.PutUint16(b[page+10:], 4) },
		"a key beyond the page":     func(b []byte) { order.PutUint32(b[second+4:], 21) },
		"a value beyond the page":   func(b []byte) { order.PutUint32(b[second+12:], 3) },
		"a key within the elements": func(b []byte) { order.PutUint32(b[second+4:], elementLen-1) },
		"no key":                    func(b []byte) { order.PutUint32(b[first+8:], 0) },
		"a bucket in it":            func(b []byte) { order.PutUint32(b[first:], bucketFlag) },
	} {
		b := bytes.Clone(sound)
		hurt(b)
		s := &skeleton{file: bytes.NewReader(b), used: make([]bool, 3)}
		err := s.checkBucket(0, at, n)
		if (name != "") != errors.Is(err, errDamaged) || len(s.next) > 0 {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, length := range []int64{bucketLen - 1, bucketLen, bucketLen + headerLen - 1, pageSize + 1} {
		s := &skeleton{file: bytes.NewReader(sound), used: make([]bool, 3)}
		if err := s.checkBucket(0, at, length); !errors.Is(err, errDamaged) {
			t.Errorf("%d bytes: %v", length, err)
		}
	}
	b := bytes.Clone(sound)
	order.PutUint64(b[at:], 2) // its page is one of the file
	s := &skeleton{file: bytes.NewReader(b), used: make([]bool, 3)}
	if err := s.checkBucket(0, at, bucketLen); err != nil || len(s.next) != 1 || s.next[0] != 2 {
		t.Errorf("%v, pages %v", err, s.next)
	}
}
