//go:build unix

package ctf

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"

	"diptych/internal/peers"
)

// BenchmarkPlainRead races the way from a stream to a finished trace against a plain read of its
// events, into fields that the reader knows before.
func BenchmarkPlainRead(b *testing.B) {
	r, file := manyCalls(400_000)
	dir := r.folder(file)
	peers.Race(b, func() { mustLoad(b, dir) }, func() {
		if _, err := addUp(bufio.NewReaderSize(bytes.NewReader(file), 64<<10)); err != nil {
			b.Fatal(err)
		}
	})
}

// addUp reads events as manyCalls writes them, decodes their fields and adds them up. It takes the
// heads of packets, which are few, for parts of events.
func addUp(in io.Reader) (sum uint64, err error) {
	event := make([]byte, binary.Size(asWritten{}))
	for {
		if _, err := io.ReadFull(in, event); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return sum, nil
		} else if err != nil {
			return sum, err
		}
		order, name := binary.LittleEndian, event[12:29]
		sum += uint64(order.Uint32(event)) + uint64(order.Uint32(event[4:])) + uint64(order.Uint32(event[8:])) +
			uint64(bytes.IndexByte(name, 0)) + order.Uint64(event[29:]) + order.Uint64(event[37:])
	}
}
