package report

import (
	"encoding/xml"
	"strings"
	"testing"

	"diptych/internal/testtrace"
)

// TestGitHubAnnotations holds that each line is a workflow command, that what was exceeded is an
// error, and that no text breaks out of its command.
func TestGitHubAnnotations(t *testing.T) {
	d := diffOf(t, testtrace.Script(t, "load", 100.), testtrace.Script(t, "load", 100., "check\n::error::50 %", 25.))
	for _, over := range [][]string{nil, {"elapsed=5%", "new=1ms"}} {
		var b strings.Builder
		d.Exceeded = over
		if err := d.WriteGitHub(&b, 10); err != nil {
			t.Fatal(err)
		}
		errors := 0
		for line := range strings.Lines(b.String()) {
			switch {
			case strings.HasPrefix(line, "::error title=diptych%3A over "):
				errors++
			case !strings.HasPrefix(line, "::notice title=diptych"):
				t.Errorf("%q is no command", line)
			}
		}
		if errors != len(over) {
			t.Errorf("%d errors for %q", errors, over)
		}
		if over == nil && !strings.Contains(b.String(), "elapsed 100 ms → 125 ms") ||
			over != nil && !strings.Contains(b.String(), "over elapsed=5%25::elapsed 100 ms → 125 ms") ||
			!strings.Contains(b.String(), `\n::error::50 %25`) {
			t.Errorf("no balance or finding in %s", b.String())
		}
	}
}

// TestJUnitReport holds that each limit is a case, which fails if it is exceeded.
func TestJUnitReport(t *testing.T) {
	d := diffOf(t, testtrace.Script(t, "load", 100.), testtrace.Script(t, "load", 100., "<check> & ]]>", 25.))
	for _, c := range []struct {
		limits, over []string
		cases        int
	}{
		{nil, nil, 1}, {[]string{"new=1s", "elapsed=5%"}, []string{"elapsed=5%"}, 2},
	} {
		var b strings.Builder
		d.Exceeded = c.over
		if err := d.WriteJUnit(&b, 10, c.limits); err != nil {
			t.Fatal(err)
		}
		var got junitSuite
		if err := xml.Unmarshal([]byte(b.String()), &got); err != nil {
			t.Fatal(err)
		}
		if got.Tests != c.cases || len(got.Cases) != c.cases || got.Failures != len(c.over) {
			t.Errorf("%+v", got)
		}
		for _, x := range got.Cases {
			if failed := x.Failure != nil; failed != (x.Name == "elapsed=5%") {
				t.Errorf("case %s fails: %v", x.Name, failed)
			}
		}
		if !strings.Contains(got.Out, "<check> & ]]>") {
			t.Errorf("no finding in %q", got.Out)
		}
	}
}
