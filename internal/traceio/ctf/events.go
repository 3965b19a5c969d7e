package ctf

import (
	"strconv"
	"strings"

	"diptych/internal/trace"
)

// Instants take much more memory than an event of a few bits does. Beyond the first ones there may
// be no more than one for so many bytes, far more than tracers write.
const (
	freeInstants = 1 << 20
	instantBytes = 3
)

// instant records an event that is no more than that.
func instant(f *feed, s *source, a *action) {
	l := f.lane(s, a)
	l.dumped = l.dumped || a.dumps
	l.at = s.at
	if f.instants++; f.instants > freeInstants && f.instants > f.bytes/instantBytes {
		if f.unkept++; f.unkept == 1 {
			f.unkeptName = a.class.name
		}
		return
	}
	f.point(l, s.at, f.functionOf(a))
}

// enter and exit record that a function of the program is entered and left.
func enter(f *feed, s *source, a *action) {
	l := f.lane(s, a)
	l.at = s.at
	fn := f.address(l.proc, s.addr)
	if l.depth == 0 && l.started == 0 {
		l.started = fn
	}
	f.begin(l, s.at, fn)
}

func exit(f *feed, s *source, a *action) {
	l := f.lane(s, a)
	l.at = s.at
	if a.addr == nil {
		f.end(l, s.at, 0)
		return
	}
	f.end(l, s.at, f.address(l.proc, s.addr))
}

// lock is what is known of a mutex.
type lock struct {
	holder *lane
	next   int64 // when another got it, without a release of the holder's so far; 0 if none did
}

// mostLocks is how many mutexes of a process are kept at a time.
const mostLocks = 1 << 16

func (p *process) lock(addr uint64) *lock {
	k := p.locks[addr]
	if k == nil {
		k = &lock{}
		if len(p.locks) < mostLocks {
			p.locks[addr] = k
		}
	}
	return k
}

// The calls that the events of mutexes stand for.
var (
	lockCall    = trace.Function{Name: "pthread_mutex_lock"}
	trylockCall = trace.Function{Name: "pthread_mutex_trylock"}
	unlockCall  = trace.Function{Name: "pthread_mutex_unlock"}
)

// argument writes the mutex as the argument of a call.
func (f *feed) argument(addr uint64) []byte {
	f.args = append(f.args[:0], "(0x"...)
	f.args = strconv.AppendUint(f.args, addr, 16)
	f.args = append(f.args, ')')
	return f.args
}

// result writes the status of a call.
func (f *feed) result(s *source, a *action) []byte {
	f.args = f.args[:0]
	if n := a.also.status; n != nil {
		f.args = strconv.AppendInt(append(f.args, "= "...), int64(s.num(n)), 10)
	}
	return f.args
}

func lockRequest(f *feed, s *source, a *action) {
	l := f.lane(s, a)
	l.at = s.at
	f.begin(l, s.at, f.named(lockCall))
	l.explain(f.argument(s.addr))
}

func lockAcquired(f *feed, s *source, a *action) {
	l := f.lane(s, a)
	l.at = s.at
	f.end(l, s.at, f.named(lockCall))
	l.explain(f.result(s, a))
	k := l.proc.lock(s.addr)
	if k.holder != nil && k.holder != l {
		k.next = s.at
		return
	}
	k.holder = l
}

func lockTried(f *feed, s *source, a *action) {
	l := f.lane(s, a)
	l.at = s.at
	fn := f.named(trylockCall)
	f.begin(l, s.at, fn)
	l.explain(f.argument(s.addr))
	f.end(l, s.at, fn)
	l.explain(f.result(s, a))
}

// unlocked records that a mutex was released. The event comes after that; another thread may have
// got the mutex, and told so, meanwhile. Then the release was no later than that: otherwise the
// wait that it ended would seem to end before it. How long it took is not recorded, so it has no
// length: one that lasted to its event would have self time only because a thread waited for it.
func unlocked(f *feed, s *source, a *action) {
	l := f.lane(s, a)
	addr := s.addr
	start, k := s.at, l.proc.lock(addr)
	if k.holder == l && k.next != 0 {
		start = max(k.next, l.at)
	}
	k.holder, k.next = nil, 0
	l.at = s.at
	fn := f.named(unlockCall)
	f.begin(l, start, fn)
	l.explain(f.argument(addr))
	f.end(l, start, fn)
	l.explain(f.result(s, a))
}

// message records a text that the program wrote with tracef(3). "call NAME (ARGUMENTS)" and "return
// NAME" are a call, as docs/recording.md has it for functions that nothing else traces.
func message(f *feed, s *source, a *action) {
	what, rest, _ := strings.Cut(string(trimmed(s.text(a.addr))), " ")
	name, args, _ := strings.Cut(rest, " ")
	if what != "call" && what != "return" || name == "" {
		instant(f, s, a)
		return
	}
	l, fn := f.lane(s, a), f.named(trace.Function{Name: name})
	l.at = s.at
	if what == "return" {
		f.end(l, s.at, fn)
		return
	}
	f.begin(l, s.at, fn)
	l.explain([]byte(args))
}

// mapped takes over where a file lies in memory. For a library that is loaded later, the event does
// not say whether its symbols are relative: they are.
func mapped(f *feed, s *source, a *action) {
	f.lane(s, a).proc.addMap(mapping{from: s.addr, size: s.num(a.also.memsz),
		path: string(trimmed(s.text(a.also.path))), pic: a.also.isPIC == nil || s.num(a.also.isPIC) != 0})
	f.shown.stale = true
	instant(f, s, a)
}

func identified(f *feed, s *source, a *action) {
	f.lane(s, a).proc.setID(s.addr, s.text(a.also.buildID))
	f.shown.stale = true
	instant(f, s, a)
}

func processNamed(f *feed, s *source, a *action) {
	f.lane(s, a).proc.name = string(trimmed(s.text(a.addr)))
	instant(f, s, a)
}
