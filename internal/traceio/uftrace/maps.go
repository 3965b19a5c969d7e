package uftrace

import (
	"io/fs"
	"path"
	"sort"
	"strconv"
	"strings"

	"diptych/internal/trace"
)

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
	text, err := fs.ReadFile(r.dir, name)
	if err != nil {
		r.b.Diagnose(trace.Truncated, 1,
			"%s is missing: functions of session %s have no names", name, s.id)
		return
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) < 6 || strings.HasPrefix(f[5], "[") {
			continue // memory without a file
		}
		m := mapping{file: f[5]}
		if len(f) > 6 {
			m.buildID = strings.TrimPrefix(f[6], "build-id:")
		}
		from, to, _ := strings.Cut(f[0], "-")
		var err1, err2 error
		m.start, err1 = strconv.ParseUint(from, 16, 64)
		m.end, err2 = strconv.ParseUint(to, 16, 64)
		if err1 != nil || err2 != nil || m.end < m.start {
			r.b.Diagnose(trace.BadRecord, 1, "%s: %q", name, strings.TrimSpace(line))
			continue
		}
		if n := len(s.maps); n > 0 && s.maps[n-1].file == m.file {
			s.maps[n-1].end = m.end
			continue
		}
		s.maps = append(s.maps, m)
	}
	sort.SliceStable(s.maps, func(i, j int) bool { return s.maps[i].start < s.maps[j].start })
}

// place is an address found: its module, the module's base, and the symbol.
type place struct {
	module *module
	base   uint64
	symbol symbol
}

// find resolves an address of session s at a time.
func (r *recording) find(s *session, addr uint64, at int64) (place, bool) {
	if addr >= kernelBase && r.lp64 {
		m := r.kernel()
		sym, ok := m.find(addr | 0xffff<<48)
		return place{m, 0, sym}, ok
	}
	if s == nil {
		return place{}, false
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
	return place{}, false
}

func (r *recording) lookup(file, buildID string, base, addr uint64) (place, bool) {
	m := r.module(file, buildID)
	if !r.relative {
		base = 0
	}
	sym, ok := m.find(addr - base)
	return place{m, base, sym}, ok
}

// module returns the module of a file, reading its symbols at the first call.
func (r *recording) module(file, buildID string) *module {
	key := file + "\x00" + buildID
	if m := r.modules[key]; m != nil {
		return m
	}
	m := &module{name: path.Base(file)}
	r.modules[key] = m
	if name := r.symbolFile(file, buildID); name != "" {
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

// symbolFile finds the symbols of a module. They are in BASENAME.sym, or, where several files have
// that name, in BASENAME-XXXX.sym; the head of each tells whose it is.
func (r *recording) symbolFile(file, buildID string) string {
	base := path.Base(file)
	for _, name := range r.symFiles {
		stem := strings.TrimSuffix(name, ".sym")
		if stem != base && !strings.HasPrefix(stem, base+"-") {
			continue
		}
		whose, id := r.symbolOwner(name)
		if buildID != "" && id == buildID || whose == file || stem == base && whose == "" {
			return name
		}
	}
	return ""
}
