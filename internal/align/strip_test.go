package align

import (
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"diptych/internal/progress"
)

// stripKernels are the kernels of strips that this processor can run, by name. Those for some
// processors only add themselves.
var stripKernels = map[string]stripKernel{}

// TestStrips holds each kernel of strips against pairs of blocks: the penalty and the border above
// each block, the columns before tiles, and the moves in all cells.
func TestStrips(t *testing.T) {
	for name, kernel := range stripKernels {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
				symbols := rapid.IntRange(1, 60).Draw(t, "symbols")
				a := letters(r, rapid.IntRange(1, 1200).Draw(t, "rows"), symbols)
				b := letters(r, rapid.IntRange(1, 1200).Draw(t, "columns"), symbols)
				if rapid.Bool().Draw(t, "alike") {
					b = mutated(r, a, symbols, 0.2)
				}
				if len(b) == 0 {
					return
				}
				want, got := sweptWhole(t, a, b, nil), sweptWhole(t, a, b, kernel)
				sameBlocks(t, want, got)
			})
		})
	}
}

// sweptWhole sweeps the whole matrix of two sequences.
func sweptWhole(t *rapid.T, a, b []uint32, kernel stripKernel) *sweeper {
	s := newSweeper(a, b)
	s.from, s.to, s.limit = -s.rows, s.cols, int64(4*(s.rows+s.cols))
	s.kernel, s.narrow, s.wide = kernel, 0, rapid.SampledFrom([]int{0, wideSweep}).Draw(t, "wide")
	penalty, err := s.sweepAll(context.Background(), progress.NewMeter(nil, 0))
	if err != nil {
		t.Fatal(err)
	}
	s.limit = penalty
	return s
}

// sameBlocks fails unless two sweeps have left the same.
func sameBlocks(t *rapid.T, want, got *sweeper) {
	if want.limit != got.limit {
		t.Fatalf("penalty %d, want %d", got.limit, want.limit)
	}
	m := progress.NewMeter(nil, 0)
	x, y := want.trail(m), got.trail(m)
	for k := range want.blocks {
		for _, tr := range []*trail{x, y} {
			markRows(tr.eq, want.rowsOf(k), 0)
		}
		for at := 0; at < want.cols; {
			to := min(at+tileCols, want.cols)
			a := slices.Clone(movesIn(x, k, at, to))
			b := movesIn(y, k, at, to)
			rows := uint64(1)<<len(want.rowsOf(k)) - 1
			for j := range a {
				for _, m := range []*moves{&a[j], &b[j]} {
					*m = moves{m.equal & rows, m.different & rows, m.onlyA & rows, m.onlyB & rows}
				}
				if a[j] != b[j] {
					t.Fatalf("block %d, column %d: %x, want %x", k, at+j, b[j], a[j])
				}
			}
			at = to
		}
		for _, tr := range []*trail{x, y} {
			unmarkRows(tr.eq, want.rowsOf(k))
		}
	}
}

// movesIn returns the moves of a stretch of columns of a block.
func movesIn(tr *trail, k, from, to int) (all []moves) {
	b := &tr.s.blocks[k]
	for j := from; j < to; {
		at := b.tileOf(j)
		end := j + 1
		for end < to && b.tileOf(end) == at {
			end++
		}
		all = append(all, tr.tile(k, at, end)[j-at:]...)
		j = end
	}
	return all
}

// BenchmarkStrips measures the kernels, and the plain one on pairs of blocks, in cells a second.
func BenchmarkStrips(b *testing.B) {
	kernels := maps.Clone(stripKernels)
	kernels["pairs"] = nil
	for _, name := range slices.Sorted(maps.Keys(kernels)) {
		b.Run(name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 1))
			s := newSweeper(letters(r, 8*stripBlocks*blockRows, 48), letters(r, 1<<13, 48))
			s.from, s.to, s.limit = -s.rows, s.cols, int64(4*(s.rows+s.cols))
			s.kernel, s.wide = kernels[name], math.MaxInt/stripBlocks
			least := time.Duration(math.MaxInt64)
			for b.Loop() {
				began := time.Now()
				if _, err := s.sweepAll(context.Background(), progress.NewMeter(nil, 0)); err != nil {
					b.Fatal(err)
				}
				least = min(least, time.Since(began))
			}
			b.ReportMetric(float64(s.rows)*float64(s.cols)/float64(least.Nanoseconds()), "cells/ns")
		})
	}
}
