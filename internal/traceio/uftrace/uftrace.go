// Package uftrace loads the data directories of the function tracer uftrace, or an archive of one:
// what `uftrace record -d DIR` leaves. A task is a thread; its function entries and exits, its
// context switches and the arguments and results that were asked for become calls.
//
// It knows files and bytes of that format and nothing of blocking rules: which calls wait, release
// or do I/O is found later, from function names and the argument text this package writes. The
// format has no written specification; this package was made from uftrace's headers (uftrace.h,
// versions 3 and 4 of the file) and held against `uftrace dump` and `uftrace replay`.
package uftrace

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"diptych/internal/progress"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// fewestReaders is how many task files are read at once where there are fewer processors: while one
// waits for the disk, others go on. Each costs the memory of a read buffer.
const fewestReaders = 4

// Sniff reports whether src holds a recording: a file named info with uftrace's magic, in the
// directory itself or in one directly below it, as an archive has it.
func Sniff(src *input.Source) bool {
	_, ok := locate(src.Dir)
	return ok
}

// locate returns the directory of dir that is a recording.
func locate(dir fs.FS) (fs.FS, bool) {
	if dir == nil {
		return nil, false
	}
	if hasMagic(dir, "info") {
		return dir, true
	}
	entries, err := fs.ReadDir(dir, ".")
	if err != nil {
		return nil, false
	}
	for _, e := range entries {
		if e.IsDir() && hasMagic(dir, path.Join(e.Name(), "info")) {
			sub, err := fs.Sub(dir, e.Name())
			return sub, err == nil
		}
	}
	return nil, false
}

func hasMagic(dir fs.FS, name string) bool {
	f, err := dir.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	var head [len(magic)]byte
	_, err = io.ReadFull(f, head[:])
	return err == nil && bytes.Equal(head[:], []byte(magic))
}

// Load reads the recording in src.
func Load(ctx context.Context, src *input.Source, _ input.Options, b *trace.Builder) error {
	dir, ok := locate(src.Dir)
	if !ok {
		return &input.FormatError{File: src.Path, Offset: -1, Reason: "not a uftrace directory"}
	}
	r := &recording{dir: dir, path: src.Path, b: b}
	if err := r.list(); err != nil {
		return err
	}
	if err := r.readInfo(ctx); err != nil {
		return err
	}
	if err := r.readTasks(); err != nil {
		return err
	}
	if err := r.readSwitches(ctx); err != nil {
		return err
	}
	r.readEventNames()
	r.faults.HandOver(b)
	return r.readRecords(ctx)
}

// recording is a data directory while it is read.
type recording struct {
	dir  fs.FS
	path string // as the user named it
	b    *trace.Builder

	names  []string     // of all files, sorted
	faults input.Faults // of the texts; those of symbol files are with their modules

	header
	info     info
	sessions []*session
	tasks    []*task // in order of creation
	byTID    map[int]*task
	modules  map[string]*module // by file name in the recording
	symFiles []string
	events   map[uint64]string // names of the program's own events

	symbols   sync.Mutex // guards modules and functions while tasks are read
	functions functions
}

// fail makes an error about one file of the recording.
func (r *recording) fail(name string, offset int64, reason string, err error) error {
	return &input.FormatError{
		File: path.Join(r.path, name), Offset: offset, Reason: reason, Err: err,
	}
}

// readRecords reads all task files, several at once, and then gives their functions common numbers.
func (r *recording) readRecords(ctx context.Context) error {
	for _, t := range r.tasks {
		process := r.b.Process(strconv.Itoa(t.pid))
		t.thread = r.b.Thread(strconv.Itoa(t.tid), process)
		if t.forkedBy != "" {
			r.b.ForkProcess(process, t.forkedBy)
		}
	}
	if err := r.readTaskFiles(ctx); err != nil {
		return err
	}
	if err := r.renumber(ctx); err != nil {
		return err
	}
	for _, t := range r.tasks {
		r.takeOver(t)
	}
	for _, key := range slices.Sorted(maps.Keys(r.modules)) {
		r.modules[key].faults.HandOver(r.b)
	}
	return nil
}

// readTaskFiles reads the files of all tasks.
func (r *recording) readTaskFiles(ctx context.Context) error {
	group, ctx := progress.NewGroup(ctx)
	var next atomic.Int64
	for range min(max(progress.Processors(), fewestReaders), len(r.tasks)) {
		group.Go(func() error {
			w := newWorker(r, newResolver(ctx, r))
			for i := next.Add(1) - 1; i < int64(len(r.tasks)); i = next.Add(1) - 1 {
				if err := w.readTask(ctx, r.tasks[i]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// renumber gives the calls of all tasks the ids that functions have in the trace.
func (r *recording) renumber(ctx context.Context) error {
	to := r.common()
	return progress.Spread(ctx, len(r.tasks), func(i int) error {
		r.tasks[i].thread.Renumber(to[i])
		return nil
	})
}

// takeOver takes over what else a task's reader kept to itself: diagnostics, names.
func (r *recording) takeOver(t *task) {
	t.thread.SetName(t.title())
	t.violations.HandOver(r.b)
	if t.tid == t.pid {
		process := r.b.Process(strconv.Itoa(t.pid))
		r.b.NameProcess(process, t.program())
		if t == r.tasks[0] && t.program() == path.Base(r.info.exe) {
			r.b.LabelProcess(process, r.info.arguments())
		}
	}
}

// title is what to call a task: by the name it gave itself; else a main thread by its program, and
// any other by the function it started in, which is the same in every run, as ids are not.
func (t *task) title() string {
	switch {
	case t.comm != "" && (t.tid == t.pid || t.comm != t.program()):
		return t.comm
	case t.tid != t.pid && t.started != "":
		return t.started
	}
	return t.program()
}

// program is the base name of what the task last executed.
func (t *task) program() string {
	if n := len(t.spans); n > 0 && t.spans[n-1].session.exe != "" {
		return path.Base(t.spans[n-1].session.exe)
	}
	if t.comm != "" {
		return t.comm
	}
	return strconv.Itoa(t.pid)
}

// readEventNames reads what the program's own events are called. Most recordings have none.
func (r *recording) readEventNames() {
	r.events = map[uint64]string{}
	const name = "events.txt"
	unread(&r.faults, name, r.eachLine(name, &r.faults, func(line string) bool {
		var id uint64
		var event string
		n, _ := fmt.Sscanf(line, "EVENT: %d %s", &id, &event)
		if n == 2 {
			r.events[id] = event
		}
		return n == 2
	}))
}

// list reads the names of all files. Unlike fs.Glob it fails if they cannot be read.
func (r *recording) list() error {
	entries, err := fs.ReadDir(r.dir, ".")
	if err != nil {
		return r.fail("", -1, "cannot list the files", err)
	}
	for _, e := range entries {
		r.names = append(r.names, e.Name())
	}
	slices.Sort(r.names)
	return nil
}

// files lists the names in the recording that match a pattern of package path, sorted.
func (r *recording) files(pattern string) (matched []string) {
	for _, name := range r.names {
		if ok, err := path.Match(pattern, name); ok && err == nil {
			matched = append(matched, name)
		}
	}
	return matched
}
