package uftrace

import (
	"fmt"
	"math"
	"path"
	"strconv"
	"strings"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/qualified"
)

// routine is what a record's address stands for.
type routine struct {
	fn     trace.FuncID // in the task's own numbers
	layout layout
	enums  enums // of its module
}

type functionKey struct{ name, file string }

// resolver finds the functions of one task's records. Its numbers are the task's own, so that tasks
// read at the same time share nothing but the symbol tables.
type resolver struct {
	r        *recording
	t        *task
	session  *session
	until    int64 // the time from which another session, or another library, must be looked at
	cache    addresses
	routines []routine
	ids      map[functionKey]trace.FuncID
	names    map[uint64]string // of addresses in arguments
}

func newResolver(r *recording, t *task) *resolver {
	return &resolver{r: r, t: t, until: math.MinInt64, ids: map[functionKey]trace.FuncID{}}
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
	i := int32(len(v.routines))
	v.routines = append(v.routines, v.resolve(addr, at))
	v.cache.put(addr, i)
	return i
}

// move forgets addresses when the task has executed another program or loaded another library.
func (v *resolver) move(at int64) {
	v.session = v.t.sessionAt(at)
	v.cache.reset()
	v.names = map[uint64]string{}
	v.until = math.MaxInt64
	for _, s := range v.t.spans {
		if s.start > at {
			v.until = min(v.until, s.start)
		}
	}
	if v.session != nil {
		for _, d := range v.session.opened {
			if d.at > at {
				v.until = min(v.until, d.at)
			}
		}
	}
}

func (v *resolver) resolve(addr uint64, at int64) routine {
	p, ok := v.r.find(v.session, addr, at)
	if !ok {
		return routine{fn: v.id(trace.Function{Name: fmt.Sprintf("<%x>", addr)})}
	}
	name, exe := readable(p.symbol.name), ""
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
	own.args, _ = args.items(known.arg)
	own.rets, _ = args.items(known.ret)
	return routine{
		fn:     v.id(f),
		layout: args.layoutOf(name, p.module.name, exe, p.symbol.kind, own),
		enums:  p.module.enums,
	}
}

// libraryCalls is the package of what is called through the procedure linkage table: the recording
// does not say which library was reached.
const libraryCalls = "libcall"

// id numbers a function of the task.
func (v *resolver) id(f trace.Function) trace.FuncID {
	key := functionKey{f.Name, f.File}
	id, ok := v.ids[key]
	if !ok {
		id = trace.FuncID(len(v.t.functions))
		v.t.functions = append(v.t.functions, f)
		v.ids[key] = id
	}
	return id
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
			name = readable(p.symbol.name)
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

// readDebug reads what the recorder kept of a module's debug information: after an `F: address
// name` line come its source line (L), the layout of its arguments (A) and of its result (R); `E:`
// defines an enumeration.
func (r *recording) readDebug(m *module, name string) {
	f, err := r.dir.Open(name)
	if err != nil {
		return // recorded without debug information
	}
	defer f.Close()
	m.debug, m.enums = map[uint64]debugEntry{}, enums{}
	var (
		at    uint64
		known bool
	)
	for line := range input.Lines(f) {
		kind, text, ok := strings.Cut(strings.TrimRight(line, "\n"), ": ")
		switch {
		case !ok:
		case kind == "F":
			hex, _, _ := strings.Cut(text, " ")
			var bad error
			at, bad = strconv.ParseUint(hex, 16, 64)
			known = bad == nil
		case kind == "E":
			m.enums.define(text)
		case known:
			e := m.debug[at]
			e.set(kind, text)
			m.debug[at] = e
		}
	}
}

func (e *debugEntry) set(kind, text string) {
	switch kind {
	case "L":
		line, file, _ := strings.Cut(text, " ")
		if n, err := strconv.ParseInt(line, 10, 32); err == nil {
			e.line, e.file = int32(n), file
		}
	case "A":
		e.arg = strings.TrimPrefix(text, "@")
	case "R":
		e.ret = strings.TrimPrefix(text, "@")
	}
}
