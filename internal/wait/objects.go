package wait

import (
	"math"
	"slices"
	"strings"

	"diptych/internal/trace"
)

// ObjectTotal sums up the calls that operate on an object.
type ObjectTotal struct {
	Kind                 ObjectKind
	Waits, Releases, IOs uint64 // calls
	Waiters, Releasers   int    // threads
	FirstNs              int64  // when it was first used
	// WaitNs is the time of the outermost waits for it. A wait on several objects counts for the
	// first of them that was released meanwhile, or else for the first.
	WaitNs int64
	IONs   int64
}

// Shared reports whether more than one thread ever waited for the object.
func (o *ObjectTotal) Shared() bool { return o.Waiters > 1 }

// objectSums adds up by object what one goroutine gathers, one thread after the other.
type objectSums struct {
	totals []ObjectTotal
	last   [][2]int32   // by object: the last thread, from 1, that waited for it and released it
	on     []ObjectKind // by function, plus 1; 0 if it is not known yet
}

func newObjectSums(tr *trace.Trace) *objectSums {
	s := &objectSums{totals: make([]ObjectTotal, len(tr.Objects)),
		last: make([][2]int32, len(tr.Objects)), on: make([]ObjectKind, len(tr.Functions))}
	for o := range s.totals {
		s.totals[o].Kind, s.totals[o].FirstNs = Other, math.MaxInt64
	}
	return s
}

// add adds the marks of a thread, all of them at once.
func (s *objectSums) add(tr *trace.Trace, t int, calls []blocking) {
	th := tr.Threads[t]
	for i := range th.Blocks {
		b, c := &th.Blocks[i], &calls[i]
		if b.Objects.Len() == 0 {
			continue
		}
		known := &s.on[c.fn]
		if *known == 0 {
			*known = operatesOn(tr.Functions[c.fn].Name) + 1
		}
		kind := *known - 1
		objects := th.ObjectsIn(b.Objects)
		for k, o := range objects {
			if !isFirst(objects, k) {
				continue
			}
			sum := &s.totals[o]
			sum.Kind = min(sum.Kind, kindOf(kind, b.Kind, k))
			sum.FirstNs = min(sum.FirstNs, c.start)
			sum.use(b.Kind, c.dur, int32(t)+1, &s.last[o])
		}
	}
}

// plus adds what other threads do with the object.
func (o *ObjectTotal) plus(more *ObjectTotal) {
	o.Kind = min(o.Kind, more.Kind)
	o.FirstNs = min(o.FirstNs, more.FirstNs)
	o.Waits += more.Waits
	o.Releases += more.Releases
	o.IOs += more.IOs
	o.IONs += more.IONs
	o.Waiters += more.Waiters
	o.Releasers += more.Releasers
}

// use adds a call of thread t; last is who used the object last.
func (o *ObjectTotal) use(kind trace.BlockKind, dur int64, t int32, last *[2]int32) {
	switch kind {
	case trace.Wait:
		o.Waits++
		if last[0] != t {
			o.Waiters++
		}
		last[0] = t
	case trace.Release:
		o.Releases++
		if last[1] != t {
			o.Releasers++
		}
		last[1] = t
	case trace.IO:
		o.IOs++
		o.IONs += dur
	}
}

// ObjectKind is what sort of thing an object is, judged by the names of the functions that operate
// on it. If they disagree, the kind that comes first in this list counts.
type ObjectKind uint8

const (
	Mutex ObjectKind = iota
	RWLock
	SpinLock
	Condition
	Semaphore
	Barrier
	Joinable // a thread or process
	Futex
	Socket
	Pipe
	Process
	Signal
	File
	Message      // of MPI
	Communicator // of MPI: what collective operations wait on
	Other
)

func (k ObjectKind) String() string {
	return [...]string{"mutex", "rwlock", "spinlock", "condition", "semaphore", "barrier", "thread",
		"futex", "socket", "pipe", "process", "signal", "file", "message", "communicator", "object"}[k]
}

// exclusive reports whether the kind is held from the end of a wait until a release by one thread.
func (k ObjectKind) exclusive() bool { return k <= SpinLock }

// Handle reports whether an object is a thread that a join names by its address. That says nothing
// in a sentence, and the next thread may get the same address. Who ends such a wait is known
// anyway.
func (a *Analysis) Handle(o trace.ObjectID) bool {
	return a.Objects[o].Kind == Joinable && isAddress(a.Trace.Objects[o].Name)
}

// words tell what a function operates on. The first one that occurs in the function's name, in
// lower case, counts.
var words = []struct {
	kind ObjectKind
	in   string
}{
	{Condition, "cond_"}, {Condition, "condition"}, {Condition, "cnd_"},
	{Joinable, "join"}, {Joinable, "exec.builder.do"},
	{RWLock, "rwlock"}, {RWLock, "rwmutex"}, {RWLock, "srwlock"}, {RWLock, "shared_mutex"},
	{RWLock, "readwrite"}, {SpinLock, "spin_"},
	{Semaphore, "sem_"}, {Semaphore, "semaphore"}, {Semaphore, "semop"}, {Semaphore, "semtimedop"},
	{Barrier, "barrier"}, {Barrier, "latch"},
	{File, "flock"}, {Futex, "futex"},
	{Mutex, "mutex"}, {Mutex, "mtx_"}, {Mutex, "criticalsection"}, {Mutex, "lock"},
	{Socket, "accept"}, {Socket, "connect"}, {Socket, "send"}, {Socket, "recv"},
	{Other, ""},
}

// exactly are names of functions that say too little as part of a longer name.
var exactly = map[string]ObjectKind{
	"read": Pipe, "readv": Pipe, "write": Pipe, "writev": Pipe,
	"eventfd_read": Pipe, "eventfd_write": Pipe,
	"wait": Process, "wait3": Process, "wait4": Process, "waitid": Process, "waitpid": Process,
	"exit": Process, "_exit": Process, "_Exit": Process, "exit_group": Process, "quick_exit": Process,
	"kill": Signal, "tgkill": Signal, "sigqueue": Signal, "pthread_kill": Signal,
	"pthread_sigqueue": Signal, "pause": Signal, "sigwait": Signal, "sigwaitinfo": Signal,
	"sigtimedwait": Signal, "sigsuspend": Signal,
}

func operatesOn(function string) ObjectKind {
	bare, _, _ := strings.Cut(function, "@")
	for _, name := range []string{bare, strings.TrimPrefix(bare, "__")} {
		if kind, ok := exactly[name]; ok {
			return kind
		}
	}
	function = strings.ToLower(function)
	if _, operation, ok := strings.Cut(function, "mpi_"); ok {
		return operatesOnMPI(operation)
	}
	for _, w := range words {
		if strings.Contains(function, w.in) {
			return w.kind
		}
	}
	return Other
}

// messaging are parts of the names of what MPI does with single messages.
var messaging = []string{"send", "recv", "wait", "test", "probe", "start"}

// operatesOnMPI is operatesOn for a function of MPI, without what its name begins with.
func operatesOnMPI(operation string) ObjectKind {
	switch {
	case strings.HasPrefix(operation, "file_"):
		return File
	case strings.HasPrefix(operation, "win_"):
		return Mutex // of remote memory
	case slices.ContainsFunc(messaging, func(s string) bool { return strings.Contains(operation, s) }):
		return Message
	}
	return Communicator
}

// kindOf returns the kind of the k-th object of a call whose function operates on objects of kind
// on. The second object of a wait for a condition is a mutex. What is read or written is a file,
// unless the function's name says more.
func kindOf(on ObjectKind, block trace.BlockKind, k int) ObjectKind {
	switch {
	case on == Condition && k > 0:
		return Mutex
	case (on == Other || on == Pipe) && block == trace.IO:
		return File
	}
	return on
}
