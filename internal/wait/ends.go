package wait

import (
	"cmp"
	"slices"
	"strings"

	"diptych/internal/trace"
)

// adoptJoins says what ended the waits that join a thread or a process: the end of that. A
// recording does not say which thread that is, but a join that blocks returns as soon as the thread
// has ended; so it is the thread of the same process that ended last within the wait. A process is
// known by its id if the call's arguments or result tell it, and it ends with its last thread. If
// it was exiting when the wait began, the moment of its death is not in the recording: the wait's
// end stands for it. This is no correspondence, because no call releases anything.
func (a *Analysis) adoptJoins() {
	var ends []int32
	var last map[int32]int32
	ws := &a.Waits
	joins := make([]ObjectKind, len(a.Trace.Functions)) // plus 1
	for w := range ws.Len() {
		if ws.How[w] != Passed {
			continue
		}
		kind := a.joins(joins, w)
		if kind != Joinable && kind != Process {
			continue
		}
		if last == nil {
			ends, last = a.ends()
		}
		k, _ := slices.BinarySearchFunc(ends, ws.End[w]+1, func(t int32, at int64) int {
			return cmp.Compare(a.Threads[t].EndNs, at)
		})
		for k--; k >= 0; k-- {
			t, at := ends[k], a.Threads[ends[k]].EndNs
			late := at < ws.Start[w]
			if late && kind == Joinable {
				break
			}
			if late {
				at = ws.End[w]
			}
			if kind == Joinable && t != ws.Thread[w] && a.sameProcess(t, ws.Thread[w]) ||
				kind == Process && last[a.Trace.Threads[t].Process] == t && a.awaits(w, t, late) {
				ws.How[w], ws.By[w], ws.At[w] = Joined, trace.CallRef{Thread: t, Call: -1}, at
				break
			}
		}
	}
}

// ends returns the threads by their end, and by process the one that ends last.
func (a *Analysis) ends() (ends []int32, last map[int32]int32) {
	for t, th := range a.Trace.Threads {
		if th.Len() > 0 && th.Lane == 0 && th.Runs() {
			ends = append(ends, int32(t))
		}
	}
	keys := make([]timed, len(ends))
	for i, t := range ends {
		keys[i] = timed{uint64(a.Threads[t].EndNs) ^ 1<<63, t}
	}
	for i, k := range byDigits(keys) {
		ends[i] = k.at
	}
	last = map[int32]int32{}
	for _, t := range ends {
		last[a.Trace.Threads[t].Process] = t
	}
	return ends, last
}

// awaits reports whether wait w, for the end of a process, can be for the one of thread t: another
// one, the one whose id it names if it names any, and a child if the recording knows whose. Late
// says that t had ended before; then it must be named, and have been exiting.
func (a *Analysis) awaits(w int, t int32, late bool) bool {
	own, other := a.Trace.Threads[a.Waits.Thread[w]].Process, a.Trace.Threads[t].Process
	if own < 0 || other < 0 || own == other {
		return false
	}
	child := &a.Trace.Processes[other]
	for _, o := range a.ObjectsOf(w) {
		if id, ok := strings.CutPrefix(a.Trace.Objects[o].Name, "process "); ok {
			return id == child.ID && (!late || a.exiting(t))
		}
	}
	return !late && (child.Parent == "" || child.Parent == a.Trace.Processes[own].ID)
}

// exiting reports whether the last that a thread did has no recorded end.
func (a *Analysis) exiting(t int32) bool {
	th := a.Trace.Threads[t]
	return th.Flags(th.Len()-1)&trace.Unclosed != 0
}

// Joins reports whether calls of a function wait for a thread to end, judged by its name.
func Joins(function string) bool { return operatesOn(function) == Joinable }

// Tests reports whether calls of a function wait for a condition, judged by its name: a program
// makes them only while the condition is not met.
func Tests(function string) bool { return operatesOn(function) == Condition }

// joins returns what sort of thing the call of wait w operates on; known remembers it by function,
// plus 1.
func (a *Analysis) joins(known []ObjectKind, w int) ObjectKind {
	kind := &known[a.Waits.Fn[w]]
	if *kind == 0 {
		*kind = operatesOn(a.Trace.Functions[a.Waits.Fn[w]].Name) + 1
	}
	return *kind - 1
}

func (a *Analysis) sameProcess(x, y int32) bool {
	return a.Trace.Threads[x].Process == a.Trace.Threads[y].Process
}
