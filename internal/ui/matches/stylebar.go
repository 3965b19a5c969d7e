package matches

import (
	"fmt"
	"math"

	"gioui.org/layout"
	"gioui.org/widget"

	"diptych/internal/command"
	"diptych/internal/scene/links"
	"diptych/internal/session"
	"diptych/internal/ui/controls"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
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
	colourIDs   = [3]command.ID{ColourShift, ColourTrace, ColourPlain}
	shapeNames  = [4]string{"tubes", "lines", "both", "none"}
	shapeIDs    = [4]command.ID{ShapeTubes, ShapeLines, ShapeBoth, ShapeNone}
)

// switches turn one property of the style on and off.
var switches = [...]struct {
	label string
	id    command.ID
	on    func(st *session.Style) bool
}{
	{"similarity", ToggleSimilarity, func(st *session.Style) bool { return st.Similarity }},
	{"relative time", ToggleRelative, func(st *session.Style) bool { return st.Relative }},
	{"context calls", ToggleFrames, func(st *session.Style) bool { return st.Frames }},
	{"plain bundling", ToggleOriginal, func(st *session.Style) bool { return st.Original }},
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

func (b *styleBar) layout(c *view.Context, gtx layout.Context, st *session.State, p *Pane) {
	b.clicked(c, gtx)
	controls.Bar(c, gtx, st, &b.flow, &p.tools, func(gtx layout.Context) layout.Dimensions {
		return c.Kit.Label(gtx, p.Tally(c.S, st), c.Kit.Faint())
	}, b.items(c, st))
}

// items are the controls, the most used first.
func (b *styleBar) items(c *view.Context, st *session.State) []layout.Widget {
	if !st.Both() {
		return nil
	}
	set := func(f func(*session.Style, float32)) func(float32) {
		return func(v float32) { c.S.SetStyle(func(st *session.Style) { f(st, v) }) }
	}
	style := &st.Style
	items := []layout.Widget{
		b.slider(c, &b.tau, "τ", "Threshold of similarity", fmt.Sprintf("%.2f", float64(st.Tau)/100),
			float32(st.Tau)/100, func(v float32) { c.S.SetTau(int(math.Round(float64(v) * 100))) }),
		func(gtx layout.Context) layout.Dimensions {
			first := 0
			if !timed(st) {
				first = 1 // no time shift
			}
			return controls.Segments(c, gtx, b.colours[first:], colourNames[first:], colourIDs[first:],
				int(st.TubeColour())-first)
		},
		b.toggle(c, style, 0),
		b.slider(c, &b.lambda, "thickness λ", "Thickness of tubes", fmt.Sprintf("%.2f", style.Lambda),
			style.Lambda, set(func(s *session.Style, v float32) { s.Lambda = v })),
		b.slider(c, &b.band, "band", "Height of the band", kit.Percent(float64(style.Band)),
			style.Band, set(func(s *session.Style, v float32) { s.Band = v })),
		b.slider(c, &b.bundle, "bundling", "Strength of bundling", fmt.Sprintf("%.2f", style.Strength),
			style.Strength, set(func(s *session.Style, v float32) { s.Strength = v })),
		func(gtx layout.Context) layout.Dimensions {
			return controls.Segments(c, gtx, b.shapes[:], shapeNames[:], shapeIDs[:], shapeOf(style))
		},
		func(gtx layout.Context) layout.Dimensions {
			on := 0
			if style.All {
				on = 1
			}
			return controls.Segments(c, gtx, b.which[:], []string{"best matches", "all"},
				[]command.ID{MatchesBest, MatchesAll}, on)
		},
	}
	for i := 1; i < len(switches); i++ {
		if switches[i].id != ToggleRelative || timed(st) {
			items = append(items, b.toggle(c, style, i))
		}
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

func (b *styleBar) slider(c *view.Context, s *kit.Slider, label, name, value string, now float32,
	set func(float32)) layout.Widget {
	return func(gtx layout.Context) layout.Dimensions {
		d, v, changed := s.Layout(c.Kit, gtx, label, name, value, now)
		if changed {
			set(v)
		}
		return d
	}
}

func (b *styleBar) toggle(c *view.Context, style *session.Style, i int) layout.Widget {
	return func(gtx layout.Context) layout.Dimensions {
		return c.Kit.Button(gtx, &b.switches[i], switches[i].label, c.Command(switches[i].id).Title,
			switches[i].on(style))
	}
}

// clicked performs the commands of the switches that were pressed.
func (b *styleBar) clicked(c *view.Context, gtx layout.Context) {
	for i := range switches {
		if b.switches[i].Clicked(gtx) {
			c.Perform(gtx, switches[i].id)
		}
	}
}

// Tally says how many of the matches between visible calls are drawn, and how many there are in the
// whole of what is compared: the number that match --json gives as pairs.
func (p *Pane) Tally(s *session.Session, st *session.State) string {
	switch {
	case !st.Both():
		return ""
	case st.Found == nil && s.Comparing():
		return kit.Joined("comparing…", sampleText(st))
	case st.Found == nil:
		return "not compared"
	case p.view == nil || p.view.Links == nil || st.Style.Hidden:
		return ""
	}
	l := p.view.Links
	return kit.Joined(words.MatchCount(l.Drawn, l.Visible, st.Found.Rung), sampleText(st))
}

// sampleText says how much of the overview's bars is known; "" if all is, or nothing.
func sampleText(st *session.State) string {
	if _, sample := st.Bars(); sample != nil {
		return words.SampleText(sample)
	}
	return ""
}
