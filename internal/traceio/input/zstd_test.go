package input

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"
)

// someFrames draws a stream of zstd, of frames with checksums or without and others to be skipped.
func someFrames(t *rapid.T) (packed []byte) {
	for range rapid.IntRange(1, 4).Draw(t, "frames") {
		if rapid.IntRange(0, 4).Draw(t, "skippable") == 0 {
			n := rapid.IntRange(0, 40).Draw(t, "length")
			packed = binary.LittleEndian.AppendUint32(packed, zstdSkippable+3)
			packed = binary.LittleEndian.AppendUint32(packed, uint32(n))
			packed = append(packed, make([]byte, n)...)
			continue
		}
		z, err := zstd.NewWriter(nil, zstd.WithEncoderCRC(rapid.Bool().Draw(t, "sum")),
			zstd.WithEncoderConcurrency(1), zstd.WithSingleSegment(rapid.Bool().Draw(t, "single")))
		if err != nil {
			t.Fatal(err)
		}
		word := rapid.SliceOfN(rapid.Byte(), 1, 60).Draw(t, "word")
		text := bytes.Repeat(word, rapid.SampledFrom([]int{0, 1, 9, 3000, 20_000}).Draw(t, "times"))
		packed = z.EncodeAll(text, packed)
	}
	return packed
}

// TestZstd holds what is unpacked, also of damaged streams, against the library with goroutines of
// its own: no block that was read is lost, and no error. Of a block that refers to what is not there
// the library may return some bytes, which are not what was written.
func TestZstd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		packed := someFrames(t)
		for range rapid.IntRange(0, 2).Draw(t, "damage") {
			k := rapid.IntRange(0, len(packed)-1).Draw(t, "at")
			if rapid.Bool().Draw(t, "near the end") {
				k = max(len(packed)-1-k%9, 0)
			}
			if rapid.Bool().Draw(t, "cut") && k > 0 {
				packed = packed[:k]
			} else {
				packed = slices.Clone(packed)
				packed[k] ^= byte(1 << rapid.IntRange(0, 7).Draw(t, "bit"))
			}
		}
		w := &window{most: 1 << 24}
		w.bytes.Store(1 << 24)
		lib, err := zstd.NewReader(bytes.NewReader(packed),
			zstd.WithDecoderConcurrency(2), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(1<<24))
		if err != nil {
			t.Fatal(err)
		}
		want, wantErr := io.ReadAll(lib)
		lib.Close()
		own, free, err := newZstd(bytes.NewReader(packed), w)
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "piecewise") {
			own = iotest.OneByteReader(own)
		}
		got, gotErr := io.ReadAll(own)
		free()
		broken := wantErr != nil && !errors.Is(wantErr, zstd.ErrCRCMismatch) &&
			len(want)-len(got) <= zstdAhead && bytes.HasPrefix(want, got)
		if !broken && !bytes.HasPrefix(got, want) || (gotErr == nil) != (wantErr == nil) ||
			errors.Is(gotErr, zstd.ErrCRCMismatch) != errors.Is(wantErr, zstd.ErrCRCMismatch) {
			t.Fatalf("%d bytes and %v, the library %d and %v", len(got), gotErr, len(want), wantErr)
		}
	})
}
