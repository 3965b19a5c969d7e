package report

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
	"pgregory.net/rapid"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/testtrace"
)

// pprofOf writes a profile and reads it with pprof's own package.
func pprofOf(t fataler, results []*align.Result, sides Sides) *profile.Profile {
	t.Helper()
	var file bytes.Buffer
	if _, err := WritePprof(context.Background(), &file, results, sides, nil); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse(&file)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPprof holds profiles against the definition: stacks, calls and times of each side, those of
// the base with a minus.
func TestPprof(t *testing.T) {
	testtrace.Checks(t, 50)
	rapid.Check(t, func(t *rapid.T) {
		results := drawAligned(t, int64(rapid.IntRange(0, 1).Draw(t, "least")))
		if len(results) == 0 {
			return // a profile of nothing has no types of samples
		}
		for _, sides := range []Sides{Difference, OnlyA, OnlyB} {
			got := [2]map[string][]int64{{}, {}}
			for _, sample := range pprofOf(t, results, sides).Sample {
				s, sign := pair.B, int64(1)
				if sides == OnlyA || sample.DiffBaseSample() {
					s = pair.A
				}
				if sides == Difference && s == pair.A {
					sign = -1
				}
				stack := frameName(sample.Label["thread"][0])
				for k := len(sample.Location) - 1; k >= 0; k-- {
					stack += ";" + frameName(sample.Location[k].Line[0].Function.Name)
				}
				got[s][stack] = []int64{sign * sample.Value[0], sign * sample.Value[1]}
			}
			for s := range got {
				self, calls := plainStacks(results, pair.Side(s))
				if !sides.has(pair.Side(s)) {
					self, calls = nil, nil
				}
				if len(got[s]) != len(calls) {
					t.Fatalf("%s: %d stacks, want %d", sides, len(got[s]), len(calls))
				}
				for stack, values := range got[s] {
					if values[0] != calls[stack] || values[1] != self[stack] {
						t.Fatalf("%s: %v, want %d and %d", stack, values, calls[stack], self[stack])
					}
				}
			}
		}
	})
}

// toolTop returns what go tool pprof -top prints, without what it says of the files.
func toolTop(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"tool", "pprof", "-symbolize=none", "-top", "-nodefraction=0"},
		args...)...)
	cmd.Env = append(os.Environ(), "PPROF_TMPDIR="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	_, table, _ := strings.Cut(string(out), "Showing nodes")
	return table
}

// samplesOf returns the values of a profile's samples by the names on their stacks and by their
// labels.
func samplesOf(p *profile.Profile) map[string][]int64 {
	all := map[string][]int64{}
	for _, s := range p.Sample {
		key := fmt.Sprintln(s.Label)
		for _, l := range s.Location {
			key += l.Line[0].Function.Name + "\n"
		}
		if all[key] == nil {
			all[key] = make([]int64, len(s.Value))
		}
		for k, v := range s.Value {
			all[key][k] += v
		}
	}
	return all
}

// TestDifferenceIsThatOfBothSides holds that the profile of a difference has the samples of which go
// tool pprof -diff_base makes one out of the profiles of both sides.
func TestDifferenceIsThatOfBothSides(t *testing.T) {
	for name, results := range map[string][]*align.Result{"moved": movedAligned(t), "many": exampleAligned(t)} {
		base := pprofOf(t, results, OnlyA)
		base.SetLabel("pprof::base", []string{"true"})
		base.Scale(-1)
		merged, err := profile.Merge([]*profile.Profile{pprofOf(t, results, OnlyB), base})
		if err != nil {
			t.Fatal(err)
		}
		got, want := samplesOf(pprofOf(t, results, Difference)), samplesOf(merged)
		if !maps.EqualFunc(got, want, slices.Equal) || len(got) == 0 {
			t.Errorf("%s: %d samples\n%v\nwant %d\n%v", name, len(got), got, len(want), want)
		}
	}
}

// TestToolShowsTheDifference holds that go tool pprof prints of a difference what it prints of the
// profiles of both sides with -diff_base. Go compiles that tool before its first use.
func TestToolShowsTheDifference(t *testing.T) {
	if testtrace.Sized(true, false) {
		t.Skip("compiling go tool pprof takes half a minute: make test-long does")
	}
	dir := t.TempDir()
	for name, results := range map[string][]*align.Result{"moved": movedAligned(t), "many": exampleAligned(t)} {
		var files []string
		for _, sides := range []Sides{OnlyA, OnlyB, Difference} {
			file, err := os.Create(filepath.Join(dir, name+sides.String()))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := WritePprof(context.Background(), file, results, sides, nil); err != nil {
				t.Fatal(err)
			}
			if err := file.Close(); err != nil {
				t.Fatal(err)
			}
			files = append(files, file.Name())
		}
		for _, kind := range []string{"-sample_index=time", "-sample_index=calls"} {
			got, want := toolTop(t, kind, files[2]), toolTop(t, kind, "-diff_base="+files[0], files[1])
			if got != want || !strings.Contains(got, "flat%") {
				t.Errorf("%s %s:\n%s\nwant\n%s", name, kind, got, want)
			}
		}
		if name == "many" && !regexp.MustCompile(`(?m)\bleaf$`).MatchString(toolTop(t, files[2])) {
			t.Error("the function leaf, which takes longer, is not listed")
		}
	}
}
