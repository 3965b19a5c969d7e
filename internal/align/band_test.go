package align

import (
	"context"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/progress"
)

// plainPenalty fills the matrix of two sequences, without cells off the diagonals column − row of
// [from, to], and returns the least penalty: 2 for a gap, 3 for different callees.
func plainPenalty(a, b []uint32, from, to int) int64 {
	const unknown = 1 << 40
	above := make([]int64, len(b)+1)
	for i := range len(a) + 1 {
		row := make([]int64, len(b)+1)
		for j := range row {
			row[j] = unknown
			switch {
			case j-i < from || j-i > to:
				continue
			case i == 0 && j == 0:
				row[j] = 0
			}
			if i > 0 {
				row[j] = min(row[j], above[j]+2)
			}
			if j > 0 {
				row[j] = min(row[j], row[j-1]+2)
			}
			if i > 0 && j > 0 && a[i-1] == b[j-1] {
				row[j] = min(row[j], above[j-1])
			} else if i > 0 && j > 0 {
				row[j] = min(row[j], above[j-1]+3)
			}
		}
		above = row
	}
	return above[len(b)]
}

// penaltyOf is what an alignment costs.
func penaltyOf(t *rapid.T, a, b []uint32, runs []run) (penalty int64) {
	i, j := int32(0), int32(0)
	for _, r := range runs {
		if r.i < i || r.j < j || int(r.i+r.n) > len(a) || int(r.j+r.n) > len(b) {
			t.Fatalf("%v goes back, or leaves the matrix of %d × %d", r, len(a), len(b))
		}
		penalty += 2 * int64(r.i-i+r.j-j)
		for k := range r.n {
			if a[r.i+k] != b[r.j+k] {
				penalty += 3
			}
		}
		i, j = r.i+r.n, r.j+r.n
	}
	return penalty + 2*int64(len(a)-int(i)+len(b)-int(j))
}

// someLength draws a length, mostly one around where something begins: a block of rows, the fifth
// block, from which on there is a strip, the next strip, and a tile of columns.
func someLength(t *rapid.T, name string) int {
	const strip = stripBlocks * blockRows
	around := rapid.SampledFrom([]int{blockRows, stripBlocks / 2 * blockRows, strip, tileCols,
		strip + blockRows, 2*tileCols - stripLag, strip + stripBlocks/2*blockRows}).Draw(t, name)
	return max(1, around+rapid.IntRange(-2, 2).Draw(t, name+" off"))
}

// drawSides draws two sequences that are related or not.
func drawSides(t *rapid.T) (a, b []uint32) {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
	symbols := rapid.IntRange(1, 20).Draw(t, "symbols")
	a, b = letters(r, someLength(t, "rows"), symbols), letters(r, someLength(t, "columns"), symbols)
	if rapid.Bool().Draw(t, "related") {
		copy(b, mutated(r, a, symbols, .1))
	}
	return a, b
}

// TestStripsInBands sweeps random bands: the penalty is that of an alignment, and no alignment in the
// band is better.
func TestStripsInBands(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawSides(t)
		shift := len(b) - len(a)
		from := min(0, shift) - rapid.IntRange(0, 80).Draw(t, "left")
		to := max(0, shift) + rapid.IntRange(0, 80).Draw(t, "right")
		best := plainPenalty(a, b, -len(a), len(b))
		within := plainPenalty(a, b, shift-to, shift-from) // the band counts from the end
		limit := within + rapid.Int64Range(0, 40).Draw(t, "slack")
		wide := rapid.SampledFrom([]int{0, wideSweep}).Draw(t, "wide")
		for name, kernel := range stripKernels {
			s := newSweeper(a, b)
			s.from, s.to, s.limit, s.kernel, s.narrow, s.wide = from, to, limit, kernel, 0, wide
			got, err := s.sweepAll(context.Background(), progress.NewMeter(nil, 0))
			if err != nil || got < best || got > within {
				t.Fatalf("%s: %d, %v; want %d to %d", name, got, err, best, within)
			}
		}
	})
}

// TestScoreOfStrips scores whole levels by each kernel, and follows the trail.
func TestScoreOfStrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawSides(t)
		want := plainPenalty(a, b, -len(a), len(b))
		narrow := rapid.SampledFrom([]int{0, 64}).Draw(t, "narrow")
		for name, kernel := range stripKernels {
			s, m := newSweeper(a, b), progress.NewMeter(nil, 0)
			s.kernel, s.narrow = kernel, narrow
			if got, err := s.score(context.Background(), m); err != nil || got != want {
				t.Fatalf("%s: %d, %v; want %d", name, got, err, want)
			}
			tr := s.trail(m)
			if err := tr.explore(context.Background()); err != nil {
				t.Fatal(err)
			}
			if err := tr.countEqual(context.Background()); err != nil {
				t.Fatal(err)
			}
			if got := penaltyOf(t, a, b, tr.follow(nil, 0, 0)); got != want {
				t.Fatalf("%s: the trail costs %d, and %d is the least", name, got, want)
			}
		}
	})
}

// TestCancelledStrips: a sweep of strips stops with the cause.
func TestCancelledStrips(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r := rand.New(rand.NewPCG(5, 5))
	for name, kernel := range stripKernels {
		for _, wide := range []int{0, wideSweep} {
			s := newSweeper(letters(r, 3000, 9), letters(r, 6000, 9))
			s.kernel, s.narrow, s.wide = kernel, 0, wide
			if _, err := s.score(ctx, progress.NewMeter(nil, 0)); err != context.Canceled {
				t.Errorf("%s, several at once from %d columns on: %v", name, wide, err)
			}
		}
	}
}
