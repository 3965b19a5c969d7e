package synth

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"diptych/internal/output"
)

const uftraceMagic = "Ftrace!\x00"

// uftraceSink writes a uftrace data directory (format version 4): a file of 16-byte records for
// each thread, and around them the symbols, the tasks, the mappings and the argument types.
//
// A record is its time and a word of type (2 bits: 0 entry, 1 exit), more (1: a payload follows),
// magic 5 (3), depth (10) and address (48). A payload is padded to 8 bytes.
type uftraceSink struct {
	dir   *output.Directory
	tasks []*task
	prog  *program
	room  int // bytes that a thread's records may take before they are written
	err   error
}

// task is a thread's file. It is open only while records are written: a system allows fewer open
// files than a program may have threads.
type task struct {
	name string
	buf  []byte
}

const (
	largestBuffer  = 1 << 16
	smallestBuffer = 1 << 12
	allBuffers     = 64 << 20          // bytes, of all threads where none has the smallest
	bootTime       = 1_000_000_000_000 // ns: what the monotonic clock said when the program started
)

func newUftraceSink(p *outputs, path string, s *side) (*uftraceSink, error) {
	dir, err := p.directory(path)
	if err != nil {
		return nil, err
	}
	threads := len(s.prog.threadNames())
	if err := writeUftraceHead(dir.Name, s.names, s.prog, threads); err != nil {
		return nil, dir.Fail(err)
	}
	u := &uftraceSink{dir: dir, prog: s.prog,
		room: min(max(allBuffers/max(threads, 1), smallestBuffer), largestBuffer)}
	for t := range threads {
		name := filepath.Join(dir.Name, fmt.Sprintf("%d.dat", tid(t)))
		u.tasks = append(u.tasks, &task{name: name})
	}
	return u, nil
}

const (
	recordExit = 1
	recordMore = 1 << 2
	recordTag  = 5 << 3
)

func (u *uftraceSink) enter(thread, depth int, c *activation) {
	t := u.tasks[thread]
	o := opOf(c.fn)
	kind := uint64(recordTag)
	if o != plain {
		kind |= recordMore
	}
	t.record(c.start, kind, depth, u.prog.nameIndex(c.fn))
	if o != plain {
		u.arguments(t, o, c.object)
	}
	u.spill(t)
}

func (u *uftraceSink) leave(thread, depth int, c *activation, end int64) {
	t := u.tasks[thread]
	var kind uint64 = recordTag | recordExit
	fn := u.prog.nameIndex(c.fn)
	switch opOf(c.fn) {
	case opSemWait:
		t.record(end, kind|recordMore, depth, fn)
		t.words(0)
	case opOpen:
		t.record(end, kind|recordMore, depth, fn)
		t.words(uint64(descriptor(c.object)))
	case opRead, opWrite:
		t.record(end, kind|recordMore, depth, fn)
		t.words(ioLength)
	default:
		t.record(end, kind, depth, fn)
	}
	u.spill(t)
}

// cut writes the exit of the outermost call; those of the others are missing.
func (u *uftraceSink) cut(thread int, stack []activation, end int64) {
	u.leave(thread, 0, &stack[0], end)
}

// arguments appends arguments in the form that argumentTypes declares.
func (u *uftraceSink) arguments(t *task, o op, object uint32) {
	switch o {
	case opOpen: // a length, the string, padding to 4, the flags
		name := fileName(object)
		at := len(t.buf)
		t.buf = binary.LittleEndian.AppendUint16(t.buf, uint16(len(name)))
		t.buf = append(t.buf, name...)
		t.pad(at, 4)
		t.words(openFlags)
		t.pad(at, 8)
	case opRead, opWrite:
		at := len(t.buf)
		t.buf = binary.LittleEndian.AppendUint32(t.buf, descriptor(object))
		t.words(ioBuffer, ioLength)
		t.pad(at, 8)
	case opCreate:
		t.words(u.prog.objects.address(o, object), startAddr)
	case opFsync:
		t.words(uint64(descriptor(object)))
	case opCondWait, opCondTimed:
		t.words(u.prog.objects.address(o, object), u.prog.objects.address(o, mutexOf(object)))
	default:
		t.words(u.prog.objects.address(o, object))
	}
}

func (t *task) record(ns int64, kind uint64, depth, fn int) {
	t.words(uint64(ns)+bootTime, kind|uint64(depth&0x3ff)<<6|(imageBase+symbolAddress(fn))<<16)
}

func (t *task) words(words ...uint64) {
	for _, w := range words {
		t.buf = binary.LittleEndian.AppendUint64(t.buf, w)
	}
}

// pad fills up with zeros to a multiple of n from at.
func (t *task) pad(at, n int) {
	for (len(t.buf)-at)%n != 0 {
		t.buf = append(t.buf, 0)
	}
}

const largestRecord = 256

func (u *uftraceSink) spill(t *task) {
	if len(t.buf) > u.room-largestRecord {
		u.flush(t)
	}
}

func (u *uftraceSink) flush(t *task) {
	u.keep(t.write())
	t.buf = t.buf[:0]
}

func (t *task) write() error {
	f, err := os.OpenFile(t.name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(t.buf)
	return errors.Join(err, f.Close())
}

func (u *uftraceSink) keep(err error) {
	if err != nil && u.err == nil {
		u.err = u.dir.Fail(err)
	}
}

// flow does nothing: the format has no flows.
func (u *uftraceSink) flow(flowPhase, int, int, int64) {}

func (u *uftraceSink) failed() error { return u.err }

func (u *uftraceSink) close() error {
	for _, t := range u.tasks {
		u.flush(t)
	}
	return u.err
}

// abandon does nothing: no file is open.
func (u *uftraceSink) abandon() {}

const (
	executable = "/opt/simulated/" + processName
	buildID    = "5d1f7ccfd1b70c4c5a3d1a1e5e4f1b1c0a9d8e7f"
	imageBase  = 0x55d0_0000_0000
	imageSize  = 0x0200_0000
)

// sessionID is the session of a process.
func sessionID(process int) string { return fmt.Sprintf("5d1f7ccfd1b7%04x", 0x0c4c+process) }

// symbolAddress is where the function at a place in the list of names lies in the executable:
// library calls in the linkage table first.
func symbolAddress(fn int) uint64 { return 0x1000 + uint64(fn)*0x40 }

// Bits that say what the files hold; uftrace calls them features and pieces of information.
const (
	// linkage table, sessions, arguments, results, relative symbols, deepest stack
	features = 1<<0 | 1<<1 | 1<<3 | 1<<4 | 1<<5 | 1<<6
	// executable, build id, exit status, command, tasks, argument types, date, patterns, version
	contents = 1<<0 | 1<<1 | 1<<2 | 1<<3 | 1<<7 | 1<<10 | 1<<11 | 1<<12 | 1<<13
)

const argumentTypes = "pthread_mutex_lock@arg1/x;pthread_mutex_unlock@arg1/x;sem_wait@arg1/x;" +
	"sem_post@arg1/x;pthread_create@arg1/x,arg3/x;pthread_join@arg1/x;read@arg1/d32,arg2/x,arg3/u;" +
	"write@arg1/d32,arg2/x,arg3/u;open@arg1/s,arg2/x"

const stagedArguments = ";pthread_cond_wait@arg1/x,arg2/x;pthread_cond_timedwait@arg1/x,arg2/x;" +
	"pthread_cond_signal@arg1/x;fsync@arg1/d64"

const resultTypes = "sem_wait@retval/d32;read@retval/d64;write@retval/d64;open@retval/d32"

// writeUftraceHead writes all files of a directory but the records.
func writeUftraceHead(dir string, names []string, prog *program, threads int) error {
	files := map[string][]byte{
		"info":               uftraceInfo(prog, threads),
		"task.txt":           uftraceTasks(prog, threads),
		processName + ".sym": uftraceSymbols(names, prog),
		"default.opts":       nil,
	}
	for i := range prog.processes() {
		files["sid-"+sessionID(i)+".map"] = uftraceMap()
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
			return err
		}
	}
	return nil
}

func uftraceInfo(prog *program, threads int) []byte {
	b := []byte(uftraceMagic)
	b = binary.LittleEndian.AppendUint32(b, 4)  // version
	b = binary.LittleEndian.AppendUint16(b, 40) // size of this header
	b = append(b, 1, 2)                         // little endian, 64 bit
	b = binary.LittleEndian.AppendUint64(b, features)
	b = binary.LittleEndian.AppendUint64(b, contents)
	b = binary.LittleEndian.AppendUint16(b, 1024) // deepest stack
	b = append(b, make([]byte, 6)...)
	var tids []string
	for t := range threads {
		tids = append(tids, fmt.Sprint(tid(t)))
	}
	b = fmt.Appendf(b, "exename:%s\nbuild_id:%s\nexit_status:0\n", executable, buildID)
	b = fmt.Appendf(b, "cmdline:%s\n", executable)
	b = fmt.Appendf(b, "taskinfo:lines=2\ntaskinfo:nr_tid=%d\ntaskinfo:tids=%s\n",
		threads, strings.Join(tids, ","))
	arguments := argumentTypes
	if len(prog.stage.scenes) > 0 {
		arguments += stagedArguments
	}
	b = fmt.Appendf(b, "argspec:lines=2\nargspec:%s\nretspec:%s\n", arguments, resultTypes)
	b = fmt.Appendf(b, "record_date:Thu Jan  1 00:16:40 1970\nelapsed_time:1.000000000 sec\n")
	return fmt.Appendf(b, "pattern_type:simple\nuftrace_version:v0.13 ( simulated )\n")
}

func uftraceTasks(prog *program, threads int) (b []byte) {
	const second = bootTime / 1_000_000_000
	processes := prog.processes()
	for i, p := range processes {
		b = fmt.Appendf(b, "SESS timestamp=%d.000000000 pid=%d sid=%s exename=%q\n",
			second-1, p.id, sessionID(i), executable)
	}
	for t := range threads {
		b = fmt.Appendf(b, "TASK timestamp=%d.%09d tid=%d pid=%d\n", second-1, t+1, tid(t),
			processes[prog.processOf(t)].id)
	}
	return b
}

func uftraceMap() []byte {
	b := fmt.Appendf(nil, "%x-%x r-xp 00000000 00:00 0                          %s build-id:%s\n",
		imageBase, imageBase+imageSize, executable, buildID)
	return fmt.Appendf(b, "7ffdb48fb000-7ffdb491c000 rw-p 00000000 00:00 0"+
		"                          [stack]\n")
}

func uftraceSymbols(names []string, prog *program) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# symbols: %d\n# path name: %s\n# build-id: %s\n",
		len(names), executable, buildID)
	for fn, name := range names {
		kind := 'T'
		if opOf(prog.byNameIndex(fn)) != plain {
			kind = 'P'
		}
		if uint32(fn) == fnMain {
			fmt.Fprintf(&b, "%016x ? __dynsym_end\n", symbolAddress(int(fnMain))-0x20)
		}
		fmt.Fprintf(&b, "%016x %c %s\n", symbolAddress(fn), kind, name)
	}
	fmt.Fprintf(&b, "%016x ? __sym_end\n", symbolAddress(len(names)))
	return b.Bytes()
}
