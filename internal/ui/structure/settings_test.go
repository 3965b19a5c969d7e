package structure

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"diptych/internal/command"
	"diptych/internal/pair"
	scene "diptych/internal/scene/structure"
	"diptych/internal/session"
	"diptych/internal/structure"
)

func TestSettings(t *testing.T) {
	b := newBench(t, pipeline...)
	for _, x := range []struct {
		key, value string
		holds      func(o *Own) bool
	}{
		{"target", "treemap", func(o *Own) bool { return o.Input == scene.Treemap }},
		{"target", "icicle", func(o *Own) bool { return o.Input == scene.Icicles }},
		{"linking", "outside-focus", func(o *Own) bool { return o.Linking == scene.OutsideFocus }},
		{"linking", "in-focus", func(o *Own) bool { return o.Linking == scene.InFocus }},
		{"metric-icicle", "depth", func(o *Own) bool { return o.Icicles == scene.Colour{Metric: scene.ByDepth} }},
		{"metric-treemap", "self:change", func(o *Own) bool {
			return o.Treemap == scene.Colour{Metric: scene.BySelf, Of: scene.Change}
		}},
		{"metric-treemap", "total:b", func(o *Own) bool {
			return o.Treemap == scene.Colour{Metric: scene.ByTotal, Of: scene.OnlyB}
		}},
		{"area", "calls", func(o *Own) bool { return o.Area == structure.CallsArea }},
		{"area", "self", func(o *Own) bool { return o.Area == structure.SelfArea }},
		{"area", "lines", func(o *Own) bool { return o.Area == structure.LinesArea }},
		{"area", "equal", func(o *Own) bool { return o.Area == structure.EqualArea }},
		{"structure-height", "3", func(o *Own) bool { return o.Height == 3 }},
		{"structure-zoom", "compress/flate", func(o *Own) bool {
			return slices.Equal(o.Zoom, []string{"compress", "flate"})
		}},
		{"structure-zoom", "", func(o *Own) bool { return len(o.Zoom) == 0 }},
		{"source", t.TempDir(), func(o *Own) bool { return o.Source != "" }},
		{"source", "", func(o *Own) bool { return o.Source == "" }},
	} {
		if b.set(x.key, x.value); !x.holds(b.own()) {
			t.Errorf("%s=%s leads to %+v", x.key, x.value, b.own())
		}
	}
	b.set("structure-node", "compress/flate")
	if p := b.State().Brushed.Place; p == nil || p.Name != "compress/flate" {
		t.Errorf("brushed is %+v", p)
	}
	b.set("structure-node", "no such code")
	if b.State().Brushed.Place != nil {
		t.Error("code that there is not is brushed")
	}
}

func TestSettingsThatAreWrong(t *testing.T) {
	s := session.New(func() {})
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, x := range settings() {
		for _, bad := range map[string][]string{
			"target": {"", "code"}, "linking": {"focus"}, "area": {"size"},
			"metric-icicle": {"", "time", "self:c", "self:"}, "metric-treemap": {"package:x"},
			"structure-height": {"-1", "much", "1000"}, "source": {file, filepath.Join(file, "gone")},
		}[x.Key] {
			if err := x.Apply(s, bad); err == nil || err.Error() == "" {
				t.Errorf("%s=%s is taken", x.Key, bad)
			}
		}
	}
}

// TestNamesAreLookedUpLater: what is named before there is a tree is found once there is one.
func TestNamesAreLookedUpLater(t *testing.T) {
	b := newBench(t)
	b.set("structure-zoom", "main.go · locked")
	if z := b.own().Zoom; len(z) != 1 {
		t.Fatalf("without a trace it is %q", z)
	}
	full := newBench(t, pipeline...)
	tr := full.State().Sides[pair.A].Trace
	b.C.S.Put(pair.A, "a", tr)
	b.Settle()
	if z := b.own().Zoom; strings.Join(z, "/") != "main/main.go/locked" {
		t.Errorf("with a trace it is %q", z)
	}
	b.set("structure-zoom", "no such code")
	if len(b.own().Zoom) != 0 {
		t.Error("code that there is not fills the pane")
	}
}

// TestCommandsOfColours: each command changes what it says, of the picture that is chosen.
func TestCommandsOfColours(t *testing.T) {
	b := newBench(t, pipeline...)
	for i, id := range metricIDs {
		b.Do(id)
		if o := b.own(); o.Icicles.Metric != scene.Metric(i) || o.Treemap != o.Icicles {
			t.Errorf("%s leads to %+v", id, o)
		}
	}
	b.Do(ColoursOfStacks)
	for i, id := range ofIDs {
		b.Do(id)
		if o := b.own(); o.Icicles.Of != scene.Of(i) || o.Treemap.Of != scene.Both {
			t.Errorf("%s leads to %+v", id, o)
		}
	}
	if _, known := b.pane.style.colour(b.own()); !known {
		t.Error("the colours of the stacks are not known")
	}
	b.Do(ColoursOfBoth)
	if _, known := b.pane.style.colour(b.own()); known {
		t.Error("both pictures have one colour")
	}
	b.Do(ColoursOfCode)
	b.Do(CycleOf)
	b.Do(CycleStacks)
	b.Do(CycleCode)
	if o := b.own(); o.Treemap.Of != scene.OnlyA || o.Treemap.Metric != 0 || o.Icicles.Metric != 0 {
		t.Errorf("the next colours are %+v", o)
	}
	for id, holds := range map[command.ID]func(o *Own) bool{
		InputCode:   func(o *Own) bool { return o.Input == scene.Treemap },
		InputStacks: func(o *Own) bool { return o.Input == scene.Icicles },
		SwitchInput: func(o *Own) bool { return o.Input == scene.Treemap },
		LinkOutside: func(o *Own) bool { return o.Linking == scene.OutsideFocus },
		LinkInFocus: func(o *Own) bool { return o.Linking == scene.InFocus },
		SwitchLink:  func(o *Own) bool { return o.Linking == scene.OutsideFocus },
		AreaCalls:   func(o *Own) bool { return o.Area == structure.CallsArea },
		AreaSelf:    func(o *Own) bool { return o.Area == structure.SelfArea },
		AreaEqual:   func(o *Own) bool { return o.Area == structure.EqualArea },
	} {
		b.C.S.SetOwn(View, &Own{})
		if b.Do(id); !holds(b.own()) {
			t.Errorf("%s leads to %+v", id, b.own())
		}
	}
	if b.Do(ShowTree); b.Turned != TreeTab {
		t.Errorf("the tab is %q", b.Turned)
	}
}

// TestOwnIsASessionsOwn: another pairing leaves it, and only the wheel is no step of the history.
func TestOwnIsASessionsOwn(t *testing.T) {
	o := &Own{Zoom: []string{"a"}, Height: 2, Source: "src"}
	if o.Renew(nil, nil) != session.Own(o) {
		t.Error("another pair changes it")
	}
	if !o.SameStep(&Own{Zoom: []string{"a"}, Height: 5, Source: "src"}) {
		t.Error("turning the wheel is a step of its own")
	}
	if o.SameStep(&Own{Zoom: []string{"b"}, Height: 2, Source: "src"}) || o.SameStep(nil) {
		t.Error("zooming is no step of its own")
	}
}

// TestPlacesHaveTheirFunctions: a place has exactly the functions below its node.
func TestPlacesHaveTheirFunctions(t *testing.T) {
	tree := newBench(t, queue...).tree()
	for n := range tree.Nodes {
		p := placeOf(tree, n)
		if nodeAt(tree, p) != n && tree.Find(tree.Path(n)) == n {
			t.Errorf("the place of %q leads elsewhere", tree.FullName(n))
		}
		calls := int64(0)
		for side := range p.Fns {
			for th, tr := range tree.Pair.Trace(pair.Side(side)).Threads {
				for _, fn := range tr.Fn {
					if p.Fns[side][th] != nil && p.Fns[side][th][fn] {
						calls++
					}
				}
			}
		}
		if calls != tree.Gamma(n) {
			t.Errorf("%q has %d calls, want %d", tree.FullName(n), calls, tree.Gamma(n))
		}
	}
	if n := nodeAt(nil, nil); n != 0 {
		t.Error("no place has a node")
	}
}

// TestProfilesStartNowhere: nothing tells when code of a profile starts first, since no sample is
// earlier than another.
func TestProfilesStartNowhere(t *testing.T) {
	tree := newBench(t, "pprof/pipeline-level1.cpu.pprof", "pprof/pipeline-level9.cpu.pprof").tree()
	told := nodeLines(tree, 1, "ns")
	for _, c := range copiedColumns(tree, nil, "ns") {
		told = append(told, c.Title)
	}
	text := strings.Join(told, "\n")
	if strings.Contains(text, "first start") || !strings.Contains(text, "stack depth B − A") {
		t.Errorf("of a profile it says %q", text)
	}
	if strings.Contains(text, "calls") || !strings.Contains(text, "stacks B − A") {
		t.Errorf("of a profile whose calls nobody counted it says %q", text)
	}
}

// TestProfilesAreNotColouredByStart: the start is neither offered nor reached by going through the
// measures, and packages take its place where a session or a setting asks for it.
func TestProfilesAreNotColouredByStart(t *testing.T) {
	b := newBench(t, "pprof/pipeline-level1.cpu.pprof", "pprof/pipeline-level9.cpu.pprof")
	if Row().Enabled[ColourFirst](b.State()) || !Row().Enabled[ColourFirst](newBench(t, pipeline...).State()) {
		t.Error("the command is offered where nothing starts, or not where something does")
	}
	for range metricNames {
		b.Do(CycleStacks)
		b.Do(CycleCode)
		if o := b.own(); o.Icicles.Metric == scene.ByFirst || o.Treemap.Metric == scene.ByFirst {
			t.Errorf("a profile is coloured by %+v", o)
		}
	}
	b.set("metric-icicle", "first")
	if c := colourOf(b.State(), b.tree(), b.own().Icicles); c.Metric != scene.ByPackage {
		t.Errorf("a profile is coloured by measure %v", c.Metric)
	}
}

func TestTooltipsTellAllQuantities(t *testing.T) {
	b := newBench(t, pipeline...)
	tree := b.tree()
	node := named(tree, "compress/flate")
	text := strings.Join(nodeLines(tree, node, "ns"), "\n")
	for _, want := range []string{"compress/flate", "package of", "calls   A: ", "self   A: ",
		"cumulated   A: ", "stack depth   A: ", "first start   A: ", "   B: ", "B − A: "} {
		if !strings.Contains(text, want) {
			t.Errorf("%q lacks %q", text, want)
		}
	}
	alone := newBench(t, pipeline[0])
	text = strings.Join(nodeLines(alone.tree(), 1, "ns"), "\n")
	if strings.Contains(text, "B:") || strings.Contains(text, "A:") {
		t.Errorf("of one trace it says %q", text)
	}
	call, at := b.longest(pair.A, 1)
	b.Move(at)
	lines, shape := b.pane.explain(b.State())
	if len(lines) < 7 || lines[0] != b.State().FunctionName(call) || shape.Empty() {
		t.Errorf("of a call it says %q at %v", lines, shape)
	}
	for levels, want := range []string{"x", "1 level up: x", "2 levels up: x"} {
		if got := climbed(levels, "x"); got != want {
			t.Errorf("%d levels up it says %q", levels, got)
		}
	}
}
