//go:build unix

package uftrace

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"

	"diptych/internal/peers"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// BenchmarkPlainRead races the way from a directory to a finished trace against a plain read of the
// same records. Tasks have a file each, and there are more of them than processors.
func BenchmarkPlainRead(b *testing.B) {
	data := generated(1 << 20)
	d := newDir()
	files := map[string][]byte{}
	const tasks = 6
	for tid := 7; tid < 7+tasks; tid++ {
		if tid > 7 {
			d.tasks += fmt.Sprintf("TASK timestamp=0.000000003 tid=%d pid=7\n", tid)
		}
		files[fmt.Sprintf("%d.dat", tid)] = data
	}
	for name, f := range d.files("") {
		files[name] = f.Data
	}
	dir := peers.OnDisk(b, files)
	peers.Race(b, func() { mustOpen(b, dir) }, func() { readPlainly(b, dir) })
}

// mustOpen loads a directory of the file system.
func mustOpen(b *testing.B, dir string) *trace.Trace {
	ctx := context.Background()
	src, err := input.Open(ctx, dir, input.Options{}, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer src.Close()
	to := trace.NewBuilder("uftrace")
	if err := Load(ctx, src, input.Options{}, to); err != nil {
		b.Fatal(err)
	}
	tr, err := to.Build(ctx)
	if err != nil {
		b.Fatal(err)
	}
	return tr
}

// readPlainly decodes every field of every record of a directory and adds them up, as many files at
// a time as there are processors.
func readPlainly(b *testing.B, dir string) uint64 {
	names, err := filepath.Glob(filepath.Join(dir, "[0-9]*.dat"))
	if err != nil || len(names) == 0 {
		b.Fatal(err)
	}
	var sum atomic.Uint64
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, name := range names {
		group.Go(func() error {
			f, err := os.Open(name)
			if err != nil {
				return err
			}
			defer f.Close()
			n, err := addUp(bufio.NewReaderSize(f, 64<<10))
			sum.Add(n)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		b.Fatal(err)
	}
	return sum.Load()
}

// addUp reads records of which none has a payload.
func addUp(r io.Reader) (sum uint64, err error) {
	var rec [recordSize]byte
	for {
		if _, err := io.ReadFull(r, rec[:]); errors.Is(err, io.EOF) {
			return sum, nil
		} else if err != nil {
			return sum, err
		}
		at, packed := binary.LittleEndian.Uint64(rec[:]), binary.LittleEndian.Uint64(rec[8:])
		kind, more, mark := packed&3, packed>>2&1, packed>>3&7
		if mark != recordMagic {
			return sum, errors.New("not a record")
		}
		sum += at + kind + more + packed>>6&0x3ff + packed>>16
	}
}
