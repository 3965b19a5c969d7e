package align

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"diptych/internal/progress"
	"diptych/internal/testtrace"
)

// someLevel draws a level without weights.
func someLevel(t *rapid.T) *level {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	alphabet := rapid.SampledFrom([]int{2, 3, 8, 100}).Draw(t, "alphabet")
	most := rapid.SampledFrom([]int{5, 70, 300, 2500}).Draw(t, "most")
	a := letters(r, rapid.IntRange(1, most).Draw(t, "rows"), alphabet)
	b := letters(r, rapid.IntRange(1, most).Draw(t, "columns"), alphabet)
	if rapid.Bool().Draw(t, "alike") {
		b = mutated(r, a, alphabet, rapid.SampledFrom([]float64{0.01, 0.1, 0.4}).Draw(t, "rate"))
	}
	return flatLevel(a, b)
}

func letters(r *rand.Rand, n, alphabet int) []uint32 {
	list := make([]uint32, n)
	for i := range list {
		list[i] = r.Uint32N(uint32(alphabet))
	}
	return list
}

// mutated copies a sequence with substitutions, insertions and deletions, a third each.
func mutated(r *rand.Rand, list []uint32, alphabet int, rate float64) (out []uint32) {
	for _, x := range list {
		if r.Float64() >= rate {
			out = append(out, x)
			continue
		}
		switch r.IntN(3) {
		case 0:
			out = append(out, r.Uint32N(uint32(alphabet)))
		case 1:
			out = append(out, x, r.Uint32N(uint32(alphabet)))
		}
	}
	return out
}

// flatLevel is a level of calls without callees whose ties go by the last two criteria.
func flatLevel(a, b []uint32) *level {
	lv := &level{a: a, b: b, fa: a, fb: b}
	lv.fitEqual()
	return lv
}

// TestBitParallel holds the kernel, its bands and its trail against the full matrix.
func TestBitParallel(t *testing.T) {
	ctx, m := context.Background(), progress.NewMeter(nil, 0)
	rapid.Check(t, func(t *rapid.T) {
		lv := someLevel(t)
		want, err := lv.needleman(ctx, m, nil, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		got, err := lv.bitParallel(ctx, m, nil, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(run{})); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestBroad checks that an alignment is optimal too when its trail is too broad to count pairs.
func TestBroad(t *testing.T) {
	ctx, m := context.Background(), progress.NewMeter(nil, 0)
	rapid.Check(t, func(t *rapid.T) {
		lv := someLevel(t)
		s := newSweeper(lv.fa, lv.fb)
		s.wide = rapid.SampledFrom([]int{0, 100, wideSweep}).Draw(t, "wide")
		want, err := s.score(ctx, m)
		tr := s.trail(m)
		tr.most = -1
		if err = errors.Join(err, tr.explore(ctx), tr.countEqual(ctx)); err != nil {
			t.Fatal(err)
		}
		got := 2 * int64(len(lv.a)+len(lv.b))
		for _, r := range tr.follow(nil, 0, 0) {
			for k := range r.n {
				got -= 4
				if lv.a[r.i+k] != lv.b[r.j+k] {
					got += 3
				}
			}
		}
		if got != want || !tr.greedy {
			t.Fatalf("penalty %d, want %d", got, want)
		}
	})
}

// TestLongLevels does the same where bands are many tiles wide, and where sequences differ so much
// that their trail is broad.
func TestLongLevels(t *testing.T) {
	ctx, m, r := context.Background(), progress.NewMeter(nil, 0), rand.New(rand.NewPCG(5, 6))
	n := sized(1500, 3000)
	a := letters(r, n, 40)
	for name, b := range map[string][]uint32{
		"alike":     mutated(r, a, 40, 0.05),
		"unrelated": letters(r, n*5/6, 40),
		"short":     letters(r, 100, 40),
		"moved":     slices.Concat(a[n*2/3:], a[:n*2/3]),
		"apart":     slices.Repeat([]uint32{99}, n*2/3),
		"loop":      slices.Repeat(a[:7], n/7),
	} {
		for _, lv := range []*level{flatLevel(a, b), flatLevel(b, a)} {
			want, err := lv.needleman(ctx, m, nil, 0, 0)
			if err != nil {
				t.Fatal(err)
			}
			got, err := lv.bitParallel(ctx, m, nil, 0, 0)
			if err != nil || !slices.Equal(want, got) {
				t.Errorf("%s: %d runs, want %d: %v", name, len(got), len(want), err)
			}
		}
	}
}

// TestBruteForce holds the choice among optimal alignments against a list of all alignments.
func TestBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		alphabet := rapid.IntRange(1, 4).Draw(t, "alphabet")
		xs := testtrace.Grow(r, rapid.IntRange(1, 9).Draw(t, "calls of A"), alphabet, 0.3)
		ys := testtrace.Grow(r, rapid.IntRange(1, 9).Draw(t, "calls of B"), alphabet, 0.3)
		xs, ys = xs[:min(len(xs), 5)], ys[:min(len(ys), 5)]
		testtrace.Number(xs)
		testtrace.Number(ys)
		full := rapid.Bool().Draw(t, "identical subtrees count")
		o := &oracle{took: someTimes(r, xs, ys)}
		if full {
			o.tieCells = 100
		}
		pairs, value := o.level(xs, ys)
		wantPairs, want := o.bruteForce(xs, ys, full)
		if value != want || !slices.Equal(pairs, wantPairs) {
			t.Fatalf("%v %v, want %v %v", value, pairs, want, wantPairs)
		}
	})
}

// someTimes draws how long the calls of two forests took, few different times.
func someTimes(r *rand.Rand, forests ...[]*testtrace.Tree) (took [2][]int64) {
	for s, list := range forests {
		for range testtrace.Number(list) {
			took[s] = append(took[s], r.Int64N(8))
		}
	}
	return took
}

// bruteForce returns the best of all alignments, the first in order of columns among equals.
func (o *oracle) bruteForce(xs, ys []*testtrace.Tree, full bool) (best [][2]int, value worth) {
	found := false
	var visit func(i, j int, pairs [][2]int, w worth)
	visit = func(i, j int, pairs [][2]int, w worth) {
		if i == len(xs) && j == len(ys) {
			if !found || w.better(value) {
				found, best, value = true, slices.Clone(pairs), w
			}
			return
		}
		if i < len(xs) && j < len(ys) {
			visit(i+1, j+1, append(pairs, [2]int{i, j}), w.plus(o.worthOf(xs[i], ys[j], full)))
		}
		if i < len(xs) {
			visit(i+1, j, pairs, w.plus(worth{score: -1}))
		}
		if j < len(ys) {
			visit(i, j+1, pairs, w.plus(worth{score: -1}))
		}
	}
	visit(0, 0, nil, worth{})
	return best, value
}

// TestPacked holds that a border comes back as it was.
func TestPacked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(rapid.Uint8Range(0, 4), 0, 40).Draw(t, "border")
		packed, got := make([]byte, (len(want)+1)/2), make([]uint8, len(want))
		packBorder(packed, want)
		if unpackBorder(packed, got); !slices.Equal(want, got) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

// TestLimit holds that a front finds the same penalty, and the same alignment, with the least
// limit there is as with none, over fewer cells.
func TestLimit(t *testing.T) {
	ctx, m := context.Background(), progress.NewMeter(nil, 0)
	rapid.Check(t, func(t *rapid.T) {
		lv := someLevel(t)
		s := newSweeper(lv.fa, lv.fb)
		s.wide = rapid.SampledFrom([]int{0, 100, wideSweep}).Draw(t, "wide")
		swept := func(limit int64) (penalty int64, cells int, runs []run) {
			s.from, s.to, s.limit = -s.rows, s.cols, limit
			penalty, err := s.sweepAll(ctx, m)
			if err != nil {
				t.Fatal(err)
			}
			for k, b := range s.blocks {
				cells += (b.hi - b.lo) * len(s.rowsOf(k))
			}
			tr := s.trail(m)
			if err := tr.explore(ctx); err != nil {
				t.Fatal(err)
			}
			if err := tr.countEqual(ctx); err != nil {
				t.Fatal(err)
			}
			return penalty, cells, tr.follow(nil, 0, 0)
		}
		want, all, wantRuns := swept(int64(4 * (s.rows + s.cols)))
		got, some, runs := swept(want)
		if got != want || all != s.rows*s.cols || some > all || !slices.Equal(runs, wantRuns) {
			t.Fatalf("penalty %d over %d cells, want %d over %d", got, some, want, all)
		}
	})
}
