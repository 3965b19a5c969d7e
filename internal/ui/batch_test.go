package ui

import (
	"context"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gioui.org/io/key"

	"diptych/internal/batch"
	"diptych/internal/command"
	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

// ranks is how many pairs the batches of these tests have, slowRank the one that is unlike the others,
// and brokenRank one that cannot be read.
const ranks, slowRank, brokenRank = 12, 7, 11

// rounds are the steps of a rank: in B the slow one computes thrice as long in rounds 16 to 23.
func rounds(rank int, b bool) (steps []any) {
	for k := range 40 {
		ms := 1 + .01*float64((rank*7+k*3)%5)
		if b && rank == slowRank && k >= 16 && k < 24 {
			ms *= 3
		}
		steps = append(steps, "compute", ms, "exchange", .5)
	}
	return steps
}

// batchOf makes a batch of ranks and returns its directory.
func batchOf(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	m := &batch.Manifest{Path: filepath.Join(home, "pairs.csv")}
	for k := range ranks {
		p := batch.Pair{Name: fmt.Sprintf("rank %d", k), A: fmt.Sprintf("a%d.json", k),
			B: fmt.Sprintf("b%d.json", k)}
		m.Pairs = append(m.Pairs, p)
		paths := m.Resolve(p)
		testtrace.WriteScript(t, paths[pair.A], rounds(k, false)...)
		testtrace.WriteScript(t, paths[pair.B], rounds(k, true)...)
		if k == brokenRank {
			if err := os.WriteFile(paths[pair.B], []byte("no trace"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	load := func(ctx context.Context, path string) (*trace.Trace, error) {
		return traceio.Load(ctx, path, input.Options{})
	}
	out := filepath.Join(home, "out")
	if _, err := batch.Run(context.Background(), m, out, batch.Options{Workers: 1, Shard: batch.Whole,
		Compared: batch.Compared{Load: load}}); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestFleet opens a batch in the window.
func TestFleet(t *testing.T) {
	dir := batchOf(t)
	b := benchOf(t, New(session.New(func() {})), image.Pt(1280, 800))
	b.app.OpenBatch(dir)
	b.settle()
	for _, c := range []struct {
		name string
		test func(*testing.T, *bench)
	}{{"a pair and back", leadsToAPairAndBack}, {"cells", opensCells}, {"failures", tellsFailures}} {
		t.Run(c.name, func(t *testing.T) {
			b.t = t
			c.test(t, b)
		})
	}
}

// labels reports whether a control of that name is shown.
func (b *bench) labels(name string) bool { return slices.Contains(b.pic.Labels(), name) }

// leadsToAPairAndBack: the outlier stands first, a click opens its pair where and in the
// function in which it departs, the history leads back to the page and forward to the pair.
func leadsToAPairAndBack(t *testing.T, b *bench) {
	if !b.app.onBatch() || !b.labels("Open rank 7") || b.labels("Open rank 3") {
		t.Fatalf("the outlier is not told alone: %q", b.pic.Labels())
	}
	b.click("Open rank 7")
	b.rest()
	st := b.state()
	if b.app.onBatch() || !st.Both() || !strings.HasSuffix(st.Sides[pair.B].Path, "b7.json") {
		t.Fatal("the pair is not open")
	}
	if !st.Selected.OK || st.FunctionName(st.Selected) != "compute" {
		t.Errorf("%v is selected", st.Selected)
	}
	for side, want := range [2][2]float64{{24e6, 36.5e6}, {24e6, 52.5e6}} { // rounds 16 to 23
		f := st.Sides[side].Focus
		if f.Start > want[0] || f.End < want[1] || f.Len() > 2*(want[1]-want[0]) {
			t.Errorf("side %d shows %v, the rounds are at %v", side, f, want)
		}
	}
	b.press(key.NameHome, 0)
	b.press(key.NameLeftArrow, key.ModAlt)
	if b.app.onBatch() {
		t.Error("the first step back left the pair")
	}
	b.press(key.NameLeftArrow, key.ModAlt)
	if !b.app.onBatch() || !b.labels("Open rank 7") {
		t.Fatal("the history does not lead back to the batch")
	}
	b.press(key.NameRightArrow, key.ModAlt)
	if b.app.onBatch() || !b.state().Both() {
		t.Error("forward does not lead to the pair")
	}
	b.click("Back to the fleet")
	if !b.app.onBatch() {
		t.Error("the button does not lead back")
	}
}

// opensCells: a cell opens its pair at the share of the time that was clicked; the
// tooltip and the status line tell of it before.
func opensCells(t *testing.T, b *bench) {
	r, ok := b.pic.Find("Pairs over time")
	if !ok {
		t.Fatal("there is no matrix")
	}
	at := image.Pt(r.Min.X+r.Dx()*3/10, r.Min.Y+40)
	b.move(at)
	if said := b.app.batch.page.Hovered(); !strings.Contains(said, "rank ") ||
		!strings.Contains(said, "of the run") {
		t.Errorf("the status line says %q", said)
	}
	b.clickAt(at)
	b.rest()
	if st := b.state(); b.app.onBatch() || !st.Both() {
		t.Fatal("no pair is open")
	}
	b.press("B", key.ModShift)
	if !b.app.onBatch() {
		t.Error("the key does not lead back")
	}
	if b.app.Can(command.SplitRight) || !b.app.Can(command.NextQuantity) || !b.app.Can(command.Quit) {
		t.Error("commands of the workbench make sense on the page, or its own do not")
	}
}

// tellsFailures: the tab of failed pairs says why, and opening one says so again.
func tellsFailures(t *testing.T, b *bench) {
	for _, tab := range []string{"Clusters of pairs", "Functions over all pairs"} {
		b.click(tab)
		if b.labels("Open rank 7") {
			t.Errorf("%s shows outliers", tab)
		}
	}
	b.click("Pairs that failed")
	if !b.labels("Open rank 11") {
		t.Fatalf("the broken pair is not told of: %q", b.pic.Labels())
	}
	b.click("Open rank 11")
	b.rest()
	if st := b.state(); st.Sides[pair.B].Err == nil || b.app.onBatch() {
		t.Error("why it cannot be opened is not told")
	}
	b.press(key.NameLeftArrow, key.ModAlt)
	if !b.app.onBatch() {
		t.Error("there is no way back from a pair that cannot be opened")
	}
}

// TestNoBatch: a directory without a batch says so where the matrix would be.
func TestNoBatch(t *testing.T) {
	b := benchOf(t, New(session.New(func() {})), image.Pt(900, 600))
	dir := t.TempDir()
	if IsBatch(dir) {
		t.Error("an empty directory is taken for a batch")
	}
	b.app.OpenBatch(dir)
	b.settle()
	if !b.labels("Read the batch again") {
		t.Errorf("there is no way on: %q", b.pic.Labels())
	}
}
