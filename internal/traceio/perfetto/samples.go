package perfetto

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"diptych/internal/trace"
	"diptych/internal/traceio/qualified"
	"diptych/internal/traceio/stacks"
)

// Stack samples refer to what their sequence has interned: a callstack is a list of frames, the
// outermost first, and a frame a function in a mapping, which is a file of code. A PerfSample
// (Android's traced_perf) names its thread. A StreamingProfilePacket (Chromium's sampler) has
// several samples of the thread that its sequence has described, each so many µs after the one
// before. stacksample.go has a third kind.
//
// The calls that are made of them are on a thread beside the one that was sampled, whose events
// tell when its calls really begin and end.

// interned is what a sequence has stated of stacks, by number.
type interned struct {
	symbols  map[uint64]*symbol
	paths    map[uint64]string // parts of paths
	mappings map[uint64]string // the names of their files
	frames   map[uint64]trace.FuncID
	stacks   map[uint64]stacks.Node
	tasks    map[uint64]threadKey
	none     symbol // of frames without a name
}

// symbol is the name of a function, which may be in several files. Very many frames can have it, so
// it is read once.
type symbol struct {
	name string
	in   map[string]trace.FuncID // by file
}

// sampled is the samples of a thread.
type sampled struct {
	*trace.ThreadBuilder
	*stacks.Thread
	threadKey
}

// samples are those of all threads.
type samples struct {
	line    *stacks.Timeline
	list    []*sampled // in the order of their first samples
	threads map[threadKey]*sampled
	inline  map[string]stacks.Node // by an InlineCallstack
	counted int64                  // bytes that the Builder was told of
}

// What a sample, a node of the tree and an interned entry take.
const (
	sampleBytes = 16
	nodeBytes   = 24
	entryBytes  = 48
)

// mostFrames is how many frames of a stack are shown: a number takes far less than what it stands
// for.
const mostFrames = 1 << 16

// stackTables are those of InternedData that stacks are made of, each after those that it refers
// to. A message may have them in any order.
var stackTables = []protowire.Number{internedFunctions, internedPaths, internedMappings, internedFrames,
	internedStacks, internedTasks}

// internStacks takes what an InternedData has of stacks, and reports whether it is sound.
func (f *feed) internStacks(s *sequence, message []byte) bool {
	if s.stacks == nil {
		s.stacks = &interned{}
	}
	sound := true
	for _, table := range stackTables {
		for w := fieldsOf(message); w.next() && f.b.Refused() == nil; {
			if w.is(table, protowire.BytesType) {
				nodes := f.samples.line.Len()
				sound = f.internStack(s.stacks, table, w.body) && sound
				f.hold(entryBytes + (f.samples.line.Len()-nodes)*nodeBytes)
			}
		}
	}
	return sound
}

// internStack takes an entry of a table.
func (f *feed) internStack(s *interned, table protowire.Number, entry []byte) bool {
	if table == internedTasks {
		id, task := taskOf(entry)
		put(&s.tasks, id, task)
		return true
	}
	var id, name, mapping uint64
	text, frames := "", stacks.Root
	depth, lost := 0, false
	w := fieldsOf(entry)
	for w.next() {
		switch {
		case w.number == internedID:
			id = w.n
		case w.number == internedText && (table == internedFunctions || table == internedPaths):
			text = w.text()
		case w.number == mappingPath && table == internedMappings:
			w.each(func(part uint64) { text = s.paths[part] }) // the last one is the file
		case w.number == frameFunction && table == internedFrames:
			name = w.n
		case w.number == frameMapping && table == internedFrames:
			mapping = w.n
		case w.number == stackFrames && table == internedStacks:
			w.each(func(frame uint64) {
				fn, known := s.frames[frame]
				if depth++; !known || depth > mostFrames {
					lost = true
					return
				}
				frames = f.samples.line.Child(frames, fn)
			})
		}
	}
	switch table {
	case internedFunctions:
		put(&s.symbols, id, &symbol{name: qualified.Readable(text)})
	case internedPaths:
		put(&s.paths, id, text)
	case internedMappings:
		if text != "" {
			text = path.Base(text) // where one part is the whole path
		}
		put(&s.mappings, id, text)
	case internedFrames:
		of := s.symbols[name]
		if of == nil {
			of = &s.none
		}
		put(&s.frames, id, f.sampledFunction(of, s.mappings[mapping]))
	case internedStacks:
		put(&s.stacks, id, frames)
	}
	return !w.broken && !lost
}

// sampledFunction returns the function of a frame. Code without a symbol goes by the name of its
// file, as in flame graphs: addresses differ from version to version.
func (f *feed) sampledFunction(s *symbol, file string) trace.FuncID {
	if fn, known := s.in[file]; known {
		return fn
	}
	fn := trace.Function{Name: s.name, Module: file}
	switch {
	case fn.Name == "" && fn.Module == "":
		fn.Name = "[unknown]"
	case fn.Name == "":
		fn.Name = "[" + strings.Trim(fn.Module, "[]") + "]"
	}
	fn.Package = cmp.Or(qualified.Package(fn.Name), fn.Module)
	put(&s.in, file, f.b.Function(fn))
	return s.in[file]
}

// hold counts what stacks and samples take until calls are made of them.
func (f *feed) hold(bytes int) {
	f.samples.counted += int64(bytes)
	f.b.Holds(int64(bytes))
}

// stackSample adds a sample of a thread, which shows an interned stack.
func (f *feed) stackSample(s *sequence, k threadKey, at int64, stack uint64) {
	node, known := stacks.Root, false
	if s.stacks != nil {
		node, known = s.stacks.stacks[stack]
	}
	if !known {
		f.bad("a sample of a stack that is not there")
		return
	}
	f.addSample(k, at, node)
}

func (f *feed) addSample(k threadKey, at int64, node stacks.Node) {
	t := f.samples.threads[k]
	if t == nil {
		th := f.b.Thread("", 0) // see finishSamples
		t = &sampled{th, f.samples.line.Thread(th), k}
		f.samples.threads[k] = t
		f.samples.list = append(f.samples.list, t)
	}
	f.hold(sampleBytes)
	t.Sample(at, node)
}

// perfSample takes a PerfSample, which is a sample or tells that some are missing.
func (f *feed) perfSample(s *sequence, h *header, at int64, timed bool) {
	var k threadKey
	var stack, lost uint64
	for w := fieldsOf(h.data); w.next(); {
		switch w.number {
		case samplePID:
			k.process = int64(int32(w.n))
		case sampleTID:
			k.thread = int64(int32(w.n))
		case sampleStack:
			stack = w.n
		case sampleLost:
			lost = min(w.n, math.MaxUint32)
		case sampleSkipped:
			lost = 1
		}
	}
	switch {
	case lost > 0:
		f.b.Diagnose(trace.LostRecords, lost, "packet before offset %d: samples of stacks are missing", f.at)
	case stack == 0:
		f.notRead("a sample without a stack, of processor counters: %d", k.thread)
	case timed:
		f.stackSample(s, k, at, stack)
	case !h.hasStamp:
		f.bad("a sample without a time")
	} // else time has counted it
}

// streamedSamples takes a StreamingProfilePacket.
func (f *feed) streamedSamples(s *sequence, message []byte) {
	if !s.described {
		f.bad("samples of no thread")
		return
	}
	room := len(message) * 8 // for the lists, of which a number takes a byte here
	f.hold(room)
	defer f.hold(-room)
	var list, deltas []uint64
	for w := fieldsOf(message); w.next() && f.b.Refused() == nil; {
		switch w.number {
		case streamedStack:
			w.each(func(n uint64) { list = append(list, n) })
		case streamedDelta:
			w.each(func(n uint64) { deltas = append(deltas, n) })
		}
	}
	if len(list) != len(deltas) {
		f.bad(fmt.Sprintf("%d samples at %d times", len(list), len(deltas)))
	}
	for i := range min(len(list), len(deltas)) {
		if f.b.Refused() != nil {
			return
		}
		s.now += int64(deltas[i])
		at, ok := f.monotonic(s.now)
		if !ok {
			f.lose(clock{0, clockMonotonic})
			continue
		}
		f.latest = max(f.latest, at)
		f.stackSample(s, threadKey{s.process, s.thread}, at, list[i])
	}
}

// placeSamples tells the samples of threads that have calls of their own, which show the same time,
// from those that are all there is.
func (f *feed) placeSamples() {
	for _, t := range f.samples.list {
		if own := f.threads[t.threadKey]; own != nil && own.HasCalls() {
			t.SetKind(trace.Samples)
		}
	}
}

// finishSamples makes calls of all samples.
func (f *feed) finishSamples(ctx context.Context) error {
	for _, t := range f.samples.list {
		pid, tid := number(t.process), number(t.thread)
		t.Place(pid+"/"+tid+"/samples", f.b.Process(pid))
		said := title(f.threadTitles, t.threadKey)
		stacks.NameBeside(t.ThreadBuilder, pid+"/"+tid, cmp.Or(said.name, f.kernelNames[t.thread], tid), "samples")
		t.SetSort(said.sort)
	}
	f.b.Holds(-f.samples.counted) // from here on, the timeline counts them
	return f.samples.line.Write(ctx)
}
