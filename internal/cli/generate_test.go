package cli

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"diptych/internal/synth"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
	"diptych/internal/wait"
)

// found returns what an analysis finds in a generated trace, in the form of the truth.
func found(t *testing.T, path string) (*wait.Analysis, synth.WaitTruth) {
	t.Helper()
	tr, err := traceio.Load(context.Background(), path, input.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a, err := wait.Find(context.Background(), tr, nil)
	if err != nil {
		t.Fatal(err)
	}
	out := synth.WaitTruth{Calls: int64(a.Waits.Len()), Unreleased: int64(len(a.Unreleased)),
		Edges: []synth.WaitEdge{}}
	for _, e := range a.Edges {
		if e.Object != trace.NoObject && a.Objects[e.Object].Kind == wait.Joinable {
			continue
		}
		edge := synth.WaitEdge{Waiter: threadID(t, tr, e.Waiter), Object: tr.Objects[e.Object].Name,
			Count: int64(e.Count), WaitNs: e.WaitNs}
		if e.Releaser >= 0 {
			id := threadID(t, tr, e.Releaser)
			edge.Releaser = &id
		} else {
			edge.Unreleased = unreleased(a, e)
		}
		out.Edges = append(out.Edges, edge)
	}
	slices.SortFunc(out.Edges, func(x, y synth.WaitEdge) int {
		return cmp.Or(cmp.Compare(x.Waiter, y.Waiter),
			cmp.Compare(orNone(x.Releaser), orNone(y.Releaser)),
			cmp.Compare(x.Object, y.Object))
	})
	return a, out
}

func unreleased(a *wait.Analysis, e wait.Edge) (n int64) {
	for _, w := range a.Unreleased {
		if a.Waits.Thread[w] == e.Waiter && a.Object(int(w)) == e.Object {
			n++
		}
	}
	return n
}

func orNone(id *int) int {
	if id == nil {
		return -1
	}
	return *id
}

// threadID is a thread's number in the truth; Chrome threads have their process before it.
func threadID(t *testing.T, tr *trace.Trace, thread int32) int {
	t.Helper()
	name := tr.Threads[thread].ID
	id, err := strconv.Atoi(name[strings.LastIndexByte(name, '/')+1:])
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// TestGeneratedWaitsAreFound holds that the analysis finds the waits that the truth of a generated
// pair lists.
func TestGeneratedWaitsAreFound(t *testing.T) {
	edits := strings.Fields("--edit slow:0.01 --edit delete:0.005 --edit repeat:0.005 " +
		"--edit contend:0.1 --edit shard:0.3")
	staged := slices.DeleteFunc(synth.SituationNames(), func(s string) bool {
		return s == "perturbation" // a run of its own
	})
	for _, tt := range []struct{ name, args string }{
		{"plain", "--waits " + testtrace.Sized("450", "900") + " --threads 5"},
		{"all", "--situation " + strings.Join(staged, " --situation ")},
		{"twice", "--threads 2 --situation lock-convoy --situation lock-convoy --situation deadlock"},
		{"alone", "--threads 1 --situation compositor --situation polling --waits " + testtrace.Sized("350", "700")},
	} {
		for _, ending := range []string{".json.gz", ".uftrace"} {
			t.Run(tt.name+ending, func(t *testing.T) {
				dir := t.TempDir()
				paths := []string{filepath.Join(dir, "a"+ending), filepath.Join(dir, "b"+ending)}
				args := slices.Concat([]string{"generate", "--calls", testtrace.Sized("6000", "60000"), "--seed", "3"},
					strings.Fields(tt.args), edits, paths)
				if status, _, errs := run(t, args...); status != 0 {
					t.Fatal(errs)
				}
				truth, err := synth.ReadTruth(synth.TruthName(paths[1]))
				if err != nil {
					t.Fatal(err)
				}
				if n := truth.Options.Waits; n > 0 && truth.Waits.A.Calls != int64(n) {
					t.Errorf("%d waits, not %d", truth.Waits.A.Calls, n)
				}
				for i, want := range []synth.WaitTruth{truth.Waits.A, truth.Waits.B} {
					a, got := found(t, paths[i])
					if n := int64(a.Trace.Calls()); n != []int64{truth.Calls.A, truth.Calls.B}[i] {
						t.Errorf("%d calls, the truth says %v", n, truth.Calls)
					}
					if n := strings.Count(tt.args, "deadlock"); n != len(a.Deadlocks) {
						t.Errorf("%d deadlocks, want %d", len(a.Deadlocks), n)
					}
					if diff := gocmp.Diff(want, got); diff != "" {
						t.Errorf("%s: truth and what is found differ:\n%.3000s", paths[i], diff)
					}
				}
			})
		}
	}
}

// TestGenerateUsage: options that do not go together are wrong usage, also where that is found only
// once the run is planned.
func TestGenerateUsage(t *testing.T) {
	a, b := filepath.Join(t.TempDir(), "a.json"), filepath.Join(t.TempDir(), "b.json")
	for says, args := range map[string][]string{
		"5 calls are too few for 8 threads":   {"--calls", "5"},
		"5 waits are too few for 8 threads":   {"--waits", "5"},
		"900 calls are too few for 800 waits": {"--calls", "900", "--waits", "800"},
	} {
		status, _, errs := run(t, append([]string{"generate", a, b}, args...)...)
		if status != 2 || !strings.Contains(errs, says) || !strings.Contains(errs, "--help") {
			t.Errorf("%q: exit status %d, %q", args, status, errs)
		}
	}
}

// TestGenerateSummary holds that the kinds of edits are listed in order, and that nothing is listed
// where nothing was edited.
func TestGenerateSummary(t *testing.T) {
	a, b := filepath.Join(t.TempDir(), "a.json"), filepath.Join(t.TempDir(), "b.json")
	for _, c := range []struct {
		edits []string
		want  []string // first words of the lines behind the truth's
	}{
		{nil, nil},
		{[]string{"--edit", "slow:0.1", "--edit", "delete:0.01"}, []string{"delete", "slow"}},
	} {
		args := append([]string{"generate", "--calls", "2000"}, c.edits...)
		status, out, errs := run(t, append(args, a, b)...)
		lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		if status != 0 || len(lines) != 3+len(c.want) {
			t.Fatalf("%v: exit status %d, %q, %q", c.edits, status, out, errs)
		}
		for i, want := range c.want {
			if got := strings.Fields(lines[3+i])[0]; got != want {
				t.Errorf("%v: line %d begins with %s, want %s", c.edits, 3+i, got, want)
			}
		}
	}
}

// TestGenerateHelpNamesLimits: help says between which numbers a number lies, as the error does.
func TestGenerateHelpNamesLimits(t *testing.T) {
	help := mustRun(t, "generate", "--help")
	for _, flag := range []string{"functions", "ranks"} {
		_, _, errs := run(t, "generate", "--"+flag, "2", "a", "b")
		_, limits, ok := strings.Cut(strings.TrimSpace(errs), "the number lies between ")
		limits, _, _ = strings.Cut(limits, "\n")
		if !ok || !strings.Contains(help, strings.ReplaceAll(limits, " and ", " to ")) {
			t.Errorf("--%s lies between %s, which help does not say", flag, limits)
		}
	}
}
