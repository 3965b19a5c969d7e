//go:build cgo

package threads

import (
	"testing"

	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/testpic"
	"diptych/internal/wait"
)

// TestFigures draws constructed traces in the situations of SyncTrace's figures.
func TestFigures(t *testing.T) {
	ms := func(from, to float64) geom.Span { return geom.Span{Start: from * 1e6, End: to * 1e6} }
	once := func(make func(testing.TB) *wait.Analysis) func(testing.TB) *wait.Analysis {
		a := make(t)
		return func(testing.TB) *wait.Analysis { return a }
	}
	office, lesson := once(office), once(lesson)
	figures := []struct {
		name   string
		make   func(testing.TB) *wait.Analysis
		focus  int
		change func(*State, *wait.Analysis)
	}{
		{"02-bars", lesson, 0, func(st *State, _ *wait.Analysis) { st.Sections = st.Sections[:1] }},
		{"03-correspondence", lesson, 0, nil},
		{"03-release-out-of-sight", lesson, 0, func(st *State, _ *wait.Analysis) {
			st.Focus.View = ms(10, 58)
		}},
		{"04-aggregation", office, 0, func(st *State, _ *wait.Analysis) { st.View = ms(120, 320) }},
		{"05-objects", office, 0, func(st *State, a *wait.Analysis) {
			st.Mode = ByObject
			st.hover(call(t, a, 3, "sem_wait", 2))
		}},
		{"06-folded", office, 0, func(st *State, _ *wait.Analysis) {
			st.Focus.Fold = 2
			for k := range st.Sections {
				st.Sections[k].Fold = 1
			}
		}},
		{"07-widened", office, 0, func(st *State, _ *wait.Analysis) {
			st.Sections[1].Weight, st.Sections[1].Bar = wideWeight, true
			st.Sections[1].View = ms(100, 500)
		}},
		{"08-dragged", office, 0, func(st *State, _ *wait.Analysis) {
			st.Dragged = &Drag{Place: 1, At: geom.Point{X: 500, Y: 560}}
		}},
		{"08-on-the-way", office, 0, func(st *State, _ *wait.Analysis) {
			st.Before = st.Sections
			st.Sections = swapped(st.Sections, 1, 4)
			st.Progress = .4
		}},
		{"09-hovered-run", office, 0, func(st *State, a *wait.Analysis) {
			st.hover(call(t, a, 3, "mutex_lock", 3))
		}},
		{"10-office", office, 0, nil},
		{"11-hang-monitor", office, 1, nil},
		{"12-idle-worker", office, 5, nil},
		{"15-poller", office, 2, nil},
		{"10-crowd", func(t testing.TB) *wait.Analysis { return strewn(t, 43, 129_000, 300) }, 0,
			func(st *State, a *wait.Analysis) {
				*st = whole(t, a, 0, Options{Most: 100})
			}},
		{"16-dark", office, 0, func(st *State, _ *wait.Analysis) { st.Palette = palette.Dark() }},
	}
	r := testpic.Renderer(t) // its context is current on this goroutine's thread alone
	for _, f := range figures {
		a := f.make(t)
		st := whole(t, a, f.focus, Options{})
		if f.change != nil {
			f.change(&st, a)
		}
		v := Build(&st, geom.Size{W: 700, H: 720}, nil)
		testpic.Figures.Golden(t, f.name, draw(t, r, v.Scene, st.Palette.Pane))
	}
}

// TestSmallFigures draws a pane of 300 × 200 dp, whole and halved for two traces.
func TestSmallFigures(t *testing.T) {
	r := testpic.Renderer(t)
	st := whole(t, office(t), 0, Options{})
	for name, size := range map[string]geom.Size{"17-small": {W: 300, H: 200},
		"17-half-of-small": {W: 144, H: 150}} {
		v := Build(&st, size, nil)
		testpic.Figures.Golden(t, name, draw(t, r, v.Scene, st.Palette.Pane))
	}
}
