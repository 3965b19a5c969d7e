package otlp

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"diptych/internal/trace"
	"diptych/internal/traceio/requests"
)

// Numbers of the fields that are read here, by message.
const (
	tracesResourceSpans = 1

	groupResource = 1 // ResourceSpans
	groupScopes   = 2
	groupSchema   = 3
	groupOldScope = 1000 // what scopes were called before version 0.15

	resourceAttributes = 1

	scopeSpansScope = 1
	scopeSpansSpans = 2

	scopeName       = 1
	scopeVersion    = 2
	scopeAttributes = 3

	spanTrace         = 1
	spanID            = 2
	spanState         = 3
	spanParent        = 4
	spanName          = 5
	spanKind          = 6
	spanStart         = 7
	spanEnd           = 8
	spanAttributes    = 9
	spanDropped       = 10
	spanEvents        = 11
	spanDroppedEvents = 12
	spanLinks         = 13
	spanDroppedLinks  = 14
	spanStatus        = 15

	eventTime       = 1
	eventName       = 2
	eventAttributes = 3

	linkTrace      = 1
	linkSpan       = 2
	linkAttributes = 4

	statusMessage = 2
	statusCode    = 3
)

// maxSpan bounds the messages that are held whole: spans, resources and scopes.
const maxSpan = 16 << 20

// wire reads protocol buffers from a stream. Messages of messages are walked through; only a span
// is held, so that it does not matter how many a message has.
type wire struct {
	in *bufio.Reader
	at int64 // offset in the stream
	*loader
	held bytes.Buffer
}

var errNoMessage = errors.New("no message of OTLP")

// file reads all messages. An error is why the rest cannot be read.
func (w *wire) file(framed bool) error {
	if !framed {
		return w.fields(math.MaxInt64, w.resourceSpans)
	}
	for {
		if _, err := w.in.Peek(1); err == io.EOF {
			return nil
		}
		var length [4]byte
		n, err := io.ReadFull(w.in, length[:])
		w.at += int64(n)
		if err != nil {
			return err
		}
		end := w.at + int64(binary.BigEndian.Uint32(length[:]))
		if err := w.part(end, w.resourceSpans); err != nil {
			return err
		}
	}
}

// part reads the fields of a message that ends at an offset. A message that is damaged is left with
// what was read of it, unless the stream ends.
func (w *wire) part(end int64, each func(protowire.Number, int64) error) error {
	err := w.fields(end, each)
	if errors.Is(err, errNoMessage) {
		w.b.Diagnose(trace.BadRecord, 1, "at offset %d: %v", w.at, err)
		err = w.skip(end - w.at)
	}
	return err
}

// fields calls each with the fields of a message that are messages themselves, and with where they
// end. What each leaves of them is passed over.
func (w *wire) fields(end int64, each func(number protowire.Number, end int64) error) error {
	for w.at < end {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		tag, err := w.varint()
		if err == io.EOF && end == math.MaxInt64 {
			return nil
		}
		if err != nil {
			return whole(err)
		}
		number, kind := protowire.DecodeTag(tag)
		n := uint64(0)
		switch kind {
		case protowire.BytesType, protowire.VarintType:
			n, err = w.varint()
		case protowire.Fixed64Type:
			n = 8
		case protowire.Fixed32Type:
			n = 4
		default:
			return errNoMessage
		}
		if err != nil {
			return whole(err)
		}
		if kind == protowire.VarintType {
			continue
		}
		if number < 1 || n > uint64(end-w.at) {
			return errNoMessage
		}
		to := w.at + int64(n)
		if kind == protowire.BytesType {
			if err := each(number, to); err != nil {
				return err
			}
		}
		if err := w.skip(to - w.at); err != nil {
			return err
		}
	}
	return nil
}

// whole makes the end of the stream inside a field an error.
func whole(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (w *wire) varint() (n uint64, err error) {
	for shift := 0; shift < 64; shift += 7 {
		c, err := w.in.ReadByte()
		if err != nil {
			if shift > 0 {
				err = whole(err)
			}
			return 0, err
		}
		w.at++
		n |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return n, nil
		}
	}
	return 0, errNoMessage
}

func (w *wire) skip(n int64) error {
	got, err := io.CopyN(io.Discard, w.in, n)
	w.at += got
	return whole(err)
}

// hold returns the bytes up to an offset, good until the next call; nil if they are too many.
func (w *wire) hold(end int64) ([]byte, error) {
	n := end - w.at
	if n > maxSpan {
		w.b.Diagnose(trace.BadRecord, 1, "at offset %d: a message of %d bytes", w.at, n)
		return nil, w.skip(n)
	}
	w.held.Reset() // it grows with what is there, not with what a broken length promises
	got, err := io.CopyN(&w.held, w.in, n)
	w.at += got
	return w.held.Bytes(), whole(err)
}

// resourceSpans reads the spans of a resource, which may be told before them or after.
func (w *wire) resourceSpans(number protowire.Number, end int64) error {
	if number != tracesResourceSpans {
		return nil
	}
	r := &requests.Resource{}
	return w.part(end, func(number protowire.Number, end int64) error {
		switch number {
		case groupResource:
			body, err := w.hold(end)
			w.readResource(r, body)
			return err
		case groupScopes, groupOldScope:
			return w.scopeSpans(r, end)
		}
		return nil
	})
}

// scopeSpans reads the spans of a scope. Where the scope is told after them, which no writer does,
// it is not told of them.
func (w *wire) scopeSpans(r *requests.Resource, end int64) error {
	s := &scope{}
	return w.part(end, func(number protowire.Number, end int64) error {
		if number != scopeSpansScope && number != scopeSpansSpans {
			return nil
		}
		body, err := w.hold(end)
		if number == scopeSpansScope {
			w.readScope(s, body)
		} else if body != nil && err == nil {
			w.readSpan(body)
			w.add(r, s, w.at)
		}
		return err
	})
}
