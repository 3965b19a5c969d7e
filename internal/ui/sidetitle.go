package ui

import (
	"gioui.org/font"
	"gioui.org/layout"
	"gioui.org/unit"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/typeface"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/words"
)

// Measures of a side's title in dp: what stands around its texts, and between them.
const (
	titleLeft, titleRight unit.Dp = 6, 8
	besideBadge           unit.Dp = 18 + 8
	besideName            unit.Dp = 10
)

// side shows the badge, name and extent of one side, at most so many px wide; clicking it opens
// another file there.
func (t *topbar) side(a *App, st *session.State, side pair.Side, most int) layout.FlexChild {
	return layout.Rigid(func(gtx layout.Context) layout.Dimensions {
		gtx.Constraints.Max.X = most
		return a.kit.Pressable(gtx, &t.open[side], "Open trace "+side.String(), false,
			func(gtx layout.Context) layout.Dimensions {
				return layout.Inset{Left: titleLeft, Right: titleRight, Top: 4, Bottom: 4}.Layout(gtx,
					func(gtx layout.Context) layout.Dimensions { return a.sideTitle(gtx, st, side) })
			})
	})
}

// sideRooms divides so many px among the titles of both sides: half of them for the name of each,
// and what one does not need for the other; then the same for what stands beside the names.
func (a *App) sideRooms(st *session.State, room int) [2]int {
	var names, facts [2]int
	for i := range names {
		name, _ := a.sideName(st, pair.Side(i))
		names[i] = a.kit.Dp(float32(titleLeft+besideBadge+titleRight)) + a.nameWidth(name)
		if about := about(&st.Sides[i]); len(about) > 0 {
			facts[i] = a.factWidth(about[0])
		}
	}
	names = divided(names, room)
	facts = divided(facts, room-names[pair.A]-names[pair.B])
	return [2]int{names[pair.A] + facts[pair.A], names[pair.B] + facts[pair.B]}
}

// divided gives each of two what it needs if there is room for both, else half, or what the other
// leaves of it.
func divided(need [2]int, room int) [2]int {
	half := room / 2
	return [2]int{min(need[0], max(half, room-need[1])), min(need[1], max(half, room-need[0]))}
}

// nameWidth is what a name needs, px.
func (a *App) nameWidth(name string) int { return int(a.kit.Width(name, kit.Large)) + 1 }

// factWidth is what a fact beside a name needs, px.
func (a *App) factWidth(fact string) int {
	return a.kit.Dp(float32(besideName)) + int(a.kit.Width(fact, kit.Small)) + 1
}

// sideName returns what a side is called and how that looks.
func (a *App) sideName(st *session.State, side pair.Side) (string, kit.Style) {
	sd := &st.Sides[side]
	ink := kit.Style{Size: kit.Large, Color: a.kit.Pal.Text, Weight: font.Medium}
	if sd.Trace != nil {
		return sd.Name, ink
	}
	ink.Color, ink.Weight = a.kit.Pal.Secondary, font.Normal
	if job := a.S.Loading(side); job != nil {
		return job.Label + "…", ink
	}
	return "Open trace " + side.String() + "…", ink
}

// sideTitle lays out the badge and as much else as there is room for: all of the name comes first,
// then what the trace holds. A name that is too long is cut to the part that the other side's name
// lacks.
func (a *App) sideTitle(gtx layout.Context, st *session.State, side pair.Side) layout.Dimensions {
	name, ink := a.sideName(st, side)
	room := gtx.Constraints.Max.X - gtx.Dp(besideBadge)
	name = typeface.Differing(name, st.Sides[side.Other()].Name, float32(room), float32(gtx.Sp(kit.Large)), true)
	room -= a.nameWidth(name)
	children := []layout.FlexChild{
		layout.Rigid(func(gtx layout.Context) layout.Dimensions { return a.kit.Badge(gtx, side) }),
		kit.Space(8),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions { return a.kit.Label(gtx, name, ink) }),
	}
	for _, fact := range about(&st.Sides[side]) {
		if a.factWidth(fact) <= room {
			children = append(children, kit.Space(besideName), layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				return a.kit.Label(gtx, fact, a.kit.Caption())
			}))
			break
		}
	}
	return layout.Flex{Alignment: layout.Middle}.Layout(gtx, children...)
}

// about says how long a trace is and how many calls it holds, and where there is less room only how
// long it is.
func about(sd *session.Side) []string {
	if sd.Trace == nil {
		return nil
	}
	extent := geom.FormatValue(float64(sd.Trace.Duration), string(sd.Trace.Unit))
	return []string{extent + "  ·  " + words.Calls(sd.Trace), extent}
}
