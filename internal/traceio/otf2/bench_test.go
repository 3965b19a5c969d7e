package otf2

import (
	"bytes"
	"testing"
	"testing/fstest"
	"time"
)

// manyCalls is an archive of two ranks with n calls each: computing, and messages between them.
func manyCalls(n int) fstest.MapFS {
	s := newScene(2)
	for i := range uint64(n / 4) {
		at := 1000 * i
		for rank := range uint64(2) {
			s.at(rank, at+1, enter, s.run)
			s.call(rank, at+10, at+20, s.test, mpiRequestTest, 1)
			if rank == 0 {
				s.call(rank, at+100, at+120, s.send, mpiSend, 1, world, 7, 8)
				s.call(rank, at+130, at+700, s.recv, mpiRecv, 1, world, 8, 8)
			} else {
				s.call(rank, at+50, at+190, s.recv, mpiRecv, 0, world, 7, 8)
				s.call(rank, at+300, at+320, s.send, mpiSend, 0, world, 8, 8)
			}
			s.at(rank, at+900, leave, s.run)
		}
	}
	return s.archive()
}

// walk goes over all records of a file and looks at nothing but their lengths.
func walk(b *testing.B, data []byte) (n int) {
	f := newFrames(bytes.NewReader(data), int64(len(data)), true)
	defer f.in.Close()
	for {
		if _, err := f.next(); err != nil {
			return n
		}
		n++
	}
}

// BenchmarkLoad reports, besides its own speed, how many times as long as a plain walk over the
// records of all files it takes, the fastest of either in the same run.
func BenchmarkLoad(b *testing.B) {
	dir := manyCalls(200_000)
	size := int64(0)
	plain := time.Duration(1 << 62)
	for range 3 {
		start := time.Now()
		size = 0
		for _, f := range dir {
			walk(b, f.Data)
			size += int64(len(f.Data))
		}
		plain = min(plain, time.Since(start))
	}
	b.SetBytes(size)
	b.ReportAllocs()
	own := time.Duration(1 << 62)
	for b.Loop() {
		start := time.Now()
		mustLoad(b, dir)
		own = min(own, time.Since(start))
	}
	b.ReportMetric(float64(own)/float64(plain), "x-plain-walk")
}

// TestMemory holds that an archive takes no more than a few times its size: what is allocated in
// all bounds what is held at once.
func TestMemory(t *testing.T) {
	dir := manyCalls(100_000)
	size := uint64(0)
	for _, f := range dir {
		size += uint64(len(f.Data))
	}
	if taken := allocated(func() { mustLoad(t, dir) }); taken > 16*size+slack {
		t.Errorf("%d bytes are allocated for files of %d", taken, size)
	} else {
		t.Logf("%.1f times the files are allocated in all", float64(taken)/float64(size))
	}
}
