package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"
	"github.com/zeebo/xxh3"

	"diptych/internal/progress"
)

// A packed value is a checksum over its key and the rest, its length, and its blocks. All blocks
// but the last have the same length. Each is compressed by itself, so that all processors share the
// work:
//
//	sum [16]byte, length u64, (size u32) per block, blocks
//
// A block whose size is that of its content is not compressed.
const (
	sumLen   = 16
	blockLen = 512 << 10
)

// errDamaged says that something is not as it was written.
var errDamaged = errors.New("damaged")

func damage(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{errDamaged}, args...)...)
}

func blocks(length int) int { return (length + blockLen - 1) / blockLen }

// blockSpan returns where block i of a value begins and ends.
func blockSpan(i, length int) (from, to int) { return i * blockLen, min((i+1)*blockLen, length) }

// pack compresses v, except for blocks that would not get smaller by an eighth.
func pack(ctx context.Context, k Key, v []byte) ([]byte, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithEncoderConcurrency(progress.Processors()), zstd.WithEncoderCRC(false))
	if err != nil {
		return nil, fmt.Errorf("compressing: %w", err)
	}
	defer enc.Close()
	packed := make([][]byte, blocks(len(v)))
	err = progress.Spread(ctx, len(packed), func(i int) error {
		from, to := blockSpan(i, len(v))
		packed[i] = enc.EncodeAll(v[from:to], make([]byte, 0, to-from))
		if len(packed[i]) > (to-from)/8*7 {
			packed[i] = v[from:to]
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	total := sumLen + 8 + 4*len(packed)
	for _, b := range packed {
		total += len(b)
	}
	out := binary.LittleEndian.AppendUint64(make([]byte, sumLen, total), uint64(len(v)))
	for _, b := range packed {
		out = binary.LittleEndian.AppendUint32(out, uint32(len(b)))
	}
	for _, b := range packed {
		out = append(out, b...)
	}
	sum := checksum(k, out[sumLen:])
	copy(out, sum[:])
	return out, nil
}

// unpack returns the value that was packed under k. It refuses values of more than 16 times limit
// bytes.
func unpack(ctx context.Context, k Key, packed []byte, limit int64) ([]byte, error) {
	if len(packed) < sumLen+8 {
		return nil, damage("%d bytes", len(packed))
	}
	if checksum(k, packed[sumLen:]) != [sumLen]byte(packed[:sumLen]) {
		return nil, damage("checksum")
	}
	length := binary.LittleEndian.Uint64(packed[sumLen:])
	rest := packed[sumLen+8:]
	if length > 16*uint64(limit) || len(rest) < 4*blocks(int(length)) {
		return nil, damage("length %d", length)
	}
	v := make([]byte, length)
	sizes, rest := rest[:4*blocks(len(v))], rest[4*blocks(len(v)):]
	cut := make([][]byte, blocks(len(v)))
	for i := range cut {
		n := int(binary.LittleEndian.Uint32(sizes[4*i:]))
		if n > len(rest) {
			return nil, damage("block of %d bytes", n)
		}
		cut[i], rest = rest[:n], rest[n:]
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(progress.Processors()),
		zstd.WithDecoderMaxMemory(blockLen), zstd.WithDecoderLowmem(true))
	if err != nil {
		return nil, fmt.Errorf("uncompressing: %w", err)
	}
	defer dec.Close()
	return v, progress.Spread(ctx, len(cut), func(i int) error {
		from, to := blockSpan(i, len(v))
		if len(cut[i]) == to-from {
			copy(v[from:to], cut[i])
			return nil
		}
		got, err := dec.DecodeAll(cut[i], v[from:from:to])
		if err != nil || len(got) != to-from {
			return damage("block %d: %v", i, err)
		}
		return nil
	})
}

func checksum(k Key, body []byte) [sumLen]byte {
	var h xxh3.Hasher
	h.Write(k[:])
	h.Write(body)
	return h.Sum128().Bytes()
}
