//go:build goexperiment.simd && amd64

package chrome

import "simd/archsimd"

// half of 64 bytes is what processors with AVX2 compare at once.
type half = archsimd.Uint8x32

// halves returns the first 64 bytes.
func halves(b []byte) (low, high half) {
	return archsimd.LoadUint8x32((*[32]byte)(b)), archsimd.LoadUint8x32((*[32]byte)(b[32:64]))
}

// bitsOf returns which of 64 bytes are in two masks.
func bitsOf(low, high archsimd.Mask8x32) uint64 {
	return uint64(low.ToBits()) | uint64(high.ToBits())<<32
}

func keyOf256(b []byte, i int) (key uint64) {
	var (
		quote = archsimd.BroadcastUint8x32('"')
		brace = archsimd.BroadcastUint8x32('{')
		apart = archsimd.BroadcastUint8x32(b[i-2])
		own   = uint64(1)
	)
	for end := i + 64*keyPieces; i < end; i += 64 {
		low, high := halves(b[i:])
		quotes := bitsOf(low.Equal(quote), high.Equal(quote))
		if next := bitsOf(low.Equal(brace), high.Equal(brace)) &^ own; next != 0 {
			low, high = halves(b[i-2:])
			if next &= bitsOf(low.Equal(apart), high.Equal(apart)); next != 0 {
				key = mix(key, next&-next|quotes&(next&-next-1))
				break
			}
		}
		key, own = mix(key, quotes), 0
	}
	archsimd.ClearAVXUpperBits()
	return key
}

func (s *stamp) fits256(b []byte) bool {
	var (
		quote = archsimd.BroadcastUint8x32('"')
		slash = archsimd.BroadcastUint8x32('\\')
		zero  = archsimd.BroadcastUint8x32('0')
		nine  = archsimd.BroadcastUint8x32(9)
		wrong uint64
	)
	for k := range s.pieces {
		p := &s.pieces[k]
		low, high := halves(b[64*k:])
		lowText, highText := halves(p.text[:])
		wrong = p.literal &^ bitsOf(low.Equal(lowText), high.Equal(highText))
		if p.digits != 0 {
			lows, highs := low.Sub(zero), high.Sub(zero)
			wrong |= p.digits &^ bitsOf(lows.Min(nine).Equal(lows), highs.Min(nine).Equal(highs))
		}
		if p.free != 0 {
			wrong |= p.free & bitsOf(low.Equal(quote).Or(low.Equal(slash)), high.Equal(quote).Or(high.Equal(slash)))
		}
		if wrong != 0 {
			break
		}
	}
	archsimd.ClearAVXUpperBits()
	return wrong == 0
}
