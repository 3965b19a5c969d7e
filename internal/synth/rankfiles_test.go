package synth

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// inFiles is a small run of ranks with files of their own.
func inFiles(seed uint64, ranks, iterations int) Options {
	return Options{Seed: seed, Ranks: ranks, Calls: callsFor(iterations, ranks, callsOfFileIteration)}
}

// readRanks reads the one thread of each file of a side.
func readRanks(t *testing.T, dir string, truth *Truth) (ranks [][]call) {
	t.Helper()
	for rank, name := range truth.Ranks.Files {
		side := readSide(t, filepath.Join(dir, name))
		calls := side[tid(rank)]
		if len(side) != 1 || int64(len(calls)*truth.Options.Ranks) != truth.Calls.A {
			t.Fatalf("%s has %d threads, %d calls; the truth says %d in all", name, len(side), len(calls),
				truth.Calls.A)
		}
		ranks = append(ranks, calls)
	}
	return ranks
}

// callsOf returns the calls of a function.
func callsOf(calls []call, name string) (out []call) {
	for _, c := range calls {
		if c.name == name {
			out = append(out, c)
		}
	}
	return out
}

// TestRankFilesAreAsTheTruthSays holds that only the slow ranks are slow, only in their function and
// only for their iterations, and that all other calls that compute differ by chance.
func TestRankFilesAreAsTheTruthSays(t *testing.T) {
	for _, tt := range []Options{inFiles(1, 4, 20), inFiles(2, 17, 20), inFiles(3, 33, 20)} {
		dirA, dirB, truth := generate(t, tt, "")
		a, b, p := readRanks(t, dirA, truth), readRanks(t, dirB, truth), truth.Ranks
		stretches := map[int][2]Stretch{}
		for _, s := range p.Slow {
			stretches[s.Rank] = [2]Stretch{s.A, s.B}
			if s.File != p.Files[s.Rank] || s.Thread != tid(s.Rank) ||
				s.Rank/ranksOfNode != p.Slow[0].Rank/ranksOfNode {
				t.Errorf("%+v with %+v", s, p.Slow[0])
			}
		}
		for rank := range a {
			var got [2]Stretch
			for k, c := range callsOf(a[rank], p.Function) {
				d := callsOf(b[rank], p.Function)[k]
				if _, slow := stretches[rank]; slow && p.Iterations[0] <= k && k < p.Iterations[1] {
					got[0].add(c.start-a[rank][0].start, c.end-c.start)
					got[1].add(d.start-b[rank][0].start, d.end-d.start)
				}
			}
			if got != stretches[rank] {
				t.Errorf("rank %d: %+v, the truth says %+v", rank, got, stretches[rank])
			}
			holdChance(t, a[rank], b[rank], got)
		}
		equalWaits(t, b)
	}
}

// holdChance holds that calls that compute take as long on both sides, up to 2·3 %, but for those
// of a function within a stretch.
func holdChance(t *testing.T, a, b []call, slow [2]Stretch) {
	t.Helper()
	exceptions, differ := 0, 0
	for i, c := range a {
		x, y := c.end-c.start, b[i].end-b[i].start
		switch {
		case c.name != b[i].name:
			t.Fatalf("call %d is %s, then %s", i, c.name, b[i].name)
		case c.depth < 2 || strings.HasPrefix(c.name, "MPI_Wait") || c.name == "MPI_Allreduce":
		case 16*max(x-y, y-x) > max(x, y):
			exceptions++
		case x != y:
			differ++
		}
	}
	if exceptions != slow[0].Calls || differ < len(a)/3 {
		t.Errorf("%d calls are slow, %d others differ; want %d slow ones", exceptions, differ,
			slow[0].Calls)
	}
}

// equalWaits holds that each reduction ends after the last rank has entered it, in all files.
func equalWaits(t *testing.T, ranks [][]call) {
	t.Helper()
	for i := range callsOf(ranks[0], "MPI_Allreduce") {
		entered, left := int64(0), int64(1<<62)
		for _, calls := range ranks {
			c := callsOf(calls, "MPI_Allreduce")[i]
			entered, left = max(entered, c.start), min(left, c.end)
		}
		if left <= entered {
			t.Fatalf("a rank leaves reduction %d at %d, the last enters at %d", i, left, entered)
		}
	}
}

// The digest pins what all files hold: how it is compressed is the library's affair.
func TestRankFilesDependOnOptionsAlone(t *testing.T) {
	digest := func(seed uint64) string {
		a, b, truth := generate(t, inFiles(seed, 4, 20), "")
		sum := sha256.New()
		for _, name := range truth.Ranks.Files {
			for _, dir := range []string{a, b} {
				if _, err := io.Copy(sum, unpack(t, filepath.Join(dir, name))); err != nil {
					t.Fatal(err)
				}
			}
		}
		return fmt.Sprintf("%x", sum.Sum(nil)[:8]) + hash(t, TruthName(b))
	}
	const want = "47f25b7c4e09610d275054cceb851381"
	if got := digest(1); got != want || got != digest(1) {
		t.Errorf("digest is %s, was %s", got, want)
	}
}

// TestSeedsChooseWhatIsSlow holds that the seeds reach all functions and rates, and that slow ranks
// are neighbours on one node and the period lies within the run.
func TestSeedsChooseWhatIsSlow(t *testing.T) {
	functions, rates := map[uint32]int{}, map[int]int{}
	for seed := range uint64(60) {
		o, err := inFiles(seed, 64, 166).withDefaults()
		if err != nil {
			t.Fatal(err)
		}
		c := newComputation(o)
		functions[c.slowIn]++
		rates[c.rate]++
		if c.slowRanks != mostSlow || c.slow/ranksOfNode != (c.slow+mostSlow-1)/ranksOfNode ||
			c.from < 33 || c.to <= c.from || c.to > 140 {
			t.Errorf("seed %d: %+v", seed, c)
		}
	}
	if len(functions) != 3 || len(rates) != 3 {
		t.Errorf("60 seeds: functions %v, rates %v", functions, rates)
	}
}

func TestRankFilesThatAreRefused(t *testing.T) {
	const alone = "ranks with files are a run of their own: no situation, edit, noise, pace, format, " +
		"and no number of waits or threads goes with them"
	for _, tt := range []struct {
		o    Options
		want string
	}{
		{Options{Ranks: -1}, "-1 ranks: the number lies between 4 and 1000"},
		{Options{Ranks: 1001}, "1001 ranks: the number lies between 4 and 1000"},
		{Options{Ranks: 8, Threads: 9}, alone},
		{Options{Ranks: 8, Pace: 2}, alone},
		{Options{Ranks: 8, Format: Uftrace}, alone},
		{Options{Ranks: 8, Situations: []string{perturbation}}, alone},
		{Options{Ranks: 8, Calls: 100}, "100 calls are too few for 8 ranks: at least 1944"},
	} {
		if err := tt.o.Check(); err == nil || err.Error() != tt.want {
			t.Errorf("%+v:\n got %v\nwant %s", tt.o, err, tt.want)
		}
	}
	if err := (Options{Ranks: 8, Threads: 8}).Check(); err != nil {
		t.Error(err)
	}
}

// TestRanksReplaceOnlyRanks holds that a directory of ranks is replaced as a whole, and that one
// with anything else is not.
func TestRanksReplaceOnlyRanks(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	for _, ranks := range []int{8, 4} {
		if _, err := Generate(context.Background(), inFiles(1, ranks, 20), a, b, nil); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(a)
	if err != nil || len(entries) != 4 {
		t.Errorf("%d files of 4 ranks, %v", len(entries), err)
	}
	if err := os.WriteFile(filepath.Join(a, "notes"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = Generate(context.Background(), inFiles(1, 4, 20), a, b, nil)
	if err == nil || err.Error() != a+": it exists and holds more than files of ranks" {
		t.Errorf("error %v", err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || !slices.Equal(left, []string{a, b, TruthName(b)}) {
		t.Errorf("%v, %v", left, err)
	}
}
