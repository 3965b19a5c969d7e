package fleetpage

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"diptych/internal/aggregate"
	"diptych/internal/batch"
	"diptych/internal/batch/fleet"
	"diptych/internal/report/page"
)

// fleetOf returns a fleet of n pairs r0, r1, … of 1 s, in one cluster, with nothing in its tables.
func fleetOf(n int) *fleet.Fleet {
	f := &fleet.Fleet{Matrix: &fleet.Matrix{Tree: &aggregate.Tree{}}, Partition: &fleet.Partition{}}
	for k := range n {
		f.Pairs = append(f.Pairs, fleet.Pair{PairRow: batch.PairRow{Number: int64(k + 1), Pair: fmt.Sprint("r", k),
			Unit: "ns", ElapsedANs: 1e9, ElapsedBNs: 1e9, Similarity: 1, Explained: 1}})
		f.Compared = append(f.Compared, k)
	}
	return f
}

func builderOf(f *fleet.Fleet) *builder { return &builder{f: f, unit: unitOf(f), page: &Page{}} }

// said returns the texts of the cells of each row, and their keys.
func said(t page.Table) (texts, keys []string) {
	for _, row := range t.Rows {
		var text, key []string
		for _, c := range row {
			text, key = append(text, c.Text), append(key, c.Key)
		}
		texts, keys = append(texts, strings.Join(text, "|")), append(keys, strings.Join(key, "|"))
	}
	return texts, keys
}

func same(t *testing.T, table page.Table, texts, keys []string) {
	t.Helper()
	gotTexts, gotKeys := said(table)
	if !slices.Equal(gotTexts, texts) {
		t.Errorf("%s says\n%q, want\n%q", table.ID, gotTexts, texts)
	}
	if !slices.Equal(gotKeys, keys) {
		t.Errorf("%s is sorted by\n%q, want\n%q", table.ID, gotKeys, keys)
	}
}

func TestFunctionTable(t *testing.T) {
	f := fleetOf(3)
	f.Left = 7
	f.Functions = []fleet.Function{{Name: "so\nlve", Pairs: 3, DeltaNs: -20e6, ChangeNs: 60e6, MeanNs: -6.6e6,
		SDNs: 1.4, MinNs: -40e6, Q1Ns: -1e6, MedianNs: 0, Q3Ns: .4, MaxNs: 20e6, Worst: 2}, {Name: "recv", Waits: true}}
	table := builderOf(f).functionTable()
	same(t, table, []string{
		"so\\nlve|work|3|60.0 ms|−20.0 ms|−6.60 ms|1 ns|−40.0 ms|−1.00 ms|0 ns|0 ns|+20.0 ms|r2",
		`recv|waits|0|0 ns|0 ns|0 ns|0 ns|0 ns|0 ns|0 ns|0 ns|0 ns|r0`,
	}, []string{"||3|60000000|-20000000|-6600000|1|-40000000|-1000000|0|0|20000000|", "||0|0|0|0|0|0|0|0|0|0|"})
	if table.More != 7 || len(table.Drawings) != 2 {
		t.Errorf("%d more, %d drawings", table.More, len(table.Drawings))
	}
}

func TestWaitTable(t *testing.T) {
	f := fleetOf(2)
	f.Waits = []fleet.Wait{{Waiter: "main", Releaser: "io", Object: "queue", Pairs: 2, Count: [2]int64{3, 1200},
		WaitNs: [2]int64{5e6, 2e6}, ChangeNs: 4e6, Worst: 1}, {Waiter: "main"}}
	same(t, builderOf(f).waitTable(), []string{
		"main ← io|queue|2|3|1\u2009200|5.00 ms|2.00 ms|−3.00 ms|4.00 ms|r1",
		"main ← nobody||0|0|0|0 ns|0 ns|0 ns|0 ns|r0",
	}, []string{"||2|3|1200|5000000|2000000|-3000000|4000000|", "||0|0|0|0|0|0|0|"})
}

func TestClusterTable(t *testing.T) {
	f := fleetOf(4)
	f.Clusters = []fleet.Cluster{{Pairs: []int{0, 1, 3}, MeanDeltaNs: 2e6, When: fleet.When{Whole: true}},
		{Pairs: []int{2}, MeanDeltaNs: -9e6, Function: "solve", MeanNs: -8e6, OffNs: -8.5e6,
			When: fleet.When{FromNs: [2]int64{1e6, 2e6}, ToNs: [2]int64{3e6, 4e6}}}}
	same(t, builderOf(f).clusterTable(), []string{
		"cluster 1|3|+2.00 ms|none|–|–|all along|r0 … r1, r3",
		"cluster 2|1|−9.00 ms|solve|−8.00 ms|−8.50 ms|2.00 ms to 4.00 ms of B|r2",
	}, []string{"|3|2000000||0|0||", "|1|-9000000||-8000000|-8500000||"})
}

func TestPairTableHasOutliersFirst(t *testing.T) {
	f := fleetOf(4)
	f.Pairs[1].Outlier = &fleet.Outlier{Score: 4, Text: "four"}
	f.Pairs[3].Outlier = &fleet.Outlier{Score: 12.34567, Text: "twelve"}
	f.Pairs[3].DeltaNs, f.Pairs[3].WaitANs, f.Pairs[3].Cluster = -5e6, 1e6, 1
	f.Pairs[2].Error, f.Compared, f.Failed = "torn", []int{0, 1, 3}, []int{2}
	same(t, builderOf(f).pairTable(), []string{
		"r3|4|12.3 %|2|1.00 s|1.00 s|−5.00 ms|0 ns|−1.00 ms|100 %|100 %|twelve",
		"r1|2|4.0 %|1|1.00 s|1.00 s|0 ns|0 ns|0 ns|100 %|100 %|four",
		"r0|1|0|1|1.00 s|1.00 s|0 ns|0 ns|0 ns|100 %|100 %|",
	}, []string{"|4|12.3457|2|1000000000|1000000000|-5000000|0|-1000000|1.000000|1.000000|",
		"|2|4.0000|1|1000000000|1000000000|0|0|0|1.000000|1.000000|",
		"|1|0|1|1000000000|1000000000|0|0|0|1.000000|1.000000|"})
	same(t, builderOf(f).failedTable(), []string{"r2|3|torn||"}, []string{"|3|||"})
}

func TestLongTablesSayWhatTheyLeaveOut(t *testing.T) {
	for n, more := range map[int]int{0: 0, mostListed: 0, mostListed + 1: 1, mostListed + 30: 30} {
		table := builderOf(fleetOf(n)).pairTable()
		if len(table.Rows) != n-more || table.More != more {
			t.Errorf("%d pairs: %d rows, %d more", n, len(table.Rows), table.More)
		}
	}
}

func TestHeadlines(t *testing.T) {
	for _, c := range []struct {
		compared, failed int
		outliers         []int
		unit             string // of the last pair
		headline         string
		cautions         int
	}{
		{0, 2, nil, "", "No pair could be compared", 1},
		{1, 0, nil, "ns", "1 pair, and no others that it could be unlike", 0},
		{1200, 0, nil, "ns", "None of 1\u2009200 pairs is unlike the rest", 0},
		{9, 1, []int{4}, "ns", "1 of 9 pairs is unlike the rest", 1},
		{9, 0, []int{4, 2}, "bytes", "2 of 9 pairs are unlike the rest", 1},
	} {
		f := fleetOf(c.compared)
		f.Outliers = c.outliers
		if c.compared > 0 {
			f.Pairs[c.compared-1].Unit = c.unit
		}
		for range c.failed {
			f.Failed, f.Pairs = append(f.Failed, len(f.Pairs)), append(f.Pairs, fleet.Pair{})
		}
		b := builderOf(f)
		b.verdict("out")
		if b.page.Headline != c.headline || len(b.page.Cautions) != c.cautions || b.page.Title != "out: many pairs compared" {
			t.Errorf("%q, %q, %q", b.page.Headline, b.page.Cautions, b.page.Title)
		}
	}
}

// TestDiversePairsAreTold: of pairs that have little in common the page says so, ranks what changed,
// and gives no medians of times.
func TestDiversePairsAreTold(t *testing.T) {
	f := fleetOf(4)
	f.Diverse, f.Common, f.Median.Factor = true, fleet.Common{Functions: 4200, Shared: 3}, 1.5
	f.Outliers, f.Changed = []int{2}, []int{1, 3, 0}
	f.Clusters = []fleet.Cluster{{Pairs: []int{0, 1, 2, 3}, MeanShare: -.125}}
	f.Pairs[2].Outlier = &fleet.Outlier{Score: 20, Text: "B is late"}
	for i, k := range f.Changed {
		f.Pairs[k].Change = &fleet.Outlier{Score: float64(9 - i), Text: fmt.Sprint("change ", k), Factor: 1}
	}
	b := builderOf(f)
	b.verdict("out")
	p := b.page
	if p.Headline != "1 of 4 pairs is unlike the rest" || len(p.Cautions) != 1 ||
		!strings.HasPrefix(p.Cautions[0], "These pairs have little in common: 3 of 4\u2009200 functions") {
		t.Errorf("%q, %q", p.Headline, p.Cautions)
	}
	if said := fmt.Sprint(p.Facts); !strings.Contains(said, "1.50×") || strings.Contains(said, "Median time") {
		t.Error(said)
	}
	pairs, _ := said(b.pairTable())
	for i, want := range []string{"r2|3|20.0 %", "r1|2|0", "r3|4|0", "r0|1|0"} {
		if !strings.HasPrefix(pairs[i], want) || !strings.HasSuffix(pairs[i], []string{"B is late", "change 1", "change 3", "change 0"}[i]) {
			t.Errorf("row %d: %s", i, pairs[i])
		}
	}
	clusters, _ := said(b.clusterTable())
	if !slices.Equal(clusters, []string{"cluster 1|4|−12.5 %|r0 … r3"}) {
		t.Errorf("%q", clusters)
	}
	f.Outliers = nil
	b.verdict("out")
	if p.Headline != "4 pairs that have little in common" {
		t.Error(p.Headline)
	}
}

func TestManyOutliersAreCounted(t *testing.T) {
	f := fleetOf(40)
	for k := range f.Pairs {
		f.Pairs[k].Outlier = &fleet.Outlier{Score: float64(k), Text: "a\x1bb"}
		f.Outliers = append(f.Outliers, k)
	}
	out, more := builderOf(f).outliers(f.Outliers, false)
	if len(out) != mostOutliers || more != 40-mostOutliers || out[3].Score != "3.0" || out[3].Cluster != 1 {
		t.Errorf("%d outliers, %d more, %+v", len(out), more, out[3])
	}
	if strings.ContainsRune(out[0].Text, 0x1b) || out[0].Line != "" {
		t.Errorf("%q, %q", out[0].Text, out[0].Line)
	}
}

// TestSpreadIsToScale holds the places of the picture: −10 to 30 over 174 px from 3 on.
func TestSpreadIsToScale(t *testing.T) {
	f := fleet.Function{MinNs: -10, Q1Ns: 0, MedianNs: 10, Q3Ns: 20, MaxNs: 30}
	for _, want := range []string{`d="M3.0 10H177.0M3.0 6V14M177.0 6V14"`, `x="46.5" y="4" width="87.0"`,
		`class="middle" d="M90.0 4V16"`, `class="zero" d="M46.5 0V20"`} {
		if got := string(spread(&f)); !strings.Contains(got, want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}
	if got := string(spread(&fleet.Function{})); strings.Contains(got, "NaN") || !strings.Contains(got, `width="0.5"`) {
		t.Errorf("of nothing: %s", got)
	}
}

// TestCellsAreMeansOfTheirRows holds what is drawn against the matrix, cell by cell.
func TestCellsAreMeansOfTheirRows(t *testing.T) {
	p, f := reported(t)
	cells, err := base64.StdEncoding.DecodeString(p.matrix.Cells)
	if err != nil || len(cells) != int(fleet.Quantities)*len(p.matrix.Rows)*batch.Buckets {
		t.Fatalf("%d cells of %d rows: %v", len(cells), len(p.matrix.Rows), err)
	}
	next := 0
	for k, r := range p.matrix.Rows {
		if r.Leaf != next || r.Pairs != 1 || r.Number != f.Matrix.Pairs[k]+1 {
			t.Errorf("row %d: %+v", k, r)
		}
		next += r.Pairs
		if outlier := slices.Contains(f.Outliers, f.Matrix.Pairs[k]); (r.Outlier == 1) != outlier {
			t.Errorf("row %d: %d outliers", k, r.Outlier)
		}
		for q := range fleet.Quantities {
			for b, v := range f.Matrix.Row(q, k) {
				got := float64(int8(cells[(int(q)*len(p.matrix.Rows)+k)*batch.Buckets+b])) / 64
				if want := min(max(v, -127./64), 127./64); math.Abs(got-want) > .5/64 {
					t.Errorf("%v of row %d, bucket %d: %g, want %g", q, k, b, got, want)
				}
			}
		}
	}
	whole := f.Matrix.Tree.Nodes[0]
	sum := 0.0
	for row := range f.Matrix.Rows() {
		sum += f.Matrix.Row(fleet.Lag, row)[100]
	}
	if got := meanRow(f.Matrix, fleet.Lag, whole)[100]; math.Abs(got-sum/float64(f.Matrix.Rows())) > 1e-12 {
		t.Errorf("mean of all %g", got)
	}
	all := builderOf(f).row(whole)
	if all.Pairs != 7 || all.Outlier != 1 || all.Number != 1 || !strings.HasPrefix(all.Name, "7 like ") {
		t.Errorf("%+v", all)
	}
	f.Waiting, f.Outliers = f.Outliers, nil
	if all = builderOf(f).row(whole); all.Outlier != 0 {
		t.Errorf("a pair that only waits is marked: %+v", all)
	}
}

// full is a writer that takes so many bytes.
type full int

var errFull = errors.New("no room is left")

func (f *full) Write(p []byte) (int, error) {
	if *f -= full(len(p)); *f < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWriterThatFails(t *testing.T) {
	p, _ := reported(t)
	var out strings.Builder
	if err := p.WriteHTML(&out); err != nil {
		t.Fatal(err)
	}
	for _, room := range []int{0, 1, out.Len() / 2, out.Len() - 1} {
		w := full(room)
		if err := p.WriteHTML(&w); !errors.Is(err, errFull) {
			t.Errorf("room for %d of %d bytes: %v", room, out.Len(), err)
		}
	}
	w := full(out.Len())
	if err := p.WriteHTML(&w); err != nil {
		t.Errorf("room for all: %v", err)
	}
}

// TestLargeClustersAreTold: the page says what the pairs are, rather than that most are unlike the
// rest, and which sums are too large.
func TestLargeClustersAreTold(t *testing.T) {
	f := fleetOf(25)
	for k, n := range []int{12, 11, 2} {
		c := fleet.Cluster{Function: "solve", MeanNs: float64(k) * 1e6}
		for range n {
			c.Pairs = append(c.Pairs, len(f.Clusters))
		}
		f.Clusters = append(f.Clusters, c)
	}
	for _, c := range []struct {
		large           int
		headline, count string
		cautions        []string
		clusters        []string
	}{
		{0, "None of 25 pairs is unlike the rest", "3", nil, []string{"cluster 1", "cluster 2", "cluster 3"}},
		{2, "25 pairs, nearly all in 2 large clusters", "3, 2 of them large",
			[]string{"The pairs fall into 2 large clusters: 23 of 25 pairs (12, 11). The pairs of a cluster differ in the " +
				"same way, which the table of clusters shows; outliers are unlike each of these clusters.",
				"2 sums of functions and waits did not fit into 64 bits: the largest or smallest such number stands for each."},
			[]string{"cluster 1, large", "cluster 2, large", "cluster 3"}},
	} {
		f.Large, f.TooLarge = c.large, c.large
		p := New("out", f)
		var names []string
		for _, row := range p.Tables[0].Rows {
			names = append(names, row[0].Text)
		}
		if p.Headline != c.headline || !slices.Equal(p.Cautions, c.cautions) || !slices.Equal(names, c.clusters) ||
			p.Facts[len(p.Facts)-1][1] != c.count {
			t.Errorf("%q, %q, %q, %q", p.Headline, p.Cautions, names, p.Facts)
		}
		var out strings.Builder
		if err := p.WriteHTML(&out); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out.String(), "Every pair is like those of a large cluster") != (c.large > 0) {
			t.Errorf("%d large clusters: the page says otherwise", c.large)
		}
	}
}

// TestLossyTracesAreNamed: pairs whose traces are torn are named first of all.
func TestLossyTracesAreNamed(t *testing.T) {
	f := fleetOf(6)
	f.Pairs[2].TrustB, f.Pairs[3].TrustA, f.Pairs[4].TrustA, f.Pairs[5].TrustB = "lossy", "lossy", "repaired", "lossy"
	want := []string{"In 3 pairs, parts of the run are missing from a trace, as from a file that was cut off; what differs " +
		"there may come from that: r2 … r3, r5."}
	if got := New("out", f).Cautions; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
