package wait

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"

	"diptych/internal/progress"
	"diptych/internal/trace"
)

// ThreadTotal sums up a thread's blocking calls. A wait within a wait adds nothing to the time, and
// neither does input or output within the same.
type ThreadTotal struct {
	StartNs, EndNs       int64 // the first start and the last end of its calls
	WaitNs, IONs         int64
	GapNs                int64  // the part of WaitNs that lies between calls
	OffCPUNs             int64  // without a processor, outside waits and I/O: pre-empted
	Waits, Releases, IOs uint64 // calls
	Released             uint64 // waits that a release, or the end of a thread, ended
	Passed               uint64 // waits that ended without
	Unreleased           uint64 // waits that never ended
}

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

// Edge is who waited on whom for what: outermost waits of one thread, on one object, that one
// thread ended.
type Edge struct {
	Waiter   int32
	Releaser int32 // −1 if nothing released them
	Object   trace.ObjectID
	Count    uint64
	WaitNs   int64
}

// PairTotal is who waited on whom.
type PairTotal struct {
	Waiter, Releaser int32
	Count            uint64
	WaitNs           int64
}

// total adds up waits by thread, pair and object.
func (a *Analysis) total(ctx context.Context, _ *progress.Meter) error {
	threads := len(a.Trace.Threads)
	a.switches = slices.ContainsFunc(a.Trace.Functions, func(f trace.Function) bool {
		return f.OffCPU()
	})
	edges := make([][]Edge, threads)
	err := progress.Spread(ctx, threads, func(t int) error {
		a.totalThread(t)
		if a.Counts(t) {
			edges[t] = a.edgesOf(t)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for t := range a.Threads {
		if a.Counts(t) {
			a.Ended += a.Threads[t].Released
		}
	}
	a.Edges = slices.Concat(edges...)
	slices.SortFunc(a.Edges, func(x, y Edge) int {
		return cmp.Or(cmp.Compare(y.WaitNs, x.WaitNs), cmp.Compare(y.Count, x.Count),
			cmp.Compare(x.Waiter, y.Waiter), cmp.Compare(x.Releaser, y.Releaser),
			cmp.Compare(x.Object, y.Object))
	})
	a.pairUp()
	a.totalObjects()
	return ctx.Err()
}

func (a *Analysis) totalThread(t int) {
	th, sum, ws := a.Trace.Threads[t], &a.Threads[t], &a.Waits
	from, to := ws.OnThread(t)
	for w := from; w < to; w++ {
		if ws.Idle[w] {
			sum.GapNs += ws.Dur(w)
		}
	}
	sum.WaitNs = a.spent[t][trace.Wait-1].in(0, th.Len()) + sum.GapNs
	sum.IONs = a.spent[t][trace.IO-1].in(0, th.Len())
	sum.OffCPUNs = a.preempted(th)
	sum.Waits = uint64(to - from)
	sum.Releases = uint64(a.Releases.first[t+1] - a.Releases.first[t])
	sum.IOs = uint64(len(a.spent[t][trace.IO-1].call))
	for w := from; w < to; w++ {
		switch ws.How[w] {
		case Passed:
			sum.Passed++
		case Unreleased:
			sum.Unreleased++
		default:
			sum.Released++
		}
	}
}

// preempted returns how long a thread had no processor outside calls that wait or do I/O.
func (a *Analysis) preempted(th *trace.Thread) (ns int64) {
	if !a.switches {
		return 0
	}
	marks := th.Blocks
	for i := 0; i < th.Len(); {
		blocks := false
		for ; len(marks) > 0 && int(marks[0].Call) <= i; marks = marks[1:] {
			blocks = blocks || int(marks[0].Call) == i && marks[0].Kind != trace.Release
		}
		if !blocks && a.Trace.FunctionOf(th, i).OffCPU() {
			blocks = true
			ns += th.Dur(i)
		}
		if i++; blocks {
			i = th.Next(i - 1)
		}
	}
	return ns
}

// edgesOf adds up the outermost waits of a thread.
func (a *Analysis) edgesOf(t int) []Edge {
	type key struct {
		releaser int32
		object   trace.ObjectID
	}
	sums := map[key]*Edge{}
	from, to := a.Waits.OnThread(t)
	for w := from; w < to; w++ {
		if !a.Waits.Outermost(w) {
			continue
		}
		k := key{a.Waits.By[w].Thread, a.Object(w)}
		e := sums[k]
		if e == nil {
			e = &Edge{Waiter: int32(t), Releaser: k.releaser, Object: k.object}
			sums[k] = e
		}
		e.Count++
		e.WaitNs += a.Waits.Dur(w)
	}
	out := make([]Edge, 0, len(sums))
	for e := range maps.Values(sums) {
		out = append(out, *e)
	}
	return out
}

// Object returns what wait w was for: the first of its objects that was released meanwhile, else
// the first, or NoObject.
func (a *Analysis) Object(w int) trace.ObjectID {
	if o := a.Waits.On[w]; o != trace.NoObject || a.Waits.objects[w].Len() == 0 {
		return o
	}
	return a.ObjectsOf(w)[0]
}

// pairUp adds up edges by waiter and releaser.
func (a *Analysis) pairUp() {
	sums := map[[2]int32]*PairTotal{}
	for _, e := range a.Edges {
		if e.Releaser < 0 {
			continue
		}
		k := [2]int32{e.Waiter, e.Releaser}
		p := sums[k]
		if p == nil {
			p = &PairTotal{Waiter: e.Waiter, Releaser: e.Releaser}
			sums[k] = p
		}
		p.Count += e.Count
		p.WaitNs += e.WaitNs
	}
	for p := range maps.Values(sums) {
		a.Pairs = append(a.Pairs, *p)
	}
	slices.SortFunc(a.Pairs, func(x, y PairTotal) int {
		return cmp.Or(cmp.Compare(y.WaitNs, x.WaitNs), cmp.Compare(y.Count, x.Count),
			cmp.Compare(x.Waiter, y.Waiter), cmp.Compare(x.Releaser, y.Releaser))
	})
}

// totalObjects adds up by object.
func (a *Analysis) totalObjects() {
	a.Objects = make([]ObjectTotal, len(a.Trace.Objects))
	for o := range a.Objects {
		a.Objects[o].Kind, a.Objects[o].FirstNs = Other, math.MaxInt64
	}
	var (
		// The last thread, from 1, that waited for an object, and that released it.
		last = make([][2]int32, len(a.Objects))
		on   = make([]ObjectKind, len(a.Trace.Functions)) // plus 1
	)
	for t, th := range a.Trace.Threads {
		if !a.Counts(t) {
			continue
		}
		for i := range th.Blocks {
			b, c := &th.Blocks[i], &a.blocking[t][i]
			if b.Objects.Len() == 0 {
				continue
			}
			known := &on[c.fn]
			if *known == 0 {
				*known = operatesOn(a.Trace.Functions[c.fn].Name) + 1
			}
			kind := *known - 1
			objects := th.ObjectsIn(b.Objects)
			for k, o := range objects {
				if !isFirst(objects, k) {
					continue
				}
				sum := &a.Objects[o]
				sum.Kind = min(sum.Kind, kindOf(kind, b.Kind, k))
				sum.FirstNs = min(sum.FirstNs, c.start)
				sum.use(b.Kind, c.dur, int32(t)+1, &last[o])
			}
		}
	}
	for _, e := range a.Edges {
		if e.Object != trace.NoObject {
			a.Objects[e.Object].WaitNs += e.WaitNs
		}
	}
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
