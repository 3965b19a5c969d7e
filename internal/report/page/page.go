// Package page writes the comparison of two traces as a report to hand on: one HTML file that needs
// nothing else (no network, no other file), or Markdown for a pull request. What it says comes from
// where `diptych diff`, `structure` and `waits` have it: it computes nothing but what it leaves
// out.
//
//	page.go      what a report is made of
//	summary.go   the verdict: the balance, how much is explained, trust, the findings
//	places.go    pictures of where a finding is, as SVG
//	tables.go    functions, structure, waits, threads, problems of the files
//	threads.go   what pairs of threads are called
//	stacks.go    the calls of both sides, as many as a reader can tell apart
//	html.go      the file, with page.html, page.css, page.js and stacks.js
//	markdown.go  the comment on a change
//
// It knows no window and draws no pixels, so it also works in a build without OpenGL.
package page

import (
	"context"
	"errors"

	"diptych/internal/account/explain"
	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/scene/svg"
	"diptych/internal/structure"
	"diptych/internal/wait"
	"diptych/internal/wait/table"
)

// Source is the comparison that a report is about.
type Source struct {
	// Names are what the two traces are called, by side: the names of their files.
	Names [2]string
	// Results are the alignments of all pairs of threads of Difference's pair, in that order.
	Results    []*align.Result
	Difference *explain.Difference
}

// Page is a report.
type Page struct {
	Title    string
	Profile  bool   // a side is a profile: there is no time
	Noun     string // "call", of a profile "stack"
	Headline string // the answer in one sentence
	Sides    [2]Side
	Cautions []Caution
	Balance  []Quantity
	Shares   []Share // how much of the difference is explained
	Equal    string  // said if there is no share
	Similar  string
	Columns  [2]string // what findings own; the second is "" in a profile
	Findings []Finding
	More     explain.Left // findings that are not listed
	Nothing  string       // said if there is no finding
	Left     string       // what no finding explains
	Tables   []Table
	Stacks   Stacks

	colours svg.Sheet
}

// Side is one of the two traces.
type Side struct {
	Letter, Name, Format, Tool string
	Calls, Threads             string // numbers
	CallsWords                 string // "1 call"
	Length                     string
	Verdict                    string
}

// Caution says of recordings that are not complete how far the comparison can rely on them.
type Caution struct {
	Sides []string // letters
	Text  string
}

// errPair is what New returns for a pair of which one side is missing.
var errPair = errors.New("a report needs two traces")

// parts is how many steps of work New has besides the pictures.
const parts = 4

// New makes the report of a comparison. report, which may be nil, counts steps.
func New(ctx context.Context, s Source, report progress.Func) (*Page, error) {
	p := s.Difference.Balance.Pair
	if p.A == nil || p.B == nil {
		return nil, errPair
	}
	b := &builder{Source: s, ctx: ctx, pair: p, unit: string(p.A.Unit),
		meter: progress.NewMeter(report, 0), page: &Page{}}
	b.nameThreads()
	b.meter.Expect(parts)
	for _, step := range []func() error{b.summary, b.stacks, b.tables, b.places} {
		if err := step(); err != nil {
			return nil, err
		}
		if err := b.meter.Add(ctx, 1); err != nil {
			return nil, err
		}
	}
	return b.page, nil
}

// builder makes a page.
type builder struct {
	Source
	ctx   context.Context
	pair  *pair.Pair
	unit  string
	meter *progress.Meter
	page  *Page
	drawn []int // by index of a pair of threads: which of the drawn stacks it is, −1 for none
	// titles are what pairs of threads are called, by index.
	titles []string
}

// waits compares who waits on whom, and adds it up.
func (b *builder) waits() (t *table.Table, paths [2]*wait.Path, err error) {
	sides := b.Difference.Balance.Waits
	for s, a := range sides {
		if paths[s], err = a.CriticalPath(b.ctx); err != nil {
			return nil, paths, err
		}
	}
	c, err := wait.Compare(b.ctx, sides[pair.A], sides[pair.B], b.pair)
	if err != nil {
		return nil, paths, err
	}
	t, err = table.New(b.ctx, b.pair, sides, c, nil)
	return t, paths, err
}

// tree sums up where in the code calls happen.
func (b *builder) tree() (*structure.Tree, error) {
	return structure.New(b.ctx, b.pair, structure.Options{}, nil)
}
