package uftrace

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// dir is a recording that a test assembles.
type dir struct {
	order binary.ByteOrder
	msb   bool // bit fields from the highest bit, as on a big-endian machine
	specs string
	tasks string
	maps  string
	syms  string
	debug string
	dat   map[int]*bytes.Buffer
	perf  bytes.Buffer
}

// textBase is where the test program's module begins in memory.
const textBase = 0x5500_0000_0000

func newDir() *dir {
	return &dir{
		order: binary.LittleEndian,
		tasks: "SESS timestamp=0.000000001 pid=7 sid=aa exename=\"/bin/prog\"\n" +
			"TASK timestamp=0.000000002 tid=7 pid=7\n",
		maps: fmt.Sprintf("%x-%x r-xp 00000000 00:00 0 /bin/prog build-id:12\n7ffc0000-7ffd0000 rw-p 0 0:0 0 [stack]\n",
			textBase, textBase+0x10000),
		syms: "# symbols: 5\n# path name: /bin/prog\n# build-id: 12\n" +
			"0000000000000100 P sem_wait\n0000000000000110 ? __dynsym_end\n" +
			"0000000000001000 T main\n0000000000002000 t work\n0000000000003000 T _ZN2ns1W3getEi\n" +
			"0000000000004000 ? __func_end\n0000000000005000 d lock\n0000000000005010 ? __sym_end\n",
		dat: map[int]*bytes.Buffer{},
	}
}

// files returns the files of the recording, below the given top folder.
func (d *dir) files(top string) fstest.MapFS {
	head := make([]byte, headerSize)
	copy(head, magic)
	d.order.PutUint32(head[8:], 4)
	d.order.PutUint16(head[12:], headerSize)
	head[14], head[15] = 1, 2
	if d.order == binary.BigEndian {
		head[14] = 2
	}
	d.order.PutUint64(head[16:], relativeSymbols)
	d.order.PutUint64(head[24:], 1<<0|1<<13) // exename and uftrace_version follow
	d.order.PutUint16(head[32:], 1024)
	out := fstest.MapFS{}
	put := func(name, text string) { out[top+name] = &fstest.MapFile{Data: []byte(text)} }
	put("info", string(head)+"exename:/bin/prog\n"+d.specs+"uftrace_version:v0.13 ( x86_64 )\n")
	put("task.txt", d.tasks)
	put("sid-aa.map", d.maps)
	put("prog.sym", d.syms)
	if d.debug != "" {
		put("prog.dbg", d.debug)
	}
	for tid, b := range d.dat {
		put(fmt.Sprintf("%d.dat", tid), b.String())
	}
	if d.perf.Len() > 0 {
		put("perf-cpu0.dat", d.perf.String())
	}
	return out
}

// record appends a record and what follows it.
func (d *dir) record(tid int, at uint64, kind, depth int, addr uint64, payload ...byte) {
	if d.dat[tid] == nil {
		d.dat[tid] = &bytes.Buffer{}
	}
	more := uint64(0)
	if len(payload) > 0 {
		more = 1
	}
	p := uint64(kind) | more<<2 | recordMagic<<3 | uint64(depth&0x3ff)<<6 | addr<<16
	if d.msb {
		p = uint64(kind)<<62 | more<<61 | recordMagic<<58 | uint64(depth&0x3ff)<<48 | addr&(1<<48-1)
	}
	var rec [recordSize]byte
	d.order.PutUint64(rec[:], at)
	d.order.PutUint64(rec[8:], p)
	d.dat[tid].Write(rec[:])
	d.dat[tid].Write(payload)
	for d.dat[tid].Len()%8 != 0 {
		d.dat[tid].WriteByte(0)
	}
}

func (d *dir) enter(at uint64, depth int, offset uint64, payload ...byte) {
	d.record(7, at, entryRecord, depth, textBase+offset, payload...)
}

func (d *dir) leave(at uint64, depth int, offset uint64, payload ...byte) {
	d.record(7, at, exitRecord, depth, textBase+offset, payload...)
}

// switches appends a context switch of the first task.
func (d *dir) switches(at uint64, misc uint16) {
	rec := make([]byte, 24)
	d.order.PutUint32(rec, perfSwitch)
	d.order.PutUint16(rec[4:], misc)
	d.order.PutUint16(rec[6:], 24)
	d.order.PutUint32(rec[8:], 7)
	d.order.PutUint32(rec[12:], 7)
	d.order.PutUint64(rec[16:], at)
	d.perf.Write(rec)
}

// comm appends a task's naming itself.
func (d *dir) comm(at uint64, tid uint32, name string) {
	text := append([]byte(name), make([]byte, 8-len(name)%8)...)
	rec := make([]byte, 16, 48)
	d.order.PutUint32(rec, perfComm)
	d.order.PutUint16(rec[6:], uint16(32+len(text)))
	d.order.PutUint32(rec[8:], 7)
	d.order.PutUint32(rec[12:], tid)
	rec = append(rec, text...)
	tail := make([]byte, 16)
	d.order.PutUint32(tail[4:], tid)
	d.order.PutUint64(tail[8:], at)
	d.perf.Write(append(rec, tail...))
}

func load(t testing.TB, files fstest.MapFS) *trace.Trace {
	t.Helper()
	tr, err := tryLoad(files)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func tryLoad(files fstest.MapFS) (*trace.Trace, error) {
	b := trace.NewBuilder("uftrace")
	src := &input.Source{Path: "rec", Dir: files}
	if err := Load(context.Background(), src, input.Options{}, b); err != nil {
		return nil, err
	}
	return b.Build(context.Background())
}

// show prints a trace: threads with their calls, then what was wrong.
func show(tr *trace.Trace) string {
	var b strings.Builder
	for _, th := range tr.Threads {
		fmt.Fprintf(&b, "thread %s %s", th.ID, th.Name)
		if th.Process >= 0 {
			of := tr.Processes[th.Process]
			fmt.Fprintf(&b, " of %s", of.Name)
			if of.Parent != "" {
				fmt.Fprintf(&b, " forked by %s", of.Parent)
			}
		}
		b.WriteByte('\n')
		for i := range th.Len() {
			mark := ""
			if th.Flags(i)&trace.Unclosed != 0 {
				mark = " ?"
			}
			args := th.Args(i)
			if strings.HasPrefix(args, "=") {
				args = " " + args
			}
			fmt.Fprintf(&b, "%d+%d %s%s%s%s\n", th.Start(i), th.Dur(i), strings.Repeat("  ", int(th.Depth(i))),
				tr.FunctionOf(th, i).Name, args, mark)
		}
		for _, e := range th.Instants {
			fmt.Fprintf(&b, "%d %s\n", e.At, tr.Functions[e.Fn].Name)
		}
	}
	for _, d := range tr.Diagnostics {
		fmt.Fprintf(&b, "! %s %d: %s\n", d.Code, d.Count, d.Example)
	}
	return b.String()
}
