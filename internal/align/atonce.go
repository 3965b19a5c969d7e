package align

import (
	"context"
	"math"

	"diptych/internal/progress"
)

// Several pairs of blocks at once.
//
// A pair of blocks needs of the rows above only the border below them, column by column. So where
// the band is wide, the next pair follows the first some tiles behind it, on another processor, and
// so on. All share one border, in which each reads what the one before has written, and writes what
// the next will read:
//
//	columns      0 ............................ 4096
//	pair 1       done done done done at work
//	pair 2       done done at work
//	pair 3       at work
//
// The front gets narrower only after all of them, so a few more cells are swept: hence they are
// only a few pairs, the same number on any machine.

const (
	atOnce     = 4       // pairs of blocks
	wideSweep  = 1 << 12 // eight times the rows that these have
	tilesAStep = 4       // tiles that one is ahead of the next
)

// pairSweep is two blocks that are swept, k and k+1; the last block of a matrix may have fewer
// rows, and one after it has none.
type pairSweep struct {
	*front
	k, rows, hi  int
	upper, lower []uint32 // symbols of the rows
	eq           [][2]uint64
	penalty      int64 // in the last row and column
	t            progress.Ticker

	done  int        // columns up to which the pair above has come
	above <-chan int // from which that is heard; nil if all are done
	below chan<- int // where the pair below hears it
}

// sweepPairs computes n pairs of blocks from block k on. It returns the penalty in the last row and
// column, if the matrix ends there.
func (f *front) sweepPairs(ctx context.Context, k, n int) (penalty int64, err error) {
	var pairs [atOnce]pairSweep
	rows, hi, at := 0, f.hi, f.at
	for i := range n {
		p := &pairs[i]
		*p = pairSweep{front: f, k: k + 2*i, t: newTicker(f.m), upper: f.rowsOf(k + 2*i),
			lower: f.rowsOf(k + 2*i + 1), penalty: at + 2*int64(rows), done: math.MaxInt}
		p.rows = len(p.upper) + len(p.lower)
		rows += p.rows
		p.hi = min(hi+rows, f.cols)
		if f.eq[i] == nil {
			f.eq[i] = noRows(f.symbols)
		}
		p.eq = f.eq[i]
		if i > 0 {
			heard := make(chan int, (p.hi-f.lo)/(tilesAStep*tileCols)+1)
			p.done, p.above, pairs[i-1].below = f.lo, heard, heard
		}
	}
	clear(f.border[hi:pairs[n-1].hi])
	work, within := progress.NewGroup(ctx)
	for i := range pairs[:n-1] {
		work.Go(func() error { return pairs[i].sweep(within) })
	}
	err = pairs[n-1].sweep(within)
	if first := work.Wait(); first != nil {
		err = first
	}
	f.row, f.at, f.hi = f.row+rows, at+2*int64(rows), pairs[n-1].hi
	return pairs[n-1].penalty, err
}

// sweep computes the two blocks.
func (p *pairSweep) sweep(ctx context.Context) error {
	if p.below != nil {
		defer close(p.below)
	}
	markRows(p.eq, p.upper, 0)
	markRows(p.eq, p.lower, 1)
	two := [2]block{newBlock(p.lo, p.hi), newBlock(p.lo, p.hi)}
	c := [2]column{untouched, untouched}
	var between [tileCols]uint8
	for j, tile := p.lo, 1; j < p.hi; j, tile = j+tileCols, tile+1 {
		to := min(j+tileCols, p.hi)
		p.await(to)
		for h := range two {
			two[h].left = append(two[h].left, c[h])
		}
		border := p.border[j:to]
		p.penalty += riseOf(border)
		packBorder(two[0].above[(j-p.lo)/2:], border)
		sweep(p.eq, p.rb[j:to], border, between[:], &c)
		packBorder(two[1].above[(j-p.lo)/2:], between[:to-j])
		if p.below != nil && tile%tilesAStep == 0 {
			p.below <- to
		}
		if err := p.t.Add(ctx, int64(2*blockRows*(to-j)/wordCost)); err != nil {
			return err
		}
	}
	copy(p.blocks[p.k:], two[:])
	unmarkRows(p.eq, p.upper)
	unmarkRows(p.eq, p.lower)
	p.penalty += c[0].rise(len(p.upper)) + c[1].rise(len(p.lower))
	return p.t.Flush(ctx)
}

// await waits until the pair above has come to a column, or has ended.
func (p *pairSweep) await(column int) {
	for p.done < column {
		done, ok := <-p.above
		if p.done = done; !ok {
			p.done = math.MaxInt
		}
	}
}
