package ctf

import (
	"testing"

	"diptych/internal/trace"
)

// TestDeadThreadsDoNotWait has a thread that is killed in a system call, and one that exits by
// itself. They last until then, and wait for nobody.
func TestDeadThreadsDoNotWait(t *testing.T) {
	for what, state := range map[string]int{"dead": 16, "zombie": 32, "dead until Linux 4.13": 64} {
		r := &recorded{kernel: true}
		r.event(1000, 0, 0, "", "sched_switch", "swapper", 0, 0, "client", 10)
		r.event(1010, 0, 0, "", "sys_read", 5)
		r.event(1020, 0, 0, "", "sched_switch", "client", 10, state, "server", 12)
		r.event(1040, 0, 0, "", "sched_switch", "server", 12, state|256, "swapper", 0)
		r.event(1090, 0, 0, "", "app:mark")
		tr := mustLoad(t, r.folder(r.packet()))
		same(t, what, listed(tr), []string{"10 client: read(0x5) 10-20", "cpu0 CPU 0: !app:mark 90"})
		same(t, what, told(tr), nil)
	}
}

// TestNoThread has a system call before the first switch tells the thread of its processor.
func TestNoThread(t *testing.T) {
	r := &recorded{kernel: true}
	r.event(1000, 0, 0, "", "sys_read", 5)
	r.event(1010, 0, 0, "", "exit_syscall", 7)
	r.event(1020, 0, 0, "", "sched_switch", "client", 10, 1, "server", 12)
	r.event(1030, 0, 0, "", "sys_read", 6)
	tr := mustLoad(t, r.folder(r.packet()))
	same(t, "told", told(tr)[:1], []string{
		"no-thread 1 thread cpu0: the events tell no thread (LTTng: add-context -t vtid)"})
}

// TestReturnFromSignalHandler: the kernel does not know any more which system call ends then.
func TestReturnFromSignalHandler(t *testing.T) {
	for _, end := range []string{"exit_syscall", "syscall_exit_unknown"} {
		r := &recorded{kernel: true}
		r.event(1000, 0, 0, "", "sched_switch", "swapper", 0, 0, "client", 10)
		r.event(1010, 0, 0, "", "sys_read", 5)
		r.event(1020, 0, 0, "", end, 1)
		r.event(1030, 0, 0, "", "sys_read", 6)
		r.event(1040, 0, 0, "", end, 2)
		tr := mustLoad(t, r.folder(r.packet()))
		same(t, end, listed(tr), []string{"10 client: read(0x5) = 1 10-20 read(0x6) = 2 30-40"})
	}
	r := &recorded{kernel: true}
	r.event(1010, 0, 0, "", "raw_syscalls:sys_enter", 12, 11, 12, 15, 5)
	r.event(1020, 0, 0, "", "raw_syscalls:sys_exit", 12, 11, -1, 1)
	r.event(1030, 0, 0, "", "raw_syscalls:sys_enter", 12, 11, 12, 0, 6)
	r.event(1040, 0, 0, "", "raw_syscalls:sys_exit", 12, 11, 0, 2)
	tr := mustLoad(t, r.perf())
	same(t, "perf", listed(tr),
		[]string{"12 12 of 11@here: syscall 15(0x5) = 1 0-10 syscall 0(0x6) = 2 20-30"})
	same(t, "perf", told(tr), nil)
}

// TestLostEnds has system calls of which the tracer lost the ends, some between its events and some
// at the end. Those after them are not within them, and the last one wakes a thread before it ends.
func TestLostEnds(t *testing.T) {
	r := &recorded{kernel: true}
	r.event(1000, 0, 0, "", "sched_switch", "client", 10, 1, "server", 12)
	r.event(1010, 0, 0, "", "sys_read", 5)
	r.event(1020, 0, 0, "", "sched_switch", "server", 12, 1, "swapper", 0)
	r.event(1030, 0, 0, "", "sched_switch", "swapper", 0, 0, "server", 12)
	r.event(1040, 0, 0, "", "syscall_entry_openat", -100, "/x")
	r.event(1050, 0, 0, "", "syscall_exit_openat", 3)
	r.event(1060, 0, 0, "", "sys_read", 6)
	r.event(1070, 0, 0, "", "syscall_exit_openat", 3)
	r.event(1080, 0, 0, "", "sys_read", 7)
	r.event(1085, 0, 0, "", "sched_waking", "client", 10)
	r.event(1090, 1, 0, "", "sched_switch", "swapper", 0, 0, "client", 10)
	tr := mustLoad(t, r.folder(r.packet()))
	same(t, "threads", listed(tr), []string{
		"10 client: linux:schedule 0-90",
		`12 server: read(0x5) 10-30 .linux:schedule 20-30 openat(0xffffffffffffff9c, "/x") = 3 40-50 ` +
			"read(0x6) 60-60 read(0x7) 80-85"})
	if len(tr.Correspondences) != 1 || tr.Correspondences[0].At != 85 {
		t.Errorf("correspondences %+v", tr.Correspondences)
	}
	for i := range 5 {
		if unclosed := tr.Threads[1].Flags(i)&trace.Unclosed != 0; unclosed != (i == 0 || i > 2) {
			t.Errorf("call %d is unclosed: %v", i, unclosed)
		}
	}
	same(t, "diagnostics", told(tr), []string{
		"unmatched-begin 3 thread 12: a system call has no end and lasts to 30 ns",
		"unmatched-end 1 thread 12: end of openat at 70 ns closes nothing"})
}

// TestWakerOnItsOwnProcessor: where sched_waking says who made a thread ready, sched_wakeup, which
// comes from the processor that the thread goes to, does not.
func TestWakerOnItsOwnProcessor(t *testing.T) {
	r := &recorded{kernel: true}
	r.event(1000, 0, 0, "", "sched_switch", "client", 10, 1, "server", 12)
	r.event(1010, 0, 0, "", "sys_read", 5)
	r.event(1020, 0, 0, "", "sched_waking", "client", 10)
	r.event(1030, 0, 0, "", "sched_switch", "server", 12, 0, "other", 14)
	r.event(1040, 0, 0, "", "sys_read", 6)
	r.event(1050, 0, 0, "", "sched_wakeup", "client", 10)
	r.event(1060, 0, 0, "", "sched_switch", "other", 14, 0, "client", 10)
	tr := mustLoad(t, r.folder(r.packet()))
	if len(tr.Correspondences) != 1 || tr.Threads[tr.Correspondences[0].Release.Thread].ID != "12" {
		t.Errorf("correspondences %+v of %q", tr.Correspondences, listed(tr))
	}
}
