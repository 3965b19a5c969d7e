package ui

import (
	"image"

	"gioui.org/io/event"
	"gioui.org/io/key"
	"gioui.org/io/pointer"
	"gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"

	"diptych/internal/command"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
)

// menu is the menu of what is under the pointer or has the choice. A view or a panel says what that
// is and what can be done with it (view.Holder); the window adds what it can do with everything.
type menu struct {
	kit.Menu
	offers []offer
	back   event.Tag // gets the keys once the menu is closed
	press  struct{ _ byte }
	inDock bool // the last press was in the dock
	asked  bool // by key
}

// offer is an entry that can be carried out now.
type offer struct {
	kit.MenuItem
	do func(gtx layout.Context)
}

// ground begins the area of the whole window, in which all else lies and where presses are heard,
// whatever else hears them. So are moves of the pointer.
func (m *menu) ground(gtx layout.Context) clip.Stack {
	area := clip.Rect{Max: gtx.Constraints.Max}.Push(gtx.Ops)
	event.Op(gtx.Ops, &m.press)
	return area
}

// layout hears presses, and lays the menu out while it is open.
func (m *menu) layout(a *App, gtx layout.Context, z zones) {
	m.hear(a, gtx, z)
	if m.asked {
		m.asked = false
		a.openMenuBeside(gtx, z)
	}
	was := m.Open()
	if i, ok := m.Layout(a.kit, gtx); ok {
		gtx.Execute(key.FocusCmd{Tag: m.back})
		m.offers[i].do(gtx)
	} else if was && !m.Open() {
		gtx.Execute(key.FocusCmd{Tag: m.back})
	}
}

// hear notes where the pointer was pressed last; the secondary button opens the menu. When the
// pointer moves again after a key, tooltips come back.
func (m *menu) hear(a *App, gtx layout.Context, z zones) {
	for {
		e, ok := gtx.Event(pointer.Filter{Target: &m.press,
			Kinds: pointer.Press | pointer.Move | pointer.Drag})
		if !ok {
			return
		}
		p, ok := e.(pointer.Event)
		if !ok {
			continue
		}
		a.keyed = false
		if p.Kind != pointer.Press || a.overlay.page != noPage {
			continue
		}
		at := image.Pt(int(p.Position.X), int(p.Position.Y))
		m.inDock = at.In(z.dock)
		if p.Buttons.Contain(pointer.ButtonSecondary) {
			a.openMenuAt(gtx, z, at)
		}
	}
}

// openMenuAt opens the menu of what is under the pointer. The pane that it is in becomes the active
// one.
func (a *App) openMenuAt(gtx layout.Context, z zones, at image.Point) {
	here := image.Rectangle{Min: at, Max: at}
	st := a.S.State()
	switch {
	case !st.Any() || a.onBatch():
		a.openMenu(view.Thing{}, nil, here)
	case at.In(z.dock):
		a.openMenu(a.dock.Thing(a.context, true), a.tableEntries(), here)
	case at.In(z.overview):
		a.openMenu(a.overview.Thing(a.context, true), nil, here)
	default:
		var under *session.PaneID
		a.eachPane(func(c *content) {
			if id := a.S.State().ID; at.In(c.area) {
				under = &id
			}
		})
		if under == nil {
			a.openMenu(view.Thing{}, nil, here)
			return
		}
		a.S.Activate(*under)
		t := a.Pane().Thing(a.context, true)
		a.openMenu(t, paneEntries(&t), here)
	}
	gtx.Execute(op.InvalidateCmd{})
}

// openMenuByKey has the menu opened of what has the choice.
func (a *App) openMenuByKey() { a.menu.asked = true }

// openMenuBeside opens the menu of what has the choice beside it, or else in the middle of the pane
// that it is in.
func (a *App) openMenuBeside(gtx layout.Context, z zones) {
	if !a.S.State().Any() || a.onBatch() {
		a.openMenu(view.Thing{}, nil, within(z.main))
		return
	}
	t, inDock := a.choice(gtx)
	switch {
	case inDock:
		a.openMenu(t, a.tableEntries(), within(z.dock))
	case !t.Box.Empty():
		a.openMenu(t, paneEntries(&t), t.Box)
	default:
		a.openMenu(t, paneEntries(&t), within(a.contentOf().area))
	}
}

// within returns a place in r to open a menu at.
func within(r image.Rectangle) image.Rectangle {
	at := r.Min.Add(r.Size().Div(4))
	return image.Rectangle{Min: at, Max: at}
}

// choice returns what has the choice, and whether that is in the dock: if the last press or the
// focus was there; else in the active pane; else in the dock all the same.
func (a *App) choice(gtx layout.Context) (t view.Thing, inDock bool) {
	d := a.dock.Thing(a.context, false)
	if d.Name != "" && (a.menu.inDock || d.Tag != nil && gtx.Focused(d.Tag)) {
		return d, true
	}
	if t := a.Pane().Thing(a.context, false); t.Name != "" {
		return t, false
	}
	return d, d.Name != ""
}

// openMenu opens the menu of a thing, with what else can be done where it is.
func (a *App) openMenu(t view.Thing, more []view.Entry, beside image.Rectangle) {
	if t.Choose != nil {
		t.Choose(a.context)
	}
	entries := append(t.Entries[:len(t.Entries):len(t.Entries)], a.copyEntries(&t)...)
	entries = append(entries, a.showEntries(&t)...)
	entries = append(append(entries, more...), windowEntries...)
	a.menu.offers = a.offers(entries)
	a.menu.back = t.Tag
	var items []kit.MenuItem
	for _, o := range a.menu.offers {
		items = append(items, o.MenuItem)
	}
	a.menu.Show(t.Name, items, beside)
}

// offers are those of the entries that can be carried out now.
func (a *App) offers(entries []view.Entry) (list []offer) {
	apart := false
	for _, e := range entries {
		apart = apart || e.Apart
		if e.Command != "" && !a.Can(e.Command) {
			continue
		}
		o := a.offerOf(e)
		o.Apart, apart = apart && len(list) > 0, false
		list = append(list, o)
	}
	return list
}

func (a *App) offerOf(e view.Entry) offer {
	o := offer{MenuItem: kit.MenuItem{Title: e.Title}}
	o.do = func(gtx layout.Context) { e.Do(a.context, gtx) }
	if e.Command == "" {
		return o
	}
	c := a.Command(e.Command)
	if o.Title == "" {
		o.Title = c.Title
	}
	if len(c.Keys) > 0 {
		o.Keys = c.Keys[0]
	}
	if e.Do == nil {
		o.do = func(gtx layout.Context) { a.Perform(gtx, e.Command) }
	}
	return o
}

// copyEntries copy a thing. Ctrl-C stands beside the first if it would copy the same.
func (a *App) copyEntries(t *view.Thing) []view.Entry {
	if t.Text == nil {
		return nil
	}
	as := func(f kit.TextFormat) func(*view.Context, layout.Context) {
		return func(_ *view.Context, gtx layout.Context) { kit.Copy(gtx, t.Text(f)) }
	}
	first := view.Entry{Title: "Copy", Do: as(t.Usual), Apart: true}
	if a.keeps(t) {
		first.Command = command.CopyThing
	}
	entries := []view.Entry{first, {Title: "Copy as Markdown", Do: as(kit.Markdown)}}
	if t.Usual != kit.TSV {
		entries = append(entries, view.Entry{Title: "Copy as a row, for a spreadsheet", Do: as(kit.TSV)})
	}
	return entries
}

// keeps reports whether a thing has the choice now.
func (a *App) keeps(t *view.Thing) bool {
	for _, h := range []view.Holder{a.dock, a.Pane()} {
		if now := h.Thing(a.context, false); now.Name == t.Name && now.Call == t.Call && now.Text != nil {
			return true
		}
	}
	return false
}

// showEntries show a call in the views that are not in the active pane.
func (a *App) showEntries(t *view.Thing) (entries []view.Entry) {
	call := t.Call
	for i := range a.rows {
		r := &a.rows[i]
		if !call.OK || r.View == a.S.State().View || r.Pairs && !a.S.State().Both() {
			continue
		}
		entries = append(entries, view.Entry{Title: "Show it in " + r.Title, Apart: entries == nil,
			Do: func(c *view.Context, _ layout.Context) {
				c.S.AsOneStep(func() {
					c.S.SetView(r.View)
					c.S.Select(call)
					c.S.Reveal(call)
				})
			}})
	}
	return entries
}

// tableEntries copy what the dock shows, if it is a table.
func (a *App) tableEntries() []view.Entry {
	if _, ok := a.Panel(a.dock.Tab()).(view.Copier); !ok {
		return nil
	}
	return []view.Entry{{Title: "Copy the whole table", Command: command.CopyTable, Apart: true},
		{Title: "Copy the whole table as Markdown", Command: command.CopyMarkdown}}
}

// paneEntries are what can be done with the active pane. The menu of a call, which is long, has the
// first of them only.
func paneEntries(t *view.Thing) []view.Entry {
	entries := []view.Entry{{Command: command.SaveDrawing, Apart: true}, {Command: command.SavePane},
		{Command: command.CopyDrawing}, {Command: command.CopyPane},
		{Title: "Split the pane to the right", Command: command.SplitRight},
		{Title: "Split the pane downwards", Command: command.SplitDown}, {Command: command.ClosePane}}
	if t.Call.OK {
		return entries[:4]
	}
	return entries
}

// windowEntries are what can be done wherever the pointer is.
var windowEntries = []view.Entry{{Command: command.SaveWindow, Apart: true}, {Command: command.Palette}}
