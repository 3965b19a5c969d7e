package match

// levels is how many hundredths some pair of sets may exceed: at τ = 1 nothing matches. The level
// of a pair with similarity s > 0 is the largest n with s > n/100.
const levels = 100

// byLevel is what a row's pairs add up to by level. Its length beyond levels saves checks.
type byLevel [128]amount

// levels adds up what the row's class shares.
func (r *row) levels(p inverses, sums *byLevel) {
	size, common, cells := r.x.Size[r.at], int32(0), r.y.cells
	diff := r.diff[:len(cells)]
	for k, ySize := range r.y.Size[:len(cells)] {
		common += diff[k]
		if common == 0 {
			continue
		}
		s, n := p.of(uint32(common), size+ySize-uint32(common))
		sums[n&127].add(s, &cells[k])
	}
}

// extent returns the least and the greatest level that there are pairs of.
func (b *byLevel) extent() (lo, hi int) {
	lo, hi = 0, levels-1
	for lo < levels && b[lo].matches == 0 {
		lo++
	}
	for hi >= lo && b[hi].matches == 0 {
		hi--
	}
	return lo, hi
}

// inverses are the reciprocals of the sizes of unions, so that no pair needs a division.
type inverses []inverse

type inverse struct {
	whole  float64 // 1/u
	scaled uint64  // ⌈2⁵⁶/u⌉
}

// mostInverses bounds the table; greater unions are divided by.
const mostInverses = 1 << 15

func newInverses(identities int) inverses {
	p := make(inverses, min(identities+1, mostInverses))
	for u := uint64(1); u < uint64(len(p)); u++ {
		p[u] = inverse{1 / float64(u), (1<<56 + u - 1) / u}
	}
	return p
}

// of returns s and the level of a pair with common > 0 of union identities. The level is the
// largest number below 100·s, ⌈100·s⌉−1 = ⌊(100·common−1)/union⌋, exactly: the scaled reciprocal is
// too large by less than 1, hence the product by less than 100·union. That is less than 2⁵⁶/union,
// and a quotient lacks at least 1/union to the next whole number.
func (p inverses) of(common, union uint32) (s float64, level uint64) {
	n := uint64(common)*levels - 1
	if int(union) >= len(p) {
		return float64(common) / float64(union), n / uint64(union)
	}
	u := &p[union]
	return float64(common) * u.whole, n * u.scaled >> 56
}
