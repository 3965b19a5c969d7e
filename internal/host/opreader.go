package host

import (
	"encoding/binary"
	"reflect"
	"unsafe"

	"gioui.org/op"
)

// Gio keeps a frame's operations as bytes, and offers no way to tell whether two frames are the
// same: to its renderer every frame is new. The reader here walks these bytes. They are no public
// interface, so it takes nothing for granted: where they are found by their names and types, and
// where an operation is none that it knows, it says that the list is broken, and a frame of which
// that is said is drawn as a whole.

// opKind is the first byte of an operation.
type opKind byte

// Operations of gioui.org v0.10; those without a name concern input alone.
const (
	opMacro        opKind = 200
	opCall         opKind = 201
	opDefer        opKind = 202
	opTransform    opKind = 203
	opPopTransform opKind = 204
	opPushOpacity  opKind = 205
	opPopOpacity   opKind = 206
	opImage        opKind = 207
	opPaint        opKind = 208
	opColour       opKind = 209
	opGradient     opKind = 210
	opSave         opKind = 215
	opLoad         opKind = 216
	opAux          opKind = 217
	opClipTo       opKind = 218
	opPopClip      opKind = 219
	opPath         opKind = 221
	opStroke       opKind = 222
)

// opForms has for each operation from opMacro on its length in bytes and the number of references
// that belong to it.
var opForms = [...]struct{ size, refs uint32 }{
	{9, 0}, {17, 1}, {1, 0}, {26, 0}, {1, 0}, {5, 0}, {1, 0}, {2, 2}, {1, 0}, {5, 0}, {25, 0},
	{1, 0}, {1, 0}, {1, 1}, {2, 1}, {5, 0}, {5, 0}, {1, 0}, {19, 0}, {1, 0}, {2, 0}, {9, 0},
	{5, 0}, {1, 1}, {1, 1}, {2, 0}, {2, 0}, {2, 0}, {2, 0},
}

// opType is the type of Gio's lists; opData and opRefs are where in one its bytes and references
// are. They are 0 and false if the type has changed.
var (
	opType                 = reflect.TypeOf(op.Ops{}.Internal)
	opData, opRefs, opFine = opFields()
)

func opFields() (data, refs uintptr, ok bool) {
	d, isD := opType.FieldByName("data")
	r, isR := opType.FieldByName("refs")
	ok = isD && isR && d.Type == reflect.TypeFor[[]byte]() && r.Type == reflect.TypeFor[[]any]()
	if !ok {
		return 0, 0, false
	}
	return d.Offset, r.Offset, true
}

// opList is one of Gio's lists; nil for none.
type opList unsafe.Pointer

// listOf returns the list of o.
func listOf(o *op.Ops) opList { return opList(unsafe.Pointer(&o.Internal)) }

// listIn returns the list that a reference points to, or nil.
func listIn(ref any) opList {
	v := reflect.ValueOf(ref)
	if !v.IsValid() || v.Type() != reflect.PointerTo(opType) {
		return nil
	}
	return opList(v.UnsafePointer())
}

// contentOf returns the bytes and references of a list.
func contentOf(l opList) ([]byte, []any) {
	return *(*[]byte)(unsafe.Add(unsafe.Pointer(l), opData)),
		*(*[]any)(unsafe.Add(unsafe.Pointer(l), opRefs))
}

// identity tells references apart.
func identity(ref any) uint64 {
	v := reflect.ValueOf(ref)
	switch v.Kind() {
	case reflect.Pointer, reflect.Chan, reflect.Map, reflect.UnsafePointer, reflect.Slice:
		return uint64(v.Pointer())
	}
	return 0
}

// opPlace is a place in a list, and how far it is read.
type opPlace struct {
	data    []byte
	refs    []any
	at, ref uint32 // of the next operation and its references
	to      uint32 // where reading ends
}

// operation is one operation with its own bytes, which begin with its kind, and references.
type operation struct {
	kind opKind
	data []byte
	refs []any
}

// opReader reads a list in the order in which Gio's renderer follows it.
type opReader struct {
	places   []opPlace // what is read, and where it was called from
	deferred []opPlace // calls that come last
	broken   bool
}

// begin begins to read a list.
func (r *opReader) begin(l opList) {
	r.places, r.deferred, r.broken = r.places[:0], r.deferred[:0], !opFine
	if opFine {
		data, refs := contentOf(l)
		r.places = append(r.places, opPlace{data: data, refs: refs, to: uint32(len(data))})
	}
}

// next returns the next operation, and whether there is one. Calls are followed.
func (r *opReader) next() (operation, bool) {
	later := false
	for !r.broken {
		n := len(r.places)
		switch {
		case n == 0 && len(r.deferred) == 0:
			return operation{}, false
		case n == 0:
			r.places = append(r.places, r.deferred[0])
			r.deferred = r.deferred[1:]
			continue
		case r.places[n-1].at == r.places[n-1].to:
			r.places = r.places[:n-1]
			continue
		}
		o, ok := r.places[n-1].step()
		if !ok {
			r.broken = true
			break
		}
		switch o.kind {
		case opDefer:
			later = true
		case opMacro:
			r.broken = !r.places[n-1].skip(o.data)
		case opCall:
			r.call(o, later)
			later = false
		default:
			return o, true
		}
	}
	return operation{}, false
}

// call follows a call, now or at the end.
func (r *opReader) call(o operation, later bool) {
	l := listIn(o.refs[0])
	if l == nil {
		r.broken = true
		return
	}
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(o.data[1+4*i:]) }
	p := opPlace{at: word(0), ref: word(1), to: word(2)}
	p.data, p.refs = contentOf(l)
	if p.at > p.to || int(p.to) > len(p.data) || int(p.ref) > len(p.refs) {
		r.broken = true
		return
	}
	if later {
		r.deferred = append(r.deferred, p)
		return
	}
	r.places = append(r.places, p)
}

// step reads one operation, and reports whether it is one.
func (p *opPlace) step() (operation, bool) {
	o := operation{kind: opKind(p.data[p.at])}
	k := int(o.kind) - int(opMacro)
	if k < 0 || k >= len(opForms) {
		return o, false
	}
	size, refs := opForms[k].size, opForms[k].refs
	if o.kind == opAux {
		size = p.to - p.at // it is all that is left of its macro
	}
	if size > p.to-p.at || int(p.ref+refs) > len(p.refs) {
		return o, false
	}
	o.data, o.refs = p.data[p.at:p.at+size], p.refs[p.ref:p.ref+refs]
	p.at, p.ref = p.at+size, p.ref+refs
	return o, true
}

// skip goes on after a macro, and reports whether it ends within what is read.
func (p *opPlace) skip(data []byte) bool {
	at, ref := binary.LittleEndian.Uint32(data[1:]), binary.LittleEndian.Uint32(data[5:])
	if at <= p.at-uint32(len(data)) || at > p.to || int(ref) > len(p.refs) {
		return false
	}
	p.at, p.ref = at, ref
	return true
}
