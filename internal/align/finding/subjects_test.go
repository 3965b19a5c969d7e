package finding

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// TestSubjects: what calls are about is told where their arguments tell them apart and are those of
// the other side, too. Time inside another call of the function is that call's.
func TestSubjects(t *testing.T) {
	// Each call takes 10 ns, and the first of the last ones contains the others.
	build := func(subjects ...string) *trace.Trace {
		b := trace.NewBuilder("test")
		th, source := b.Thread("1", -1), b.Function(trace.Function{Name: "Source"})
		th.Begin(0, b.Function(trace.Function{Name: "main"}))
		for i, text := range subjects {
			end := 10*i + 10
			if i == 20 {
				end = 10*len(subjects) + 10
			}
			th.Args(th.Complete(int64(10*i), int64(end), source), fmt.Appendf(nil, `{"detail":%q}`, text))
		}
		th.End(int64(10*len(subjects) + 10))
		return testtrace.Build(t, b)
	}
	names := func(format string, n int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprintf(format, i))
		}
		return list
	}
	same := slices.Repeat([]string{"same"}, 20)
	headers, more := names("/inc/h%d", 20), []string{"/lib/../inc/outer", "/inc/inner1", "/inc/inner2"}
	for _, c := range []struct {
		what string
		a, b []string
		want string
	}{
		{"headers", headers, append(headers[:20:20], more...), ", above all for /inc/outer;"},
		{"the other way", append(headers[:20:20], more...), headers, ", above all for /inc/outer;"},
		{"numbers that differ", headers, append(names("%d", 20), more...), ""},
		{"the same for all", same, append(same[:20:20], more...), ""},
	} {
		_, _, r := compared(t, build(c.a...), build(c.b...))
		told := ""
		for i := range r.Findings {
			if f := &r.Findings[i]; f.Function == "Source" && f.counts() {
				told = f.Sentence()
			}
		}
		if told == "" || strings.Contains(told, "above all") != (c.want != "") || !strings.Contains(told, c.want) {
			t.Errorf("%s: %q, want %q", c.what, told, c.want)
		}
	}
	long := strings.Repeat("x", 100)
	for text, want := range map[string]string{`{"detail":"<vector>"}`: "<vector>", `{"a":"1","b":"2"}`: `{"a":"1","b":"2"}`,
		"plain": "plain", long: long[:59] + "…", "/" + long: "…" + long[:59], long[:60]: long[:60]} {
		if got := value(text); got != want {
			t.Errorf("%s is said as %s, want %s", text, got, want)
		}
	}
}
