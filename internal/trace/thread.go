package trace

import (
	"slices"
	"sort"
	"strings"
	"unicode"
)

// Flags mark single calls.
type Flags uint8

const (
	// Sampled marks a call inferred from stack samples: its borders are those of the samples.
	Sampled Flags = 1 << iota
	// Unclosed marks a call whose end was not recorded.
	Unclosed
)

// Thread is a forest of calls in pre-order: subtree i is [i, i+Size(i)), starts never fall, and a
// call's children lie within it. Its exported fields are read-only.
type Thread struct {
	ID   string // unique in the trace; what the command line calls it
	Name string
	// Role is what the thread is to its program: its name without a number or an id, "" if the name
	// is nothing but a number. A thread's further lanes have its role.
	Role string
	// Numbered says that Name is the role and a number that means nothing in another run, as in
	// "main.worker · 21"; see CommonName.
	Numbered bool
	Kind     ThreadKind
	// Sampled says that all calls were inferred from stack samples: each is a run of consecutive
	// samples that agree on it, so the number of calls is no number of times that a function was
	// called, and times are estimates. See Flags.
	Sampled bool
	Process int32 // index into Trace.Processes, −1 if the format knows none
	Sort    int   // the order the recording asks for
	Lane    int   // 0, or 1, 2… for further lanes of a thread whose calls partly overlapped

	Fn      []FuncID // by call
	columns          // what else is known of each call: Start, End, Dur, Parent, Size, Depth

	LOD *Pyramid // nil for few calls

	Blocks   []Block   // by call
	Instants []Instant // by time

	flags    []Flags  // by call; nil if no call has any
	details  *details // nil if no call has any
	maxDepth int32
	index    int32 // in Trace.Threads
}

// details are what is known of single calls and samples besides.
type details struct {
	args    []arg      // in the order of calls
	texts   textList   // of args
	objects []ObjectID // of Blocks, in their order
	stalls  []Stall    // by time
}

// detailed makes room for details.
func (t *Thread) detailed() *details {
	if t.details == nil {
		t.details = &details{}
	}
	return t.details
}

// BlockKind is how a call blocks (SyncTrace's Sw, Sr and So).
type BlockKind uint8

const (
	Wait BlockKind = iota + 1
	Release
	IO
)

func (k BlockKind) String() string {
	return [...]string{"none", "wait", "release", "io"}[k]
}

// Block marks a call as a blocking operation on a set of objects.
type Block struct {
	Call    int32
	Kind    BlockKind
	Objects ObjectSpan
}

// ObjectSpan is the objects of a mark, as a stretch of what all marks of its thread have: see
// Thread.ObjectsIn. There can be as many marks as calls. As slices, the objects would be pointers
// that the garbage collector follows in each of its cycles.
type ObjectSpan struct{ from, to uint32 }

// Len returns the number of objects.
func (s ObjectSpan) Len() int { return int(s.to - s.from) }

// ObjectsIn returns the objects of a mark of the thread. The slice is read-only.
func (t *Thread) ObjectsIn(s ObjectSpan) []ObjectID {
	if s.from == s.to {
		return nil
	}
	return t.details.objects[s.from:s.to:s.to]
}

// addObjects adds the objects of a mark.
func (t *Thread) addObjects(objects []ObjectID) ObjectSpan {
	from := uint32(0)
	if t.details != nil {
		from = uint32(len(t.details.objects))
	}
	if len(objects) > 0 {
		x := t.detailed()
		x.objects = append(x.objects, objects...)
	}
	return ObjectSpan{from, from + uint32(len(objects))}
}

// Instant is a point event on a thread.
type Instant struct {
	At int64
	Fn FuncID
}

// Stall is a sample that holds many times as long as most: meanwhile the program or the sampler
// stood still.
type Stall struct{ At, Dur int64 }

// Stalls returns those of a thread of samples, by time.
func (t *Thread) Stalls() []Stall {
	if t.details == nil {
		return nil
	}
	return t.details.stalls
}

// arg is a slice of the thread's argument text.
type arg struct {
	call     int32
	from, to uint32
}

// Runs reports whether the thread is one that executes, rather than a track of asynchronous spans,
// a list of sums, or samples of another thread.
func (t *Thread) Runs() bool {
	return t.Kind != AsyncTrack && t.Kind != Sums && t.Kind != Samples
}

// SampleType returns what the thread counts, where threads of its trace count different things;
// else "".
func (t *Thread) SampleType() string {
	if t.Kind == SampleType {
		return t.Role
	}
	return ""
}

// CommonName returns what the thread is called in every run of its program: its name without the
// number of this run. It is "" for a thread whose name is nothing but such a number.
func (t *Thread) CommonName() string {
	switch {
	case !t.Numbered:
		return t.Name
	case t.Role == "" || t.Lane == 0:
		return t.Role
	}
	return laneName(t.Role, t.Lane)
}

// Title returns what to call the thread on screen: its name, or "thread 7" where that is a mere
// number.
func (t *Thread) Title() string {
	if strings.ContainsFunc(t.Name, unicode.IsLetter) {
		return t.Name
	}
	return strings.TrimSpace("thread " + t.Name)
}

// ThreadTitle returns the title of thread k, with its id where other threads of the trace have the
// same title: worker (1798) waits for worker (1799).
func (t *Trace) ThreadTitle(k int) string {
	th := t.Threads[k]
	if th.ID != "" && t.Namesakes(th) {
		return th.Title() + " (" + th.ID + ")"
	}
	return th.Title()
}

// Namesakes reports whether another thread of the trace has the title of th.
func (t *Trace) Namesakes(th *Thread) bool {
	title := th.Title()
	return slices.ContainsFunc(t.Threads, func(o *Thread) bool {
		return o != th && (o.Name == th.Name || o.Title() == title)
	})
}

// mostDigits is how long the numbers are that systems give to threads.
const mostDigits = 8

// Coded reports whether the thread's id is a code that a recorder made up, and its name tells the
// thread apart in fewer characters. For example, an archive numbers its locations in steps of
// 536870911, and calls them "P#1T#0", "P#2T#0".
func (t *Thread) Coded() bool {
	const digits = "0123456789"
	n := len(t.Name)
	return len(t.ID) > mostDigits && n > 0 && n < len(t.ID) && strings.Trim(t.ID, digits+".") == "" &&
		strings.ContainsAny(t.Name[n-1:], digits) && strings.Trim(t.Name, digits) != ""
}

// Len returns the number of calls.
func (t *Thread) Len() int { return len(t.Fn) }

// MaxDepth returns the number of stack levels.
func (t *Thread) MaxDepth() int { return int(t.maxDepth) }

// Flags returns the marks of call i.
func (t *Thread) Flags(i int) (f Flags) {
	if t.flags != nil {
		f = t.flags[i]
	}
	if t.Sampled {
		f |= Sampled
	}
	return f
}

// Flagged reports whether any call of the thread may have marks.
func (t *Thread) Flagged() bool { return t.Sampled || t.flags != nil }

// Span returns the first start and the last end of the thread's calls, or 0, 0.
func (t *Thread) Span() (start, end int64) {
	if t.Len() == 0 {
		return 0, 0
	}
	for i := 0; i < t.Len(); i = t.Next(i) {
		end = max(end, t.End(i))
	}
	return t.Start(0), end
}

// Busy returns how long the thread was in calls that do not wait, in ns: what it waited below them
// does not count. Cost is the number of roots and of blocking calls.
func (t *Thread) Busy() (ns int64) {
	for i := 0; i < t.Len(); i = t.Next(i) {
		ns += t.Dur(i)
	}
	over := 0 // calls up to here are in a wait that was subtracted
	for _, b := range t.Blocks {
		if i := int(b.Call); b.Kind == Wait && i >= over {
			ns -= t.Dur(i)
			over = t.Next(i)
		}
	}
	return ns
}

// Children calls yield for each child of call i, or for each root if i is −1, until it returns
// false.
func (t *Thread) Children(i int, yield func(child int) bool) {
	first, last := 0, t.Len()
	if i >= 0 {
		first, last = i+1, t.Next(i)
	}
	for c := first; c < last; c = t.Next(c) {
		if !yield(c) {
			return
		}
	}
}

// Self returns the time call i spent outside its children, in ns. Children are disjoint, so it is
// not negative.
func (t *Thread) Self(i int) int64 {
	self := t.Dur(i)
	for c := range t.childSeq(i) {
		self -= t.Dur(c)
	}
	return self
}

func (t *Thread) childSeq(i int) func(func(int) bool) {
	return func(yield func(int) bool) { t.Children(i, yield) }
}

// Enclosing returns the innermost call that holds time ns, borders included, or −1. Cost is
// logarithmic in the calls plus the stack's depth.
func (t *Thread) Enclosing(ns int64) int {
	i := sort.Search(t.Len(), func(i int) bool { return t.Start(i) > ns }) - 1
	for i >= 0 && t.End(i) < ns {
		i = int(t.Parent(i))
	}
	return i
}

// Trunk returns how many stack levels, from the roots on, are one call that lasts at least the
// given share, above a half, of the thread's time.
func (t *Thread) Trunk(share float64) int {
	if t.Len() == 0 {
		return 0
	}
	from, to := t.Span()
	least := int64(share * float64(to-from))
	n := 0
	for i := t.Enclosing(from + (to-from)/2); i >= 0; i = int(t.Parent(i)) {
		if t.Dur(i) >= least { // and so is each caller
			n++
		}
	}
	return n
}

// BlocksOf returns the blocking marks of call i, at most one of each kind.
func (t *Thread) BlocksOf(i int) []Block {
	from := sort.Search(len(t.Blocks), func(k int) bool { return int(t.Blocks[k].Call) >= i })
	to := from
	for to < len(t.Blocks) && int(t.Blocks[to].Call) == i {
		to++
	}
	return t.Blocks[from:to]
}

// Args returns the recorded arguments and results of call i as text, or "".
func (t *Thread) Args(i int) string {
	var r ArgsReader
	return string(r.Args(t, i))
}

// ArgsReader reads the argument texts of many calls without making strings of them.
type ArgsReader struct {
	thread *Thread
	from   int    // what the thread has of texts before is of calls before the last one
	joined []byte // the last text, if it is put together of several
}

// Args returns the argument text of call i, which is read-only and holds until the next call of
// Args. Calls in order are found at once.
func (r *ArgsReader) Args(t *Thread, i int) (text []byte) {
	x := t.details
	if x == nil {
		return nil
	}
	if r.thread != t || r.from > 0 && int(x.args[r.from-1].call) >= i {
		r.thread, r.from = t, 0
	}
	r.from += firstOfCall(x.args[r.from:], i)
	for k := r.from; k < len(x.args) && int(x.args[k].call) == i; k++ {
		one := x.texts.at(x.args[k].from, x.args[k].to)
		if len(text) == 0 {
			text = one
			continue
		}
		r.joined = append(append(append(r.joined[:0], text...), ' '), one...)
		text = r.joined
	}
	return text
}

// firstOfCall returns the index of the first argument of call i or a later one, looking near the
// beginning first.
func firstOfCall(args []arg, i int) int {
	from, step := 0, 1
	for from+step <= len(args) && int(args[from+step-1].call) < i {
		from, step = from+step, 2*step
	}
	rest := args[from:min(from+step, len(args))]
	return from + sort.Search(len(rest), func(k int) bool { return int(rest[k].call) >= i })
}

func (t *Thread) columnBytes() int64 {
	return t.columns.bytes() + int64(cap(t.Fn))*4 + int64(cap(t.flags)) + t.LOD.bytes()
}

func (t *Thread) detailBytes() int64 {
	n := int64(cap(t.Blocks))*16 + int64(cap(t.Instants)+cap(t.Stalls()))*16
	if x := t.details; x != nil {
		n += bytesOf[details](1) + int64(cap(x.args))*12 + x.texts.bytes() + int64(cap(x.objects))*4
	}
	return n
}
