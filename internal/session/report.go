package session

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"diptych/internal/pair"
	"diptych/internal/report/page"
)

const reportSlot = "report"

// errNotCompared is said when a report is asked for too early.
var errNotCompared = errors.New("a report can be written once the two traces have been compared")

// canReport reports whether all is known that a report is made of.
func (st *State) canReport() bool { return st.Difference() != nil && st.compared() }

// SaveReport writes the comparison as a report to a file, in the background: as Markdown if the
// name ends in .md, else as HTML.
func (s *Session) SaveReport(path string) {
	st := s.state
	if !st.canReport() {
		s.failed(errNotCompared)
		return
	}
	source := st.reported()
	s.start(reportSlot, "Writing "+filepath.Base(path), func(ctx context.Context, j *Job) func() {
		err := writeReport(ctx, path, source, j)
		return func() {
			if !s.failed(err) {
				s.Say("The report is in " + path)
			}
		}
	})
}

// reported is what a report is made of.
func (st *State) reported() page.Source {
	return page.Source{Results: st.Aligned.Results, Difference: st.Difference(),
		Names: [2]string{st.Sides[pair.A].Name, st.Sides[pair.B].Name}}
}

// writeReport makes a report and writes it whole or not at all.
func writeReport(ctx context.Context, path string, source page.Source, j *Job) error {
	p, err := page.New(ctx, source, j.report)
	if err != nil {
		return err
	}
	if strings.HasSuffix(path, ".md") {
		return whole(ctx, path, p.WriteMarkdown)
	}
	return whole(ctx, path, p.WriteHTML)
}
