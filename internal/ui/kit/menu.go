package kit

import (
	"image"
	"unicode/utf8"

	"gioui.org/font"
	"gioui.org/io/event"
	"gioui.org/io/key"
	"gioui.org/io/pointer"
	"gioui.org/io/semantic"
	"gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"
	"gioui.org/unit"
	"gioui.org/widget"

	"diptych/internal/typeface"
)

// Menu is a list of what can be done with something, at the pointer or beside that something. Up,
// Down, Home, End, Tab and the pointer move the choice; Enter, Space or a click take it; Escape or
// a press anywhere else closes the menu.
type Menu struct {
	open   bool
	title  string
	items  []MenuItem
	beside image.Rectangle // what the menu is about, px; the pointer's place is an empty one
	clicks []widget.Clickable
	list   widget.List
	chosen int // −1 for none
	shade  struct{ _ byte }
}

// MenuItem is a line of a menu.
type MenuItem struct {
	Title string
	Keys  string // at the right; "" for none
	Apart bool   // a line divides it from the items above
}

// Show opens the menu below what it is about, with no item chosen.
func (m *Menu) Show(title string, items []MenuItem, beside image.Rectangle) {
	*m = Menu{open: true, title: title, items: items, beside: beside, chosen: -1,
		clicks: make([]widget.Clickable, len(items))}
}

// Open reports whether the menu is open.
func (m *Menu) Open() bool { return m.open }

// Close closes the menu.
func (m *Menu) Close() { m.open = false }

// Measures of a menu, in dp.
const (
	menuRow    unit.Dp = 24
	menuRule   unit.Dp = 9 // more, above an item that stands apart
	menuInset  unit.Dp = 10
	menuPad    unit.Dp = 5  // within the card
	menuGap    unit.Dp = 28 // between a title and its keys
	menuLeast  unit.Dp = 170
	menuMost   unit.Dp = 420
	menuMargin unit.Dp = 4 // from the window's edges
)

// monoAdvance is how far the letters of the fixed-width font stand apart, in sizes of the text.
const monoAdvance = .6

// Layout lays the menu out over the whole window, and returns the item that was taken, if any; the
// menu is closed then.
func (m *Menu) Layout(k *Kit, gtx layout.Context) (taken int, ok bool) {
	if !m.open {
		return -1, false
	}
	taken, ok = m.hear(gtx)
	if ok || !m.open {
		m.open = false
		gtx.Execute(op.InvalidateCmd{})
		return taken, ok
	}
	if !gtx.Focused(m) {
		gtx.Execute(key.FocusCmd{Tag: m})
	}
	area := image.Rectangle{Max: gtx.Constraints.Max}
	stack := clip.Rect(area).Push(gtx.Ops)
	event.Op(gtx.Ops, &m.shade)
	stack.Pop()
	At(gtx, m.place(k, gtx, area), func(gtx layout.Context) { m.card(k, gtx) })
	return -1, false
}

// hear takes what was clicked and pressed.
func (m *Menu) hear(gtx layout.Context) (taken int, ok bool) {
	for {
		e, some := gtx.Event(pointer.Filter{Target: &m.shade, Kinds: pointer.Press | pointer.Scroll,
			ScrollX: anyScroll, ScrollY: anyScroll})
		if !some {
			break
		}
		if p, is := e.(pointer.Event); is && p.Kind == pointer.Press {
			m.open = false
		}
	}
	for i := range m.clicks {
		if m.clicks[i].Clicked(gtx) {
			return i, true
		}
	}
	return m.hearKeys(gtx)
}

// hearKeys takes the keys that are pressed while the menu has the focus, which is always.
func (m *Menu) hearKeys(gtx layout.Context) (taken int, ok bool) {
	filters := []event.Filter{key.FocusFilter{Target: m},
		key.Filter{Focus: m, Name: key.NameTab, Optional: key.ModShift}}
	for _, name := range []key.Name{key.NameUpArrow, key.NameDownArrow, key.NameHome, key.NameEnd,
		key.NameReturn, key.NameEnter, key.NameSpace, key.NameEscape} {
		filters = append(filters, key.Filter{Focus: m, Name: name})
	}
	for {
		e, some := gtx.Event(filters...)
		if !some {
			return -1, false
		}
		k, is := e.(key.Event)
		if !is || k.State != key.Press {
			continue
		}
		gtx.Execute(op.InvalidateCmd{})
		switch k.Name {
		case key.NameEscape:
			m.open = false
		case key.NameReturn, key.NameEnter, key.NameSpace:
			if m.chosen >= 0 {
				return m.chosen, true
			}
		default:
			m.step(k)
		}
	}
}

// step moves the choice round the items.
func (m *Menu) step(k key.Event) {
	n := len(m.items)
	back := k.Name == key.NameUpArrow || k.Name == key.NameTab && k.Modifiers.Contain(key.ModShift)
	switch {
	case n == 0:
		return
	case k.Name == key.NameHome || !back && k.Name != key.NameEnd && m.chosen < 0:
		m.chosen = 0
	case k.Name == key.NameEnd || back && m.chosen < 0:
		m.chosen = n - 1
	case back:
		m.chosen = (m.chosen + n - 1) % n
	default:
		m.chosen = (m.chosen + 1) % n
	}
	m.list.ScrollTo(max(0, m.chosen-6))
}

// place returns the rectangle of the card: below what the menu is about, or above it where there is
// more room, and within the window. A menu that is higher than the window scrolls.
func (m *Menu) place(k *Kit, gtx layout.Context, window image.Rectangle) image.Rectangle {
	window = window.Inset(gtx.Dp(menuMargin))
	size := m.size(k, gtx)
	size = image.Pt(min(size.X, window.Dx()), min(size.Y, window.Dy()))
	at := image.Pt(m.beside.Min.X, m.beside.Max.Y)
	if at.Y+size.Y > window.Max.Y && m.beside.Min.Y-size.Y >= window.Min.Y {
		at.Y = m.beside.Min.Y - size.Y
	}
	if at.X+size.X > window.Max.X && m.beside.Dx() == 0 {
		at.X -= size.X // the pointer is at the right upper corner then
	}
	at.X = max(window.Min.X, min(at.X, window.Max.X-size.X))
	at.Y = max(window.Min.Y, min(at.Y, window.Max.Y-size.Y))
	return image.Rectangle{Min: at, Max: at.Add(size)}
}

// size is what the card needs.
func (m *Menu) size(k *Kit, gtx layout.Context) image.Point {
	width, height := gtx.Dp(menuLeast), 2*gtx.Dp(menuPad)
	text := func(s string, bold bool) int { return int(typeface.Width(s, k.Px(float32(Normal)), bold) + 1) }
	for _, item := range m.items {
		w := text(item.Title, false)
		if item.Keys != "" {
			w += gtx.Dp(menuGap) + int(monoAdvance*k.Px(float32(Small))*float32(utf8.RuneCountInString(item.Keys)))
		}
		width = max(width, w)
		height += gtx.Dp(menuRow)
		if item.Apart {
			height += gtx.Dp(menuRule)
		}
	}
	if m.title != "" {
		height += gtx.Dp(menuRow)
		width = max(width, min(text(m.title, true), gtx.Dp(menuMost)-2*gtx.Dp(menuInset+menuPad)))
	}
	return image.Pt(width+2*gtx.Dp(menuInset+menuPad), height)
}

// card draws the menu over the whole of its constraints.
func (m *Menu) card(k *Kit, gtx layout.Context) {
	area := image.Rectangle{Max: gtx.Constraints.Max}
	k.FloatingCard(gtx, area)
	event.Op(gtx.Ops, m)
	semantic.LabelOp("Menu: " + m.title).Add(gtx.Ops)
	m.point(gtx)
	inner := area.Inset(gtx.Dp(menuPad))
	if m.title != "" {
		head := inner
		head.Max.Y = head.Min.Y + gtx.Dp(menuRow)
		inner.Min.Y = head.Max.Y
		At(gtx, head, func(gtx layout.Context) { m.row(k, gtx, m.title, "", k.menuHead()) })
	}
	At(gtx, inner, func(gtx layout.Context) {
		k.Rows(gtx, &m.list, len(m.items), func(gtx layout.Context, i int) layout.Dimensions {
			return m.item(k, gtx, i)
		})
	})
}

// menuHead is how the title of a menu looks.
func (k *Kit) menuHead() Style {
	return Style{Size: Small, Color: k.Pal.Secondary, Weight: font.Medium}
}

// point moves the choice to what the pointer has moved over. A pointer that rests leaves it to the
// keys, also where the menu has opened under it.
func (m *Menu) point(gtx layout.Context) {
	for {
		e, ok := gtx.Event(pointer.Filter{Target: m, Kinds: pointer.Move})
		if !ok {
			return
		}
		if p, ok := e.(pointer.Event); !ok || p.Kind != pointer.Move {
			continue
		}
		for i := range m.clicks {
			if m.clicks[i].Hovered() {
				m.chosen = i
			}
		}
	}
}

// item lays out one item, with a line above it if it stands apart.
func (m *Menu) item(k *Kit, gtx layout.Context, i int) layout.Dimensions {
	item, width, above := &m.items[i], gtx.Constraints.Max.X, 0
	if item.Apart {
		above = gtx.Dp(menuRule)
		y := above / 2
		Fill(gtx, image.Rect(gtx.Dp(menuInset), y, width-gtx.Dp(menuInset), y+max(1, gtx.Dp(1))), k.Pal.Line)
	}
	row := image.Rect(0, above, width, above+gtx.Dp(menuRow))
	At(gtx, row, func(gtx layout.Context) {
		k.Pressable(gtx, &m.clicks[i], item.Title, i == m.chosen, func(gtx layout.Context) layout.Dimensions {
			m.row(k, gtx, item.Title, item.Keys, k.Text())
			return layout.Dimensions{Size: row.Size()}
		})
	})
	return layout.Dimensions{Size: image.Pt(width, row.Max.Y)}
}

// row writes a title, and the keys at the right of it.
func (m *Menu) row(k *Kit, gtx layout.Context, title, keys string, ink Style) {
	inside := image.Rectangle{Max: gtx.Constraints.Max}
	inside.Min.X, inside.Max.X = gtx.Dp(menuInset), inside.Max.X-gtx.Dp(menuInset)
	At(gtx, inside, func(gtx layout.Context) {
		k.middle(gtx, title, ink)
		if keys != "" {
			k.middle(gtx, keys, Right(Style{Size: Small, Color: k.Pal.Secondary, Mono: true}))
		}
	})
}
