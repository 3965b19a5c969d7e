package chrome

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"slices"

	"diptych/internal/trace"
	"diptych/internal/traceio/jsonin"
)

// document walks over what surrounds the events. Its values may be of any size (stack frames,
// sources), so they are passed over byte by byte; only the few that tell of the recording tool are
// kept.
type document struct {
	stream   *stream
	pipeline pipeline
	kept     map[string][]byte
	lists    int  // lists of events found
	open     bool // the text ended before the document did
}

// errCut says that the text ends inside a value, errBroken that it is no JSON.
var (
	errCut    = errors.New("the text ends early")
	errBroken = errors.New("not JSON")
)

// maxKept bounds the metadata that is kept.
const maxKept = 1 << 20

// read reads the whole document.
func (d *document) read(ctx context.Context) error {
	d.passBOM()
	var err error
	switch d.space() {
	case '[':
		d.stream.next()
		d.lists++
		if err = d.array(ctx, false); err == nil {
			d.end()
		}
		return err
	case '{':
		d.stream.next()
		if err = d.members(ctx); err == nil {
			d.end()
		}
	case 0:
		err = errCut
	default:
		err = errBroken
	}
	if errors.Is(err, errBroken) {
		d.pipeline.feed.bad(1, d.stream.offset(), "no JSON outside the events")
		if d.lists == 0 { // perhaps the defect hides only where the events begin
			d.lists++
			return d.array(ctx, true)
		}
		return nil
	}
	if errors.Is(err, errCut) {
		d.open = true
		return nil
	}
	return err
}

// end tells of text after the outermost bracket, such as a second trace, which is not read.
func (d *document) end() {
	if d.space() != 0 {
		d.pipeline.feed.bad(1, d.stream.offset(), "text after the end of the trace is not read")
	}
}

// array reads a list of events that makes up the rest of the text. It may end anywhere, but not
// inside an event.
func (d *document) array(ctx context.Context, lost bool) error {
	_, err := d.pipeline.events(ctx, lost)
	d.open = len(d.pipeline.tail) > 0
	return err
}

func (d *document) passBOM() {
	for _, c := range []byte("\xef\xbb\xbf") {
		if d.stream.peek() != c {
			return
		}
		d.stream.next()
	}
}

// space passes over white space and returns the byte after it, 0 at the end. NUL bytes, which the
// stream counts, are passed over as well.
func (d *document) space() byte {
	for {
		c := d.stream.peek()
		if c > ' ' || c == 0 && d.stream.ended() {
			return c
		}
		d.stream.next()
	}
}

// members reads the members of the outermost object, whose brace has been taken.
func (d *document) members(ctx context.Context) error {
	for {
		switch c := d.space(); c {
		case ',':
			d.stream.next()
			continue
		case '}':
			d.stream.next()
			return nil
		case '"':
		default:
			return fault(c)
		}
		name, err := d.value(true)
		if err != nil {
			return err
		}
		if c := d.space(); c != ':' {
			return fault(c)
		}
		d.stream.next()
		if err := d.member(ctx, jsonin.Text(bytes.Trim(name, `"`))); err != nil {
			return err
		}
	}
}

// fault is the error of finding c where it does not belong.
func fault(c byte) error {
	if c == 0 {
		return errCut
	}
	return errBroken
}

// member reads the value of a member of the outermost object.
func (d *document) member(ctx context.Context, name string) error {
	if d.space() == '[' && (name == "traceEvents" || d.holdsEvents()) {
		d.stream.next()
		d.lists++
		ended, err := d.pipeline.events(ctx, false)
		if err == nil && !ended {
			err = errCut
		}
		return err
	}
	if name == "traceEvents" {
		if c := d.stream.peek(); c != 'n' {
			return fault(c)
		}
		d.lists++ // null is what encoders of some languages make of a list that is empty
	}
	switch c := d.space(); {
	case c == '[' && name == "samples", c == '{' && name == "stackFrames":
		return d.listed(name)
	case name == "systemTraceEvents" && d.holdsSomething():
		d.pipeline.feed.b.Diagnose(trace.NotRead, 1, "at offset %d: a trace of the system beside the events",
			d.stream.offset())
	}
	keep := toolMembers[name] || slices.Contains(optionMembers, name)
	v, err := d.value(keep)
	if keep && err == nil {
		d.kept[name] = v
	}
	return err
}

// holdsSomething reports whether a list or a text is ahead that is not empty.
func (d *document) holdsSomething() bool {
	const enough = 256 // bytes, with white space
	b := d.stream.ahead(enough)
	if len(b) == 0 || b[0] != '[' && b[0] != '"' {
		return false
	}
	end := b[0]
	if end == '[' {
		end = ']'
	}
	i := jsonin.SkipSpace(b, 1)
	return i < len(b) && b[i] != end
}

// holdsEvents reports whether the list ahead begins with an event. The list's name does not matter:
// a damaged name must not cost the trace.
func (d *document) holdsEvents() bool {
	const enough = 64 << 10
	b := d.stream.ahead(enough)
	i := jsonin.SkipSpace(b, 1)
	if i >= len(b) || b[i] != '{' {
		return false
	}
	_, st := d.pipeline.parser.scanner.eventAt(b, i)
	return st == whole
}

// value passes over a value and returns its text if asked to, unless it is longer than maxKept.
func (d *document) value(keep bool) (kept []byte, err error) {
	depth := 0
	for {
		c := d.space()
		if c == 0 {
			return nil, errCut
		}
		switch c {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		switch {
		case c == '"':
			if kept, err = d.quoted(kept, keep); err != nil {
				return nil, err
			}
		case depth == 0 && jsonin.Bare[c]:
			for jsonin.Bare[d.stream.peek()] {
				if c = d.stream.next(); keep {
					kept = append(kept, c)
				}
			}
		case depth < 0 || depth == 0 && c != '}' && c != ']':
			return nil, errBroken
		default:
			d.stream.next()
			if keep {
				kept = append(kept, c)
			}
		}
		if depth == 0 {
			return kept, nil
		}
		if len(kept) > maxKept {
			kept, keep = nil, false
		}
	}
}

// quoted passes over a string.
func (d *document) quoted(kept []byte, keep bool) ([]byte, error) {
	for first := true; ; first = false {
		c := d.stream.next()
		if c == 0 && d.stream.ended() {
			return kept, errCut
		}
		if keep && len(kept) <= maxKept {
			kept = append(kept, c)
		}
		switch {
		case c == '"' && !first:
			return kept, nil
		case c == '\\':
			c = d.stream.next()
			if keep {
				kept = append(kept, c)
			}
		}
	}
}

// listed reads the samples or their frames, which are next in the stream.
func (d *document) listed(name string) error {
	v := &valueReader{stream: d.stream}
	f, at, r := d.pipeline.feed, d.stream.offset(), jsonin.NewReader(v)
	if name == "samples" {
		f.listedSamples(r, at)
	} else {
		f.listedFrames(r)
	}
	n, first := r.Misfits()
	if err := r.Err(); err != nil {
		n, first = n+1, cmp.Or(first, err.Error())
	}
	f.b.Diagnose(trace.BadRecord, n, "at offset %d: %s: %s", at, name, first)
	if _, err := io.Copy(io.Discard, v); err != nil || !v.ended {
		return errCut
	}
	return nil
}

// valueReader reads a value that has brackets, to its end.
type valueReader struct {
	stream                 *stream
	depth                  int
	quoted, escaped, ended bool
}

func (v *valueReader) Read(p []byte) (n int, err error) {
	for ; n < len(p) && !v.ended; n++ {
		c := v.stream.next()
		if c == 0 && v.stream.ended() {
			return n, io.EOF
		}
		p[n] = c
		switch {
		case v.escaped:
			v.escaped = false
		case v.quoted:
			v.escaped, v.quoted = c == '\\', c != '"'
		case c == '"':
			v.quoted = true
		case c == '[' || c == '{':
			v.depth++
		case c == ']' || c == '}':
			v.depth--
			v.ended = v.depth == 0
		}
	}
	if v.ended {
		err = io.EOF
	}
	return n, err
}
