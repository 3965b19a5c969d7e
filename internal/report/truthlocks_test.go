package report

import (
	"slices"
	"testing"

	"diptych/internal/synth"
)

// TestLocksHeldLonger generates pairs in which sections that hold a lock take longer. Some finding
// must say that threads wait longer, or name a function that takes longer in a section.
func TestLocksHeldLonger(t *testing.T) {
	pairs, _, levels := extent()
	for _, level := range levels {
		told, fair := 0, 0
		for n := range pairs {
			o := synth.Options{Seed: *truthSeed + uint64(n), Calls: 20_000, Threads: 4, Functions: 300,
				Edits: map[synth.Kind]float64{synth.Contend: 1}, Noise: weather(level)}
			sides := generated(t, o)
			d := diffOf(t, sides[0], sides[1])
			e := d.Account.ElapsedNs
			if float64(e.B-e.A) < telling*float64(e.B) {
				continue
			}
			fair++
			told += toInt(slices.ContainsFunc(d.Findings, func(f DiffFinding) bool {
				return f.DeltaNs > 0 && f.Share >= telling &&
					(f.Waiting || slices.Contains(slowed, f.Kind))
			}))
		}
		t.Logf("noise %2.0f %%  locks held longer: told %d of %d", 100*level, told, fair)
		if told < fair {
			t.Errorf("noise %v: %d of %d locks that are held longer are told", level, told, fair)
		}
	}
}
