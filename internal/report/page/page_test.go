package page

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"diptych/internal/account/explain"
	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/report"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

// compared compares two traces.
func compared(t *testing.T, names [2]string, a, b *trace.Trace) Source {
	t.Helper()
	p := pair.New(a, b, pair.Rules{})
	rs, err := align.All(t.Context(), p, p.Threads, align.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	x, err := explain.Compare(t.Context(), p, rs, nil)
	if err != nil {
		t.Fatal(err)
	}
	return Source{Names: names, Results: rs, Difference: x}
}

// queue and compressor are pairs of recordings in testdata.
var (
	queue      = [2]string{"uftrace/queue-2p2c.data.tar.gz", "uftrace/queue-1p3c.data.tar.gz"}
	compressor = [2]string{"pprof/pipeline-level1.cpu.pprof", "pprof/pipeline-level9.cpu.pprof"}
)

// recordings are the pairs that a test has compared before.
var recordings = map[[2]string]Source{}

// recorded compares two recordings of testdata.
func recorded(t *testing.T, paths [2]string) Source {
	t.Helper()
	if s, ok := recordings[paths]; ok {
		return s
	}
	var sides [2]*trace.Trace
	var names [2]string
	for s, path := range paths {
		var err error
		sides[s], err = traceio.Load(t.Context(), filepath.Join("../../../testdata", path), input.Options{})
		if err != nil {
			t.Fatal(err)
		}
		names[s] = filepath.Base(path)
	}
	recordings[paths] = compared(t, names, sides[pair.A], sides[pair.B])
	return recordings[paths]
}

func reported(t *testing.T, s Source) *Page {
	t.Helper()
	p, err := New(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func written(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	var b strings.Builder
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// bare is a text without what Markdown and HTML add to it.
func bare(text string) string {
	return strings.NewReplacer(`\`, "", "&lt;", "<", "&gt;", ">", "&#39;", "'", "&#34;", `"`, "&amp;", "&",
		"&#43;", "+").Replace(text)
}

// TestReportSaysWhatDiffSays holds that both formats have the lines that diff opens with, its
// findings in their order, and what it leaves unexplained.
func TestReportSaysWhatDiffSays(t *testing.T) {
	for _, paths := range [][2]string{queue, compressor} {
		s := recorded(t, paths)
		p := reported(t, s)
		page, comment := bare(written(t, p.WriteHTML)), bare(written(t, p.WriteMarkdown))
		diff := report.NewDiff(s.Difference)
		said := []string{p.Headline, s.Difference.Unexplained()}
		rows, left := s.Difference.Rows(mostFindings)
		for _, r := range rows[:min(3, len(rows))] {
			said = append(said, unbroken(diff.Findings[r.Finding].Text))
		}
		if n := left.Total(); n > 0 {
			said = append(said, fmt.Sprintf("… and %d more", n))
		}
		for _, q := range s.Difference.Quantities() {
			said = append(said, s.Difference.Length(q.Ns[pair.A]), s.Difference.Signed(q.Ns[pair.B]-q.Ns[pair.A]))
		}
		for _, text := range said {
			for format, out := range map[string]string{"html": page, "md": comment} {
				if !strings.Contains(out, text) {
					t.Errorf("%s: %q is not said in %s", paths[0], text, format)
				}
			}
		}
		if len(p.Findings) == 0 || len(p.Stacks.Threads) == 0 || len(p.Tables[0].Rows) == 0 {
			t.Errorf("%s: %d findings, %d pairs of threads, %d functions", paths[0], len(p.Findings),
				len(p.Stacks.Threads), len(p.Tables[0].Rows))
		}
		if p.Profile != (paths == compressor) || p.Profile == strings.Contains(page, "Where the time went") {
			t.Errorf("%s: as if it were a profile, or none", paths[0])
		}
		if time := strings.Contains(p.Headline, "takes"); time != (diff.Account.WorkNs.A > 0 && p.Columns[1] != "") {
			t.Errorf("%s: %q", paths[0], p.Headline)
		}
	}
}

// TestStacksAreNoCalls: of a profile, what is counted is called stacks, unless its recorder has
// counted calls.
func TestStacksAreNoCalls(t *testing.T) {
	orders := [2]string{"callgrind/orders-changed.callgrind", "callgrind/orders.callgrind"}
	for paths, nouns := range map[[2]string][3]string{queue: {"Calls", "Calls", "Calls"},
		compressor: {"Stacks", "Stacks", "Stacks"}, orders: {"Calls", "Calls", "Stacks"}} {
		p := reported(t, recorded(t, paths))
		var got [3]string
		for i, table := range []int{0, 1, 3} { // functions, structure and threads
			for _, c := range p.Tables[table].Columns {
				if noun, ok := strings.CutSuffix(c.Title, "s A"); ok {
					got[i] = noun + "s"
				}
			}
		}
		if got != nouns || p.Sides[0].CallsWords != p.Sides[0].Calls+" "+p.Noun+"s" {
			t.Errorf("%s: %q, want %q; %s", paths[0], got, nouns, p.Sides[0].CallsWords)
		}
	}
	rows := reported(t, recorded(t, orders)).Tables[0].Rows
	sum := 0
	for _, r := range rows {
		n, _ := strconv.Atoi(r[2].Key)
		sum += n
	}
	if sum != 4575 {
		t.Errorf("%d calls of B, and its recorder has counted 4575", sum)
	}
}

// TestThousandsStayTogether holds that the line of a sentence does not end within a number.
func TestThousandsStayTogether(t *testing.T) {
	if got := unbroken("311 → 1\u2009066 calls"); got != "311 → 1\u202f066 calls" {
		t.Errorf("%q", got)
	}
}

// TestPageNeedsNothingElse holds that the file asks for no other, and that no name from a trace
// ends an element or begins one.
func TestPageNeedsNothingElse(t *testing.T) {
	evil := `</script><img src=x onerror=alert(1)>"'&lt;` + "\u202e"
	s := compared(t, [2]string{evil, "b"}, testtrace.Program(t, 1, evil, 400.), testtrace.Program(t, 2, evil, 900.))
	p := reported(t, s)
	text := written(t, p.WriteHTML)
	for _, bad := range []string{"<img", "onerror=alert(1)>\"", "\u202e", "@import", "src=", "url(http"} {
		if bad != "src=" && strings.Contains(text, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	space := regexp.MustCompile(`xmlns="http://www.w3.org/2000/svg"`)
	if rest := space.ReplaceAllString(text, ""); strings.Contains(rest, "http") &&
		!strings.Contains(rest, "http-equiv") || strings.Contains(rest, "://") {
		t.Error("the page leads somewhere else")
	}
	if n := strings.Count(text, "</script>"); n != 2 {
		t.Errorf("%d ends of scripts", n)
	}
	if comment := written(t, p.WriteMarkdown); strings.Contains(comment, "<img") &&
		!strings.Contains(comment, `\<img`) {
		t.Error("the comment has markup from a name")
	}
}

// TestWhatARowSays follows one function through the table: 400 ms in A and 900 ms in B.
func TestWhatARowSays(t *testing.T) {
	s := compared(t, [2]string{"a", "b"}, testtrace.Program(t, 1, "grown", 400.),
		testtrace.Program(t, 1, "grown", 900., "added", 7.))
	p := reported(t, s)
	var rows []string
	for _, row := range p.Tables[0].Rows[:2] {
		var cells []string
		for _, c := range row {
			cells = append(cells, c.Text)
		}
		rows = append(rows, strings.Join(cells, "; "))
	}
	for i, want := range []string{"grown; 1; 1; 0; 400 ms; 900 ms; +500 ms; 400 ms; 900 ms; +500 ms",
		"added; –; 1; +1; –; 7.00 ms; +7.00 ms; –; 7.00 ms; +7.00 ms"} {
		if rows[i] != want {
			t.Errorf("row %d is %q, want %q", i, rows[i], want)
		}
	}
	if want := "B takes 507 ms longer than A (1.93×)"; p.Headline != want {
		t.Errorf("%q, want %q", p.Headline, want)
	}
	k := slices.IndexFunc(p.Findings, func(f Finding) bool {
		return strings.Contains(f.Text, "added is new in B")
	})
	if k < 0 || p.Findings[k].Picture == "" || p.Findings[k].Show == nil {
		t.Fatalf("the place of what is new is not among the findings: %+v", p.Findings)
	}
	f := p.Findings[k]
	if f.Show.From >= 1045e6 || f.Show.To <= 1052e6 { // where added runs
		t.Errorf("its place is %+v", *f.Show)
	}
	if !strings.Contains(string(f.Picture), ">added</text>") {
		t.Error("its picture does not name it")
	}
}

// TestAClonesCallCountsOnce: the time of foo with all it calls has that of its clone in it already.
func TestAClonesCallCountsOnce(t *testing.T) {
	b := trace.NewBuilder("test")
	foo, part := b.Function(trace.Function{Name: "foo"}), b.Function(trace.Function{Name: "foo.part.0"})
	th := b.Thread("1", b.Process("1"))
	th.Complete(0, 100, foo)
	th.Complete(10, 90, part)
	tr := testtrace.Build(t, b)
	row := reported(t, compared(t, [2]string{"a", "b"}, tr, tr)).Tables[0].Rows[0]
	if got := []string{row[0].Text, row[1].Text, row[4].Text, row[7].Text}; !slices.Equal(got,
		[]string{"foo", "2", "100 ns", "100 ns"}) {
		t.Errorf("%q, want 2 calls of foo that take 100 ns themselves and in all", got)
	}
}

func TestEqualRuns(t *testing.T) {
	s := compared(t, [2]string{"a", "b"}, testtrace.Program(t, 1), testtrace.Program(t, 1))
	p := reported(t, s)
	if want := "A and B take the same: 145 ms"; p.Headline != want || p.Nothing == "" {
		t.Errorf("%q, %q", p.Headline, p.Nothing)
	}
	if text := written(t, p.WriteHTML); !strings.Contains(text, "elapsed and work are equal.") {
		t.Error("the page does not say what is equal")
	}
}

// TestNewIsCancelled also holds that the steps that are announced are done.
func TestNewIsCancelled(t *testing.T) {
	s := compared(t, [2]string{"a", "b"}, testtrace.Program(t, 1), testtrace.Program(t, 2))
	ctx, cancel := context.WithCancel(t.Context())
	var last [2]int64
	report := progress.Func(func(done, total int64) { last = [2]int64{done, total} })
	if _, err := New(ctx, s, report); err != nil || last[0] != last[1] || last[1] == 0 {
		t.Errorf("%v; %d of %d steps", err, last[0], last[1])
	}
	cancel()
	if _, err := New(ctx, s, report); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

// TestCautions holds that what was wrong is said of the side that it was wrong with, and once if it
// is the same of both.
func TestCautions(t *testing.T) {
	lost := trace.Diagnostic{Code: trace.LostRecords, Count: 3}
	closed := trace.Diagnostic{Code: trace.UnmatchedBegin, Count: 1}
	for _, c := range []struct {
		a, b []trace.Diagnostic
		want []string
	}{
		{nil, nil, nil},
		{[]trace.Diagnostic{lost}, nil, []string{"A: The recording is lossy (lost-records 3): parts"}},
		{[]trace.Diagnostic{closed}, []trace.Diagnostic{lost},
			[]string{"A: The recording is repaired (unmatched-begin 1)", "B: The recording is lossy"}},
		{[]trace.Diagnostic{lost}, []trace.Diagnostic{lost, closed}, []string{"A B: The recordings are lossy (A: " +
			"lost-records 3; B: lost-records 3, unmatched-begin 1): parts"}},
	} {
		b := &builder{pair: &pair.Pair{A: &trace.Trace{Diagnostics: c.a}, B: &trace.Trace{Diagnostics: c.b}}}
		got := b.cautions()
		if len(got) != len(c.want) {
			t.Errorf("%v, want %q", got, c.want)
			continue
		}
		for i, want := range c.want {
			if text := strings.Join(got[i].Sides, " ") + ": " + got[i].Text; !strings.HasPrefix(text, want) {
				t.Errorf("%q, want %q", text, want)
			}
		}
	}
}
