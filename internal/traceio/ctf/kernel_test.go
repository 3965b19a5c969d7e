package ctf

import "testing"

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
