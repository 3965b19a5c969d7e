package ctf

import (
	"strconv"
	"strings"
)

// What perf(1) records it writes as a trace of this format with "perf data convert --to-ctf":
// events of the kernel under names and fields of its own, each with the thread it was on.

// perfActions are the events of perf that are more than instants.
var perfActions = map[string]struct {
	do   func(*feed, *source, *action)
	addr string // the field that it needs
}{
	"sched:sched_switch":     {schedSwitch, "next_pid"},
	"sched:sched_waking":     {schedWaking, "pid"},
	"sched:sched_wakeup":     {schedWakeup, "pid"},
	"sched:sched_wakeup_new": {schedWakeup, "pid"},
	"raw_syscalls:sys_enter": {numberedEntry, "id"},
	"raw_syscalls:sys_exit":  {numberedExit, "id"},
	"perf_comm":              {perfThread, "tid"},
	"perf_fork":              {perfThread, "tid"},
}

// perfAction works out what becomes of the events of a class.
func perfAction(a *action, event string) {
	a.pid, a.tid, a.common = a.fields.named("perf_pid"), a.fields.named("perf_tid"), false
	a.chained = a.fields.named("perf_callchain_size") != nil
	if known, ok := perfActions[event]; ok {
		if a.addr = a.fields.named(known.addr); a.addr != nil {
			a.do, a.rest = known.do, true
		}
	}
	switch provider, name, _ := strings.Cut(event, ":"); {
	case strings.HasPrefix(event, "perf_"):
		// Who runs and what lies where, partly from before the recording and then at time 0.
		if a.quiet = true; a.addr == nil {
			a.do = func(*feed, *source, *action) {}
		}
	case provider == "raw_syscalls":
		a.numbered = 1
	case provider != "syscalls":
	case afterAny(name, "sys_enter_") != "":
		a.do, a.function, a.rest = syscallEntry, syscall(afterAny(name, "sys_enter_")), true
	case afterAny(name, "sys_exit_") != "":
		a.do, a.function, a.rest = syscallExit, syscall(afterAny(name, "sys_exit_")), true
	}
}

// perfThread takes over the process of a thread, and its name if the event has it.
func perfThread(f *feed, s *source, a *action) {
	key := laneKey{a.host, -1, int64(s.addr)}
	if pid := a.also.pid; pid != nil {
		f.owners[key] = int64(s.num(pid))
	}
	comm := trimmed(s.text(a.also.comm))
	if len(comm) == 0 {
		return
	}
	f.comms[key] = string(comm)
	if l := f.latest[key]; l != nil {
		l.comm = string(comm)
		f.showName(l)
	}
}

// numberedEntry and numberedExit record a system call of which the number is known only.
func numberedEntry(f *feed, s *source, a *action) {
	f.number(s, a)
	syscallEntry(f, s, a)
}

func numberedExit(f *feed, s *source, a *action) {
	f.number(s, a)
	syscallExit(f, s, a)
}

func (f *feed) number(s *source, a *action) {
	a.function = syscall("syscall " + strconv.FormatInt(int64(s.addr), 10))
}

// ofRecord reports whether a field tells of the record rather than of what happened.
func ofRecord(name string) bool {
	name = strings.TrimLeft(name, "_")
	return strings.HasPrefix(name, "perf_") || strings.HasPrefix(name, "common_") || name == "syscall_nr"
}
