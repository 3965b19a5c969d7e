package kit

import (
	"gioui.org/io/event"
	"gioui.org/io/key"
	"gioui.org/io/pointer"
	"gioui.org/layout"
	"gioui.org/op"
)

// Update takes what was typed, clicked and pressed since the last frame, and returns the row that
// was chosen by a click or by Enter, if any.
func (t *Table) Update(gtx layout.Context) (row int, chosen bool) {
	if t.content.Columns == nil {
		return -1, false
	}
	t.hearField(gtx)
	if q := Filtered(gtx, &t.filter); q != t.query {
		t.query = q
		t.arrange()
		t.list.ScrollTo(0)
	}
	for c := range t.heads {
		if t.heads[c].Clicked(gtx) {
			t.SortBy(c)
		}
	}
	for i, by := range []int{-1, +1} {
		if t.pages[i].Clicked(gtx) {
			t.turnPage(by)
		}
	}
	clicked, c := t.hearPointer(gtx)
	pressed, p := t.hearKeys(gtx)
	if c {
		return clicked, c
	}
	return pressed, p
}

// turnPage shows the next columns, or with by −1 those before.
func (t *Table) turnPage(by int) {
	t.first = max(0, t.first+by*max(t.fitting, 1))
}

// hearField leaves the filter for the rows with the key Down.
func (t *Table) hearField(gtx layout.Context) {
	for {
		e, ok := gtx.Event(key.Filter{Focus: &t.filter, Name: key.NameDownArrow})
		if !ok {
			return
		}
		if k, ok := e.(key.Event); ok && k.State == key.Press {
			gtx.Execute(key.FocusCmd{Tag: &t.body})
			t.Step(0)
		}
	}
}

// hearPointer takes the pointer over the rows. A click puts the cursor on a row and chooses it.
func (t *Table) hearPointer(gtx layout.Context) (row int, chosen bool) {
	for e := range Pointed(gtx, &t.body) {
		at := t.rowAt(int(e.Position.Y))
		switch e.Kind {
		case pointer.Leave, pointer.Cancel:
			t.over, t.press = -1, -1
			continue
		case pointer.Press:
			gtx.Execute(key.FocusCmd{Tag: &t.body})
			t.quiet = true
			if t.press = -1; e.Buttons.Contain(pointer.ButtonPrimary) {
				t.press = at
			} else if at >= 0 && e.Buttons.Contain(pointer.ButtonSecondary) {
				t.cursor = t.shown[at] // the menu of a right click is about that row
			}
		case pointer.Release:
			if at >= 0 && at == t.press {
				t.cursor = t.shown[at]
				row, chosen = t.cursor, true
			}
			t.press = -1
		case pointer.Scroll:
			t.scrollColumns(e.Scroll.X)
		}
		t.over = at
	}
	return row, chosen
}

// scrollColumns goes a column further for each turn of the wheel to the side.
func (t *Table) scrollColumns(x float32) {
	switch {
	case x > 0:
		t.first++
	case x < 0:
		t.first = max(0, t.first-1)
	}
}

// rowAt returns the listed row y px below the upper edge of the rows, or −1.
func (t *Table) rowAt(y int) int {
	if t.high == 0 || y < 0 {
		return -1
	}
	at := t.list.Position.First + (y+t.list.Position.Offset)/t.high
	if at >= len(t.shown) {
		return -1
	}
	return at
}

// moves are the keys that move the cursor, in rows; a page stands for as many rows as are visible.
var moves = map[key.Name]struct{ rows, pages int }{
	key.NameUpArrow: {rows: -1}, key.NameDownArrow: {rows: +1},
	key.NamePageUp: {pages: -1}, key.NamePageDown: {pages: +1},
	key.NameHome: {rows: -1 << 30}, key.NameEnd: {rows: 1 << 30},
}

// hearKeys takes the keys that are pressed while the table has the focus.
func (t *Table) hearKeys(gtx layout.Context) (row int, chosen bool) {
	filters := []key.Name{key.NameLeftArrow, key.NameRightArrow, key.NameReturn, key.NameEnter}
	for name := range moves {
		filters = append(filters, name)
	}
	for {
		e, ok := gtx.Event(t.keyFilters(filters)...)
		if !ok {
			return row, chosen
		}
		if f, ok := e.(key.FocusEvent); ok && !f.Focus {
			t.quiet = false
		}
		k, ok := e.(key.Event)
		if !ok || k.State != key.Press {
			continue
		}
		t.quiet = false
		gtx.Execute(op.InvalidateCmd{})
		switch k.Name {
		case key.NameLeftArrow:
			t.scrollColumns(-1)
		case key.NameRightArrow:
			t.scrollColumns(+1)
		case key.NameReturn, key.NameEnter:
			if t.cursor >= 0 {
				row, chosen = t.cursor, true
			}
		default:
			m := moves[k.Name]
			t.Step(m.rows + m.pages*max(t.page()-1, 1))
		}
	}
}

// keyFilters ask for the keys that go to the table while it has the focus.
func (t *Table) keyFilters(names []key.Name) []event.Filter {
	filters := []event.Filter{key.FocusFilter{Target: &t.body}}
	for _, name := range names {
		filters = append(filters, key.Filter{Focus: &t.body, Name: name})
	}
	return filters
}
