package wait

import (
	"strings"

	"diptych/internal/trace"
)

// ObjectKind is what sort of thing an object is, as far as the names of the functions tell that
// operate on it. Where they disagree the first kind counts.
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
	File
	Other
)

func (k ObjectKind) String() string {
	return [...]string{"mutex", "rwlock", "spinlock", "condition", "semaphore", "barrier", "thread",
		"futex", "socket", "file", "object"}[k]
}

// exclusive reports whether the kind is held from the end of a wait until a release by one thread.
func (k ObjectKind) exclusive() bool { return k <= SpinLock }

// words tell what a function operates on: the first that occurs in its name in lower case counts.
var words = []struct {
	kind ObjectKind
	in   string
}{
	{Condition, "cond_"}, {Condition, "condition"}, {Condition, "cnd_"},
	{Joinable, "join"},
	{RWLock, "rwlock"}, {RWLock, "rwmutex"}, {RWLock, "srwlock"}, {RWLock, "shared_mutex"},
	{RWLock, "readwrite"}, {SpinLock, "spin_"},
	{Semaphore, "sem_"}, {Semaphore, "semaphore"}, {Semaphore, "semop"}, {Semaphore, "semtimedop"},
	{Barrier, "barrier"}, {Barrier, "latch"},
	{File, "flock"}, {Futex, "futex"},
	{Mutex, "mutex"}, {Mutex, "mtx_"}, {Mutex, "criticalsection"}, {Mutex, "lock"},
	{Socket, "accept"}, {Socket, "connect"}, {Socket, "send"}, {Socket, "recv"},
	{Other, ""},
}

func operatesOn(function string) ObjectKind {
	function = strings.ToLower(function)
	for _, w := range words {
		if strings.Contains(function, w.in) {
			return w.kind
		}
	}
	return Other
}

// kindOf is the kind of the k-th object of a call by what calls of its function operate on: a wait
// for a condition takes a mutex too, and what is read and written is a file unless its function
// says better.
func kindOf(on ObjectKind, block trace.BlockKind, k int) ObjectKind {
	switch {
	case on == Condition && k > 0:
		return Mutex
	case on == Other && block == trace.IO:
		return File
	}
	return on
}
