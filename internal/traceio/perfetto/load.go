// Package perfetto loads Perfetto's protobuf traces (.pftrace, .perfetto-trace). It knows of the
// format what makes calls, waits and links; all other kinds of packets are counted and skipped. It
// classifies no function names.
//
// The format is defined by the files below protos/perfetto/trace of Perfetto's repository;
// numbers.go has the fields that are read here. A file is a Trace: packets, each on a sequence that
// one writer wrote. Packets of a sequence are in order and refer to what earlier ones of it have
// stated; sequences are in no order to each other. The packets pass through these stages:
//
//   - packets.go takes one packet at a time from the stream, and unpacks compressed ones; wire.go
//     walks over the fields of a message, and feed.go sees what kind of packet it is;
//   - sequence.go keeps what a sequence has stated: texts by number, defaults, its clocks;
//   - clock.go turns times on any clock into times on the trace's own;
//   - track.go finds the thread of an event, event.go feeds it to the Builder; legacy.go does that
//     for the phases of Chrome's older macros, counter.go reads values of counters, args.go writes
//     annotations as JSON;
//   - ftrace.go reads events of the Linux kernel, atrace.go what Android programs write there, and
//     sched.go makes calls of the time that threads had no processor;
//   - stretches.go makes calls of states, and of atrace's slices that are no thread's;
//   - samples.go makes calls of stack samples, stacksample.go of those whose stacks need not be
//     interned.
//
// What becomes of the kinds of events:
//
//	SLICE_BEGIN, SLICE_END  a call of the thread of the track, or of the track itself if it is
//	                        no thread's; so are phases B, E and X
//	INSTANT, phases i I R   instants of the track
//	COUNTER                 a counter of the process
//	STATE                   a call of the track, until its next state
//	flow ids                links from each event with the id to the next one
//	phases b e n, s t f     as in Chrome's JSON: lanes of an id, and flows
//	sched_switch            a call "linux:schedule" for as long as a thread has no processor; it
//	                        is a wait if the thread gave the processor up
//	sched_waking            the release that ended such a wait
//	print                   what Android's atrace writes: slices, lanes, counters
//	funcgraph_entry, exit   a call of a function of the kernel
//	stack samples           calls of a thread beside the one that was sampled (package stacks)
//
// Descriptions of tracks, processes and threads may follow the events that they are about, so names
// are set at the end.
package perfetto

import (
	"bufio"
	"context"
	"errors"
	"io"

	"google.golang.org/protobuf/encoding/protowire"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// Load reads a trace into b. It fails if there is no sound packet.
func Load(ctx context.Context, src *input.Source, o input.Options, b *trace.Builder) error {
	f := newFeed(b)
	in := packets{in: bufio.NewReaderSize(src.Stream, readSize)}
	err := f.read(ctx, &in, src.Unpack)
	if cancelled := ctx.Err(); cancelled != nil {
		return cancelled
	}
	if !f.known {
		return &input.FormatError{File: src.Path, Offset: in.at, Reason: "no packet of a trace",
			Err: err}
	}
	if err != nil {
		b.Diagnose(trace.Truncated, 1, "at offset %d: %v", in.at, err)
	}
	return f.finish(ctx)
}

// read feeds all packets of a stream. An error is why the rest of the stream cannot be read.
func (f *feed) read(ctx context.Context, in *packets, unpack unpacker) error {
	for {
		p, err := in.next()
		f.at = in.at
		lost := err != nil && (errors.Is(err, errNoPacket) || errors.Is(err, io.ErrUnexpectedEOF))
		switch {
		case err != nil && errors.Is(err, io.EOF):
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case lost && in.recover():
			f.bad(trace.PlainError(err))
			continue
		case err != nil:
			return err
		}
		f.known = f.known || looksLikePacket(p)
		packed, sound := f.packet(p)
		switch {
		case !sound:
			f.bad("it is no packet")
			in.recover()
			continue
		case packed != nil:
			f.compressed(ctx, packed, unpack)
		}
	}
}

// compressed feeds the packets that a packet holds in compressed form. They hold none themselves.
func (f *feed) compressed(ctx context.Context, data []byte, unpack unpacker) {
	if unpack == nil {
		f.bad("compressed packets in compressed packets")
		return
	}
	r, err := inflate(data)
	if err == nil {
		defer r.Close()
		in := packets{in: bufio.NewReaderSize(unpack(r, int64(len(data))), readSize)}
		err = f.read(ctx, &in, nil)
	}
	if err != nil {
		f.bad("compressed packets: " + trace.PlainError(err))
	}
}

// bad counts a broken packet, or a broken part of one.
func (f *feed) bad(what string) {
	f.b.Diagnose(trace.BadRecord, 1, "packet before offset %d: %s", f.at, what)
}

// notRead counts an event of a kind that is not read here.
func (f *feed) notRead(what string, kind any) {
	f.b.Diagnose(trace.NotRead, 1, "packet before offset %d: "+what, f.at, kind)
}

// kinds are the encodings of the fields of a TracePacket that packets mostly begin with. Other
// formats that are protocol buffers too have something else under their numbers.
var kinds = map[protowire.Number]protowire.Type{
	packetFtrace: protowire.BytesType, packetProcessTree: protowire.BytesType,
	packetChromeEvents: protowire.BytesType, packetClocks: protowire.BytesType,
	packetTimestamp: protowire.VarintType, packetSequence: protowire.VarintType,
	packetTrackEvent: protowire.BytesType, packetInterned: protowire.BytesType,
	packetFlags: protowire.VarintType, packetCleared: protowire.VarintType,
	packetDropped: protowire.VarintType, packetThread: protowire.BytesType,
	packetProcess: protowire.BytesType, packetSystem: protowire.BytesType,
	packetCompressed: protowire.BytesType, packetClockID: protowire.VarintType,
	packetDefaults: protowire.BytesType, packetTrack: protowire.BytesType,
	packetFirst: protowire.VarintType, packetZstd: protowire.BytesType,
	packetUID: protowire.VarintType, packetPID: protowire.VarintType,
	packetConfig: protowire.BytesType, packetStats: protowire.BytesType,
	packetMarker: protowire.BytesType, packetUUID: protowire.BytesType,
}

// Sniff reports whether the source looks like a trace: packets whose fields are encoded as those of
// a TracePacket are. Most of the first packets must be like that; one may be damaged, or reach
// beyond the head.
func Sniff(src *input.Source) bool {
	const enough = 16
	known := 0
	for f := fieldsOf(src.Head); known < enough; {
		rest := f.rest
		if !f.next() {
			return known > 0 || reachesBeyond(rest, len(src.Head))
		}
		if !f.is(tracePacket, protowire.BytesType) {
			return false
		}
		if n := len(f.body); n > 0 {
			if !looksLikePacket(f.body) {
				return false
			}
			known++
		}
	}
	return true
}

// reachesBeyond reports whether rest, which is no whole field, is the beginning of a packet that
// fills a full head.
func reachesBeyond(rest []byte, head int) bool {
	number, kind, k := protowire.ConsumeTag(rest)
	if k < 0 || number != tracePacket || kind != protowire.BytesType || head < input.HeadSize {
		return false
	}
	_, n := protowire.ConsumeVarint(rest[k:])
	if n < 0 {
		return false
	}
	f := fieldsOf(rest[k+n:])
	return f.next() && kinds[f.number] == f.kind && f.number != 0
}

// looksLikePacket reports whether a message has fields of a TracePacket and nothing else.
func looksLikePacket(body []byte) bool {
	known := false
	f := fieldsOf(body)
	for f.next() {
		kind, ok := kinds[f.number]
		if ok && kind != f.kind {
			return false
		}
		known = known || ok
	}
	return known && !f.broken
}
