package ctf

import (
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
)

// TestMemory has traces whose events take next to no room, and lengths that promise much: what is
// allocated stays within eight times the file and 64 MB, at its peak.
func TestMemory(t *testing.T) {
	const size = 33 << 12 // bits of it are more than instants that are free
	bare := "/* CTF 1.8 */ trace { byte_order = le; };\n"
	for what, c := range map[string]struct {
		metadata string
		stream   []byte
	}{
		"events of a bit": {bare + "event { name = e; fields := struct { integer { size = 1; } a; }; };\n",
			make([]byte, size)},
		"events of a byte": {bare + "event { name = e; fields := struct { integer { size = 8; } a; }; };\n",
			make([]byte, size)},
		"calls of 8 bytes": {bare + "event { name = \"lttng_ust_cyg_profile:func_entry\"; fields := struct " +
			"{ integer { size = 64; } addr; }; };\n", []byte(strings.Repeat("abcdefgh", size/8))},
		"files that are mapped": {bare + "event { name = \"lttng_ust_lib:load\"; fields := struct { integer " +
			"{ size = 8; } baddr; integer { size = 8; } memsz; string path; }; };\n", []byte(strings.Repeat("\x10\x20a\x00", size/4))},
	} {
		dir := fstest.MapFS{"metadata": &fstest.MapFile{Data: []byte(c.metadata)}, "s": &fstest.MapFile{Data: c.stream}}
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		tr, err := loadFolder(dir)
		runtime.GC()
		runtime.ReadMemStats(&after)
		held := int64(after.HeapAlloc) - int64(before.HeapAlloc)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		t.Logf("%s: %d MB held, %d MB in all, %q", what, held>>20, (after.TotalAlloc-before.TotalAlloc)>>20, told(tr))
		if held > 8*size+64<<20 {
			t.Errorf("%s: %d MB", what, held>>20)
		}
		runtime.KeepAlive(tr)
	}
}
