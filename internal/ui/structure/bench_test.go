package structure

import (
	"image"
	"testing"

	"diptych/internal/geom"
	"diptych/internal/structure"
	"diptych/internal/ui/uitest/viewtest"
)

// bench shows the view with the table beside it.
type bench struct {
	*viewtest.Bench
	pane  *Pane
	table *Table
}

// The files of testdata that tests show.
var (
	queue    = []string{"uftrace/queue-2p2c.data.tar.gz", "uftrace/queue-1p3c.data.tar.gz"}
	pipeline = []string{"gotrace/pipeline-mutex.gotrace", "gotrace/pipeline-chan.gotrace"}
)

// newBench shows files of testdata.
func newBench(t testing.TB, files ...string) *bench {
	t.Helper()
	pane, table := New().(*Pane), newTable()
	b := &bench{viewtest.New(t, viewtest.Opened(t, files...), Row(), pane, table), pane, table}
	b.Start()
	return b
}

func (b *bench) own() *Own { return ownOf(b.State()) }

// tree returns the tree that is shown.
func (b *bench) tree() *structure.Tree {
	b.T.Helper()
	t := treeIn(b.State())
	if t == nil {
		b.T.Fatal("there is no tree")
	}
	return t
}

// set carries out a setting that there is.
func (b *bench) set(key, value string) {
	b.T.Helper()
	if err := b.Set(key, value); err != nil {
		b.T.Fatalf("%s=%s: %v", key, value, err)
	}
	b.Settle()
}

// in returns a point of the pane in the window.
func (b *bench) in(at geom.Point) image.Point {
	return image.Pt(int(at.X), int(at.Y)).Add(b.pane.Area().Min)
}

func middle(r geom.Rect) geom.Point { return geom.Point{X: (r.X0 + r.X1) / 2, Y: (r.Y0 + r.Y1) / 2} }

// free returns a function whose cell shows beside the stacks, and a point over it.
func (b *bench) free() (node int, at image.Point) {
	b.T.Helper()
	t, v := b.tree(), b.pane.Shown()
	for n := range t.Nodes {
		r := v.NodeRect(n)
		if t.Nodes[n].Kind != structure.Function || r.W() < 4 || r.H() < 4 || t.Nodes[n].Depth < 3 {
			continue
		}
		if hit, ok := v.Pick(middle(r)); ok && hit.Side < 0 && hit.Node == n {
			return n, b.in(middle(r))
		}
	}
	b.T.Fatal("no cell is free")
	return 0, image.Point{}
}
