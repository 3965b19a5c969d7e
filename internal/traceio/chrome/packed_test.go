//go:build unix

package chrome

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"diptych/internal/peers"
	"diptych/internal/traceio/input"
)

// BenchmarkPacked measures loading a compressed file against the slower of what it consists of:
// the decompressor by itself, and loading the plain text. That is out of reach where both together
// keep all processors busy for longer, which of-possible allows for: it is the share of the speed
// that loading would have if nothing ever waited.
func BenchmarkPacked(b *testing.B) {
	text := texts["complete"](200_000)
	for name, pack := range map[string]func(io.Writer) io.WriteCloser{
		"gzip": func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
		"zstd": func(w io.Writer) io.WriteCloser {
			z, err := zstd.NewWriter(w)
			if err != nil {
				b.Fatal(err)
			}
			return z
		},
	} {
		b.Run(name, func(b *testing.B) {
			plain, packed := filepath.Join(b.TempDir(), "a.json"), filepath.Join(b.TempDir(), "a.packed")
			var out bytes.Buffer
			w := pack(&out)
			_, err := w.Write(text)
			if err := errors.Join(err, w.Close(), os.WriteFile(plain, text, 0o600),
				os.WriteFile(packed, out.Bytes(), 0o600)); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(text)))
			best := map[string]peers.Spent{}
			for b.Loop() {
				noteLeast(best, "packed", func() { buildFile(b, packed) })
				noteLeast(best, "plain", func() { buildFile(b, plain) })
				noteLeast(best, "unpack", func() { unpackFile(b, packed) })
			}
			took := float64(best["packed"].Elapsed)
			slower := max(best["plain"].Elapsed, best["unpack"].Elapsed)
			work := (best["plain"].CPU + best["unpack"].CPU) / time.Duration(runtime.GOMAXPROCS(0))
			b.ReportMetric(float64(slower)/took, "of-the-slower")
			b.ReportMetric(float64(max(slower, work))/took, "of-possible")
			b.ReportMetric(float64(best["unpack"].Elapsed)/took, "of-unpacking")
			b.ReportMetric(float64(best["plain"].Elapsed)/took, "of-plain")
			b.ReportMetric(float64(best["packed"].CPU)/float64(best["plain"].CPU+best["unpack"].CPU), "of-their-cpu")
		})
	}
}

func open(b *testing.B, path string) *input.Source {
	src, err := input.Open(context.Background(), path, input.Options{}, Sniff)
	if err != nil {
		b.Fatal(err)
	}
	return src
}

func buildFile(b *testing.B, path string) {
	src := open(b, path)
	defer src.Close()
	buildFrom(b, src)
}

func unpackFile(b *testing.B, path string) {
	src := open(b, path)
	defer src.Close()
	block := make([]byte, blockSize)
	for {
		if _, err := src.Stream.Read(block); err != nil {
			return
		}
	}
}

// noteLeast runs f and notes what it took where that is less than so far.
func noteLeast(best map[string]peers.Spent, name string, f func()) {
	runtime.GC() // what others left is not f's
	s := peers.Measure(f)
	if least, ok := best[name]; ok {
		s = peers.Spent{CPU: min(s.CPU, least.CPU), Elapsed: min(s.Elapsed, least.Elapsed)}
	}
	best[name] = s
}
