package align

import (
	"encoding/binary"
	"errors"
	"math/bits"

	"diptych/internal/pair"
)

// Results as bytes, for the store. decode.go reads them, and trusts nothing.

// Version is the version of what is computed, and of how it is written. Results of another version
// cannot be used. It must change with the definition of the alignment, with that of a pair's
// identities, and with the formats below.
const Version = 3

// errEncoding says that Encode did not write these bytes for these threads.
var errEncoding = errors.New("not an alignment of these threads")

// Encode returns the results of one call of All as bytes. After the number of the engine come, for
// each pair of threads that both have calls, as varints:
//
//	length of what follows, in bytes
//	levels, levels over budget, broad levels; score
//	for A, then for B, the calls that are passed through: number of stretches; for each
//	stretch the number of calls before it since the last stretch, and in it
//	for each stretch of pairs: calls of A, then of B, before it since the last stretch; pairs
//	in it
//
// In a stretch of pairs, calls i, i+1, … of A are partners of calls j, j+1, … of B. Partners
// ascend together in pre-order, because callers of partners are partners and callees keep their
// order. So stretches are enough; the last may have no pairs. Two threads of a million calls that
// differ in one call take about 20 bytes.
func Encode(results []*Result) []byte {
	if len(results) == 0 {
		return nil
	}
	engine, _ := EngineNamed(results[0].Engine)
	out := binary.AppendUvarint(nil, uint64(engine))
	var one []byte
	for _, r := range results {
		if !r.oneSided() {
			one = r.encode(one[:0])
			out = append(binary.AppendUvarint(out, uint64(len(one))), one...)
		}
	}
	return out
}

// oneSided reports whether a side has no calls. Then all calls of the other side are gaps.
func (r *Result) oneSided() bool {
	return len(r.Partner[pair.A]) == 0 || len(r.Partner[pair.B]) == 0
}

func (r *Result) encode(b []byte) []byte {
	for _, n := range []int{r.Ties.Levels, r.Ties.OverBudget, r.Ties.Broad} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	b = binary.AppendVarint(b, r.Score)
	for _, c := range r.Passed {
		b = c.encode(b)
	}
	partner, n := r.Partner[pair.A], len(r.Partner[pair.B])
	for i, j := 0, 0; i < len(partner) || j < n; {
		from, to := i, n
		for i < len(partner) && partner[i] == None {
			i++
		}
		if i < len(partner) {
			to = int(partner[i])
		}
		first, before := i, to-j
		for j = to; i < len(partner) && int(partner[i]) == j; j++ {
			i++
		}
		for _, x := range []int{first - from, before, i - first} {
			b = binary.AppendUvarint(b, uint64(x))
		}
	}
	return b
}

func (c Calls) encode(b []byte) []byte {
	n, at := 0, 0
	for range c.eachStretch {
		n++
	}
	b = binary.AppendUvarint(b, uint64(n))
	for from, size := range c.eachStretch {
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(from-at)), uint64(size))
		at = from + size
	}
	return b
}

// eachStretch yields the first of consecutive calls in the set, and their number.
func (c Calls) eachStretch(yield func(from, n int) bool) {
	for from := c.nextIn(0, 0); from < 64*len(c); {
		to := c.nextIn(from, ^uint64(0))
		if !yield(from, to-from) {
			return
		}
		from = c.nextIn(to, 0)
	}
}

// nextIn returns the first call from i on whose bit, inverted by flip, is set, or 64·len(c).
func (c Calls) nextIn(i int, flip uint64) int {
	for ; i < 64*len(c); i = (i/64 + 1) * 64 {
		if word := (c[i/64] ^ flip) >> (i % 64); word != 0 {
			return i + bits.TrailingZeros64(word)
		}
	}
	return i
}

// Encode returns as bytes what a result depends on in the options.
func (o Options) Encode() []byte {
	o = o.withDefaults()
	strict := uint64(0)
	if o.Strict {
		strict = 1
	}
	b := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(o.Engine)), strict)
	b = binary.AppendVarint(b, o.TieCells)
	for _, a := range o.Anchors {
		for _, x := range []int{a.Threads.A, a.Threads.B, int(a.Calls[pair.A]), int(a.Calls[pair.B])} {
			b = binary.AppendVarint(b, int64(x))
		}
	}
	return b
}
