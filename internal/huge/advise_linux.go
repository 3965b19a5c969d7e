package huge

import "golang.org/x/sys/unix"

// advise asks for huge pages. A kernel without them says so, which changes nothing.
func advise(from, bytes uintptr) {
	_, _, _ = unix.Syscall(unix.SYS_MADVISE, from, bytes, unix.MADV_HUGEPAGE)
}
