package traceio_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// spoiltChecksums are ways to pack a file with one bit of a checksum flipped.
var spoiltChecksums = []struct {
	name  string
	spoil func(t *testing.T, plain []byte) []byte
}{
	{"gzip", func(_ *testing.T, plain []byte) []byte { return flipped(gzipped(plain), 8) }}, // before the length
	{"zstd", func(_ *testing.T, plain []byte) []byte { return flipped(zstdded(plain), 1) }},
	{"xz", func(t *testing.T, plain []byte) []byte {
		data := packings["xz"](t, plain)
		index := 4 * (1 + int(binary.LittleEndian.Uint32(data[len(data)-8:])))
		return flipped(data, 12+index+1)
	}},
	{"lz4", func(t *testing.T, plain []byte) []byte { return flipped(packings["lz4"](t, plain), 1) }},
	{"bzip2", func(t *testing.T, plain []byte) []byte { return flipped(packings["bzip2"](t, plain), 2) }},
	{"zstd in zip", func(t *testing.T, plain []byte) []byte {
		packed := flipped(zstdded(plain), 1)
		var out bytes.Buffer
		w := zip.NewWriter(&out)
		f, err := w.CreateRaw(&zip.FileHeader{Name: "a", Method: zstd.ZipMethodWinZip,
			CRC32: crc32.ChecksumIEEE(plain), CompressedSize64: uint64(len(packed)),
			UncompressedSize64: uint64(len(plain))})
		if err == nil {
			_, err = f.Write(packed)
		}
		if err := errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}},
	{"zip", func(t *testing.T, plain []byte) []byte {
		data := zipped(t, "", []member{{"a", plain}})
		data[bytes.Index(data, []byte("PK\x01\x02"))+16] ^= 1
		data[bytes.Index(data, []byte("PK\x07\x08"))+4] ^= 1
		return data
	}},
}

// flipped flips a bit of the byte that is so far from the end.
func flipped(data []byte, end int) []byte {
	data[len(data)-end] ^= 1
	return data
}

// TestChecksums flips a bit of each checksum: all content is loaded, and the trace says that it may
// be wrong.
func TestChecksums(t *testing.T) {
	inTestdata(t)
	every := testtrace.Sized(len(spoiltChecksums), 1) // packings go round the formats, but the long run tries all
	paths := smallest(t)
	for k, format := range slices.Sorted(maps.Keys(paths)) {
		plain := unpacked(t, paths[format])
		whole, err := load(put(t, "whole", plain))
		if err != nil {
			t.Fatal(err)
		}
		want := asText(t, whole)
		for n, packing := range spoiltChecksums {
			archive := strings.Contains(" "+packing.name, " zip") && format == "uftrace" // in an archive: its own end is not looked for
			if (n+k)%every != 0 || archive {
				continue
			}
			checkSpoiltChecksum(t, format+", "+packing.name, packing.spoil(t, plain), want)
		}
	}
}

func checkSpoiltChecksum(t *testing.T, what string, data []byte, want string) {
	t.Helper()
	bad := func(d trace.Diagnostic) bool { return d.Code == trace.BadChecksum && d.Count == 1 }
	tr, err := load(put(t, "damaged", data))
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	if !slices.ContainsFunc(tr.Diagnostics, bad) {
		t.Errorf("%s: not told; diagnostics %v", what, tr.Diagnostics)
	}
	tr.Diagnostics = slices.DeleteFunc(tr.Diagnostics, bad)
	if got := asText(t, tr); got != want {
		t.Errorf("%s: %s", what, firstDifference(got, want))
	}
}
