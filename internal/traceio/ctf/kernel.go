package ctf

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"diptych/internal/trace"
	"diptych/internal/traceio/spans"
)

// away is the time that a thread has no processor.
type away struct {
	off   bool
	ready bool
	call  uint32 // of the lane
	by    *lane  // who made it ready
	woken int64  // when
}

// Bits of a thread's state when it gives the processor up. Without any of waiting, it would go on
// if it could. With one of over, it has ended, so it waits for nobody: these are a dead thread, a
// zombie, and what was a dead one until Linux 4.13 and is a parked thread of the kernel since.
const (
	waiting = 0xff
	over    = 0x70
)

// schedSwitch records that a processor goes from one thread to another. Thread 0 is the
// processor's idle one. LTTng has numbers of threads as tid where the kernel, and so perf, has pid.
func schedSwitch(f *feed, s *source, a *action) {
	prev, next := cmp.Or(a.also.prevTID, a.also.prevPID), int64(s.addr)
	if prev != nil && s.num(prev) != 0 {
		l := f.kernelThread(a, int64(s.num(prev)), s.text(a.also.prevComm))
		l.at = s.at
		switch state := s.num(a.also.prevState); {
		case l.away.off:
		case state&over != 0:
			f.endThread(l, s.at)
		default:
			ready := state&waiting == 0
			l.away = away{off: true, ready: ready, call: f.begin(l, s.at, f.named(spans.Schedule(ready)))}
		}
	}
	f.running[processKey{a.host, s.owner.cpu}] = next
	if next != 0 {
		l := f.kernelThread(a, next, s.text(a.also.nextComm))
		l.at = s.at
		if l.away.off {
			f.back(l, s.at)
		}
	}
}

// endThread ends the system call in which a thread ends: exit, or one that a signal broke off.
func (f *feed) endThread(l *lane, at int64) {
	for i := range l.syscalls {
		if c := &l.syscalls[i]; c.open {
			f.end(l, at, c.fn)
			c.open = false
		}
	}
}

// kernelThread returns the thread that the kernel has a number for.
func (f *feed) kernelThread(a *action, tid int64, comm []byte) *lane {
	l := f.thread(laneKey{a.host, -1, tid})
	if name := trimmed(comm); len(name) > 0 && string(name) != l.comm {
		l.comm = string(name)
	}
	return l
}

// back ends a thread's time without a processor. If it had given the processor up, it waited, and
// who made it ready ended the wait, as far as that one was in a call.
func (f *feed) back(l *lane, at int64) {
	w := l.away
	l.away, l.at = away{}, at
	f.end(l, at, f.named(spans.Schedule(w.ready)))
	if w.ready {
		return
	}
	l.waits = append(l.waits, w.call)
	if w.by != nil && w.by != l {
		f.b.Flow(trace.Moment{Thread: w.by.ThreadBuilder, At: w.woken},
			trace.Moment{Thread: l.ThreadBuilder, At: at, Call: l.Call(w.call)})
	}
}

// schedWakeup notes who makes a thread ready, in recordings that lack sched_waking: it can come
// from another processor than the waker's, and then from a thread that has nothing to do with it.
func schedWakeup(f *feed, s *source, a *action) {
	if !f.waking {
		f.wake(s, a)
	}
}

// schedWaking notes who makes a thread ready.
func schedWaking(f *feed, s *source, a *action) {
	f.waking = true
	f.wake(s, a)
}

func (f *feed) wake(s *source, a *action) {
	by, woken := f.lane(s, a), f.kernelThread(a, int64(s.addr), nil)
	by.at = s.at
	if woken.away.off && by.depth > 0 {
		woken.away.by, woken.away.woken = by, s.at
	}
}

// processState takes over the process and the name of a thread that ran before the recording.
func processState(f *feed, s *source, a *action) {
	key := laneKey{a.host, -1, int64(s.addr)}
	if pid := a.also.pid; pid != nil {
		f.owners[key] = int64(s.num(pid))
	}
	if name := trimmed(s.text(a.also.name)); len(name) > 0 {
		f.comms[key] = string(name)
	}
	instant(f, s, a)
}

// syscall returns a system call.
func syscall(name string) trace.Function { return trace.Function{Name: name, Package: "linux"} }

// syscallName returns the system call whose begin an event of the kernel is, or "". The second pair
// of names is that of LTTng before 2.6.
func syscallName(event string) string {
	return afterAny(event, "syscall_entry_", "compat_syscall_entry_", "sys_", "compat_sys_")
}

// syscallEnd returns the system call whose end an event is, or "".
func syscallEnd(event string) string { return afterAny(event, "syscall_exit_", "compat_syscall_exit_") }

func afterAny(s string, prefixes ...string) string {
	for _, p := range prefixes {
		if rest, ok := strings.CutPrefix(s, p); ok {
			return rest
		}
	}
	return ""
}

func syscallEntry(f *feed, s *source, a *action) {
	l := f.lane(s, a)
	c := &l.syscalls[a.numbered]
	f.lose(l, c)
	l.at = s.at
	fn := f.functionOf(a)
	*c = inside{true, f.begin(l, s.at, fn), fn}
	f.args = append(f.args[:0], '(')
	if a.fields != nil {
		for _, n := range a.fields.kids {
			if s.t.perf && (ofRecord(n.name) || n == a.addr) {
				continue
			}
			if len(f.args) > 1 {
				f.args = append(f.args, ", "...)
			}
			f.args = s.print(f.args, n)
		}
	}
	l.explain(append(f.args, ')'))
}

// syscallExit ends a system call.
func syscallExit(f *feed, s *source, a *action) {
	l := f.lane(s, a)
	c := &l.syscalls[a.numbered]
	var fn trace.FuncID
	switch {
	case c.open && a.forgets(s):
		fn = c.fn
	case strings.HasSuffix(a.class.name, "exit_syscall"):
		l.at = s.at
		f.point(l, s.at, f.functionOf(a))
		return
	default:
		if fn = f.functionOf(a); fn != c.fn {
			f.lose(l, c)
		}
	}
	l.at, c.open = s.at, false
	f.end(l, s.at, fn)
	if n := a.also.ret; n != nil {
		f.args = strconv.AppendInt(append(f.args[:0], "= "...), int64(s.num(n)), 10)
		l.explain(f.args)
	}
}

// lose ends the system call that a thread was in, although no event says so: the thread has begun
// or ended another one since, as where the tracer lost events, or the recording ends. As far as is
// known, the call lasted to the thread's last event.
func (f *feed) lose(l *lane, c *inside) {
	if !c.open {
		return
	}
	c.open = false
	f.end(l, l.at, c.fn)
	l.lost = append(l.lost, c.call)
	f.b.Diagnose(trace.UnmatchedBegin, 1, "thread %s: a system call has no end and lasts to %v",
		l.id(), trace.Since(l.at))
}

// forgets reports whether the end of a system call does not say of which: LTTng before 2.6 never
// does, and when the handler of a signal returns (rt_sigreturn) the kernel does not know any more.
func (a *action) forgets(s *source) bool {
	name := a.class.name
	return strings.HasSuffix(name, "exit_syscall") || strings.HasSuffix(name, "exit_unknown") ||
		strings.HasSuffix(name, "sys_exit") && int64(s.addr) < 0
}

// print writes a value as an argument of a call.
func (s *slots) print(out []byte, n *node) []byte {
	switch {
	case n.kind == text || n.chars && n.of.isText:
		return strconv.AppendQuote(out, string(trimmed(s.text(n))))
	case n.kind == float && n.size == 32:
		return strconv.AppendFloat(out, float64(math.Float32frombits(uint32(s.num(n)))), 'g', -1, 32)
	case n.kind == float && n.size == 64:
		return strconv.AppendFloat(out, math.Float64frombits(s.num(n)), 'g', -1, 64)
	case n.kind != integer && n.kind != enum:
		return append(out, '?')
	case n.base == 16:
		return strconv.AppendUint(append(out, "0x"...), s.num(n), 16)
	case n.signed:
		return strconv.AppendInt(out, int64(s.num(n)), 10)
	case n.base == 8:
		return strconv.AppendUint(append(out, '0'), s.num(n), 8)
	}
	return strconv.AppendUint(out, s.num(n), cmp.Or(10, n.base))
}
