package trace

import (
	"bytes"
	"unicode/utf8"
)

// Record is one record of a thread, as a loader hands it over with many others: see
// ThreadBuilder.Append. It holds no pointers, so that the collector skips batches of them.
type Record struct {
	At, End  int64  // ns; End is of a Whole only
	Fn       FuncID // or an index into Records.Functions; a Leave has none
	From, To uint32 // where its argument text is in Records.Text; equal if it has none
	Kind     RecordKind
}

// RecordKind tells what a Record records.
type RecordKind uint8

const (
	Enter      RecordKind = iota // a call begins: Begin
	Leave                        // the innermost open call ends: End
	LeaveNamed                   // the innermost open call of Fn ends: EndNamed
	Whole                        // a call from its start to its end: Complete
	Point                        // Instant
)

// Records are records of one thread, in the order of the recording.
type Records struct {
	List      []Record
	Functions []FuncID // nil if Record.Fn is the function itself
	Text      []byte   // holds the arguments; it may be used again once Append has returned
	Plain     bool     // each of the arguments is a text that Escape leaves as it is; see Plain
}

// Plain reports whether Escape leaves a text as it is, and all parts of it that begin and end with
// a character of ASCII other than a backslash.
func Plain(text []byte) bool { return utf8.Valid(text) && !bytes.Contains(text, escapeMark) }

// fn returns the function of a record.
func (e *Records) fn(v *Record) FuncID {
	if e.Functions == nil {
		return v.Fn
	}
	return e.Functions[v.Fn]
}

// Append adds many records at once: each as by the method that its kind names, followed by Args or
// ReturnArgs if it has arguments.
//
// It is what a loader with several goroutines feeds the Builder with. Different threads may be
// appended to at the same time, and while the Builder learns of functions, objects, processes and
// further threads, which one goroutine does. The records of one thread come from one goroutine at a
// time, in the order of the recording:
//
//	parse pieces of the file, at once        find the records of each thread
//	take the pieces in order, one by one     Builder.Thread, Builder.Function; see there
//	Append, at once for different threads    the records, with the ids that were given
//	Build                                    builds all threads at once
//
// So ids and diagnostics do not depend on which goroutine came first. A Whole that ends before it
// begins gets no length; unlike by Complete it is counted with its thread, not where it was read.
func (t *ThreadBuilder) Append(e Records) {
	for i := 0; i < len(e.List); {
		v := &e.List[i]
		if v.Kind == Whole && (t.mode == empty || t.mode == wholes) {
			n := e.wholes(i)
			t.appendWholes(&e, e.List[i:i+n])
			i += n
			continue
		}
		if n := t.appendNested(&e, e.List[i:]); n > 0 {
			i += n
			continue
		}
		t.appendOne(&e, v)
		i++
	}
	t.sketch.follow(t)
}

// wholes returns how many records from i on are of kind Whole.
func (e *Records) wholes(i int) (n int) {
	for i+n < len(e.List) && e.List[i+n].Kind == Whole {
		n++
	}
	return n
}

func (t *ThreadBuilder) appendOne(e *Records, v *Record) {
	switch v.Kind {
	case Enter:
		t.appendArgs(e, t.Begin(v.At, e.fn(v)).ord, v)
	case Whole:
		end := t.notBefore(v)
		t.appendArgs(e, t.complete(v.At, end, e.fn(v)).ord, v)
	case Leave:
		t.End(v.At)
		t.ReturnArgs(e.Text[v.From:v.To])
	case LeaveNamed:
		t.EndNamed(v.At, e.fn(v))
		t.ReturnArgs(e.Text[v.From:v.To])
	case Point:
		t.Instant(v.At, e.fn(v))
	}
}

// appendArgs attaches the argument text of a record to the call with an ordinal.
func (t *ThreadBuilder) appendArgs(e *Records, ord uint32, v *Record) {
	switch text := e.Text[v.From:v.To]; {
	case len(text) == 0:
	case e.Plain:
		t.keepArgs(ord, text)
	default:
		t.keepArgs(ord, t.argument(text))
	}
}

// appendAllArgs attaches the argument texts of the records of calls with consecutive ordinals.
// Texts that follow one another, as those of one thread do, are copied together.
func (t *ThreadBuilder) appendAllArgs(e *Records, list []Record, ord uint32) {
	for i := 0; i < len(list); {
		v := &list[i]
		if v.From == v.To {
			i++
			continue
		}
		n := 0
		if e.Plain {
			n = t.keepRun(e.Text, list[i:], ord+uint32(i))
		}
		if n == 0 {
			t.appendArgs(e, ord+uint32(i), v)
			n = 1
		}
		i += n
	}
}

// keepRun keeps the texts of the records of calls with consecutive ordinals as long as each text
// follows the one before and all fit into the last piece. It returns of how many records.
func (t *ThreadBuilder) keepRun(text []byte, list []Record, ord uint32) (n int) {
	at, room := t.texts.end()
	from := list[0].From
	end := from
	for n < len(list) && list[n].From == end && list[n].To != end && int(list[n].To-from) <= room {
		end = list[n].To
		n++
	}
	if n == 0 {
		return 0
	}
	t.texts.extend(text[from:end])
	t.takeColumns(n*argBytes + int(end-from))
	at -= from
	for list, call := list[:n], int32(ord); len(list) > 0; {
		args := t.args.extend(len(list))
		for i := range args {
			v := &list[i]
			args[i] = arg{call, at + v.From, at + v.To}
			call++
		}
		list = list[len(args):]
	}
	return n
}

// notBefore returns the end of a Whole, and counts one before its start.
func (t *ThreadBuilder) notBefore(v *Record) int64 {
	if v.End < v.At {
		x := t.rare()
		if x.negative++; x.negative == 1 {
			x.negativeAt, x.negativeBy = v.At, v.At-v.End
		}
		return v.At
	}
	return v.End
}

// appendWholes is Complete for many calls of a thread that has no other records.
func (t *ThreadBuilder) appendWholes(e *Records, list []Record) {
	t.hold()
	t.mode = wholes
	if t.whole == nil {
		t.whole = newWholes(&t.b.room)
		t.whole.preorder = newPreorder(&t.b.room)
		t.lastX = list[0].At
	}
	w := t.whole
	t.takeColumns(callBytes * len(list))
	if w.preorder != nil {
		if list = list[t.appendPreorder(e, list):]; len(list) == 0 {
			return
		}
		w.loosen(&t.b.room)
	}
	last, first, latest := t.lastX, t.first, t.last
	for len(list) > 0 {
		start := w.start.extend(len(list))
		n := len(start)
		end, fn := w.end.extend(n)[:n], w.fn.extend(n)[:n]
		for i := range start {
			v := &list[i]
			if v.At < last {
				t.rare().backwards++
			}
			last = v.At
			to := v.End
			if to < v.At {
				to = t.notBefore(v)
			}
			first, latest = min(first, v.At), max(latest, to)
			start[i], end[i], fn[i] = v.At, to, e.fn(v)
		}
		t.appendAllArgs(e, list[:n], t.n)
		t.n += uint32(n)
		list = list[n:]
	}
	t.lastX, t.first, t.last = last, first, latest
}

// Call names the call of which n others were begun on the thread before it, by Begin and Complete
// and by records of such kinds. It may be asked for before the call is there, and while the thread
// is fed.
func (t *ThreadBuilder) Call(n uint32) Ref { return Ref{t, n} }
