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

	"diptych/internal/account"
	"diptych/internal/align"
	"diptych/internal/batch"
	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

// compared makes a batch of one pair with some settings, and returns its directory. What differs
// between its sides depends on each setting: a suffix that compilers add, a function with two names,
// one that only a rule calls a wait, and a level that B has more.
func compared(t *testing.T, s batch.Settings) string {
	t.Helper()
	home := t.TempDir()
	m := &batch.Manifest{Path: filepath.Join(home, "pairs.csv"),
		Pairs: []batch.Pair{{Name: "rank 0", A: "a.json", B: "b.json"}}}
	for side, path := range m.Resolve(m.Pairs[0]) {
		var b strings.Builder
		call := func(name string, at, us int) {
			fmt.Fprintf(&b, `{"ph":"X","pid":1,"tid":1,"name":%q,"ts":%d,"dur":%d},`, name, at, us)
		}
		for k := range 20 {
			at := k * 10_000
			call([]string{"pack.isra.0", "pack"}[side], at, 1000)
			call([]string{"send", "post"}[side], at+1000, 2000)
			call("spin", at+3000, 1000+500*side)
			if side == 1 {
				call("guard", at+5000, 3000)
			}
			call("solve", at+5000, 3000)
		}
		text := fmt.Sprintf(`[%s{"ph":"X","pid":1,"tid":1,"name":"main","ts":0,"dur":200000}]`, b.String())
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if s.RulesFile != "" {
		s.RulesFile = filepath.Join(home, s.RulesFile)
		if err := os.WriteFile(s.RulesFile, []byte("wait spin\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o := batch.Options{Workers: 1, Shard: batch.Whole, Settings: s}
	o.Rules, o.Align = s.Names, align.Options{Strict: s.Strict}
	o.Load = func(ctx context.Context, path string) (*trace.Trace, error) {
		return traceio.Load(ctx, path, input.Options{RulesFile: s.RulesFile})
	}
	out := filepath.Join(home, "out")
	if _, err := batch.Run(t.Context(), m, out, o); err != nil {
		t.Fatal(err)
	}
	if s.RulesFile != "" {
		if err := os.Remove(s.RulesFile); err != nil { // the batch has its own
			t.Fatal(err)
		}
	}
	return out
}

// foundIn returns the findings of a batch of one pair, and how long its sides wait.
func foundIn(t *testing.T, dir string) (found []string) {
	t.Helper()
	d, err := batch.OpenDirectory(dir)
	if err != nil {
		t.Fatal(err)
	}
	for rows, err := range batch.Table[batch.PairRow](d, "pairs") {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, fmt.Sprint("waits ", rows[0].WaitANs, " ", rows[0].WaitBNs))
	}
	for rows, err := range batch.Table[batch.FindingRow](d, "findings") {
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			found = append(found, fmt.Sprint(r.Text, " ", r.ElapsedNs, " ", r.WorkNs))
		}
	}
	return found
}

// finds holds that what is open has these findings and waits.
func (b *bench) finds(what string, want []string) {
	b.t.Helper()
	d := b.state().Difference()
	if d == nil {
		b.t.Fatalf("%s: nothing is compared", what)
	}
	waits := func(side pair.Side) int64 { return d.Balance.Total[side][account.Wait] }
	got := []string{fmt.Sprint("waits ", waits(pair.A), " ", waits(pair.B))}
	for _, f := range d.Findings {
		got = append(got, fmt.Sprint(f.Text, " ", f.Own.ElapsedNs, " ", f.Own.WorkNs))
	}
	if !slices.Equal(got, want) {
		b.t.Errorf("%s finds %q\nthe batch found %q", what, got, want)
	}
}

// TestPairIsComparedAsItsBatchWas: the workbench shows of a pair what the batch has found, with
// whatever options that was, and goes back to the window's own when the pair is closed.
func TestPairIsComparedAsItsBatchWas(t *testing.T) {
	rules := func(raw bool, renames ...string) pair.Rules {
		r, err := pair.ParseRules(raw, renames)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	usual := foundIn(t, compared(t, batch.Settings{}))
	b := benchOf(t, New(session.New(func() {})), image.Pt(1280, 800))
	for _, c := range []struct {
		name string
		batch.Settings
	}{
		{"raw names", batch.Settings{Names: rules(true)}},
		{"renames", batch.Settings{Names: rules(false, "send=post")}},
		{"rules", batch.Settings{RulesFile: "spin.rules"}},
		{"strict", batch.Settings{Strict: true}},
		{"none", batch.Settings{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b.t = t
			dir := compared(t, c.Settings)
			want := foundIn(t, dir)
			if slices.Equal(want, usual) != (c.name == "none") {
				t.Fatalf("the option changes nothing, or none does: %q", want)
			}
			b.app.OpenBatch(dir)
			b.settle()
			r, ok := b.pic.Find("Pairs over time")
			if !ok {
				t.Fatal("there is no matrix")
			}
			b.clickAt(image.Pt(r.Min.X+r.Dx()/2, r.Min.Y+40))
			b.rest()
			b.finds("the workbench", want)
			saved := filepath.Join(t.TempDir(), "pair.diptych")
			b.app.saveTo(saved)
			b.press("W", key.ModShortcut)
			if s := b.app.S; s.Strict || s.Rules.Raw || len(s.Rules.Renames) > 0 || b.app.Load.RulesFile != "" {
				t.Error("the batch's options outlive its pair")
			}
			b.app.OpenSession(saved)
			b.rest()
			b.finds("the saved pair", want)
			b.press("W", key.ModShortcut)
		})
	}
}

// TestPairWithoutItsRules: a pair whose batch has lost its file of rules is opened nevertheless, and
// the status line says what is missing.
func TestPairWithoutItsRules(t *testing.T) {
	dir := compared(t, batch.Settings{RulesFile: "spin.rules"})
	if err := os.Remove(filepath.Join(dir, "blocking.rules")); err != nil {
		t.Fatal(err)
	}
	b := benchOf(t, New(session.New(func() {})), image.Pt(1280, 800))
	b.app.OpenBatch(dir)
	b.settle()
	r, _ := b.pic.Find("Pairs over time")
	b.clickAt(image.Pt(r.Min.X+r.Dx()/2, r.Min.Y+40))
	b.rest()
	if said, _ := b.app.S.Notice(); !b.state().Both() || !strings.Contains(said, "blocking.rules") {
		t.Errorf("it says %q", said)
	}
}
