package perfetto_test

import (
	"bytes"
	"testing"

	"diptych/internal/trace"
)

// timed are files with several clocks, and with the phases of older writers.
var timed = []struct {
	name    string
	packets [][]byte
	want    string
}{
	{"clocks over one and over two snapshots", [][]byte{
		packet(threadTrack(2, 1, 1, "t")),
		packet(sub(6, clockShows(6, 5000), clockShows(3, 1000))),
		packet(sub(6, clockShows(3, 1500), clockShows(64, 7))),
		packet(sub(6, clockShows(6, 6100), clockShows(3, 2000))), // the clocks drift
		packet(num(8, 1200), num(58, 3), begin(2, "a")), packet(num(8, 5300), end(2)),
		packet(num(8, 107), num(58, 64), begin(2, "b")), packet(num(8, 2001), num(58, 3), end(2)),
	}, `
process 1 "1" 0
thread 1/1 "t" process 0 sort 0
  0-100 a
  400-901 b
`},
	{"the trace says which clock is its own", [][]byte{
		packet(threadTrack(2, 1, 1, "t")),
		packet(sub(6, clockShows(6, 5000), clockShows(3, 1000), num(2, 3))),
		packet(num(8, 5100), begin(2, "a")), packet(num(8, 1300), num(58, 3), end(2)),
	}, `
process 1 "1" 0
thread 1/1 "t" process 0 sort 0
  0-200 a
`},
	{"an incremental clock in µs, a default of its sequence, and one that is not related", [][]byte{
		packet(threadTrack(2, 1, 1, "t")),
		packet(sub(6, clockShows(6, 1_000_000),
			clockShows(64, 1000, num(3, 1), num(4, 1000)), clockShows(65, 1000, num(4, 1000))),
			sub(59, num(58, 64))),
		at(5, begin(2, "a")), at(0, begin(2, "b")), at(3, end(2)), packet(num(8, 1009), num(58, 65), end(2)),
		packet(num(8, 1), num(58, 66), begin(2, "lost")), on(2, num(8, 1), num(58, 64), begin(2, "lost")),
	}, `
process 1 "1" 0
thread 1/1 "t" process 0 sort 0
  0-4000 a
    0-3000 b
unknown-clock 2
`},
	{"one clock and no snapshot", [][]byte{
		packet(threadTrack(2, 1, 1, "t")), packet(num(8, 5), num(58, 1), begin(2, "a")),
		packet(num(8, 9), num(58, 1), end(2)), at(7, begin(2, "lost")),
	}, `
process 1 "1" 0
thread 1/1 "t" process 0 sort 0
  0-4 a
unknown-clock 1
`},
	{"times that cannot be", [][]byte{
		packet(threadTrack(2, 1, 1, "t")), at(5, begin(2, "a")), at(-1, begin(2, "b")), at(6, end(2)),
		packet(sub(6, clockShows(6, -1))), packet(sub(6, clockShows(6, 1, num(4, 0)))),
	}, `
process 1 "1" 0
thread 1/1 "t" process 0 sort 0
  0-1 a
bad-record 3
`},
	{"µs since the last event of a thread without a track", [][]byte{
		packet(sub(44, num(1, 3), num(2, 4), str(5, "old"), num(6, 100))),
		packet(sub(11, num(9, 1), str(23, "a"), num(1, 5))),
		packet(sub(11, num(9, 1), str(23, "b"), num(16, 107))),
		packet(sub(11, num(9, 2), num(1, 3))), packet(sub(11, num(9, 2), num(1, 2))),
	}, `
process 3 "3" 0
thread 3/4 "old" process 0 sort 0
  0-5000 a
    2000-3000 b
`},
	{"phases of Chrome's macros", [][]byte{
		packet(threadTrack(2, 1, 1, "t")), packet(sub(44, num(1, 1), num(2, 1))),
		at(0, sub(11, str(23, "x"), num(11, 2), str(22, "c"), sub(6, num(2, 'X'), num(3, 4),
			num(8, 9), num(13, 2)))),
		at(1000, sub(11, str(23, "b"), num(11, 2), sub(6, num(2, 'B')))),
		at(2000, sub(11, num(11, 2), sub(6, num(2, 'E')))),
		at(3000, sub(11, str(23, "i"), num(11, 2), sub(6, num(2, 'i')))),
		at(5000, sub(11, str(23, "y"), str(22, "c"), sub(6, num(2, 'X'), num(3, 1), num(18, 1),
			num(19, 7), num(8, 9), num(13, 1)))),
		at(6000, sub(11, str(23, "load"), str(22, "net"), sub(6, num(2, 'b'), num(6, 26)))),
		at(6500, sub(11, str(23, "n"), str(22, "net"), sub(6, num(2, 'n'), num(6, 26)))),
		at(7000, sub(11, str(23, "load"), str(22, "net"), sub(6, num(2, 'e'), num(6, 26)))),
		at(500, sub(11, str(23, "go"), num(11, 2), sub(6, num(2, 's'), num(10, 1)))),
		at(5500, sub(11, str(23, "go"), sub(6, num(2, 'f'), num(10, 1), num(12, 1), num(18, 1),
			num(19, 7)))),
	}, `
process 1 "1" 0
thread 1/1 "t" process 0 sort 0
  0-4000 x [c]
    1000-2000 b
  at 3000 i
thread 1/7 "7" process 0 sort 0
  5000-6000 y [c]
thread 1/net/0x1a "load" process 0 sort 0 async
  6000-7000 load [net] region
  at 6500 n
0-5000 1/1/0 causes 1/7/0
500-5500 1/1/0 causes 1/7/0
`},
	{"phases and overridden threads of a sequence that described its thread, without a track", [][]byte{
		packet(num(13, 1), threadTrack(2, 1, 3, "t"), sub(59, sub(11, num(11, 2)))),
		at(0, begin(2, "f", sub(6, num(8, 9), num(13, 2)))), at(9000, end(2)),
		at(10, sub(11, str(23, "mark"), num(11, 0), sub(6, num(2, 'R')))),
		at(20, instant(0, "typed")), packet(num(13, 1)),
		at(25, sub(11, str(23, "again"), num(11, 0), sub(6, num(2, 'R')))),
		at(30, instant(0, "other", sub(6, num(18, 1), num(19, 4)))),
		at(40, begin(0, "g", sub(6, num(18, 1), num(19, 4), num(8, 9), num(13, 1)))),
		at(50, end(0, sub(6, num(18, 1), num(19, 4)))),
	}, `
process 1 "1" 0
thread 1/3 "t" process 0 sort 0
  0-9000 f
  at 10 mark
  at 25 again
thread 1/4 "4" process 0 sort 0
  40-50 g
  at 30 other
thread track-0 "typed" process -1 sort 0 async
  at 20 typed
0-40 1/3/0 causes 1/4/0
`},
	{"Chrome's events in bundles", [][]byte{
		packet(sub(5, sub(2, str(1, "product-version"), str(2, "Chrome/1")),
			sub(1, str(1, "f"), num(2, 5), num(3, 'X'), num(4, 2), num(5, 3), str(10, "c"), num(11, 1),
				sub(14, str(1, "a"), num(4, 1)), num(9, 1<<9), num(13, 3)),
			sub(1, str(1, "g"), num(2, 9), num(3, 'X'), num(4, 2), num(11, 1), num(9, 1<<8), num(13, 3)),
			sub(1, str(1, "thread_name"), num(3, 'M'), num(4, 2), num(11, 1),
				sub(14, str(1, "name"), str(6, "main"))),
			sub(1, str(1, "process_name"), num(3, 'M'), num(11, 1), sub(14, str(1, "name"), str(6, "app"))),
			sub(1, str(1, "bad"), num(2, 1<<60), num(3, 'X')), str(5, "json"))),
	}, `
process 1 "app" 0
thread 1/2 "main" process 0 sort 0
  0-3000 f [c] {"a":1}
  4000-4000 g
0-4000 1/2/0 causes 1/2/1
bad-record 1
not-read 1
`},
}

// ftrace is a packet of events of processor 0, FtraceEventBundle.
func ftrace(parts ...[]byte) []byte { return packet(sub(1, append(parts, num(1, 0))...)) }

// kernelEvent is an FtraceEvent of a thread.
func kernelEvent(t, tid int64, body []byte) []byte { return sub(2, num(1, t), num(2, tid), body) }

// Bodies of kernel events.
func schedSwitch(from, state, to int64) []byte {
	return sub(4, num(2, from), num(4, state), str(5, "comm"), num(6, to))
}
func schedWaking(tid int64) []byte { return sub(20, num(2, tid)) }
func graphEntry(f int64) []byte    { return sub(437, num(1, 0), num(2, f)) }
func graphExit(f int64) []byte     { return sub(438, num(1, 0), num(2, 0), num(3, f)) }
func atracePrint(s string) []byte  { return sub(3, num(1, 1), str(2, s)) }

// kernel are files with events of the kernel.
var kernel = []struct {
	name    string
	packets [][]byte
	want    string
}{
	{"waits with wakers, and pre-emption", [][]byte{
		packet(sub(2, sub(1, num(1, 10), num(2, 1), str(3, "/bin/app -x")),
			sub(2, num(1, 11), str(2, "worker"), num(3, 10)))),
		packet(threadTrack(1, 10, 10, "main")), packet(threadTrack(2, 10, 11, "worker")),
		at(0, begin(1, "take")), at(0, begin(2, "give")), at(100, end(1)), at(100, end(2)),
		ftrace(kernelEvent(10, 10, schedSwitch(10, 1, 0)), kernelEvent(20, 11, schedWaking(10)),
			kernelEvent(25, 0, schedSwitch(0, 0, 10)), kernelEvent(40, 10, schedSwitch(10, 0, 99)),
			kernelEvent(50, 99, schedSwitch(99, 1, 10)), kernelEvent(60, 0, schedWaking(99)),
			kernelEvent(70, 10, schedSwitch(10, 256, 98)), kernelEvent(80, 98, schedSwitch(98, 1, 10))),
	}, `
process 10 "app" 0
thread 10/10 "main" process 0 sort 0
  0-100 take
    10-25 linux:schedule [linux] event switched
    40-50 linux:schedule (pre-empted) [linux] event ready
    70-80 linux:schedule (pre-empted) [linux] event ready
thread 10/11 "worker" process 0 sort 0
  0-100 give
20 10/11/0 releases 10/10/1
20-25 10/11/0 causes 10/10/1
`},
	{"a thread that waits to the end, and one that has ended", [][]byte{
		packet(threadTrack(1, 10, 10, "main")), packet(threadTrack(2, 10, 11, "over")),
		at(0, begin(1, "take")), at(100, end(1)), at(0, begin(2, "f")), at(5, end(2)),
		ftrace(kernelEvent(10, 10, schedSwitch(10, 1, 11)), kernelEvent(20, 11, schedSwitch(11, 16, 0)),
			kernelEvent(60, 0, schedSwitch(0, 0, 99))),
	}, `
process 10 "10" 0
thread 10/10 "main" process 0 sort 0
  0-100 take
    10-60 linux:schedule [linux] event switched
thread 10/11 "over" process 0 sort 0
  0-5 f
`},
	{"names that the scheduler tells", [][]byte{
		ftrace(kernelEvent(10, 5, sub(4, str(1, "a"), num(2, 5), num(4, 1), str(5, "b"), num(6, 6))),
			kernelEvent(30, 6, sub(4, num(2, 6), num(4, 0), str(5, "renamed"), num(6, 5))),
			kernelEvent(40, 5, sub(4, num(2, 5), num(4, 1), str(5, "b"), num(6, 6)))),
	}, `
process 0 "0" 0
thread 0/5 "renamed" process 0 sort 0
  0-20 linux:schedule [linux] event switched
thread 0/6 "b" process 0 sort 0
  20-30 linux:schedule (pre-empted) [linux] event ready
`},
	{"compact switches and wakings", [][]byte{
		packet(threadTrack(1, 0, 10, "main")), packet(threadTrack(2, 0, 11, "worker")),
		at(0, begin(1, "take")), at(0, begin(2, "give")), at(100, end(1)), at(100, end(2)),
		ftrace(sub(4, packed(1, 5, 10, 20), packed(2, 0, 1, 0), packed(3, 10, 11, 10),
			str(5, "a"), packed(6, 0, 0, 9), packed(7, 30), packed(8, 10))),
		ftrace(sub(4, packed(1, 1), packed(2, 1))),
	}, `
process 0 "0" 0
thread 0/10 "main" process 0 sort 0
  0-100 take
    15-35 linux:schedule [linux] event switched
thread 0/11 "worker" process 0 sort 0
  0-100 give
30 0/11/0 releases 0/10/1
30-35 0/11/0 causes 0/10/1
bad-record 1
`},
	{"what programs of Android write", [][]byte{
		ftrace(kernelEvent(0, 7, atracePrint("B|5|draw|frame\n")), kernelEvent(2, 7, atracePrint("I|5|now")),
			kernelEvent(4, 7, atracePrint("E\n")), kernelEvent(5, 7, atracePrint("S|5|load|1")),
			kernelEvent(6, 8, atracePrint("F|5|load|1")), kernelEvent(7, 7, atracePrint("G|5|track|job|3")),
			kernelEvent(8, 7, atracePrint("H|5|track|3")), kernelEvent(8, 7, atracePrint("N|5|track|mark")),
			kernelEvent(9, 7, atracePrint("C|5|heap|42")), kernelEvent(9, 7, atracePrint("hello")),
			kernelEvent(9, 7, atracePrint("B|x|f")), kernelEvent(9, 7, str(27, "?")), num(3, 1)),
	}, `
process 5 "5" 0
thread 5/7 "7" process 0 sort 0
  0-4 draw|frame [atrace]
  at 2 now
thread 5/load/1 "load" process 0 sort 0 async
  5-6 load [atrace] region
thread 5/track/3 "track" process 0 sort 0 async
  7-8 job [atrace] region
thread 5/track "track" process 0 sort 0 async
  at 8 mark
counter 0 heap [9] [42]
bad-record 1
lost-records 1
not-read 2
`},
	{"functions of the kernel, of a thread whose process is told later and of an idle processor", [][]byte{
		packet(sub(1, num(1, 2), kernelEvent(0, 7, graphExit(3)), kernelEvent(0, 7, atracePrint("B|0|draw")),
			kernelEvent(1, 7, graphEntry(1)), kernelEvent(2, 7, graphEntry(2)),
			kernelEvent(3, 7, graphExit(2)), kernelEvent(4, 7, schedSwitch(7, 1, 0)),
			kernelEvent(5, 0, graphEntry(-0x7f000000)), kernelEvent(8, 0, graphExit(-0x7f000000)),
			kernelEvent(8, 0, schedSwitch(0, 0, 7)), kernelEvent(9, 7, graphExit(1))),
			sub(12, sub(26, num(1, 1), str(2, "vfs_read")), sub(26, num(1, 2), str(2, "rw_verify_area")))),
		packet(sub(2, sub(1, num(1, 5), str(3, "app")), sub(2, num(1, 7), str(2, "reader"), num(3, 5)))),
	}, `
process 5 "app" 0
thread 5/7 "comm" process 0 sort 0
  0-9 draw [atrace]
    1-9 vfs_read [kernel]
      2-3 rw_verify_area [kernel]
      4-8 linux:schedule [linux] event switched
thread 0/2 "swapper/2" process -1 sort 0 runtime
  5-8 0xffffffff81000000 [kernel]
unmatched-begin 1
unmatched-end 1
`},
	{"slices of Android that begin again while they are open, on processors whose events come apart", [][]byte{
		ftrace(kernelEvent(0, 7, atracePrint("S|5|load|1")), kernelEvent(10, 7, atracePrint("S|5|load|1")),
			kernelEvent(40, 8, atracePrint("S|5|load|1")), kernelEvent(50, 8, atracePrint("F|5|load|1"))),
		ftrace(kernelEvent(30, 8, atracePrint("F|5|load|1"))),
	}, `
process 5 "5" 0
thread 5/load/1 "load" process 0 sort 0 async
  0-30 load [atrace] region
  40-50 load [atrace] region
unmatched-begin 1
`},
	{"states of tracks, of which the last one lasts to the end", [][]byte{
		packet(threadTrack(1, 5, 10, "t")), packet(sub(60, num(1, 2), num(5, 1), str(2, "State"))),
		at(0, sub(11, num(11, 2), num(9, 5), str(23, "run"))), at(20, sub(11, num(11, 2), num(9, 5), str(23, "sleep"))),
		at(10, sub(11, num(11, 2), num(9, 5))), at(30, sub(11, num(11, 1), num(9, 5), str(23, "odd"))),
	}, `
process 5 "5" 0
thread 5/track-2 "State" process 0 sort 0 async
  0-10 run region
  20-30 sleep region
thread 5/10 "t" process 0 sort 0
  at 30 odd
`},
	{"kernel clocks that nothing relates to the trace's", [][]byte{
		packet(threadTrack(1, 1, 1, "t")), at(0, begin(1, "f")), at(1, end(1)),
		ftrace(num(5, 3), kernelEvent(0, 7, atracePrint("B|5|draw"))),
	}, `
process 1 "1" 0
thread 1/1 "t" process 0 sort 0
  0-1 f
unknown-clock 1
`},
	{"a kernel clock that its bundles relate to the trace's", [][]byte{
		packet(threadTrack(1, 5, 7, "t")), at(1000, begin(1, "f")), at(1100, end(1)),
		ftrace(num(5, 2), num(6, 400), num(7, 1000), kernelEvent(410, 7, atracePrint("B|5|draw")),
			kernelEvent(420, 7, atracePrint("E|5"))),
		ftrace(num(5, 2), num(6, 500), num(7, 1101), kernelEvent(510, 7, atracePrint("I|5|late"))),
	}, `
process 5 "5" 0
thread 5/7 "t" process 0 sort 0
  0-100 f
    10-20 draw [atrace]
  at 111 late
reordered 1
`},
}

// TestWaitToTheEnd holds that a wait whose end was not recorded is marked so.
func TestWaitToTheEnd(t *testing.T) {
	tr := mustLoad(t, bytes.Join([][]byte{packet(threadTrack(1, 10, 10, "main")), at(0, begin(1, "take")),
		ftrace(kernelEvent(10, 10, schedSwitch(10, 1, 11)), kernelEvent(20, 11, schedSwitch(11, 1, 10)),
			kernelEvent(30, 10, schedSwitch(10, 1, 11)), kernelEvent(60, 0, schedSwitch(0, 0, 99)))}, nil))
	th := tr.Threads[0]
	if th.Len() != 3 || th.Flags(1)&trace.Unclosed != 0 || th.Flags(2)&trace.Unclosed == 0 {
		t.Errorf("%d calls, flags %b and %b", th.Len(), th.Flags(1), th.Flags(2))
	}
}
