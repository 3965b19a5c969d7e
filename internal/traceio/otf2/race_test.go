//go:build unix

package otf2

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
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

// BenchmarkPlainRead races the way from an archive to a finished trace against a plain read of the
// same records. Locations have a file each, and there are more of them than processors.
func BenchmarkPlainRead(b *testing.B) {
	const locations = 4
	s := newScene(locations)
	for i := range uint64(100_000) {
		at := 1000 * i
		for rank := range uint64(locations) {
			s.at(rank, at+1, enter, s.run)
			s.at(rank, at+10, enter, s.send)
			s.at(rank, at+20, leave, s.send)
			s.at(rank, at+30, enter, s.recv)
			s.at(rank, at+700, leave, s.recv)
			s.at(rank, at+900, leave, s.run)
		}
	}
	files := map[string][]byte{}
	for name, f := range s.archive() {
		files[name] = f.Data
	}
	dir := peers.OnDisk(b, files)
	peers.Race(b, func() { mustOpen(b, dir) }, func() { readPlainly(b, dir) })
}

// mustOpen loads an archive of the file system.
func mustOpen(b *testing.B, dir string) {
	ctx := context.Background()
	src, err := input.Open(ctx, dir, input.Options{}, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer src.Close()
	to := trace.NewBuilder("otf2")
	if err := Load(ctx, src, input.Options{}, to); err != nil {
		b.Fatal(err)
	}
	if tr, err := to.Build(ctx); err != nil || tr.Calls() == 0 {
		b.Fatal(err)
	}
}

// readPlainly decodes every time and every value of the events of an archive and adds them up, as
// many files at a time as there are processors.
func readPlainly(b *testing.B, dir string) uint64 {
	names, err := filepath.Glob(filepath.Join(dir, "a", "*.evt"))
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

// addUp reads little-endian events that have numbers only.
func addUp(in *bufio.Reader) (sum uint64, err error) {
	var body [256]byte
	for {
		kind, err := in.ReadByte()
		if errors.Is(err, io.EOF) {
			return sum, nil
		}
		n := 0
		switch {
		case kind == endOfChunk || kind == endOfBuffer || kind == endOfFile:
		case kind == chunkHeader:
			n = headerSize - 1
		case kind == timestamp:
			n = stampSize - 1
		default:
			length, err := in.ReadByte()
			if err != nil {
				return sum, err
			}
			n = int(length)
		}
		if _, err := io.ReadFull(in, body[:n]); err != nil {
			return sum, err
		}
		switch {
		case kind == timestamp:
			sum += binary.LittleEndian.Uint64(body[:])
		case singles[kind]:
			sum += number64(body[:n])
		case kind > timestamp:
			for at := 0; at < n; at += 1 + int(body[at]) {
				sum += number64(body[at+1 : at+1+int(body[at])])
			}
		}
	}
}

func number64(b []byte) (v uint64) {
	for i, c := range b {
		v |= uint64(c) << (8 * i)
	}
	return v
}
