package align

import (
	"context"
	"encoding/binary"

	"diptych/internal/progress"
)

// front goes down a level's matrix and leaves out what no optimal alignment passes.
//
// Through a cell of penalty g every alignment costs at least g + 2·d, where d is how many diagonals
// the cell is from the last one's. That bound grows along alignments and along diagonals. So where
// it is over the limit, no alignment within the limit passes, and the next rows need no columns but
// those between the first and the last where it is not, and to the right as many more as there are
// rows. Penalties of cells on the way of optimal alignments are exact; others may come out too
// large, which leaves none of the former out.
type front struct {
	*sweeper
	row    int   // the last one that is swept
	lo, hi int   // its columns
	at     int64 // penalty at column lo
	eq     [][2]uint64
	t      progress.Ticker
}

// rise returns by how much the penalty grows along the border.
func (f *front) rise() int64 {
	border := f.border[f.lo:f.hi]
	rise := 2 * int64(len(border))
	for ; len(border) >= 8; border = border[8:] {
		// The product's highest byte is the sum of all eight.
		rise -= int64(binary.LittleEndian.Uint64(border) * 0x0101010101010101 >> 56)
	}
	for _, w := range border {
		rise -= int64(w)
	}
	return rise
}

// narrow leaves the columns that alignments within the band and the limit can pass.
func (f *front) narrow() {
	last := f.cols - f.rows
	beyond := func(j int, penalty int64) bool {
		d := j - f.row
		return d < f.from || d > f.to || penalty+2*int64(max(last-d, d-last)) > f.limit
	}
	right := f.at + f.rise()
	for f.lo < f.hi && beyond(f.lo, f.at) {
		f.at += 2 - int64(f.border[f.lo])
		f.lo++
	}
	for f.hi > f.lo && beyond(f.hi, right) {
		f.hi--
		right -= 2 - int64(f.border[f.hi])
	}
}

// sweepTwo computes blocks k and k+1, of which the last may have fewer rows or none. It returns the
// penalty in the last row and column if the matrix ends there.
func (f *front) sweepTwo(ctx context.Context, k int) (penalty int64, err error) {
	upper, lower := f.ofBlock(k), f.ofBlock(k+1)
	mark(f.eq, upper, 0)
	mark(f.eq, lower, 1)
	rows := len(upper) + len(lower)
	right := min(f.hi+rows, f.cols)
	clear(f.border[f.hi:right])
	f.hi = right
	penalty = f.at + f.rise()
	two := [2]block{newBlock(f.lo, f.hi), newBlock(f.lo, f.hi)}
	c := [2]column{untouched, untouched}
	var between [tileCols]uint8
	for j := f.lo; j < f.hi; j += tileCols {
		to := min(j+tileCols, f.hi)
		for h := range two {
			two[h].left = append(two[h].left, c[h])
		}
		pack(two[0].above[(j-f.lo)/2:], f.border[j:to])
		sweep(f.eq, f.rb[j:to], f.border[j:to], between[:], &c)
		pack(two[1].above[(j-f.lo)/2:], between[:to-j])
		if err := f.t.Add(ctx, int64(2*blockRows*(to-j)/wordCost)); err != nil {
			return 0, err
		}
	}
	f.row, f.at = f.row+rows, f.at+2*int64(rows)
	copy(f.blocks[k:], two[:])
	unmark(f.eq, upper)
	unmark(f.eq, lower)
	return penalty + c[0].rise(len(upper)) + c[1].rise(len(lower)), nil
}
