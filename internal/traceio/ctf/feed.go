package ctf

import (
	"bytes"
	"cmp"
	"context"
	"path"
	"slices"
	"strconv"
	"sync"

	"diptych/internal/progress"
	"diptych/internal/trace"
)

// feed takes the events of all streams, in order of time, and feeds the Builder.
type feed struct {
	b        *trace.Builder
	queues   *progress.Queues
	flight   chan struct{} // a token for each list of records that is being appended
	lists    *sync.Pool    // of *trace.Records, those that were appended
	held     int           // records that the lists of lanes have room for
	tracers  []*tracer
	open     []interface{ Close() error }
	events   int
	instants int64
	bytes    int64 // of the packets so far
	size     int64 // of all files
	expected bool  // threads were told how many calls there will be

	unkept     uint64 // instants
	unkeptName string // of the first one
	chains     uint64 // stacks

	last      int64   // time of the last one
	lanes     []*lane // in the order of their first events
	byKey     map[laneKey]*lane
	latest    map[laneKey]*lane // without the process
	processes map[processKey]*process
	running   map[processKey]int64 // by host and processor: the thread there
	waking    bool                 // there are events sched_waking
	owners    map[laneKey]int64    // processes of threads, without the process in the key
	comms     map[laneKey]string   // names that the kernel has for threads
	functions []function           // by number; see names.go
	recent    [recentCount]recent  // functions that were met last; see names.go
	numbers   map[functionKey]trace.FuncID
	symbols   symbols
	shown     shown
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

type process struct {
	index int32 // in the Builder
	name  string
	maps  []mapping
	locks map[uint64]*lock

	functions map[uint64]trace.FuncID // by address
}

func newFeed(b *trace.Builder) *feed {
	b.Symbols = true
	return &feed{b: b, queues: progress.NewQueues(queueCount), flight: make(chan struct{}, mostFlying), lists: freshLists(),
		byKey: map[laneKey]*lane{}, latest: map[laneKey]*lane{},
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

// event feeds the event that a stream is at.
func (f *feed) event(s *source) {
	a := s.take()
	if !a.met {
		a.met, a.host = true, f.host(s.t)
	}
	f.events++
	if a.chained {
		f.chains++
	}
	if !a.quiet {
		f.last = s.at
		f.b.Observe(s.at)
	}
	a.do(f, s, a)
}

// functionOf numbers what the events of a class are called when the first of them wants that. Those
// that enter and leave the program's functions never do.
func (f *feed) functionOf(a *action) trace.FuncID {
	if a.function.Name != "" {
		a.fn, a.function.Name = f.named(a.function), ""
	}
	return a.fn
}

// lane returns the thread that the present event was on.
func (f *feed) lane(s *source, a *action) *lane {
	o := s.owner
	if o != s.own {
		f.find(s, a.host)
	}
	l := s.lane
	if o.named && o.comm != l.comm {
		l.comm = o.comm
		f.showName(l)
	}
	if l.away.off {
		f.back(l, s.at)
	}
	return l
}

// find finds the thread of the present event's owner.
func (f *feed) find(s *source, host int32) {
	o := s.owner
	key := laneKey{host, o.pid, -1}
	s.own = nil
	switch {
	case o.told:
		key.tid, s.own = o.tid, o
	case o.cpu >= 0:
		key.tid = -2 - o.cpu // what no thread can be told for
		if tid, known := f.running[processKey{host, o.cpu}]; known && tid != 0 {
			key.tid = tid
		}
	}
	if s.lane == nil || key != s.key {
		s.lane, s.key = f.thread(key), key
	}
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
				proc: f.process(key.host, key.pid), comm: f.comms[alone], queue: len(f.lanes) % queueCount}
			f.lanes = append(f.lanes, l)
			f.showName(l)
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

// finish gives functions and threads their names.
func (f *feed) finish(ctx context.Context) error {
	f.b.Diagnose(trace.NotRead, f.unkept, "instants such as %q, of which there are very many for their size",
		f.unkeptName)
	f.b.Diagnose(trace.NotRead, f.chains, "call chains (perf script shows them)")
	for _, l := range f.lanes {
		if l.away.off {
			if l.away.by == nil {
				l.lost = append(l.lost, l.away.call)
			}
			f.back(l, f.last)
		}
		for i := range l.syscalls {
			f.lose(l, &l.syscalls[i])
		}
		if l.tid < 0 {
			f.b.Diagnose(trace.NoThread, uint64(l.begun),
				"thread %s: the events tell no thread (LTTng: add-context -t vtid)", l.id())
		}
	}
	f.handOverAll()
	f.queues.Wait()
	to := make([]trace.FuncID, len(f.functions))
	for i := range f.functions[1:] {
		to[i+1] = f.b.Function(f.nameOf(&f.functions[i+1]))
	}
	if len(to) > 1 {
		to[0] = to[1] // which nothing has
	}
	err := progress.Spread(ctx, len(f.lanes), func(i int) error {
		f.lanes[i].settle(to)
		return nil
	})
	for _, l := range f.lanes {
		f.nameLane(l, to)
	}
	for _, l := range f.lanes {
		if l.proc.index >= 0 && l.proc.name != "" {
			f.b.NameProcess(l.proc.index, l.proc.name)
		}
	}
	return err
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
