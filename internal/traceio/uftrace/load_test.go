package uftrace

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

func words8(order binary.ByteOrder, v ...uint64) []byte {
	var out []byte
	for _, x := range v {
		out = append(out, make([]byte, 8)...)
		order.PutUint64(out[len(out)-8:], x)
	}
	return out
}

func text(order binary.ByteOrder, s string) []byte {
	out := make([]byte, 2, 8+len(s))
	order.PutUint16(out, uint16(len(s)))
	out = append(out, s...)
	for len(out)%4 != 0 {
		out = append(out, 0)
	}
	return out
}

func TestLoad(t *testing.T) {
	le := binary.LittleEndian
	for _, c := range []struct {
		name string
		fill func(d *dir)
		want string
	}{
		{"nested calls, addresses inside functions", func(d *dir) {
			d.enter(100, 0, 0x1010)
			d.enter(110, 1, 0x2010)
			d.leave(120, 1, 0x2010)
			d.enter(120, 1, 0x3004)
			d.leave(150, 1, 0x3004)
			d.leave(200, 0, 0x1010)
		}, `
thread 7 prog of prog
0+100 main
10+10   work
20+30   ns::W::get
`},
		{"unknown addresses", func(d *dir) {
			d.enter(100, 0, 0x9000)
			d.enter(101, 1, 0x4800)
			d.leave(102, 1, 0x4800)
			d.leave(103, 0, 0x9000)
			d.record(7, 104, entryRecord, 0, 0x10)
			d.record(7, 105, exitRecord, 0, 0x10)
		}, `
thread 7 prog of prog
0+3 <550000009000>
1+1   <550000004800>
4+1 <10>
`},
		{"arguments and results", func(d *dir) {
			d.specs = "argspec:lines=2\nargspec:sem_wait@arg1/x;work@arg1/s,arg2,arg3/c,fparg1/64\n" +
				"retspec:sem_wait@retval;work@retval/d32\n"
			d.enter(100, 0, 0x2010, append(append(text(le, "a \"b\"\n"), words8(le, math.MaxUint64-4)...),
				append([]byte{'z', 0, 0, 0}, words8(le, math.Float64bits(1.5))...)...)...)
			d.enter(110, 1, 0x100, words8(le, 0x7f0012345678)...)
			d.leave(120, 1, 0x100, words8(le, 0)...)
			d.leave(130, 0, 0x2010, 0xff, 0xff, 0xff, 0xff)
		}, `
thread 7 prog of prog
0+30 work("a \"b\"\n", -5, 'z', 1.500000) = -1
10+10   sem_wait(0x7f0012345678) = 0
`},
		{"layouts from debug information and enumerations", func(d *dir) {
			d.specs = "argspec:lines=1\nargspec:work\nretspec:work\n"
			d.debug = "E: enum color {RED,GREEN=4,BLUE,}\nF: 2000 work\nL: 12 w.c\n" +
				"A: @arg1/p,arg2/e:color,arg3/t8:pt%RDI\nR: @retval/e:color\n"
			d.enter(100, 0, 0x2010, words8(le, textBase+0x5004, 4, 77)...)
			d.leave(130, 0, 0x2010, words8(le, 9)...)
		}, `
thread 7 prog of prog
0+30 work(&lock, GREEN, pt{...}) = BLUE|GREEN
`},
		{"arguments that do not fit their layout", func(d *dir) {
			d.specs = "argspec:work@arg1/x,arg2/x\n"
			d.enter(100, 0, 0x1010)
			d.enter(110, 1, 0x2010, words8(le, 1)...)
			d.leave(120, 1, 0x2010)
			d.leave(130, 0, 0x1010)
		}, `
thread 7 prog of prog
0+30 main
10+10   work
! bad-record 1: task 7: bytes 32 to 40: arguments or result of work do not fit their layout
`},
		{"context switches", func(d *dir) {
			d.comm(50, 7, "prog")
			d.switches(60, switchOut) // before the program
			d.switches(70, 0)
			d.enter(100, 0, 0x1010)
			d.switches(110, switchOut)
			d.switches(120, 0)
			d.enter(130, 1, 0x2010)
			d.switches(140, switchOut|preempted)
			d.leave(150, 1, 0x2010) // switched in unnoticed
			d.leave(160, 0, 0x1010)
			d.switches(170, switchOut)
		}, `
thread 7 prog of prog
0+60 main
10+10   linux:schedule
30+20   work
40+10     linux:schedule (pre-empted) ?
! unmatched-begin 1: task 7: linux:schedule has no end; it was over at 50 ns
`},
		{"a task that ends blocked", func(d *dir) {
			d.enter(100, 0, 0x1010)
			d.switches(110, switchOut)
		}, `
thread 7 prog of prog
0+10 main ?
10+0   linux:schedule ?
! unmatched-begin 2: thread 7: main begun at 0 ns has no end
`},
		{"lost records", func(d *dir) {
			d.enter(100, 0, 0x1010)
			d.enter(110, 1, 0x2010)
			d.record(7, 0, lostRecord, 0, 8)
			d.enter(120, 1, 0x3004) // so work is over
			d.enter(125, 3, 0x2010) // what called it is lost
			d.leave(130, 3, 0x2010)
			d.leave(135, 2, 0x3004)
			d.leave(140, 1, 0x2010) // not what is open there
			d.leave(150, 0, 0x1010)
		}, `
thread 7 prog of prog
0+50 main
10+10   work ?
20+20   ns::W::get ?
25+5     work
! lost-records 8: task 7: after 10 ns
! unmatched-begin 2: task 7: work has no end; it was over at 20 ns
! unmatched-end 2: task 7: the end of ns::W::get at 35 ns closes nothing
`},
		{"bytes that are no record, and half of one", func(d *dir) {
			d.enter(100, 0, 0x1010)
			d.dat[7].Write(make([]byte, 24))
			d.leave(150, 0, 0x1010)
			d.dat[7].Write([]byte("half"))
		}, `
thread 7 prog of prog
0+50 main
! bad-record 1: task 7: bytes 16 to 40: no record
! truncated 1: task 7: byte 56: 4 bytes of a record
`},
		{"a time that is wrong", func(d *dir) {
			d.enter(100, 0, 0x1010)
			d.enter(1<<50, 1, 0x2010)
			d.enter(120, 1, 0x3004)
			d.leave(130, 1, 0x3004)
			d.leave(150, 0, 0x1010)
		}, `
thread 7 prog of prog
0+50 main
20+10   ns::W::get
! clock-jump 1: task 7: byte 16: time 1125899906842624 ns
`},
		{"events", func(d *dir) {
			d.enter(100, 0, 0x1010)
			d.record(7, 110, eventRecord, 0, 100002, append([]byte{16, 0}, make([]byte, 16)...)...)
			d.record(7, 120, eventRecord, 0, 1000000)
			d.leave(150, 0, 0x1010)
		}, `
thread 7 prog of prog
0+50 main
10 read:page-fault
20 user_event:1000000
`},
		{"threads, forks and exec", func(d *dir) {
			d.tasks += "TASK timestamp=0.000000110 tid=8 pid=7\nTASK timestamp=0.000000110 tid=9 pid=7\n" +
				"FORK timestamp=0.000000120 pid=10 ppid=8\n" +
				"SESS timestamp=0.000000140 pid=10 sid=bb exename=\"/bin/my other\"\nTASK timestamp=0.000000141 tid=10 pid=10\n"
			d.comm(105, 9, "painter")
			d.enter(100, 0, 0x1010)
			d.leave(170, 0, 0x1010)
			for tid := 8; tid <= 10; tid++ {
				d.record(tid, 130, entryRecord, 0, textBase+0x2010)
				d.record(tid, 135, exitRecord, 0, textBase+0x2010)
			}
			d.record(10, 150, entryRecord, 0, textBase+0x2010)
			d.record(10, 155, exitRecord, 0, textBase+0x2010)
		}, `
thread 7 prog of prog
0+70 main
thread 8 work of prog
30+5 work
thread 9 painter of prog
30+5 work
thread 10 my other of my other forked by 7
30+5 work
50+5 <550000002010>
! truncated 1: sid-bb.map is missing: functions of session bb have no names
`},
		{"a library opened later", func(d *dir) {
			d.tasks += "DLOP timestamp=0.000000120 tid=7 sid=aa base=7f0000000000 libname=\"/lib/prog\"\n"
			for _, at := range []uint64{110, 130} {
				d.record(7, at, entryRecord, 0, 0x7f0000002004)
				d.record(7, at+5, exitRecord, 0, 0x7f0000002004)
			}
			d.syms = strings.Replace(d.syms, "/bin/prog", "/lib/prog", 1)
		}, `
thread 7 prog of prog
0+5 <7f0000002004>
20+5 work
`},
		{"big-endian", func(d *dir) {
			d.order, d.msb = binary.BigEndian, true
			d.specs = "argspec:work@arg1/d16,arg2/x32\n"
			d.enter(100, 0, 0x1010)
			d.enter(110, 1, 0x2010, 0xff, 0xfe, 0, 0, 0, 0, 0x12, 0x34)
			d.leave(120, 1, 0x2010)
			d.leave(200, 0, 0x1010)
		}, `
thread 7 prog of prog
0+100 main
10+10   work(-2, 0x1234)
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDir()
			c.fill(d)
			for _, top := range []string{"", "prog.data/"} {
				if got := show(load(t, d.files(top))); got != strings.TrimPrefix(c.want, "\n") {
					t.Errorf("got\n%s\nwant%s", got, c.want)
				}
			}
		})
	}
}

func TestSniff(t *testing.T) {
	d := newDir()
	for _, c := range []struct {
		files fstest.MapFS
		want  bool
	}{
		{d.files(""), true},
		{d.files("a b/"), true},
		{d.files("a/b/"), false},
		{fstest.MapFS{"info": {Data: []byte("Ftrace")}}, false},
		{fstest.MapFS{}, false},
	} {
		if got := Sniff(&input.Source{Dir: c.files}); got != c.want {
			t.Errorf("Sniff = %v, want %v", got, c.want)
		}
	}
	if Sniff(&input.Source{Stream: strings.NewReader(magic)}) {
		t.Error("a single file is not a recording")
	}
}

func TestUnreadable(t *testing.T) {
	for name, spoil := range map[string]func(info []byte) []byte{
		"rec/info:20: the header is cut short: it ends too early": func(b []byte) []byte { return b[:20] },
		"rec/info:14: unknown byte order 3":                       func(b []byte) []byte { b[14] = 3; return b },
		"rec/info:8: file version 9 is not one of 3 to 4":         func(b []byte) []byte { b[8] = 9; return b },
	} {
		files := newDir().files("")
		files["info"].Data = spoil(files["info"].Data)
		if _, err := tryLoad(files); err == nil || err.Error() != name {
			t.Errorf("error %v, want %s", err, name)
		}
	}
}

// TestArguments holds that a process is named by what its program was called with, if the command
// line says so.
func TestArguments(t *testing.T) {
	for line, want := range map[string]string{
		"uftrace record -d pigz.data ./pigz -p 2 text.txt": "-p 2 text.txt",
		"uftrace record /opt/rec/pigz":                     "",
		"uftrace record ./start.sh -p 2":                   "",
		"pigz record":                                      "",
		"":                                                 "",
	} {
		if got := (&info{exe: "/opt/rec/pigz", cmdline: line}).arguments(); got != want {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
}

// TestOptions holds that a recording says what uftrace was told to record, and not where to.
func TestOptions(t *testing.T) {
	for line, want := range map[string][]string{
		"uftrace record ./pigz -p 2":                             {},
		"uftrace record -d x.data --force /opt/rec/pigz -D":      {},
		"uftrace record -v -t 5us -D3 --data=x ./pigz":           {"-t 5us", "-D 3"},
		"uftrace --no-libcall -N ^std --filter=a@b -b 1m ./pigz": {"--no-libcall", "-N ^std", "--filter a@b"},
		"uftrace record -d rec/pigz -t 5us ./pigz -p 2":          {"-t 5us"},
		"uftrace record --data=rec/pigz -t 5us ./pigz -d x":      {"-t 5us"},
		"uftrace record -t 5us ./start.sh":                       nil,
		"":                                                       nil,
	} {
		got := (&info{exe: "/opt/rec/pigz", cmdline: line}).options()
		if !slices.Equal(got, want) || (got == nil) != (want == nil) {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
}

// TestFloor holds that it is known below what duration calls were left out.
func TestFloor(t *testing.T) {
	for option, want := range map[string]int64{"-t 5us": 5000, "-t 300": 300, "--time-filter 2ms": 2_000_000,
		"-t 1s": 1_000_000_000, "-D 3": 0, "-t": 0, "-t x": 0, "-t 9000000000000000000s": 0, "-t 1y": 0} {
		if got := floorOf([]string{"-A f@arg1", option}); got != want {
			t.Errorf("%s: %d ns, want %d", option, got, want)
		}
	}
}

// A recording that lost its task list still shows its calls.
func TestWithoutTaskList(t *testing.T) {
	d := newDir()
	d.enter(100, 0, 0x1010)
	d.leave(150, 0, 0x1010)
	files := d.files("")
	delete(files, "task.txt")
	const want = `thread 7 prog of prog
0+50 main
! truncated 1: task.txt is missing: processes and libraries are guessed
`
	if got := show(load(t, files)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestTasksWithoutRecords: tasks that task.txt or info names and that have no file are told of, and
// so are files that are not read.
func TestTasksWithoutRecords(t *testing.T) {
	d := newDir()
	d.specs = "taskinfo:lines=2\ntaskinfo:nr_tid=3\ntaskinfo:tids=7,8,9\n"
	d.tasks += "TASK timestamp=0.000000003 tid=8 pid=7\nTASK timestamp=0.000000003 tid=10 pid=7\n"
	d.enter(100, 0, 0x1010)
	d.leave(150, 0, 0x1010)
	files := d.files("")
	files["10.dat"] = &fstest.MapFile{}
	files["kernel-cpu0.dat"] = &fstest.MapFile{}
	const want = `thread 7 prog of prog
0+50 main
! no-records 2: task 8: 8.dat is missing
! not-read 1: kernel-cpu0.dat: kernel functions are not read
! truncated 1: info names task 9, of which there is nothing else
`
	if got := show(load(t, files)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestCancel(t *testing.T) {
	d := newDir()
	d.enter(100, 0, 0x1010)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	src := &input.Source{Path: "rec", Dir: d.files("")}
	err := Load(ctx, src, input.Options{}, trace.NewBuilder("uftrace"))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
