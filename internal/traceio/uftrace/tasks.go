package uftrace

import (
	"cmp"
	"errors"
	"io/fs"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"diptych/internal/trace"
)

// session is one executed program image of a process: its mapped files until the next exec.
type session struct {
	id    string
	pid   int
	start int64 // ns
	exe   string
	maps  []mapping
	// opened are the libraries that came later, with dlopen, by time.
	opened []dlopen
}

// span is the time from which a task runs in a session.
type span struct {
	start   int64
	session *session
}

// task is one thread of the recorded processes, and what its reader gathers.
type task struct {
	tid, pid int
	forkedBy string // the process that forked it, if it is the first of a process
	spans    []span
	comm     string // the name it gave itself, or was given by exec
	switches []swtch

	gathered
}

func newTask(tid, pid int) *task { return &task{tid: tid, pid: pid} }

// sessionAt returns the session a task is in at a time, or nil.
func (t *task) sessionAt(at int64) *session {
	if len(t.spans) == 0 {
		return nil
	}
	i := sort.Search(len(t.spans), func(i int) bool { return t.spans[i].start > at })
	return t.spans[max(i-1, 0)].session
}

// readTasks reads which task ran which program (task.txt), and adds the tasks that are missing
// there: every N.dat is a task.
func (r *recording) readTasks() error {
	r.byTID, r.modules = map[int]*task{}, map[string]*module{}
	r.symFiles = r.files("*.sym")
	err := r.eachLine("task.txt", &r.faults, r.readTaskLine)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return r.fail("task.txt", -1, "cannot read", err)
	}
	known := err == nil
	if !known {
		r.faults.Add(trace.Truncated, 1, "task.txt is missing: processes and libraries are guessed")
		r.guessSession()
	}
	r.adoptFiles(known)
	for _, s := range r.sessions {
		r.readMaps(s)
		slices.SortStableFunc(s.opened, func(x, y dlopen) int { return cmp.Compare(x.at, y.at) })
	}
	return nil
}

// guessSession stands in for a missing task.txt: one session of the recorded program.
func (r *recording) guessSession() {
	for _, name := range r.files("sid-*.map") {
		id := strings.TrimSuffix(strings.TrimPrefix(name, "sid-"), ".map")
		r.sessions = append(r.sessions, &session{id: id, exe: r.info.exe, start: math.MinInt64})
		return
	}
}

// adoptFiles makes tasks of record files that task.txt does not tell of, though it should if it is
// there, and looks for tasks without a session and sessions that it has lost.
func (r *recording) adoptFiles(known bool) {
	for _, name := range r.files("[0-9]*.dat") {
		tid, err := strconv.Atoi(strings.TrimSuffix(name, ".dat"))
		if err != nil || r.byTID[tid] != nil {
			continue
		}
		if known {
			r.faults.Add(trace.Truncated, 1, "task.txt does not tell of the task of %s", name)
		}
		pid := tid
		if len(r.tasks) > 0 {
			pid = r.tasks[0].pid
		}
		t := newTask(tid, pid)
		if len(r.sessions) > 0 {
			t.spans = []span{{math.MinInt64, r.sessions[0]}}
		}
		r.addTask(t)
	}
	for _, tid := range r.info.tids {
		if r.byTID[tid] == nil {
			r.faults.Add(trace.Truncated, 1, "info names task %d, of which there is nothing else", tid)
		}
	}
	for _, t := range r.tasks {
		if len(t.spans) == 0 {
			r.faults.Add(trace.BadRecord, 1,
				"task.txt names no program for task %d: its functions have no names", t.tid)
		}
	}
	for _, name := range r.files("sid-*.map") {
		id := strings.TrimSuffix(strings.TrimPrefix(name, "sid-"), ".map")
		named := func(s *session) bool { return s.id == id }
		if known && !slices.ContainsFunc(r.sessions, named) {
			r.faults.Add(trace.Truncated, 1, "task.txt does not tell of the session of %s", name)
		}
	}
}

func (r *recording) addTask(t *task) {
	r.tasks = append(r.tasks, t)
	r.byTID[t.tid] = t
}

// readTaskLine reads one line: a kind and key=value fields, of which the last may be quoted and
// hold blanks.
func (r *recording) readTaskLine(line string) bool {
	kind, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	f, closed := fields(rest)
	at, ok := stamp(f["timestamp"])
	if !ok || !closed {
		return kind == ""
	}
	switch kind {
	case "SESS":
		pid, ok := number(f["pid"])
		s := &session{id: f["sid"], pid: pid, start: at, exe: f["exename"]}
		r.sessions = append(r.sessions, s)
		return ok && s.id != "" && s.exe != ""
	case "TASK":
		tid, ok1 := number(f["tid"])
		pid, ok2 := number(f["pid"])
		if ok1 && ok2 {
			r.startTask(tid, pid, nil, at)
		}
		return ok1 && ok2
	case "FORK":
		return r.readFork(f, at)
	case "DLOP":
		return r.readDlopen(f, at)
	}
	return false
}

func (r *recording) readFork(f map[string]string, at int64) bool {
	pid, ok1 := number(f["pid"])
	ppid, ok2 := number(f["ppid"])
	if !ok1 || !ok2 {
		return false
	}
	parent := r.byTID[ppid] // a thread
	r.startTask(pid, pid, parent, at)
	if parent != nil {
		r.byTID[pid].forkedBy = strconv.Itoa(parent.pid)
	}
	return parent != nil
}

func (r *recording) readDlopen(f map[string]string, at int64) bool {
	base, err := strconv.ParseUint(f["base"], 16, 64)
	found := false
	for _, s := range r.sessions {
		if s.id == f["sid"] {
			s.opened = append(s.opened, dlopen{at, base, f["libname"]})
			found = true
		}
	}
	return found && err == nil && f["libname"] != ""
}

// startTask adds a task, or, if it is known, the session it has just executed. A forked one runs in
// its parent's.
func (r *recording) startTask(tid, pid int, parent *task, at int64) {
	t := r.byTID[tid]
	if t == nil {
		t = newTask(tid, pid)
		r.addTask(t)
	}
	s := r.sessionOf(pid, at)
	if s == nil && parent != nil {
		s = parent.sessionAt(at)
	}
	if s == nil && r.byTID[pid] != nil {
		s = r.byTID[pid].sessionAt(at) // a thread of a forked process
	}
	if s != nil {
		t.spans = append(t.spans, span{at, s})
	}
}

// sessionOf returns the last session that process pid started up to a time, or nil.
func (r *recording) sessionOf(pid int, at int64) *session {
	var last *session
	for _, s := range r.sessions {
		if s.pid == pid && s.start <= at && (last == nil || s.start >= last.start) {
			last = s
		}
	}
	return last
}

// fields splits `a=1 b="x y"`, and reports whether there is nothing else and every quote is closed.
func fields(s string) (out map[string]string, closed bool) {
	out, closed = map[string]string{}, true
	for {
		key, rest, ok := strings.Cut(strings.TrimLeft(s, " "), "=")
		if !ok {
			return out, closed && strings.Trim(s, " ") == ""
		}
		value := ""
		if quoted, isQuoted := strings.CutPrefix(rest, `"`); isQuoted {
			end := strings.LastIndexByte(quoted, '"')
			if end < 0 {
				end, closed = len(quoted), false
			}
			value, s = quoted[:end], quoted[min(end+1, len(quoted)):]
		} else {
			value, s, _ = strings.Cut(rest, " ")
			closed = closed && !strings.Contains(value, `"`)
		}
		out[key] = value
	}
}

// stamp reads seconds and nine digits of nanoseconds.
func stamp(s string) (int64, bool) {
	sec, frac, ok := strings.Cut(s, ".")
	whole, err1 := strconv.ParseInt(sec, 10, 64)
	part, err2 := strconv.ParseInt(frac, 10, 64)
	if !ok || err1 != nil || err2 != nil || part < 0 || part >= 1e9 {
		return 0, false
	}
	if whole < 0 || whole > trace.Limit/int64(1e9) {
		return 0, false
	}
	return whole*1e9 + part, true
}

func number(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 0
}
