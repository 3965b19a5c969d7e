package dock

import (
	"fmt"
	"image"

	"gioui.org/font"
	"gioui.org/layout"
	"gioui.org/op"
	"gioui.org/unit"

	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// The row of tabs is as narrow as it has to be: usual tabs where all have room, else small ones
// with little between them, and where these do not fit either, a menu for those that come last.

// Measures of tabs, dp: the room beside a name where there is enough and where there is not, the
// room before the first, and the width of the menu.
const (
	tabInset, narrowInset unit.Dp = 6, 3
	headsInset            unit.Dp = 6
	menuWidth             unit.Dp = 150
)

const moreTabs = "more"

// width is what a tab of that name needs, px, in a size of text and with so much room beside it.
func (d *Dock) width(k *kit.Kit, name string, size unit.Sp, beside unit.Dp) int {
	return int(k.Width(name, size)+.9) + 2*k.Dp(float32(beside))
}

// layoutHeads draws the tabs over a hairline.
func (d *Dock) layoutHeads(c *view.Context, gtx C, st *session.State, tabs []view.Tab) D {
	d.more.Update(gtx)
	h, width, line := gtx.Dp(38), gtx.Constraints.Max.X, max(1, gtx.Dp(1))
	kit.Fill(gtx, image.Rect(0, h-line, width, h), c.Kit.Pal.Line)
	gtx.Constraints.Min.Y, gtx.Constraints.Max.Y = h, h
	room := width - 2*gtx.Dp(headsInset)
	narrow := d.widthOf(c.Kit, st, tabs, kit.Normal, tabInset) > room
	shown, rest := tabs, []view.Tab(nil)
	if narrow && d.widthOf(c.Kit, st, tabs, kit.Small, narrowInset) > room {
		shown, rest = d.fold(c.Kit, st, tabs, room)
	}
	children := []layout.FlexChild{kit.Space(headsInset)}
	for i := range shown {
		children = append(children, layout.Rigid(func(gtx C) D { return d.layoutHead(c, gtx, st, &shown[i], narrow) }))
	}
	if len(rest) > 0 {
		children = append(children, layout.Rigid(func(gtx C) D { return d.layoutMore(c, gtx, st, rest) }))
	} else {
		d.more.Close()
	}
	layout.Flex{}.Layout(gtx, children...)
	return D{Size: image.Pt(width, h)}
}

// widthOf is what some tabs need.
func (d *Dock) widthOf(k *kit.Kit, st *session.State, tabs []view.Tab, size unit.Sp, beside unit.Dp) (sum int) {
	for i := range tabs {
		sum += d.width(k, headTitle(st, &tabs[i]), size, beside)
	}
	return sum
}

// fold divides the tabs into those that have room beside a menu, and those that the menu holds. The
// tab that is chosen is always shown, if need be as the last.
func (d *Dock) fold(k *kit.Kit, st *session.State, tabs []view.Tab, room int) (shown, rest []view.Tab) {
	room -= d.width(k, moreTabs, kit.Small, narrowInset) + k.Dp(float32(kit.DownWidth))
	chosen := find(tabs, d.tab)
	if chosen >= 0 {
		room -= d.width(k, headTitle(st, &tabs[chosen]), kit.Small, narrowInset)
	}
	for i := range tabs {
		if i == chosen {
			shown = append(shown, tabs[i])
			continue
		}
		if room -= d.width(k, headTitle(st, &tabs[i]), kit.Small, narrowInset); room < 0 {
			rest = append(rest, tabs[i])
		} else {
			shown = append(shown, tabs[i])
		}
	}
	return shown, rest
}

// headTitle is what the head of a tab says: of the problems also how many there are.
func headTitle(st *session.State, t *view.Tab) string {
	if n := words.Problems(st); t.ID == Problems && n > 0 {
		return fmt.Sprintf("%s %d", t.Title, n)
	}
	return t.Title
}

// layoutHead draws the head of one tab: its title, underlined while the tab is shown.
func (d *Dock) layoutHead(c *view.Context, gtx C, st *session.State, t *view.Tab, narrow bool) D {
	on, beside := d.tab == t.ID, tabInset
	ink := c.Kit.Faint()
	if narrow {
		ink.Size, beside = kit.Small, narrowInset
	}
	if on {
		ink.Color, ink.Weight = c.Kit.Pal.AText, font.Medium
	}
	label := headTitle(st, t)
	return c.Kit.Pressable(gtx, d.headOf(t.ID), label, false, func(gtx C) D {
		dims := head(gtx, beside, func(gtx C) D { return c.Kit.Label(gtx, label, ink) })
		if on {
			bar, side := gtx.Dp(2), gtx.Dp(beside)
			under := image.Rect(side, dims.Size.Y-bar, dims.Size.X-side, dims.Size.Y)
			kit.Fill(gtx, under, c.Kit.Pal.A)
		}
		return dims
	})
}

// head lays out what a head says in the middle of its height.
func head(gtx C, beside unit.Dp, w layout.Widget) D {
	gtx.Constraints.Min.X = 0
	return layout.Inset{Left: beside, Right: beside}.Layout(gtx, func(gtx C) D {
		gtx.Constraints.Min.Y = gtx.Constraints.Max.Y
		return layout.W.Layout(gtx, w)
	})
}

// layoutMore draws the menu of further tabs, and these below it while it is open, as far to the
// left as they have to be.
func (d *Dock) layoutMore(c *view.Context, gtx C, st *session.State, rest []view.Tab) D {
	ink := c.Kit.Faint()
	ink.Size = kit.Small
	dims := c.Kit.Pressable(gtx, &d.more.Toggle, "Further tabs", d.more.Open(), func(gtx C) D {
		return head(gtx, narrowInset, func(gtx C) D { return c.Kit.Dropping(gtx, moreTabs, ink) })
	})
	defer op.Offset(image.Pt(dims.Size.X-gtx.Dp(menuWidth), 0)).Push(gtx.Ops).Pop()
	d.more.Layout(c.Kit, gtx, dims.Size.Y, len(rest), func(gtx C, i int) D {
		gtx.Constraints.Min.X = gtx.Dp(menuWidth) - gtx.Dp(12) // of the card
		return c.Kit.Button(gtx, d.headOf(rest[i].ID), headTitle(st, &rest[i]), headTitle(st, &rest[i]), false)
	})
	return dims
}
