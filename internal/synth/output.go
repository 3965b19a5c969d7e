package synth

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// sink writes the calls of a side. Calls of one thread come in order; threads take turns in
// stretches. An error stays until close, which reports it.
type sink interface {
	enter(thread, depth int, c *activation)
	leave(thread, depth int, c *activation, end int64)
	// cut ends the recording of a thread whose calls are still open: the outermost ends.
	cut(thread int, stack []activation, end int64)
	// flow starts a flow within a call of a thread, or ends it in one that waits for it.
	flow(phase flowPhase, id, thread int, at int64)
	failed() error
	close() error
	// abandon frees what close would; after close it does nothing.
	abandon()
}

// flowPhase is what happens to a flow at a moment, as Chrome names it.
type flowPhase byte

const (
	flowStart flowPhase = 's'
	flowEnd   flowPhase = 'f'
)

const (
	processID   = 4200
	processName = "simulated"
)

// tid is a thread's id in the outputs and the truth; the main thread has the process's.
func tid(thread int) int { return processID + thread }

// fileName and descriptor say what an I/O call works on.
func fileName(object uint32) string {
	return "data/segment-" + strconv.Itoa(int(object)) + ".db"
}

func descriptor(object uint32) uint32 { return 3 + object }

const (
	openFlags = 0x241
	ioBuffer  = 0x7f3a_2000_0000
	ioLength  = 4096
	startAddr = 0x55d0_0000_1000 // of the thread function, as pthread_create names it
)

// outputs are the files and directories being written: each is written beside its final name under
// a temporary one, and all are renamed together when all are complete.
type outputs struct{ list []output }

type output struct{ temporary, final string }

// openSide makes the output of a side.
func (p *outputs) openSide(s *side, f Format, path string) error {
	var err error
	if f.forPath(path) == Chrome {
		s.out, err = newChromeSink(p, path, s)
	} else {
		s.out, err = newUftraceSink(p, path, s)
	}
	return err
}

// file creates the temporary file for path.
func (p *outputs) file(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s is a directory", path)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.partial")
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w", path, err)
	}
	p.list = append(p.list, output{f.Name(), path})
	if err := f.Chmod(0o644); err != nil {
		return nil, fmt.Errorf("writing %s: %w", path, err)
	}
	return f, nil
}

// directory creates the temporary directory for path, which may exist if it is empty or was such an
// output before.
func (p *outputs) directory(path string) (string, error) {
	path = filepath.Clean(path)
	if !replaceable(path) {
		return "", fmt.Errorf("%s exists and is not a uftrace directory", path)
	}
	dir, err := os.MkdirTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.partial")
	if err != nil {
		return "", fmt.Errorf("writing %s: %w", path, err)
	}
	p.list = append(p.list, output{dir, path})
	if err := os.Chmod(dir, 0o755); err != nil {
		return "", fmt.Errorf("writing %s: %w", path, err)
	}
	return dir, nil
}

func replaceable(path string) bool {
	entries, err := os.ReadDir(path)
	if err != nil {
		return os.IsNotExist(err)
	}
	head, err := os.ReadFile(filepath.Join(path, "info"))
	return len(entries) == 0 || err == nil && bytes.HasPrefix(head, []byte(uftraceMagic))
}

// publish gives every output its name. A directory in the way is set aside first and removed after.
func (p *outputs) publish(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for len(p.list) > 0 {
		l := p.list[0]
		old := l.temporary + ".old"
		info, err := os.Lstat(l.final)
		aside := err == nil && info.IsDir()
		if aside {
			if err := os.Rename(l.final, old); err != nil {
				return fmt.Errorf("replacing %s: %w", l.final, err)
			}
		}
		if err := os.Rename(l.temporary, l.final); err != nil {
			if aside {
				err = errors.Join(err, os.Rename(old, l.final))
			}
			return fmt.Errorf("writing %s: %w", l.final, err)
		}
		p.list = p.list[1:]
		if aside {
			if err := os.RemoveAll(old); err != nil {
				return fmt.Errorf("replacing %s: %w", l.final, err)
			}
		}
	}
	return nil
}

// discard removes what was not published.
func (p *outputs) discard() {
	for _, l := range p.list {
		os.RemoveAll(l.temporary)
	}
}
