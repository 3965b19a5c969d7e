package kit

import (
	"cmp"
	"image/color"
	"slices"
	"strings"

	"gioui.org/io/event"
	"gioui.org/layout"
	"gioui.org/unit"
	"gioui.org/widget"
)

// Table shows rows in columns. A click on a head sorts by its column, a second one turns the order
// round. A field filters by the first column. While the table has the focus, arrow keys, PageUp,
// PageDown, Home and End move the cursor, and Enter chooses its row.
//
// The first column takes the room that the others leave. Where not all columns fit, those that do
// are shown whole, and the rest are reached by ‹ and ›, by the keys Left and Right, or by
// Shift-wheel: no number is ever cut short, which would make it another number.
//
// A frame costs what is visible. Rows are filtered and sorted only when the content, the filter or
// the order has changed.
type Table struct {
	content Content
	list    widget.List
	filter  widget.Editor
	heads   []widget.Clickable
	pages   [2]widget.Clickable // ‹ and ›

	lower   []string // titles of the rows, as they are sorted by
	search  []string // what the rows are filtered by
	shown   []int    // rows in the order in which they are listed
	query   string
	order   int // the column that is sorted by
	turned  bool
	picked  bool    // the user has chosen the order
	cursor  int     // a row, or −1
	first   int     // the first column beside the title that is shown
	fitting int     // how many columns beside the title the last frame showed
	widths  []int   // px, by column: what the texts laid out so far need
	scale   float32 // that widths were measured at
	seen    [2]int  // the listed rows that widths were measured for last, from and to

	body  struct{ _ byte } // hears the pointer and the keys
	over  int              // the listed row under the pointer, or −1
	press int              // the listed row on which the button went down, or −1
	quiet bool             // a click gave the rows the focus, and no key has been pressed since
	high  int              // px, of a row
	room  int              // px, for all rows
}

// Content is what a table shows. Its functions are asked for rows from 0 to Len−1.
type Content struct {
	// Rev tells contents apart: Show takes over another one only if it has another Rev.
	Rev     any
	Len     int
	Of      string // what the rows are, in the plural: "functions"
	Columns []Column
	Order   int // the column that is sorted by until the user chooses another
	// Verb says before a row's title what choosing it does, for assistive tools: "Go to".
	Verb string
	// Hidden leaves rows out; may be nil.
	Hidden func(row int) bool
	// Last puts rows below all others, whatever the order; may be nil.
	Last func(row int) bool
	// Search returns what the filter looks in; nil for the title.
	Search func(row int) string
	// Shorten returns the title of a row for so many px where it does not fit; nil for a title that
	// is the name of a function.
	Shorten func(row int, room, size float32) string
	// Mark is the colour of a dot before a row's title, and whether the row has one; may be nil.
	Mark  func(k *Kit, row int) (c color.NRGBA, ok bool)
	Short bool // so few rows or so alike that there is nothing to filter
}

// Column is a column of texts or of numbers. The first column of a table has texts: the titles of
// its rows.
type Column struct {
	Title string
	About string // what it holds, where the title is too short to say so
	Text  func(row int) string
	// Number is a value, and whether the row has one. Rows without one are listed last.
	Number func(row int) (v float64, ok bool)
	Format func(v float64) string // of Number
	Unit   string                 // of Number, for copies, which have all its digits
	Size   bool                   // sorts by magnitude: −5 before 3
	// Ink changes how a cell looks; may be nil.
	Ink func(k *Kit, row int, ink Style) Style
	// Head is the colour of the title; may be nil.
	Head func(k *Kit) color.NRGBA
}

// Show makes the table show what content returns if rev is not that of what it shows. The cursor
// stays on the row of the same title.
func (t *Table) Show(rev any, content func() Content) {
	if t.content.Rev == rev && rev != nil {
		return
	}
	was, at := "", t.cursor
	if t.content.Columns != nil && at >= 0 {
		was = t.Title(at)
	}
	columns := len(t.content.Columns)
	t.content = content()
	t.content.Rev = rev
	if len(t.content.Columns) != columns {
		t.first, t.order, t.turned, t.picked = 0, 0, false, false
		t.heads = make([]widget.Clickable, len(t.content.Columns))
	}
	if !t.picked {
		t.order = t.content.Order
	}
	t.widths, t.over, t.press, t.cursor = nil, -1, -1, -1
	t.lower = make([]string, t.content.Len)
	t.search = t.lower
	if t.content.Search != nil {
		t.search = make([]string, t.content.Len)
	}
	for row := range t.lower {
		title := t.Title(row)
		t.lower[row] = strings.ToLower(title)
		if t.content.Search != nil {
			t.search[row] = strings.ToLower(t.content.Search(row))
		}
		if at >= 0 && t.cursor < 0 && title == was {
			t.cursor = row
		}
	}
	t.arrange()
}

// arrange filters and sorts.
func (t *Table) arrange() {
	t.seen = [2]int{}
	t.shown = t.shown[:0]
	for row, text := range t.search {
		if strings.Contains(text, t.query) &&
			(t.content.Hidden == nil || !t.content.Hidden(row)) {
			t.shown = append(t.shown, row)
		}
	}
	if len(t.content.Columns) > 0 {
		t.sort(&t.content.Columns[t.order])
	}
	if last := t.content.Last; last != nil {
		slices.SortStableFunc(t.shown, func(a, b int) int { return compareBool(last(a), last(b)) })
	}
}

// sort orders the listed rows: texts from A to Z and numbers from the largest to the smallest, or
// the other way round. Equal rows stay in the order of the content.
func (t *Table) sort(c *Column) {
	sign := 1
	if t.turned {
		sign = -1
	}
	if c.Number == nil {
		texts := t.lower
		if c != &t.content.Columns[0] {
			texts = make([]string, t.content.Len)
			for _, row := range t.shown {
				texts[row] = strings.ToLower(c.Text(row))
			}
		}
		slices.SortStableFunc(t.shown, func(a, b int) int {
			return sign * cmp.Compare(texts[a], texts[b])
		})
		return
	}
	keys := make([]sortKey, t.content.Len)
	for _, row := range t.shown {
		keys[row] = c.key(row)
	}
	slices.SortStableFunc(t.shown, func(a, b int) int {
		return cmp.Or(-compareBool(keys[a].ok, keys[b].ok), -sign*cmp.Compare(keys[a].v, keys[b].v))
	})
}

// sortKey is what a number is sorted by.
type sortKey struct {
	v  float64
	ok bool
}

func (c *Column) key(row int) sortKey {
	v, ok := c.Number(row)
	if c.Size {
		v = max(v, -v)
	}
	return sortKey{v, ok}
}

// compareBool puts false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// text returns what a cell shows; "" where a row has no value.
func (c *Column) text(row int) string {
	if c.Number == nil {
		return c.Text(row)
	}
	v, ok := c.Number(row)
	if !ok {
		return ""
	}
	return c.Format(v)
}

// about says what the column holds.
func (c *Column) about() string { return cmp.Or(c.About, c.Title) }

// Listed returns the rows that are listed, from top to bottom. It must not be changed.
func (t *Table) Listed() []int { return t.shown }

// Cursor returns the row that the cursor is on, or −1.
func (t *Table) Cursor() int {
	if t.content.Columns == nil {
		return -1
	}
	return t.cursor
}

// Chosen returns the row under the pointer or, if pointed is false, the one that the cursor is on;
// −1 if there is none.
func (t *Table) Chosen(pointed bool) int {
	switch {
	case !pointed:
		return t.Cursor()
	case t.over < 0 || t.over >= len(t.shown):
		return -1
	}
	return t.shown[t.over]
}

// Title returns the title of a row.
func (t *Table) Title(row int) string { return t.content.Columns[0].Text(row) }

// Tag returns what has the focus while the rows have it.
func (t *Table) Tag() event.Tag { return &t.body }

// SetCursor puts the cursor on a row and shows it, if it is listed.
func (t *Table) SetCursor(row int) {
	t.cursor = row
	if at := slices.Index(t.shown, row); at >= 0 {
		t.reveal(at)
	}
}

// Step moves the cursor by so many of the listed rows, within them, and returns its row, −1 if no
// rows are listed. Without a cursor it goes to the first row.
func (t *Table) Step(by int) int {
	if len(t.shown) == 0 {
		return -1
	}
	at := slices.Index(t.shown, t.cursor)
	if at < 0 {
		at, by = 0, 0
	}
	at = min(max(at+by, 0), len(t.shown)-1)
	t.cursor = t.shown[at]
	t.reveal(at)
	return t.cursor
}

// reveal scrolls as little as shows the listed row at.
func (t *Table) reveal(at int) {
	p := &t.list.Position
	whole := t.page()
	switch {
	case at < p.First || at == p.First && p.Offset > 0:
		t.list.ScrollTo(at)
	case at > p.First+whole-1 && whole > 0:
		t.list.ScrollTo(at - whole + 1)
	}
}

// page returns how many rows are visible whole.
func (t *Table) page() int { return t.room / max(t.high, 1) }

// resize keeps the cursor visible where the room for rows becomes another.
func (t *Table) resize(room int) {
	was := *t
	if t.room = room; was.room == room || was.cursor < 0 {
		return
	}
	at := slices.Index(t.shown, t.cursor)
	if first := t.list.Position.First; at >= first && at <= first+was.page() {
		t.reveal(at)
	}
}

// SortBy sorts by a column; the column that is sorted by already turns its order round.
func (t *Table) SortBy(column int) {
	t.turned = column == t.order && !t.turned
	t.order, t.picked = column, true
	t.arrange()
	t.list.ScrollTo(0)
}

// Measures of a table, in dp.
const (
	rowHeight   unit.Dp = 23
	headHeight  unit.Dp = 22
	columnGap   unit.Dp = 10
	leastTitle  unit.Dp = 130 // of the first column
	leastColumn unit.Dp = 36
	sortRoom    unit.Dp = 9 // of the arrow that shows the order
	rightEdge   unit.Dp = 12
)

// Layout lays out the filter, the heads and the rows in the rest of a panel; beside stands at the
// left of the line below the filter and may be nil. Something must have been shown.
func (t *Table) Layout(k *Kit, gtx layout.Context, beside layout.Widget) layout.Dimensions {
	t.measure(k, gtx)
	var field []layout.FlexChild
	if !t.content.Short {
		field = append(field, k.FilterField(&t.filter, "Filter "+t.content.Of, "Filter "+t.content.Of))
	}
	return layout.Flex{Axis: layout.Vertical}.Layout(gtx, append(field,
		layout.Rigid(func(gtx layout.Context) layout.Dimensions { return t.caption(k, gtx, beside) }),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions { return t.head(k, gtx) }),
		layout.Flexed(1, func(gtx layout.Context) layout.Dimensions { return t.rows(k, gtx) }))...)
}
