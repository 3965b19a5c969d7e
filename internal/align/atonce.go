package align

import (
	"context"
	"math"

	"golang.org/x/sync/errgroup"

	"diptych/internal/progress"
)

// Several parts of the rows at once.
//
// A part is a pair of blocks, or a strip of eight where vector instructions sweep them. It needs of
// the rows above only the border below them, column by column. So where the band is wide, the next
// part follows the first some tiles behind it, on another processor, and so on. All share one
// border, in which each reads what the one before has written, and writes what the next will read:
//
//	columns      0 ............................ 4096
//	part 1       done done done done at work
//	part 2       done done at work
//	part 3       at work
//
// The front gets narrower only after all of them, so a few more cells are swept: hence they are
// only a few, the same number on any machine.

const (
	atOnce     = 4       // parts
	wideSweep  = 1 << 12 // for pairs: eight times the rows that these have
	tilesAStep = 4       // tiles that one is ahead of the next
)

// rowSweeper computes the rows of a part, tile by tile. At its end it stores the blocks for the
// trail.
type rowSweeper interface {
	begin(p *rowPart)

	// tile takes the part through the columns j to to, and returns the column up to which the
	// border below is known.
	tile(p *rowPart, j, to int) (done int)

	// end returns how much larger the penalty is in the last row than above the part, in the last
	// column.
	end(p *rowPart) (rise int64)
}

// rowPart is the part of the rows from block k on.
type rowPart struct {
	*front
	rowSweeper
	k, hi   int
	rows    int   // of all its blocks, even if the matrix ends before
	penalty int64 // in the last row and column
	t       progress.Ticker

	done  int        // columns up to which the part above has come
	above <-chan int // from which that is heard; nil if all are done
	below chan<- int // where the part below hears it
}

// sweepParts computes n parts of so many blocks from block k on. It returns the penalty in the last
// row and column, if the matrix ends there.
func (f *front) sweepParts(ctx context.Context, k, blocks, n int) (penalty int64, err error) {
	var parts [atOnce]rowPart
	hi, at := f.hi, f.at
	rows := func(n int) int { return min((k+n*blocks)*blockRows, f.rows) - f.row }
	for i := range n {
		p := &parts[i]
		*p = rowPart{front: f, rowSweeper: f.memory(i, blocks), k: k + i*blocks, rows: blocks * blockRows,
			t: newTicker(f.m), hi: min(hi+rows(i+1), f.cols), penalty: at + 2*int64(rows(i)),
			done: math.MaxInt}
		if i > 0 {
			heard := make(chan int, (p.hi-f.lo)/(tilesAStep*tileCols)+1)
			p.done, p.above, parts[i-1].below = f.lo, heard, heard
		}
	}
	clear(f.border[hi:parts[n-1].hi])
	work, within := errgroup.WithContext(ctx)
	for i := range parts[:n-1] {
		work.Go(func() error { return parts[i].sweep(within) })
	}
	err = parts[n-1].sweep(within)
	if first := work.Wait(); first != nil {
		err = first
	}
	f.row, f.at, f.hi = f.row+rows(n), at+2*int64(rows(n)), parts[n-1].hi
	return parts[n-1].penalty, err
}

// memory returns in what the i-th of the parts that are swept at once is computed.
func (f *front) memory(i, blocks int) rowSweeper {
	if blocks == stripBlocks {
		if f.strips[i] == nil {
			f.strips[i] = noStripRows(f.symbols)
		}
		return f.strips[i]
	}
	if f.pairs[i] == nil {
		f.pairs[i] = &pairRows{eq: noRows(f.symbols)}
	}
	return f.pairs[i]
}

// sweep computes the part.
func (p *rowPart) sweep(ctx context.Context) error {
	if p.below != nil {
		defer close(p.below)
	}
	p.begin(p)
	for j, tile := p.lo, 1; j < p.hi; j, tile = j+tileCols, tile+1 {
		to := min(j+tileCols, p.hi)
		p.await(to)
		p.penalty += riseOf(p.border[j:to])
		done := p.tile(p, j, to)
		if p.below != nil && tile%tilesAStep == 0 {
			p.below <- done
		}
		if err := p.t.Add(ctx, int64(p.rows*(to-j)/wordCost)); err != nil {
			return err
		}
	}
	p.penalty += p.end(p)
	return p.t.Flush(ctx)
}

// await waits until the part above has come to a column, or has ended.
func (p *rowPart) await(column int) {
	for p.done < column {
		done, ok := <-p.above
		if p.done = done; !ok {
			p.done = math.MaxInt
		}
	}
}

// pairRows computes pairs of blocks, one after the other, in the same memory.
type pairRows struct {
	eq           [][2]uint64 // by symbol
	upper, lower []uint32    // symbols of the rows
	between      [tileCols]uint8
	columns      [2]column
	blocks       [2]block
}

func (r *pairRows) begin(p *rowPart) {
	r.upper, r.lower = p.rowsOf(p.k), p.rowsOf(p.k+1)
	markRows(r.eq, r.upper, 0)
	markRows(r.eq, r.lower, 1)
	r.blocks = [2]block{newBlock(p.lo, p.hi), newBlock(p.lo, p.hi)}
	r.columns = [2]column{untouched, untouched}
}

func (r *pairRows) tile(p *rowPart, j, to int) (done int) {
	upper, lower := &r.blocks[0], &r.blocks[1]
	upper.left, lower.left = append(upper.left, r.columns[0]), append(lower.left, r.columns[1])
	border := p.border[j:to]
	packBorder(upper.above[(j-p.lo)/2:], border)
	sweep(r.eq, p.rb[j:to], border, r.between[:], &r.columns)
	packBorder(lower.above[(j-p.lo)/2:], r.between[:to-j])
	return to
}

func (r *pairRows) end(p *rowPart) (rise int64) {
	copy(p.blocks[p.k:], r.blocks[:])
	unmarkRows(r.eq, r.upper)
	unmarkRows(r.eq, r.lower)
	return r.columns[0].rise(len(r.upper)) + r.columns[1].rise(len(r.lower))
}
