package fleetpage

import (
	"encoding/base64"
	"fmt"
	"math"
	"slices"

	"diptych/internal/aggregate"
	"diptych/internal/batch"
	"diptych/internal/batch/fleet"
	"diptych/internal/escape"
	"diptych/internal/geom"
)

// mostRows is how many rows the picture of the matrix has. More pairs than that are drawn as
// groups: nodes of the tree of rows.
const mostRows = 256

// matrix is what matrix.js draws.
type matrix struct {
	Buckets int    `json:"buckets"`
	Rows    []row  `json:"rows"`
	Cells   string `json:"cells"` // int8 in 1/64, by quantity, row and bucket; base64
	Areas   []area `json:"areas"`
}

// row is a pair, or a group of pairs that is drawn as one.
type row struct {
	Name    string `json:"name"`
	Number  int    `json:"number"` // of the pair, of the first of several
	Leaf    int    `json:"leaf"`   // the first row of the matrix
	Pairs   int    `json:"pairs"`
	Cluster int    `json:"cluster"`
	Outlier int    `json:"outlier"` // pairs among them that are
}

// area is an area that is alike: rows [First, Last) of the matrix, buckets [From, To).
type area struct {
	First int                       `json:"first"`
	Last  int                       `json:"last"`
	From  int                       `json:"from"`
	To    int                       `json:"to"`
	Mean  [fleet.Quantities]float64 `json:"mean"`
}

// layOut puts the matrix on the page.
func (b *builder) layOut() {
	m, p := b.f.Matrix, b.f.Partition
	out := matrix{Buckets: batch.Buckets, Rows: []row{}, Areas: []area{}}
	nodes := drawnNodes(m.Tree)
	for _, n := range nodes {
		out.Rows = append(out.Rows, b.row(n))
	}
	cells := make([]byte, 0, int(fleet.Quantities)*len(nodes)*batch.Buckets)
	for q := range fleet.Quantities {
		for _, n := range nodes {
			for _, v := range meanRow(m, q, n) {
				cells = append(cells, byte(int8(math.Round(min(max(v*64, -127), 127)))))
			}
		}
	}
	out.Cells = base64.StdEncoding.EncodeToString(cells)
	for _, a := range p.Areas {
		for q := range a.Mean {
			a.Mean[q] = math.Round(a.Mean[q]*1e4) / 1e4
		}
		out.Areas = append(out.Areas, area{a.FromRow, a.ToRow, a.FromBucket, a.ToBucket, a.Mean})
	}
	b.page.matrix = out
	b.aboutMatrix(len(nodes))
}

// aboutMatrix says what the picture shows.
func (b *builder) aboutMatrix(rows int) {
	p, text := b.f.Partition, "Each row is a pair"
	if rows < b.f.Matrix.Rows() {
		text = fmt.Sprintf("Each row is a pair, or the mean of several that are alike: %d rows for %s", rows,
			geom.FormatThings(b.f.Matrix.Rows(), "pair"))
	}
	b.page.MatrixAbout = text + fmt.Sprintf("; time goes from left to right in %d buckets. Pairs of a cluster are "+
		"neighbours. A mark at the left is an outlier; names are written "+
		"where there is room.", batch.Buckets)
	if n := len(p.Areas); n > 0 {
		b.page.AreasAbout = fmt.Sprintf("%s that are alike stand for %d × %d cells (p %.3f, gain %.1f %%, loss %.1f %%).",
			geom.FormatThings(n, "area"), b.f.Matrix.Rows(), batch.Buckets, p.P, 100*p.Gain, 100*p.Loss)
	}
}

// drawnNodes returns the nodes of the tree that are drawn as rows, in its order: leaves if there is
// room for all, else the largest nodes are divided as long as there is.
func drawnNodes(t *aggregate.Tree) (list []aggregate.Node) {
	if len(t.Nodes) == 0 {
		return nil
	}
	divided, rows := map[int]bool{}, 1
	for {
		best := -1
		for k, n := range t.Nodes {
			parent := int(n.Parent)
			inner := n.Leaf == aggregate.None && !divided[k] && (parent < 0 || divided[parent])
			if inner && rows+children(t, k)-1 <= mostRows && (best < 0 || n.To-n.From > t.Nodes[best].To-t.Nodes[best].From) {
				best = k
			}
		}
		if best < 0 {
			break
		}
		divided[best] = true
		rows += children(t, best) - 1
	}
	for k, n := range t.Nodes {
		if parent := int(n.Parent); !divided[k] && (parent < 0 || divided[parent]) {
			list = append(list, n)
		}
	}
	return list
}

// children counts the children of a node.
func children(t *aggregate.Tree, k int) (n int) {
	for c, end := k+1, k+int(t.Nodes[k].Size); c < end; c += int(t.Nodes[c].Size) {
		n++
	}
	return n
}

// row describes a row of the picture.
func (b *builder) row(n aggregate.Node) row {
	f, m := b.f, b.f.Matrix
	r := row{Leaf: int(n.From), Pairs: int(n.To - n.From), Number: math.MaxInt}
	for leaf := n.From; leaf < n.To; leaf++ {
		p := &f.Pairs[m.Pairs[leaf]]
		if r.Number > int(p.Number) {
			r.Number, r.Name = int(p.Number), escape.Line(p.Pair)
		}
		r.Cluster = p.Cluster + 1
		if slices.Contains(f.Outliers, m.Pairs[leaf]) { // those that only wait are none
			r.Outlier++
		}
	}
	if r.Pairs > 1 {
		r.Name = fmt.Sprintf("%d like %s", r.Pairs, r.Name)
	}
	return r
}

// meanRow returns the mean of the rows of a node.
func meanRow(m *fleet.Matrix, q fleet.Quantity, n aggregate.Node) []float64 {
	mean := make([]float64, batch.Buckets)
	for leaf := n.From; leaf < n.To; leaf++ {
		for b, v := range m.Row(q, int(leaf)) {
			mean[b] += v / float64(n.To-n.From)
		}
	}
	return mean
}
