package synth

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"diptych/internal/output"
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
	// abandon frees what close would and the outputs do not; after close it does nothing.
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

// outputs are the files and directories being written. They get their names together, when all are
// complete.
type outputs struct{ list []publication }

// publication is an output.File or an output.Directory.
type publication interface {
	Commit() error
	Discard()
}

// openSide makes the output of a side.
func (p *outputs) openSide(s *side, f Format, path string) error {
	var err error
	switch {
	case s.prog.mpi != nil && s.prog.mpi.ownFiles:
		s.out, err = newRankSinks(p, path, s)
	case f.forPath(path) == Chrome:
		s.out, err = newChromeSink(p, path, s)
	default:
		s.out, err = newUftraceSink(p, path, s)
	}
	return err
}

// file begins the file at path.
func (p *outputs) file(path string) (*output.File, error) {
	f, err := output.Create(path)
	if err == nil {
		p.list = append(p.list, f)
	}
	return f, err
}

// directory begins the uftrace directory at path, which may exist if it is empty or was such an
// output before.
func (p *outputs) directory(path string) (*output.Directory, error) {
	if !replaceable(path) {
		return nil, fmt.Errorf("%s: it exists and is not a uftrace directory", path)
	}
	return p.begin(path)
}

// begin begins the directory at path.
func (p *outputs) begin(path string) (*output.Directory, error) {
	d, err := output.CreateDirectory(path)
	if err == nil {
		p.list = append(p.list, d)
	}
	return d, err
}

func replaceable(path string) bool {
	entries, err := os.ReadDir(path)
	if err != nil {
		return os.IsNotExist(err)
	}
	head, err := os.ReadFile(filepath.Join(path, "info"))
	return len(entries) == 0 || err == nil && bytes.HasPrefix(head, []byte(uftraceMagic))
}

// publish gives every output its name.
func (p *outputs) publish(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, l := range p.list {
		if err := l.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// discard removes what was not published.
func (p *outputs) discard() {
	for _, l := range p.list {
		l.Discard()
	}
}
