package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"diptych/internal/report"
	"diptych/internal/synth"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
	"diptych/internal/wait"
)

// perturbation returns a pair of 64 ranks and its truth. Tests share the pair. With fewer than 48,000
// calls the period is too short to be seen among so few slices as the usual run has.
func perturbation(t *testing.T, seed int, ending string) (paths []string, p *synth.Perturbation) {
	t.Helper()
	at := filepath.Join(shared, fmt.Sprint("perturbation-", seed))
	paths = []string{at + "-a" + ending, at + "-b" + ending}
	if _, err := os.Stat(paths[1]); err != nil {
		mustRun(t, "generate", "--situation", "perturbation", "--seed", fmt.Sprint(seed), "--calls",
			testtrace.Sized("48000", "192192"), paths[0], paths[1])
	}
	truth, err := synth.ReadTruth(synth.TruthName(paths[1]))
	if err != nil {
		t.Fatal(err)
	}
	return paths, truth.Perturbation
}

// shares returns how much of the period, and of the time around it, a thread spends in calls for
// which counts is true. Calls of the period lie in it as a whole.
func shares(th *trace.Thread, p synth.Period, counts func(call int) bool) (in, out float64) {
	for i := range th.Len() {
		switch {
		case !counts(i):
		case p.FromNs <= th.Start(i) && th.End(i) <= p.ToNs:
			in += float64(th.Dur(i))
		default:
			out += float64(th.Dur(i))
		}
	}
	start, end := th.Span()
	period := float64(p.ToNs - p.FromNs)
	return in / period, out / (float64(end-start) - period)
}

// TestPerturbationIsReadBack holds the truth against what the ordinary loader reads: on side B the
// slow rank computes most of the period and all others wait, outside the period and on side A they
// do not.
func TestPerturbationIsReadBack(t *testing.T) {
	for seed, ending := range map[int]string{1: ".json.gz", 2: ".uftrace"} {
		paths, truth := perturbation(t, seed, ending)
		for side, path := range paths {
			tr, err := traceio.Load(context.Background(), path, input.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if len(tr.Threads) != 64 || len(tr.Processes) != 4 {
				t.Errorf("%s: %d threads, %d processes", path, len(tr.Threads), len(tr.Processes))
			}
			for _, d := range tr.Diagnostics {
				if d.Code != trace.Reordered { // a caller is written when it ends, after its callees
					t.Errorf("%s: %v", path, d)
				}
			}
			period, waits := []synth.Period{truth.A, truth.B}[side], 0.0
			for i, th := range tr.Threads {
				waiting, around := shares(th, period, func(call int) bool {
					return slices.ContainsFunc(th.BlocksOf(call), func(b trace.Block) bool {
						return b.Kind == trace.Wait
					})
				})
				computing, before := shares(th, period, func(call int) bool {
					return tr.FunctionOf(th, call).Name == "matvec"
				})
				id, perturbed := threadID(t, tr, int32(i)), side == 1
				slow := id == truth.Thread
				if slow == slices.Contains(truth.Waiting, id) || around > 0.1 || before > 0.85 ||
					(waiting > 0.5) != (perturbed && !slow) || (computing > 0.9) != (perturbed && slow) {
					t.Errorf("%s: %s waits %.2f of the period, %.2f else; computes %.2f, %.2f else", path,
						th.Name, waiting, around, computing, before)
				}
				if !slow {
					waits += waiting
				}
			}
			if sum := int64(waits*float64(period.ToNs-period.FromNs) + 0.5); sum != period.WaitNs {
				t.Errorf("%s: %d ns of waits, the truth says %d", path, sum, period.WaitNs)
			}
		}
	}
}

// TestPerturbationHasAReleaser holds what the flows of the format say: in the period the slow rank
// releases its neighbours.
func TestPerturbationHasAReleaser(t *testing.T) {
	paths, truth := perturbation(t, 1, ".json.gz")
	tr, err := traceio.Load(context.Background(), paths[1], input.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a, err := wait.Find(context.Background(), tr, nil)
	if err != nil {
		t.Fatal(err)
	}
	iterations := truth.Iterations[1] - truth.Iterations[0]
	for _, id := range truth.Neighbours {
		n := 0
		for _, c := range tr.Correspondences {
			if threadID(t, tr, c.Wait.Thread) == id && threadID(t, tr, c.Release.Thread) == truth.Thread &&
				truth.B.FromNs <= c.At && c.At <= truth.B.ToNs {
				th := tr.Threads[c.Wait.Thread]
				n += map[string]int{"MPI_Wait": 1}[tr.FunctionOf(th, int(c.Wait.Call)).Name]
			}
		}
		if n != iterations {
			t.Errorf("thread %d waits %d times for the slow one, not %d", id, n, iterations)
		}
	}
	if a.Stated != uint64(len(tr.Correspondences)) || len(a.Unreleased) != 0 || a.Stated == 0 {
		t.Errorf("%d of %d correspondences, %d unreleased", a.Stated, len(tr.Correspondences),
			len(a.Unreleased))
	}
}

// TestPerturbationIsSeenAtTheBestP is the case of Ocelotl's paper: under the p that is chosen without
// being asked for, one aggregate of all ranks is the period, and its borders are within a slice of
// the truth.
func TestPerturbationIsSeenAtTheBestP(t *testing.T) {
	for seed := range testtrace.Sized(1, 5) {
		paths, truth := perturbation(t, seed+1, ".json.gz")
		for states, mode := range map[string]string{"function": "MPI_Allreduce",
			"blocking": "waiting"} {
			status, out, errs := run(t, "aggregate", "--json", "--states", states,
				"--slices", fmt.Sprint(testtrace.Sized(24, 100)), paths[1])
			if status != 0 {
				t.Fatal(errs)
			}
			var got report.Aggregate
			if err := json.Unmarshal([]byte(out), &got); err != nil {
				t.Fatal(err)
			}
			slice, seen := got.Borders[1], 0
			for _, a := range got.A.Aggregates {
				from, to := got.Borders[a.From], got.Borders[a.To+1]
				if *a.Mode != mode {
					continue
				}
				seen++
				if len(got.Tree.A[a.Node].Node) != 0 || max(from-truth.B.FromNs, truth.B.FromNs-from) > slice ||
					max(to-truth.B.ToNs, truth.B.ToNs-to) > slice {
					t.Errorf("%s: aggregate of %v from %d to %d, the truth says %+v", states,
						got.Tree.A[a.Node].Node, from, to, truth.B)
				}
			}
			if seen != 1 || len(got.A.Aggregates) > 8 {
				t.Errorf("%s: %d of %d aggregates are of %s", states, seen, len(got.A.Aggregates), mode)
			}
		}
	}
}
