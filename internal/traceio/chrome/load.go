// Package chrome loads the Chrome Trace Event JSON format, in all the dialects its writers have: an
// object with traceEvents, an array, an array that was never closed. It knows nothing of other
// JSON formats and classifies no function names.
//
// The format is described in "Trace Event Format" (Duffin, Chromium project); where writers and the
// description disagree, the writers decide. The text passes through these stages:
//
//   - toplevel.go walks over the members around the events, byte by byte, and keeps almost nothing;
//     listed.go reads the stack samples among them;
//   - stream.go reads pieces of text, and pipeline.go cuts the events into blocks where an event
//     seems to begin, has workers parse the blocks at the same time, and takes the results in
//     order. A cut is a guess; it is checked against where the block before it really ended, and a
//     wrong one costs a second parse, never a wrong result;
//   - batch.go and parser.go turn a block into records by thread, without an allocation per event,
//     and find the next event after a broken one, of which reason.go says what is wrong; words.go
//     numbers functions and threads for a worker;
//   - scan.go and event.go read any event, member by member (field.go, digits.go);
//   - quick.go is the fast way through an event: shape.go says what a parser knows of how a file
//     writes its events, and learn.go how it comes to know;
//   - stamp.go is a faster one, where the processor has the vector instructions for it: an event
//     that has the lengths of one before it is compared as a whole, and stampread.go reads its
//     values where they must be; stampmake.go makes such stamps;
//   - feed.go takes the blocks in the order of the file, which settles the numbers of functions and
//     threads, and has the records appended to the threads of the Builder, several at a time;
//     flow.go joins the ends of flows, detail.go gives functions of clang their files, profile.go
//     gathers stack samples of JavaScript, which become threads of their own, and titles.go names
//     processes and threads at the end.
//
// What becomes of the phases:
//
//	B E X         calls of the thread (pid, tid); a missing tid is the pid, a missing pid is 0;
//	              an X without dur has length 0
//	b e, S F      calls in the lane of their id
//	i I R, n T p  instants of the thread, or of the lane of their id
//	s t f         flows, as are bind_id with flow_in and flow_out on a call
//	C             counters, one a series
//	M             names and sort indices of processes and threads; other metadata is not kept
//	P             samples; those of V8's profiles become calls of a thread beside theirs
//	N O D V v     object snapshots, memory dumps, and
//	c ( ) =       clock marks, contexts and links: these and other samples widen the trace's
//	              extent, and are counted as not read
//	anything else a bad record
//
// Stack samples beside the events become calls as well (listed.go). Stacks of events (sf, stack),
// colours and thread clocks are passed over. An empty object is no record: writers end a list with
// one to be rid of the last comma. The member displayTimeUnit only says how to print times; they
// are in µs all the same.
package chrome

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/jsonin"
)

// Load reads a trace into b. It fails on text in which no event is found, unless it says itself
// that there are none.
func Load(ctx context.Context, src *input.Source, o input.Options, b *trace.Builder) error {
	return load(ctx, src, b, blockSize)
}

func load(ctx context.Context, src *input.Source, b *trace.Builder, size int) (err error) {
	ctx, stop := context.WithCancel(ctx)
	f := newFeed(b)
	s := newStream(ctx, plain(src), size)
	defer func() { // the source may be closed only once the stream's goroutine has ended
		if stop(); err != nil {
			src.Interrupt()
		}
		<-s.done
	}()
	d := document{stream: s, pipeline: pipeline{stream: s, feed: f}, kept: map[string][]byte{}}
	if err := d.read(ctx); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if n := s.nuls; n.Stretches > 0 {
		f.bad(n.Stretches, n.First, "a NUL byte")
	}
	failed := s.err != nil && s.err != io.EOF
	if f.records == 0 && (d.lists == 0 || d.open || failed || f.spoiled > 0) {
		var cause error
		switch {
		case failed:
			cause = s.err
		case d.lists == 0 && undecided(src):
			cause = input.ErrUnknownFormat
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
	f.queues.Wait()
	f.flows.Link(b)
	f.apply()
	b.Tool, b.Options = tool(d.kept), options(d.kept)
	if err := f.addProfiles(ctx); err != nil {
		return err
	}
	return f.addListed(ctx)
}

// plain returns the text as UTF-8. Nearly all is, so it is not copied for that.
func plain(src *input.Source) io.Reader {
	if input.IsUTF16(src.Head) {
		return input.PlainText(src.Stream)
	}
	return src.Stream
}

// undecided reports whether a source was taken for such a trace only because nothing in its full
// head says what it is.
func undecided(src *input.Source) bool {
	return len(src.Head) >= input.HeadSize &&
		!Sniff(&input.Source{Head: src.Head[:input.HeadSize-1]})
}

// ownMembers are members of the outermost object that no other format has. They decide when
// traceEvents itself lies beyond the head, behind pages of metadata.
var ownMembers = map[string]bool{
	"traceEvents": true, "displayTimeUnit": true, "otherData": true, "schemaVersion": true,
	"deviceProperties": true, "distributedInfo": true, "beginningOfTime": true, "stackFrames": true,
	"systemTraceEvents": true, "controllerTraceDataKey": true, "powerTraceAsString": true,
	"viztracer_metadata": true,
}

// Sniff reports whether the source looks like Chrome trace events: a list of objects with a phase,
// or an object with members that are the format's own. What a full head of blanks or of metadata
// does not decide is taken for such a trace too, for no other format that is read here begins so.
func Sniff(src *input.Source) bool {
	b := input.PlainHead(src.Head)
	full := len(src.Head) >= input.HeadSize
	i := jsonin.SkipSpace(b, 0)
	if bytes.IndexByte(b[:i], 0) >= 0 {
		return false // an empty disk, or a device without an end
	}
	if i >= len(b) {
		return full
	}
	var s scanner
	switch b[i] {
	case '[':
		if i = jsonin.SkipSpace(b, i+1); i >= len(b) {
			return full
		}
		if b[i] == ']' {
			return jsonin.SkipSpace(b, i+1) == len(b) // a trace of nothing
		}
		return s.listsEvents(b, i)
	case '{':
		return s.hasOwnMember(b, i, full)
	}
	return false
}

// listsEvents reports whether one of the first objects of a list is an event. The first ones may be
// damaged or nested too deep, or one may reach beyond the head.
func (s *scanner) listsEvents(b []byte, i int) bool {
	if i = jsonin.SkipSpace(b, i); i >= len(b) || b[i] != '{' {
		return false
	}
	const tries = 8
	for range tries {
		var e event
		s.open = s.open[:0]
		_, st := s.event(b, i, &e)
		if (st != broken || len(s.open) == maxNesting) && phases[e.phase(b)] != unknownPhase {
			return true
		}
		k := bytes.IndexByte(b[i+1:], '{')
		if k < 0 {
			return false
		}
		i += 1 + k
	}
	return false
}

// hasOwnMember reports whether the object at i has a member that is ours, as far as the head shows
// it, or, where the object is damaged, whether events follow. If the head is full and its end hides
// the answer, that may be.
func (s *scanner) hasOwnMember(b []byte, i int, full bool) bool {
	for i = jsonin.SkipSpace(b, i+1); ; i = jsonin.SkipSpace(b, i+1) {
		from := min(i+1, len(b))
		to, next, st := s.key(b, i)
		if st != whole {
			full = full && st == cut
			break
		}
		if ownMembers[string(b[from:to])] {
			return true
		}
		if next = jsonin.SkipSpace(b, next); next >= len(b) {
			return full
		}
		if b[next] == '[' && s.listsEvents(b, next+1) {
			return true
		}
		if i, st = s.value(b, next); st != whole {
			full = full && st == cut && !listsObjects(b, next)
			break
		}
		if i = jsonin.SkipSpace(b, i); i >= len(b) {
			return full
		}
		if b[i] != ',' {
			full = false
			break
		}
	}
	_, rest, found := bytes.Cut(b, []byte(`"traceEvents"`))
	k := bytes.IndexByte(rest, '{')
	return full || found && k >= 0 && s.listsEvents(rest, k)
}

// listsObjects reports whether the value at i is a list of objects. Those of this format are
// events; other formats have others.
func listsObjects(b []byte, i int) bool {
	if b[i] != '[' {
		return false
	}
	i = jsonin.SkipSpace(b, i+1)
	return i < len(b) && b[i] == '{'
}

// toolMembers are the members of the outermost object that can name the tool that recorded the
// trace.
var toolMembers = map[string]bool{
	"metadata": true, "otherData": true, "viztracer_metadata": true, "beginningOfTime": true,
	"deviceProperties": true,
}

// optionMembers are those that PyTorch's profiler writes for its options, where they are on.
var optionMembers = []string{"profile_memory", "record_shapes", "with_flops", "with_modules",
	"with_stack"}

// tool returns the name of the recording tool, with its version where it is known, or "".
func tool(kept map[string][]byte) string {
	if v := member(kept["viztracer_metadata"], "version"); v != "" {
		return "viztracer " + v
	}
	for _, object := range []string{"metadata", "otherData"} {
		for _, name := range []string{"tool", "product-version", "user-agent", "version", "source"} {
			if v := product(member(kept[object], name)); v != "" {
				return v
			}
		}
	}
	switch {
	case kept["beginningOfTime"] != nil:
		return "clang -ftime-trace"
	case kept["deviceProperties"] != nil:
		return "Kineto"
	}
	return ""
}

// options returns what PyTorch's profiler was told to record; nil for other tools.
func options(kept map[string][]byte) []string {
	if kept["deviceProperties"] == nil {
		return nil
	}
	on := []string{}
	for _, name := range optionMembers {
		if string(kept[name]) == "1" {
			on = append(on, name)
		}
	}
	return on
}

// product shortens what tools say of themselves: a browser lists its ancestors, uftrace what it was
// built with.
func product(v string) string {
	for word := range strings.FieldsSeq(v) {
		if strings.Contains(word, "Chrome/") {
			return word
		}
	}
	v, _, _ = strings.Cut(v, " (")
	return strings.TrimSpace(v)
}

// member returns a string member of a JSON object, or "".
func member(object []byte, name string) string {
	var m map[string]json.RawMessage
	if json.Unmarshal(object, &m) != nil || !bytes.HasPrefix(m[name], []byte(`"`)) {
		return ""
	}
	return jsonin.Text(m[name][1 : len(m[name])-1]) // encoding/json would replace odd bytes
}
