package spill

import (
	"math"
	"os"

	"golang.org/x/sys/unix"
)

// Supported says that files can be mapped here.
const Supported = true

// extend takes n more bytes of the disk for a file and maps them. Taking them first is what keeps
// the process from being ended by a signal later, when a page is written that has no room.
func extend(f *os.File, at int64, n int) ([]byte, error) {
	if err := unix.Fallocate(int(f.Fd()), 0, at, int64(n)); err != nil {
		return nil, err
	}
	return unix.Mmap(int(f.Fd()), at, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
}

// forget gives whole pages back to the disk; they are zero then.
func forget(b []byte) error { return unix.Madvise(b, unix.MADV_REMOVE) }

// room returns how many bytes a directory's disk has free for this user.
func room(dir string) int64 {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return 0
	}
	return int64(min(uint64(st.Bavail)*uint64(st.Bsize), math.MaxInt64))
}
