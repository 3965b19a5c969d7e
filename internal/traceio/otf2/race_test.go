//go:build unix

package otf2

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"path/filepath"
	"testing"

	"diptych/internal/peers"
	"diptych/internal/traceio/loadtest"
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
	pattern := filepath.Join(dir, "a", "*.evt")
	peers.Race(b, loadtest.Loader(Load).FromDisk(b, dir), func() { peers.EachFile(b, pattern, addUp) })
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
