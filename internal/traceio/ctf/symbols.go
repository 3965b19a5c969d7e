package ctf

import (
	"bufio"
	"bytes"
	"cmp"
	"debug/elf"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"diptych/internal/traceio/input"
)

// symbols finds the names of functions: in files beside the trace, as nm writes them, and in the
// executables and libraries themselves, if they are still where the trace says and have the build
// id that it says.
type symbols struct {
	tables map[string]table  // of files beside the trace, by the name of what they are about
	files  map[string]table  // of executables, by path and build id
	watch  func(path string) // nil, or told of each executable before it is looked at
}

// table has the names of functions by address.
type table map[uint64]string

// endings are what names of files with symbols end with.
var endings = []string{".nm", ".sym", ".map", "mapping.txt"}

func isSymbols(name string) bool {
	return slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(name, e) })
}

// mostSymbols is how many symbols of a file are kept.
const mostSymbols = 1 << 22

// upwards returns folders and all that they lie in, each once and the outermost first: a session of
// LTTng has its traces some levels down, and in an archive the session lies in a folder of its own,
// so that files with symbols may be in any of these.
func upwards(folders []string) []string {
	var all []string
	for _, dir := range folders {
		for ; dir != "."; dir = path.Dir(dir) {
			all = append(all, dir)
		}
	}
	slices.Sort(all)
	return append([]string{"."}, slices.Compact(all)...)
}

// find reads the files with symbols in a directory of the trace. One that is called like an
// executable, as in queue.nm, is about that; any other about addresses that lie in no known file.
// The error is why names may lack.
func (s *symbols) find(dir fs.FS, at string) error {
	entries, err := fs.ReadDir(dir, at)
	for _, e := range entries {
		if !isSymbols(e.Name()) || !e.Type().IsRegular() {
			continue
		}
		f, failed := dir.Open(path.Join(at, e.Name()))
		if failed != nil {
			err = cmp.Or(err, failed)
			continue
		}
		t, failed := readTable(f)
		err = cmp.Or(err, failed)
		if len(t) > 0 {
			if s.tables == nil {
				s.tables = map[string]table{}
			}
			s.tables[strings.TrimSuffix(e.Name(), path.Ext(e.Name()))] = t
		}
		_ = f.Close() // which was only read
	}
	return err
}

// readTable reads lines as nm writes them: an address, perhaps a size, a letter, a name; or an
// address and a name. Only code counts.
func readTable(f fs.File) (table, error) {
	t := table{}
	for line, err := range input.Lines(f) {
		if err != nil || len(t) == mostSymbols {
			return t, err
		}
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		addr, err := strconv.ParseUint(strings.TrimPrefix(words[0], "0x"), 16, 64)
		if err != nil {
			continue
		}
		words = words[1:]
		if len(words) > 2 && len(words[0]) == 16 && len(words[1]) == 1 {
			words = words[1:] // a size
		}
		if len(words) > 1 && len(words[0]) == 1 {
			if !strings.Contains("TtWwi", words[0]) {
				continue
			}
			words = words[1:]
		}
		if _, taken := t[addr]; !taken {
			t[addr] = strings.Join(words, " ")
		}
	}
	return t, nil
}

// absolute returns the name of what begins at an address that lies in no known file, or "".
func (s *symbols) absolute(addr uint64) string {
	for _, name := range sortedKeys(s.tables) {
		if found := s.tables[name][addr]; found != "" {
			return found
		}
	}
	return ""
}

func sortedKeys(m map[string]table) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// lookup returns the name of what begins at an address in a file, or "".
func (s *symbols) lookup(m *mapping, addr uint64) string {
	at := addr
	if m.pic {
		at -= m.from
	}
	if t, ok := s.tables[path.Base(m.path)]; ok {
		return t[at]
	}
	key := m.path + "\x00" + string(m.id)
	t, known := s.files[key]
	if !known {
		if s.files == nil {
			s.files = map[string]table{}
		}
		if s.watch != nil {
			s.watch(m.path)
		}
		t = elfTable(m)
		s.files[key] = t
	}
	if name := t[at]; name != "" {
		return name
	}
	if !m.pic {
		return s.absolute(addr)
	}
	return ""
}

// largestELF is the size of the largest file that is looked into.
const largestELF = 1 << 30

// elfTable reads the symbols of an executable or library. It returns nil unless the file is the one
// that ran: build ids are equal.
func elfTable(m *mapping) (t table) {
	st, err := os.Stat(m.path)
	if len(m.id) == 0 || err != nil || !st.Mode().IsRegular() || st.Size() > largestELF {
		return nil
	}
	defer func() {
		if recover() != nil { // of debug/elf, on a file that is damaged
			t = nil
		}
	}()
	f, err := elf.Open(m.path)
	if err != nil {
		return nil
	}
	defer f.Close()
	if !bytes.Equal(buildID(f), m.id) {
		return nil
	}
	t = table{}
	lowest := lowestAddress(f)
	for _, read := range []func() ([]elf.Symbol, error){f.Symbols, f.DynamicSymbols} {
		list, err := read()
		if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
			continue
		}
		// If a function has several names, the same one must be taken each time.
		slices.SortStableFunc(list, func(a, b elf.Symbol) int {
			return cmp.Or(-cmp.Compare(elf.ST_BIND(a.Info), elf.ST_BIND(b.Info)), cmp.Compare(a.Name, b.Name))
		})
		for _, sym := range list {
			if elf.ST_TYPE(sym.Info) != elf.STT_FUNC || sym.Section == elf.SHN_UNDEF {
				continue
			}
			at := sym.Value
			if m.pic {
				at -= lowest
			}
			if t[at] == "" {
				t[at] = sym.Name
			}
		}
	}
	return t
}

// lowestAddress returns where the first segment of a file would like to be loaded.
func lowestAddress(f *elf.File) uint64 {
	lowest := ^uint64(0)
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD {
			lowest = min(lowest, p.Vaddr)
		}
	}
	return lowest
}

// buildID returns the id in a file's notes, or nil.
func buildID(f *elf.File) []byte {
	section := f.Section(".note.gnu.build-id")
	if section == nil || section.Size > 1<<12 {
		return nil
	}
	in := bufio.NewReader(section.Open())
	var head struct{ Name, Desc, Type uint32 }
	if binary.Read(in, f.ByteOrder, &head) != nil || head.Name != 4 || head.Desc > 1<<10 {
		return nil
	}
	rest := make([]byte, 4+head.Desc)
	if binary.Read(in, f.ByteOrder, rest) != nil || string(rest[:4]) != "GNU\x00" {
		return nil
	}
	return rest[4:]
}
