//go:build goexperiment.simd && amd64

package chrome

import (
	"math/bits"
	"simd/archsimd"
)

// pressing reports whether press can be had.
func pressing() bool { return hasCompress }

// press copies the well-formed value b[i:end] without the white space between its tokens, and
// returns how many bytes that leaves. There must be 64 bytes more of out than the value has. It is
// not ok if there is a backslash: then a quote may be a part of a string.
//
// Of 64 bytes at a time it finds the quotes. A byte lies in a string if the number of quotes up to
// it is odd, which xor with all shifted copies gives for all of them:
//
//	bytes    {  "  a     b  "  :     7  }
//	quotes      1           1
//	string      1  1  1  1
func press(out, b []byte, i, end int) (n int, ok bool) {
	var (
		quote  = archsimd.BroadcastUint8x64('"')
		slash  = archsimd.BroadcastUint8x64('\\')
		blank  = archsimd.BroadcastUint8x64(' ')
		within uint64 // all ones if the 64 bytes begin in a string
		tail   [64]byte
	)
	ok = true
	for ; i < end; i += 64 {
		text := &tail
		if i+64 <= len(b) {
			text = (*[64]byte)(b[i:])
		} else {
			copy(tail[:], b[i:end])
		}
		v, part := archsimd.LoadUint8x64(text), firstBits(end-i)
		if v.Equal(slash).ToBits()&part != 0 {
			ok = false
			break
		}
		in := v.Equal(quote).ToBits()
		for shift := 1; shift < 64; shift *= 2 {
			in ^= in << shift
		}
		in ^= within
		within = uint64(int64(in) >> 63)
		kept := (v.Greater(blank).ToBits() | in) & part
		v.Compress(archsimd.Mask8x64FromBits(kept)).Store((*[64]byte)(out[n:]))
		n += bits.OnesCount64(kept)
	}
	archsimd.ClearAVXUpperBits()
	return n, ok
}
