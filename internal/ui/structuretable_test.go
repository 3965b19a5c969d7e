package ui

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gioui.org/io/key"

	"diptych/internal/pair"
	"diptych/internal/structure"
	"diptych/internal/ui/kit"
	structview "diptych/internal/ui/structure"
	"diptych/internal/ui/words"
)

// TestTableFollowsAndLeads: the table opens, sorts and filters lines, brushes and chooses code.
func TestTableFollowsAndLeads(t *testing.T) {
	b, _ := structured(t, "gotrace/pipeline-mutex.gotrace", "gotrace/pipeline-chan.gotrace")
	if b.app.dock.Tab() != structview.TreeTab {
		t.Fatalf("the tab beside the structure is %q", b.app.dock.Tab())
	}
	list := b.app.Panel(structview.TreeTab).(*structview.Table)
	tree := b.tree(structure.Options{})
	before := list.Lines()
	b.click("Sort code by size")
	folder := slices.IndexFunc(list.Lines(), func(n int) bool { return !tree.Nodes[tree.ChainEnd(n)].IsLeaf() })
	node := list.Lines()[folder]
	name := tree.FullName(tree.ChainEnd(node))
	b.click("Open " + name)
	if len(list.Lines()) <= len(before) {
		t.Error("opening a line shows nothing")
	}
	b.click("Fold " + name)
	if len(list.Lines()) != len(before) {
		t.Error("folding it does not hide what is below")
	}
	r, _ := b.pic.Find("Show code " + name)
	b.move(middle(r))
	if p := b.state().Brushed.Place; p == nil || !slices.Equal(p.Path, tree.Path(node)) {
		t.Errorf("the line under the pointer brushes %+v", p)
	}
	b.clickAt(middle(r))
	if p := b.state().Search.Place; p == nil || !slices.Equal(p.Path, tree.Path(node)) {
		t.Errorf("a click on the line chooses %+v", p)
	}
	b.click("Calls of the code")
	b.click("Open all code")
	if len(list.Lines()) <= len(before) {
		t.Error("not all is open")
	}
	b.click("Fold all code")
	b.click("Filter code")
	b.write("mutex")
	for _, n := range list.Lines() {
		hit := false
		for k := n; k < n+int(tree.Nodes[n].Size); k++ {
			hit = hit || strings.Contains(strings.ToLower(tree.FullName(k)), "mutex")
		}
		if !hit {
			t.Errorf("the filter keeps %q", tree.FullName(n))
		}
	}
}

// TestTableIsCopied: Ctrl-Shift-C puts the lines on the clipboard, as in other tables.
func TestTableIsCopied(t *testing.T) {
	b, _ := structured(t, buildPair...)
	list := b.app.Panel(structview.TreeTab).(*structview.Table)
	b.app.S.Select(b.target(pair.A, 0)) // something else to copy before
	if b.press("C", key.ModCtrl); !strings.HasPrefix(b.pic.Clipboard(), "function: ") {
		t.Errorf("Ctrl-C copies %q", b.pic.Clipboard())
	}
	b.press("C", key.ModCtrl|key.ModShift)
	if got, want := b.pic.Clipboard(), list.Copy(kit.TSV, true); got != want {
		t.Errorf("copied is %q, want %q", got, want)
	}
}

// TestSourceFolder: with it, what never ran is code, too, and areas may stand for lines.
func TestSourceFolder(t *testing.T) {
	dir := t.TempDir()
	for file, text := range map[string]string{"main.go": "package main\n", "never/ran.go": "package x\n\n\n"} {
		path := filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b, p := structured(t, "gotrace/pipeline-mutex.gotrace")
	b.set("source="+dir, "area=lines")
	if !strings.Contains(p.Tally(b.state()), "outside "+filepath.Base(dir)) {
		t.Errorf("the bar says %q", p.Tally(b.state()))
	}
	b.click("Filter code")
	b.write("ran.go")
	if _, ok := b.pic.Find("Show code " + filepath.Base(dir) + "/never/ran.go"); !ok {
		t.Errorf("the file that never ran is not among %q", b.pic.Labels())
	}
	// The folder may go away later.
	b.app.S.SetOwn(structview.View, &structview.Own{Source: filepath.Join(dir, "gone")})
	b.settle()
	if !strings.Contains(p.Tally(b.state()), "gone") || p.Shown().Treemap.Empty() {
		t.Errorf("without the folder the bar says %q", p.Tally(b.state()))
	}
}

// TestFindingsNamePackages: the findings begin with the packages that changed most, each with its
// change in one line.
func TestFindingsNamePackages(t *testing.T) {
	b := newBench(t, pairs["pipeline"]...)
	b.click("Findings")
	tree, err := structure.New(t.Context(), b.state().Pair, structure.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	labels := b.pic.Labels()
	at := slices.Index(labels, "Packages that changed most")
	if at < 0 {
		t.Fatalf("no package is named among %q", labels)
	}
	for k, m := range tree.Movers(3) {
		name, amount := tree.FullName(m.Node), kit.SignedValue(m.ByNs, words.UnitOf(b.state()))
		if got := labels[at+1+2*k : at+3+2*k]; !slices.Equal(got, []string{name, amount}) {
			t.Errorf("line %d is %q, want %s %s", k, got, name, amount)
		}
		one, _ := b.pic.Find(name)
		if r, _ := b.pic.Find(amount); r.Min.Y != one.Min.Y || r.Max.Y != one.Max.Y {
			t.Errorf("%s lies at %v, its change at %v", name, one, r)
		}
	}
}

// TestTableKeepsChangesOnTheirLines: above the code, the name of a package that changed much and its
// change stand in one line, whatever a name is made of.
func TestTableKeepsChangesOnTheirLines(t *testing.T) {
	b := newBench(t, "perfscript/pipeline-level1.txt.gz", "perfscript/pipeline-level9.txt.gz")
	b.press("6", 0)
	b.rest()
	tree, err := structure.New(t.Context(), b.state().Pair, structure.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	amounts := 0
	for _, m := range tree.Movers(3) {
		amount := kit.SignedValue(m.ByNs, words.UnitOf(b.state()))
		for _, label := range b.pic.Labels() {
			for line := range strings.SplitSeq(label, "\n") {
				if name, ok := strings.CutSuffix(strings.TrimSuffix(line, ","), "\u00a0"+amount); ok {
					t.Errorf("%s would break within %q", label, name)
				} else if strings.HasSuffix(strings.TrimSuffix(line, ","), " "+amount) {
					amounts++
				}
			}
		}
	}
	if amounts < 2 {
		t.Errorf("%d changes of packages end a line of %q", amounts, b.pic.Labels())
	}
}
