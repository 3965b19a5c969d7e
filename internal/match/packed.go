package match

import "math/bits"

// A packed row is a row with a byte for a class of Y, eight in a word, which are compared at once.
// As in a row, what is stored are differences: a word is Σ dᵢ·256ⁱ, and terms may be negative. Its
// product with 1 + 256 + … + 256⁷ has in byte k the sum of d₀ to d_k; so one multiplication sums up
// eight differences. A row with more than mostPacked members needs a row of wider numbers.
type packed struct {
	x    *Classes
	y    *columns
	diff []uint64
	need []uint64 // by eight classes of Y: their share of what the row must have in common
	tau  Tau
	at   int32
}

const (
	mostPacked = 127 // so that the highest bit of each byte is free
	eachByte   = 0x0101010101010101
	topBits    = 0x80 * eachByte
)

func newPacked(x *Classes, y *columns, tau Tau) *packed {
	n := len(y.Size)/8 + 1
	return &packed{x: x, y: y, tau: tau, diff: make([]uint64, n), need: tau.shares(y.Size), at: none}
}

// share returns what a set of so many members adds at least to the number of members that two sets
// must have in common to match: that number is more than the two shares together.
func (t Tau) share(size uint32) uint64 {
	p, q := t.fraction()
	return p * uint64(size) / (q + p)
}

// shares returns the shares of sets, eight in a word; larger ones than a byte takes are cut.
func (t Tau) shares(sizes []uint32) []uint64 {
	out := make([]uint64, len(sizes)/8+1)
	for k, size := range sizes {
		out[k/8] |= min(t.share(size), mostPacked) << (k % 8 * 8)
	}
	return out
}

// seekClass makes the row that of class k, like row.seekClass.
func (r *packed) seekClass(k int) {
	for r.at != none && (k < int(r.at) || k >= int(r.x.End[r.at])) {
		r.applyAdded(r.at, 1<<64-1)
		r.at = r.x.Base[r.at]
	}
	for c := int32(k); c != r.at; c = r.x.Base[c] {
		r.applyAdded(c, 1)
	}
	r.at = int32(k)
}

// applyAdded counts in (by = 1) or out (by = −1) the identities that class c adds to its base.
func (r *packed) applyAdded(c int32, by uint64) {
	y := r.y
	for _, id := range r.x.added[r.x.from[c]:r.x.from[c+1]] {
		for _, h := range y.holders[y.first[id]:y.first[id+1]] {
			r.diff[h.from>>3] += by << (h.from & 7 << 3)
			r.diff[h.to>>3] -= by << (h.to & 7 << 3)
		}
	}
}

// addMatches is row.addMatches.
func (r *packed) addMatches(least []uint32, others []amount) (own amount) {
	size := r.x.Size[r.at]
	share := r.tau.share(size) + 1
	if share > mostPacked {
		return own
	}
	least = least[size:]
	this := cell{float64(r.x.Count[r.at]), r.x.Start[r.at]}
	rest, common := (0x80-share)*eachByte, uint64(0)
	need := r.need[:len(r.diff)]
	for w, diff := range r.diff {
		counts := diff*eachByte + common*eachByte
		common = counts >> 56
		// Each byte of over is 128 + count − need. A hit is one that is at least 128 + share.
		over := (counts | topBits) - need[w]
		hits := ((over &^ topBits) + rest) & over & topBits
		if hits != 0 {
			r.addHits(w, counts, hits, size, least, &this, &own, others)
		}
	}
	return own
}

// addHits adds those of the hits of word w that are matches; their counts are in the same bytes.
func (r *packed) addHits(w int, counts, hits uint64, size uint32, least []uint32, this *cell,
	own *amount, others []amount) {
	for ; hits != 0; hits &= hits - 1 {
		bit := bits.TrailingZeros64(hits) &^ 7
		k, common := 8*w+bit/8, uint32(uint8(counts>>bit))
		ySize := r.y.Size[k]
		if common < least[ySize] {
			continue
		}
		s := float64(common) / float64(size+ySize-common)
		own.addMatches(s, &r.y.cells[k])
		others[k].addMatches(s, this)
	}
}
