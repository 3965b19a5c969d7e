package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var structureNodeKeys = []string{"path", "kind", "function", "functions", "lines", "calls",
	"selfNs", "totalNs", "maxDepth", "firstNs"}

// structured runs structure --json.
func structured(t *testing.T, args ...string) map[string]any {
	t.Helper()
	return runJSON(t, "structure", args...)
}

// nodeAt returns the node with a path, written with " > " between its names.
func nodeAt(t *testing.T, got map[string]any, path string) map[string]any {
	t.Helper()
	for _, n := range got["nodes"].([]any) {
		var names []string
		for _, name := range n.(map[string]any)["path"].([]any) {
			names = append(names, name.(string))
		}
		if strings.Join(names, " > ") == path {
			return n.(map[string]any)
		}
	}
	t.Fatalf("no node %s", path)
	return nil
}

// side returns what a node has of a key on a side.
func side(n map[string]any, key, side string) any { return n[key].(map[string]any)[side] }

func TestStructureJSONHasItsKeys(t *testing.T) {
	for _, files := range [][]string{{queueA()}, {queueA(), queueB()}} {
		got := structured(t, files...)
		lacks(t, "structure", got, []string{"area", "nodes", "unmapped", "elapsedNs"})
		for _, n := range got["nodes"].([]any) {
			lacks(t, "node", n, structureNodeKeys)
			for _, k := range structureNodeKeys[5:] {
				lacks(t, k, n.(map[string]any)[k], []string{"a", "b"})
			}
		}
		put := nodeAt(t, got, "queue > queue.c > put")
		if put["kind"] != "function" || put["function"] != "put" || put["functions"] != 1.0 ||
			put["lines"] != nil {
			t.Error(put)
		}
		if b := side(put, "calls", "b"); (b == nil) != (len(files) == 1) {
			t.Errorf("calls of B: %v", b)
		}
		file := nodeAt(t, got, "queue > queue.c")
		if file["kind"] != "file" || file["function"] != nil {
			t.Error(file)
		}
	}
}

// TestStructureCounts holds that the calls of the first level, and those of functions, are all
// calls; and that so are those that a recorder of profiles counted, beside them.
func TestStructureCounts(t *testing.T) {
	for _, c := range []struct{ file, key string }{
		{queueA(), "calls"}, {filepath.Join(testdata, "gotrace/pipeline-chan.gotrace"), "calls"},
		{filepath.Join(testdata, "callgrind/orders.callgrind"), "calls"},
		{filepath.Join(testdata, "callgrind/orders.callgrind"), "countedCalls"},
	} {
		got := structured(t, c.file)
		sum, leaves := 0.0, 0.0
		for _, n := range got["nodes"].([]any) {
			n := n.(map[string]any)
			if len(n["path"].([]any)) == 1 {
				sum += side(n, c.key, "a").(float64)
			}
			if n["function"] != nil {
				leaves += side(n, c.key, "a").(float64)
			}
		}
		var info map[string]any
		out, _ := infoOf(c.file)
		if err := json.Unmarshal([]byte(out), &info); err != nil {
			t.Fatal(err)
		}
		if sum != info[c.key] || leaves != sum {
			t.Errorf("%s: %s: %g on the first level, %g in leaves, %v in all", c.file, c.key, sum, leaves,
				info[c.key])
		}
	}
}

func TestStructureDepth(t *testing.T) {
	for _, n := range structured(t, "--depth", "1", queueA())["nodes"].([]any) {
		if path := n.(map[string]any)["path"].([]any); len(path) != 1 {
			t.Error(path)
		}
	}
}

// TestStructureSource holds that files which never ran have nodes with their lines, and that
// functions in none of the files are counted.
func TestStructureSource(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "app")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"queue.c": "1\n2\n3\n", "never.c": "1\n2\n",
		"ignored.c": "1\n", ".gitignore": "ignored.c\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := structured(t, "--source", dir, "--area", "lines", queueA())
	never, file := nodeAt(t, got, "app > never.c"), nodeAt(t, got, "app > queue.c")
	if never["lines"] != 2.0 || never["functions"] != 0.0 || side(never, "calls", "a") != 0.0 ||
		side(never, "firstNs", "a") != nil || never["area"] != .4 {
		t.Error(never)
	}
	if file["lines"] != 3.0 || file["functions"] == 0.0 || file["area"] != .6 {
		t.Error(file)
	}
	if got["area"] != "lines" || side(got, "unmapped", "a") == 0.0 ||
		side(got, "unmapped", "b") != nil {
		t.Error(got["area"], got["unmapped"])
	}
	_, table, _ := run(t, "structure", "--source", dir, queueA())
	for _, want := range []string{"lines", "never.c", "2 files, 5 lines; functions in none"} {
		if !strings.Contains(table, want) {
			t.Errorf("no %q in\n%s", want, table)
		}
	}
}

// TestStructureTable holds what the table shows, and its order.
func TestStructureTable(t *testing.T) {
	status, out, errs := run(t, "structure", "--depth", "3", queueA(), queueB())
	if status != 0 {
		t.Fatal(errs)
	}
	head, rest, _ := strings.Cut(out, "\n")
	for _, want := range []string{"calls A", "self B", "B − A", "total A", "functions", "node"} {
		if !strings.Contains(head, want) {
			t.Errorf("no %q in %q", want, head)
		}
	}
	for _, want := range []string{"(all)", "queue", "queue.c", "put", "libcall"} {
		if !strings.Contains(rest, want) {
			t.Errorf("no %q in\n%s", want, rest)
		}
	}
	if strings.Contains(out, "source folder") {
		t.Error("there is no source folder")
	}
	_, one, _ := run(t, "structure", filepath.Join(testdata, "pprof/pipeline-level1.cpu.pprof"))
	if strings.Contains(one, "B − A") || !strings.Contains(one, "compress/flate") {
		t.Error(one)
	}
}

func TestStructureUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		want int
		says string
	}{
		{[]string{}, 2, "structure takes 1 or 2 files, not 0"},
		{[]string{"--area", "round", queueA()}, 2, "want equal, lines, calls or self"},
		{[]string{"--format-b", "chrome", queueA()}, 2, "--format-b: there is no trace B"},
		{[]string{"--source", filepath.Join(t.TempDir(), "missing"), queueA()}, 1, "missing"},
		{[]string{filepath.Join(testdata, "pprof/pipeline-chan.heap.pprof"), queueA()}, 1,
			"cannot be compared"},
		{[]string{"--help"}, 0, ""},
	} {
		status, _, errs := run(t, append([]string{"structure"}, c.args...)...)
		if status != c.want || !strings.Contains(errs, c.says) {
			t.Errorf("%q: exit status %d, %q", c.args, status, errs)
		}
	}
}
