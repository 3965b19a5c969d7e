package chrome

import (
	"math/bits"

	"diptych/internal/trace"
	"diptych/internal/traceio/jsonin"
)

// Digits in words of eight.
const (
	zeros = 0x3030303030303030
	sixes = 0x0606060606060606
	highs = 0xF0F0F0F0F0F0F0F0
)

// digits returns the bytes of a word as digits, and how many of them are some.
func digits(w uint64) (v uint64, n int) {
	v = w ^ zeros // 0 to 9 where there is a digit
	return v, bits.TrailingZeros64((v+sixes|v)&highs) >> 3
}

// quickID reads the number at i, of at most seven digits, as a word of its text. The end is 0 if it
// is anything else.
func quickID(b []byte, i int) (word uint64, end int) {
	w := eightAt(b, i)
	_, n := digits(w)
	if n == 0 || n == 8 || jsonin.Bare[b[i+n]] {
		return 0, 0
	}
	return w & (1<<(8*n) - 1), i + n
}

// eight returns the value of eight digits, the first in the lowest byte.
func eight(v uint64) uint64 {
	v = v*10 + v>>8
	return ((v&0x000000FF000000FF)*0x000F424000000064 + (v>>16&0x000000FF000000FF)*0x0000271000000001) >> 32
}

// shortMicros is quickMicros for a number of which at most seven characters are written, as of a
// length mostly. All is taken from one word.
func shortMicros(b []byte, i int) (instant, int) {
	v := eightAt(b, i) ^ zeros
	others := (v + sixes | v) & highs
	n := bits.TrailingZeros64(others) >> 3
	end, behind := n, 0
	if n < 8 && b[i+n] == '.' {
		end = bits.TrailingZeros64(others&^(0xFF<<(8*n))) >> 3
		behind = end - n - 1
		head := uint64(1)<<(8*n) - 1
		v = v&head<<8 | v&^(head<<8|0xFF)
	}
	if n == 0 || end == 8 || jsonin.Bare[b[i+end]] {
		return quickMicros(b, i)
	}
	part := eight(v<<(64-8*end)) * tens[9-behind]
	return instant{int64(part / fracUnit), int32(part % fracUnit)}, i + end
}

var tens = [...]uint64{1, 10, 100, 1000, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9}

// mostMicros is beyond all times that an event may have.
const mostMicros = trace.Limit / 1000

// quickMicros reads the number of µs at i: up to 16 digits, and up to 8 behind a point. The end is
// 0 if it is longer, or anything else, or ends the block.
func quickMicros(b []byte, i int) (instant, int) {
	if i+26 > len(b) {
		return instant{}, 0
	}
	v, n := digits(eightAt(b, i))
	if n == 0 {
		return instant{}, 0
	}
	whole := eight(v << (64 - 8*n))
	i += n
	if n == 8 {
		v, n = digits(eightAt(b, i))
		whole = whole*tens[n] + eight(v<<(64-8*n))
		i += n
	}
	part := uint64(0)
	if b[i] == '.' {
		v, n = digits(eightAt(b, i+1))
		part = eight(v<<(64-8*n)) * tens[9-n]
		i += 1 + n
	}
	if jsonin.Bare[b[i]] || whole >= mostMicros { // also further digits
		return instant{}, 0
	}
	return instant{int64(whole*1000 + part/fracUnit), int32(part % fracUnit)}, i
}

// usual is what stood in a node's hole the last time: mostly the digits of a time are as many as
// those of the time before, and a thread is the same. To expect that breaks the chain of reads of
// which each needs the end of the one before it.
type usual struct {
	idWord uint64 // as a word
	idMask uint64
	idLen  uint8
	before uint8 // digits of a time before its point, 0 if not known
	after  uint8 // and behind it
}

// id reads a number as quickID does.
func (u *usual) id(b []byte, i int) (w uint64, end int) {
	if end = i + int(u.idLen); u.idLen > 0 && eightAt(b, i)&u.idMask == u.idWord && !jsonin.Bare[b[end]] {
		return u.idWord, end
	}
	w, end = quickID(b, i)
	if end > 0 {
		u.idWord, u.idLen, u.idMask = w, uint8(end-i), 1<<(8*(end-i))-1
	}
	return w, end
}

// micros reads a number as quickMicros does.
func (u *usual) micros(b []byte, i int) (instant, int) {
	if d, f := int(u.before), int(u.after); d > 0 {
		lead, v, part := uint64(0), eightAt(b, i)^zeros, uint64(0)
		if d > 8 {
			lead, v, d = v, eightAt(b, i+8)^zeros, d-8
		}
		v <<= 64 - 8*d
		end := i + int(u.before)
		bad := (lead + sixes | lead) | (v + sixes | v)
		if f > 0 {
			part = (eightAt(b, end+1) ^ zeros) << (64 - 8*f)
			bad |= part + sixes | part
			if b[end] != '.' {
				bad = highs
			}
			end += 1 + f
		}
		if bad&highs == 0 && !jsonin.Bare[b[end]] {
			whole, part := eight(v), eight(part)*tens[9-f]
			if u.before > 8 {
				whole += eight(lead) * tens[d]
			}
			if whole >= mostMicros {
				return instant{}, 0
			}
			return instant{int64(whole*1000 + part/fracUnit), int32(part % fracUnit)}, end
		}
	}
	at, end := quickMicros(b, i)
	if end > 0 {
		u.before, u.after = 0, 0
		k := i
		for ; b[k]-'0' <= 9; k++ {
			u.before++
		}
		if b[k] == '.' {
			u.after = uint8(end - k - 1)
		}
	}
	return at, end
}
