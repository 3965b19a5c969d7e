// Package pprof loads profiles that github.com/google/pprof/profile reads: profile.proto and the
// older formats of gperftools. A profile has no time axis; a sample type becomes a pseudo-thread
// whose axis is the sample value: children are sorted by function name and as wide as their
// cumulative value.
//
// A trace has one axis, so it shows sample types of one unit: the one asked for; else the profile's
// default type, or the last if it names none, and all others of that type's unit. Trace.Tool says
// what is shown and what the profile holds besides.
package pprof

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"path"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/pprof/profile"
	"google.golang.org/protobuf/encoding/protowire"

	"diptych/internal/plural"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/stacks"
)

// Load reads the profile.
func Load(ctx context.Context, src *input.Source, o input.Options, b *trace.Builder) error {
	data, failed := src.ReadAll()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := src.Afford(weigh(data)); err != nil {
		return err
	}
	p, left, mended, err := parse(data)
	switch {
	case err != nil && failed != nil:
		return src.Fail("cannot read the profile", failed)
	case err != nil:
		return src.Fail("cannot read the profile", err)
	case failed != nil:
		mended = failed
	}
	switch {
	case mended != nil:
		b.Diagnose(trace.Truncated, 1, "%s ends too early or is broken (%v), after %s; names that are "+
			"missing are shown as ?1, ?2", src.Path, mended, plural.Of(len(p.Sample), "sample"))
	case cut(data):
		b.Diagnose(trace.Truncated, 1, "%s ends too early, after %s", src.Path,
			plural.Of(len(p.Sample), "sample"))
	}
	if left != nil {
		b.Diagnose(trace.BadRecord, left.n, "%s", left.first)
	}
	if n := filler(data); n > 0 {
		b.Diagnose(trace.BadRecord, 1, "at offset %d: %s behind the profile", len(data)-n,
			plural.Of(n, "zero byte"))
	}
	if n, at := garbled(data); n > 0 {
		b.Diagnose(trace.BadRecord, n, "at offset %d: a line with bytes that are no text", at)
	}
	shown, err := choose(p, o.SampleType)
	if err != nil {
		return src.Fail("cannot show the profile", err)
	}
	b.Kind, b.Symbols = trace.Profile, true
	b.Unit, _ = unit(p.SampleType[shown[0]])
	b.Tool, b.SampleWeight = tool(p, shown), weightOfWait(p, shown[0])
	names, process := newNames(b, src), program(p, b)
	for at, column := range shown {
		if err := ctx.Err(); err != nil {
			return err
		}
		t := b.Thread(p.SampleType[column].Type, process)
		t.SetRole(p.SampleType[column].Type, false)
		if len(shown) > 1 {
			t.SetKind(trace.SampleType)
		} else {
			b.SampleType = p.SampleType[column].Type
		}
		t.SetSort(at)
		sums, err := grow(p, column, names, b)
		if err != nil {
			return err
		}
		sums.Write(t)
		if err := b.Refused(); err != nil {
			return err
		}
	}
	return nil
}

// program adds the process of the program that the profile is of, and returns its index; −1 if the
// profile does not say which program. By convention the first mapping is the main program's.
func program(p *profile.Profile, b *trace.Builder) int32 {
	if len(p.Mapping) == 0 {
		return -1
	}
	file := p.Mapping[0].File
	if name := path.Base(file); file != "" && !strings.ContainsAny(name[:1], "[/.") {
		process := b.Process(file)
		b.NameProcess(process, name)
		return process
	}
	return -1
}

// parse parses a profile. If that only succeeds without some records, left is what they are; if it
// only succeeds for a mended profile, mended is what was wrong.
func parse(data []byte) (p *profile.Profile, left *repairs, mended, err error) {
	p, err = guarded(profile.ParseData, data)
	if err == nil || !isProto(data) {
		return p, nil, nil, err
	}
	valid := func(data []byte) bool {
		var again error
		p, again = guarded(profile.ParseUncompressed, data)
		return again == nil && len(p.Sample) > 0 && p.CheckValid() == nil
	}
	repaired, left := repair(data)
	if left.n == 0 {
		left = nil
	} else if valid(repaired) {
		return p, left, nil, nil
	}
	if whole := mend(repaired); whole != nil && valid(whole) {
		return p, left, err, nil
	}
	return nil, nil, nil, err
}

// guarded guards against a parser that is written for intact profiles.
func guarded(parser func([]byte) (*profile.Profile, error), data []byte) (p *profile.Profile, err error) {
	defer func() {
		if r := recover(); r != nil {
			p, err = nil, fmt.Errorf("broken profile: %v", r)
		}
	}()
	p, err = parser(data)
	if err == nil && len(p.SampleType) == 0 {
		err = fmt.Errorf("it has no sample type")
	}
	return p, err
}

// choose returns the columns to show, the most wanted first.
func choose(p *profile.Profile, want string) ([]int, error) {
	if want != "" {
		for i, v := range p.SampleType {
			if v.Type == want || v.Type+"/"+v.Unit == want {
				return []int{i}, nil
			}
		}
		return nil, fmt.Errorf("no sample type %q (it has %s)", want, list(p.SampleType))
	}
	first := len(p.SampleType) - 1
	for i, v := range p.SampleType {
		if v.Type == p.DefaultSampleType {
			first = i
		}
	}
	shown := []int{first}
	for i, v := range p.SampleType {
		if i != first && v.Unit == p.SampleType[first].Unit {
			shown = append(shown, i)
		}
	}
	return shown, nil
}

// unit returns the unit of the axis on which values of a type are shown, and how many of it one is.
func unit(v *profile.ValueType) (trace.Unit, int64) {
	if unit, per, ok := stacks.UnitOf(strings.ToLower(v.Unit)); ok {
		return unit, per
	}
	return trace.Unit(v.Unit), 1
}

// tool says which of the profile's sample types are shown.
func tool(p *profile.Profile, shown []int) string {
	in := map[int]bool{}
	var is, besides []*profile.ValueType
	for _, i := range shown {
		in[i] = true
		is = append(is, p.SampleType[i])
	}
	for i, v := range p.SampleType {
		if !in[i] {
			besides = append(besides, v)
		}
	}
	text := "pprof " + list(is)
	if len(besides) > 0 {
		text += " (besides: " + list(besides) + ")"
	}
	return text
}

func list(types []*profile.ValueType) string {
	var names []string
	for _, v := range types {
		names = append(names, v.Type+"/"+v.Unit)
	}
	return strings.Join(names, ", ")
}

// words reads one of gperftools' CPU profiles: words of 4 or 8 bytes in either order.
type words struct {
	binary.ByteOrder
	size int
	of   []byte
}

// wordsOf returns the words of a CPU profile, which begins with 0, 3, the version (0, or 1 from
// Java), the sampling period and 0; or nil.
func wordsOf(h []byte) *words {
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, size := range []int{4, 8} {
			w := &words{order, size, h}
			if w.len() >= 5 && w.at(0) == 0 && w.at(1) == 3 && w.at(2) <= 1 && w.at(3) > 0 &&
				w.at(4) == 0 {
				return w
			}
		}
	}
	return nil
}

func (w *words) len() uint64 { return uint64(len(w.of) / w.size) }

func (w *words) at(i uint64) uint64 {
	if w.size == 4 {
		return uint64(w.Uint32(w.of[4*i:]))
	}
	return w.Uint64(w.of[8*i:])
}

// cut reports whether a profile in one of the formats that have no lengths ends too early: words
// without the mark behind the last sample (0, 1, 0), or text within a line. The parser takes what
// there is.
func cut(data []byte) bool {
	w := wordsOf(data)
	if w == nil {
		return isText(data) && data[len(data)-1] != '\n'
	}
	for i := uint64(5); i+2 < w.len(); {
		count, frames := w.at(i), w.at(i+1)
		if count == 0 && frames == 1 && w.at(i+2) == 0 {
			rest := data[(i+3)*uint64(w.size):] // a list of mappings, as text
			return len(rest) > 0 && rest[len(rest)-1] != '\n'
		}
		if frames > w.len() {
			return true
		}
		i += 2 + frames
	}
	return true
}

// garbled returns how many lines of a text have bytes that no text has, and the offset of the first
// of them. The parser takes what it finds between such bytes, so frames and whole samples vanish.
func garbled(data []byte) (lines uint64, first int) {
	if !isText(data) {
		return 0, 0
	}
	odd := func(r rune) bool { return r == utf8.RuneError || r < ' ' && !unicode.IsSpace(r) }
	at := 0
	for line := range bytes.Lines(data) {
		if bytes.ContainsFunc(line, odd) {
			if lines++; lines == 1 {
				first = at
			}
		}
		at += len(line)
	}
	return lines, first
}

// filler returns how many zeros follow the last field of a profile.proto message. No field begins
// with a zero.
func filler(data []byte) int {
	if !isProto(data) {
		return 0
	}
	rest := data[eachField(data, func(protowire.Number, protowire.Type, []byte, []byte) {}):]
	if len(bytes.TrimRight(rest, "\x00")) > 0 {
		return 0
	}
	return len(rest)
}

// Sniff reports whether the source looks like a profile. None of the formats has a magic number, so
// other binary formats should be asked first: profile.proto is told from other protocol buffers by
// its fields, of which the first must be sample types (two numbers; Go puts the period's before
// them) and the others must have the types that the schema gives them.
func Sniff(src *input.Source) bool {
	h := src.Head
	return isProto(h) || isCPU(h) || isText(h)
}

// textual are the first lines of gperftools' and Go's text formats.
var textual = regexp.MustCompile(`\A(` +
	`heap profile: *\d+: *\d+ *\[ *\d+: *\d+ *\] *@ *(heap|growth|fragmentation)` +
	`|\S+ profile: total \d+\r?\n` +
	`|--- (contentionz |mutex:|contention:|heapz 1 ---|threadz \d+ ---)` +
	`|--- Thread [[:xdigit:]]+ \(name: .*/\d+\) stack: ---)`)

func isText(h []byte) bool { return textual.Match(h) }

func isCPU(h []byte) bool { return wordsOf(h) != nil }

// Sets of wire types of protocol buffers, by bit.
const (
	number = 1 << 0 // wire type 0: a varint
	chunk  = 1 << 2 // wire type 2: a length and as many bytes
)

// shape gives the wire types allowed for each field of a message, by field number.
type shape []uint8

var (
	valueType = shape{0, number, number}
	messages  = map[int]shape{
		1:  valueType,
		2:  {0, number | chunk, number | chunk, chunk}, // sample
		3:  {0, number, number, number, number, number, number, number, number, number, number},
		4:  {0, number, number, number, chunk, number}, // location
		5:  {0, number, number, number, number, number},
		11: valueType,
	}
	top = shape{0, chunk, chunk, chunk, chunk, chunk, chunk, number, number, number, number,
		chunk, number, number | chunk, number, number}
)

// isProto reports whether h can be the beginning of a profile.proto message.
func isProto(h []byte) bool {
	types := 0
	// Zeros fill up the block of a disk. Without those of a last field, that is only cut.
	ok := top.walk(bytes.TrimRight(h, "\x00"), func(field int, value []byte) bool {
		if field == 1 && len(value) > 0 {
			types++
		}
		shape, known := messages[field]
		return (types > 0 || field == 11) && (!known || shape.walk(value, nil))
	})
	return ok && types > 0
}

// walk goes through the fields of a message that may be cut off, and stops at the first that does
// not fit.
func (s shape) walk(m []byte, visit func(field int, value []byte) bool) bool {
	for len(m) > 0 {
		tag, n := binary.Uvarint(m)
		if n == 0 {
			return true // cut
		}
		field, wire := tag>>3, tag&7
		if n < 0 || field == 0 || field >= uint64(len(s)) || s[field]>>wire&1 == 0 {
			return false
		}
		m = m[n:]
		v, n := binary.Uvarint(m)
		if n <= 0 {
			return n == 0
		}
		m = m[n:]
		if wire == 0 {
			continue
		}
		value := m[:min(v, uint64(len(m)))]
		if visit != nil && !visit(int(field), value) {
			return false
		}
		m = m[len(value):]
	}
	return true
}
