package inputtest

import (
	"bytes"
	"math/bits"
	"sort"
	"testing"
)

// Bzip2 packs with bzip2, in blocks of 100,000 bytes. It transforms as the format wants, but spends
// no effort on short codes: all symbols have codes of about the same length.
func Bzip2(_ testing.TB, data []byte) []byte {
	w := &bitWriter{}
	w.out.WriteString("BZh1")
	whole := uint32(0)
	for len(data) > 0 {
		n := min(len(data), blockBytes)
		sum := bzip2Sum(data[:n])
		whole = bits.RotateLeft32(whole, 1) ^ sum
		w.block(data[:n], sum)
		data = data[n:]
	}
	w.put(0x177245385090, 48)
	w.put(uint64(whole), 32)
	w.put(0, (8-w.n%8)%8)
	return w.out.Bytes()
}

// blockBytes is so far below the block's 100,000 that runs, which grow by a quarter, still fit.
const blockBytes = 79_000

// bitWriter writes bits, the highest first.
type bitWriter struct {
	out  bytes.Buffer
	bits uint64
	n    uint // bits that wait
}

func (w *bitWriter) put(v uint64, n uint) {
	for n > 32 {
		n -= 32
		w.put(v>>n&0xffffffff, 32)
	}
	w.bits = w.bits<<n | v&(1<<n-1)
	for w.n += n; w.n >= 8; w.n -= 8 {
		w.out.WriteByte(byte(w.bits >> (w.n - 8)))
	}
}

// bzip2Sum is CRC-32 with the bits of each byte in the other order than usual.
func bzip2Sum(data []byte) uint32 {
	sum := ^uint32(0)
	for _, b := range data {
		sum ^= uint32(b) << 24
		for range 8 {
			top := sum >> 31
			sum = sum<<1 ^ top*0x04c11db7
		}
	}
	return ^sum
}

func (w *bitWriter) block(data []byte, sum uint32) {
	last, first := rotated(runs(data))
	used, symbols := symbolsOf(last)
	w.put(0x314159265359, 48)
	w.put(uint64(sum), 32)
	w.put(0, 1)
	w.put(uint64(first), 24)
	w.usedBytes(used)
	const tables = 2 // the least
	groups := (len(symbols) + 49) / 50
	w.put(tables, 3)
	w.put(uint64(groups), 15)
	w.put(0, uint(groups)) // all use the first table
	codes := codesFor(len(used) + 2)
	for range tables {
		w.lengths(codes)
	}
	for _, s := range symbols {
		w.put(codes[s].bits, codes[s].length)
	}
}

// runs writes four to 255 + 4 equal bytes as four and how many more there are.
func runs(data []byte) (out []byte) {
	for i := 0; i < len(data); {
		n := 1
		for n < 255 && i+n < len(data) && data[i+n] == data[i] {
			n++
		}
		out = append(out, bytes.Repeat(data[i:i+1], min(n, 4))...)
		if n >= 4 {
			out = append(out, byte(n-4))
		}
		i += n
	}
	return out
}

// rotated sorts all rotations of the data and returns their last bytes, and where the data itself
// has come.
func rotated(data []byte) (last []byte, first int) {
	n := len(data)
	twice := append(append([]byte{}, data...), data...)
	at := make([]int, n)
	for i := range at {
		at[i] = i
	}
	sort.Slice(at, func(i, j int) bool {
		return bytes.Compare(twice[at[i]:at[i]+n], twice[at[j]:at[j]+n]) < 0
	})
	for k, i := range at {
		last = append(last, twice[i+n-1])
		if i == 0 {
			first = k
		}
	}
	return last, first
}

// symbolsOf moves each byte to the front of those that are used, and writes runs of the front in
// binary with the digits 1 and 2.
func symbolsOf(data []byte) (used []byte, symbols []int) {
	for b := range 256 {
		if bytes.IndexByte(data, byte(b)) >= 0 {
			used = append(used, byte(b))
		}
	}
	order, zeros := bytes.Clone(used), 0
	flush := func() {
		for ; zeros > 0; zeros = (zeros - 1) / 2 {
			symbols = append(symbols, (zeros-1)%2)
		}
	}
	for _, b := range data {
		k := bytes.IndexByte(order, b)
		if k == 0 {
			zeros++
			continue
		}
		flush()
		symbols = append(symbols, k+1)
		copy(order[1:k+1], order[:k])
		order[0] = b
	}
	flush()
	return used, append(symbols, len(used)+1)
}

// usedBytes writes which bytes occur: first which of 16 ranges have some, then which in these.
func (w *bitWriter) usedBytes(used []byte) {
	var in [16]uint16
	for _, b := range used {
		in[b/16] |= 1 << (15 - b%16)
	}
	for _, some := range in {
		w.put(uint64(min(some, 1)), 1)
	}
	for _, some := range in {
		if some != 0 {
			w.put(uint64(some), 16)
		}
	}
}

type code struct {
	bits   uint64
	length uint
}

// codesFor returns a complete code of n symbols: the first have codes that are a bit shorter.
func codesFor(n int) (all []code) {
	long := uint(bits.Len(uint(n - 1)))
	short := 1<<long - n
	for i := range n {
		if i < short {
			all = append(all, code{uint64(i), long - 1})
		} else {
			all = append(all, code{uint64(i + short), long})
		}
	}
	return all
}

// lengths writes the length of the first code, and for each how it differs from the one before.
func (w *bitWriter) lengths(codes []code) {
	now := codes[0].length
	w.put(uint64(now), 5)
	for _, c := range codes {
		if c.length > now {
			w.put(0b10, 2)
			now++
		}
		w.put(0, 1)
	}
}
