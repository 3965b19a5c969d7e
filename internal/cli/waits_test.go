package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var (
	waitKeys = []string{"threads", "pairs", "objects", "correspondences", "unreleased",
		"criticalPathNs"}
	waitThreadKeys = []string{"id", "waitNs", "ioNs", "releases", "waits"}
	waitPairKeys   = []string{"waiter", "releaser", "count", "waitNs"}
	waitObjectKeys = []string{"name", "kind", "waiters", "releasers", "waitNs"}
)

// waits runs waits --json.
func waits(t *testing.T, args ...string) map[string]any {
	t.Helper()
	return runJSON(t, "waits", args...)
}

func TestWaitsJSONHasItsKeys(t *testing.T) {
	one, two := waits(t, queueA()), waits(t, queueA(), queueB())
	for _, got := range []map[string]any{one, two} {
		lacks(t, "waits", got, waitKeys)
		for list, keys := range map[string][]string{"threads": waitThreadKeys,
			"pairs": waitPairKeys, "objects": waitObjectKeys} {
			lacks(t, list, got[list].([]any)[0], keys)
		}
	}
	for _, k := range waitKeys[3:] {
		lacks(t, k, two[k], []string{"a", "b"})
	}
	for list, keys := range map[string][]string{"threads": waitThreadKeys, "pairs": waitPairKeys,
		"objects": waitObjectKeys} {
		for _, k := range keys {
			lacks(t, list+" "+k, two[list].([]any)[0].(map[string]any)[k], []string{"a", "b"})
		}
	}
	lacks(t, "table", two["table"].([]any)[0], []string{"waiter", "releaser", "object", "kind",
		"count", "waitNs", "deltaNs"})
}

// TestWaitsOfAProfile holds that a profile, which has no waits, is not said to have a critical
// path.
func TestWaitsOfAProfile(t *testing.T) {
	a, b := filepath.Join(testdata, "pprof/pipeline-mutex.heap.pprof"),
		filepath.Join(testdata, "pprof/pipeline-chan.heap.pprof")
	for _, files := range [][]string{{a}, {a, b}} {
		status, out, errs := run(t, append([]string{"waits"}, files...)...)
		if status != 0 || out != profileWaits+"\n" {
			t.Errorf("%d files: exit status %d, %q, %q", len(files), status, out, errs)
		}
	}
}

// TestWaitsPairAgrees holds that the figures of a pair are the figures of its two traces.
func TestWaitsPairAgrees(t *testing.T) {
	both := waits(t, queueA(), queueB())
	for side, file := range map[string]string{"a": queueA(), "b": queueB()} {
		one := waits(t, file)
		for _, k := range waitKeys[3:] {
			if got := both[k].(map[string]any)[side]; got != one[k] {
				t.Errorf("%s of %s: %v, want %v", k, side, got, one[k])
			}
		}
		sum := func(of map[string]any, pick func(any) any) (total float64) {
			for _, p := range of["pairs"].([]any) {
				total += pick(p.(map[string]any)["waitNs"]).(float64)
			}
			return total
		}
		got := sum(both, func(v any) any { return v.(map[string]any)[side] })
		if want := sum(one, func(v any) any { return v }); got != want || got == 0 {
			t.Errorf("pairs of %s wait %v, want %v", side, got, want)
		}
	}
}

// TestWaitsTables holds that the tables name what matters: the threads by name, who waits on whom,
// what is never released.
func TestWaitsTables(t *testing.T) {
	goroutines := filepath.Join(testdata, "gotrace/pipeline-mutex.gotrace")
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{queueA()}, []string{"consumer ← producer", "semaphore", "condition",
			"waits: ", "critical path: "}},
		{[]string{goroutines}, []string{"stated by the recording", "0 never ended", "off cpu",
			"11 threads of the language's runtime not counted"}},
		{[]string{"--runtime", goroutines}, []string{"runtime.bgsweep", "10 never ended",
			"until the end", "84 correspondences"}},
		{[]string{goroutines, goroutines}, []string{"off cpu B", "11 threads of the language's"}},
		{[]string{queueA(), queueB()}, []string{"B − A", "   +", "semaphore 0x", "never ended",
			"critical path"}},
	} {
		status, out, errs := run(t, append([]string{"waits"}, c.args...)...)
		if status != 0 {
			t.Fatal(errs)
		}
		for _, w := range c.want {
			if !strings.Contains(out, w) {
				t.Errorf("waits %v lacks %q:\n%s", c.args, w, out)
			}
		}
	}
}

// TestWaitsDeadlock holds that two threads that wait for each other for ever are reported.
func TestWaitsDeadlock(t *testing.T) {
	file := filepath.Join(t.TempDir(), "deadlock.json")
	lock := func(ph string, tid, ts int, mutex string) string {
		return fmt.Sprintf(`{"ph":"%s","pid":1,"tid":%d,"ts":%d,"name":"pthread_mutex_lock",`+
			`"args":{"arguments":"(%s)"}}`, ph, tid, ts, mutex)
	}
	events := []string{lock("B", 1, 0, "0x10"), lock("E", 1, 1, "0x10"), lock("B", 2, 0, "0x20"),
		lock("E", 2, 1, "0x20"), lock("B", 1, 5, "0x20"), lock("B", 2, 6, "0x10"),
		`{"ph":"X","pid":1,"tid":3,"ts":0,"dur":100,"name":"work"}`}
	err := os.WriteFile(file, []byte("["+strings.Join(events, ",")+"]"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	status, out, errs := run(t, "waits", file)
	for _, want := range []string{
		"deadlock: thread 1/1 waits for 0x20, which 1/2 holds; thread 1/2 waits for 0x10",
		"2 never ended", "from 5.00 µs until the end, 95.0 µs later"} {
		if status != 0 || !strings.Contains(out, want) {
			t.Errorf("status %d %s, no %q in\n%s", status, errs, want, out)
		}
	}
}

func TestWaitsUsage(t *testing.T) {
	for _, args := range [][]string{{"waits"}, {"waits", "a", "b", "c"},
		{"waits", queueA(), "--trace-b", "x"}, {"aggregate", queueA(), "--format-b", "chrome"},
		{"render", queueA(), "--view", "threads", "-o", "-", "--trace-b", "x"}} {
		if status, _, _ := run(t, args...); status != 2 {
			t.Errorf("%v: status %d, want 2", args, status)
		}
	}
}
