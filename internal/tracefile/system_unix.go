//go:build linux || darwin

package tracefile

import (
	"io/fs"
	"math"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// content returns the first n bytes of a file, mapped: they are read when they are first looked at,
// and the system may drop them from memory again. The mapping lasts as long as the process, since
// columns over it may be held by anybody and the collector does not see them; it takes no memory
// but page tables. A file that was removed stays on disk as long as it is mapped. Files are never
// changed, only renamed and removed; where somebody else cuts one, looking at it is a fault: see
// blame.go.
func content(f *os.File, n int) ([]byte, error) {
	b, err := unix.Mmap(int(f.Fd()), 0, n, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	// All of it is read at once. Where the advice is not taken, reading is slower.
	_ = unix.Madvise(b, unix.MADV_WILLNEED)
	return b, nil
}

// look says what the file system says of what is at a path, where links lead. When anything of it
// last changed is told by a clock that programs cannot set back as they can the modification time.
func look(path string) (entry, error) { return lookAt(unix.AT_FDCWD, path) }

// lookIn is look for a name in a directory.
func lookIn(dir *os.File, name string) (entry, error) { return lookAt(int(dir.Fd()), name) }

func lookAt(dir int, path string) (e entry, err error) {
	var st unix.Stat_t
	if err := unix.Fstatat(dir, path, &st, 0); err != nil {
		return e, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	kind := st.Mode & unix.S_IFMT
	return entry{
		regular: kind == unix.S_IFREG, dir: kind == unix.S_IFDIR, size: st.Size, mode: uint64(st.Mode),
		modified: time.Unix(st.Mtim.Unix()), changed: time.Unix(st.Ctim.Unix()),
		ids: [2]uint64{uint64(st.Dev), uint64(st.Ino)},
	}, nil
}

// room returns how many bytes a directory's disk has free for this user.
func room(dir string) int64 {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return math.MaxInt64 // writing will tell
	}
	return int64(min(uint64(st.Bavail)*uint64(st.Bsize), math.MaxInt64))
}
