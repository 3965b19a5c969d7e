package pprof

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"diptych/internal/plural"
)

// The parser refuses a whole profile for one record that breaks a rule of profile.proto: two
// functions with one number, a location with the number 0, which stands for none, a sample with
// another number of values than there are sample types. Repairing leaves out what breaks a rule, as
// little as can be: a number, the line of a location, or a sample.

// repairs are what was left out of a profile.
type repairs struct {
	n     uint64
	first string // what the first was, and where

	types   uint64 // how many sample types there are
	strings uint64 // how many strings there are
	named   uint64 // how often strings are referred to: a profile has no more strings than that
	met     uint64 // strings so far
	given   map[reference]map[uint64]bool
	base    int // offset of the field of the outermost message
}

// repair returns a profile without what breaks a rule.
func repair(data []byte) ([]byte, *repairs) {
	r := &repairs{given: map[reference]map[uint64]bool{
		locationNumber: {}, functionNumber: {}, mappingNumber: {}}}
	r.count(outermost, data)
	out := make([]byte, 0, len(data))
	whole := eachField(data, func(field protowire.Number, wire protowire.Type, all, value []byte) {
		out = append(out, r.field(outermost, field, wire, all, value)...)
		r.base += len(all)
	})
	return append(out, data[whole:]...), r
}

// eachField calls each for every whole field of a message, with all of its bytes and its value. It
// returns the length of those fields.
func eachField(data []byte, each func(field protowire.Number, wire protowire.Type, all, value []byte)) (whole int) {
	for whole < len(data) {
		field, wire, tag := protowire.ConsumeTag(data[whole:])
		if tag < 0 {
			break
		}
		n := protowire.ConsumeFieldValue(field, wire, data[whole+tag:])
		if n < 0 {
			break
		}
		all := data[whole : whole+tag+n]
		each(field, wire, all, all[tag:])
		whole += tag + n
	}
	return whole
}

// count counts what the numbers of records are held against.
func (r *repairs) count(shape *message, data []byte) {
	eachField(data, func(field protowire.Number, wire protowire.Type, _, value []byte) {
		switch {
		case shape == outermost && field == typeField:
			r.types++
		case shape == outermost && field == stringField:
			r.strings++
		}
		if shape.asks[field] == stringNumber {
			r.named++
		}
		if inner := shape.nested[field]; inner != nil && wire == protowire.BytesType {
			body, _ := protowire.ConsumeBytes(value)
			r.count(inner, body)
		}
	})
}

// leave notes that something is left out.
func (r *repairs) leave(format string, args ...any) []byte {
	if r.n++; r.n == 1 {
		r.first = fmt.Sprintf("at offset %d: %s", r.base, fmt.Sprintf(format, args...))
	}
	return nil
}

// field returns what is left of one field.
func (r *repairs) field(shape *message, field protowire.Number, wire protowire.Type, all, value []byte) []byte {
	asks := shape.asks[field]
	switch {
	case wire == protowire.BytesType && shape.nested[field] != nil:
		body, _ := protowire.ConsumeBytes(value)
		inner, sound := r.message(shape.nested[field], body)
		switch {
		case !sound:
			return nil
		case len(inner) == len(body):
			return all
		}
		return protowire.AppendBytes(protowire.AppendTag(nil, field, wire), inner)
	case shape == outermost && field == stringField && wire == protowire.BytesType:
		body, _ := protowire.ConsumeBytes(value)
		if r.met++; r.met == 1 && len(body) > 0 {
			r.leave("the first string is %q and not empty", shortened(body))
			return protowire.AppendBytes(protowire.AppendTag(nil, field, wire), nil)
		}
	case asks != 0 && wire == protowire.VarintType:
		if v, _ := protowire.ConsumeVarint(value); !r.may(asks, v) {
			return r.leave("%s %d, which cannot be", asks, v)
		}
	case asks != 0 && wire == protowire.BytesType: // a packed list
		body, _ := protowire.ConsumeBytes(value)
		var kept []byte
		numbers(body, func(v uint64) {
			if r.may(asks, v) {
				kept = protowire.AppendVarint(kept, v)
			} else {
				r.leave("%s %d, which cannot be", asks, v)
			}
		})
		return protowire.AppendBytes(protowire.AppendTag(nil, field, wire), kept)
	}
	return all
}

// may reports whether a number can refer to something. What is missing but can be gets a stand-in.
func (r *repairs) may(what reference, v uint64) bool {
	if what == stringNumber {
		return v < max(r.strings, r.named+1)
	}
	return v > 0
}

// message returns what is left of a message, and false if nothing is.
func (r *repairs) message(shape *message, body []byte) (out []byte, sound bool) {
	var id, values uint64
	refers := false
	before := r.n
	out = make([]byte, 0, len(body))
	whole := eachField(body, func(field protowire.Number, wire protowire.Type, all, value []byte) {
		left := r.field(shape, field, wire, all, value)
		out = append(out, left...)
		refers = refers || len(left) > 0 && shape.asks[field] == functionNumber
		switch {
		case shape.gives != 0 && field == 1 && wire == protowire.VarintType:
			id, _ = protowire.ConsumeVarint(value)
		case shape == sampleShape && field == 2 && wire == protowire.VarintType:
			values++
		case shape == sampleShape && field == 2 && wire == protowire.BytesType:
			list, _ := protowire.ConsumeBytes(value)
			numbers(list, func(uint64) { values++ })
		}
	})
	out = append(out, body[whole:]...)
	switch {
	case shape == sampleShape && values != r.types:
		r.leave("a sample with %s of %s", plural.Of(values, "value"), plural.Of(r.types, "sample type"))
	case shape.gives != 0 && id == 0:
		r.leave("a %s without a number", shape.gives)
	case shape.gives != 0 && r.given[shape.gives][id]:
		r.leave("another %s %d", shape.gives, id)
	case shape == lineShape && !refers:
		if r.n == before {
			r.leave("a line without a function")
		}
	default:
		if shape.gives != 0 {
			r.given[shape.gives][id] = true
		}
		return out, true
	}
	return nil, false
}

// numbers calls each for every number of a packed list.
func numbers(list []byte, each func(v uint64)) {
	for len(list) > 0 {
		v, n := protowire.ConsumeVarint(list)
		if n < 0 {
			return
		}
		each(v)
		list = list[n:]
	}
}

// shortened is the beginning of a text.
func shortened(text []byte) []byte { return text[:min(len(text), 40)] }
