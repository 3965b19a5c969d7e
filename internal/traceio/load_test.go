package traceio_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/tabwriter"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/text"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// inTestdata makes the test run in testdata, so that errors and diagnostics name files alike
// wherever the checkout lies.
func inTestdata(t testing.TB) {
	t.Helper()
	t.Chdir(filepath.Join("..", "..", "testdata"))
}

// files returns the files of testdata that match the patterns.
func files(t testing.TB, patterns ...string) []string {
	t.Helper()
	var all []string
	for _, p := range patterns {
		found, err := filepath.Glob(p)
		if err != nil || len(found) == 0 {
			t.Fatalf("no file matches %s (%v)", p, err)
		}
		all = append(all, found...)
	}
	return all
}

// recordings are the files of testdata that real tools wrote, in a folder for each format.
var recordings = func() (patterns []string) {
	for _, f := range traceio.Formats() {
		patterns = append(patterns, f.Name+"/*.*")
	}
	return patterns
}()

// smallest returns the smallest recording of each format, by the format's name. Chrome's JSON is far
// larger than the others, so that only the long run has all of it.
func smallest(t *testing.T) map[string]string {
	t.Helper()
	out, sizes := map[string]string{}, map[string]int64{}
	for _, f := range traceio.Formats() {
		for _, path := range files(t, f.Name+"/*.*") {
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if n := info.Size(); out[f.Name] == "" || n < sizes[f.Name] {
				out[f.Name], sizes[f.Name] = path, n
			}
		}
	}
	if !testtrace.Sized(false, true) {
		out["chrome"] = put(t, "short.json.gz", gzipped(shortChrome(t, 48<<10)))
	}
	return out
}

// shortChrome returns a whole recording of up to n bytes in Chrome's JSON: the first events of a
// longer one.
func shortChrome(t *testing.T, n int) []byte {
	t.Helper()
	data := unpacked(t, "chrome/node-n8.json.gz")
	return append(data[:bytes.LastIndex(data[:n-2], []byte(`},{"pid":`))], "}]}"...)
}

// unpacked returns the data of a recording without the packing that testdata keeps it in.
func unpacked(t *testing.T, path string) []byte {
	t.Helper()
	data := read(t, path)
	if bytes.HasPrefix(data, []byte("\x1f\x8b")) { // as profiles are, too
		return gunzipped(t, data)
	}
	return data
}

// TestFormats holds that the table is complete: each format has a title, recordings, and is
// recognised as itself.
func TestFormats(t *testing.T) {
	inTestdata(t)
	paths := smallest(t)
	for _, f := range traceio.Formats() {
		tr, err := load(paths[f.Name])
		if err != nil || tr.Format != f.Name || f.Title == "" {
			t.Errorf("%+v, %s: %v", f, paths[f.Name], err)
		}
	}
}

func load(path string) (*trace.Trace, error) {
	return traceio.Load(context.Background(), path, input.Options{})
}

func asText(t testing.TB, tr *trace.Trace) string {
	t.Helper()
	var out bytes.Buffer
	if err := text.Write(&out, tr); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// checkGolden compares got with the file of that name under testdata/golden.
func checkGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("golden", name+".txt")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run the test with -update", err)
	}
	if got != string(want) {
		t.Errorf("%s: %s", path, firstDifference(got, string(want)))
	}
}

// firstDifference tells where two texts part.
func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		a, b := "(end)", "(end)"
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if a != b {
			return fmt.Sprintf("line %d is\n\t%s\nwant\n\t%s", i+1, a, b)
		}
	}
	return "equal"
}

// TestEdgeGoldens holds every hand-made edge case against the whole trace it should become.
// testdata/README.md says why.
func TestEdgeGoldens(t *testing.T) {
	inTestdata(t)
	for _, path := range files(t, "chrome/edge/*") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			tr, err := load(path)
			got := fmt.Sprintf("error: %v\n", err)
			if err == nil {
				got = asText(t, tr)
			}
			checkGolden(t, "edge/"+strings.TrimSuffix(filepath.Base(path), ".json"), got)
		})
	}
}

// known is a trace, its text once that is asked for, and the progress that was reported on the way.
type known struct {
	tr   *trace.Trace
	text string
	done progress
}

// loaded holds what loadOnce has loaded, by path; several tests share it.
var loaded = map[string]*known{}

func loadOnce(t *testing.T, path string) *known {
	t.Helper()
	k := loaded[path]
	if k == nil {
		k = &known{}
		var err error
		k.tr, err = traceio.Load(context.Background(), path, input.Options{Progress: k.done.report})
		if err != nil {
			t.Fatal(err)
		}
		loaded[path] = k
	}
	return k
}

// recording returns a trace of testdata and its text.
func recording(t *testing.T, path string) (*trace.Trace, string) {
	t.Helper()
	k := loadOnce(t, path)
	if k.text == "" {
		k.text = asText(t, k.tr)
	}
	return k.tr, k.text
}

// TestRecordingGoldens holds every recording against a summary, the beginning of its text and a
// hash of all of it.
func TestRecordingGoldens(t *testing.T) {
	inTestdata(t)
	for _, path := range files(t, recordings...) {
		t.Run(path, func(t *testing.T) {
			name, _, _ := strings.Cut(path, ".data.tar")
			checkGolden(t, strings.TrimSuffix(name, ".json.gz"), digest(recording(t, path)))
		})
	}
}

// TestTextHoldsAll checks that nothing of a real trace is lost in the form the goldens have.
func TestTextHoldsAll(t *testing.T) {
	inTestdata(t)
	some, formats := testtrace.Sized(200<<10, 1<<30), map[string]bool{}
	for _, path := range files(t, append(recordings, "chrome/edge/*")...) {
		tr, want := recording(t, path)
		if len(want) > some {
			continue
		}
		formats[tr.Format] = true
		back, err := text.Parse(path, strings.NewReader(want))
		if err != nil {
			t.Error(err)
			continue
		}
		if got := asText(t, back); got != want {
			t.Errorf("%s: read back, %s", path, firstDifference(got, want))
		}
	}
	if len(formats) != len(traceio.Formats()) {
		t.Errorf("recordings of %d formats, not of all", len(formats))
	}
}

// A recording's golden shows so many lines of its threads, and so many threads in their table.
const (
	excerpt     = 60
	mostThreads = 40
)

// digest describes a trace, whose text is all, that is too large to be a golden itself.
func digest(tr *trace.Trace, all string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "format %s, tool %q, unit %s, origin %d, duration %d\n", tr.Format, tr.Tool,
		tr.Unit, tr.Origin, tr.Duration)
	fmt.Fprintf(&out, "%d calls of %d functions, %d levels, %d objects, %d counters, "+
		"%d correspondences\n", tr.Calls(), len(tr.Functions), tr.MaxDepth(), len(tr.Objects),
		len(tr.Counters), len(tr.Correspondences))
	if len(tr.CallCounts) > 0 {
		sum := int64(0)
		for _, c := range tr.CallCounts {
			sum += c.Calls
		}
		fmt.Fprintf(&out, "%d calls were counted, between %d pairs of functions\n", sum, len(tr.CallCounts))
	}
	fmt.Fprintf(&out, "text: %d lines, sha256 %x\n", strings.Count(all, "\n"),
		sha256.Sum256([]byte(all)))
	for _, d := range tr.Diagnostics {
		fmt.Fprintf(&out, "diagnostic %s %d %q\n", d.Code, d.Count, d.Example)
	}
	out.WriteByte('\n')
	threadTable(&out, tr)
	out.WriteByte('\n')
	_, threads, _ := strings.Cut(all, "\nthread ")
	lines := strings.SplitAfter("thread "+threads, "\n")
	out.WriteString(strings.Join(lines[:min(len(lines), excerpt)], ""))
	return out.String()
}

func threadTable(out *strings.Builder, tr *trace.Trace) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "thread\tcalls\tlevels\tstart\tend\twaits\treleases\tio\tinstants\tname")
	for i, th := range tr.Threads {
		if i == mostThreads {
			fmt.Fprintf(w, "%d more\n", len(tr.Threads)-i)
			break
		}
		n := map[trace.BlockKind]int{}
		for _, b := range th.Blocks {
			n[b.Kind]++
		}
		start, end := th.Span()
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\n", th.ID, th.Len(), th.MaxDepth(),
			start, end, n[trace.Wait], n[trace.Release], n[trace.IO], len(th.Instants), th.Name)
	}
	w.Flush()
}
