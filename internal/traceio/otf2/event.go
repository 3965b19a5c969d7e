package otf2

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"strconv"
)

// scale returns a*b/c, rounded down, and false if it overflows.
func scale(a, b, c uint64) (uint64, bool) {
	hi, lo := bits.Mul64(a, b)
	if hi >= c {
		return 0, false
	}
	q, _ := bits.Div64(hi, lo, c)
	return q, true
}

// event is one event of a location, with references of the archive and the time of its clock.
type event struct {
	kind  byte
	time  uint64 // ticks
	v     [6]uint64
	attrs []attribute
}

// attribute is a value that a tool has added to an event.
type attribute struct {
	id   uint32
	kind byte
	bits uint64
}

// Types of attributes.
const (
	typeUint8  = 1
	typeUint16 = 2
	typeUint32 = 3
	typeUint64 = 4
	typeInt8   = 5
	typeInt16  = 6
	typeInt32  = 7
	typeInt64  = 8
	typeFloat  = 9
	typeDouble = 10
	typeString = 11
	typeLast   = 25
)

// decoder makes events of a location's records.
type decoder struct {
	local
	attrs []attribute // of the next event
	event event       // the last one
}

// decode makes an event of a record, or keeps the attributes that the record has for the next one.
// It fails if the record is broken.
func (d *decoder) decode(r record, order binary.ByteOrder) (*event, error) {
	f := fields{rest: r.body, order: order}
	if r.kind == attributeList {
		d.attrs = d.attrs[:0]
		return nil, d.attributes(&f)
	}
	e := &d.event
	e.kind, e.time, e.attrs = r.kind, d.correct(r.time), d.attrs
	d.attrs = d.attrs[:0]
	layout := eventKinds[r.kind].layout
	for i := range len(layout) {
		e.v[i] = d.value(layout[i], &f)
	}
	if f.bad {
		return nil, fmt.Errorf("a broken %s", name(r.kind))
	}
	return e, nil
}

// name returns what a kind of event is called.
func name(kind byte) string {
	if n := eventKinds[kind].name; n != "" {
		return n
	}
	return "event of kind " + strconv.Itoa(int(kind))
}

// value reads one value of an event, by its letter in the layout.
func (d *decoder) value(letter byte, f *fields) uint64 {
	switch letter {
	case 'b':
		return uint64(f.u8())
	case 'w':
		return uint64(f.u32())
	case 'q', 'i':
		return f.u64()
	case 't':
		return d.correct(f.full64())
	}
	return uint64(d.maps[mapped[letter]].global(f.u32()))
}

// attributes reads an attribute list: their number, and each one's definition, type and value.
func (d *decoder) attributes(f *fields) error {
	for n := f.u32(); n > 0 && !f.bad; n-- {
		a := attribute{id: d.maps[mapped['a']].global(f.u32()), kind: f.u8()}
		switch {
		case a.kind == typeUint8 || a.kind == typeInt8:
			a.bits = uint64(f.u8())
		case a.kind == typeUint16 || a.kind == typeInt16:
			a.bits = uint64(f.full16())
		case a.kind == typeUint32 || a.kind == typeInt32:
			a.bits = uint64(f.u32())
		case a.kind == typeUint64 || a.kind == typeInt64 || a.kind == 13:
			a.bits = f.u64()
		case a.kind == typeFloat:
			a.bits = uint64(f.full32())
		case a.kind == typeDouble:
			a.bits = f.full64()
		case a.kind == typeString:
			a.bits = uint64(d.maps[mapped['s']].global(f.u32()))
		case a.kind > typeString && a.kind <= typeLast:
			a.bits = uint64(f.u32())
		default:
			f.bad = true
		}
		if !f.bad {
			d.attrs = append(d.attrs, a)
		}
	}
	if f.bad {
		return fmt.Errorf("broken attributes")
	}
	return nil
}

// text writes the value of an attribute that is a number.
func (a attribute) text(out []byte) []byte {
	switch a.kind {
	case typeInt8:
		return strconv.AppendInt(out, int64(int8(a.bits)), 10)
	case typeInt16:
		return strconv.AppendInt(out, int64(int16(a.bits)), 10)
	case typeInt32:
		return strconv.AppendInt(out, int64(int32(a.bits)), 10)
	case typeInt64:
		return strconv.AppendInt(out, int64(a.bits), 10)
	case typeFloat:
		return strconv.AppendFloat(out, float64(math.Float32frombits(uint32(a.bits))), 'g', -1, 32)
	case typeDouble:
		return strconv.AppendFloat(out, math.Float64frombits(a.bits), 'g', -1, 64)
	}
	return strconv.AppendUint(out, a.bits, 10)
}
