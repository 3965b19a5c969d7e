package matches

import (
	"fmt"
	"image"
	"math"
	"strconv"

	"gioui.org/layout"

	"diptych/internal/command"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/scene/links"
	"diptych/internal/session"
	"diptych/internal/ui/dock"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/stacks"
	"diptych/internal/ui/view"
)

// The commands of the view.
const (
	Open             command.ID = "view-matches"
	RaiseTau         command.ID = "tau-raise"
	LowerTau         command.ID = "tau-lower"
	NextGroup        command.ID = "next-group"
	PrevGroup        command.ID = "previous-group"
	CycleColour      command.ID = "colour-cycle"
	ColourShift      command.ID = "colour-shift"
	ColourTrace      command.ID = "colour-trace"
	ColourPlain      command.ID = "colour-plain"
	ToggleSimilarity command.ID = "similarity"
	CycleShape       command.ID = "shape-cycle"
	ShapeTubes       command.ID = "tubes"
	ShapeLines       command.ID = "lines"
	ShapeBoth        command.ID = "tubes-and-lines"
	ShapeNone        command.ID = "no-matches"
	MatchesBest      command.ID = "matches-best"
	MatchesAll       command.ID = "matches-all"
	ToggleRelative   command.ID = "relative-time"
	ToggleFrames     command.ID = "context-calls"
	ToggleOriginal   command.ID = "plain-bundling"
)

const group command.Group = "Matches"

var commands = []command.Command{
	{ID: Open, Title: "View: matches", Keys: []string{"3"}, Group: group, Needs: command.OneTrace},
	{ID: RaiseTau, Title: "Raise the threshold τ", Keys: []string{"Ctrl-Up"}, Group: group, Needs: command.TwoTraces},
	{ID: LowerTau, Title: "Lower the threshold τ", Keys: []string{"Ctrl-Down"}, Group: group, Needs: command.TwoTraces},
	{ID: command.ShowGroups, Title: "Groups of matches", Keys: []string{"Ctrl-3"}, Group: group},
	{ID: NextGroup, Title: "Next group of matches", Keys: []string{"G"}, Group: group, Needs: command.TwoTraces},
	{ID: PrevGroup, Title: "Previous group of matches", Keys: []string{"Shift-G"}, Group: group, Needs: command.TwoTraces},
	{ID: CycleColour, Title: "Colour of matches: next", Keys: []string{"C"}, Group: group, Needs: command.TwoTraces},
	{ID: ColourShift, Title: "Colour matches by how far apart in time", Group: group, Needs: command.TwoTraces},
	{ID: ColourTrace, Title: "Colour matches by when the other trace ran them (seen from the side under the pointer)", Group: group,
		Needs: command.TwoTraces},
	{ID: ColourPlain, Title: "Colour all matches the same", Group: group, Needs: command.TwoTraces},
	{ID: ToggleSimilarity, Title: "Show how similar matches are", Keys: []string{"M"}, Group: group,
		Needs: command.TwoTraces},
	{ID: CycleShape, Title: "Shape of matches: next", Keys: []string{"V"}, Group: group, Needs: command.TwoTraces},
	{ID: ShapeTubes, Title: "Draw matches as tubes", Group: group, Needs: command.TwoTraces},
	{ID: ShapeLines, Title: "Draw matches as lines", Group: group, Needs: command.TwoTraces},
	{ID: ShapeBoth, Title: "Draw matches as tubes with lines", Group: group, Needs: command.TwoTraces},
	{ID: ShapeNone, Title: "Draw no matches", Group: group, Needs: command.TwoTraces},
	{ID: MatchesBest, Title: "Draw each call's best match", Group: group, Needs: command.TwoTraces},
	{ID: MatchesAll, Title: "Draw all matches, the most important first", Group: group, Needs: command.TwoTraces},
	{ID: ToggleRelative, Title: "Time shifts within groups only", Keys: []string{"R"}, Group: group,
		Needs: command.TwoTraces},
	{ID: ToggleFrames, Title: "Match calls that fill the view, too", Group: group, Needs: command.TwoTraces},
	{ID: ToggleOriginal, Title: "Use the original edge bundling (Holten)", Group: group, Needs: command.TwoTraces},
}

// Row returns the view's row in the table of views.
func Row() view.Row {
	return view.Row{
		Kind:  session.Kind{View: session.Matches},
		Title: "Matches", Alone: "Calls", Aliases: []string{"match"}, Open: Open,
		New: New, Commands: commands, Actions: actions(), Moves: stacks.Moves(),
		Enabled:  map[command.ID]func(*session.State) bool{ColourShift: timed, ToggleRelative: timed},
		Tabs:     []view.Tab{dock.GroupsTab()},
		Settings: settings,
		Picture: func(st *session.State, pal *palette.Palette, size image.Point, scale float32) []view.Part {
			v := build(StateOf(st, pal, scale), st, size, nil, nil)
			return []view.Part{{Scene: v.Scene, Area: image.Rectangle{Max: size}}}
		},
	}
}

// tauStep is how far the keys move the threshold, in hundredths.
const tauStep = 5

// do is what carries out a command that needs no pane.
type do = func(c *view.Context, gtx layout.Context)

// styled changes how matches are drawn.
func styled(f func(*session.Style)) do {
	return func(c *view.Context, _ layout.Context) { c.S.SetStyle(f) }
}

func actions() map[command.ID]do {
	all := map[command.ID]do{
		RaiseTau:           func(c *view.Context, _ layout.Context) { c.S.SetTau(c.S.State().Tau + tauStep) },
		LowerTau:           func(c *view.Context, _ layout.Context) { c.S.SetTau(c.S.State().Tau - tauStep) },
		command.ShowGroups: func(c *view.Context, _ layout.Context) { c.ShowTab(dock.Groups) },
		NextGroup:          stepGroup(+1),
		PrevGroup:          stepGroup(-1),
		CycleColour:        cycleColour,
		ColourShift:        styled(func(x *session.Style) { x.Colour = links.TimeShift }),
		ColourTrace:        styled(func(x *session.Style) { x.Colour = links.TraceCentric }),
		ColourPlain:        styled(func(x *session.Style) { x.Colour = links.Plain }),
		ShapeTubes:         styled(func(x *session.Style) { x.Shape, x.Hidden = links.Tubes, false }),
		ShapeLines:         styled(func(x *session.Style) { x.Shape, x.Hidden = links.Lines, false }),
		ShapeBoth:          styled(func(x *session.Style) { x.Shape, x.Hidden = links.Both, false }),
		ShapeNone:          styled(func(x *session.Style) { x.Hidden = true }),
		MatchesBest:        styled(func(x *session.Style) { x.All = false }),
		MatchesAll:         styled(func(x *session.Style) { x.All = true }),
		ToggleSimilarity:   styled(func(x *session.Style) { x.Similarity = !x.Similarity }),
		ToggleRelative:     styled(func(x *session.Style) { x.Relative = !x.Relative }),
		ToggleFrames:       styled(func(x *session.Style) { x.Frames = !x.Frames }),
		ToggleOriginal:     styled(func(x *session.Style) { x.Original = !x.Original }),
	}
	all[CycleShape] = func(c *view.Context, gtx layout.Context) {
		all[shapeIDs[(shapeOf(&c.S.State().Style)+1)%len(shapeIDs)]](c, gtx)
	}
	return all
}

// cycleColour goes on to the next of the colours that are offered.
func cycleColour(c *view.Context, _ layout.Context) {
	st := c.S.State()
	next := (st.TubeColour() + 1) % links.Colour(len(colourNames))
	if next == links.TimeShift && st.Profile() {
		next++
	}
	c.S.SetStyle(func(x *session.Style) { x.Colour = next })
}

// timed reports whether matches can lie earlier or later.
func timed(st *session.State) bool { return !st.Profile() }

func stepGroup(by int) do {
	return func(c *view.Context, _ layout.Context) {
		if g, ok := c.Panel(dock.Groups).(*dock.GroupList); ok {
			g.Step(c, by)
		}
	}
}

// settings are the keys of --set that say which matches are shown and how.
var settings = []view.Setting{
	{Key: "tau", Help: "threshold of similarity, 0 to 0.99 in hundredths", Early: true, Apply: setTau},
	{Key: "matches", Help: "best or all: each call's most similar matches or all of them", Early: true,
		Apply: either("all", "best", func(st *session.Style, all bool) { st.All = all })},
	{Key: "frames", Help: "on or off: whether calls that fill the view are matched too", Early: true,
		Apply: either("on", "off", func(st *session.Style, on bool) { st.Frames = on })},
	{Key: "shape", Help: "tubes, lines, both or none: how matches are drawn", Early: true, Apply: view.Choices{
		"tubes": drawn(links.Tubes), "lines": drawn(links.Lines), "both": drawn(links.Both),
		"none": set(func(st *session.Style) { st.Hidden = true }),
	}.Apply},
	{Key: "layout", Help: "bundled or original: hierarchical edge bundling as first published", Early: true,
		Apply: either("original", "bundled", func(st *session.Style, on bool) { st.Original = on })},
	{Key: "lambda", Help: "thickness of a tube's middle, as a share of its ends'", Early: true,
		Apply: share(func(st *session.Style, v float32) { st.Lambda = v })},
	{Key: "band", Help: "share of the height where nothing bends, such as 0.4 or 40%", Early: true,
		Apply: share(func(st *session.Style, v float32) { st.Band = v })},
	{Key: "bundling", Help: "strength of the bundling, 0 (straight) to 1", Early: true,
		Apply: share(func(st *session.Style, v float32) { st.Strength = v })},
	{Key: "colour", Help: "shift, trace-a, trace-b or plain: what the colours of matches show", Early: true,
		Apply: view.Choices{
			"shift":   set(func(st *session.Style) { st.Colour = links.TimeShift }),
			"trace-a": tracewise(pair.A), "trace-b": tracewise(pair.B),
			"plain": set(func(st *session.Style) { st.Colour = links.Plain }),
		}.Apply},
	{Key: "similarity", Help: "on or off: whether matches show how similar they are", Early: true,
		Apply: either("on", "off", func(st *session.Style, on bool) { st.Similarity = on })},
	{Key: "relative", Help: "on or off: shifts as shares of each trace's duration rather than in units of time", Early: true,
		Apply: either("on", "off", func(st *session.Style, on bool) { st.Relative = on })},
}

func set(f func(*session.Style)) func(*session.Session) {
	return func(s *session.Session) { s.SetStyle(f) }
}

func drawn(as links.Shape) func(*session.Session) {
	return set(func(st *session.Style) { st.Shape, st.Hidden = as, false })
}

func tracewise(side pair.Side) func(*session.Session) {
	return func(s *session.Session) {
		s.SetStyle(func(st *session.Style) { st.Colour = links.TraceCentric })
		s.SetViewpoint(side)
	}
}

// either makes a setting of a switch, by what its two positions are called.
func either(on, off string, f func(*session.Style, bool)) func(*session.Session, string) error {
	return view.Choices{
		on:  set(func(st *session.Style) { f(st, true) }),
		off: set(func(st *session.Style) { f(st, false) }),
	}.Apply
}

func share(f func(*session.Style, float32)) func(*session.Session, string) error {
	return view.Share(func(s *session.Session, v float64) {
		s.SetStyle(func(st *session.Style) { f(st, float32(v)) })
	})
}

func setTau(s *session.Session, v string) error {
	n, err := strconv.ParseFloat(v, 64)
	hundredths := math.Round(n * 100)
	if err != nil || !(hundredths >= 0 && hundredths < 100) || kit.Abs(n*100-hundredths) > 1e-6 {
		return fmt.Errorf("want 0 to 0.99 in hundredths")
	}
	s.SetTau(int(hundredths))
	return nil
}
