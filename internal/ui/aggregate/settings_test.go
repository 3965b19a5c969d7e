package aggregate

import (
	"image"
	"slices"
	"strings"
	"testing"

	"diptych/internal/aggregate"
	"diptych/internal/command"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/palette"
	scene "diptych/internal/scene/aggregate"
	"diptych/internal/scene/legend"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
)

func TestSettings(t *testing.T) {
	b := newBench(t, queue...)
	b.set("slices", "10")
	for _, x := range []struct {
		key, value string
		holds      func(o *Own) bool
	}{
		{"states", "package", func(o *Own) bool { return o.States == aggregate.ByPackage }},
		{"states", "blocking", func(o *Own) bool { return o.States == aggregate.ByBlocking }},
		{"states", "function", func(o *Own) bool { return o.States == aggregate.ByFunction }},
		{"resources", "code", func(o *Own) bool { return o.Code }},
		{"resources", "threads", func(o *Own) bool { return !o.Code }},
		{"slices", "8", func(o *Own) bool { return o.Slices == 8 }},
		{"slices", "1000", func(o *Own) bool { return o.Slices == 1000 }},
		{"slices", "12", func(o *Own) bool { return o.Slices == 12 }},
		{"slices-of", "virtual", func(o *Own) bool { return o.Virtual }},
		{"slices-of", "share", func(o *Own) bool { return !o.Virtual }},
		{"p", "0.25", func(o *Own) bool { return o.Fixed && o.P == .25 }},
		{"p", "0", func(o *Own) bool { return o.Fixed && o.P == 0 }},
		{"p", "best", func(o *Own) bool { return !o.Fixed && o.P == 0 }},
		{"operator", "mean", func(o *Own) bool { return o.Operator == aggregate.Mean }},
		{"operator", "sum", func(o *Own) bool { return o.Operator == aggregate.Sum }},
		{"aggregates", "sides", func(o *Own) bool { return o.Show == ShowSides }},
		{"aggregates", "difference", func(o *Own) bool { return o.Show == ShowDifference }},
		{"aggregates", "all", func(o *Own) bool { return o.Show == ShowAll }},
		{"fold-below", "12", func(o *Own) bool { return o.Least == 12 }},
		{"fold-below", "0.5", func(o *Own) bool { return o.Least == 1 }},
	} {
		if err := b.Set(x.key, x.value); err != nil || !x.holds(b.own()) {
			t.Errorf("%s=%s leads to %+v, %v", x.key, x.value, b.own(), err)
		}
	}
}

func TestSettingsThatAreWrong(t *testing.T) {
	s := session.New(func() {})
	s.Register(Row().Kind)
	before := *ownOf(s.State())
	known := 0
	for _, x := range settings() {
		bad := map[string][]string{"states": {"", "functions"}, "resources": {"thread"}, "slices": {"0", "1001", "many", ""},
			"slices-of": {"time"}, "operator": {"", "median"}, "p": {"-0.1", "1.1", "worst", ""}, "aggregates": {"both"}, "fold-below": {"low", "0"}}[x.Key]
		if known++; len(bad) == 0 {
			t.Errorf("no wrong value of %s is tried", x.Key)
		}
		for _, v := range bad {
			if err := x.Apply(s, v); err == nil || err.Error() == "" {
				t.Errorf("%s=%s is taken", x.Key, v)
			}
		}
	}
	if !ownOf(s.State()).same(&before) || known < 7 {
		t.Errorf("wrong settings lead to %+v", ownOf(s.State()))
	}
}

// TestCommands: each of a row of alternatives does what it says; the button that is on tells it in the
// next frame.
func TestCommands(t *testing.T) {
	b := wide(t, queue...)
	b.set("slices", "10")
	for _, c := range []struct {
		id    command.ID
		holds func(o *Own) bool
	}{
		{StatesPackage, func(o *Own) bool { return o.States == aggregate.ByPackage }},
		{StatesBlocking, func(o *Own) bool { return o.States == aggregate.ByBlocking }},
		{CycleStates, func(o *Own) bool { return o.States == aggregate.ByFunction }},
		{CycleStates, func(o *Own) bool { return o.States == aggregate.ByPackage }},
		{StatesFunction, func(o *Own) bool { return o.States == aggregate.ByFunction }},
		{VirtualTime, func(o *Own) bool { return o.Virtual }},
		{EqualShares, func(o *Own) bool { return !o.Virtual }},
		{ShowTheDifference, func(o *Own) bool { return o.Show == ShowDifference }},
		{CycleShow, func(o *Own) bool { return o.Show == ShowAll }},
		{ShowTheSides, func(o *Own) bool { return o.Show == ShowSides }},
		{ShowEverything, func(o *Own) bool { return o.Show == ShowAll }},
		{SwitchResources, func(o *Own) bool { return o.Code }},
		{ByThreads, func(o *Own) bool { return !o.Code }},
		{ByCode, func(o *Own) bool { return o.Code }},
		{SwitchResources, func(o *Own) bool { return !o.Code }},
	} {
		b.Do(c.id)
		if !c.holds(b.own()) {
			t.Errorf("%s leads to %+v", c.id, b.own())
		}
		title := b.C.Command(c.id).Title
		if r, ok := b.Find(title); ok && !strings.Contains(title, "next") {
			b.Do(ShowEverything)
			b.ClickAt(r.Min.Add(r.Max).Div(2))
			if !c.holds(b.own()) {
				t.Errorf("the button %q leads to %+v", title, b.own())
			}
		}
	}
	if b.Do(ShowStates); b.Turned != StatesTab {
		t.Errorf("the command shows the tab %q", b.Turned)
	}
}

// TestControlsShowAtOnce: what was set shows in the frame that follows, and not only once jobs are done.
func TestControlsShowAtOnce(t *testing.T) {
	b := wide(t, queue...)
	b.Hasty = true
	for name, id := range map[string]command.ID{"the states": ByCode, "the plots": ShowTheSides} {
		title := b.C.Command(id).Title
		b.Click(title)
		if name == "the states" && !b.own().Code || name == "the plots" && len(b.pane.Shown().Plots) == 3 && !b.own().Code {
			t.Errorf("%s do not change at once: %+v", name, b.own())
		}
	}
	if _, ok := b.Find(b.C.Command(StatesPackage).Title); ok {
		t.Error("by code there are still states to choose")
	}
	slider := b.Middle("Number of timeslices")
	was := b.own().Slices
	b.Scroll(slider, 0, -1, 0)
	if b.own().Slices != was+10 {
		t.Errorf("the wheel over the slider leads from %d to %d", was, b.own().Slices)
	}
	fold := b.Middle("Fold rows lower than this")
	b.Scroll(fold, 0, -2, 0)
	if b.own().Least != fresh().Least+2 {
		t.Errorf("the wheel over the slider leads to %v", b.own().Least)
	}
}

// TestPlotsThatAreShown: A, B and their difference, or some of them.
func TestPlotsThatAreShown(t *testing.T) {
	b := newBench(t, queue...)
	for value, want := range map[string][]int{"all": {scene.A, scene.B, scene.Difference},
		"sides": {scene.A, scene.B}, "difference": {scene.Difference}} {
		b.set("aggregates", value)
		var got []int
		for _, g := range b.pane.Shown().Plots {
			got = append(got, g.Of)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s shows %v", value, got)
		}
		if n := len(legendOf(b.pane.built.state, b.State(), b.pane.Shown().Scene.Size, 1)); n < 3 {
			t.Errorf("%s has a legend of %d", value, n)
		}
	}
}

// TestLegendTakesTwoRows: in panes of usual widths, with all states or with how many more there are,
// and always with what is not a state.
func TestLegendTakesTwoRows(t *testing.T) {
	b := newBench(t, queue...)
	ss := b.pane.built.state
	marks, names := marksOf(ss), len(ss.Plots[0].Picture.Source.States())
	for width := float32(560); width < 1900; width += 20 {
		list := legendOf(ss, b.State(), geom.Size{W: width, H: 600}, 1)
		if h := kit.LegendHeight(list, width, 1); h > legendHeight || len(list) < len(marks) {
			t.Errorf("%g px wide: %d entries take %g px", width, len(list), h)
		}
		told := len(list) - len(marks)
		if left := list[max(told-1, 0)].Label; told > 0 && told != names && !strings.Contains(left, "more state") {
			t.Errorf("%g px wide: %d of %d states, and then %q", width, told, names, left)
		}
	}
}

// TestOneButtonHasTheOtherSettings: at no width of the pane do two buttons say "more".
func TestOneButtonHasTheOtherSettings(t *testing.T) {
	b, least := newBench(t, queue...), 2
	for b.Area.Max.X = b.Area.Min.X + 600; b.Area.Max.X < 1280; b.Area.Max.X += 40 {
		b.Frame(0)
		n := 0
		for _, name := range b.Labels() {
			if strings.HasPrefix(name, "More settings of the ") {
				n++
			}
		}
		if least = min(least, n); n > 1 {
			t.Errorf("%d px wide: %d buttons", b.Area.Dx(), n)
		}
	}
	if least > 0 {
		t.Error("not all settings are shown at any width")
	}
}

// TestLegendNamesTheGrey: where many functions take most of the time together, the legend says so
// before it names those that take less.
func TestLegendNamesTheGrey(t *testing.T) {
	b := newBench(t, "pprof/pipeline-level1.cpu.pprof", "pprof/pipeline-level9.cpu.pprof")
	list := legendOf(b.pane.built.state, b.State(), geom.Size{W: 700, H: 600}, 1)
	at := slices.IndexFunc(list, func(e legend.Entry) bool { return strings.HasPrefix(e.Label, aggregate.Other+"  ") })
	if at < 0 || at > 2 {
		t.Errorf("“other” is entry %d of %+v", at, list)
	}
}

// TestTimeslices: equal shares of each run, or of virtual time, in which both sides have the same axis.
func TestTimeslices(t *testing.T) {
	b := newBench(t, queue...)
	b.set("slices", "16")
	for s, m := range b.overview().cut.Sides {
		f := b.foci()[s]
		for i, at := range m.Borders {
			if want := int64(float64(i) * f.End / 16); at < want-1 || at > want+1 {
				t.Errorf("%d: border %d is at %d, want %d", s, i, at, want)
			}
		}
	}
	if got := counts(b.State()); !strings.HasPrefix(got, "16 timeslices  A ") || !strings.Contains(got, "  B ") {
		t.Errorf("the status line says %q", got)
	}
	b.set("slices-of", "virtual")
	o, a := b.overview(), aligned(b.State())
	if o.cut.of.virtual != a || a == nil {
		t.Fatal("it is not that of the alignment")
	}
	v, err := a.Virtual(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// From the first moment that a side shows to the last one; before its start and after its end a
	// side has nothing.
	from, to := min(v.At(pair.A, 0), v.At(pair.B, 0)), int64(0)
	for s, f := range b.foci() {
		to = max(to, v.At(pair.Side(s), int64(f.End)))
	}
	for i := range 17 {
		for _, s := range []pair.Side{pair.A, pair.B} {
			want := min(max(v.Real(s, from+(to-from)*int64(i)/16), 0), b.State().Sides[s].Trace.Duration)
			if at := o.cut.Sides[s].Borders[i]; at < want-2 || at > want+2 {
				t.Errorf("%v: border %d is at %d, want %d", s, i, at, want)
			}
		}
	}
	for _, p := range b.pane.built.state.Plots {
		if p.Span.Len() != 16 || p.Ticks == nil || p.Ticks(0) == "" {
			t.Errorf("the axis of %s is %v", plotNames[p.Of], p.Span)
		}
	}
	if got := counts(b.State()); got != "16 timeslices" {
		t.Errorf("the status line says %q", got)
	}
}

// TestStatesOfThreads: the states of the models are those that are asked for.
func TestStatesOfThreads(t *testing.T) {
	b := newBench(t, queue...)
	b.set("slices", "10")
	b.set("states", "blocking")
	states := b.overview().states()
	for _, s := range states {
		if !slices.Contains([]string{"running", "waiting", "I/O", "runnable", "off CPU"}, s) {
			t.Errorf("a state is %q", s)
		}
	}
	b.set("states", "package")
	if slices.Equal(b.overview().states(), states) {
		t.Errorf("packages are %q", states)
	}
}

// TestSmallPanes: in a small pane all controls are behind one button, below it is the grid.
func TestSmallPanes(t *testing.T) {
	b := newBench(t, queue...)
	b.Beside = nil
	tall := b.pane.Area().Dy()
	b.Area = image.Rect(12, 80, 400, 330)
	b.Settle()
	if b.pane.Area().Dy() < 180 || len(b.pane.Shown().Plots) == 0 || tall < 500 {
		t.Errorf("the grids have %v", b.pane.Area())
	}
	b.Click("More settings of the overview")
	if _, ok := b.Find(b.C.Command(ByCode).Title); !ok {
		t.Error("the settings do not open")
	}
	if !b.pane.Dismiss() || b.pane.Dismiss() {
		t.Error("they are not dismissed once")
	}
	b.Area = image.Rect(12, 80, 100, 330)
	if b.Settle(); len(b.pane.Shown().Plots) != 0 || empty(b.State(), b.pane.Shown()) != "There is no room here." {
		t.Error("a narrow pane has grids")
	}
	b.Area = image.Rect(12, 80, 312, 90)
	if b.Settle(); b.pane.Scenes() != nil {
		t.Error("a pane without room has a scene")
	}
}

// TestPictureIsThePane: without a window, the view is the same but for what lies over it.
func TestPictureIsThePane(t *testing.T) {
	b := newBench(t, queue...)
	parts := Picture(b.State(), palette.Light(), image.Pt(800, 500), 1)
	if len(parts) != 1 || parts[0].Scene.Count() < 50 || parts[0].Scene.Size.H != 500 {
		t.Fatalf("%d parts", len(parts))
	}
	small := Picture(b.State(), palette.Dark(), image.Pt(90, 40), 2)
	if small[0].Scene.Size.H != 40 {
		t.Errorf("a low picture is %v px high", small[0].Scene.Size.H)
	}
}

// TestLegendBeginsWithWhatIsSeen: zoomed to a thread, the legend begins with the state that takes most
// of its time, also if that takes little of all threads'.
func TestLegendBeginsWithWhatIsSeen(t *testing.T) {
	threads := []string{"aaaaaaaa", "aaaaaaaa", "aaaaaaaa", "bbbbbbbb"}
	b := put(t, staged(t, threads...), staged(t, threads...))
	b.set("slices", "8")
	first := func() string {
		return legendOf(b.pane.built.state, b.State(), geom.Size{W: 700, H: 600}, 1)[0].Label
	}
	if got := first(); !strings.HasPrefix(got, "a  75 %") {
		t.Errorf("of all threads, the legend begins with %q", got)
	}
	_, at := b.area(scene.A, func(a scene.Area) bool { return single(a) && a.Leaves[0] == 3 })
	b.ClickAt(at)
	if got := first(); !strings.HasPrefix(got, "b  100 %") {
		t.Errorf("of the last thread, the legend begins with %q", got)
	}
}
