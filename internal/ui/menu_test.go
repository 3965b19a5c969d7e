package ui

import (
	"image"
	"slices"
	"strings"
	"testing"

	"gioui.org/io/key"

	"diptych/internal/account/explain"
	"diptych/internal/geom"
	"diptych/internal/pair"
	alignscene "diptych/internal/scene/aligned"
	structscene "diptych/internal/scene/structure"
	"diptych/internal/scene/threads"
	"diptych/internal/session"
	aggview "diptych/internal/ui/aggregate"
	structview "diptych/internal/ui/structure"
	threadview "diptych/internal/ui/threads"
)

// offered returns the titles of the menu that is open, and fails if one of them is not drawn.
func (b *bench) offered() (titles []string) {
	b.t.Helper()
	if !b.app.menu.Open() {
		b.t.Fatal("no menu is open")
	}
	labels := b.pic.Labels()
	for _, o := range b.app.menu.offers {
		titles = append(titles, o.Title)
		if !slices.Contains(labels, o.Title) {
			b.t.Errorf("%q is not drawn", o.Title)
		}
	}
	return titles
}

// offers opens the menu at a point and fails if it lacks one of the titles. It takes the first.
func (b *bench) offers(at image.Point, want ...string) {
	b.t.Helper()
	b.rightClick(at)
	titles := b.offered()
	for _, title := range want {
		if !slices.Contains(titles, title) {
			b.t.Fatalf("the menu at %v lacks %q: %q", at, title, titles)
		}
	}
	b.click(want[0])
	if b.app.menu.Open() {
		b.t.Errorf("%q leaves the menu open", want[0])
	}
}

// search returns the first point of a grid over an area that is as wanted.
func (b *bench) search(area image.Rectangle, wanted func(geom.Point) bool) image.Point {
	b.t.Helper()
	for y := 3; y < area.Dy(); y += 5 {
		for x := 3; x < area.Dx(); x += 3 {
			if wanted(geom.Point{X: float32(x), Y: float32(y)}) {
				return area.Min.Add(image.Pt(x, y))
			}
		}
	}
	b.t.Fatal("there is no such place")
	return image.Point{}
}

// TestMenuOfACall: a right click selects the call, its menu acts on it and has the keys that do the
// same, and Ctrl-C copies it.
func TestMenuOfACall(t *testing.T) {
	b := queuePair(t)
	b.rightClick(b.callAt(pair.A, 1))
	call := b.state().Selected
	if !call.OK || call.Ref != b.longCall(pair.A, 1) {
		t.Fatalf("selected is %+v", call)
	}
	want := []string{"Fit it into the view", "Select its caller", "Mark to align with another call",
		"Write a note…", "Durations of all calls of the function", "Copy", "Copy as Markdown",
		"Show it in Alignment", "Show it in Structure", "Save the view as SVG…", "Save the window as PNG…"}
	titles := b.offered()
	for _, w := range want {
		if !slices.Contains(titles, w) {
			t.Errorf("the menu lacks %q: %q", w, titles)
		}
	}
	keys := map[string]string{}
	for _, o := range b.app.menu.offers {
		keys[o.Title] = o.Keys
	}
	if keys["Fit it into the view"] != "F" || keys["Copy"] != "Ctrl-C" || keys["Write a note…"] != "Ctrl-N" {
		t.Errorf("keys: %q", keys)
	}
	b.click("Copy")
	th, i := b.state().Call(call)
	facts := b.pic.Clipboard()
	for _, fact := range []string{"function: " + name(b.state(), call), "side: A (queue-2p2c)",
		"thread: " + th.Title(), "duration: " + geom.FormatValue(float64(th.Dur(i)), "ns"), "self time: ", "aligned with: "} {
		if !strings.Contains(facts, fact) {
			t.Errorf("copied is %q, which lacks %q", facts, fact)
		}
	}
	b.press("C", key.ModCtrl)
	if b.pic.Clipboard() != facts {
		t.Errorf("Ctrl-C copies %q", b.pic.Clipboard())
	}
	b.press("F10", key.ModShift)
	b.press(key.NameDownArrow, 0)
	b.press(key.NameReturn, 0)
	if f := b.state().Sides[pair.A].Focus; b.app.menu.Open() || f.Len() > float64(th.Dur(i))*1.3 {
		t.Errorf("the first entry shows %v", f)
	}
	b.rightClick(b.callAt(pair.A, 1))
	b.press("F1", 0)
	if b.app.menu.Open() || b.app.overlay.page != keysPage {
		t.Error("another key leaves the menu open, or does nothing")
	}
}

// TestMenusOfMatches: all that the first view shows has a menu of its own.
func TestMenusOfMatches(t *testing.T) {
	b := queuePair(t)
	link := b.search(b.main().Area(), func(p geom.Point) bool {
		_, on := b.main().Shown().PickLink(p)
		_, call := b.main().Shown().Pick(p)
		return on && !call
	})
	b.offers(link, "Align these two calls", "Fit both calls into the view", "Select its call in A", "Copy")
	if b.state().Anchors.Len() != 1 {
		t.Error("the calls of the match are not aligned")
	}
	b.app.S.RemoveAnchors()
	b.app.S.Write(session.SpotOf(b.target(pair.A, 1)), "look here")
	b.settle()
	flag := b.main().Flags()[0].Box
	at := b.main().Area().Min.Add(image.Pt(int(flag.X0+flag.X1)/2, int(flag.Y0+flag.Y1)/2))
	b.offers(at, "Delete it", "Edit its text…", "Go to it")
	if b.state().Notes.Len() != 0 {
		t.Error("the note is not deleted")
	}
	b.drag(image.Pt(300, 400), image.Pt(500, 400), key.ModShift)
	free := b.search(b.main().Area(), func(p geom.Point) bool {
		v := b.main().Shown()
		_, call := v.Pick(p)
		_, link := v.PickLink(p)
		return !call && !link && v.Sides[pair.A].Icicle.Contains(p) &&
			b.state().Range.Span.Contains(v.Sides[pair.A].Axis.T(p.X))
	})
	b.offers(free, "Select no time", "Fit the selected time into the view", "Show all")
	if b.state().Range.OK {
		t.Error("the time is still selected")
	}
	o := b.app.overview.Area()
	b.rightClick(o.Min.Add(o.Max).Div(2))
	if titles := b.offered(); !slices.Contains(titles, "Show all") {
		t.Errorf("the overview offers %q", titles)
	}
	b.clickAt(image.Pt(5, 5))
	if b.app.menu.Open() {
		t.Error("a press elsewhere leaves the menu open")
	}
}

// target is longCall with its side.
func (b *bench) target(side pair.Side, depth int) session.Target {
	return session.Target{Side: side, Ref: b.longCall(side, depth), OK: true}
}

// TestMenusOfTheDock: a finding, a thread, a function, a group and a note, each with what can be done
// with it, and what Ctrl-C copies after a click there.
func TestMenusOfTheDock(t *testing.T) {
	b := queuePair(t)
	f := b.state().Difference().Findings
	k := slices.IndexFunc(f, func(x explain.Finding) bool { return session.Places(&x) })
	text := f[k].Text
	r, ok := b.pic.Find(text)
	if !ok {
		t.Fatalf("%q is not listed", text)
	}
	b.offers(middle(r), "Copy", "Show where", "Copy as Markdown")
	sentence := b.pic.Clipboard()
	if !strings.HasPrefix(sentence, strings.TrimSuffix(text, ".")) {
		t.Errorf("copied is %q", sentence)
	}
	b.app.dock.Show("functions")
	b.rest() // they are counted once the tab is laid out
	row, _ := b.pic.Find("Go to sem_wait")
	b.offers(middle(row), "Copy the whole table as Markdown", "Go to its calls", "Durations of its calls", "Copy the name")
	if !strings.Contains(b.pic.Clipboard(), "| sem\\_wait |") {
		t.Errorf("the table is copied as %.200q", b.pic.Clipboard())
	}
	b.press("C", key.ModCtrl)
	if got := b.pic.Clipboard(); !strings.HasPrefix(got, "sem_wait\t") || strings.Count(got, "\n") != 1 {
		t.Errorf("the row is copied as %q", got)
	}
	b.offers(middle(row), "Durations of its calls")
	if study, ok := b.state().Studied(); !ok || study.Of.Names[study.ID] != "sem_wait" {
		t.Error("the durations are not shown")
	}
	b.app.dock.Show("threads")
	b.settle()
	thread, _ := b.pic.Find("Show threads consumer")
	b.offers(middle(thread), "Show this pair of threads", "Copy the name")
	if th := b.state().Sides[pair.A].Trace.Threads[b.state().Tracks[pair.A][0]]; th.Name != "consumer" {
		t.Errorf("shows %q", th.Name)
	}
	b.app.S.Write(session.SpotOf(b.target(pair.A, 1)), "look here")
	b.app.dock.Show("notes")
	b.settle()
	note, _ := b.pic.Find("Go to note 1: look here")
	b.offers(middle(note), "Delete it", "Edit its text…")
	if b.state().Notes.Len() != 0 {
		t.Error("the note is not deleted")
	}
}

// TestMenusOfOtherViews: each of them has menus for what it alone shows.
func TestMenusOfOtherViews(t *testing.T) {
	b := queuePair(t)
	b.press("4", 0)
	v := b.align().Shown()
	on := func(part alignscene.Part) image.Point {
		return b.search(b.align().Area(), func(p geom.Point) bool {
			h, ok := v.Pick(p)
			return ok && h.Part == part && (h.OnCall || part != alignscene.SideB)
		})
	}
	b.offers(on(alignscene.SideB), "Copy", "Fit it into the view", "Show it in Matches")
	if b.state().Selected.Side != pair.B {
		t.Errorf("selected is %+v", b.state().Selected)
	}
	b.offers(on(alignscene.Skew), "Next difference", "First difference", "Show all")
	b.press("5", 0)
	p := b.app.Pane().(*threadview.Pane)
	part := func(part threads.Part) image.Point {
		return b.search(p.Area(pair.A), func(at geom.Point) bool {
			h, ok := p.Shown(pair.A).Pick(at)
			return ok && h.Part == part
		})
	}
	b.offers(part(threads.OnRibbon), "Select what ended the wait", "Copy", "Show it in Matches")
	k := slices.IndexFunc(b.pic.Labels(), func(l string) bool { return strings.HasPrefix(l, "Show waits ") })
	line, _ := b.pic.Find(b.pic.Labels()[k])
	b.offers(middle(line), "Copy", "Show the longest such wait", "Copy as Markdown")
	if got := b.pic.Clipboard(); !strings.Contains(got, "←") || strings.Count(got, "\t") < 5 {
		t.Errorf("a line of the waits is copied as %q", got)
	}
	hidden := b.state().Circle().Hidden
	b.offers(part(threads.OnLabel), "Hide it", "Take it to the middle", "List the threads")
	if len(b.state().Circle().Hidden) == len(hidden) {
		t.Error("the thread is not hidden")
	}
	b.press("6", 0)
	s := b.app.Pane().(*structview.Pane)
	b.set("target=treemap")
	cell := b.search(s.Area(), func(at geom.Point) bool {
		h, ok := s.Shown().Pick(at)
		return ok && h.Side < 0 && h.Node > 0
	})
	b.offers(cell, "Let it fill the pane", "Copy its name", "Choose the folder of the source code…")
	if b.own().Input != structscene.Treemap || len(b.own().Zoom) == 0 {
		t.Error("the code does not fill the pane")
	}
}

// TestMenuOfAnAggregate shows an aggregate alone by its menu.
func TestMenuOfAnAggregate(t *testing.T) {
	b, p := aggregated(t)
	area := func(label bool) image.Point {
		return b.search(p.Area(), func(at geom.Point) bool {
			_, _, named := p.Shown().PickLabel(at)
			_, ok := p.Shown().Pick(at)
			return named == label && (label || ok)
		})
	}
	b.offers(area(true), "Copy the name")
	b.offers(area(false), "Show it alone", "Show its calls", "Copy")
	if o := b.state().OwnOf(aggview.View).(*aggview.Own); len(o.Zoom) == 0 {
		t.Error("the aggregate is not shown alone")
	}
}
