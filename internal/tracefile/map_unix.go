//go:build unix

package tracefile

import (
	"os"

	"golang.org/x/sys/unix"
)

// content returns the first n bytes of a file, mapped: they are read when they are first looked at,
// and the system may drop them from memory again. The mapping lasts as long as the process, since
// columns over it may be held by anybody and the collector does not see them. It costs no memory
// but page tables. A file that was removed stays as long as it is mapped.
func content(f *os.File, n int) ([]byte, error) {
	if n == 0 {
		return nil, nil
	}
	b, err := unix.Mmap(int(f.Fd()), 0, n, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	// It is all read soon. Where the advice is not taken, reading is slower.
	_ = unix.Madvise(b, unix.MADV_WILLNEED)
	return b, nil
}
