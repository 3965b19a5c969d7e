package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"diptych/internal/report"
	"diptych/internal/saved"
)

// shop is a file with three requests, of which the first is slow.
var shop = filepath.Join(testdata, "otlp/shop.json.gz")

// requestsOf returns what info says of a file's requests.
func requestsOf(t *testing.T, file string) []report.InfoRequest {
	t.Helper()
	out, errs := infoOf(file)
	var in report.Info
	if err := json.Unmarshal([]byte(out), &in); err != nil {
		t.Fatal(err, errs)
	}
	return in.Requests
}

func TestInfoListsRequests(t *testing.T) {
	list := requestsOf(t, shop)
	if len(list) != 3 || !list[0].Shown || list[1].Shown || list[0].Spans != 17 || list[0].Service != "gateway" ||
		list[0].Operation != "GET /cart" || list[0].DurationNs < list[1].DurationNs {
		t.Errorf("%+v", list)
	}
	_, out, _ := run(t, "info", shop, "--trace", list[1].ID)
	for _, want := range []string{list[0].ID, list[1].ID, list[2].ID, "gateway: GET /cart  (shown)", "other-requests  2×"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	if shown := regexp.MustCompile(`(?m)^ *(\w+) .*\(shown\)$`).FindStringSubmatch(out); shown == nil || shown[1] != list[1].ID {
		t.Errorf("%v is shown, want %s", shown, list[1].ID)
	}
	_, out, _ = run(t, "info", filepath.Join(testdata, "chrome/node-n8.json.gz"))
	if strings.Contains(out, "root") {
		t.Errorf("a file without requests lists some:\n%s", out)
	}
}

// TestTwoRequestsOfOneFile compares a fast with a slow request by the commands that take two traces.
func TestTwoRequestsOfOneFile(t *testing.T) {
	list := requestsOf(t, shop)
	slow, fast := list[0].ID, list[2].ID
	status, out, errs := run(t, "diff", shop, shop, "--trace-a", fast, "--trace-b", slow[:8])
	if status != 0 || !strings.Contains(out, "prices: SELECT discounts is new in B: 6 calls, ") {
		t.Errorf("%d, %s\n%s", status, errs, out)
	}
	_, swapped, _ := run(t, "diff", shop, shop, "--trace", slow, "--trace-b", fast)
	if !strings.Contains(swapped, "prices: SELECT discounts is missing in B") {
		t.Error(swapped)
	}
	for _, args := range [][]string{{"match"}, {"align"}, {"waits"}, {"structure"}, {"aggregate"},
		{"report", "-o", filepath.Join(t.TempDir(), "r.html")}, {"export", "--to", "chrome", "-o", filepath.Join(t.TempDir(), "x.json")}} {
		args = append(args, shop, shop, "--trace-a", fast, "--trace-b", slow)
		if status, _, errs := run(t, args...); status != 0 {
			t.Errorf("%v: %d, %s", args, status, errs)
		}
	}
	_, waits, _ := run(t, "waits", shop, "--trace", slow)
	if !strings.Contains(waits, "gateway ← prices") {
		t.Error(waits)
	}
}

// writeOperations writes a file of one request for each operation, which takes so many milliseconds.
func writeOperations(t *testing.T, ms map[string]int) string {
	t.Helper()
	var spans []string
	for _, operation := range slices.Sorted(maps.Keys(ms)) {
		spans = append(spans, fmt.Sprintf(`{"traceId":"%032x","spanId":"%016x","name":"%s",`+
			`"startTimeUnixNano":"1000000000","endTimeUnixNano":"%d"}`, operation, operation[len(operation)-4:],
			operation, 1_000_000_000+1_000_000*ms[operation]))
	}
	return writeSpans(t, spans)
}

func writeSpans(t *testing.T, spans []string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "spans.json")
	text := `{"resourceSpans":[{"scopeSpans":[{"spans":[` + strings.Join(spans, ",") + `]}]}]}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestTheSameIsAsked holds that two files are compared by requests for the same thing, unless they
// were chosen.
func TestTheSameIsAsked(t *testing.T) {
	a := writeOperations(t, map[string]int{"GET /health": 1, "GET /search": 9})
	b := writeOperations(t, map[string]int{"GET /health": 60, "GET /search": 8})
	for want, args := range map[string][]string{
		"elapsed 1.00 ms → 60.0 ms": {a, b},
		"elapsed 60.0 ms → 1.00 ms": {b, a},
		"elapsed 9.00 ms → 8.00 ms": {a, b, "--trace-a", fmt.Sprintf("%032x", "GET /search")},
	} {
		if status, out, errs := run(t, append([]string{"diff"}, args...)...); status != 0 || !strings.Contains(out, want) {
			t.Errorf("%d, %s\n%s, want %s", status, errs, out, want)
		}
	}
}

// TestTheMedianIsCompared holds that no side shows an outlier, and that diff says what is compared.
func TestTheMedianIsCompared(t *testing.T) {
	id := func(n int) string { return strings.Repeat(fmt.Sprint(n), 32) }
	file := func(ms ...int) string {
		var spans []string
		for k, n := range ms {
			spans = append(spans, fmt.Sprintf(`{"traceId":"%s","spanId":"%016x","name":"GET",`+
				`"startTimeUnixNano":"1000000000","endTimeUnixNano":"%d"}`, id(k+1), k+1, 1_000_000_000+1_000_000*n))
		}
		return writeSpans(t, spans)
	}
	a, b, c := file(5, 90, 6), file(7, 8, 9, 40), file(4, 3, 60)
	for want, args := range map[string][]string{
		"in A the median of 3 (33333333), in B the median of 4 (22222222; half of them take 8.00 ms to 9.00 ms)\nelapsed 6.00 ms": {a, b},
		"in A the longest of 3 (22222222), in B the median of 4 (22222222":                                                        {a, b, "--trace-a", id(2)},
		"A: elapsed 5.00 ms (median; 4.00 ms to 6.00 ms)\n1 run of B: elapsed 8.00 ms (":                                          {"--a", a, "--a", c, "--b", b},
		"A: elapsed 6.00 ms (median; 6.00 ms to 6.00 ms)\n1 run of B: elapsed 40.0 ms (":                                          {"--a", a, "--a", a, "--b", b, "--trace-a", id(3), "--trace-b", id(4)},
	} {
		if status, out, errs := run(t, append([]string{"diff"}, args...)...); status != 0 || !strings.Contains(out, want) {
			t.Errorf("%d, %s\n%s, want %s", status, errs, out, want)
		}
	}
	var d report.Diff
	if _, out, _ := run(t, "diff", a, b, "--json"); json.Unmarshal([]byte(out), &d) != nil || d.Requests == nil ||
		d.Requests.B.ID != id(2) || d.Requests.B.Rank != 2 || d.Requests.B.Of != 4 {
		t.Errorf("%+v", d.Requests)
	}
	for _, command := range []string{"match", "align", "waits"} {
		const want = "in A the median of 3 (33333333), in B the median of 4 (22222222; half of them take 8.00 ms to 9.00 ms)"
		if _, out, errs := run(t, command, a, b); !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
			t.Errorf("%s: %s\n%s, want %s", command, errs, out, want)
		}
		var x struct{ Requests *report.Requests }
		if _, out, _ := run(t, command, a, b, "--json"); json.Unmarshal([]byte(out), &x) != nil || x.Requests == nil ||
			x.Requests.B != d.Requests.B {
			t.Errorf("%s: %+v", command, x.Requests)
		}
	}
	svg := filepath.Join(t.TempDir(), "x.svg")
	if status, _, errs := run(t, "render", a, b, "--view", "alignment", "-o", svg); status != 0 {
		t.Fatal(errs)
	}
	if data, err := os.ReadFile(svg); err != nil || !strings.Contains(string(data), ">7 ms<") || strings.Contains(string(data), ">20 ms<") {
		t.Errorf("%v: another request is drawn", err)
	}
}

// TestTheSameIsAskedInABatch holds that a batch compares the requests that commands do.
func TestTheSameIsAskedInABatch(t *testing.T) {
	a := writeOperations(t, map[string]int{"GET /health": 1, "GET /search": 9})
	b := writeOperations(t, map[string]int{"GET /health": 60, "GET /search": 8})
	holdRows(t, [][2]string{{a, b}})
}

func TestRequestsThatAreNotThere(t *testing.T) {
	for _, c := range []struct{ file, id, want string }{
		{shop, "none", "no trace none among its 3: "},
		{filepath.Join(testdata, "chrome/node-n8.json.gz"), "x", "--trace: the file holds no distributed traces"},
	} {
		status, _, errs := run(t, "info", c.file, "--trace", c.id)
		if status != 1 || !strings.Contains(errs, c.want) {
			t.Errorf("%s: %d, %s", c.file, status, errs)
		}
	}
}

// TestRequestsInSessions: a session says which request of a file each side shows.
func TestRequestsInSessions(t *testing.T) {
	list, dir := requestsOf(t, shop), t.TempDir()
	path, err := filepath.Abs(shop)
	if err != nil {
		t.Fatal(err)
	}
	f := saved.Session{Panes: []saved.Pane{{View: "alignment"}}, Layout: &saved.Split{}, Look: saved.Look{Shape: "tubes", Colour: "shift"}}
	f.Traces.A = saved.Trace{Path: path, Request: list[2].ID}
	f.Traces.B = saved.Trace{Path: path, Request: list[0].ID}
	file := filepath.Join(dir, "x.diptych")
	if err := f.Write(file); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "x.svg")
	if status, _, errs := run(t, "render", file, "--view", "alignment", "-o", out); status != 0 {
		t.Fatal(errs)
	}
	data, err := os.ReadFile(out)
	if err != nil || !strings.Contains(string(data), "SELECT discounts") {
		t.Errorf("%v: the slow request is not drawn", err)
	}
	if status, _, errs := run(t, "render", file, "--trace-a", "x", "-o", out); status != 2 || !strings.Contains(errs, "--trace-a: the session says") {
		t.Errorf("%d, %s", status, errs)
	}
}
