package ctf

import (
	"cmp"
	"strconv"
	"strings"

	"diptych/internal/trace"
	"diptych/internal/traceio/spans"
)

// action is what becomes of the events of a class, and where its fields are.
type action struct {
	do             func(*feed, *stream, *action)
	host           int32
	pid, tid, comm *node
	fields         *node
	addr           *node // what the event is about: an address, a mutex, a thread
	fn             trace.FuncID
	dumps          bool // the tracer tells the state of the process
	quiet          bool // the event is no part of the run
}

// actions are the events that are more than instants, by name without "_fast", as the variant of
// LTTng's profile without arguments has it.
var actions = map[string]struct {
	do   func(*feed, *stream, *action)
	addr string // the field that it needs, if any
}{
	"lttng_ust_cyg_profile:func_entry":         {enter, "addr"},
	"lttng_ust_cyg_profile:func_exit":          {exit, ""},
	"lttng_ust_pthread:pthread_mutex_lock_req": {lockRequest, "mutex"},
	"lttng_ust_pthread:pthread_mutex_lock_acq": {lockAcquired, "mutex"},
	"lttng_ust_pthread:pthread_mutex_trylock":  {lockTried, "mutex"},
	"lttng_ust_pthread:pthread_mutex_unlock":   {unlocked, "mutex"},
	"lttng_ust_statedump:bin_info":             {mapped, "baddr"},
	"lttng_ust_statedump:build_id":             {identified, "baddr"},
	"lttng_ust_statedump:procname":             {processNamed, "procname"},
	"lttng_ust_dl:dlopen":                      {mapped, "baddr"},
	"lttng_ust_dl:dlmopen":                     {mapped, "baddr"},
	"lttng_ust_dl:build_id":                    {identified, "baddr"},
	"lttng_ust_lib:load":                       {mapped, "baddr"},
	"lttng_ust_lib:build_id":                   {identified, "baddr"},
	"sched_switch":                             {schedSwitch, "next_tid"},
	"sched_waking":                             {schedWaking, "tid"},
	"sched_wakeup":                             {schedWaking, "tid"},
	"sched_wakeup_new":                         {schedWaking, "tid"},
	"lttng_statedump_process_state":            {processState, "tid"},
	"exit_syscall":                             {syscallExit, ""},
	"lttng_ust_tracef:event":                   {message, "msg"},
}

// actionOf works out what becomes of the present event's class.
func (f *feed) actionOf(s *stream) *action {
	e, l := s.event, s.layout
	a := &action{do: instant, host: f.host(s.t), fields: e.body.fields}
	context := func(names ...string) *node {
		for _, name := range names {
			for _, scope := range []*node{e.body.context, l.common} {
				if n := scope.named(name); n != nil {
					return n
				}
			}
		}
		return nil
	}
	a.pid, a.tid, a.comm = context("pid", "vpid"), context("tid", "vtid"), context("procname")
	known, ok := actions[strings.Replace(e.name, "_fast:", ":", 1)]
	if ok {
		if a.addr = a.fields.named(known.addr); a.addr != nil || known.addr == "" {
			a.do = known.do
		}
	}
	provider, name, named := strings.Cut(e.name, ":")
	if !named {
		provider, name = "", e.name
	}
	a.dumps = strings.HasPrefix(e.name, "lttng_ust_statedump:")
	if s.t.perf {
		f.perfAction(a, e.name)
	}
	switch {
	case e.name == "lttng_ust_cyg_profile:func_exit":
		a.addr = a.fields.named("addr")
	case s.t.kernel && !s.t.perf && syscallName(name) != "":
		a.do, a.fn = syscallEntry, f.named(syscall(syscallName(name)))
	case s.t.kernel && !s.t.perf && syscallEnd(name) != "":
		a.do, a.fn = syscallExit, f.named(syscall(syscallEnd(name)))
	case a.fn == 0:
		a.fn = f.named(trace.Function{Name: cmp.Or(e.name, spans.Unnamed), Package: provider, Kind: trace.Event})
	}
	return a
}

// Instants take much more memory than an event of a few bits does. Beyond the first ones there may
// be no more than one for so many bytes, far more than tracers write.
const (
	freeInstants = 1 << 20
	instantBytes = 3
)

// instant records an event that is no more than that.
func instant(f *feed, s *stream, a *action) {
	l := f.lane(s, a)
	l.dumped = l.dumped || a.dumps
	l.at = s.at
	if f.instants++; f.instants > freeInstants && f.instants > f.bytes/instantBytes {
		if f.unkept++; f.unkept == 1 {
			f.unkeptName = s.event.name
		}
		return
	}
	l.Instant(s.at, a.fn)
}

// enter and exit record that a function of the program is entered and left.
func enter(f *feed, s *stream, a *action) {
	l := f.lane(s, a)
	l.at = s.at
	fn := f.address(l.proc, s.num(a.addr))
	if l.depth == 0 && l.started == 0 {
		l.started = fn
	}
	l.begin(s.at, fn)
}

func exit(f *feed, s *stream, a *action) {
	l := f.lane(s, a)
	l.at = s.at
	if a.addr == nil {
		l.end(s.at, 0)
		return
	}
	l.end(s.at, f.address(l.proc, s.num(a.addr)))
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
func (f *feed) result(s *stream, a *action) []byte {
	f.args = f.args[:0]
	if n := a.fields.named("status"); n != nil {
		f.args = strconv.AppendInt(append(f.args, "= "...), int64(s.num(n)), 10)
	}
	return f.args
}

func lockRequest(f *feed, s *stream, a *action) {
	l := f.lane(s, a)
	l.at = s.at
	l.Args(l.begin(s.at, f.named(lockCall)), f.argument(s.num(a.addr)))
}

func lockAcquired(f *feed, s *stream, a *action) {
	l := f.lane(s, a)
	l.at = s.at
	l.end(s.at, f.named(lockCall))
	l.ReturnArgs(f.result(s, a))
	k := l.proc.lock(s.num(a.addr))
	if k.holder != nil && k.holder != l {
		k.next = s.at
		return
	}
	k.holder = l
}

func lockTried(f *feed, s *stream, a *action) {
	l := f.lane(s, a)
	l.at = s.at
	fn := f.named(trylockCall)
	l.Args(l.begin(s.at, fn), f.argument(s.num(a.addr)))
	l.end(s.at, fn)
	l.ReturnArgs(f.result(s, a))
}

// unlocked records that a mutex was released. The event comes after that; another thread may have
// got the mutex, and told so, meanwhile. Then the release began no later than that: otherwise the
// wait that it ended would seem to end before it.
func unlocked(f *feed, s *stream, a *action) {
	l := f.lane(s, a)
	addr := s.num(a.addr)
	start, k := s.at, l.proc.lock(addr)
	if k.holder == l && k.next != 0 {
		start = max(k.next, l.at)
	}
	k.holder, k.next = nil, 0
	l.at = s.at
	fn := f.named(unlockCall)
	l.Args(l.begin(start, fn), f.argument(addr))
	l.end(s.at, fn)
	l.ReturnArgs(f.result(s, a))
}

// message records a text that the program wrote with tracef(3). "call NAME (ARGUMENTS)" and "return
// NAME" are a call, as docs/recording.md has it for functions that nothing else traces.
func message(f *feed, s *stream, a *action) {
	what, rest, _ := strings.Cut(string(trimmed(s.text(a.addr))), " ")
	name, args, _ := strings.Cut(rest, " ")
	if what != "call" && what != "return" || name == "" {
		instant(f, s, a)
		return
	}
	l, fn := f.lane(s, a), f.named(trace.Function{Name: name})
	l.at = s.at
	if what == "return" {
		l.end(s.at, fn)
		return
	}
	l.Args(l.begin(s.at, fn), []byte(args))
}

// mapped takes over where a file lies in memory. Of a library that is loaded later the event does
// not tell whether its symbols are relative: they are.
func mapped(f *feed, s *stream, a *action) {
	pic := a.fields.named("is_pic")
	f.lane(s, a).proc.addMap(mapping{from: s.num(a.addr), size: s.num(a.fields.named("memsz")),
		path: string(trimmed(s.text(a.fields.named("path")))), pic: pic == nil || s.num(pic) != 0})
	instant(f, s, a)
}

func identified(f *feed, s *stream, a *action) {
	f.lane(s, a).proc.setID(s.num(a.addr), s.text(a.fields.named("build_id")))
	instant(f, s, a)
}

func processNamed(f *feed, s *stream, a *action) {
	f.lane(s, a).proc.name = string(trimmed(s.text(a.addr)))
	instant(f, s, a)
}
