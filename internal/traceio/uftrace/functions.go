package uftrace

import (
	"context"
	"fmt"
	"math"
	"path"
	"strconv"
	"strings"

	"diptych/internal/trace"
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
	ctx      context.Context
	r        *recording
	t        *task
	session  *session
	until    int64 // the time from which another session, or another library, must be looked at
	cache    addresses
	routines []routine
	ids      map[functionKey]trace.FuncID
	names    map[uint64]string // of addresses in arguments
}

func newResolver(ctx context.Context, r *recording, t *task) *resolver {
	return &resolver{ctx: ctx, r: r, t: t, until: math.MinInt64, ids: map[functionKey]trace.FuncID{}}
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
		fn:     v.id(f),
		layout: args.layoutOf(v.ctx, name, p.module.name, exe, p.symbol.kind, own),
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
		m.faults.add(trace.Truncated, 1, "%s ends with a function and nothing about it", name)
	}
}

// debugFile takes the lines of a file of debug information. After an `F: address name` line come
// its source line (L), the layout of its arguments (A) and of its result (R), at least one of them;
// `E:` defines an enumeration.
type debugFile struct {
	m     *module
	at    uint64 // the function that is told of
	known bool   // it is a function of the module
	empty bool   // nothing is told of it yet
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
		d.at, d.empty, d.known = at, true, err == nil && d.m.begins(at)
		return told && d.known && named
	case kind == "E":
		return d.m.enums.define(text)
	case !d.known:
		return false
	}
	e := d.m.debug[d.at]
	ok = e.set(kind, text)
	d.m.debug[d.at], d.empty = e, d.empty && !ok
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
			e.line, e.file = int32(n), file
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
