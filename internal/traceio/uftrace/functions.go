package uftrace

import (
	"context"
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"diptych/internal/trace"
	"diptych/internal/traceio/qualified"
)

// routine is what a record's address stands for.
type routine struct {
	fn     int32 // in recording.functions
	name   string
	layout layout
	enums  enums // of its module
}

// resolver finds the functions of the records of one task after the other. What it finds of one
// serves the next as long as that runs the same program, since a recording may have thousands of
// tasks. In what order tasks share a resolver depends on chance, so the functions of a task have
// numbers of its own, by appearance; see recording.number.
type resolver struct {
	ctx      context.Context
	r        *recording
	t        *task
	fresh    bool // no routine of the task was asked for
	session  *session
	opened   int   // how many of the session's libraries there are
	until    int64 // the time from which another session, or another library, must be looked at
	cache    addresses
	recent   recentRoutines
	routines []routine
	own      []int32                  // by routine: its number in the task, or −1
	met      []int32                  // the routines that have one
	special  map[trace.Function]int32 // routines that have no address
	names    map[uint64]string        // of addresses in arguments
}

func newResolver(ctx context.Context, r *recording) *resolver {
	return &resolver{ctx: ctx, r: r}
}

// start begins another task.
func (v *resolver) start(t *task) {
	v.t, v.fresh, v.until = t, true, math.MinInt64
	v.recent.forget()
	for _, i := range v.met {
		v.own[i] = -1
	}
	v.met = v.met[:0]
}

// routine returns the index in routines of the function at addr.
func (v *resolver) routine(addr uint64, at int64) int32 {
	if at >= v.until {
		v.move(at)
	}
	if i := v.cache.get(addr); i >= 0 {
		return i
	}
	v.r.symbols.Lock()
	defer v.r.symbols.Unlock()
	i := v.add(v.resolve(addr, at))
	v.cache.put(addr, i)
	return i
}

func (v *resolver) add(one routine) int32 {
	v.routines, v.own = append(v.routines, one), append(v.own, -1)
	return int32(len(v.routines)) - 1
}

// number returns the task's number of a routine's function.
func (v *resolver) number(i int32) trace.FuncID {
	if v.own[i] < 0 {
		if v.t.functions == nil {
			v.t.functions = make([]int32, 0, fewFunctions)
		}
		v.own[i], v.met = int32(len(v.t.functions)), append(v.met, i)
		v.t.functions = append(v.t.functions, v.routines[i].fn)
		v.t.thread.Interim(v.t.functions)
	}
	return trace.FuncID(v.own[i])
}

// remember has the place of an address, whose function is being entered, hold its routine, if that
// is known.
func (v *resolver) remember(e *recentRoutine, addr uint64) bool {
	i := v.cache.get(addr)
	if i < 0 {
		return false
	}
	*e = recentRoutine{addr | v.recent.stamp, i, int32(v.number(i))}
	return true
}

// fewFunctions is how many functions a task has room for from the first on: few tasks have fewer.
const fewFunctions = 32

// move forgets addresses when another program or another library is looked at than before.
func (v *resolver) move(at int64) {
	session, opened := v.t.sessionAt(at), 0
	v.until = math.MaxInt64
	for _, s := range v.t.spans {
		if s.start > at {
			v.until = min(v.until, s.start)
		}
	}
	if session != nil {
		for _, d := range session.opened {
			if d.at > at {
				v.until = min(v.until, d.at)
			} else {
				opened++
			}
		}
	}
	if v.names == nil || session != v.session || opened != v.opened {
		v.session, v.opened = session, opened
		v.forget()
	}
	v.fresh = false
}

// forget forgets what is known of addresses, and of routines unless calls of them are open.
func (v *resolver) forget() {
	v.cache.reset()
	v.recent.forget()
	v.names = map[uint64]string{}
	if v.fresh && len(v.t.functions) == 0 {
		v.routines, v.own, v.met, v.special = v.routines[:0], v.own[:0], v.met[:0], nil
	}
}

func (v *resolver) resolve(addr uint64, at int64) routine {
	p, ok := v.r.find(v.session, addr, at)
	if !ok {
		name := fmt.Sprintf("<%x>", addr)
		return routine{fn: v.r.number(trace.Function{Name: name}), name: name}
	}
	name, exe := qualified.Readable(p.symbol.name), ""
	if v.session != nil {
		exe = path.Base(v.session.exe)
	}
	known := p.module.debug[p.symbol.addr]
	f := trace.Function{
		Name: name, Package: qualified.Package(name), Module: p.module.name,
		File: known.file, Line: known.line,
	}
	switch {
	case f.Package != "":
	case p.symbol.kind == linkage:
		f.Package, f.Module = libraryCalls, ""
	default:
		f.Package = p.module.name
	}
	args := &v.r.info.layouts
	own := layout{}
	own.args, _, _ = args.items(known.arg)
	own.rets, _, _ = args.items(known.ret)
	return routine{
		fn:     v.r.number(f),
		name:   name,
		layout: args.layoutOf(v.ctx, name, p.module.name, exe, p.symbol.kind, own),
		enums:  p.module.enums,
	}
}

// libraryCalls is the package of what is called through the procedure linkage table: the recording
// does not say which library was reached.
const libraryCalls = "libcall"

// id returns the task's number of a function that has no address.
func (v *resolver) id(f trace.Function) trace.FuncID {
	i, ok := v.special[f]
	if !ok {
		v.r.symbols.Lock()
		i = v.add(routine{fn: v.r.number(f), name: f.Name})
		v.r.symbols.Unlock()
		if v.special == nil {
			v.special = map[trace.Function]int32{}
		}
		v.special[f] = i
	}
	return v.number(i)
}

// functions are all that tasks have found, in an order that depends on chance.
type functions struct {
	list  []trace.Function
	index map[trace.Function]int32
}

// number returns the index of a function among those of the recording. Whoever calls it holds the
// lock.
func (r *recording) number(f trace.Function) int32 {
	i, ok := r.functions.index[f]
	if !ok {
		if r.functions.index == nil {
			r.functions.index = map[trace.Function]int32{}
		}
		i = int32(len(r.functions.list))
		r.functions.list = append(r.functions.list, f)
		r.functions.index[f] = i
		r.b.Interim(r.functions.list)
	}
	return i
}

// common gives the functions of all tasks the ids of the trace: in the order of the tasks, and in
// each by appearance. It returns those of each task by the task's own numbers.
func (r *recording) common() [][]trace.FuncID {
	const unknown = math.MaxUint32
	ids := slices.Repeat([]trace.FuncID{unknown}, len(r.functions.list))
	out := make([][]trace.FuncID, len(r.tasks))
	for k, t := range r.tasks {
		out[k] = make([]trace.FuncID, len(t.functions))
		for i, f := range t.functions {
			if ids[f] == unknown {
				ids[f] = r.b.Function(r.functions.list[f])
			}
			out[k][i] = ids[f]
		}
		t.functions = nil
	}
	return out
}

// symbolAt names the function or variable at an address, or returns "".
func (v *resolver) symbolAt(addr uint64, at int64) string {
	if addr == 0 {
		return ""
	}
	name, ok := v.names[addr]
	if !ok {
		v.r.symbols.Lock()
		defer v.r.symbols.Unlock()
		if p, found := v.r.find(v.session, addr, at); found {
			name = qualified.Readable(p.symbol.name)
		}
		if len(v.names) < manyNames {
			v.names[addr] = name
		}
	}
	return name
}

// manyNames bounds the memory for addresses seen in arguments, most of which have no name.
const manyNames = 1 << 16

// debugEntry is what the debug information says of one function.
type debugEntry struct {
	file     string
	line     int32
	arg, ret string // layouts, as in an argument specification
}

// readDebug reads what the recorder kept of a module's debug information. The file does not say
// where it ends.
func (r *recording) readDebug(m *module, name string) {
	m.debug, m.enums = map[uint64]debugEntry{}, enums{}
	d := debugFile{m: m}
	unread(&m.faults, name, r.eachLine(name, &m.faults, d.line))
	if !d.told() {
		m.faults.Add(trace.Truncated, 1, "%s ends with a function and nothing about it", name)
	}
}

// debugFile takes the lines of a file of debug information. After an `F: address name` line come
// its source line (L), the layout of its arguments (A) and of its result (R), at least one of them;
// `E:` defines an enumeration.
type debugFile struct {
	m      *module
	at     uint64 // the function that is told of
	known  bool   // it is a function of the module
	empty  bool   // nothing is told of it yet
	placed bool   // its source line is told
}

// told reports whether the function that was named last is told something of.
func (d *debugFile) told() bool { return !d.known || !d.empty }

// line takes a line and reports whether it makes sense there.
func (d *debugFile) line(line string) bool {
	kind, text, ok := strings.Cut(line, ": ")
	switch {
	case strings.HasPrefix(line, "#"):
		return true
	case !ok:
		return false
	case kind == "F":
		told := d.told()
		hex, _, named := strings.Cut(text, " ")
		at, err := strconv.ParseUint(hex, 16, 64)
		d.at, d.empty, d.placed = at, true, false
		d.known = err == nil && d.m.begins(at)
		return told && d.known && named
	case kind == "E":
		return d.m.enums.define(text)
	case !d.known || kind == "L" && d.placed: // then no line said where the next function begins
		return false
	}
	e := d.m.debug[d.at]
	ok = e.set(kind, text)
	d.m.debug[d.at], d.empty, d.placed = e, d.empty && !ok, d.placed || kind == "L"
	return ok
}

// begins reports whether a symbol begins at an address.
func (m *module) begins(addr uint64) bool {
	s, ok := m.find(addr)
	return ok && s.addr == addr
}

func (e *debugEntry) set(kind, text string) bool {
	switch kind {
	case "L":
		line, file, _ := strings.Cut(text, " ")
		n, err := strconv.ParseInt(line, 10, 32)
		if err == nil {
			e.line, e.file = int32(n), path.Clean(file) // compilers write DIR/../src/x.c
		}
		return err == nil && file != ""
	case "A":
		e.arg = strings.TrimPrefix(text, "@")
	case "R":
		e.ret = strings.TrimPrefix(text, "@")
	default:
		return false
	}
	return true
}
