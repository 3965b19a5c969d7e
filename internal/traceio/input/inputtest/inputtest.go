// Package inputtest packs files for tests in every way that package input unpacks. It knows no
// trace format and not the code that it tests: what it writes comes from other libraries'
// writers, and for bzip2, of which they have none, from one of its own.
package inputtest

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"
)

// Packings are the ways to compress one file, by name.
var Packings = map[string]func(t testing.TB, data []byte) []byte{
	"gzip": Gzip, "zstd": Zstd, "xz": Xz, "bzip2": Bzip2, "lz4": Lz4, "legacy lz4": Lz4Legacy,
}

// through returns what a compressing writer makes of data.
func through(t testing.TB, data []byte, open func(io.Writer) (io.WriteCloser, error)) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := open(&out)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Gzip packs with gzip.
func Gzip(t testing.TB, data []byte) []byte {
	return through(t, data, func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil })
}

// Zstd packs with zstd.
func Zstd(t testing.TB, data []byte) []byte {
	return through(t, data, func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) })
}

// Xz packs as xz does, in blocks of 64 KiB with a CRC of 64 bits.
func Xz(t testing.TB, data []byte) []byte {
	return XzWith(t, data, xz.WriterConfig{DictCap: 1 << 16, BlockSize: 1 << 16, CheckSum: xz.CRC64})
}

// XzWith packs as xz does, with settings.
func XzWith(t testing.TB, data []byte, c xz.WriterConfig) []byte {
	return through(t, data, func(w io.Writer) (io.WriteCloser, error) { return c.NewWriter(w) })
}

// Lz4 packs as lz4 does, in blocks of 64 KiB and with a checksum of all of the content.
func Lz4(t testing.TB, data []byte) []byte {
	return through(t, data, func(w io.Writer) (io.WriteCloser, error) {
		z := lz4.NewWriter(w)
		return z, z.Apply(lz4.BlockSizeOption(lz4.Block64Kb))
	})
}

// Lz4Legacy packs as the first versions of lz4 did, which is without any checksum.
func Lz4Legacy(t testing.TB, data []byte) []byte {
	return through(t, data, func(w io.Writer) (io.WriteCloser, error) {
		z := lz4.NewWriter(w)
		return z, z.Apply(lz4.LegacyOption(true))
	})
}

// File is a member of an archive.
type File struct {
	Name string
	Data []byte
}

// Tar makes a tar archive.
func Tar(t testing.TB, files ...File) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range files {
		h := &tar.Header{Name: f.Name, Mode: 0o644, Size: int64(len(f.Data))}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(f.Data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Zip makes a zip archive whose members are deflated.
func Zip(t testing.TB, files ...File) []byte { return ZipWith(t, zip.Deflate, files...) }

// ZipWith makes a zip archive whose members are packed with a method.
func ZipWith(t testing.TB, method uint16, files ...File) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	w.RegisterCompressor(zstd.ZipMethodPKWare, zstd.ZipCompressor())
	for _, f := range files {
		m, err := w.CreateHeader(&zip.FileHeader{Name: f.Name, Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Write(f.Data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
