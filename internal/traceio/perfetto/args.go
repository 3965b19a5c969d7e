package perfetto

import (
	"bytes"
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/encoding/protowire"
)

// mostNested is how deep annotations may lie in each other.
const mostNested = 32

// arguments returns the annotations of an event as a JSON object, as Chrome writes them, nil if it
// has none. The result is good until the next call.
func (f *feed) arguments(s *sequence, e *event) []byte {
	if len(e.args) == 0 && e.posted == 0 && e.from == 0 {
		return nil
	}
	a := annotations{s, f.args[:0]}
	a.out = append(a.out, '{')
	a.place(e.posted, "src_file", "src_func")
	a.place(e.from, "file", "function")
	for _, m := range e.args {
		a.member(m, 0)
	}
	a.out = append(a.out, '}')
	if f.args = a.out; len(a.out) <= 2 {
		return nil
	}
	return a.out
}

// annotations writes DebugAnnotations of a sequence as JSON.
type annotations struct {
	*sequence
	out []byte
}

// place writes an interned place in the source as two members.
func (a *annotations) place(id uint64, file, function string) {
	at, ok := a.locations[id]
	if !ok {
		return
	}
	if at.file != "" {
		a.key(file)
		a.quote(at.file)
	}
	if at.function != "" {
		a.key(function)
		a.quote(at.function)
	}
}

// separate writes a comma if something comes before.
func (a *annotations) separate() {
	switch a.out[len(a.out)-1] {
	case '{', '[', ':':
	default:
		a.out = append(a.out, ',')
	}
}

func (a *annotations) key(name string) {
	a.separate()
	a.quote(name)
	a.out = append(a.out, ':')
}

func (a *annotations) quote(s string) {
	out, err := jsontext.AppendQuote(a.out, s)
	if err != nil { // only if s is not UTF-8; the Builder makes it so
		out = append(append(append(a.out, '"'), s...), '"')
	}
	a.out = out
}

// member writes a DebugAnnotation as a member of an object.
func (a *annotations) member(message []byte, depth int) {
	name := ""
	for f := fieldsOf(message); f.next(); {
		switch f.number {
		case argNameID:
			name = a.texts[argNames][f.n]
		case argName:
			name = f.text()
		}
	}
	a.key(name)
	a.value(message, depth)
}

// value writes the value of a DebugAnnotation, or of an Arg of a ChromeTraceEvent.
func (a *annotations) value(message []byte, depth int) {
	wrote := len(a.out)
	open := byte(0)
	for f := fieldsOf(message); f.next(); {
		switch f.number {
		case argDict, argArray:
			a.element(&f, &open, depth+1)
		case argTextID:
			a.quote(a.texts[argTexts][f.n])
		case argNested:
			a.nested(f.message(), depth+1)
		case argName, argNameID:
		default:
			a.scalar(&f)
		}
	}
	switch {
	case open != 0:
		a.out = append(a.out, closing[open])
	case len(a.out) == wrote:
		a.out = append(a.out, "null"...)
	}
}

var closing = map[byte]byte{'{': '}', '[': ']'}

// element writes an entry of an object or of a list, whose bracket it writes before the first.
func (a *annotations) element(f *fields, open *byte, depth int) {
	if depth > mostNested {
		return
	}
	if *open == 0 {
		*open = '['
		if f.number == argDict {
			*open = '{'
		}
		a.out = append(a.out, *open)
	}
	if *open == '{' {
		a.member(f.message(), depth)
		return
	}
	a.separate()
	a.value(f.message(), depth)
}

// scalar writes a plain value.
func (a *annotations) scalar(f *fields) {
	switch f.number {
	case argBool:
		a.out = strconv.AppendBool(a.out, f.n != 0)
	case argUint:
		a.out = strconv.AppendUint(a.out, f.n, 10)
	case argInt:
		a.out = strconv.AppendInt(a.out, int64(f.n), 10)
	case argDouble:
		a.float(f.double())
	case argText:
		a.quote(f.text())
	case argPtr:
		a.out = append(strconv.AppendUint(append(a.out, `"0x`...), f.n, 16), '"')
	case argJSON:
		a.json(f.message())
	}
}

// float writes a number. Those that JSON does not know are texts, as in Chrome's JSON.
func (a *annotations) float(v float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		a.quote(strconv.FormatFloat(v, 'g', -1, 64))
		return
	}
	a.out = strconv.AppendFloat(a.out, v, 'g', -1, 64)
}

// json writes a value that is JSON already, on one line.
func (a *annotations) json(text []byte) {
	if !jsontext.Value(text).IsValid() {
		a.quote(string(bytes.ToValidUTF8(text, []byte("\uFFFD"))))
		return
	}
	v := jsontext.Value(bytes.Clone(text))
	if v.Compact() == nil {
		a.out = append(a.out, v...)
	}
}

// nested writes a NestedValue, which older writers have in place of entries.
func (a *annotations) nested(message []byte, depth int) {
	if depth > mostNested {
		a.out = append(a.out, "null"...)
		return
	}
	switch firstNumber(message, nestedType) {
	case nestedIsDict:
		a.nestedDict(message, depth)
	case nestedIsList:
		a.out = append(a.out, '[')
		for f := fieldsOf(message); f.next(); {
			if f.is(nestedArray, protowire.BytesType) {
				a.separate()
				a.nested(f.body, depth+1)
			}
		}
		a.out = append(a.out, ']')
	default:
		a.nestedLeaf(message)
	}
}

func (a *annotations) nestedDict(message []byte, depth int) {
	var keys []string
	for f := fieldsOf(message); f.next(); {
		if f.is(nestedKeys, protowire.BytesType) {
			keys = append(keys, f.text())
		}
	}
	a.out = append(a.out, '{')
	for f := fieldsOf(message); f.next() && len(keys) > 0; {
		if f.is(nestedValues, protowire.BytesType) {
			a.key(keys[0])
			a.nested(f.body, depth+1)
			keys = keys[1:]
		}
	}
	a.out = append(a.out, '}')
}

func (a *annotations) nestedLeaf(message []byte) {
	for f := fieldsOf(message); f.next(); {
		switch f.number {
		case nestedInt:
			a.out = strconv.AppendInt(a.out, int64(f.n), 10)
		case nestedDouble:
			a.float(f.double())
		case nestedBool:
			a.out = strconv.AppendBool(a.out, f.n != 0)
		case nestedText:
			a.quote(f.text())
		default:
			continue
		}
		return
	}
	a.out = append(a.out, "null"...)
}
