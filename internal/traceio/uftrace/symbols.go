package uftrace

import (
	"bufio"
	"io"
	"path"
	"sort"
	"strconv"
	"strings"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// module is an executable, a library or the kernel with its symbols.
type module struct {
	name    string
	symbols []symbol // by address
	debug   map[uint64]debugEntry
	enums   enums
	faults  input.Faults // of its files
}

// symbol is a named address. It reaches up to the next one.
type symbol struct {
	addr uint64
	name string // as stored: C++ and Rust names are mangled
	kind byte   // as nm prints it; P is an entry of the procedure linkage table
}

const (
	linkage = 'P' // a call into a library
	marker  = '?' // not a symbol: the end of the one before
)

// endless is how far the last symbol of a table without an end marker is taken to reach.
const endless = 64 << 10

// find returns the symbol that holds an address of the module.
func (m *module) find(addr uint64) (symbol, bool) {
	i := sort.Search(len(m.symbols), func(i int) bool { return m.symbols[i].addr > addr }) - 1
	if i < 0 || m.symbols[i].kind == marker {
		return symbol{}, false
	}
	last := i == len(m.symbols)-1
	return m.symbols[i], !last || addr-m.symbols[i].addr <= endless
}

// readSymbols reads a symbol file: a head that counts the symbols, then `address kind name` lines,
// or `address size kind name` in later versions. A module without symbols has functions that go by
// address.
func (r *recording) readSymbols(m *module, name string) {
	announced, ends := 0, 0
	unread(&m.faults, name, r.eachLine(name, &m.faults, func(line string) bool {
		if strings.HasPrefix(line, "#") {
			announced += symbolCount(line)
			return true
		}
		s, ok := parseSymbol(line)
		if ok {
			m.symbols = append(m.symbols, s)
		}
		if s.kind == marker || endMarks[s.name] {
			ends++
		}
		return ok
	}))
	if n := len(m.symbols) - ends; n < announced {
		m.faults.Add(trace.Truncated, 1, "%s: %d of %d symbols are there", name, n, announced)
	}
	// Aliases share an address; the last one listed counts, as it does for uftrace's tools, but an
	// end marker never hides a symbol that begins where another ends.
	sort.SliceStable(m.symbols, func(i, j int) bool {
		a, b := m.symbols[i], m.symbols[j]
		return a.addr < b.addr || a.addr == b.addr && a.kind == marker && b.kind != marker
	})
}

// endMarks are the names of end markers, which older versions give the kind of the symbol
// before them.
var endMarks = map[string]bool{"__sym_end": true, "__dynsym_end": true, "__func_end": true}

// symbolCount returns how many symbols a line of the head announces.
func symbolCount(line string) int {
	for _, key := range []string{"# symbols: ", "# plt symbols: "} {
		if v, ok := strings.CutPrefix(line, key); ok {
			n, _ := number(v)
			return n
		}
	}
	return 0
}

func parseSymbol(line string) (symbol, bool) {
	hex, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	addr, err := strconv.ParseUint(hex, 16, 64)
	kind, name, ok := strings.Cut(rest, " ")
	if len(kind) > 1 {
		kind, name, ok = strings.Cut(name, " ")
	}
	if err != nil || !ok || len(kind) != 1 || !isKind(kind[0]) || name == "" {
		return symbol{}, false
	}
	name, _, _ = strings.Cut(name, "\t") // kallsyms adds the kernel module
	return symbol{addr, name, kind[0]}, true
}

// isKind reports whether nm prints such a kind.
func isKind(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == marker || c == '-' }

// symbolOwner reads the head of a symbol file: the path and the build id of its module.
func (r *recording) symbolOwner(name string) (file, buildID string) {
	f, err := r.dir.Open(name)
	if err != nil {
		return "", ""
	}
	defer f.Close()
	in := bufio.NewScanner(io.LimitReader(f, 16<<10))
	for in.Scan() && strings.HasPrefix(in.Text(), "#") {
		if v, ok := strings.CutPrefix(in.Text(), "# path name: "); ok {
			file = v
		}
		if v, ok := strings.CutPrefix(in.Text(), "# build-id: "); ok {
			buildID = v
		}
	}
	return file, buildID
}

// addresses maps addresses to small numbers. It is a hash table with linear probing: functions are
// few and looked up for every call.
type addresses struct {
	slots []addressSlot
	n     int
}

type addressSlot struct {
	addr  uint64
	value int32 // + 1; 0 is an empty slot
}

func (a *addresses) reset() { a.slots, a.n = nil, 0 }

func (a *addresses) slot(addr uint64) *addressSlot {
	mask := uint64(len(a.slots) - 1)
	for i := addr * 0x9e3779b97f4a7c15 >> 32 & mask; ; i = (i + 1) & mask {
		if s := &a.slots[i]; s.addr == addr || s.value == 0 {
			return s
		}
	}
}

// get returns the number of addr, or −1.
func (a *addresses) get(addr uint64) int32 {
	if a.n == 0 {
		return -1
	}
	s := a.slot(addr)
	return s.value - 1
}

// put sets the number of an address that has no number yet.
func (a *addresses) put(addr uint64, value int32) {
	if 2*(a.n+1) > len(a.slots) {
		old := a.slots
		a.slots = make([]addressSlot, max(64, 2*len(old)))
		for _, s := range old {
			if s.value != 0 {
				*a.slot(s.addr) = s
			}
		}
	}
	*a.slot(addr) = addressSlot{addr, value + 1}
	a.n++
}

// recentRoutines has the routines of addresses that were met lately, each in the only place where
// it may be. One look there finds what the resolver finds with two, in half of the memory.
type recentRoutines struct {
	list  *[1 << recentBits]recentRoutine
	stamp uint64 // in the bits of a key that an address does not have; others are forgotten
}

type recentRoutine struct {
	key     uint64 // its address and the stamp
	routine int32
	own     int32 // its number in the task
}

const (
	recentBits  = 11
	addressBits = 48
)

// at returns the place of an address.
func (r *recentRoutines) at(addr uint64) *recentRoutine { return &r.list[recentPlace(addr)] }

func recentPlace(addr uint64) uint64 { return addr * 0x9e3779b97f4a7c15 >> (64 - recentBits) }

// forget forgets all.
func (r *recentRoutines) forget() {
	if r.stamp += 1 << addressBits; r.stamp == 0 || r.list == nil {
		r.list, r.stamp = new([1 << recentBits]recentRoutine), 1<<addressBits
	}
}

// mapping is a module in a session's address space. Its segments lie together; the first one's
// start is the module's base.
type mapping struct {
	start, end uint64
	file       string
	buildID    string
}

// dlopen is a library that a session loaded while it ran.
type dlopen struct {
	at   int64
	base uint64
	file string
}

// kernelBase is where kernel addresses begin in the 48 bits that records keep.
const kernelBase = 1 << 47

// readMaps reads a session's memory map, in the form of /proc/PID/maps with build ids added.
func (r *recording) readMaps(s *session) {
	name := "sid-" + s.id + ".map"
	stack := false
	err := r.eachLine(name, &r.faults, func(line string) bool {
		m, ok := parseMapping(line)
		stack = stack || m.file == "[stack]"
		n := len(s.maps)
		switch {
		case !ok || m.file == "" || m.file[0] == '[': // memory without a file
		case n > 0 && s.maps[n-1].file == m.file:
			s.maps[n-1].end = m.end
		default:
			s.maps = append(s.maps, m)
		}
		return ok
	})
	if err != nil {
		r.faults.Add(trace.Truncated, 1,
			"%s is missing: functions of session %s have no names", name, s.id)
	} else if !stack {
		r.faults.Add(trace.Truncated, 1, "%s ends before the stack, which is mapped last", name)
	}
	sort.SliceStable(s.maps, func(i, j int) bool { return s.maps[i].start < s.maps[j].start })
}

// parseMapping reads `start-end perms offset device inode`, then a file and its build id if there
// are any.
func parseMapping(line string) (m mapping, ok bool) {
	f := strings.Fields(line)
	if len(f) < 5 || len(f[1]) != 4 || strings.Trim(f[1], "rwxsp-") != "" {
		return m, false
	}
	from, to, _ := strings.Cut(f[0], "-")
	var err1, err2 error
	m.start, err1 = strconv.ParseUint(from, 16, 64)
	m.end, err2 = strconv.ParseUint(to, 16, 64)
	if err1 != nil || err2 != nil || m.end < m.start {
		return m, false
	}
	if len(f) > 5 {
		m.file = f[5]
	}
	id := ""
	if len(f) > 6 {
		id, ok = strings.CutPrefix(f[len(f)-1], "build-id:")
		m.buildID = id
	}
	return m, ok || len(f) <= 6
}

// found is an address looked up: its module, the module's base, and the symbol.
type found struct {
	module *module
	base   uint64
	symbol symbol
}

// find resolves an address of session s at a time.
func (r *recording) find(s *session, addr uint64, at int64) (found, bool) {
	if addr >= kernelBase && r.lp64 {
		m := r.kernel()
		sym, ok := m.find(addr | 0xffff<<48)
		return found{m, 0, sym}, ok
	}
	if s == nil {
		return found{}, false
	}
	i := sort.Search(len(s.maps), func(i int) bool { return s.maps[i].start > addr }) - 1
	if i >= 0 && addr < s.maps[i].end {
		m := &s.maps[i]
		return r.lookup(m.file, m.buildID, m.start, addr)
	}
	for i := len(s.opened) - 1; i >= 0; i-- {
		if d := &s.opened[i]; d.at <= at && addr >= d.base {
			if p, ok := r.lookup(d.file, "", d.base, addr); ok {
				return p, true
			}
		}
	}
	return found{}, false
}

func (r *recording) lookup(file, buildID string, base, addr uint64) (found, bool) {
	m := r.module(file, buildID)
	if !r.relative {
		base = 0
	}
	sym, ok := m.find(addr - base)
	return found{m, base, sym}, ok
}

// module returns the module of a file, reading its symbols at the first call.
func (r *recording) module(file, buildID string) *module {
	key := file + "\x00" + buildID
	if m := r.modules[key]; m != nil {
		return m
	}
	m := &module{name: path.Base(file)}
	r.modules[key] = m
	if name := r.symbolFile(m, file, buildID); name != "" {
		r.readSymbols(m, name)
		r.readDebug(m, strings.TrimSuffix(name, ".sym")+".dbg")
	}
	return m
}

// kernel returns the kernel's symbols.
func (r *recording) kernel() *module {
	const key = "\x00kernel"
	if m := r.modules[key]; m != nil {
		return m
	}
	m := &module{name: "kernel"}
	r.modules[key] = m
	r.readSymbols(m, "kallsyms")
	return m
}

// symbolFile finds the symbols of a module. They are in BASENAME.sym, or in BASENAME-XXXX.sym if
// several modules share that name; the head of each file names its module.
func (r *recording) symbolFile(m *module, file, buildID string) string {
	base, other := path.Base(file), ""
	for _, name := range r.symFiles {
		stem := strings.TrimSuffix(name, ".sym")
		if stem != base && !strings.HasPrefix(stem, base+"-") {
			continue
		}
		whose, id := r.symbolOwner(name)
		if buildID != "" && id == buildID || whose == file || stem == base && whose == "" {
			return name
		}
		other = name
	}
	if other != "" {
		m.faults.Add(trace.BadRecord, 1, "%s does not say that its symbols are those of %s", other, file)
	}
	return ""
}
