package spans

import "diptych/internal/trace"

const (
	// BatchSize is how many records a thread is given at once: what fits a processor's first cache.
	BatchSize = 512
	batchText = 32 << 10 // bytes of arguments that are held at most before a record
)

// Batch gathers records for a thread, which takes many at once in far less time than one by one.
// What is fed to the thread itself meanwhile must not depend on the records, or Flush goes before
// it.
type Batch struct {
	Thread *trace.ThreadBuilder
	List   []trace.Record // with room for BatchSize
	Text   []byte         // their arguments
	Begun  uint32         // calls
	Ended  uint32         // of them
	said   []said         // arguments of calls that begin
}

// said is where the arguments of a call are in Batch.Text. They are given to the thread after the
// records: it takes records without arguments all at once, and one with arguments by itself.
type said struct{ ord, from, to uint32 }

// Start begins another thread, to which nothing was given so far. It uses the memory again.
func (b *Batch) Start(t *trace.ThreadBuilder) {
	if b.List == nil {
		b.List = make([]trace.Record, 0, BatchSize)
	}
	*b = Batch{Thread: t, List: b.List[:0], Text: b.Text[:0], said: b.said[:0]}
}

// Full reports whether there is no room for a record.
func (b *Batch) Full() bool { return len(b.List) == BatchSize || len(b.Text) >= batchText }

// Begin begins a call and returns how many there were before it: see trace.ThreadBuilder.Call.
func (b *Batch) Begin(at int64, fn trace.FuncID) uint32 {
	v := b.next()
	v.At, v.Fn, v.Kind = at, fn, trace.Enter
	b.Begun++
	return b.Begun - 1
}

// End ends the innermost call.
func (b *Batch) End(at int64) {
	v := b.next()
	v.At, v.Kind = at, trace.Leave
	b.Ended++
}

// EndNamed ends the innermost call of a function.
func (b *Batch) EndNamed(at int64, fn trace.FuncID) {
	v := b.next()
	v.At, v.Fn, v.Kind = at, fn, trace.LeaveNamed
	b.Ended++
}

// next returns another record, which has no arguments. It is set in place: to make one and copy it
// takes far longer.
func (b *Batch) next() *trace.Record {
	if b.Full() {
		b.Flush()
	}
	b.List = b.List[:len(b.List)+1]
	v := &b.List[len(b.List)-1]
	v.From, v.To = 0, 0
	return v
}

// Explain gives the last record its arguments or its result: what text has beyond b.Text, with
// which it begins.
func (b *Batch) Explain(text []byte) {
	from, to := uint32(len(b.Text)), uint32(len(text))
	b.Text = text
	if v := &b.List[len(b.List)-1]; v.Kind != trace.Enter {
		v.From, v.To = from, to
	} else if from < to {
		b.said = append(b.said, said{b.Begun - 1, from, to})
	}
}

// Begins reports whether the last record begins the call before which there were so many, and has
// no arguments, so that Explain can still give it some.
func (b *Batch) Begins(ord uint32) bool {
	if len(b.List) == 0 || ord+1 != b.Begun {
		return false
	}
	if b.List[len(b.List)-1].Kind != trace.Enter {
		return false
	}
	n := len(b.said)
	return n == 0 || b.said[n-1].ord != ord
}

// Flush hands over what there is.
func (b *Batch) Flush() {
	b.Thread.Append(trace.Records{List: b.List, Text: b.Text})
	for _, a := range b.said {
		b.Thread.Args(b.Thread.Call(a.ord), b.Text[a.from:a.to])
	}
	b.List, b.Text, b.said = b.List[:0], b.Text[:0], b.said[:0]
}

// Expect tells the thread how many calls to expect, when so many of the bytes of its records were
// read: each call has a begin and an end, and of those that are open only one was read.
func (b *Batch) Expect(read, size int64) {
	calls := float64(b.Begun+b.Ended) / 2 * float64(size) / float64(read)
	b.Thread.ExpectCalls(int(calls + calls/64))
}
