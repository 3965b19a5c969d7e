package uftrace

import (
	"bufio"
	"io"
	"sort"
	"strconv"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// module is an executable, a library or the kernel with its symbols.
type module struct {
	name    string
	symbols []symbol // by address
	debug   map[uint64]debugEntry
	enums   enums
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

// readSymbols reads a symbol file: `address kind name` lines, or `address size kind name` in later
// versions.
func (r *recording) readSymbols(m *module, name string) {
	f, err := r.dir.Open(name)
	if err != nil {
		return // a module without symbols: its functions go by address
	}
	defer f.Close()
	for in := bufio.NewReader(f); ; {
		line, err := in.ReadString('\n')
		if s, ok := parseSymbol(line); ok {
			m.symbols = append(m.symbols, s)
		}
		if err != nil {
			break
		}
	}
	// Aliases share an address; the last one listed counts, as it does for uftrace's tools, but an
	// end marker never hides a symbol that begins where another ends.
	sort.SliceStable(m.symbols, func(i, j int) bool {
		a, b := m.symbols[i], m.symbols[j]
		return a.addr < b.addr || a.addr == b.addr && a.kind == marker && b.kind != marker
	})
}

func parseSymbol(line string) (symbol, bool) {
	if strings.HasPrefix(line, "#") {
		return symbol{}, false
	}
	hex, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	addr, err := strconv.ParseUint(hex, 16, 64)
	kind, name, ok := strings.Cut(rest, " ")
	if len(kind) > 1 {
		kind, name, ok = strings.Cut(name, " ")
	}
	if err != nil || !ok || len(kind) != 1 || name == "" {
		return symbol{}, false
	}
	name, _, _ = strings.Cut(name, "\t") // kallsyms adds the kernel module
	return symbol{addr, name, kind[0]}, true
}

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

// readable turns a mangled name into a qualified one without parameters and template arguments, as
// uftrace prints it and as its debug files spell it.
func readable(name string) string {
	for _, prefix := range []string{"_Z", "_R", "_GLOBAL__"} {
		if strings.HasPrefix(name, prefix) {
			return demangled(name)
		}
	}
	return name
}

func demangled(name string) string {
	name = demangle.Filter(name, demangle.NoParams, demangle.NoEnclosingParams,
		demangle.NoTemplateParams, demangle.NoClones)
	return strings.ReplaceAll(name, "()::", "::") // what is left of enclosing functions
}
