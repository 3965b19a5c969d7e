package ctf

import (
	"testing"
	"testing/fstest"

	"diptych/internal/fuzzall/seeds"
	"diptych/internal/traceio/input"
)

// FuzzLoad looks for traces that make the loader panic or hang, or give calls that lie badly.
func FuzzLoad(f *testing.F) {
	seeds.Add(f)
	r := &recorded{}
	r.event(1000, 7, 7, "a", cyg+"func_entry", 0x10, 1)
	r.event(1010, 7, 7, "a", pthread+"lock_req", 0x100)
	r.event(1020, 7, 7, "a", pthread+"lock_acq", 0x100, 0)
	r.event(1030, 7, 7, "a", cyg+"func_exit", 0x10, 1)
	f.Add([]byte(r.describe()), r.packet())
	k := &recorded{kernel: true, bitWriter: bitWriter{big: true}}
	k.event(1000, 0, 0, "", "sched_switch", "a", 10, 1, "b", 12)
	k.event(1010, 0, 0, "", "sched_waking", "a", 10)
	k.event(1020, 0, 0, "", "sched_switch", "b", 12, 0, "a", 10)
	f.Add(wrapped([]byte(k.describe()), k.order()), k.packet())
	f.Add([]byte("/* CTF 1.8 */ event { name = x; fields := struct { integer { size = 8; } a; }; };"), []byte("abc"))
	f.Fuzz(func(t *testing.T, metadata, stream []byte) {
		Sniff(&input.Source{Head: stream})
		sound(t, fstest.MapFS{"metadata": &fstest.MapFile{Data: metadata}, "s": &fstest.MapFile{Data: stream}})
	})
}
