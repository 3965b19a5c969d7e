package align

import (
	"encoding/binary"
	"errors"
	"math/bits"

	"diptych/internal/pair"
)

// Version counts what is computed and how it is written down: results of another version are not
// comparable. It must change with the definition of the alignment, of a pair's identities, and with
// the formats below.
const Version = 1

// errEncoding is what Encode did not write for the threads at hand.
var errEncoding = errors.New("not an alignment of these threads")

// Encode writes down the results of one call of All. Of each pair of threads that both have calls:
//
//	length, in bytes, of what follows
//	levels, levels over budget, broad levels; score
//	A's calls that are passed through, then B's: number of stretches; per stretch: calls before it
//	since the last, calls in it
//	per stretch of pairs: calls before it of A and of B since the last, pairs in it
//
// after the number of the engine; all as varints. In a stretch calls i, i+1, … of A are partners of
// j, j+1, … of B. Since callers of partners are partners and their callees keep their order,
// partners rise together in pre-order, so stretches say it all; the last may be without pairs. What
// changed little takes few bytes, however long it is.
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

// oneSided reports whether a side has no calls, so that there is nothing to say of the other's.
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

// stretches yields the first of consecutive calls in the set and how many they are.
func (c Calls) eachStretch(yield func(from, n int) bool) {
	for from := c.nextIn(0, 0); from < 64*len(c); {
		to := c.nextIn(from, ^uint64(0))
		if !yield(from, to-from) {
			return
		}
		from = c.nextIn(to, 0)
	}
}

// next returns the first call from i on that is in the set, inverted by flip, or 64·len(c).
func (c Calls) nextIn(i int, flip uint64) int {
	for ; i < 64*len(c); i = (i/64 + 1) * 64 {
		if word := (c[i/64] ^ flip) >> (i % 64); word != 0 {
			return i + bits.TrailingZeros64(word)
		}
	}
	return i
}

// Encode writes down what of the options a result depends on.
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
