// Package trace is the model of one recorded execution: threads of calls as parallel columns in
// pre-order, the functions they call, the objects they block on, and what was wrong with the input.
// A Trace is immutable once a Builder has built it, so any number of goroutines may read it.
//
// The package does no I/O and knows no file format; loaders feed its Builder. Its files:
//
//	trace.go      the model: thread.go has a thread and its calls, role.go what threads are for,
//	              links.go and awaits.go what causes what, callcounts.go and stats.go sums
//	columns.go    calls in memory: large.go what is too large for a column, texts.go arguments,
//	              room.go whether that is on the heap or in a file, form.go all of it laid open
//	lod.go        what drawing asks of a thread at any zoom
//	builder.go    gathers a trace: threadbuilder.go a thread of records, append*.go and turn.go
//	              many at once; gather.go and column.go hold them, close.go shares their room
//	assemble.go   makes threads of records: preorder.go, wholes.go and pairing.go find calls and
//	              nest.go their callers; order.go and argorder.go sort
//	correspond.go makes links and waits of pairs, flow.go and around.go of arrows, and marks.go
//	              has what loaders say of calls
//	diagnose.go   what was wrong with the input: example.go, escape.go and plainerror.go word it,
//	              trust.go says what it means for a comparison
//	outline.go    shows a trace while it is loaded: sketch.go a thread, preview.go a trace at once
//	weight.go     counts the memory that gathering takes
package trace

import (
	"cmp"
	"math"
	"unsafe"
)

// FuncID indexes Trace.Functions.
type FuncID uint32

// ObjectID indexes Trace.Objects.
type ObjectID uint32

// NoObject stands for an unknown object.
const NoObject ObjectID = 1<<32 - 1

// Unit names what a trace's axis measures: "ns" for time, else a sample unit such as "bytes" or
// "count".
type Unit string

// Nanoseconds is the unit of every trace that has a time axis.
const Nanoseconds Unit = "ns"

// Counted is the unit of what is counted, such as samples or allocations, or has no unit.
const Counted Unit = "count"

// Kind tells what a trace's axis stands for. The loader states it.
type Kind uint8

const (
	Timeline Kind = iota // time: each call has a place in it
	// Profile is samples merged into a tree: the axis is the sum of a sample value, and the order
	// of calls says nothing about when they ran.
	Profile
)

func (k Kind) String() string { return [...]string{"timeline", "profile"}[k] }

// CallNoun names what the calls of such a trace are. One of a profile stands for all that were made
// from one stack.
func (k Kind) CallNoun() string { return [...]string{"call", "stack"}[k] }

// Trace is one execution. All times are in ns since its first event (or, for aggregated profiles,
// in Unit along the sample axis).
type Trace struct {
	Format string // loader's name, such as "chrome"
	Tool   string // recording tool, where the file says so
	Kind   Kind
	Unit   Unit

	// Options are what the tool was told to record or to leave out, as it writes them, sorted; nil
	// where the file does not say.
	Options []string

	// SampleType is what a profile counts, as its file names it, such as "cpu" of a profile in ns.
	// It is "" where the file has no name for it, and where threads count different things: then
	// each has its own (Thread.SampleType).
	SampleType string

	// Exact says that what a profile adds up was counted one by one, as instructions by Callgrind,
	// and neither sampled nor measured: what differs between two such profiles does not by chance.
	Exact bool

	// SampleWeight is what one of the samples weighs that a timeline was made of, or one wait in a
	// profile of waits, in its unit: sums vary by the root of how many they are. As they differ, it
	// is their mean, each weighed by itself. It is 0 where a file does not say how many there are.
	SampleWeight int64
	// SteadyWeight is the same without those that the threads list as Stalls, 0 if these are not
	// known.
	SteadyWeight int64

	// Floor is below what duration the tool was told to leave out calls, ns; 0 if it was not.
	Floor int64

	// Symbols says that functions are named by symbols of the program. Elsewhere names are free
	// text, which may carry arguments, as in "compile net/http".
	Symbols bool

	// Origin is the first event's time on the recording's own clock, ns. Traces of two programs
	// recorded on one machine share that clock.
	Origin int64

	// Duration is the time from the first event to the last, instants and counters included.
	Duration int64

	Processes       []Process
	Threads         []*Thread // ordered by first call's start, then id; threads without calls last
	Functions       []Function
	Objects         []Object
	Correspondences []Correspondence // ordered by release time
	Links           []Link           // ordered by the time at which they begin
	links           linkIndex        // of Links, see Causes and Effects
	Counters        []Counter
	CallCounts      []CallCount  // ordered by callee, then caller; none if calls were not counted
	Diagnostics     []Diagnostic // ordered by code

	// Requests are the distributed traces that the recording holds, the longest first, of which
	// the Trace is the one that is Shown; of very many only the longest, and those that are Median.
	// There are none in recordings of other kinds.
	Requests []Request
}

// Request is a distributed trace: what one request did in all services.
type Request struct {
	ID        string
	Service   string // of its root
	Operation string // of its root
	Start     int64  // ns since 1970
	Duration  int64  // ns, from its first event to its last
	Spans     int
	Shown     bool
	// Rank is its place by duration, the shortest being 1, among the requests of the recording with
	// the same root, and Of how many these are.
	Rank, Of int
}

// Median reports whether the request is the median by duration of those with the same root: of two,
// the shorter one.
func (r *Request) Median() bool { return r.Rank == (r.Of+1)/2 }

// ShownRequest returns the request that the trace shows, or nil.
func (t *Trace) ShownRequest() *Request {
	for i := range t.Requests {
		if t.Requests[i].Shown {
			return &t.Requests[i]
		}
	}
	return nil
}

// Process groups threads.
type Process struct {
	ID, Name string
	Sort     int    // the order the recording asks for; ties by first appearance
	Parent   string // the ID of the process that started it, "" if that is not known
	Label    string // what it shows, such as the URL of its page; "" if that is not known
	Host     string // the machine that it ran on; "" if that is not known
}

// ProcessAt returns a process by its index, nil for −1.
func (t *Trace) ProcessAt(i int32) *Process {
	if i < 0 {
		return nil
	}
	return &t.Processes[i]
}

// Title names the process by what it is and what it shows.
func (p *Process) Title() string {
	if p.Label == "" || p.Label == p.Name {
		return p.Name
	}
	return p.Name + " " + p.Label
}

// FuncKind tells code from what a tracer shows in the same place.
type FuncKind uint8

const (
	Routine FuncKind = iota // a function of the program
	Region                  // a span the program marked itself: user region, task, slice
	State                   // a scheduling state: blocked, runnable, in a system call
	Event                   // an event of the system, such as a context switch
)

// Off says that a function is no code but time in which its thread has no processor (off CPU):
// neither a call of the program nor a callee. Such time below a call that waits or does input
// or output belongs to that call; elsewhere the thread was pre-empted. A state that is itself a
// wait, such as Go's "blocked: select", is not among them: it is marked as a wait.
type Off uint8

const (
	NotOff   Off = iota
	Switched     // off the processor; why, the call around it may tell
	Ready        // able to run, but without a processor: pre-empted, runnable
)

func (o Off) String() string { return [...]string{"", "switched", "ready"}[o] }

// Function is what was called. Package pair says when two of different traces are the same.
type Function struct {
	Name    string // fully qualified where the format knows it
	Package string // package, namespace, module or category; colours go by it
	Module  string // executable or library, where the format knows it
	File    string
	Line    int32
	Kind    FuncKind
	Off     Off
	Partial bool // the recorder lost most calls of it
}

// OffCPU reports whether the function stands for time without a processor.
func (f *Function) OffCPU() bool { return f.Off != NotOff }

// Object is what a blocking call operates on: a mutex, semaphore, channel, file or rank.
type Object struct{ Name string }

// CallRef names one call of a trace.
type CallRef struct {
	Thread int32 // index into Trace.Threads
	Call   int32 // pre-order index in the thread
}

// Correspondence is a wait call and the release call that ended it, as the recording states it.
type Correspondence struct {
	Wait, Release CallRef
	At            int64 // the release moment, ns
	// Idle is 0 if the call Wait waited. Else that call, a root, did not wait but ended a wait: the
	// gap of Idle ns before it, in which its thread had nothing to do.
	Idle   int64
	Object ObjectID
}

// Link is a causal link between two calls: something went out from the one at a time, such as a
// message or a task to run, and arrived in the other. It says nothing about waiting; where a thread
// waited for it, there is a Correspondence as well.
type Link struct {
	From, To  CallRef
	At, Until int64 // when it goes out and when it arrives, ns
	// Part says that To is a part of what From does, on another thread: a span and its child. From
	// ends only once To has; if To seems to end later, then by another clock.
	Part bool
}

// Counter is a sampled value over time, kept for later views.
type Counter struct {
	Process int32
	Name    string
	At      []int64 // ns, ascending
	Value   []float64
}

// Timed reports whether what the axis measures goes by a clock: it is time, or a number of samples
// that a timer took. How fast a machine is decides such sums, but no number of allocations.
func (t *Trace) Timed() bool {
	return t.Unit == Nanoseconds || t.Unit == Counted && (t.SampleType == "" || t.SampleType == "samples")
}

// Calls returns the number of calls in all threads.
func (t *Trace) Calls() int {
	n := 0
	for _, th := range t.Threads {
		n += th.Len()
	}
	return n
}

// MaxDepth returns the number of stack levels of the deepest thread.
func (t *Trace) MaxDepth() int {
	d := 0
	for _, th := range t.Threads {
		d = max(d, th.MaxDepth())
	}
	return d
}

// ThreadByID returns the index of the thread with the given id, or −1.
func (t *Trace) ThreadByID(id string) int {
	for i, th := range t.Threads {
		if th.ID == id {
			return i
		}
	}
	return -1
}

// FunctionOf returns the function of call i of th.
func (t *Trace) FunctionOf(th *Thread, i int) *Function { return &t.Functions[th.Fn[i]] }

// Footprint is how much memory a trace holds, in bytes.
type Footprint struct {
	Columns int64 // the call columns and everything derived from them for drawing
	Details int64 // arguments, blocking marks, instants, correspondences, counters
	Names   int64 // what has a name: threads, processes, functions, objects, requests
}

// Footprint measures t from the capacities of its slices. There can be a hundred thousand threads
// of a few calls each: then most of the memory is that of the threads themselves.
func (t *Trace) Footprint() Footprint {
	var f Footprint
	for _, th := range t.Threads {
		f.Columns += th.columnBytes()
		f.Details += th.detailBytes()
		f.Names += bytesOf[Thread](1) + int64(len(th.ID)+len(th.Name))
	}
	f.Details += bytesOf[Correspondence](cap(t.Correspondences))
	f.Details += bytesOf[Link](cap(t.Links)) + bytesOf[int32](cap(t.links.from)+cap(t.links.to))
	f.Details += bytesOf[CallCount](cap(t.CallCounts))
	for _, c := range t.Counters {
		f.Details += bytesOf[int64](cap(c.At)) + bytesOf[float64](cap(c.Value))
	}
	for i := range t.Processes {
		p := &t.Processes[i]
		f.Names += bytesOf[Process](1) + int64(len(p.ID)+len(p.Name)+len(p.Parent)+len(p.Label)+len(p.Host))
	}
	for i := range t.Functions { // which share the names of packages and modules
		fn := &t.Functions[i]
		f.Names += bytesOf[Function](1) + int64(len(fn.Name)+len(fn.File))
	}
	for i := range t.Requests {
		r := &t.Requests[i]
		f.Names += bytesOf[Request](1) + int64(len(r.ID)+len(r.Service)+len(r.Operation))
	}
	for i := range t.Objects {
		f.Names += bytesOf[Object](1) + int64(len(t.Objects[i].Name))
	}
	return f
}

// bytesOf returns how many bytes n values take.
func bytesOf[T any](n int) int64 {
	var one T
	return int64(n) * int64(unsafe.Sizeof(one))
}

// byStart orders threads as the process scope runs through them: by first call, then id.
func byStart(x, y *Thread) int {
	return cmp.Or(cmp.Compare(x.firstStart(), y.firstStart()), naturalOrder(x.ID, y.ID))
}

func (t *Thread) firstStart() int64 {
	if t.Len() == 0 {
		return math.MaxInt64
	}
	return t.Start(0)
}
