// Package account says where the time of two runs went, to the nanosecond, and how much of the
// difference each finding accounts for.
//
// The time of a thread, from its first call's start to its last call's end, is split exactly:
// every ns belongs to one Part. From these splits follow two accounts, each of which adds up:
//
//   - Elapsed is from the recording's first event to its last, split along one way through the
//     threads: the critical path (package wait), and where that does not reach, or no wait is
//     known, the thread that lasts longest (way.go).
//   - Work is summed over threads: time on CPU, I/O and time off CPU. Waiting and idle time are
//     summed beside it and are no part of it.
//
// The files, in the order in which the work goes:
//
//	sweep.go   one thread split into parts, and how much of each lies on the way
//	awaits.go  calls that wait for a part of them on another thread
//	sites.go   where the sweep keeps its sums
//	way.go     which thread the elapsed time goes along at each moment
//	split.go   the threads of both sides split, several at a time
//	cells.go   their parts added up, in cells by function and caller
//	balance.go both sides put next to each other
//	one.go     a run split by itself, to be compared with many others
//	scope.go   how much of each cell happens below some functions, or on some threads
//	pace.go    the factor by which everything takes longer
//	ledger.go  findings claim parts of the difference; what is left is unexplained
//	causes.go  what the account finds by itself: waiting, idle time, time off CPU
//	example.go the longest wait of a change, followed to its cause
//	turns.go   threads that wait for each other, and what they do in turn
//
// Quantities come from totals of both whole sides; no alignment has a part in them. Cost is linear
// in the calls, and threads are split in parallel. Memory grows with the distinct parts, not with
// the calls.
//
// The package holds pure functions of a pair.Pair and the wait.Analysis of its sides. It knows no
// files, views, alignments or findings.
package account

import (
	"math/bits"

	"diptych/internal/trace"
)

// Kind is what a thread does at a moment.
type Kind uint8

const (
	CPU    Kind = iota // it runs: self time of the innermost call
	IO                 // it is in a call that does input or output, or in a system call
	OffCPU             // it is ready to run, but another thread runs
	Wait               // it is in a call that waits
	Idle               // it is in no call
	Kinds
)

func (k Kind) String() string {
	return [...]string{"on CPU", "I/O", "off CPU", "waiting", "idle"}[k]
}

// Works reports whether time of this kind is work.
func (k Kind) Works() bool { return k <= OffCPU }

// None stands for no function, for example as the caller of a thread's roots.
const None uint32 = 1<<32 - 1

// Part is what time is spent on. Functions are identities of the pair.
//
// The outermost call that waits or does I/O owns all of its time: callees and scheduling states
// below it are part of it. For example, on a thread that runs f from 0 to 10 ns,
//
//	f               [0, 10)                  CPU     f, called by nobody      4 ns
//	  mutex_lock    [2, 5)    waits          Wait    mutex_lock, called by f  3 ns
//	    schedule    [3, 5)    a context switch
//	  schedule      [7, 10)                  OffCPU  schedule, called by f    3 ns
type Part struct {
	Kind     Kind
	Function uint32
	Caller   uint32
	// Object and Releaser are what a wait is for and who ended it, as indices into
	// Balance.Objects and into the pair's threads; −1 if unknown, and in all other parts.
	Object, Releaser int32
}

// Amount is how much of a part there is.
type Amount struct {
	Calls int64 // that began in it
	Ns    int64 // over all threads
	WayNs int64 // of the elapsed time
	// Squares is the sum of the squares of its uninterrupted stretches, ns². If chance decides
	// which of them a run has, the sum of them varies by its root, as a Poisson process does. Time
	// on CPU has none: how sure its changes are, the calls of both sides tell (align/finding).
	Squares Squares
}

func (a *Amount) add(b Amount) {
	a.Calls += b.Calls
	a.Ns += b.Ns
	a.WayNs += b.WayNs
	a.Squares.add(b.Squares)
}

// Squares is a sum of squares. It is exact, so that it does not depend on what is summed up first.
type Squares struct{ high, low uint64 }

// addSquareOf adds the square of a time, ns.
func (s *Squares) addSquareOf(ns int64) {
	high, low := bits.Mul64(uint64(ns), uint64(ns))
	s.add(Squares{high, low})
}

func (s *Squares) add(o Squares) {
	low, carry := bits.Add64(s.low, o.low, 0)
	s.low, s.high = low, s.high+o.high+carry
}

// Float returns the sum, rounded.
func (s Squares) Float() float64 { return float64(s.high)*(1<<64) + float64(s.low) }

// whatOf returns what calls of each function are where they are not marked as blocking. A profile
// has samples in place of time, so all of it is CPU.
func whatOf(t *trace.Trace, ids []uint32, opens map[uint32]bool) []what {
	list := make([]what, len(t.Functions))
	for f := range list {
		if t.Kind != trace.Profile {
			list[f] = what(kindOf(&t.Functions[f]))
		}
		if opens[ids[f]] {
			list[f] |= opensScope
		}
	}
	return list
}

// switches are the beginnings of names under which recorders show a context switch.
var switches = []string{"linux:schedule", "sched:sched_switch", "sched_switch"}

func kindOf(f *trace.Function) Kind {
	switch {
	case f.Kind == trace.State && f.Name == "syscall":
		return IO
	case f.Kind == trace.State, f.Kind == trace.Event && beginsWith(f.Name, switches):
		return OffCPU
	}
	return CPU
}
