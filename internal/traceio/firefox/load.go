// Package firefox loads profiles of the Firefox Profiler: those that Gecko writes itself, with a
// schema and rows for each table, and processed ones, with a list for each column, which
// profiler.firefox.com saves and which samply and other converters write. The formats are described
// in docs-developer of firefox-devtools/profiler; versions of processed profiles up to 75 are known
// here. Newer ones may come in a container for lists of numbers (slabs.go).
//
// The document passes through these stages:
//
//   - table.go reads tables of either form as columns; document.go reads the rest into profiles and
//     threads, of which the parts may refer to what follows in the text;
//   - name.go finds the functions that frames stand for;
//   - make.go makes the threads: thread.go calls of samples, marker.go tracks of markers;
//     schema.go has which of their values are numbers of texts.
//
// What becomes of the parts:
//
//	threads, processes       threads and processes; times of processes are moved to one clock
//	samples                  calls (package stacks); a sample without a stack shows nothing
//	pausedRanges             nothing is known of that time, so all calls end
//	(root)                   nothing: it is the caller of all others
//	frames without symbols   LIBRARY+0xOFFSET, outside of libraries [unknown]; counted
//	markers of one moment    instants of the thread
//	markers with a duration  calls on a track of their own, named for the thread
//	counters, allocations    not read, but counted
//
// Weights in bytes and samples without times are no timeline. If a profile has nothing else, their
// sums are shown.
package firefox

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/jsonin"
)

// Load reads a profile into b. It fails if there is no thread.
func Load(ctx context.Context, src *input.Source, o input.Options, b *trace.Builder) error {
	text, slabs, err := textOf(src, b)
	if err != nil {
		return err
	}
	r := newReader(text)
	d := &document{b: b}
	p := d.read(ctx, r, 0)
	err = r.Err()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case p.threads() == 0:
		return &input.FormatError{File: src.Path, Offset: r.Offset(),
			Reason: "no profile: it has no threads", Err: err}
	case err != nil:
		b.Diagnose(trace.Truncated, 1, "%v", err)
	case !r.End():
		b.Diagnose(trace.BadRecord, 1, "there is something behind the profile, from offset %d on", r.Offset())
	}
	if slabs != nil && slabs.gone > 0 {
		b.Diagnose(trace.BadRecord, slabs.gone, "%v", slabs.why)
	}
	d.misfits(r)
	b.Tool, b.Options, b.Symbols = p.tool(), p.meta.options(), true
	return newMaker(b, src, p).write(ctx)
}

// textOf returns the document's text, which is the stream itself or in slabs.
func textOf(src *input.Source, b *trace.Builder) (io.Reader, *slabReader, error) {
	if !bytes.HasPrefix(src.Head, slabsMagic) {
		return src.Stream, nil, nil
	}
	data, err := src.ReadAll()
	if errors.Is(err, input.ErrLimit) {
		return nil, nil, err
	}
	if err != nil {
		b.Diagnose(trace.Truncated, 1, "%v", err)
	}
	slabs, err := newSlabReader(data)
	if err != nil {
		return nil, nil, &input.FormatError{File: src.Path, Offset: -1, Reason: "no profile", Err: err}
	}
	return slabs, slabs, nil
}

// members are what objects of a profile have and others have not, by the member that they are in.
var members = map[string][]string{
	"meta":    {"preprocessedProfileVersion", "processType", "stackwalk", "markerSchema", "gcpoison"},
	"threads": {"stackTable", "frameTable", "stringTable", "stringArray", "pausedRanges"},
}

// Sniff reports whether the source looks like such a profile: an object with meta or threads that
// have the members of one, by itself or in what DevTools saves around it; or a document in slabs.
func Sniff(src *input.Source) bool {
	return bytes.HasPrefix(src.Head, slabsMagic) || looksLike(jsonin.NewHead(src.Head), true)
}

func looksLike(r *jsonin.Reader, outermost bool) bool {
	if r.Kind() != '{' {
		return false
	}
	before := ""
	for name := range r.Members() {
		switch name {
		case "meta":
			if hasOne(r, members[name]) {
				return true
			}
		case "threads":
			for range r.Elements() {
				return hasOne(r, members[name])
			}
		case "profile":
			if outermost && looksLike(r, false) {
				return true
			}
		case "traceEvents":
			return false
		}
		if before += name + " "; outermost && strings.HasPrefix(before, "label duration markers frames ") {
			return true
		}
	}
	return false
}

func hasOne(r *jsonin.Reader, names []string) bool {
	if r.Kind() != '{' {
		return false
	}
	for name := range r.Members() {
		for _, n := range names {
			if n == name {
				return true
			}
		}
	}
	return false
}
