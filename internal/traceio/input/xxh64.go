package input

import (
	"encoding/binary"
	"math/bits"
)

// xxh64 is the checksum of frames of zstd: XXH64 with seed 0, after its specification,
// github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md. Four sums take turns at 8 bytes each.
type xxh64 struct {
	sums [4]uint64
	n    uint64          // bytes so far
	rest [xxhStripe]byte // those that are no whole stripe, n modulo xxhStripe of them
}

const (
	xxhStripe = 32

	xxhPrime1 = 0x9E3779B185EBCA87
	xxhPrime2 = 0xC2B2AE3D27D4EB4F
	xxhPrime3 = 0x165667B19E3779F9
	xxhPrime4 = 0x85EBCA77C2B2AE63
	xxhPrime5 = 0x27D4EB2F165667C5
)

func newXXH64() xxh64 {
	first, second := uint64(xxhPrime1), uint64(xxhPrime2) // whose sums wrap around
	return xxh64{sums: [4]uint64{first + second, second, 0, -first}}
}

func (x *xxh64) write(p []byte) {
	have := int(x.n % xxhStripe)
	x.n += uint64(len(p))
	if have > 0 {
		n := copy(x.rest[have:], p)
		if p = p[n:]; have+n < xxhStripe {
			return
		}
		x.stripes(x.rest[:])
	}
	whole := len(p) / xxhStripe * xxhStripe
	x.stripes(p[:whole])
	copy(x.rest[:], p[whole:])
}

// stripes adds whole stripes.
func (x *xxh64) stripes(p []byte) {
	a, b, c, d := x.sums[0], x.sums[1], x.sums[2], x.sums[3]
	for ; len(p) >= xxhStripe; p = p[xxhStripe:] {
		s := p[:xxhStripe:xxhStripe]
		a = xxhRound(a, binary.LittleEndian.Uint64(s))
		b = xxhRound(b, binary.LittleEndian.Uint64(s[8:]))
		c = xxhRound(c, binary.LittleEndian.Uint64(s[16:]))
		d = xxhRound(d, binary.LittleEndian.Uint64(s[24:]))
	}
	x.sums = [4]uint64{a, b, c, d}
}

func xxhRound(sum, v uint64) uint64 { return bits.RotateLeft64(sum+v*xxhPrime2, 31) * xxhPrime1 }

// value returns the sum of what was written.
func (x *xxh64) value() uint64 {
	h := x.sums[2] + xxhPrime5 // the seed
	if s := x.sums; x.n >= xxhStripe {
		h = bits.RotateLeft64(s[0], 1) + bits.RotateLeft64(s[1], 7) + bits.RotateLeft64(s[2], 12) +
			bits.RotateLeft64(s[3], 18)
		for _, sum := range s {
			h = (h^xxhRound(0, sum))*xxhPrime1 + xxhPrime4
		}
	}
	h += x.n
	rest := x.rest[:x.n%xxhStripe]
	for ; len(rest) >= 8; rest = rest[8:] {
		h = bits.RotateLeft64(h^xxhRound(0, binary.LittleEndian.Uint64(rest)), 27)*xxhPrime1 + xxhPrime4
	}
	if len(rest) >= 4 {
		h ^= uint64(binary.LittleEndian.Uint32(rest)) * xxhPrime1
		h = bits.RotateLeft64(h, 23)*xxhPrime2 + xxhPrime3
		rest = rest[4:]
	}
	for _, c := range rest {
		h = bits.RotateLeft64(h^uint64(c)*xxhPrime5, 11) * xxhPrime1
	}
	h = (h ^ h>>33) * xxhPrime2
	h = (h ^ h>>29) * xxhPrime3
	return h ^ h>>32
}
