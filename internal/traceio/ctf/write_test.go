package ctf

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// bitWriter writes numbers bit by bit, as chapter 4.1.5 of the format has them.
type bitWriter struct {
	data []byte
	pos  uint64
	big  bool
}

func (w *bitWriter) align(n uint64) {
	for w.pos%n != 0 {
		w.bit(0)
	}
}

func (w *bitWriter) bit(b uint64) {
	if w.pos%8 == 0 {
		w.data = append(w.data, 0)
	}
	at := w.pos % 8
	if w.big {
		at = 7 - at
	}
	w.data[w.pos/8] |= byte(b << at)
	w.pos++
}

// number writes a number. Its order of bytes may be another than that of the trace if it fills bytes.
func (w *bitWriter) number(v, size uint64, big bool) {
	if big != w.big {
		for i := range size / 8 {
			shift := 8 * i
			if big {
				shift = size - 8 - 8*i
			}
			w.number(v>>shift&0xff, 8, w.big)
		}
		return
	}
	if w.pos%8 == 0 && size%8 == 0 { // whole bytes, of which large recordings are made
		for i := range size / 8 {
			shift := 8 * i
			if big {
				shift = size - 8 - 8*i
			}
			w.data = append(w.data, byte(v>>shift))
		}
		w.pos += size
		return
	}
	for i := range size {
		if w.big {
			w.bit(v >> (size - 1 - i) & 1)
		} else {
			w.bit(v >> i & 1)
		}
	}
}

// plain writes an aligned number in the trace's own order.
func (w *bitWriter) plain(v, size uint64) {
	w.align(8)
	w.number(v, size, w.big)
}

func (w *bitWriter) text(s string) {
	w.align(8)
	for i := range len(s) {
		w.number(uint64(s[i]), 8, w.big)
	}
	w.number(0, 8, w.big)
}

const testUUID = "00010203-0405-0607-0809-0a0b0c0d0e0f"

// surroundings are the headers and contexts that LTTng writes. BYTEORDER is to be replaced.
const surroundings = `/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
typealias integer { size = 5; align = 1; signed = false; } := uint5_t;
trace { major = 1; minor = 8; uuid = "` + testUUID + `"; byte_order = BYTEORDER;
	packet.header := struct { uint32_t magic; uint8_t uuid[16]; uint32_t stream_id; };
};
env { domain = "DOMAIN"; tracer_name = "lttng"; tracer_major = 2; tracer_minor = 13; hostname = "here"; };
clock { name = "monotonic"; freq = 1000000000; offset = 5000; };
typealias integer { size = 27; align = 1; signed = false; map = clock.monotonic.value; } := uint27_clock;
typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; } := uint64_clock;
struct packet_context { uint64_clock timestamp_begin; uint64_clock timestamp_end; uint64_t content_size;
	uint64_t packet_size; uint64_t packet_seq_num; uint32_t events_discarded; uint32_t cpu_id; };
struct event_header_compact {
	enum : uint5_t { compact = 0 ... 30, extended = 31 } id;
	variant <id> {
		struct { uint27_clock timestamp; } compact;
		struct { uint32_t id; uint64_clock timestamp; } extended;
	} v;
} align(8);
`

// recorded is the metadata and the events of one stream in the making.
type recorded struct {
	bitWriter
	names     []string // of event classes, by id
	from, to  uint64
	cpu, lost uint64
	sequence  uint64
	kernel    bool
	nameSize  int // bytes of a thread's name, 0 for those of LTTng
}

// class declares an event and returns its id.
func (r *recorded) class(name string) uint64 {
	if i := slices.Index(r.names, name); i >= 0 {
		return uint64(i)
	}
	r.names = append(r.names, name)
	return uint64(len(r.names) - 1)
}

// fieldsOf are the fields of the events of these tests, without the underscore before their names.
var fieldsOf = map[string]string{
	"lttng_ust_cyg_profile:func_entry":         "addr call_site",
	"lttng_ust_cyg_profile:func_exit":          "addr call_site",
	"lttng_ust_cyg_profile_fast:func_exit":     "",
	"lttng_ust_cyg_profile_fast:func_entry":    "addr",
	"lttng_ust_pthread:pthread_mutex_lock_req": "mutex",
	"lttng_ust_pthread:pthread_mutex_lock_acq": "mutex status",
	"lttng_ust_pthread:pthread_mutex_trylock":  "mutex status",
	"lttng_ust_pthread:pthread_mutex_unlock":   "mutex status",
	"lttng_ust_statedump:bin_info":             "baddr memsz $path is_pic",
	"lttng_ust_statedump:procname":             "$procname",
	"lttng_ust_lib:load":                       "baddr memsz $path",
	"sched_switch":                             "$prev_comm prev_tid prev_state $next_comm next_tid",
	"sched_waking":                             "$comm tid",
	"sched_wakeup":                             "$comm tid",
	"syscall_entry_openat":                     "dfd $filename",
	"syscall_exit_openat":                      "ret",
	"syscall_exit_unknown":                     "ret",
	"sys_read":                                 "fd",
	"exit_syscall":                             "ret",
	"lttng_statedump_process_state":            "tid pid $name",
	"app:mark":                                 "",
	"lttng_ust_tracef:event":                   "$msg",
	"sched:sched_switch":                       "perf_tid perf_pid $prev_comm prev_pid prev_state $next_comm next_pid",
	"sched:sched_waking":                       "perf_tid perf_pid $comm pid",
	"raw_syscalls:sys_enter":                   "perf_tid perf_pid common_pid id fd",
	"raw_syscalls:sys_exit":                    "perf_tid perf_pid id ret",
	"syscalls:sys_enter_openat":                "perf_tid perf_pid __syscall_nr dfd",
	"syscalls:sys_exit_openat":                 "perf_tid perf_pid __syscall_nr ret",
	"cpu-clock":                                "perf_tid perf_pid perf_callchain_size",
	"perf_comm":                                "pid tid $comm",
	"perf_fork":                                "pid ppid tid ptid",
	"perf_mmap":                                "pid tid start $filename",
}

// event writes an event of a thread. Values are numbers or, where the name of a field has a $,
// texts. Ids of 31 and more need the long header.
func (r *recorded) event(at uint64, tid, pid uint64, comm, name string, values ...any) {
	id := r.class(name)
	r.align(8)
	if r.from == 0 {
		r.from = at
	}
	if long := id >= 31 || at-r.to >= 1<<27; long {
		r.number(31, 5, r.big)
		r.plain(id, 32)
		r.plain(at, 64)
	} else {
		r.number(id, 5, r.big)
		r.number(at&(1<<27-1), 27, r.big)
	}
	r.to = max(r.to, at)
	if !r.kernel {
		r.plain(tid, 32)
		r.plain(pid, 32)
		fixed := make([]byte, cmp.Or(r.nameSize, 17))
		copy(fixed, comm)
		for _, c := range fixed {
			r.plain(uint64(c), 8)
		}
	}
	for _, v := range values {
		if s, isText := v.(string); isText {
			r.text(s)
		} else {
			r.plain(uint64(v.(int)), 64)
		}
	}
}

// text of the metadata.
func (r *recorded) describe() string {
	order, domain := "le", "ust"
	if r.big {
		order = "be"
	}
	var out strings.Builder
	context := "event.context := struct { integer { size = 32; align = 8; signed = 1; } _vtid; integer " +
		"{ size = 32; align = 8; signed = 1; } _vpid; integer { size = 8; align = 8; signed = 1; encoding = UTF8; } " +
		fmt.Sprintf("_procname[%d]; };", cmp.Or(r.nameSize, 17))
	if r.kernel {
		context, domain = "", "kernel"
	}
	out.WriteString(strings.NewReplacer("BYTEORDER", order, "DOMAIN", domain).Replace(surroundings))
	fmt.Fprintf(&out, "stream { id = 0; event.header := struct event_header_compact; packet.context := "+
		"struct packet_context; %s };\n", context)
	for id, name := range r.names {
		fmt.Fprintf(&out, "event { name = %q; id = %d; stream_id = 0; loglevel = 13; fields := struct {", name, id)
		for f := range strings.FieldsSeq(fieldsOf[name]) {
			if s, isText := strings.CutPrefix(f, "$"); isText {
				fmt.Fprintf(&out, " string _%s;", s)
			} else {
				fmt.Fprintf(&out, " integer { size = 64; align = 8; signed = 1; base = 16; } _%s;", f)
			}
		}
		out.WriteString(" }; };\n")
	}
	return out.String()
}

// packet returns what was written as a packet.
func (r *recorded) packet() []byte {
	const head = 4 + 16 + 4 + 5*8 + 4 + 4
	w := bitWriter{big: r.big}
	w.plain(streamMagic, 32)
	for i := range uint64(16) {
		w.plain(i, 8)
	}
	w.plain(0, 32)
	w.plain(r.from, 64)
	w.plain(r.to, 64)
	w.plain(8*head+r.pos, 64)
	w.plain(8*uint64(head+len(r.data)+16), 64)
	w.plain(r.sequence, 64)
	w.plain(r.lost, 32)
	w.plain(r.cpu, 32)
	return append(append(w.data, r.data...), make([]byte, 16)...) // with some padding
}

// next begins another packet of the stream.
func (r *recorded) next() []byte {
	p := r.packet()
	r.data, r.pos, r.from, r.sequence = nil, 0, 0, r.sequence+1
	return p
}

// folder is a trace with such streams.
func (r *recorded) folder(streams ...[]byte) fstest.MapFS {
	dir := fstest.MapFS{"metadata": &fstest.MapFile{Data: []byte(r.describe())}}
	for i, s := range streams {
		dir[fmt.Sprint("channel_", i)] = &fstest.MapFile{Data: s}
	}
	return dir
}

// perf returns the trace of one packet as perf writes it.
func (r *recorded) perf() fstest.MapFS {
	dir := r.folder(r.packet())
	dir["metadata"].Data = bytes.Replace(dir["metadata"].Data, []byte(`"lttng"`), []byte(`"perf"`), 1)
	return dir
}

func loadFolder(dir fstest.MapFS) (*trace.Trace, error) {
	b := trace.NewBuilder("ctf")
	err := Load(context.Background(), &input.Source{Path: "d", Dir: dir}, input.Options{}, b)
	if err != nil {
		return nil, err
	}
	return b.Build(context.Background())
}

func mustLoad(t testing.TB, dir fstest.MapFS) *trace.Trace {
	t.Helper()
	tr, err := loadFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// listed describes a trace: a line a thread with its calls as "name start-end", dots for depth.
func listed(tr *trace.Trace) (all []string) {
	for _, th := range tr.Threads {
		line := th.ID + " " + th.Name
		if th.Process >= 0 {
			p := tr.Processes[th.Process]
			line += " of " + p.Name + "@" + p.Host
		}
		line += ":"
		for i := range th.Len() {
			line += fmt.Sprintf(" %s%s%s %d-%d", strings.Repeat(".", int(th.Depth(i))),
				tr.FunctionOf(th, i).Name, th.Args(i), th.Start(i), th.End(i))
		}
		for _, e := range th.Instants {
			line += fmt.Sprintf(" !%s %d", tr.Functions[e.Fn].Name, e.At)
		}
		all = append(all, line)
	}
	slices.Sort(all)
	return all
}

func told(tr *trace.Trace) (all []string) {
	for _, d := range tr.Diagnostics {
		all = append(all, fmt.Sprintf("%s %d %s", d.Code, d.Count, d.Example))
	}
	return all
}
