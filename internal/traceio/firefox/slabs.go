package firefox

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
)

// JsonSlabs (.jslb) is a container for one JSON document of which parts lie beside it: lists of
// numbers as they are in memory, and objects as documents of their own. It begins with a magic
// number, its version, the number of slabs, and which of them is the document; then follow type,
// offset and length of each slab. In the documents {"$s": 3} stands for slab 3. All numbers are
// little-endian, of 32 bits. (github.com/mstange/json-slabs)
//
// What is read here is the whole document, made on the way: so all of a profile is read by one
// reader, whatever it came in. Each slab is taken once, which bounds what a damaged file can grow
// to.

// slabsMagic begins a container, of version 1.
var slabsMagic = []byte("\xdc\xdfJSLB\x01\x00")

const (
	slabsHead   = 20 // bytes
	slabsEntry  = 12
	mostNested  = 16 // documents within each other
	slabsBuffer = 1 << 16
)

// slabSizes are the sizes of elements, by type; those of type jsonSlab are no numbers.
var slabSizes = [...]uint32{1, 1, 2, 2, 4, 4, 4, 8, 8, 8}

const jsonSlab = 10

// slab is a part of a container that is not read to its end.
type slab struct {
	kind  uint32
	rest  []byte
	first bool // no number is written yet
	text  bool // in JSON: inside a string
}

// slabReader reads the document of a container as JSON.
type slabReader struct {
	data []byte
	used []bool  // by number of slab
	open []*slab // the innermost last
	made []byte
	out  []byte // the rest of made that is not read
	gone uint64 // slabs that are not there, or stood somewhere before
	why  error  // of the first one
}

// newSlabReader returns the document's reader.
func newSlabReader(data []byte) (*slabReader, error) {
	if len(data) < slabsHead {
		return nil, io.ErrUnexpectedEOF
	}
	if v := binary.LittleEndian.Uint32(data[8:]); v != 1 {
		return nil, fmt.Errorf("JsonSlabs of version %d, and only 1 is known", v)
	}
	count, root := binary.LittleEndian.Uint32(data[12:]), binary.LittleEndian.Uint32(data[16:])
	r := &slabReader{data: data, used: make([]bool, min(int(count), (len(data)-slabsHead)/slabsEntry))}
	r.enter(uint64(root))
	if r.why != nil {
		return nil, r.why
	}
	return r, nil
}

// enter begins to read a slab. One that cannot be read is null.
func (r *slabReader) enter(n uint64) {
	s, err := r.slab(n)
	if err == nil && len(r.open) == 0 && s.kind != jsonSlab {
		err = fmt.Errorf("slab %d is no JSON", n)
	}
	if err != nil {
		if r.gone++; r.why == nil {
			r.why = err
		}
		r.out = append(r.out, "null"...)
		return
	}
	if s.kind != jsonSlab {
		r.out = append(r.out, '[')
	}
	r.open = append(r.open, s)
}

func (r *slabReader) slab(n uint64) (*slab, error) {
	switch {
	case n >= uint64(len(r.used)):
		return nil, fmt.Errorf("there is no slab %d", n)
	case r.used[n]:
		return nil, fmt.Errorf("slab %d stands in two places", n)
	case len(r.open) == mostNested:
		return nil, fmt.Errorf("slabs are nested more than %d deep", mostNested)
	}
	r.used[n] = true
	entry := r.data[slabsHead+slabsEntry*n:]
	kind, start := binary.LittleEndian.Uint32(entry), binary.LittleEndian.Uint32(entry[4:])
	end := uint64(start) + uint64(binary.LittleEndian.Uint32(entry[8:]))
	if end > uint64(len(r.data)) || kind > jsonSlab {
		return nil, fmt.Errorf("slab %d, of type %d, ends at %d of %d bytes", n, kind, end, len(r.data))
	}
	return &slab{kind: kind, rest: r.data[start:end], first: true}, nil
}

// Read reads the document, which it makes a buffer at a time.
func (r *slabReader) Read(p []byte) (int, error) {
	if len(r.out) == 0 {
		r.out = r.made[:0]
		for len(r.out) < slabsBuffer && len(r.open) > 0 {
			if s := r.open[len(r.open)-1]; s.kind == jsonSlab {
				r.document(s)
			} else {
				r.numbers(s)
			}
		}
		r.made = r.out
	}
	if len(r.out) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.out)
	r.out = r.out[n:]
	return n, nil
}

// document copies JSON up to the next slab that it refers to.
func (r *slabReader) document(s *slab) {
	for i := 0; i < len(s.rest); i++ {
		switch c := s.rest[i]; {
		case s.text && c == '\\':
			i++
		case c == '"':
			s.text = !s.text
		case c == '{' && !s.text:
			if n, length, ok := placeholder(s.rest[i:]); ok {
				r.out = append(r.out, s.rest[:i]...)
				s.rest = s.rest[i+length:]
				r.enter(n)
				return
			}
		}
		if i >= slabsBuffer {
			i = min(i+1, len(s.rest))
			r.out, s.rest = append(r.out, s.rest[:i]...), s.rest[i:]
			return
		}
	}
	r.out = append(r.out, s.rest...)
	r.open = r.open[:len(r.open)-1]
}

// placeholder reads {"$s": NUMBER}.
func placeholder(text []byte) (n uint64, length int, ok bool) {
	end := bytes.IndexByte(text[:min(len(text), 64)], '}')
	if end < 0 {
		return 0, 0, false
	}
	name, value, _ := bytes.Cut(text[1:end], []byte(":"))
	if string(bytes.TrimSpace(name)) != `"$s"` {
		return 0, 0, false
	}
	n, err := strconv.ParseUint(string(bytes.TrimSpace(value)), 10, 32)
	return n, end + 1, err == nil
}

// numbers writes some numbers of a list. What is no number in JSON is null.
func (r *slabReader) numbers(s *slab) {
	size := int(slabSizes[s.kind])
	for len(s.rest) >= size && len(r.out) < slabsBuffer {
		if !s.first {
			r.out = append(r.out, ',')
		}
		s.first = false
		r.out = appendNumber(r.out, s.kind, s.rest)
		s.rest = s.rest[size:]
	}
	if len(s.rest) < size {
		r.out = append(r.out, ']')
		r.open = r.open[:len(r.open)-1]
	}
}

// appendNumber writes the number of a type that data begins with.
func appendNumber(out []byte, kind uint32, data []byte) []byte {
	le := binary.LittleEndian
	signed := func(n int64) []byte { return strconv.AppendInt(out, n, 10) }
	unsigned := func(n uint64) []byte { return strconv.AppendUint(out, n, 10) }
	switch kind {
	case 0:
		return signed(int64(int8(data[0])))
	case 1:
		return unsigned(uint64(data[0]))
	case 2:
		return signed(int64(int16(le.Uint16(data))))
	case 3:
		return unsigned(uint64(le.Uint16(data)))
	case 4:
		return signed(int64(int32(le.Uint32(data))))
	case 5:
		return unsigned(uint64(le.Uint32(data)))
	case 6:
		return appendFloat(out, float64(math.Float32frombits(le.Uint32(data))), 32)
	case 7:
		return appendFloat(out, math.Float64frombits(le.Uint64(data)), 64)
	case 8:
		return signed(int64(le.Uint64(data)))
	}
	return unsigned(le.Uint64(data))
}

func appendFloat(out []byte, f float64, bits int) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(out, "null"...)
	}
	return strconv.AppendFloat(out, f, 'g', -1, bits)
}
