package structure

import (
	"encoding/csv"
	"image"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gioui.org/io/pointer"

	"diptych/internal/pair"
	"diptych/internal/structure"
	"diptych/internal/ui/kit"
)

// openRows are rows of a tree with all lines open.
func openRows(t *structure.Tree, o order, m measure) *rows {
	r := &rows{open: map[string]bool{}}
	r.renew(rowsOf{tree: t, order: o, measure: m})
	r.openAll()
	return r
}

// TestEveryNodeHasALine: with all open, each node is listed once, by itself or as part of a chain, below
// its parent.
func TestEveryNodeHasALine(t *testing.T) {
	tree := newBench(t, pipeline...).tree()
	r := openRows(tree, byChange, selfTime)
	seen := map[int]bool{}
	for _, l := range r.list {
		for n := l.node; ; n++ {
			if seen[n] {
				t.Fatalf("%q has two lines", tree.FullName(n))
			}
			if seen[n] = true; n == tree.ChainEnd(l.node) {
				break
			}
		}
		if l.leaf != tree.Nodes[tree.ChainEnd(l.node)].IsLeaf() {
			t.Errorf("%q: leaf is %v", tree.FullName(l.node), l.leaf)
		}
	}
	if len(seen) != len(tree.Nodes)-1 {
		t.Errorf("%d of %d nodes are listed", len(seen), len(tree.Nodes)-1)
	}
}

// TestLinesAreSorted: below each node, lines come in the order that is chosen.
func TestLinesAreSorted(t *testing.T) {
	tree := newBench(t, pipeline...).tree()
	for _, o := range []order{byChange, bySize, byName} {
		for m := range measures {
			r := openRows(tree, o, measure(m))
			last := map[int32]int{} // by parent: the line before
			for _, l := range r.list {
				parent := tree.Nodes[l.node].Parent
				if was, ok := last[parent]; ok && r.compare(was, l.node) > 0 {
					t.Fatalf("order %d: %q comes before %q", o, tree.FullName(was), tree.FullName(l.node))
				}
				last[parent] = l.node
			}
		}
	}
}

func TestLinesOpenAndFold(t *testing.T) {
	tree := newBench(t, pipeline...).tree()
	r := &rows{open: map[string]bool{}}
	r.renew(rowsOf{tree: tree, order: bySize})
	top := len(r.list)
	k := slices.IndexFunc(r.list, func(l line) bool { return !l.leaf })
	below := len(r.below(tree.ChainEnd(r.list[k].node), 1))
	if r.toggle(k); len(r.list) != top+below {
		t.Errorf("open, there are %d lines, want %d and %d", len(r.list), top, below)
	}
	if r.toggle(k); len(r.list) != top {
		t.Error("folded, there are more lines than before")
	}
	deepest := 0
	for n := range tree.Nodes {
		if tree.Nodes[n].Depth > tree.Nodes[deepest].Depth {
			deepest = n
		}
	}
	if k := r.at(deepest); k < 0 || !tree.Contains(r.list[k].node, deepest) {
		t.Error("folded, a node has no line around it")
	}
	if k := r.show(deepest); r.list[k].node != tree.ChainStart(deepest) {
		t.Errorf("shown is %q", tree.FullName(r.list[k].node))
	}
	if r.foldAll(); len(r.list) != top {
		t.Error("not all is folded")
	}
	if r.renew(r.of) {
		t.Error("lines are listed anew for nothing")
	}
}

// TestFilterKeepsWhatIsAround: a line stays if it or anything below it has the text in its name.
func TestFilterKeepsWhatIsAround(t *testing.T) {
	tree := newBench(t, pipeline...).tree()
	r := &rows{open: map[string]bool{}}
	r.renew(rowsOf{tree: tree, query: "malloc"})
	r.openAll()
	listed := map[int]bool{}
	for _, l := range r.list {
		listed[l.node] = true
	}
	for n := 1; n < len(tree.Nodes); n++ {
		want := false
		for k := n; k < n+int(tree.Nodes[n].Size); k++ {
			want = want || strings.Contains(strings.ToLower(tree.FullName(k)), "malloc")
		}
		if tree.ChainStart(n) == n && listed[n] != want {
			t.Errorf("%q: listed is %v", tree.FullName(n), listed[n])
		}
	}
	if r.renew(rowsOf{tree: tree, query: "no such code"}); len(r.list) != 0 {
		t.Error("something has an impossible name")
	}
}

// TestHeadlineNamesTheLargestChange: the packages in the heading are those whose functions changed most.
func TestHeadlineNamesTheLargestChange(t *testing.T) {
	tree := newBench(t, pipeline...).tree()
	want, most := 0, int64(0)
	for n := range tree.Nodes {
		if tree.PackageOf(n) != n || n == 0 || strings.HasPrefix(tree.Nodes[n].Name, "(") {
			continue
		}
		sum := int64(0)
		for k := n; k < n+int(tree.Nodes[n].Size); k++ {
			if d, ok := tree.Change(structure.BySelf, k); ok && tree.Nodes[k].Kind == structure.Function &&
				tree.PackageOf(k) == n {
				sum += d
			}
		}
		if kit.Abs(sum) > kit.Abs(most) {
			want, most = n, sum
		}
	}
	got := tree.Movers(3)
	if len(got) != 3 || got[0].Node != want || got[0].ByNs != most {
		t.Fatalf("first is %+v, want %q by %d", got[0], tree.FullName(want), most)
	}
	if text := headline(tree, "ns"); !strings.HasPrefix(text, tree.FullName(want)+" ") {
		t.Errorf("the heading is %q", text)
	}
	if alone := newBench(t, pipeline[0]).tree(); headline(alone, "ns") != "" {
		t.Error("one trace has changed")
	}
}

// TestCopyHasWhatTheTreeHas: every line of the copy has the numbers of its node.
func TestCopyHasWhatTheTreeHas(t *testing.T) {
	for _, files := range [][]string{pipeline, pipeline[:1]} {
		tree := newBench(t, files...).tree()
		r := openRows(tree, bySize, selfTime)
		table, err := csv.NewReader(strings.NewReader(csvOf(tree, r.list))).ReadAll()
		if err != nil || len(table) != len(r.list)+1 {
			t.Fatalf("%d lines for %d: %v", len(table), len(r.list), err)
		}
		column := func(name string) int { return slices.Index(table[0], name) }
		for k, l := range r.list {
			row, node := table[k+1], tree.ChainEnd(l.node)
			if row[0] != tree.FullName(node) || row[2] != strconv.Itoa(l.depth) {
				t.Fatalf("line %d is %q", k, row)
			}
			for _, q := range quantities {
				v, ok := tree.Value(q.metric, pair.A, node)
				if want := known(v, ok); row[column(q.key+"_a")] != want {
					t.Errorf("%s: %s of A is %q, want %q", row[0], q.key, row[column(q.key+"_a")], want)
				}
				at := column(q.key + "_change")
				if (at >= 0) != (len(files) == 2) {
					t.Fatalf("the columns are %q", table[0])
				}
				if at >= 0 && row[at] != known(tree.Change(q.metric, node)) {
					t.Errorf("%s: the change of %s is %q", row[0], q.key, row[at])
				}
			}
		}
	}
}

// TestTableIsInStep: lines brush and choose, and follow what is chosen in the picture.
func TestTableIsInStep(t *testing.T) {
	b := newBench(t, pipeline...)
	tree := b.tree()
	name := tree.FullName(tree.ChainEnd(b.table.Lines()[1]))
	r, ok := b.Find("Show code " + name)
	if !ok {
		t.Fatalf("there is no line of %q", name)
	}
	at := r.Min.Add(r.Max).Div(2)
	b.Move(at)
	if p := b.State().Brushed.Place; p == nil || p.Name != tree.FullName(b.table.Lines()[1]) {
		t.Errorf("brushed is %+v", p)
	}
	b.Point(pointer.Move, image.Pt(2, 2), 0)
	if b.Settle(); b.State().Brushed.Place != nil {
		t.Error("away from the line it is still brushed")
	}
	b.DoubleClick(at)
	if len(b.own().Zoom) == 0 {
		t.Error("a double click on a line does not zoom")
	}
	b.Do(ZoomOut)
	b.set("target", "treemap")
	node, over := b.free()
	b.ClickAt(over)
	if !slices.Contains(b.table.Lines(), tree.ChainStart(node)) {
		t.Error("what is chosen in the picture has no line")
	}
	call, _ := b.longest(pair.A, 2)
	b.C.S.Find("")
	b.C.S.Select(call)
	if b.Settle(); b.table.chosen != tree.NodeOf(pair.A, int(call.Ref.Thread), int(call.Ref.Call)) {
		t.Error("the table does not follow the selected call")
	}
	b.Click("Copy the table as CSV")
	if _, text, ok := b.Router.WriteClipboard(); !ok || !strings.HasPrefix(string(text), "code,kind") {
		t.Error("the table is not copied")
	}
	md := strings.Split(b.table.Copy(kit.Markdown, true), "\n")
	if len(md) != len(b.table.Lines())+3 || !strings.HasPrefix(md[0], "| code | kind |") ||
		strings.Count(md[1], "|") != strings.Count(md[0], "|") {
		t.Errorf("as Markdown it is %d lines: %q", len(md), md[:2])
	}
}

// TestTableOfOneTrace has one column and no change.
func TestTableOfOneTrace(t *testing.T) {
	b := newBench(t, pipeline[0])
	if _, ok := b.Find("Sort code by change"); ok {
		t.Error("one trace can be sorted by change")
	}
	b.Click("Calls of the code")
	b.Click("Sort code by name")
	if b.table.rows.of.order != byName || b.table.rows.of.measure != calls {
		t.Error("order and quantity are not taken")
	}
}
