package cli

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var (
	alignKeys = []string{"pairs", "total", "functions", "dissimilarity", "skewNs", "elapsedNs",
		"moved", "ties", "engine"}
	alignPairKeys = []string{"a", "b", "m", "n", "equal", "different", "gapA", "gapB", "score",
		"scoreMax", "scoreMin", "ratio", "similarity", "dice", "skewEndNs"}
	alignFunctionKeys = []string{"name", "pairs", "plusCount", "plusNs", "minusCount", "minusNs",
		"onlyA", "onlyB", "onlyANs", "onlyBNs"}
)

// aligned runs align --json.
func aligned(t *testing.T, args ...string) map[string]any {
	t.Helper()
	return runJSON(t, "align", args...)
}

func lacks(t *testing.T, of string, got any, keys []string) {
	t.Helper()
	for _, k := range keys {
		if _, ok := got.(map[string]any)[k]; !ok {
			t.Errorf("%s: no key %q", of, k)
		}
	}
}

func TestAlignJSONHasItsKeys(t *testing.T) {
	got := aligned(t, queueA(), queueB())
	lacks(t, "align", got, alignKeys)
	lacks(t, "pairs", got["pairs"].([]any)[0], alignPairKeys)
	lacks(t, "total", got["total"], alignPairKeys[2:])
	lacks(t, "functions", got["functions"].([]any)[0], alignFunctionKeys)
	lacks(t, "moved", got["moved"].([]any)[0], []string{"a", "b", "size"})
	lacks(t, "ties", got["ties"], []string{"levels", "overBudget"})
	lacks(t, "elapsedNs", got["elapsedNs"], []string{"load", "compute"})
	for _, k := range []string{"dissimilarity", "skewNs"} {
		if n := len(got[k].([]any)); n != 1000 {
			t.Errorf("%s: %d samples", k, n)
		}
	}
}

func queueA() string { return filepath.Join(testdata, "uftrace/queue-1p3c.data.tar.gz") }
func queueB() string { return filepath.Join(testdata, "uftrace/queue-2p2c.data.tar.gz") }

func TestAlignFindsATraceInItself(t *testing.T) {
	total := aligned(t, queueA(), queueA())["total"].(map[string]any)
	if total["similarity"] != 1.0 || total["dice"] != 1.0 || total["equal"] != total["m"] ||
		total["score"] != total["scoreMax"] || total["skewEndNs"] != 0.0 {
		t.Error(total)
	}
}

// TestAlignEnginesAgree holds that the choice of the engine changes no score.
func TestAlignEnginesAgree(t *testing.T) {
	want := aligned(t, queueA(), queueB())["total"].(map[string]any)["score"]
	for _, e := range []string{"plain", "hirschberg", "hybrid"} {
		got := aligned(t, "--engine", e, queueA(), queueB())
		if score := got["total"].(map[string]any)["score"]; score != want || got["engine"] != e {
			t.Errorf("%s: score %v by %v, want %v", e, score, got["engine"], want)
		}
	}
}

// line is one of a dump.
type line struct {
	State  string
	A, B   *int
	Parent int
	Pair   int
}

// TestAlignDump holds that a dump has every call once, below its caller's line, and that the number
// of lines in each state is the one in the figures.
func TestAlignDump(t *testing.T) {
	file := filepath.Join(t.TempDir(), "dump.jsonl")
	got := aligned(t, "--dump", file, queueA(), queueB())
	lines := readDump(t, file)
	states := map[string]float64{}
	met := map[[3]int]bool{}
	for k, l := range lines {
		states[l.State]++
		if l.Parent >= k || l.Parent >= 0 && lines[l.Parent].Pair != l.Pair {
			t.Fatalf("line %d: parent %d", k, l.Parent)
		}
		for side, call := range []*int{l.A, l.B} {
			if call == nil {
				continue
			}
			if id := [3]int{l.Pair, side, *call}; met[id] {
				t.Fatalf("line %d: %v again", k, id)
			} else {
				met[id] = true
			}
		}
	}
	total := got["total"].(map[string]any)
	for _, s := range []string{"equal", "different", "gapA", "gapB"} {
		if states[s] != total[s] {
			t.Errorf("%v lines are %s, the total says %v", states[s], s, total[s])
		}
	}
	if n := total["m"].(float64) + total["n"].(float64); float64(len(met)) != n {
		t.Errorf("%d calls in the dump, %v in all", len(met), n)
	}
}

func readDump(t *testing.T, file string) (lines []line) {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		var l line
		if err := json.Unmarshal(s.Bytes(), &l); err != nil {
			t.Fatalf("%s: %v", s.Text(), err)
		}
		lines = append(lines, l)
	}
	return lines
}

func TestAlignPairs(t *testing.T) {
	one := aligned(t, "--pairs", "3353:3334", queueA(), queueB())["pairs"].([]any)
	p := one[0].(map[string]any)
	if len(one) != 1 || p["a"] != "3353" || p["b"] != "3334" {
		t.Error(one)
	}
	m := aligned(t, "--pairs", "all", queueA(), queueB())["matrix"].(map[string]any)
	rows := m["similarity"].([]any)
	if len(rows) != 5 || len(rows[0].([]any)) != 5 {
		t.Fatal(m)
	}
	for a, id := range m["a"].([]any) {
		for b, other := range m["b"].([]any) {
			if id == "3353" && other == "3334" && rows[a].([]any)[b] != p["similarity"] {
				t.Errorf("%v in the matrix, %v alone", rows[a].([]any)[b], p["similarity"])
			}
		}
	}
}

func TestAlignTable(t *testing.T) {
	status, out, errs := run(t, "align", "--pairs", "all", queueA(), queueB())
	for _, w := range []string{"similarity", "dice", "sem_wait", "moved calls", "levels aligned",
		"of 5 × 5"} {
		if status != 0 || !strings.Contains(out, w) {
			t.Errorf("%s the table lacks %q:\n%s", errs, w, out)
		}
	}
}

func TestAlignMisuse(t *testing.T) {
	for _, c := range []struct {
		args []string
		want int
		says string
	}{
		{[]string{queueA()}, 2, "align takes 2 files, not 1"},
		{[]string{queueA(), queueB(), "--engine", "steam"}, 2, "steam"},
		{[]string{queueA(), queueB(), "--pairs", "one"}, 2, "TID:TID"},
		{[]string{queueA(), queueB(), "--pairs", "3353:no"}, 2, `B has no thread "no"`},
		{[]string{queueA(), queueB(), "--dump", filepath.Join(t.TempDir(), "no", "d")}, 1, "no/d"},
	} {
		status, _, errs := run(t, append([]string{"align"}, c.args...)...)
		if status != c.want || !strings.Contains(errs, c.says) {
			t.Errorf("%q: exit status %d, %q", c.args, status, errs)
		}
	}
}
