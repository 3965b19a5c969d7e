package paje

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"diptych/internal/trace"
)

// TestAgainstPjDump compares every state, event, link and value of a variable with what PajeNG's
// pj_dump prints. Files below $DIPTYCH_TRACES are compared as well.
func TestAgainstPjDump(t *testing.T) {
	tool, err := exec.LookPath("pj_dump")
	if err != nil {
		t.Skip("pj_dump is not installed (Debian: pajeng)")
	}
	paths, err := filepath.Glob("../../../testdata/paje/*.trace*")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no recording (%v)", err)
	}
	if more := os.Getenv("DIPTYCH_TRACES"); more != "" {
		found, err := filepath.Glob(filepath.Join(more, "paje", "*.trace"))
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	for _, path := range paths {
		compareWithPjDump(t, tool, path, unpacked(t, path))
	}
	for seed := range 20 {
		compareWithPjDump(t, tool, fmt.Sprint("seed ", seed), generated(uint64(seed), 300).text())
	}
}

func unpacked(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(path, ".gz") {
		r, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if data, err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	return string(data)
}

func compareWithPjDump(t *testing.T, tool, name, text string) {
	t.Helper()
	dump := exec.Command(tool, "-l", "9", "-z")
	dump.Stdin = strings.NewReader(text)
	out, err := dump.Output()
	if err != nil {
		t.Fatalf("%s: %v: %s", name, err, out)
	}
	got, want := rows(mustLoad(t, text)), dumped(string(out))
	slices.Sort(got)
	slices.Sort(want)
	if len(want) == 0 && len(got) == 0 {
		t.Logf("%s: containers only", name)
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Errorf("%s: row %d of %d and %d: %q, pj_dump %q", name, i, len(got), len(want),
				got[min(i, len(got)):min(i+1, len(got))], want[min(i, len(want)):min(i+1, len(want))])
			return
		}
	}
}

// micro is what pj_dump's floats can tell of times since an origin long ago.
func micro(ns int64) string { return strconv.FormatFloat(math.Round(float64(ns)/1e3), 'f', 0, 64) }

// zeroed makes what sums of floats leave over 0.
func zeroed(v float64) float64 { return math.Round(v*1e9)/1e9 + 0 }

// dumped takes from pj_dump's lines what a trace has too: links only between containers with states,
// and values of variables without their ends. The dump computes values as float32.
func dumped(out string) (all []string) {
	var links [][]string
	at := func(s string) string {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return s
		}
		return micro(int64(math.Round(f * 1e9)))
	}
	hasStates := map[string]bool{}
	for line := range strings.Lines(out) {
		w := strings.Split(strings.TrimSuffix(line, "\n"), ", ")
		switch {
		case w[0] == "State" && len(w) >= 8:
			level, err := strconv.ParseFloat(w[6], 64)
			if err != nil {
				level = -1
			}
			all = append(all, fmt.Sprintf("state %s %s-%s %d %s", w[1], at(w[3]), at(w[4]), int(level), w[7]))
			hasStates[w[1]] = true
		case w[0] == "Event":
			all = append(all, fmt.Sprintf("event %s %s %s", w[1], at(w[3]), w[4]))
		case w[0] == "Variable":
			v, err := strconv.ParseFloat(w[6], 64)
			if err != nil {
				v = math.NaN()
			}
			all = append(all, fmt.Sprintf("variable %s %s %s %.4g", w[1], w[2], at(w[3]), zeroed(v)))
		case w[0] == "Link":
			links = append(links, w)
		}
	}
	for _, w := range links {
		if hasStates[w[7]] && hasStates[w[8]] {
			all = append(all, fmt.Sprintf("link %s %s %s-%s", w[7], w[8], at(w[3]), at(w[4])))
		}
	}
	return all
}

// rows describes a trace as dumped does.
func rows(tr *trace.Trace) (all []string) {
	abs := func(ns int64) string { return micro(ns + tr.Origin) }
	in := func(th *trace.Thread) string {
		name, _, _ := strings.Cut(th.Name, " · ")
		return name
	}
	for _, th := range tr.Threads {
		for i := range th.Len() {
			fn := tr.FunctionOf(th, i)
			all = append(all, fmt.Sprintf("state %s %s-%s %d %s", in(th), abs(th.Start(i)), abs(th.End(i)),
				th.Depth(i), fn.Name))
		}
		for _, e := range th.Instants {
			all = append(all, fmt.Sprintf("event %s %s %s", in(th), abs(e.At), tr.Functions[e.Fn].Name))
		}
	}
	for _, l := range tr.Links {
		all = append(all, fmt.Sprintf("link %s %s %s-%s", in(tr.Threads[l.From.Thread]),
			in(tr.Threads[l.To.Thread]), abs(l.At), abs(l.Until)))
	}
	for _, c := range tr.Counters {
		for i, v := range c.Value {
			if i+1 < len(c.At) && c.At[i+1] == c.At[i] {
				continue // the dump leaves out what lasts no time
			}
			name, of, _ := strings.Cut(c.Name, " ")
			all = append(all, fmt.Sprintf("variable %s %s %s %.4g", name, of, abs(c.At[i]), zeroed(v)))
		}
	}
	return all
}
