package input

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"runtime/metrics"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"

	"diptych/internal/testtrace"
	"diptych/internal/traceio/input/inputtest"
)

// distant returns noise that comes again after n bytes.
func distant(n int) []byte {
	r := rand.NewChaCha8([32]byte{1})
	noise := make([]byte, 100_000)
	r.Read(noise)
	return slices.Concat(noise, make([]byte, n-len(noise)), noise)
}

// histories are the packings that refer back: how to pack with one of 2^log bytes.
var histories = map[string]struct {
	ahead int64
	open  unpacker
	pack  func(t *testing.T, data []byte, log int) []byte
}{
	"zstd": {zstdAhead, newZstd, zstdWith},
	"xz": {xzAhead, newXz(func(error) {}), func(t *testing.T, data []byte, log int) []byte {
		return inputtest.XzWith(t, data, xz.WriterConfig{DictCap: 1 << log})
	}},
}

func zstdWith(t *testing.T, data []byte, log int) []byte {
	var out bytes.Buffer
	z, err := zstd.NewWriter(&out, zstd.WithWindowSize(1<<log), zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	half := len(data) / 2 // a writer that is fed in pieces cannot state the size of all
	z.Write(data[:half])
	z.Write(data[half:])
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// restated returns a stream of zstd without checksums whose first frame states another window.
func restated(packed []byte, log int) []byte {
	out := bytes.Clone(packed)
	out[5] = byte(log-10) << 3
	return out
}

// TestWindowGrows unpacks what refers back by more than the window that is taken at first: all of it
// comes, and damage is told where it is.
func TestWindowGrows(t *testing.T) {
	first := testtrace.Sized[int64](1<<20, leastWindow)
	want := distant(int(first) + 1<<18)
	for name, c := range histories {
		packed := c.pack(t, want, testtrace.Sized(21, 24))
		if len(packed) > 150_000 {
			t.Fatalf("%s: %d bytes, so nothing is repeated", name, len(packed))
		}
		w := openWindowed(bytes.NewReader(packed), 0, 1<<26, c.ahead, c.open)
		w.bytes.Store(first)
		got, err := io.ReadAll(w)
		w.Close()
		if now := w.bytes.Load(); now <= first {
			t.Errorf("%s: the window did not grow", name)
		}
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d of %d bytes, %v", name, len(got), len(want), err)
		}
		w = openWindowed(bytes.NewReader(packed[:len(packed)-9]), 0, 1<<26, c.ahead, c.open)
		w.bytes.Store(first)
		got, err = io.ReadAll(w)
		w.Close()
		if err == nil || int64(len(got)) < first || !bytes.HasPrefix(want, got) {
			t.Errorf("%s, cut: %d bytes, %v", name, len(got), err)
		}
	}
}

// TestWindowIsNotBelieved unpacks small files that state a window of 128 MiB or of 512 MiB.
func TestWindowIsNotBelieved(t *testing.T) {
	text := bytes.Repeat([]byte("some text, "), 50_000)
	for name, c := range histories {
		for _, log := range []int{27, 29} {
			packed := inputtest.XzWith(t, text, xz.WriterConfig{DictCap: 1 << 20})
			if name == "zstd" {
				packed = restated(zstdWith(t, text, 20), log)
			} else {
				packed = withDict(packed, log)
			}
			before := allocated()
			w := openWindowed(bytes.NewReader(packed), int64(len(packed)), 1<<30, c.ahead, c.open)
			got, err := io.ReadAll(w)
			w.Close()
			if total := allocated() - before; total > 24<<20 {
				t.Errorf("%s, 2^%d: %d bytes for a file of %d", name, log, total, len(packed))
			}
			if err != nil || !bytes.Equal(got, text) {
				t.Errorf("%s, 2^%d: %d bytes, %v", name, log, len(got), err)
			}
		}
	}
}

// withDict returns a file of xz whose only block states another dictionary.
func withDict(packed []byte, log int) []byte {
	out := bytes.Clone(packed)
	head := out[xzHeaderSize:]
	end := 4 * (int(head[0]) + 1)
	at := bytes.Index(head[:end], []byte{lzma2Filter, 1})
	head[at+2] = byte(log-12) * 2
	binary.LittleEndian.PutUint32(head[end-4:], crc32.ChecksumIEEE(head[:end-4]))
	return out
}

func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
