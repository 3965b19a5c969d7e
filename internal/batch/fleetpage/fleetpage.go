// Package fleetpage writes what is known of a batch as one HTML file that needs nothing else, in
// the look of the report of one pair: which pairs are unlike the rest, the matrix of pairs and
// time, clusters, functions with their spread, waits. It computes nothing but what it leaves out.
//
//	fleetpage.go  what the page is made of, and the file
//	tables.go     clusters, functions, waits, pairs, pairs that failed
//	pictures.go   the course of an outlier and the spread of a function, as SVG
//	matrix.go     the matrix, for matrix.js to draw
package fleetpage

import (
	_ "embed" // the page's parts
	"fmt"
	"html/template"
	"io"
	"strings"

	"diptych/internal/batch/fleet"
	"diptych/internal/escape"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/report/page"
)

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string
	//go:embed matrix.js
	matrixJS string
)

var parsed = page.Template(pageHTML)

// mostOutliers is how many outliers are listed with a picture. The table of pairs has the others.
const mostOutliers = 24

// Page is the report of a batch.
type Page struct {
	Title, Headline           string
	Cautions                  []string
	Facts                     [][2]string
	Diverse                   bool // the pairs have little in common
	Large                     bool // there are large clusters, with which pairs are compared
	Outliers, Waiting         []Outlier
	Changed                   []Outlier
	MoreOutliers, MoreWaiting int
	MoreChanged               int
	MatrixAbout, AreasAbout   string
	Tables                    []page.Table

	matrix matrix
}

// Outlier is a pair that is unlike the rest.
type Outlier struct {
	Pair, Score, Text string
	Cluster           int
	Line              template.HTML // by how much B falls behind, along the pair's time
}

// New makes the report of a batch of some name.
func New(name string, f *fleet.Fleet) *Page {
	b := &builder{f: f, unit: unitOf(f), page: &Page{}}
	b.verdict(escape.Line(name))
	b.page.Outliers, b.page.MoreOutliers = b.outliers(f.Outliers, true)
	b.page.Waiting, b.page.MoreWaiting = b.outliers(f.Waiting, false)
	b.page.Changed, b.page.MoreChanged = b.outliers(f.Changed, true)
	b.layOut()
	b.page.Tables = []page.Table{b.clusterTable(), b.functionTable(), b.waitTable(), b.pairTable()}
	if len(f.Failed) > 0 {
		b.page.Tables = append(b.page.Tables, b.failedTable())
	}
	return b.page
}

// WriteHTML writes the report as one HTML file.
func (p *Page) WriteHTML(w io.Writer) error {
	dress, err := page.NewDress(pageCSS, matrixJS, p.matrix)
	if err != nil {
		return err
	}
	return parsed.Execute(w, struct {
		*Page
		page.Dress
	}{p, dress})
}

// builder makes a page.
type builder struct {
	f    *fleet.Fleet
	unit string
	page *Page
}

// unitOf returns what the pairs measure. A batch of several units has the first.
func unitOf(f *fleet.Fleet) string {
	for _, k := range f.Compared {
		return f.Pairs[k].Unit
	}
	return "ns"
}

func (b *builder) value(v float64) string { return geom.FormatValue(v, b.unit) }

// verdict says in a few numbers what the batch comes to.
func (b *builder) verdict(name string) {
	p, f := b.page, b.f
	p.Title, p.Diverse = name+": many pairs compared", f.Diverse
	p.Large = f.Large > 0
	switch n := len(f.Outliers); {
	case len(f.Compared) == 0:
		p.Headline = "No pair could be compared"
	case len(f.Compared) == 1:
		p.Headline = "1 pair, and no others that it could be unlike"
	case n == 0 && f.Large > 0:
		p.Headline = geom.FormatThings(len(f.Compared), "pair") + ", nearly all in " + geom.FormatThings(f.Large, "large cluster")
	case n == 0 && f.Diverse:
		p.Headline = geom.FormatThings(len(f.Compared), "pair") + " that have little in common"
	case n == 0:
		p.Headline = fmt.Sprintf("None of %s is unlike the rest", geom.FormatThings(len(f.Compared), "pair"))
	case n == 1:
		p.Headline = fmt.Sprintf("1 of %s is unlike the rest", geom.FormatThings(len(f.Compared), "pair"))
	default:
		p.Headline = fmt.Sprintf("%d of %s are unlike the rest", n, geom.FormatThings(len(f.Compared), "pair"))
	}
	if f.Large > 0 {
		p.Cautions = append(p.Cautions, b.largeWords())
	}
	if n := len(f.Failed); n > 0 {
		p.Cautions = append(p.Cautions, fmt.Sprintf("%s of %d could not be compared; the last table "+
			"lists why.", geom.FormatThings(n, "pair"), len(f.Pairs)))
	}
	for _, k := range f.Compared {
		if f.Pairs[k].Unit != b.unit {
			p.Cautions = append(p.Cautions, "The pairs measure different things; all values are written "+
				"as if they were of the first one's unit.")
			break
		}
	}
	b.lossy()
	if f.TooLarge > 0 {
		p.Cautions = append(p.Cautions, geom.FormatThings(f.TooLarge, "sum")+" of functions and waits did not fit into 64 "+
			"bits: the largest or smallest such number stands for each.")
	}
	if f.Diverse {
		p.Cautions = append(p.Cautions, f.Common.Words()+". So a pair is compared with the others in what "+
			"all have: how much longer B takes, how similar the calls are, how much threads wait.")
		p.Facts = b.diverseFacts()
		return
	}
	m := &f.Median
	p.Facts = [][2]string{{"Pairs compared", geom.FormatWhole(int64(len(f.Compared)))},
		{"Median time of A", b.value(float64(m.ElapsedNs[pair.A]))},
		{"Median time of B", b.value(float64(m.ElapsedNs[pair.B]))},
		{"Median of B − A", b.signed(float64(m.DeltaNs))},
		{"Median distance from it", b.value(float64(m.SpreadNs))},
		{"Median similarity of calls", fmt.Sprintf("%.3g %%", 100*m.Similarity)},
		{"Clusters", b.clusterCount()}}
}

// clusterCount says how many clusters there are, and how many of them are large.
func (b *builder) clusterCount() string {
	text := geom.FormatWhole(int64(len(b.f.Clusters)))
	if b.f.Large > 0 {
		text += fmt.Sprintf(", %d of them large", b.f.Large)
	}
	return text
}

// lossy names the pairs of which a trace lacks parts of the run.
func (b *builder) lossy() {
	var list []int
	for _, k := range b.f.Compared {
		if b.f.Pairs[k].Lossy() {
			list = append(list, k)
		}
	}
	if len(list) > 0 {
		b.page.Cautions = append(b.page.Cautions, fmt.Sprintf("In %s, parts of the run are missing from a trace, as from "+
			"a file that was cut off; what differs there may come from that: %s.", geom.FormatThings(len(list), "pair"),
			escape.Line(b.members(list))))
	}
}

// largeWords says that there are several large clusters, and which.
func (b *builder) largeWords() string {
	all, sizes := 0, []string{}
	for k := range b.f.Clusters[:b.f.Large] {
		n := len(b.f.Clusters[k].Pairs)
		all += n
		if k < mostMembers {
			sizes = append(sizes, geom.FormatWhole(int64(n)))
		}
	}
	said := strings.Join(sizes, ", ")
	if n := b.f.Large - len(sizes); n > 0 {
		said += fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf("The pairs fall into %s: %s of %s pairs (%s). The pairs of a cluster differ in the same "+
		"way, which the table of clusters shows; outliers are unlike each of these clusters.",
		geom.FormatThings(b.f.Large, "large cluster"), geom.FormatWhole(int64(all)),
		geom.FormatWhole(int64(len(b.f.Compared))), said)
}

// diverseFacts are of pairs that last differently long: the median of their times says nothing.
func (b *builder) diverseFacts() [][2]string {
	f := b.f
	return [][2]string{{"Pairs compared", geom.FormatWhole(int64(len(f.Compared)))},
		{"Median of B / A", geom.FormatRatio(f.Median.Factor)},
		{"Median similarity of calls", fmt.Sprintf("%.3g %%", 100*f.Median.Similarity)},
		{"Functions that at least half of the pairs have", geom.FormatWhole(int64(f.Common.Shared)) + " of " +
			geom.FormatWhole(int64(f.Common.Functions))},
		{"Clusters", b.clusterCount()}}
}

// outliers lists pairs that are unlike the rest, or what changed in diverse pairs.
func (b *builder) outliers(list []int, drawn bool) (out []Outlier, more int) {
	for _, k := range list[:min(len(list), mostOutliers)] {
		p := &b.f.Pairs[k]
		told := p.Told()
		o := Outlier{Pair: escape.Line(p.Pair), Score: fmt.Sprintf("%.1f", told.Score),
			Text: escape.Line(told.Text), Cluster: p.Cluster + 1}
		if drawn {
			o.Line = b.course(k)
		}
		out = append(out, o)
	}
	return out, len(list) - len(out)
}
