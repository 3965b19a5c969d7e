package dock

import (
	"context"
	"image"
	"slices"
	"strconv"
	"strings"

	"gioui.org/io/event"
	"gioui.org/io/key"
	"gioui.org/io/pointer"
	"gioui.org/layout"
	"gioui.org/op"
	"gioui.org/widget"

	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/session"
	"diptych/internal/trace"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// matrix shows how alike the threads of a scope are: a row for each thread of A, a column for each
// of B. A click on a cell pairs the two by hand; on a pair that is in use it shows that pair. While
// the matrix has the focus, arrow keys move the cursor and Enter does what a click does.
type matrix struct {
	shown  bool
	of     *pair.Pair // that scopes are of
	scopes []pair.Scope
	steps  [2]widget.Clickable // ‹ and › go through the scopes

	found  *pair.Matrix
	labels [2][]threadLabel // of its rows and columns
	view   matrixView
	cursor image.Point // column and row
	at     image.Point // of the pointer, px
	over   bool
	press  image.Point // the cell on which the button went down
	body   struct{ _ byte }
}

// matrixOf is what a matrix depends on.
type matrixOf struct {
	pair  *pair.Pair
	scope pair.Scope
}

// foundMatrix is the matrix of the scope that is shown.
var foundMatrix = session.Result[matrixOf, *pair.Matrix]{
	Slot: "alike", Label: "Comparing threads",
	Key: func(st *session.State) (matrixOf, bool) {
		return matrixOf{st.Pair, st.Alike.Scope}, st.Alike.Shown && st.Pair != nil && st.Both()
	},
	Find: func(ctx context.Context, of matrixOf, report progress.Func) (*pair.Matrix, error) {
		return of.pair.Compare(ctx, of.scope, report)
	},
}

// show shows the matrix of the first scope that has the current pair, or hides it.
func (m *matrix) show(c *view.Context, st *session.State, on bool) {
	m.renew(st)
	if !on || len(m.scopes) == 0 {
		c.S.EndComparingThreads()
		if on {
			c.S.Say("There is only one thread of each kind on either side, so there is nothing to choose")
		}
		return
	}
	sc := m.scopes[0]
	if st.Current < len(st.Pair.Threads) && !st.Process {
		t := st.Pair.Threads[st.Current]
		for _, other := range m.scopes {
			if other.ByRole && t.A >= 0 && st.Pair.A.Threads[t.A].CommonName() == other.Role {
				sc = other
			}
		}
	}
	c.S.CompareThreads(sc)
}

func (m *matrix) renew(st *session.State) {
	if m.of != st.Pair {
		m.of, m.scopes = st.Pair, st.Pair.Scopes()
	}
}

// layout lays out which threads are compared, and the matrix below.
func (m *matrix) layout(c *view.Context, gtx C, st *session.State) D {
	m.renew(st)
	at := slices.Index(m.scopes, st.Alike.Scope)
	if at < 0 { // the traces are others now
		m.show(c, st, true)
		return D{}
	}
	for i, by := range []int{-1, +1} {
		if m.steps[i].Clicked(gtx) {
			at = (at + by + len(m.scopes)) % len(m.scopes)
			c.S.CompareThreads(m.scopes[at])
			st = c.S.State()
		}
	}
	found, ok := foundMatrix.Of(st)
	if last, had := foundMatrix.Last(st); !ok && had && last != nil && last.Scope == st.Alike.Scope {
		found = last // until the one of the new pairing is there
	}
	lines := []layout.FlexChild{layout.Rigid(func(gtx C) D { return m.heading(c, gtx, st, at) })}
	if m.shown = found != nil; !m.shown {
		return layout.Flex{Axis: layout.Vertical}.Layout(gtx, append(lines,
			hint(c, "The threads are being compared."))...)
	}
	m.take(st, found)
	m.hear(c, gtx, st)
	return layout.Flex{Axis: layout.Vertical}.Layout(gtx, append(lines,
		layout.Flexed(1, func(gtx C) D { return m.draw(c, gtx, st) }),
		layout.Rigid(func(gtx C) D { return m.legend(c, gtx) }))...)
}

// heading names the scope, between the buttons that lead to the others.
func (m *matrix) heading(c *view.Context, gtx C, st *session.State, at int) D {
	count := strconv.Itoa(at+1) + " of " + strconv.Itoa(len(m.scopes))
	return layout.Inset{Right: 8}.Layout(gtx, func(gtx C) D {
		return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
			wide(c, scopeWords(st, st.Alike.Scope), headingInk(c)),
			layout.Rigid(func(gtx C) D { return c.Kit.Button(gtx, &m.steps[0], "‹", "Threads before", false) }),
			label(c, count, c.Kit.Caption()),
			layout.Rigid(func(gtx C) D { return c.Kit.Button(gtx, &m.steps[1], "›", "Further threads", false) }))
	})
}

// scopeWords names the threads of a scope.
func scopeWords(st *session.State, sc pair.Scope) string {
	switch {
	case sc.ByRole && sc.Role == "":
		return "threads that have only a number"
	case sc.ByRole:
		return sc.Role
	}
	var names []string
	for s, p := range sc.Processes {
		if p < 0 {
			continue
		}
		if name := st.Sides[s].Trace.Processes[p].Title(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	switch len(names) {
	case 0:
		return "all threads"
	case 1:
		return "process " + names[0]
	}
	return "processes " + names[0] + "  |  " + names[1]
}

// take takes over a matrix, and puts the cursor into it.
func (m *matrix) take(st *session.State, found *pair.Matrix) {
	if m.found == found {
		return
	}
	same := m.found != nil && m.found.Scope == found.Scope
	m.found = found
	for s := range m.labels {
		m.labels[s] = threadLabels(st, pair.Side(s), found)
	}
	if !same {
		m.cursor, m.view.scroll = image.Point{}, image.Point{}
	}
	m.cursor.X = min(m.cursor.X, max(len(found.Threads[pair.B])-1, 0))
	m.cursor.Y = min(m.cursor.Y, max(len(found.Threads[pair.A])-1, 0))
}

// threadLabel is what a row or a column is called.
type threadLabel struct{ title, id string }

func (l threadLabel) String() string { return strings.TrimSpace(l.title + " " + l.id) }

// threadLabels tells the threads of a side apart: by process and id where they all have one name.
func threadLabels(st *session.State, side pair.Side, found *pair.Matrix) (labels []threadLabel) {
	tr := st.Sides[side].Trace
	for _, i := range found.Threads[side] {
		th := tr.Threads[i]
		l := threadLabel{th.Title(), words.OwnID(th)}
		if found.Scope.ByRole && l.id != "" {
			if l.title = ""; len(tr.Processes) > 1 {
				l.title = processOf(tr, th)
			}
		}
		labels = append(labels, l)
	}
	return labels
}

func processOf(tr *trace.Trace, th *trace.Thread) string {
	if th.Process < 0 {
		return ""
	}
	return tr.Processes[th.Process].Title()
}

// copied returns the matrix as text, or the row that the cursor is in.
func (m *matrix) copied(format kit.TextFormat, whole bool) string {
	rows := []int{m.cursor.Y}
	if whole {
		rows = rows[:0]
		for row := range m.found.Threads[pair.A] {
			rows = append(rows, row)
		}
	}
	content := m.content()
	return content.Text(format, rows, whole)
}

// content is the matrix as a table.
func (m *matrix) content() kit.Content {
	found, labels := m.found, m.labels
	columns := []kit.Column{{Title: "A \\ B", Text: func(row int) string { return labels[pair.A][row].String() }}}
	for j := range found.Threads[pair.B] {
		columns = append(columns, kit.Column{Title: labels[pair.B][j].String(), Format: similarityText,
			Number: func(row int) (float64, bool) { return found.Similarity(row, j), true }})
	}
	return kit.Content{Len: len(found.Threads[pair.A]), Of: "threads", Columns: columns}
}

func similarityText(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) }

// hear takes the pointer and the keys. Both are asked in every frame: what does not ask for keys
// loses the focus.
func (m *matrix) hear(c *view.Context, gtx C, st *session.State) {
	clicked, pressed := m.hearPointer(gtx), m.hearKeys(gtx)
	if clicked || pressed {
		m.choose(c, st)
	}
}

// hearPointer reports whether a cell was clicked, which the cursor is then on.
func (m *matrix) hearPointer(gtx C) (clicked bool) {
	for e := range kit.Pointed(gtx, &m.body) {
		m.at, m.over = e.Position.Round(), e.Kind != pointer.Leave && e.Kind != pointer.Cancel
		cell, ok := m.view.cellAt(m.at)
		switch e.Kind {
		case pointer.Press:
			gtx.Execute(key.FocusCmd{Tag: &m.body})
			if m.press = image.Pt(-1, -1); ok && e.Buttons.Contain(pointer.ButtonPrimary) {
				m.press = cell
			}
		case pointer.Release:
			if ok && cell == m.press {
				m.setCursor(cell)
				clicked = true
			}
		case pointer.Scroll:
			m.view.scrollBy(image.Pt(kit.Round(e.Scroll.X), kit.Round(e.Scroll.Y)))
		}
	}
	return clicked
}

// hearKeys moves the cursor, and reports whether Enter was pressed.
func (m *matrix) hearKeys(gtx C) (chosen bool) {
	for {
		e, ok := gtx.Event(m.keys()...)
		if !ok {
			return chosen
		}
		if k, ok := e.(key.Event); ok && k.State == key.Press {
			gtx.Execute(op.InvalidateCmd{})
			by, moves := cellMoves[k.Name]
			if chosen = chosen || !moves; moves {
				m.setCursor(m.cursor.Add(by))
			}
		}
	}
}

// cellMoves are the keys that move the cursor.
var cellMoves = map[key.Name]image.Point{
	key.NameUpArrow: {Y: -1}, key.NameDownArrow: {Y: +1},
	key.NameLeftArrow: {X: -1}, key.NameRightArrow: {X: +1},
	key.NamePageUp: {Y: -10}, key.NamePageDown: {Y: +10},
	key.NameHome: {X: -1 << 20}, key.NameEnd: {X: 1 << 20},
}

// keys ask for the keys that go to the matrix while it has the focus.
func (m *matrix) keys() []event.Filter {
	filters := []event.Filter{key.FocusFilter{Target: &m.body},
		key.Filter{Focus: &m.body, Name: key.NameReturn}, key.Filter{Focus: &m.body, Name: key.NameEnter}}
	for name := range cellMoves {
		filters = append(filters, key.Filter{Focus: &m.body, Name: name})
	}
	return filters
}

// setCursor puts the cursor on a cell, or on the nearest if there is none, and shows it.
func (m *matrix) setCursor(to image.Point) {
	n := m.size()
	m.cursor = image.Pt(max(0, min(to.X, n.X-1)), max(0, min(to.Y, n.Y-1)))
	m.view.reveal(m.cursor)
}

// size returns the numbers of columns and rows.
func (m *matrix) size() image.Point {
	return image.Pt(len(m.found.Threads[pair.B]), len(m.found.Threads[pair.A]))
}

// choose pairs the threads of the cell that the cursor is on, or shows the pair that they are.
func (m *matrix) choose(c *view.Context, st *session.State) {
	if m.found.Pair != st.Pair || m.size().X == 0 || m.size().Y == 0 {
		return
	}
	a, b := m.found.Threads[pair.A][m.cursor.Y], m.found.Threads[pair.B][m.cursor.X]
	if st.Pair.Partner(pair.A, a) == b {
		c.S.ShowPair(st.Pair.Of(pair.A, a))
		return
	}
	c.S.Repair(a, b)
}
