// Package paje loads Paje traces: text files that declare their own events, as SimGrid, StarPU,
// Akypuera and ScrimP write them. It knows how containers and states become threads and calls, and
// classifies no function names.
//
// The format is described in "Paje trace file format" (B. de Oliveira Stein, J. Chassin de
// Kergommeaux, G. Mounié, 2010) and, as far as that leaves it open, by what PajeNG's pj_dump makes
// of a file. A file begins with definitions: each gives an event of the format a number of the
// file's own, and says which fields its lines have, in which order:
//
//	%EventDef PajePushState 12
//	%  Time date
//	%  Type string
//	%  Container string
//	%  Value string
//	%EndEventDef
//	12 0.000017 state rank-0 MPI_Send
//
// What becomes of the events:
//
//	containers   a container with states or events is a thread, one with several types of states
//	             is a thread for each of them. Its process is the outermost container around it,
//	             below the root or below a container whose type is a host; that one is its host.
//	states       calls: push and pop nest, set replaces all that is open, reset ends it. What is
//	             open when its container is destroyed, or when the trace ends, ends there
//	events       instants
//	variables    counters
//	links        flows, from the state in which they start to the one in which they end. A flow is
//	             a release only if that state is known to wait and began before (trace/flow.go)
//
// The stages: fields.go splits lines, header.go keeps the definitions, entities.go the types and
// containers, feed.go has the events, links.go joins the ends of links.
package paje

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// longest is the longest line that is read, in bytes.
const longest = 64 << 10

// Sniff reports whether the source looks like a Paje trace: its first line that is not empty or a
// comment begins a definition.
func Sniff(src *input.Source) bool {
	if src.Dir != nil {
		return false
	}
	rest := bytes.TrimPrefix(src.Head, []byte("\xef\xbb\xbf"))
	for len(rest) > 0 {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			words := bytes.Fields(bytes.TrimPrefix(line, []byte("%")))
			return line[0] == '%' && len(words) > 1 && string(words[0]) == "EventDef"
		}
	}
	return false
}

// Load reads a trace into b. It fails if no line is an event.
func Load(ctx context.Context, src *input.Source, _ input.Options, b *trace.Builder) error {
	f := newFeed(b)
	err := f.read(ctx, bufio.NewReaderSize(src.Stream, longest))
	if cancelled := ctx.Err(); cancelled != nil {
		return cancelled
	}
	if f.events == 0 {
		return &input.FormatError{File: src.Path, Offset: f.at, Reason: "no event of a Paje trace", Err: err}
	}
	if err != nil {
		b.Diagnose(trace.Truncated, 1, "after line %d: %v", f.line, err)
	}
	f.finish()
	return nil
}

// read feeds all lines. An error is why the rest cannot be read.
func (f *feed) read(ctx context.Context, in *bufio.Reader) error {
	for {
		line, err := in.ReadSlice('\n')
		f.at += int64(len(line))
		f.line++
		if f.line&0xfff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			f.bad("it is too long")
			for errors.Is(err, bufio.ErrBufferFull) {
				line, err = in.ReadSlice('\n')
				f.at += int64(len(line))
			}
			line = nil
		}
		f.take(line)
		switch {
		case errors.Is(err, io.EOF):
			if len(bytes.TrimSpace(line)) > 0 { // tools end each line
				f.b.Diagnose(trace.Truncated, 1, "line %d has no end, at offset %d", f.line, f.at)
			}
			return nil
		case err != nil:
			return err
		}
	}
}

// take feeds a line.
func (f *feed) take(line []byte) {
	line = bytes.TrimSpace(line)
	if f.line == 1 {
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	switch {
	case bytes.IndexByte(line, 0) >= 0: // a block of zeros took line ends along
		f.bad("a zero byte")
	case len(line) == 0 || line[0] == '#':
	case line[0] == '%':
		f.header.define(line[1:], f.bad)
	default:
		f.event(line)
	}
}

// bad counts the present line as broken.
func (f *feed) bad(why string) {
	f.b.Diagnose(trace.BadRecord, 1, "line %d: %s", f.line, why)
}
