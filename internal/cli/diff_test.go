package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"diptych/internal/pair"
	"diptych/internal/report"
	"diptych/internal/session"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

// diffKeys and findingKeys are the keys that scripts may rely on.
var (
	diffKeys    = []string{"account", "findings", "similarity", "durationNs"}
	accountKeys = []string{"elapsedNs", "workNs", "waitNs", "ioNs", "offCpuNs", "idleNs",
		"unexplained"}
	findingKeys = []string{"kind", "function", "calls", "deltaNs", "share", "elapsedNs", "workNs",
		"under", "a", "b", "text"}
)

func TestDiffJSONHasItsKeys(t *testing.T) {
	for _, p := range [][2]string{
		{"gotrace/pipeline-mutex.gotrace", "gotrace/pipeline-chan.gotrace"},
		{"uftrace/queue-2p2c.data.tar.gz", "uftrace/queue-1p3c.data.tar.gz"},
	} {
		status, out, errs := run(t, "diff", "--format", "json", filepath.Join(testdata, p[0]),
			filepath.Join(testdata, p[1]))
		if status != 0 {
			t.Fatalf("%v: exit status %d: %s", p, status, errs)
		}
		var got map[string]any
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatal(err)
		}
		wantKeys(t, got, diffKeys)
		wantKeys(t, got["account"].(map[string]any), accountKeys)
		list := got["findings"].([]any)
		if len(list) == 0 {
			t.Errorf("%v: nothing found", p)
		}
		for _, f := range list {
			wantKeys(t, f.(map[string]any), findingKeys)
		}
	}
}

// TestRecordedOtherwise: where the tool was told otherwise for one side, that is said before the
// findings.
func TestRecordedOtherwise(t *testing.T) {
	lost := filepath.Join(testdata, "uftrace/lost.data.tar.gz")
	queue := filepath.Join(testdata, "uftrace/queue-2p2c.data.tar.gz")
	_, out, _ := run(t, "diff", "--no-cache", queue, lost)
	before, _, _ := strings.Cut(out, "  1  ")
	if !strings.Contains(before, "and 16 more options and B with --no-event, so what only one") {
		t.Errorf("diff opens with %q", before)
	}
	_, out, _ = run(t, "diff", "--no-cache", "--format", "json", queue, lost)
	var got struct{ Options struct{ A, B []string } }
	if err := json.Unmarshal([]byte(out), &got); err != nil || len(got.Options.A) != 19 ||
		!slices.Equal(got.Options.B, []string{"--no-event"}) {
		t.Errorf("%v, %v", got, err)
	}
	if _, out, _ = run(t, "info", "--no-cache", lost); !strings.Contains(out, "with --no-event\n") {
		t.Errorf("info says %q", out)
	}
}

func wantKeys(t *testing.T, got map[string]any, keys []string) {
	t.Helper()
	for _, k := range keys {
		if _, ok := got[k]; !ok {
			t.Errorf("no key %q", k)
		}
	}
}

// TestTheWindowTellsTheSame holds that the session, which the window shows, has the findings of
// `diptych diff` in the same order, with the same parts of the difference.
func TestTheWindowTellsTheSame(t *testing.T) {
	paths := [2]string{"uftrace/queue-2p2c.data.tar.gz", "uftrace/queue-1p3c.data.tar.gz"}
	s := session.New(func() {})
	for sd, path := range paths {
		paths[sd] = filepath.Join(testdata, path)
		tr, err := traceio.Load(t.Context(), paths[sd], input.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s.Put(pair.Side(sd), path, tr)
	}
	s.Settle(t.Context())
	_, out, _ := run(t, "diff", "--json", paths[pair.A], paths[pair.B])
	var printed report.Diff
	if err := json.Unmarshal([]byte(out), &printed); err != nil {
		t.Fatal(err)
	}
	shown := report.NewDiff(s.State().Difference())
	if len(shown.Findings) == 0 || !reflect.DeepEqual(shown.Findings, printed.Findings) ||
		!reflect.DeepEqual(shown.Account, printed.Account) {
		t.Errorf("the window shows %+v, diff prints %s", shown, out)
	}
	args := []string{"diff", "--json", "--format", "md", paths[pair.A], paths[pair.B]}
	if status, _, errs := run(t, args...); status != 2 || !strings.Contains(errs, "give one of them") {
		t.Errorf("JSON and Markdown at once: status %d, %s", status, errs)
	}
}

func TestDiffStatusGoesByThresholds(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.json"), filepath.Join(dir, "b.json")
	const head = `[{"ph":"X","pid":1,"tid":1,"name":"main","ts":0,"dur":1000}`
	for path, text := range map[string]string{a: head + "]",
		b: head + `,{"ph":"X","pid":1,"tid":1,"name":"load_all","ts":100,"dur":200}]`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		over string
		want int
		says string
	}{
		{"", 2, `--fail-over "": want kind=size`},
		{" ", 2, "kind=size"},
		{"new=30%,slower=1%", 0, ""},
		{"new=1ms", 0, ""},
		{"new=10%", 3, "diptych: more than allowed: new=10%"},
		{"slower=1%,new=100us", 3, "new=100us"},
		{"new", 2, "kind=size"},
		{"new=fast", 2, "1ms"},
		{"newer=1%", 2, "newer"},
		{"new=-1%", 2, "share"},
	} {
		status, out, errs := run(t, "diff", "--fail-over", c.over, a, b)
		if status != c.want || !strings.Contains(errs, c.says) {
			t.Errorf("--fail-over %q: exit status %d, want %d: %s", c.over, status, c.want, errs)
		}
		if status != 2 && !strings.Contains(out, "load_all is new in B: 1 call, +200 µs") {
			t.Errorf("--fail-over %q: printed %q", c.over, out)
		}
	}
	over := []string{"diff", "--fail-over", "new=10%", "--fail-over", "new=30%", a, b}
	if status, _, errs := run(t, over...); status != 3 || !strings.Contains(errs, "allowed: new=10%\n") {
		t.Errorf("the first limit of two: exit status %d: %s", status, errs)
	}
	status, out, _ := run(t, "diff", "--format", "md", "--limit", "1", a, b)
	if status != 0 || !strings.Contains(out, "| kind |") || !strings.Contains(out, "load\\_all") ||
		!strings.Contains(out, "2 more") {
		t.Errorf("exit status %d: %s", status, out)
	}
	if status, out, _ := run(t, "diff", a, a); status != 0 || !strings.Contains(out, "Nothing differs") {
		t.Errorf("exit status %d: %s", status, out)
	}
	if status, _, _ := run(t, "diff", "--format", "html", a, b); status != 2 {
		t.Errorf("exit status %d for an unknown format", status)
	}
}
