package ui

import (
	"fmt"
	"math"

	"gioui.org/layout"
	"gioui.org/widget"

	"diptych/internal/command"
	"diptych/internal/scene/links"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
)

// styleBar holds the controls of the matches: the threshold and how they are drawn.
type styleBar struct {
	flow                      kit.Flow
	tau, lambda, band, bundle kit.Slider
	colours                   [3]widget.Clickable
	shapes                    [4]widget.Clickable
	switches                  [len(switches)]widget.Clickable
	which                     [2]widget.Clickable
}

// What the segmented controls choose, in order, and by which command.
var (
	colourNames = [3]string{"time shift", "trace-centric", "plain"}
	colourIDs   = [3]command.ID{command.ColourShift, command.ColourTrace, command.ColourPlain}
	shapeNames  = [4]string{"tubes", "lines", "both", "none"}
	shapeIDs    = [4]command.ID{command.ShapeTubes, command.ShapeLines, command.ShapeBoth, command.ShapeNone}
)

// switches turn one property of the style on and off.
var switches = [...]struct {
	label string
	id    command.ID
	on    func(st *session.Style) bool
}{
	{"similarity", command.ToggleSimilarity, func(st *session.Style) bool { return st.Similarity }},
	{"relative time", command.ToggleRelative, func(st *session.Style) bool { return st.Relative }},
	{"context calls", command.ToggleFrames, func(st *session.Style) bool { return st.Frames }},
	{"plain bundling", command.ToggleOriginal, func(st *session.Style) bool { return st.Original }},
	{"colour-blind", command.ToggleScheme, func(st *session.Style) bool { return st.ColourBlind }},
}

func newStyleBar() styleBar {
	return styleBar{
		flow:   kit.Flow{Of: "matches"},
		tau:    kit.Slider{Most: .99, Step: .01},
		lambda: kit.Slider{Most: 1, Step: .05},
		band:   kit.Slider{Most: .9, Step: .05},
		bundle: kit.Slider{Most: 1, Step: .05},
	}
}

// height returns what the bar needs, in px: it grows when all its controls are shown.
func (b *styleBar) height(a *App) int { return b.flow.Height(a.kit) }

func (b *styleBar) layout(a *App, gtx layout.Context, st *session.State) {
	b.clicked(a, gtx)
	layout.Inset{Left: 12, Right: 12}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
		b.flow.Layout(a.kit, gtx, func(gtx layout.Context) layout.Dimensions {
			return a.kit.Label(gtx, a.main.tally(a.S, st), a.kit.Faint())
		}, b.items(a, st))
		return layout.Dimensions{Size: gtx.Constraints.Max}
	})
}

// items are the controls, the most used first.
func (b *styleBar) items(a *App, st *session.State) []layout.Widget {
	set := func(f func(*session.Style, float32)) func(float32) {
		return func(v float32) { a.S.SetStyle(func(st *session.Style) { f(st, v) }) }
	}
	style := &st.Style
	items := []layout.Widget{
		b.slider(a, &b.tau, "τ", "Threshold of similarity", fmt.Sprintf("%.2f", float64(st.Tau)/100),
			float32(st.Tau)/100, func(v float32) { a.S.SetTau(int(math.Round(float64(v) * 100))) }),
		func(gtx layout.Context) layout.Dimensions {
			return segments(a, gtx, b.colours[:], colourNames[:], colourIDs[:], int(style.Colour))
		},
		b.toggle(a, style, 0),
		b.slider(a, &b.lambda, "thickness λ", "Thickness of tubes", fmt.Sprintf("%.2f", style.Lambda),
			style.Lambda, set(func(s *session.Style, v float32) { s.Lambda = v })),
		b.slider(a, &b.band, "band", "Height of the band", kit.Percent(float64(style.Band)),
			style.Band, set(func(s *session.Style, v float32) { s.Band = v })),
		b.slider(a, &b.bundle, "bundling", "Strength of bundling", fmt.Sprintf("%.2f", style.Strength),
			style.Strength, set(func(s *session.Style, v float32) { s.Strength = v })),
		func(gtx layout.Context) layout.Dimensions {
			return segments(a, gtx, b.shapes[:], shapeNames[:], shapeIDs[:], shapeOf(style))
		},
		func(gtx layout.Context) layout.Dimensions {
			on := 0
			if style.All {
				on = 1
			}
			return segments(a, gtx, b.which[:], []string{"best matches", "all"},
				[]command.ID{command.MatchesBest, command.MatchesAll}, on)
		},
	}
	for i := 1; i < len(switches); i++ {
		items = append(items, b.toggle(a, style, i))
	}
	return items
}

// shapeOf returns the index into shapeNames of how matches are drawn.
func shapeOf(s *session.Style) int {
	if s.Hidden {
		return len(shapeNames) - 1
	}
	return map[links.Shape]int{links.Tubes: 0, links.Lines: 1, links.Both: 2}[s.Shape]
}

func (b *styleBar) slider(a *App, s *kit.Slider, label, name, value string, now float32,
	set func(float32)) layout.Widget {
	return func(gtx layout.Context) layout.Dimensions {
		d, v, changed := s.Layout(a.kit, gtx, label, name, value, now)
		if changed {
			set(v)
		}
		return d
	}
}

func (b *styleBar) toggle(a *App, style *session.Style, i int) layout.Widget {
	return func(gtx layout.Context) layout.Dimensions {
		return a.kit.Button(gtx, &b.switches[i], switches[i].label, command.Get(switches[i].id).Title,
			switches[i].on(style))
	}
}

// segments draws alternatives side by side, one of which is on; each is named by its command.
func segments(a *App, gtx layout.Context, clicks []widget.Clickable, labels []string,
	ids []command.ID, on int) layout.Dimensions {
	var names []string
	for _, id := range ids {
		names = append(names, command.Get(id).Title)
	}
	return a.kit.Segments(gtx, clicks, labels, names, on)
}

// clicked performs the commands of the buttons that were pressed.
func (b *styleBar) clicked(a *App, gtx layout.Context) {
	each := func(clicks []widget.Clickable, ids []command.ID) {
		for i := range clicks {
			if clicks[i].Clicked(gtx) {
				a.perform(gtx, ids[i])
			}
		}
	}
	each(b.colours[:], colourIDs[:])
	each(b.shapes[:], shapeIDs[:])
	each(b.which[:], []command.ID{command.MatchesBest, command.MatchesAll})
	for i := range switches {
		each(b.switches[i:i+1], []command.ID{switches[i].id})
	}
}
