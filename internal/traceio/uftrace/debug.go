package uftrace

import (
	"bufio"
	"strconv"
	"strings"
)

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
	for in := bufio.NewReader(f); ; {
		line, err := in.ReadString('\n')
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
		if err != nil {
			return
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
