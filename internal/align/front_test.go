package align

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/progress"
)

// TestPacked holds that a border comes back as it was.
func TestPacked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(rapid.Uint8Range(0, 4), 0, 40).Draw(t, "border")
		packed, got := make([]byte, (len(want)+1)/2), make([]uint8, len(want))
		pack(packed, want)
		if unpack(packed, got); !slices.Equal(want, got) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

// TestLimit holds that a front finds the same penalty, and the same alignment, with the least limit
// there is as with none, over fewer cells.
func TestLimit(t *testing.T) {
	ctx, m := context.Background(), progress.NewMeter(nil, 0)
	rapid.Check(t, func(t *rapid.T) {
		lv := someLevel(t)
		s := newSweeper(lv.fa, lv.fb)
		swept := func(limit int64) (penalty int64, cells int, runs []run) {
			s.from, s.to, s.limit = -s.rows, s.cols, limit
			penalty, err := s.sweepAll(ctx, m)
			if err != nil {
				t.Fatal(err)
			}
			for k, b := range s.blocks {
				cells += (b.hi - b.lo) * len(s.ofBlock(k))
			}
			tr := s.trail(m)
			if err := tr.explore(ctx); err != nil {
				t.Fatal(err)
			}
			if err := tr.count(ctx); err != nil {
				t.Fatal(err)
			}
			return penalty, cells, tr.walk(nil, 0, 0)
		}
		want, all, wantRuns := swept(int64(4 * (s.rows + s.cols)))
		got, some, runs := swept(want)
		if got != want || all != s.rows*s.cols || some > all || !slices.Equal(runs, wantRuns) {
			t.Fatalf("penalty %d over %d cells, want %d over %d", got, some, want, all)
		}
	})
}
