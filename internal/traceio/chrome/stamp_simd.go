//go:build goexperiment.simd && amd64

package chrome

import (
	"math/bits"
	"simd/archsimd"
)

var (
	hasAVX2     = archsimd.X86.AVX2()
	hasAVX512   = archsimd.X86.AVX512()
	hasCompress = hasAVX512 && archsimd.X86.AVX512VBMI2()
)

// stamping reports whether stamps can be had for less than they save.
func stamping() bool { return hasAVX2 }

// keyOf returns the key of the event at i, which is at least 2. See plainKey.
func keyOf(b []byte, i int) (key uint64) {
	switch {
	case hasAVX512:
		return keyOf512(b, i)
	case hasAVX2:
		return keyOf256(b, i)
	}
	return plainKey(b, i)
}

// fits reports whether text of at least the length of all its pieces fits the stamp.
func (s *stamp) fits(b []byte) bool {
	switch {
	case hasAVX512:
		return s.fits512(b)
	case hasAVX2:
		return s.fits256(b)
	}
	return s.plainlyFits(b)
}

func keyOf512(b []byte, i int) (key uint64) {
	var (
		quote = archsimd.BroadcastUint8x64('"')
		brace = archsimd.BroadcastUint8x64('{')
		apart = archsimd.BroadcastUint8x64(b[i-2])
		own   = uint64(1)
	)
	for end := i + 64*keyPieces; i < end; i += 64 {
		v := archsimd.LoadUint8x64((*[64]byte)(b[i:]))
		w := archsimd.LoadUint8x64((*[64]byte)(b[i-2:]))
		quotes := v.Equal(quote).ToBits()
		next := v.Equal(brace).ToBits() & w.Equal(apart).ToBits() &^ own
		if next != 0 {
			key = mix(key, next&-next|quotes&(next&-next-1))
			break
		}
		key, own = mix(key, quotes), 0
	}
	archsimd.ClearAVXUpperBits()
	return key
}

func (s *stamp) fits512(b []byte) bool {
	var (
		quote = archsimd.BroadcastUint8x64('"')
		slash = archsimd.BroadcastUint8x64('\\')
		zero  = archsimd.BroadcastUint8x64('0')
		nine  = archsimd.BroadcastUint8x64(9)
		wrong uint64
	)
	for k := range s.pieces {
		p := &s.pieces[k]
		v := archsimd.LoadUint8x64((*[64]byte)(b[64*k:]))
		wrong = v.NotEqual(archsimd.LoadUint8x64(&p.text)).ToBits()&p.literal |
			v.Sub(zero).Greater(nine).ToBits()&p.digits |
			(v.Equal(quote).ToBits()|v.Equal(slash).ToBits())&p.free
		if wrong != 0 {
			break // mostly in the first piece, if at all: then it is the wrong stamp
		}
	}
	archsimd.ClearAVXUpperBits()
	return wrong == 0
}

// copyKept is plainlyCopyKept.
func (s *stamp) copyKept(out, b []byte) (n int) {
	if !hasCompress {
		return s.plainlyCopyKept(out, b)
	}
	for k, end := int(s.args.from)/64, int(s.args.to); 64*k < end; k++ {
		kept := s.pieces[k].kept
		v := archsimd.LoadUint8x64((*[64]byte)(b[64*k:]))
		v.Compress(archsimd.Mask8x64FromBits(kept)).Store((*[64]byte)(out[n:]))
		n += bits.OnesCount64(kept)
	}
	archsimd.ClearAVXUpperBits()
	return n
}
