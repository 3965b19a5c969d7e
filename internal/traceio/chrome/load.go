package chrome

import (
	"context"
	"io"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// Load reads a trace into b. It fails on text in which no event is found, unless it says itself
// that there are none.
func Load(ctx context.Context, src *input.Source, o input.Options, b *trace.Builder) error {
	return load(ctx, src, b, blockSize)
}

func load(ctx context.Context, src *input.Source, b *trace.Builder, size int) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop() // ends the stream's goroutine
	f := newFeed(b)
	s := newStream(ctx, src.Stream, size)
	d := document{stream: s, pipeline: pipeline{stream: s, feed: f}, kept: map[string][]byte{}}
	if err := d.read(ctx); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	failed := s.err != nil && s.err != io.EOF
	if f.records == 0 && (d.lists == 0 || d.open || failed || f.spoiled > 0) {
		var cause error
		if failed {
			cause = s.err
		}
		return &input.FormatError{File: src.Path, Offset: s.offset(),
			Reason: "no trace events", Err: cause}
	}
	switch {
	case failed:
		b.Diagnose(trace.Truncated, 1, "at offset %d: %v", s.offset(), s.err)
	case d.open:
		b.Diagnose(trace.Truncated, 1, "the text ends at offset %d, before its outermost bracket",
			s.offset())
	}
	f.link()
	f.apply()
	b.Tool = tool(d.kept)
	return nil
}
