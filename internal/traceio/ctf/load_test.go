package ctf

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

const cyg, pthread, dump = "lttng_ust_cyg_profile:", "lttng_ust_pthread:pthread_mutex_", "lttng_ust_statedump:"

// eachOrder runs a test with both orders of bytes.
func eachOrder(t *testing.T, do func(t *testing.T, big bool)) {
	t.Run("little-endian", func(t *testing.T) { do(t, false) })
	t.Run("big-endian", func(t *testing.T) { do(t, true) })
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

// TestFunctions has a position independent executable, a library that is loaded later, and an
// address that lies in none.
func TestFunctions(t *testing.T) {
	eachOrder(t, func(t *testing.T, big bool) {
		r := &recorded{bitWriter: bitWriter{big: big}}
		r.event(1000, 8, 7, "app-ust", dump+"bin_info", 0x550000, 0x10000, "/opt/app", 1)
		r.event(1001, 8, 7, "app-ust", dump+"procname", "app")
		r.event(1010, 7, 7, "app", cyg+"func_entry", 0x551189, 1)
		r.event(1020, 7, 7, "app", cyg+"func_entry", 0x7f0010, 1)
		r.event(1025, 7, 7, "app", "lttng_ust_lib:load", 0x7f0000, 0x100, "/usr/lib/libx.so.1")
		r.event(1030, 7, 7, "app", cyg+"func_exit", 0x7f0010, 1)
		r.event(1040, 7, 7, "app", cyg+"func_exit", 0x551189, 1)
		r.event(1050, 9, 7, "app", cyg+"func_entry", 0x551200, 1)
		r.event(1060, 9, 7, "app", cyg+"func_entry", 0x9, 1)
		r.event(1070, 9, 7, "app", cyg+"func_exit", 0x9, 1)
		r.event(1080, 9, 7, "app", cyg+"func_exit", 0x551200, 1)
		r.event(1090, 10, 7, "worker", "app:mark")
		tr := mustLoad(t, r.folder(r.packet()))
		same(t, "threads", listed(tr), []string{
			"10 worker of app@here: !app:mark 90",
			"7 app of app@here: app(+0x1189) 10-40 .libx.so.1(+0x10) 20-30 !lttng_ust_lib:load 25",
			"8 app-ust of app@here: !lttng_ust_statedump:bin_info 0 !lttng_ust_statedump:procname 1",
			"9 app(+0x1200) of app@here: app(+0x1200) 50-80 .0x9 60-70"})
		if tr.Origin != 6000 || tr.Tool != "lttng 2.13" || len(tr.Diagnostics) > 0 {
			t.Errorf("origin %d, tool %q, told %q", tr.Origin, tr.Tool, told(tr))
		}
		for _, th := range tr.Threads {
			if (th.Kind == trace.Runtime) != (th.ID == "8") {
				t.Errorf("thread %s is of kind %v", th.ID, th.Kind)
			}
		}
	})
}

// TestNames has files with symbols beside the trace, and in a folder that the trace lies in.
func TestNames(t *testing.T) {
	r := &recorded{}
	r.event(1000, 7, 7, "app", dump+"bin_info", 0x550000, 0x10000, "/opt/app", 1)
	r.event(1010, 7, 7, "app", cyg+"func_entry", 0x551189, 1)
	r.event(1020, 7, 7, "app", cyg+"func_entry", 0x400200, 1)
	r.event(1030, 7, 7, "app", cyg+"func_exit", 0x400200, 1)
	r.event(1040, 7, 7, "app", cyg+"func_exit", 0x551189, 1)
	dir := r.folder(r.packet())
	dir["app.nm"] = &fstest.MapFile{Data: []byte("0000000000001189 T main\n0000000000001189 t other\n" +
		"                 U puts\n0000000000004010 d table\nnot a line\n")}
	dir["mapping.txt"] = &fstest.MapFile{Data: []byte("0000000000400200 0000000000000010 t _ZN3geo4areaEi\n")}
	tr := mustLoad(t, dir)
	same(t, "threads", listed(tr), []string{
		"7 app of app@here: main 10-40 .geo::area 20-30 !lttng_ust_statedump:bin_info 0"})
	if fn := tr.Functions[tr.Threads[0].Fn[0]]; fn.Package != "app" || fn.Module != "app" {
		t.Errorf("%+v", fn)
	}
	inner := fstest.MapFS{}
	for name, file := range dir {
		if strings.HasSuffix(name, ".nm") || name == "mapping.txt" {
			inner["session/"+name] = file
		} else {
			inner["session/ust/uid/"+name] = file
		}
	}
	same(t, "threads of a packed session", listed(mustLoad(t, inner)), listed(tr))
}

// TestWithoutArguments has the variant of the profile whose exits do not tell the function.
func TestWithoutArguments(t *testing.T) {
	r := &recorded{}
	const fast = "lttng_ust_cyg_profile_fast:"
	r.event(1000, 7, 7, "app", fast+"func_entry", 0x10)
	r.event(1010, 7, 7, "app", fast+"func_entry", 0x20)
	r.event(1020, 7, 7, "app", fast+"func_exit")
	r.event(1030, 7, 7, "app", fast+"func_exit")
	same(t, "threads", listed(mustLoad(t, r.folder(r.packet()))),
		[]string{"7 app of app@here: 0x10 0-30 .0x20 10-20"})
}

// TestLocks has a mutex for which another thread waits. The release is told after that one has it.
func TestLocks(t *testing.T) {
	r := &recorded{}
	r.event(1000, 7, 7, "a", pthread+"lock_req", 0x100)
	r.event(1010, 7, 7, "a", pthread+"lock_acq", 0x100, 0)
	r.event(1020, 8, 7, "b", pthread+"lock_req", 0x100)
	r.event(1050, 8, 7, "b", pthread+"lock_acq", 0x100, 0)
	r.event(1055, 7, 7, "a", pthread+"unlock", 0x100, 0)
	r.event(1060, 7, 7, "a", pthread+"trylock", 0x100, 16)
	r.event(1070, 8, 7, "b", pthread+"unlock", 0x100, 0)
	r.event(1080, 9, 7, "c", pthread+"lock_acq", 0x100, 0)
	tr := mustLoad(t, r.folder(r.packet()))
	same(t, "threads", listed(tr), []string{
		"7 a of a@here: pthread_mutex_lock(0x100) = 0 0-10 pthread_mutex_unlock(0x100) = 0 50-50 " +
			"pthread_mutex_trylock(0x100) = 16 60-60",
		"8 b of a@here: pthread_mutex_lock(0x100) = 0 20-50 pthread_mutex_unlock(0x100) = 0 70-70"})
	if notes := told(tr); len(notes) != 1 || !strings.HasPrefix(notes[0], "unmatched-end 1 ") {
		t.Errorf("told %q", notes)
	}
}

// TestMessages has calls that a program tells itself.
func TestMessages(t *testing.T) {
	r := &recorded{}
	const tracef = "lttng_ust_tracef:event"
	r.event(1000, 7, 7, "a", tracef, "call sem_wait (0x10,3)")
	r.event(1010, 7, 7, "a", tracef, "halfway there")
	r.event(1020, 7, 7, "a", tracef, "return sem_wait")
	tr := mustLoad(t, r.folder(r.packet()))
	same(t, "threads", listed(tr), []string{"7 a of a@here: sem_wait(0x10,3) 0-20 !lttng_ust_tracef:event 10"})
}

// TestClockWraps has stamps of 27 bits that wrap around within a packet, and streams that take turns.
func TestClockWraps(t *testing.T) {
	eachOrder(t, func(t *testing.T, big bool) {
		r := &recorded{bitWriter: bitWriter{big: big}}
		const near = 1<<27 - 10
		for i := range 5 {
			r.event(near+uint64(i)*(1<<26), 7, 7, "a", "app:mark")
		}
		first := r.next()
		r.event(near+1<<40, 7, 7, "a", "app:mark")
		first = append(first, r.next()...)
		r.cpu, r.sequence = 1, 0
		for i := range 3 {
			r.event(near+5+uint64(i)*(1<<26), 7, 7, "a", "app:mark")
		}
		tr := mustLoad(t, r.folder(first, r.packet()))
		var at []int64
		for _, e := range tr.Threads[0].Instants {
			at = append(at, e.At)
		}
		want := []int64{0, 5, 1 << 26, 1<<26 + 5, 2 << 26, 2<<26 + 5, 3 << 26, 4 << 26, 1 << 40}
		if !slices.Equal(at, want) || len(tr.Diagnostics) > 0 {
			t.Errorf("times %v, want %v; told %q", at, want, told(tr))
		}
	})
}

// TestLosses has packets that say what the tracer dropped, one that is missing, and one that is cut.
func TestLosses(t *testing.T) {
	r := &recorded{}
	r.event(1000, 7, 7, "a", "app:mark")
	file := r.next()
	r.lost, r.sequence = 5, 3
	r.event(2000, 7, 7, "a", "app:mark")
	file = append(file, r.next()...)
	r.event(3000, 7, 7, "a", "app:mark")
	last := r.packet()
	file = append(file, last[:len(last)-30]...)
	tr := mustLoad(t, r.folder(file))
	var codes []string
	for _, d := range tr.Diagnostics {
		codes = append(codes, string(d.Code))
	}
	if len(tr.Threads[0].Instants) != 2 || !slices.Equal(codes, []string{"bad-record", "lost-records", "truncated"}) ||
		tr.Diagnostics[1].Count != 7 {
		t.Errorf("%q", told(tr))
	}
}

// TestRotation has a file that continues another: what was lost before is told there.
func TestRotation(t *testing.T) {
	r := &recorded{}
	r.sequence, r.lost = 7, 100
	r.event(1000, 7, 7, "a", "app:mark")
	file := r.next()
	r.lost = 103
	r.event(2000, 7, 7, "a", "app:mark")
	tr := mustLoad(t, r.folder(append(file, r.packet()...)))
	if len(tr.Diagnostics) != 1 || tr.Diagnostics[0].Count != 3 {
		t.Errorf("%q", told(tr))
	}
}

// TestDamage has a packet whose length is wrong, an event that is not defined, and a time far from
// those of its packet.
func TestDamage(t *testing.T) {
	r := &recorded{}
	r.event(1000, 7, 7, "a", "app:mark")
	first := r.next()
	r.event(2000, 7, 7, "a", "app:mark")
	second := r.next()
	r.event(3000, 7, 7, "a", "app:mark")
	third := r.next()
	binary.LittleEndian.PutUint64(second[48:], 1<<60) // its size
	tr := mustLoad(t, r.folder(slices.Concat(first, second, third)))
	if notes := told(tr); len(tr.Threads[0].Instants) != 2 || len(notes) != 2 ||
		!strings.HasPrefix(notes[0], "bad-record 1 d/channel_0, offset ") || !strings.HasPrefix(notes[1], "lost-records 1 ") {
		t.Errorf("a length: %d events, %q", len(tr.Threads[0].Instants), notes)
	}
	r = &recorded{}
	r.event(1000, 7, 7, "a", "app:mark")
	first = r.next()
	r.names = append(r.names, "app:gone")
	r.event(2000, 7, 7, "a", "app:gone")
	dir := r.folder(append(first, r.packet()...))
	text := string(dir["metadata"].Data)
	dir["metadata"].Data = []byte(text[:strings.LastIndex(text, "event {")])
	tr = mustLoad(t, dir)
	if notes := told(tr); len(notes) != 1 || !strings.Contains(notes[0], "event 1 is not defined; the rest of its packet") {
		t.Errorf("an event: %q", notes)
	}
	r = &recorded{names: make([]string, 31)}
	r.event(1000, 7, 7, "a", "app:mark")
	r.event(1<<61, 7, 7, "a", "app:mark")
	r.to = 2000
	r.event(1500, 7, 7, "a", "app:mark")
	tr = mustLoad(t, r.folder(r.packet()))
	if notes := told(tr); len(tr.Threads[0].Instants) != 2 || len(notes) != 1 || !strings.HasPrefix(notes[0], "clock-jump 1 ") {
		t.Errorf("a time: %d events, %q", len(tr.Threads[0].Instants), notes)
	}
}

// TestOwnerAfterBadTime has an event whose time is wrong between those of two threads. It is not
// kept, and the one after it, with the same context, is still on its own thread.
func TestOwnerAfterBadTime(t *testing.T) {
	r := &recorded{names: make([]string, 31)} // so that times are written in full
	r.event(1000, 8, 8, "a", "app:mark")
	r.event(1<<61, 9, 9, "b", "app:mark")
	r.to = 2000
	r.event(1500, 9, 9, "b", "app:mark")
	same(t, "threads", listed(mustLoad(t, r.folder(r.packet()))),
		[]string{"8 a of a@here: !app:mark 0", "9 b of b@here: !app:mark 500"})
}

// TestSeveralTraces has a session with traces of two machines.
func TestSeveralTraces(t *testing.T) {
	r := &recorded{}
	r.event(1000, 7, 7, "a", "app:mark")
	dir := fstest.MapFS{}
	for name, f := range r.folder(r.packet()) {
		dir["ust/uid/0/64-bit/"+name] = f
		dir["ust/uid/0/32-bit/"+name] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(string(f.Data), `"here"`, `"there"`))}
	}
	dir["ust/uid/0/64-bit/index/channel_0.idx"] = &fstest.MapFile{Data: []byte{0xC1, 0xF1, 0xDC, 0xC1}}
	dir["notes/metadata"] = &fstest.MapFile{Data: []byte("something else")}
	if !Sniff(&input.Source{Dir: dir}) {
		t.Error("is not recognised")
	}
	same(t, "threads", listed(mustLoad(t, dir)), []string{"7 a of a@there: !app:mark 0", "7.2 a of a@here: !app:mark 0"})
}

// TestKernel has threads that give up processors and are woken, and system calls.
func TestKernel(t *testing.T) {
	r := &recorded{kernel: true}
	r.event(900, 0, 0, "", "lttng_statedump_process_state", 12, 11, "server")
	r.event(1000, 0, 0, "", "sched_switch", "swapper", 0, 0, "client", 10)
	r.event(1010, 0, 0, "", "syscall_entry_openat", -100, "/tmp/x")
	r.event(1020, 0, 0, "", "sched_switch", "client", 10, 1, "server", 12)
	r.event(1030, 0, 0, "", "sys_read", 5)
	r.event(1040, 0, 0, "", "sched_waking", "client", 10)
	r.event(1050, 0, 0, "", "exit_syscall", 7)
	r.event(1060, 0, 0, "", "sched_switch", "server", 12, 0, "client", 10)
	r.event(1070, 0, 0, "", "syscall_exit_openat", 3)
	r.event(1080, 0, 0, "", "sched_switch", "client", 10, 1, "swapper", 0)
	r.event(1090, 0, 0, "", "app:mark")
	tr := mustLoad(t, r.folder(r.packet()))
	same(t, "threads", listed(tr), []string{
		`10 client: openat(0xffffffffffffff9c, "/tmp/x") = 3 110-170 .linux:schedule 120-160 linux:schedule 180-190`,
		"12 server of server@here: read(0x5) = 7 130-150 linux:schedule (pre-empted) 160-190",
		"cpu0 CPU 0: !lttng_statedump_process_state 0 !app:mark 190"})
	client := tr.Threads[0]
	if client.Flags(1)&trace.Unclosed != 0 || client.Flags(2)&trace.Unclosed == 0 {
		t.Errorf("flags %b and %b, and only the last wait has no end", client.Flags(1), client.Flags(2))
	}
	if len(tr.Correspondences) != 1 || tr.Correspondences[0].At != 140 {
		t.Errorf("correspondences %+v", tr.Correspondences)
	}
}

// TestPerf has the events of the kernel as perf writes them, after some of before the recording.
func TestPerf(t *testing.T) {
	r := &recorded{kernel: true}
	r.event(1, 0, 0, "", "perf_comm", 10, 10, "client")
	r.event(1, 0, 0, "", "perf_fork", 11, 1, 12, 11)
	r.event(1, 0, 0, "", "perf_mmap", 11, 11, 4096, "/bin/x")
	r.event(1000, 0, 0, "", "cpu-clock", 0, 0, 0)
	r.event(1010, 0, 0, "", "syscalls:sys_enter_openat", 10, 10, 257, -100)
	r.event(1020, 0, 0, "", "sched:sched_switch", 10, 10, "client", 10, 1, "server", 12)
	r.event(1030, 0, 0, "", "raw_syscalls:sys_enter", 12, 11, 12, 0, 5)
	r.event(1040, 0, 0, "", "sched:sched_waking", 12, 11, "client", 10)
	r.event(1050, 0, 0, "", "raw_syscalls:sys_exit", 12, 11, 0, 7)
	r.event(1060, 0, 0, "", "sched:sched_switch", 12, 11, "server", 12, 0, "client", 10)
	r.event(1070, 0, 0, "", "syscalls:sys_exit_openat", 10, 10, 257, 3)
	r.event(1080, 0, 0, "", "cpu-clock", 10, 10, 0)
	tr := mustLoad(t, r.perf())
	same(t, "threads", listed(tr), []string{
		"10 client of client@here: openat(0xffffffffffffff9c) = 3 10-70 .linux:schedule 20-60 !cpu-clock 80",
		"12 server of server@here: syscall 0(0x5) = 7 30-50 linux:schedule (pre-empted) 60-80",
		"cpu0 CPU 0: !cpu-clock 0"})
	same(t, "chains", told(tr), []string{"not-read 2 call chains (perf script shows them)"})
	if len(tr.Correspondences) != 1 || tr.Correspondences[0].At != 40 {
		t.Errorf("correspondences %+v", tr.Correspondences)
	}
}

// TestRefusals has single files of a trace, and version 2 of the format.
func TestRefusals(t *testing.T) {
	magic := func(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }
	for what, c := range map[string]struct {
		head []byte
		want string
	}{
		"a stream":       {binary.LittleEndian.AppendUint32(nil, streamMagic), "x/d/f: this is a stream of a CTF trace: open the folder of the trace, x/d"},
		"metadata":       {magic(metadataMagic), "this is the metadata of a CTF trace: open the folder of the trace, x/d"},
		"metadata, text": {[]byte("/* CTF 1.8 */\n"), "this is the metadata"},
		"metadata, JSON": {[]byte("\x1e{\"type\""), "this is the metadata"},
		"an LTTng index": {magic(indexMagic), "this is the index of a stream of a CTF trace: open the folder of the trace, x"},
	} {
		src := &input.Source{Path: "x/d/f", Head: c.head}
		err := Load(t.Context(), src, input.Options{}, trace.NewBuilder("ctf"))
		if !Sniff(src) || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for what, c := range map[string]struct{ metadata, want string }{
		"CTF 2":           {"\x1e{\"type\":\"preamble\",\"version\":2}", "this is CTF 2, and only CTF 1.8 is read"},
		"no metadata":     {"/* CTF 1.8 */ trace {", "cannot be understood: offset 21 of the metadata"},
		"no events":       {"/* CTF 1.8 */ trace { major = 1; };", "no event in 0 streams"},
		"endless nesting": {"/* CTF 1.8 */ trace { packet.header := " + strings.Repeat("struct { ", 1000), "levels deep"},
	} {
		_, err := loadFolder(fstest.MapFS{"metadata": &fstest.MapFile{Data: []byte(c.metadata)}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if Sniff(&input.Source{Head: []byte("{}")}) || Sniff(&input.Source{Dir: fstest.MapFS{}}) {
		t.Error("something else is taken for a trace")
	}
}

// TestLostMetadata has streams whose metadata is missing or empty: the error says so.
func TestLostMetadata(t *testing.T) {
	r := &recorded{}
	r.event(1000, 7, 7, "a", "app:mark")
	for _, empty := range []bool{false, true} {
		dir := r.folder(r.packet())
		delete(dir, "metadata")
		if empty {
			dir["metadata"] = &fstest.MapFile{}
		}
		_, err := loadFolder(dir)
		if !Sniff(&input.Source{Dir: dir}) || err == nil ||
			!strings.Contains(err.Error(), ": a CTF trace without a sound file metadata, which says") {
			t.Errorf("empty %v: %v", empty, err)
		}
	}
}

// TestPacketized has metadata in packets, in both orders, the last one cut.
func TestPacketized(t *testing.T) {
	r := &recorded{}
	r.event(1000, 7, 7, "a", "app:mark")
	for what, order := range map[string]binary.AppendByteOrder{"le": binary.LittleEndian, "be": binary.BigEndian} {
		dir := r.folder(r.packet())
		text := dir["metadata"].Data
		out := wrapped(text, order)
		dir["metadata"].Data = out[:len(out)-5]
		if tr := mustLoad(t, dir); len(tr.Threads) != 1 || len(tr.Diagnostics) > 0 {
			t.Errorf("%s: %d threads, %q", what, len(tr.Threads), told(tr))
		}
		dir["metadata"].Data[700+metadataHeader+9] = 0 // the second packet
		if _, err := loadFolder(dir); err == nil || !strings.Contains(err.Error(), "metadata") {
			t.Errorf("%s, damaged: %v", what, err)
		}
	}
}
