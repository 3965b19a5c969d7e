package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"

	"diptych/internal/escape"
)

// This file writes what differs for systems that build and test: annotations for GitHub, and the
// report of a test run that most others read.

// WriteGitHub writes workflow commands of GitHub Actions: an error for each limit that is exceeded,
// and a notice for each of the first findings, up to limit. GitHub shows ten of a kind for a step.
func (d *Diff) WriteGitHub(w io.Writer, limit int) error {
	var b strings.Builder
	command := func(kind, title, text string) {
		fmt.Fprintf(&b, "::%s title=%s::%s\n", kind, escaped(title, true), escaped(text, false))
	}
	for _, x := range d.Exceeded {
		command("error", "diptych: over "+x, d.opening()[0])
	}
	if len(d.Exceeded) == 0 {
		command("notice", "diptych", strings.Join(d.opening(), "; "))
	}
	if d.Runs != nil {
		command("notice", "diptych: all runs", d.Runs.summary())
	}
	rows, _ := d.from.Rows(limit)
	for _, r := range rows {
		if f := &d.Findings[r.Finding]; r.More == 0 {
			command("notice", "diptych: "+f.Kind, f.Text)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// escaped writes text as the value of a workflow command, or of one of its properties.
func escaped(text string, property bool) string {
	text = strings.ReplaceAll(escape.Line(text), "%", "%25")
	if property {
		text = strings.NewReplacer(":", "%3A", ",", "%2C").Replace(text)
	}
	return text
}

// The report of a test run, as JUnit writes it.
type (
	junitSuite struct {
		XMLName  xml.Name    `xml:"testsuite"`
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Time     string      `xml:"time,attr"` // s
		Cases    []junitCase `xml:"testcase"`
		Out      string      `xml:"system-out"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Failure *junitFailure `xml:"failure"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// WriteJUnit writes a test suite with a case for each limit, which fails if it is exceeded, and the
// findings as text. Without limits there is one case: that both traces were compared.
func (d *Diff) WriteJUnit(w io.Writer, limit int, limits []string) error {
	var text strings.Builder
	if err := d.WriteText(&text, limit); err != nil {
		return err
	}
	s := junitSuite{Name: "diptych diff", Out: text.String(),
		Time: fmt.Sprintf("%.3f", float64(d.ElapsedNs.Load+d.ElapsedNs.Compute)/1e9)}
	for _, l := range limits {
		c := junitCase{Class: "diptych", Name: l}
		if slices.Contains(d.Exceeded, l) {
			c.Failure = &junitFailure{Message: "over " + l, Text: strings.Join(d.opening(), "\n")}
			s.Failures++
		}
		s.Cases = append(s.Cases, c)
	}
	if len(s.Cases) == 0 {
		s.Cases = []junitCase{{Class: "diptych", Name: "compared"}}
	}
	s.Tests = len(s.Cases)
	out, err := xml.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, out)
	return err
}
