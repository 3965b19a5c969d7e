package report

import (
	"context"
	"io"
	"iter"
	"math"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"diptych/internal/align"
	"diptych/internal/progress"
	"diptych/internal/trace"
)

// A Perfetto trace is a message of packets (Trace.packet). Each track is written as a packet
// sequence of its own, as if by a thread that traces itself: its first packet clears the
// incremental state and says that all events are on the track; a name is sent with the first event
// that has it, under a number that stands for it from then on. Timestamps never fall in a sequence,
// so ends and begins at one time stay in the order that nests.
//
// Numbers of fields are those of Perfetto's trace_packet.proto, track_descriptor.proto,
// track_event.proto, debug_annotation.proto, counter_descriptor.proto and interned_data.proto.
const (
	tracePacket = 1

	// Of TracePacket.
	packetTimestamp  = 8
	packetSequence   = 10 // trusted_packet_sequence_id
	packetTrackEvent = 11
	packetInterned   = 12
	packetFlags      = 13 // sequence_flags
	stateCleared     = 1  // SEQ_INCREMENTAL_STATE_CLEARED
	needsState       = 2  // SEQ_NEEDS_INCREMENTAL_STATE
	packetDefaults   = 59
	packetTrack      = 60

	// Of TracePacketDefaults.
	defaultsTrackEvent = 11

	// Of TrackDescriptor.
	trackUUID     = 1
	trackName     = 2
	trackParent   = 5
	trackCounter  = 8
	trackOrdering = 11 // child_ordering
	orderExplicit = 3
	trackRank     = 12 // sibling_order_rank
	trackMerging  = 15 // sibling_merge_behavior
	mergeNone     = 2

	// Of CounterDescriptor.
	counterUnit     = 3
	unitNs          = 1
	counterUnitName = 6

	// Of TrackEvent.
	eventArg       = 4 // debug_annotations
	eventType      = 9
	typeSliceBegin = 1
	typeSliceEnd   = 2
	typeCounter    = 4
	eventName      = 10 // name_iid
	eventTrack     = 11
	eventInt       = 30 // counter_value
	eventDouble    = 44 // double_counter_value
	eventFlow      = 47

	// Of DebugAnnotation.
	argName = 1 // name_iid
	argInt  = 4
	argText = 17 // string_value_iid

	// Of InternedData, and of the entries of its tables.
	internedEvents   = 2
	internedArgNames = 3
	internedTexts    = 29 // debug_annotation_string_values
	internedID       = 1
	internedText     = 2
)

// WritePerfetto writes aligned threads as one trace that Perfetto opens: for each pair a track with
// tracks below it for A, B, the status, the skew in the traces' unit and the dissimilarity in
// [0,1]. Everything of a pair is on the pair's own virtual time, from 0 at the first root. Moved
// calls are linked by flows. Memory depends on the largest pair, not on the trace.
func WritePerfetto(ctx context.Context, w io.Writer, results []*align.Result,
	report progress.Func) error {
	p := &perfetto{out: w, pass: newPass(ctx, results, 2, report)}
	for k, r := range results {
		v, err := r.Virtual(ctx)
		if err == nil {
			err = p.pair(ctx, &layout{Virtual: v}, k)
		}
		if err != nil {
			return err
		}
	}
	p.flush()
	return p.err
}

// perfetto writes packets. The first error stays.
type perfetto struct {
	out io.Writer
	m   message // packets that have not been written yet
	err error
	*pass

	names         []string // by identity
	sequence      uint64   // the current one, which is also its track's uuid
	events, texts []uint64 // by label: the last sequence that has interned it
	open          []int64  // virtual ends of the slices that are open, by depth
	links         uint64   // how many there are so far
}

// block is how many bytes are gathered before they are written.
const block = 1 << 16

func (p *perfetto) flush() {
	if p.err == nil && len(p.m) > 0 {
		_, p.err = p.out.Write(p.m)
	}
	p.m = p.m[:0]
}

// Tracks of a pair, by rank among its children.
const (
	skewTrack = len(trackNames) + iota
	dissimilarityTrack
	tracksOfPair
)

// pair writes all tracks of the k-th pair of threads.
func (p *perfetto) pair(ctx context.Context, l *layout, k int) error {
	parent := uint64(k*(tracksOfPair+1) + 1)
	if err := l.link(ctx, &p.links); err != nil {
		return err
	}
	p.know(l.Pair.Names)
	p.group(parent, title(l.Result))
	for t, slices := range l.tracks() {
		p.begin(parent, t, trackNames[t], nil)
		if err := p.slices(slices); err != nil {
			return err
		}
	}
	return p.counters(ctx, l, parent)
}

// know sets the names, which are the same for all pairs of two traces.
func (p *perfetto) know(names []string) {
	if p.names == nil {
		p.names = names
		p.events, p.texts = make([]uint64, states+len(names)), make([]uint64, states+len(names))
	}
}

// group describes the track that a pair's tracks lie under.
func (p *perfetto) group(uuid uint64, name string) {
	packet := p.m.open(tracePacket)
	track := p.m.open(packetTrack)
	p.m.uint(trackUUID, uuid)
	p.m.text(trackName, strings.ToValidUTF8(name, "\uFFFD"))
	p.m.uint(trackOrdering, orderExplicit)
	p.m.uint(trackMerging, mergeNone)
	p.m.close(track)
	p.m.close(packet)
}

// begin describes a track and begins its sequence. A track with a unit is a counter's.
func (p *perfetto) begin(parent uint64, rank int, name string, unit func()) {
	p.sequence = parent + 1 + uint64(rank)
	packet := p.m.open(tracePacket)
	p.m.uint(packetSequence, p.sequence)
	p.m.uint(packetFlags, stateCleared)
	track := p.m.open(packetTrack)
	p.m.uint(trackUUID, p.sequence)
	p.m.uint(trackParent, parent)
	p.m.text(trackName, name)
	p.m.uint(trackRank, uint64(rank))
	if unit != nil {
		counter := p.m.open(trackCounter)
		unit()
		p.m.close(counter)
	}
	p.m.close(track)
	defaults := p.m.open(packetDefaults)
	event := p.m.open(defaultsTrackEvent)
	p.m.uint(eventTrack, p.sequence)
	p.m.close(event)
	p.m.close(defaults)
	interned := p.m.open(packetInterned)
	for k, name := range keyNames {
		p.intern(internedArgNames, uint64(k), name)
	}
	p.m.close(interned)
	p.m.close(packet)
}

// intern makes number k, which is 0 or more, stand for a text in a table of the sequence.
func (p *perfetto) intern(table protowire.Number, k uint64, text string) {
	entry := p.m.open(table)
	p.m.uint(internedID, k+1)
	p.m.text(internedText, strings.ToValidUTF8(text, "\uFFFD"))
	p.m.close(entry)
}

// slices writes a track's slices as begins and ends.
func (p *perfetto) slices(all iter.Seq[*slice]) error {
	for sl := range all {
		p.endDownTo(int(sl.depth))
		packet := p.event(sl.at)
		p.news(sl)
		p.sliceBegin(sl)
		p.finish(packet)
		p.open = append(p.open, sl.end)
		if err := p.step(sl.calls); err != nil {
			return err
		}
		if p.err != nil {
			return p.err
		}
	}
	p.endDownTo(0)
	return p.err
}

// endDownTo ends the open slices that are not callers of one at the given depth.
func (p *perfetto) endDownTo(depth int) {
	for len(p.open) > depth {
		last := len(p.open) - 1
		packet := p.event(p.open[last])
		event := p.m.open(packetTrackEvent)
		p.m.uint(eventType, typeSliceEnd)
		p.m.close(event)
		p.finish(packet)
		p.open = p.open[:last]
	}
}

// event begins a packet of the current sequence.
func (p *perfetto) event(at int64) (packet int) {
	packet = p.m.open(tracePacket)
	p.m.int(packetTimestamp, at)
	p.m.uint(packetSequence, p.sequence)
	p.m.uint(packetFlags, needsState)
	return packet
}

func (p *perfetto) finish(packet int) {
	p.m.close(packet)
	if len(p.m) >= block {
		p.flush()
	}
}

// news interns those labels of a slice that its sequence does not know yet.
func (p *perfetto) news(sl *slice) {
	interned := 0
	learn := func(table protowire.Number, known []uint64, n label) {
		if known[n] == p.sequence {
			return
		}
		if known[n] = p.sequence; interned == 0 {
			interned = p.m.open(packetInterned)
		}
		p.intern(table, uint64(n), n.text(p.names))
	}
	learn(internedEvents, p.events, sl.name)
	for _, a := range sl.args {
		if a.labels() {
			learn(internedTexts, p.texts, label(a.value))
		}
	}
	if interned > 0 {
		p.m.close(interned)
	}
}

func (p *perfetto) sliceBegin(sl *slice) {
	event := p.m.open(packetTrackEvent)
	p.m.uint(eventType, typeSliceBegin)
	p.m.uint(eventName, uint64(sl.name)+1)
	for _, a := range sl.args {
		arg := p.m.open(eventArg)
		p.m.uint(argName, uint64(a.key)+1)
		if a.labels() {
			p.m.uint(argText, uint64(a.value)+1)
		} else {
			p.m.int(argInt, a.value)
		}
		p.m.close(arg)
	}
	if sl.flow != 0 {
		p.m.fixed64(eventFlow, sl.flow)
	}
	p.m.close(event)
}

// counters writes how the pair differs over virtual time.
func (p *perfetto) counters(ctx context.Context, l *layout, parent uint64) error {
	t, err := l.timeline(ctx)
	if err != nil {
		return err
	}
	p.begin(parent, skewTrack, "skew", func() {
		if unit := l.Pair.A.Unit; unit == trace.Nanoseconds {
			p.m.uint(counterUnit, unitNs)
		} else {
			p.m.text(counterUnitName, strings.ToValidUTF8(string(unit), "\uFFFD"))
		}
	})
	for k, skew := range t.Skew {
		p.count(l.sampled(k), func() { p.m.int(eventInt, skew) })
	}
	p.begin(parent, dissimilarityTrack, "dissimilarity",
		func() { p.m.text(counterUnitName, "share") })
	for k, share := range t.Dissimilarity {
		p.count(l.sampled(k), func() { p.m.double(eventDouble, share) })
	}
	return p.err
}

// count writes a counter's value.
func (p *perfetto) count(at int64, value func()) {
	packet := p.event(at)
	event := p.m.open(packetTrackEvent)
	p.m.uint(eventType, typeCounter)
	value()
	p.m.close(event)
	p.finish(packet)
}

// message is a protocol buffer message that is being written. Messages in it are written in place,
// between open and close: building them apart would copy each packet twice.
type message []byte

// uint writes a field of an unsigned or enumerated type.
func (m *message) uint(field protowire.Number, v uint64) {
	*m = protowire.AppendVarint(protowire.AppendTag(*m, field, protowire.VarintType), v)
}

// int writes an int64 field. Negative numbers take ten bytes.
func (m *message) int(field protowire.Number, v int64) { m.uint(field, uint64(v)) }

func (m *message) fixed64(field protowire.Number, v uint64) {
	*m = protowire.AppendFixed64(protowire.AppendTag(*m, field, protowire.Fixed64Type), v)
}

func (m *message) double(field protowire.Number, v float64) { m.fixed64(field, math.Float64bits(v)) }

func (m *message) text(field protowire.Number, s string) {
	*m = protowire.AppendString(protowire.AppendTag(*m, field, protowire.BytesType), s)
}

// open begins a message as a field of m and returns what close needs to end it.
func (m *message) open(field protowire.Number) (at int) {
	*m = append(protowire.AppendTag(*m, field, protowire.BytesType), 0)
	return len(*m)
}

// close ends the message that begins at at. One byte is set aside for its length; the message moves
// if that needs more, which few do.
func (m *message) close(at int) {
	n := uint64(len(*m) - at)
	if more := protowire.SizeVarint(n) - 1; more > 0 {
		*m = slices.Insert(*m, at, make([]byte, more)...)
	}
	protowire.AppendVarint((*m)[:at-1], n)
}
