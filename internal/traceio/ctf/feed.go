package ctf

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strconv"

	"diptych/internal/trace"
)

// feed takes the events of all streams, in order of time, and feeds the Builder.
type feed struct {
	b        *trace.Builder
	tracers  []*tracer
	open     []interface{ Close() error }
	events   int
	instants int64
	bytes    int64 // of the packets so far

	unkept     uint64 // instants
	unkeptName string // of the first one

	last      int64   // time of the last one
	lanes     []*lane // in the order of their first events
	byKey     map[laneKey]*lane
	latest    map[laneKey]*lane // without the process
	processes map[processKey]*process
	running   map[processKey]int64 // by host and processor: the thread there
	owners    map[laneKey]int64    // processes of threads, without the process in the key
	comms     map[laneKey]string   // names that the kernel has for threads
	functions []function           // by number; see names.go
	numbers   map[functionKey]trace.FuncID
	symbols   symbols
	hosts     []string
	args      []byte
}

// laneKey names a thread. Kernel events tell the thread only; numbers of processes are −1 there.
type laneKey struct {
	host     int32
	pid, tid int64
}

// processKey names a process of a host, or a processor.
type processKey struct {
	host int32
	id   int64
}

// lane is a thread while it is fed.
type lane struct {
	*trace.ThreadBuilder
	laneKey
	comm    string
	proc    *process
	started trace.FuncID // the program's function that it began with, 0 if there is none
	depth   int          // of open calls
	at      int64        // time of its last event
	dumped  bool         // it told the state of the process, as a thread of the tracer does

	away     away // from its processor
	syscalls []trace.FuncID
}

type process struct {
	index int32 // in the Builder
	name  string
	maps  []mapping
	locks map[uint64]*lock

	functions map[uint64]trace.FuncID // by address
}

func newFeed(b *trace.Builder) *feed {
	b.Symbols = true
	return &feed{b: b, byKey: map[laneKey]*lane{}, latest: map[laneKey]*lane{},
		processes: map[processKey]*process{}, running: map[processKey]int64{},
		owners: map[laneKey]int64{}, comms: map[laneKey]string{},
		functions: make([]function, 1), // 0 is none
		numbers:   map[functionKey]trace.FuncID{}}
}

// close closes the streams.
func (f *feed) close() {
	for _, s := range f.open {
		_ = s.Close() // which was only read
	}
}

// host numbers the machine of a trace.
func (f *feed) host(t *tracer) int32 {
	name := cmp.Or(t.meta.env["hostname"], t.meta.env["host"])
	if i := slices.Index(f.hosts, name); i >= 0 {
		return int32(i)
	}
	f.hosts = append(f.hosts, name)
	return int32(len(f.hosts) - 1)
}

// event feeds the present event of a stream.
func (f *feed) event(s *stream) {
	body := s.event.body
	if body.act == nil {
		body.act = f.actionOf(s)
	}
	f.events++
	if !body.act.quiet {
		f.last = s.at
		f.b.Observe(s.at)
	}
	body.act.do(f, s, body.act)
}

// lane returns the thread that the present event was on.
func (f *feed) lane(s *stream, a *action) *lane {
	key := laneKey{a.host, s.t.pid, -1}
	switch {
	case a.tid != nil && !(s.t.perf && s.packet.cpu >= 0 && int32(s.num(a.tid)) <= 0):
		key.tid = int64(s.num(a.tid))
		if a.pid != nil {
			key.pid = int64(s.num(a.pid))
		}
	case s.packet.cpu >= 0:
		if tid, known := f.running[processKey{a.host, s.packet.cpu}]; known && tid != 0 {
			key.tid = tid
			break
		}
		key.tid = -2 - s.packet.cpu // what no thread can be told for
	}
	l := s.lane
	if l == nil || key != s.key {
		l = f.thread(key)
		s.lane, s.key = l, key
	}
	if a.comm != nil {
		if name := trimmed(s.text(a.comm)); string(name) != l.comm {
			l.comm = string(name)
		}
	}
	if l.away.off {
		f.back(l, s.at)
	}
	return l
}

// trimmed cuts a text at the first zero.
func trimmed(s []byte) []byte {
	if i := bytes.IndexByte(s, 0); i >= 0 {
		return s[:i]
	}
	return s
}

// thread returns the thread of a key, adding it if it is new. A thread whose process was not known
// so far is taken to be the one of that number in the first process that is told.
func (f *feed) thread(key laneKey) *lane {
	alone := laneKey{key.host, -1, key.tid}
	if key.pid < 0 {
		if l := f.latest[alone]; l != nil {
			return l
		}
		if pid, known := f.owners[alone]; known {
			key.pid = pid
		}
	}
	l := f.byKey[key]
	if l == nil {
		if l = f.byKey[alone]; l != nil {
			delete(f.byKey, alone)
			l.laneKey, l.proc = key, f.process(key.host, key.pid)
		} else {
			l = &lane{ThreadBuilder: f.b.Thread(key.id(), -1), laneKey: key,
				proc: f.process(key.host, key.pid), comm: f.comms[alone]}
			f.lanes = append(f.lanes, l)
		}
		f.byKey[key] = l
	}
	f.latest[alone] = l
	return l
}

func (k laneKey) id() string {
	switch {
	case k.tid == -1:
		return "none"
	case k.tid < -1:
		return "cpu" + strconv.FormatInt(-2-k.tid, 10)
	}
	return strconv.FormatInt(k.tid, 10)
}

// process returns a process. That of what belongs to none knows addresses all the same.
func (f *feed) process(host int32, pid int64) *process {
	key := processKey{host, pid}
	p := f.processes[key]
	if p == nil {
		p = &process{index: -1, locks: map[uint64]*lock{}, functions: map[uint64]trace.FuncID{}}
		if pid >= 0 {
			id := strconv.FormatInt(pid, 10)
			if host > 0 {
				id = f.hosts[host] + "/" + id
			}
			p.index = f.b.Process(id)
			f.b.HostProcess(p.index, f.hosts[host])
		}
		f.processes[key] = p
	}
	return p
}

// begin and end record calls.
func (l *lane) begin(at int64, fn trace.FuncID) trace.Ref {
	l.depth++
	return l.Begin(at, fn)
}

func (l *lane) end(at int64, fn trace.FuncID) {
	l.depth = max(l.depth-1, 0)
	if fn == 0 {
		l.End(at)
		return
	}
	l.EndNamed(at, fn)
}

// finish gives functions and threads their names.
func (f *feed) finish() {
	f.b.Diagnose(trace.NotRead, f.unkept, "instants such as %q, of which there are very many for their size",
		f.unkeptName)
	for _, l := range f.lanes {
		if l.away.off {
			f.back(l, f.last)
		}
	}
	to := make([]trace.FuncID, len(f.functions))
	for i := range f.functions[1:] {
		to[i+1] = f.b.Function(f.nameOf(&f.functions[i+1]))
	}
	if len(to) > 1 {
		to[0] = to[1] // which nothing has
	}
	for _, l := range f.lanes {
		l.Renumber(to)
		f.nameLane(l, to)
	}
	for _, l := range f.lanes {
		if l.proc.index >= 0 && l.proc.name != "" {
			f.b.NameProcess(l.proc.index, l.proc.name)
		}
	}
}

// nameLane names a thread by the name it gave itself; one that has that of its process, by the
// function that it began with, which is the same in every run.
func (f *feed) nameLane(l *lane, to []trace.FuncID) {
	own := f.byKey[laneKey{l.host, l.pid, l.pid}] // the process's first thread
	if own != nil && l.proc.name == "" {
		l.proc.name = own.comm
	}
	l.proc.name = cmp.Or(l.proc.name, program(l.proc.maps), l.comm)
	l.Place(l.id(), l.proc.index)
	name := l.comm
	if l.tid < 0 {
		name = "events without a thread"
		if l.tid < -1 {
			name = "CPU " + strconv.FormatInt(-2-l.tid, 10)
		}
		if l.started == 0 {
			l.SetKind(trace.AsyncTrack)
		}
	} else if l.started != 0 && l != own && (name == "" || name == l.proc.name) {
		name = f.b.FunctionName(to[l.started])
	}
	l.SetName(cmp.Or(name, l.proc.name, l.id()))
	if l.dumped && l.started == 0 {
		l.SetKind(trace.Runtime)
	}
}

// program returns the name of the executable among the files of a process: one that is no library.
func program(maps []mapping) string {
	for _, m := range maps {
		if base := path.Base(m.path); m.path != "" && m.path[0] == '/' && !isLibrary(base) {
			return base
		}
	}
	return ""
}
