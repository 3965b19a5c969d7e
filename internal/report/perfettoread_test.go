package report

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"pgregory.net/rapid"
)

// This reader is made from Perfetto's definition of its format, with its numbers written out
// again, and knows nothing of the writer.

// readTrack is a track with what is on it.
type readTrack struct {
	name, unit string
	parent     uint64
	counter    bool
	slices     []readSlice
	values     map[string][]float64 // by kind of value, int or double
	at         []int64              // times of values
	open       []int                // slices that have not ended
}

type readSlice struct {
	name       string
	start, end int64
	depth      int
	args       map[string]string
	flows      []uint64
}

// readSequence is the incremental state of a packet sequence.
type readSequence struct {
	valid                bool
	track                uint64
	now                  int64
	events, names, texts map[uint64]string
}

type reader struct {
	tracks    map[uint64]*readTrack
	sequences map[uint64]*readSequence
}

// readPerfetto reads a trace and checks what the format demands of it.
func readPerfetto(file []byte) (map[uint64]*readTrack, error) {
	r := reader{map[uint64]*readTrack{}, map[uint64]*readSequence{}}
	packets, err := fieldsOf(file)
	if err != nil {
		return nil, err
	}
	for k, f := range packets {
		if f.number != 1 || f.wire != 2 {
			return nil, fmt.Errorf("field %d in the trace", f.number)
		}
		if err := r.packet(f.body); err != nil {
			return nil, fmt.Errorf("packet %d: %w", k, err)
		}
	}
	for uuid, t := range r.tracks {
		if len(t.open) > 0 {
			return nil, fmt.Errorf("track %d: %d slices without an end", uuid, len(t.open))
		}
	}
	return r.tracks, nil
}

// one returns the last field of a number, as a reader of a field that is not repeated does.
func one(fields []field, number int) (field, bool) {
	for _, f := range slices.Backward(fields) {
		if f.number == number {
			return f, true
		}
	}
	return field{}, false
}

// inner returns the fields of a message in a message.
func inner(fields []field, number int) ([]field, bool, error) {
	f, ok := one(fields, number)
	if !ok {
		return nil, false, nil
	}
	out, err := fieldsOf(f.body)
	return out, true, err
}

func (r *reader) packet(body []byte) error {
	fields, err := fieldsOf(body)
	if err != nil {
		return err
	}
	track, is, err := inner(fields, 60) // track_descriptor
	if is && err == nil {
		err = r.describe(track)
	}
	if err != nil {
		return err
	}
	id, _ := one(fields, 10) // trusted_packet_sequence_id
	s := r.sequences[id.n]
	if s == nil {
		s = &readSequence{}
		r.sequences[id.n] = s
	}
	flags, _ := one(fields, 13) // sequence_flags
	if flags.n&1 != 0 {         // SEQ_INCREMENTAL_STATE_CLEARED
		*s = readSequence{true, 0, s.now, map[uint64]string{}, map[uint64]string{}, map[uint64]string{}}
	}
	if defaults, is, err := inner(fields, 59); is { // trace_packet_defaults
		event, _, err2 := inner(defaults, 11) // track_event_defaults
		uuid, _ := one(event, 11)
		if s.track = uuid.n; err != nil || err2 != nil {
			return errors.Join(err, err2)
		}
	}
	if interned, is, err := inner(fields, 12); is { // interned_data
		if err := errors.Join(err, s.intern(interned)); err != nil {
			return err
		}
	}
	event, is, err := inner(fields, 11) // track_event
	if !is || err != nil {
		return err
	}
	if flags.n&2 == 0 || !s.valid || id.n == 0 { // SEQ_NEEDS_INCREMENTAL_STATE
		return errors.New("an event without the state that it needs")
	}
	at, timed := one(fields, 8) // timestamp
	if !timed || int64(at.n) < s.now {
		return fmt.Errorf("time %d after %d", at.n, s.now)
	}
	s.now = int64(at.n)
	return r.event(s, event)
}

func (r *reader) describe(fields []field) error {
	uuid, _ := one(fields, 1)
	parent, _ := one(fields, 5)
	name, _ := one(fields, 2)
	counter, is, err := inner(fields, 8)
	if r.tracks[uuid.n] != nil || uuid.n == 0 || parent.n != 0 && r.tracks[parent.n] == nil {
		return fmt.Errorf("track %d under %d", uuid.n, parent.n)
	}
	unit, _ := one(counter, 3)
	unitName, _ := one(counter, 6)
	r.tracks[uuid.n] = &readTrack{name: string(name.body), parent: parent.n, counter: is,
		unit: fmt.Sprint(unit.n, string(unitName.body)), values: map[string][]float64{}}
	return err
}

func (s *readSequence) intern(fields []field) error {
	tables := map[int]map[uint64]string{2: s.events, 3: s.names, 29: s.texts}
	for _, f := range fields {
		entry, err := fieldsOf(f.body)
		id, _ := one(entry, 1)
		text, _ := one(entry, 2)
		table := tables[f.number]
		if _, has := table[id.n]; err != nil || table == nil || id.n == 0 || has {
			return fmt.Errorf("interned %d in table %d: %v", id.n, f.number, err)
		}
		table[id.n] = string(text.body)
	}
	return nil
}

func (r *reader) event(s *readSequence, fields []field) error {
	t := r.tracks[s.track]
	kind, _ := one(fields, 9)
	if t == nil || t.counter != (kind.n == 4) {
		return fmt.Errorf("event of type %d on track %d", kind.n, s.track)
	}
	switch kind.n {
	case 1: // TYPE_SLICE_BEGIN
		id, _ := one(fields, 10)
		name, known := s.events[id.n]
		sl := readSlice{name: name, start: s.now, depth: len(t.open), args: map[string]string{}}
		for _, f := range fields {
			switch f.number {
			case 4: // debug_annotations
				if err := sl.arg(s, f.body); err != nil {
					return err
				}
			case 47: // flow_ids
				sl.flows = append(sl.flows, f.n)
			}
		}
		if !known {
			return fmt.Errorf("no event is called %d", id.n)
		}
		t.open = append(t.open, len(t.slices))
		t.slices = append(t.slices, sl)
	case 2: // TYPE_SLICE_END
		last := len(t.open) - 1
		if last < 0 {
			return errors.New("an end without a begin")
		}
		t.slices[t.open[last]].end, t.open = s.now, t.open[:last]
	case 4: // TYPE_COUNTER
		t.at = append(t.at, s.now)
		if v, is := one(fields, 30); is {
			t.values["int"] = append(t.values["int"], float64(int64(v.n)))
		} else if v, is := one(fields, 44); is {
			t.values["double"] = append(t.values["double"], math.Float64frombits(v.n))
		}
	}
	return nil
}

func (sl *readSlice) arg(s *readSequence, body []byte) error {
	fields, err := fieldsOf(body)
	id, _ := one(fields, 1)
	name, known := s.names[id.n]
	if _, twice := sl.args[name]; err != nil || !known || twice {
		return fmt.Errorf("argument %d: %v", id.n, err)
	}
	if v, is := one(fields, 4); is {
		sl.args[name] = fmt.Sprint(int64(v.n))
		return nil
	}
	text, _ := one(fields, 17)
	if sl.args[name], known = s.texts[text.n]; !known {
		return fmt.Errorf("no text is called %d", text.n)
	}
	return nil
}

// field is one field of a message as the wire format has it, read without knowing what it means.
type field struct {
	number int
	wire   uint64
	n      uint64 // a varint or 64 bits
	body   []byte // of a field with a length
}

var errWire = errors.New("broken message")

// fieldsOf reads a message from the definition of the wire format.
func fieldsOf(b []byte) (out []field, err error) {
	number := func() uint64 {
		n, size := binary.Uvarint(b)
		if size <= 0 {
			err, size = errWire, 0
		}
		b = b[size:]
		return n
	}
	for len(b) > 0 && err == nil {
		tag := number()
		f := field{number: int(tag >> 3), wire: tag & 7}
		switch {
		case err != nil:
		case f.wire == 0:
			f.n = number()
		case f.wire == 1 && len(b) >= 8:
			f.n, b = binary.LittleEndian.Uint64(b), b[8:]
		case f.wire == 2:
			if n := number(); n <= uint64(len(b)) {
				f.body, b = b[:n], b[n:]
			} else {
				err = errWire
			}
		default:
			err = fmt.Errorf("%w: wire type %d", errWire, f.wire)
		}
		out = append(out, f)
	}
	return out, err
}

// drawn is a message to be written: numbers, texts and messages.
type drawn struct {
	number int
	value  any // uint64, fixed, string or []drawn
}

type fixed uint64

func drawMessage(t *rapid.T, depth int) []drawn {
	out := make([]drawn, rapid.IntRange(0, 6).Draw(t, "fields"))
	for k := range out {
		out[k].number = rapid.IntRange(1, 1000).Draw(t, "number")
		switch kind := rapid.IntRange(0, 3).Draw(t, "kind"); {
		case kind == 0:
			out[k].value = rapid.Uint64().Draw(t, "value")
		case kind == 1:
			out[k].value = fixed(rapid.Uint64().Draw(t, "fixed"))
		case kind == 2 || depth == 0:
			n := rapid.SampledFrom([]int{0, 1, 126, 127, 128, 129, 16383, 16384}).Draw(t, "length")
			out[k].value = string(make([]byte, n))
		default:
			out[k].value = drawMessage(t, depth-1)
		}
	}
	return out
}

func (m *message) write(fields []drawn) {
	for _, f := range fields {
		number := protowire.Number(f.number)
		switch v := f.value.(type) {
		case uint64:
			m.uint(number, v)
		case fixed:
			m.fixed64(number, uint64(v))
		case string:
			m.text(number, v)
		case []drawn:
			at := m.open(number)
			m.write(v)
			m.close(at)
		}
	}
}

func same(t *rapid.T, want []drawn, body []byte) {
	got, err := fieldsOf(body)
	if err != nil || len(got) != len(want) {
		t.Fatalf("%d fields, %v; want %d", len(got), err, len(want))
	}
	for k, w := range want {
		g, ok := got[k], false
		switch v := w.value.(type) {
		case uint64:
			ok = g.wire == 0 && g.n == v
		case fixed:
			ok = g.wire == 1 && g.n == uint64(v)
		case string:
			ok = g.wire == 2 && string(g.body) == v
		case []drawn:
			ok = g.wire == 2
			same(t, v, g.body)
		}
		if !ok || g.number != w.number {
			t.Fatalf("field %d of wire type %d, want %v", g.number, g.wire, w)
		}
	}
}

// TestMessage holds that a message is read back as it was written, with messages nested in it and
// lengths of one byte and more.
func TestMessage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fields := drawMessage(t, 4)
		var m message
		m.write(fields)
		same(t, fields, m)
	})
}
