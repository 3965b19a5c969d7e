package ctf

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"diptych/internal/trace"
	"diptych/internal/traceio/qualified"
)

// Addresses become names when all is read: which file lies where may be told after the first call.
// Until then functions have numbers of this package's own.

// function is a function of the program, by its address in a process, or one that has a name.
type function struct {
	trace.Function
	proc   *process
	addr   uint64
	mapped *mapping // where the address lay when it was first met, if that was known then
}

type functionKey struct {
	name string
	kind trace.FuncKind
}

// mapping is a file in the memory of a process.
type mapping struct {
	from, size uint64
	path       string
	pic        bool // its symbols are relative to from
	id         []byte
}

// mostMaps is how many files of a process are kept.
const mostMaps = 2000

// recent is a function of a process that was met a short while ago.
type recent struct {
	proc *process
	addr uint64
	fn   trace.FuncID
}

// recentCount is how many recent functions are kept, by their addresses: 1 << recentBits.
const (
	recentBits  = 10
	recentCount = 1 << recentBits
)

// address returns the function that begins at an address.
func (f *feed) address(p *process, addr uint64) trace.FuncID {
	r := f.place(addr)
	if r.proc != p || r.addr != addr {
		f.lookUp(r, p, addr)
	}
	return r.fn
}

// place returns where the recent function of an address is. Functions lie close together; the
// product spreads them, by a factor of Fibonacci hashing.
func (f *feed) place(addr uint64) *recent {
	return &f.recent[addr*0x9E3779B97F4A7C15>>(64-recentBits)]
}

// lookUp finds the function that begins at an address.
func (f *feed) lookUp(to *recent, p *process, addr uint64) {
	id, ok := p.functions[addr]
	if !ok {
		id = trace.FuncID(len(f.functions))
		f.functions = append(f.functions, function{proc: p, addr: addr, mapped: p.mapping(addr)})
		p.functions[addr] = id
		f.showNew()
	}
	*to = recent{p, addr, id}
}

// named returns a function that has a name.
func (f *feed) named(fn trace.Function) trace.FuncID {
	key := functionKey{name: fn.Name, kind: fn.Kind}
	id, ok := f.numbers[key]
	if !ok {
		id = trace.FuncID(len(f.functions))
		f.functions = append(f.functions, function{Function: fn})
		f.numbers[key] = id
		f.showNew()
	}
	return id
}

// mapping returns the file at an address, the latest that was told, or nil.
func (p *process) mapping(addr uint64) *mapping {
	for i := len(p.maps) - 1; i >= 0; i-- {
		if m := &p.maps[i]; addr >= m.from && addr-m.from < m.size {
			found := *m // which grows
			return &found
		}
	}
	return nil
}

// addMap notes that a file was mapped.
func (p *process) addMap(m mapping) {
	if len(p.maps) < mostMaps && m.size > 0 {
		p.maps = append(p.maps, m)
	}
}

// setID notes the build id of the file that was mapped last at an address.
func (p *process) setID(from uint64, id []byte) {
	for i := len(p.maps) - 1; i >= 0; i-- {
		if p.maps[i].from == from {
			p.maps[i].id = bytes.Clone(id)
			return
		}
	}
}

// nameOf returns a function as the Builder takes it: by its symbol; else by its file and where it
// lies in that, which does not depend on where the file was loaded; else by its address. The
// offset is written as glibc's backtrace_symbols(3) does, queue(+0x1189).
func (f *feed) nameOf(fn *function) trace.Function {
	if fn.Name != "" {
		return fn.Function
	}
	m := fn.mapped
	if now := fn.proc.mapping(fn.addr); now != nil && (m == nil || m.from == now.from && m.path == now.path) {
		m = now // it may know its build id by now
	}
	name, module := "", ""
	if m == nil {
		name = f.symbols.absolute(fn.addr)
	} else {
		module = path.Base(m.path)
		name = f.symbols.lookup(m, fn.addr)
	}
	out := trace.Function{Name: qualified.Readable(name), Module: module}
	switch {
	case name != "":
		out.Package = cmp.Or(qualified.Package(out.Name), module)
	case m != nil:
		out.Name, out.Package = fmt.Sprintf("%s(+%#x)", module, fn.addr-m.from), module
	default:
		out.Name = fmt.Sprintf("%#x", fn.addr)
	}
	return out
}

// shown are the functions by number, for those who look at the trace while it is read. They are
// named by what has been told so far of files in memory: mostly all, as tracers tell it first.
type shown struct {
	wanted bool // somebody looks
	list   []trace.Function
	stale  bool // since then more was told
	at     int  // events by the time when all were named
}

// renamedEvery is how many events there must be for each function until all are named again.
const renamedEvery = 64

// showNew names the functions that are new.
func (f *feed) showNew() {
	if !f.shown.wanted {
		return
	}
	for i := len(f.shown.list); i < len(f.functions); i++ {
		fn := trace.Function{} // 0 is none
		if i > 0 {
			fn = f.nameOf(&f.functions[i])
		}
		fn.Name = trace.Escape(fn.Name)
		f.shown.list = append(f.shown.list, fn)
	}
	f.b.Interim(f.shown.list)
}

// showAgain names all functions if more has been told of files. The list is another one: who looks
// may still have the last.
func (f *feed) showAgain() {
	if f.shown.stale && f.events-f.shown.at >= renamedEvery*len(f.functions) {
		f.shown.stale, f.shown.at, f.shown.list = false, f.events, nil
		f.showNew()
	}
}

// showName names a thread as it is known so far; nameLane has the last word.
func (f *feed) showName(l *lane) {
	if f.shown.wanted && l.comm != "" && utf8.ValidString(l.comm) {
		l.SetName(l.comm)
	}
}

func isLibrary(base string) bool {
	return strings.HasSuffix(base, ".so") || strings.Contains(base, ".so.")
}
