package perfetto

import (
	"google.golang.org/protobuf/encoding/protowire"

	"diptych/internal/trace"
	"diptych/internal/traceio/qualified"
	"diptych/internal/traceio/stacks"
)

// A StackSample is what samplers of any language write, as those of Python's interpreters or of
// Electron's heap. Nothing needs be interned: it says itself which task it is of, and can have the
// names of its frames. The task, or the whole stack, can also be a number of what its sequence has
// interned.
//
// A task that is no thread, as a fiber is, has no place in the model, so its samples are counted.

// stackSampleOf takes a StackSample.
func (f *feed) stackSampleOf(s *sequence, h *header, at int64, timed bool) {
	var task threadKey
	var interned uint64
	node, known, stack := stacks.Root, false, false
	w := fieldsOf(h.data)
	for w.next() && f.b.Refused() == nil {
		switch {
		case w.is(sampleTask, protowire.BytesType):
			_, task = taskOf(w.body)
		case w.is(sampleTaskID, protowire.VarintType) && s.stacks != nil:
			task = s.stacks.tasks[w.n]
		case w.is(sampleInline, protowire.BytesType):
			stack = true
			node, known = f.inlineStack(s, w.body)
		case w.is(sampleInterned, protowire.VarintType):
			interned, stack = w.n, true
		}
	}
	switch {
	case w.broken:
		f.bad("a broken sample")
	case task.thread == 0:
		f.notRead("a sample of no thread, but of process %d", task.process)
	case !stack:
		f.notRead("a sample without a stack: %d", task.thread)
	case !timed && !h.hasStamp:
		f.bad("a sample without a time")
	case !timed: // time has counted it
	case interned != 0:
		f.stackSample(s, task, at, interned)
	case !known:
		f.bad("a sample of frames that are not there")
	default:
		f.addSample(task, at, node)
	}
}

// taskOf returns the number and the thread of a TaskContext.
func taskOf(message []byte) (id uint64, k threadKey) {
	for w := fieldsOf(message); w.next(); {
		switch {
		case w.is(internedID, protowire.VarintType):
			id = w.n
		case w.is(taskPID, protowire.VarintType):
			k.process = int64(uint32(w.n))
		case w.is(taskTID, protowire.VarintType):
			k.thread = int64(uint32(w.n))
		}
	}
	return id, k
}

// inlineStack returns the stack of an InlineCallstack, or of a Callstack in its place, whose frames
// are interned; not known if one of these is not there.
func (f *feed) inlineStack(s *sequence, message []byte) (node stacks.Node, known bool) {
	if node, known = f.samples.inline[string(message)]; known {
		return node, true // mostly it is one of those before
	}
	named, depth, nodes := true, 0, f.samples.line.Len()
	add := func(fn trace.FuncID, there bool) {
		if depth++; !there || depth > mostFrames {
			known = false
			return
		}
		node = f.samples.line.Child(node, fn)
	}
	node, known = stacks.Root, true
	w := fieldsOf(message)
	for w.next() {
		switch {
		case w.is(inlineFrame, protowire.BytesType):
			add(f.inlineFunction(w.body), true)
		case w.number == stackFrames:
			named = false
			w.each(func(frame uint64) {
				var fn trace.FuncID
				there := s.stacks != nil
				if there {
					fn, there = s.stacks.frames[frame]
				}
				add(fn, there)
			})
		}
	}
	known = known && !w.broken
	f.hold((f.samples.line.Len() - nodes) * nodeBytes)
	if known && named {
		put(&f.samples.inline, string(message), node)
		f.hold(entryBytes + len(message))
	}
	return node, known
}

// inlineFunction returns the function of a frame that says its name.
func (f *feed) inlineFunction(frame []byte) trace.FuncID {
	fn := trace.Function{}
	for w := fieldsOf(frame); w.next(); {
		switch {
		case w.is(inlineName, protowire.BytesType):
			fn.Name = qualified.Readable(w.text())
		case w.is(inlineFile, protowire.BytesType):
			fn.File = w.text()
		}
	}
	if fn.Name == "" {
		fn.Name = "[unknown]"
	}
	fn.Package = qualified.Package(fn.Name)
	return f.b.Function(fn)
}
