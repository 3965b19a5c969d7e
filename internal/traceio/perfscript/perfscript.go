// Package perfscript loads the text that `perf script` prints of a perf.data file: samples, each
// with its stack if it was recorded with -g. Consecutive samples of a thread that agree on a frame
// make one call, and all threads are marked as sampled (traceio/stacks).
//
//	sh   736/736  [001]  2424.034934:    1001001 cpu-clock:
//		          16714b strcmp+0x2b (/usr/lib/libc.so.6)
//		           15901 main (/usr/bin/dash)
//
// A line that begins in the first column heads a sample (header.go): command, process if -F +pid
// was given, thread, processor, time, period and event. The indented lines below are its frames,
// innermost first (frame.go). Lines that begin with # describe the recording.
//
// A trace shows the samples of one event, the one asked for (Options.SampleType) or else the one
// that counts processor time; samples of others are counted, as are records of other kinds. The
// scheduler's sched_switch is shown besides: from such a sample on its thread has no processor,
// until it is the next one on another processor or has a sample again. Samples of tid 0, the
// kernel's idle loops, are a thread of the runtime for each processor.
package perfscript

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/stacks"
)

// longestLine is the longest line that is read, in bytes: names of templates can be long.
const longestLine = 16 << 20

// Load reads the samples into b. It fails if there is none.
func Load(ctx context.Context, src *input.Source, o input.Options, b *trace.Builder) error {
	b.Symbols = true
	r := newReader(b, src)
	if err := r.read(ctx, src); err != nil {
		return err
	}
	if err := r.afford(src); err != nil {
		return err
	}
	main, err := r.choose(o.SampleType)
	if err != nil {
		return src.Fail("cannot show the samples", err)
	}
	r.feed(main)
	b.Tool = r.toolText(main)
	return r.line.Write(ctx)
}

// reader gathers samples. Which event is shown is known only once all of them have been seen.
type reader struct {
	b       *trace.Builder
	line    *stacks.Timeline
	frames  *frames
	threads map[string]*thread
	order   []*thread
	events  map[string]*event
	turns   []turn // what sched_switch tells, by sample
	tool    string
	others  uint64 // records that are no samples
	other   string // the first of them
	number  int    // of the line
	samples int
	back    int         // samples that are earlier than the one before of their thread
	first   int64       // the first time
	began   int64       // where the first sample begins in the text
	bare    stacks.Node // the stack of samples without one; the Root if there are none

	now   header         // the sample at hand
	open  bool           // there is one
	stack []trace.FuncID // of the sample at hand, innermost first
}

// thread is one thread, or one idle loop.
type thread struct {
	id, comm, pid, tid string
	samples            []sample
}

type sample struct {
	at   int64
	node stacks.Node
	of   int32 // the index of its event; or, of sched_switch, −1 less the index of its turn
}

// turn is a processor that goes from a thread to the next one.
type turn struct {
	next      string // the thread that gets it
	preempted bool   // the one that had it could run on
}

// event is what samples are of.
type event struct {
	name    string
	index   int32
	samples int
	period  int64 // of the last sample
}

func newReader(b *trace.Builder, src *input.Source) *reader {
	return &reader{b: b, line: stacks.NewTimeline(b), frames: newFrames(b),
		threads: map[string]*thread{}, events: map[string]*event{}}
}

// checkEvery is how many lines are read before the context is asked again.
const checkEvery = 1 << 10

func (r *reader) read(ctx context.Context, src *input.Source) error {
	offset, ended := int64(0), true
	for line, err := range input.LinesUpTo(input.PlainText(src.Stream), longestLine) {
		if r.number++; r.number%checkEvery == 1 {
			if err := cmp.Or(ctx.Err(), r.afford(src)); err != nil {
				return err
			}
		}
		if err != nil {
			if r.samples == 0 && !r.open {
				return &input.FormatError{File: src.Path, Offset: offset, Reason: "no sample", Err: err}
			}
			r.b.Diagnose(trace.Truncated, 1, "at offset %d: %v", offset, err)
			break
		}
		r.take(strings.TrimRight(line, " \t\r\n"))
		offset, ended = offset+int64(len(line)), strings.HasSuffix(line, "\n")
		if r.samples == 0 && !r.open {
			r.began = offset
		}
	}
	if !ended { // perf ends each line
		r.b.Diagnose(trace.Truncated, 1, "line %d has no end, at offset %d", r.number, offset)
	}
	if r.end(); r.samples == 0 {
		return &input.FormatError{File: src.Path, Offset: offset, Reason: "no sample"}
	}
	if r.areDeltas() {
		return &input.FormatError{File: src.Path, Offset: r.began, Reason: "each time is the time " +
			"since the sample before (perf script --deltatime); print the samples without that option"}
	}
	return nil
}

// areDeltas reports whether times are those since the sample before it, of whatever thread. The
// first one is 0 then, and many others are less than the one before of their thread. Perf sorts
// samples, so times of other kinds go back at most where records are damaged, and times since the
// first sample (--reltime), which begin with 0 too, never do.
func (r *reader) areDeltas() bool {
	const many = 8 // one in so many
	return r.first == 0 && r.back > 0 && r.back*many > r.samples-len(r.order)
}

// afford returns an error if what was gathered takes too much memory for the text that it is from.
func (r *reader) afford(src *input.Source) error {
	return stacks.Afford(src, len(r.frames.known), r.line.Len(), len(r.order)+len(r.events))
}

// take takes one line.
func (r *reader) take(line string) {
	switch {
	case strings.IndexByte(line, 0) >= 0: // a block of zeros took line ends along
		r.open, r.stack, r.frames.pending = false, r.stack[:0], r.frames.pending[:0]
		r.b.Diagnose(trace.BadRecord, 1, "line %d holds a zero byte: %.100s", r.number, line)
	case line == "":
		r.end()
	case line[0] == '#':
		r.describe(line)
	case line[0] == '\t':
		r.frame(line)
	default: // without stacks, lines are indented so that commands end below one another
		h, ok := parseHeader(line)
		if ok && h.tid != "" || line[0] != ' ' {
			r.head(line, h, ok)
		} else {
			r.frame(line)
		}
	}
}

// describe reads a line about the recording.
func (r *reader) describe(line string) {
	name, value, _ := strings.Cut(strings.TrimLeft(line, "# "), ":")
	if strings.TrimSpace(name) == "perf version" {
		r.tool = "perf " + strings.TrimSpace(value)
	}
}

// head begins a sample. Lines of perf about something else, such as of lost samples, name their
// kind in the place of an event.
func (r *reader) head(line string, h header, ok bool) {
	r.end()
	switch {
	case !ok && strings.Contains(line, "PERF_RECORD_"), ok && strings.HasPrefix(h.event, "PERF_RECORD_"):
		r.record(line)
	case !ok:
		r.b.Diagnose(trace.BadRecord, 1, "line %d heads no sample: %.100s", r.number, line)
	default:
		r.now, r.open = h, true
	}
}

// record counts a record that is no sample.
func (r *reader) record(line string) {
	if strings.Contains(line, "PERF_RECORD_LOST") {
		r.b.Diagnose(trace.LostRecords, 1, "line %d: %.100s", r.number, line)
		return
	}
	if r.others++; r.others == 1 {
		r.other = line
	}
}

// frame adds a frame to the sample at hand.
func (r *reader) frame(line string) {
	if !r.open {
		r.b.Diagnose(trace.BadRecord, 1, "line %d is of no sample: %.100s", r.number, line)
		return
	}
	if isPlace(strings.TrimSpace(line)) {
		r.lone()
	}
	r.now.frame = "" // before a stack it is the address of data (-F +addr)
	if !r.frames.add(&r.stack, line) {
		r.b.Diagnose(trace.BadRecord, 1, "line %d is no frame: %.100s", r.number, line)
	}
}

// lone makes a stack of the frame of the head, if it is the only one.
func (r *reader) lone() {
	if r.now.frame != "" {
		r.frames.add(&r.stack, r.now.frame)
	}
}

// end ends the sample at hand.
func (r *reader) end() {
	if !r.open {
		return
	}
	r.open = false
	r.lone()
	r.frames.end(r.stack)
	if len(r.stack) == 0 {
		r.stack = append(r.stack, r.b.Function(trace.Function{Name: "(no stack)", Kind: trace.Event}))
		r.bare = r.line.Stack(r.stack)
	}
	slices.Reverse(r.stack)
	h := &r.now
	t := r.thread(h)
	e := r.events[h.event]
	if e == nil {
		e = &event{name: strings.Clone(h.event), index: int32(len(r.events))}
		r.events[e.name] = e
	}
	e.samples, e.period = e.samples+1, cmp.Or(h.period, e.period)
	if n := len(t.samples); n > 0 && h.at < t.samples[n-1].at {
		r.back++
	}
	if r.samples == 0 {
		r.first = h.at
	}
	r.samples++
	s := sample{h.at, r.line.Stack(r.stack), e.index}
	if isSwitch(h.event) {
		s.of = -1 - int32(len(r.turns))
		r.turns = append(r.turns, turn{strings.Clone(h.next), strings.HasPrefix(h.state, "R")})
	}
	t.samples = append(t.samples, s)
	r.stack = r.stack[:0]
}

// thread returns the thread of a sample.
func (r *reader) thread(h *header) *thread {
	id := h.tid
	switch {
	case h.tid == "":
		id = h.comm // all of that name are one thread: nothing tells them apart
	case h.tid == idle:
		id = "0/" + h.cpu
	case h.pid != "":
		id = h.pid + "/" + h.tid
	}
	t := r.threads[id]
	if t == nil {
		id = strings.Clone(id)
		t = &thread{id: id, pid: strings.Clone(h.pid), tid: strings.Clone(h.tid)}
		r.threads[id] = t
		r.order = append(r.order, t)
	}
	if t.comm != h.comm {
		t.comm = strings.Clone(h.comm) // the last one: a process begins with its parent's
	}
	return t
}
