package ctf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"
	"time"
)

// manyCalls is a trace of n calls, in packets of 1000.
func manyCalls(n int) (r *recorded, file []byte) {
	r = &recorded{}
	for i := range n {
		if i%1000 == 999 {
			file = append(file, r.next()...)
		}
		at := uint64(1000 + 10*i)
		r.event(at, 7, 7, "a", cyg+"func_entry", 0x1000+i%300, 1)
		r.event(at+5, 7, 7, "a", cyg+"func_exit", 0x1000+i%300, 1)
	}
	return r, append(file, r.packet()...)
}

// asWritten is an event as manyCalls writes it.
type asWritten struct {
	Header   uint32
	TID, PID int32
	Name     [17]byte
	Addr     uint64
	Site     uint64
}

// BenchmarkLoad reports, besides its own speed, how many times as fast as encoding/binary it is, which
// reads the events of the same bytes into structures that it knows before: the fastest of either in the
// same run.
func BenchmarkLoad(b *testing.B) {
	r, file := manyCalls(200_000)
	dir := r.folder(file)
	plain := time.Duration(1 << 62)
	for range 3 {
		start, in := time.Now(), bytes.NewReader(file)
		var e asWritten
		for {
			if err := binary.Read(in, binary.LittleEndian, &e); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				break
			} else if err != nil {
				b.Fatal(err)
			}
		}
		plain = min(plain, time.Since(start))
	}
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	own := time.Duration(1 << 62)
	for b.Loop() {
		start := time.Now()
		mustLoad(b, dir)
		own = min(own, time.Since(start))
	}
	b.ReportMetric(float64(plain)/float64(own), "x-as-fast-as-binary")
}
