package cli

import (
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// aggregated runs aggregate --json.
func aggregated(t *testing.T, args ...string) map[string]any {
	t.Helper()
	return runJSON(t, "aggregate", args...)
}

func TestAggregateJSONHasItsKeys(t *testing.T) {
	for _, args := range [][]string{{queueA()}, {queueA(), queueB()},
		{"--by", "structure", queueA(), queueB()}} {
		got := aggregated(t, append(args, "--slices", "12")...)
		lacks(t, "aggregate", got, []string{"slices", "borders", "states", "operator", "tree",
			"curve", "curveComplete", "a", "b", "difference"})
		lacks(t, "tree", got["tree"], []string{"a", "b", "difference"})
		lacks(t, "curve", got["curve"].([]any)[0], []string{"p", "gain", "loss", "aggregates"})
		for _, part := range []string{"a", "b", "difference"} {
			if got[part] == nil {
				if len(args) > 1 || part == "a" {
					t.Errorf("%q: no %s", args, part)
				}
				continue
			}
			lacks(t, part, got[part], []string{"p", "gain", "loss", "aggregates"})
			lacks(t, part, got["tree"].(map[string]any)[part].([]any)[0],
				[]string{"node", "parent", "leaf"})
			area := got[part].(map[string]any)["aggregates"].([]any)[0]
			lacks(t, part, area, []string{"node", "from", "to", "mode", "share", "shares"})
			coversAll(t, got, part)
		}
	}
}

// TestOneSlice aggregates threads alone, since there is no time to cut.
func TestOneSlice(t *testing.T) {
	got := aggregated(t, "--slices", "1", queueA(), queueB())
	if len(got["borders"].([]any)) != 2 {
		t.Errorf("borders %v", got["borders"])
	}
	for _, part := range []string{"a", "b", "difference"} {
		coversAll(t, got, part)
	}
}

// coversAll holds that the aggregates of a part cover as many cells as there are.
func coversAll(t *testing.T, got map[string]any, part string) {
	t.Helper()
	tree := got["tree"].(map[string]any)[part].([]any)
	leaves := make([]float64, len(tree))
	for i := len(tree) - 1; i >= 0; i-- {
		n := tree[i].(map[string]any)
		if n["leaf"] != nil {
			leaves[i] = 1
		}
		if up := int(n["parent"].(float64)); up >= 0 {
			leaves[up] += leaves[i]
		}
	}
	cells := 0.0
	for _, x := range got[part].(map[string]any)["aggregates"].([]any) {
		a := x.(map[string]any)
		cells += leaves[int(a["node"].(float64))] * (a["to"].(float64) - a["from"].(float64) + 1)
	}
	if want := leaves[0] * got["slices"].(float64); cells != want {
		t.Errorf("%s: %g cells, want %g", part, cells, want)
	}
}

// TestAggregateOfEqualRuns holds that a run does not differ from itself.
func TestAggregateOfEqualRuns(t *testing.T) {
	got := aggregated(t, "--slices", "20", queueA(), queueA())
	list := got["difference"].(map[string]any)["aggregates"].([]any)
	if len(list) != 1 || list[0].(map[string]any)["mode"] != nil {
		t.Error(list)
	}
}

// TestAggregateP holds that a p of the curve has the point's gain and loss.
func TestAggregateP(t *testing.T) {
	got := aggregated(t, "--slices", "20", queueA())
	curve := got["curve"].([]any)
	x := curve[len(curve)/2].(map[string]any)
	p, _ := json.Marshal(x["p"])
	a := aggregated(t, "--slices", "20", "--p", string(p), queueA())["a"].(map[string]any)
	for _, k := range []string{"gain", "loss"} {
		if math.Abs(a[k].(float64)-x[k].(float64)) > 1e-9 {
			t.Errorf("%s: %v, the curve has %v", k, a[k], x[k])
		}
	}
}

func TestAggregateRange(t *testing.T) {
	got := aggregated(t, "--slices", "8", "--range", "800:1.6us", queueA())
	var borders []float64
	for _, b := range got["borders"].([]any) {
		borders = append(borders, b.(float64))
	}
	if !slices.Equal(borders, []float64{800, 900, 1000, 1100, 1200, 1300, 1400, 1500, 1600}) {
		t.Error(borders)
	}
}

func TestAggregateTable(t *testing.T) {
	status, out, errs := run(t, "aggregate", "--states", "blocking", queueA(), queueB())
	if status != 0 {
		t.Fatal(errs)
	}
	for _, want := range []string{"A: p ", "B: p ", "A − B: p ", "from A", "to B", "gain", "loss",
		"resources", "share", "running"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

func TestAggregateUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		want int
		says string
	}{
		{[]string{}, 2, "aggregate takes 1 or 2 files, not 0"},
		{[]string{"--slices", "0", queueA()}, 2, "want 1 to 1000"},
		{[]string{"--by", "x", queueA()}, 2, "want thread or structure"},
		{[]string{"--states", "x", queueA()}, 2, "want function, package or blocking"},
		{[]string{"--by", "structure", "--states", "blocking", queueA()}, 2, "running is the only state"},
		{[]string{"--operator", "x", queueA()}, 2, "want sum or mean"},
		{[]string{"--p", "1.1", queueA()}, 2, "from 0 to 1"},
		{[]string{"--p", "NaN", queueA()}, 2, "from 0 to 1"},
		{[]string{"--range", "5:5", queueA()}, 2, "want FROM:TO"},
		{[]string{"--range", "500h:501h", queueA()}, 1, "after its end"},
		{[]string{filepath.Join(t.TempDir(), "missing")}, 1, "missing"},
		{[]string{"--help"}, 0, ""},
	} {
		status, _, errs := run(t, append([]string{"aggregate"}, c.args...)...)
		if status != c.want || !strings.Contains(errs, c.says) {
			t.Errorf("%q: exit status %d, %q", c.args, status, errs)
		}
	}
}
