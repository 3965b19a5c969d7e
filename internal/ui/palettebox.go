package ui

import (
	"slices"
	"strings"

	"gioui.org/io/key"
	"gioui.org/layout"
	"gioui.org/unit"
	"gioui.org/widget"

	"diptych/internal/command"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
)

// paletteBox finds a command by its title.
type paletteBox struct {
	query  widget.Editor
	list   widget.List
	clicks map[command.ID]*widget.Clickable
	shown  []*command.Command
	at     int                  // the chosen one
	offers map[command.ID]offer // of those that are no commands
}

func (p *paletteBox) layout(a *App, gtx layout.Context, st *session.State) layout.Dimensions {
	p.query.SingleLine, p.query.Submit = true, true
	if a.overlay.enters {
		gtx.Execute(key.FocusCmd{Tag: &p.query})
	}
	p.find(a, gtx, st)
	kit.StepKeys(gtx, &p.query, &p.list, &p.at, len(p.shown))
	for {
		e, ok := p.query.Update(gtx)
		if !ok {
			break
		}
		switch e.(type) {
		case widget.ChangeEvent:
			p.at = 0
		case widget.SubmitEvent:
			p.run(a, gtx, p.at)
		}
	}
	for i, c := range p.shown {
		if p.click(c).Clicked(gtx) {
			p.run(a, gtx, i)
		}
	}
	return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return a.kit.Field(gtx, &p.query, "Type what to do", "Find a command")
		}),
		layout.Rigid(layout.Spacer{Height: 10}.Layout),
		layout.Flexed(1, func(gtx layout.Context) layout.Dimensions {
			if len(p.shown) == 0 {
				return a.kit.Hint(gtx, "No command has such a name.")
			}
			return a.kit.Rows(gtx, &p.list, len(p.shown), func(gtx layout.Context, i int) layout.Dimensions {
				gtx.Constraints.Min.X = gtx.Constraints.Max.X
				return p.row(a, gtx, i)
			})
		}))
}

// find lists what can be done with what has the choice, the commands that make sense now, the other
// requests of the files and the pairs that were open recently, if the title contains every word.
func (p *paletteBox) find(a *App, gtx layout.Context, st *session.State) {
	words := strings.Fields(strings.ToLower(p.query.Text()))
	p.shown = p.shown[:0]
	all := p.offered(a, gtx, st)
	for i := range a.commands.All {
		if c := &a.commands.All[i]; a.Can(c.ID) {
			all = append(all, c)
		}
	}
	all = append(all, requestCommands(st)...)
	for _, c := range append(all, a.keeper.commands()...) {
		title, ok := strings.ToLower(c.Title), true
		for _, w := range words {
			ok = ok && strings.Contains(title, w)
		}
		if ok {
			p.shown = append(p.shown, c)
		}
	}
	p.at = max(0, min(p.at, len(p.shown)-1))
}

// offered are what can be done with what has the choice and is no command.
func (p *paletteBox) offered(a *App, gtx layout.Context, st *session.State) (list []*command.Command) {
	clear(p.offers)
	if !st.Any() || a.onBatch() {
		return nil
	}
	if p.offers == nil {
		p.offers = map[command.ID]offer{}
	}
	t, _ := a.choice(gtx)
	for _, o := range a.offers(slices.DeleteFunc(slices.Clone(t.Entries),
		func(e view.Entry) bool { return e.Do == nil })) {
		c := &command.Command{ID: command.ID("chosen: " + o.Title), Title: o.Title + " — " + t.Name}
		p.offers[c.ID] = o
		list = append(list, c)
	}
	return list
}

func (p *paletteBox) click(c *command.Command) *widget.Clickable {
	if p.clicks == nil {
		p.clicks = map[command.ID]*widget.Clickable{}
	}
	k := p.clicks[c.ID]
	if k == nil {
		k = &widget.Clickable{}
		p.clicks[c.ID] = k
	}
	return k
}

func (p *paletteBox) run(a *App, gtx layout.Context, i int) {
	if i < 0 || i >= len(p.shown) {
		return
	}
	a.overlay.show(noPage)
	gtx.Execute(key.FocusCmd{})
	id := p.shown[i].ID
	if o, ok := p.offers[id]; ok {
		o.do(gtx)
	} else if !a.openRecent(id) && !a.showRequest(id) {
		a.Perform(gtx, id)
	}
}

func (p *paletteBox) row(a *App, gtx layout.Context, i int) layout.Dimensions {
	c := p.shown[i]
	return a.kit.Pressable(gtx, p.click(c), c.Title, i == p.at, func(gtx layout.Context) layout.Dimensions {
		return layout.Inset{Left: 8, Right: 12, Top: 5, Bottom: 5}.Layout(gtx,
			func(gtx layout.Context) layout.Dimensions {
				keys := ""
				if len(c.Keys) > 0 {
					keys = c.Keys[0]
				}
				return layout.Flex{}.Layout(gtx,
					kit.Wide(func(gtx layout.Context) layout.Dimensions {
						return a.kit.Label(gtx, c.Title, a.kit.Text())
					}),
					a.kit.Cell(unit.Dp(100), keys, kit.Right(kit.Style{Size: kit.Small, Color: a.kit.Pal.Secondary, Mono: true})))
			})
	})
}
