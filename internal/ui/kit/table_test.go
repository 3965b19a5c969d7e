package kit

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"slices"
	"strings"
	"testing"

	"gioui.org/io/key"
	"gioui.org/layout"
	"gioui.org/widget"
	"pgregory.net/rapid"
)

// fruit is a row of the table of the tests; kg < 0 stands for an unknown weight.
type fruit struct {
	name   string
	kg     float64
	change float64
}

var fruits = []fruit{{"pear", 3, -2}, {"Apple", 12345, 1}, {"fig", -1, 5}, {"plum", 1, 0}, {"quince", 3, -7}}

// basket makes a table of fruits that sorts by change first.
func basket(list []fruit, narrow int) Content {
	columns := []Column{
		{Title: "fruit", Text: func(row int) string { return list[row].name }},
		{Title: "kg", About: "weight", Unit: "kg", Format: func(v float64) string { return fmt.Sprintf("%v kg", v) },
			Number: func(row int) (float64, bool) { return list[row].kg, list[row].kg >= 0 }},
		{Title: "change", Size: true, Format: func(v float64) string { return fmt.Sprint(v) },
			Number: func(row int) (float64, bool) { return list[row].change, true }},
	}
	for k := range narrow {
		columns = append(columns, Column{Title: fmt.Sprint("more ", k), Text: func(int) string { return "text" }})
	}
	return Content{Len: len(list), Of: "fruits", Verb: "Eat", Columns: columns, Order: 2}
}

// market shows a table in a window, and notes what is chosen.
type market struct {
	*bench
	table  Table
	chosen []string
}

func newMarket(t *testing.T, list []fruit, width, more int) *market {
	m := &market{}
	k := New()
	m.table.Show("a", func() Content { return basket(list, more) })
	m.bench = show(t, k, func(gtx layout.Context) layout.Dimensions {
		gtx.Constraints = layout.Exact(image.Pt(width, 240))
		if row, ok := m.table.Update(gtx); ok {
			m.chosen = append(m.chosen, list[row].name)
		}
		return m.table.Layout(k, gtx, nil)
	})
	return m
}

// names returns what is listed.
func (m *market) names() (names []string) {
	for _, row := range m.table.Listed() {
		names = append(names, m.table.Title(row))
	}
	return names
}

func (m *market) lists(t *testing.T, after string, want ...string) {
	t.Helper()
	if got := m.names(); !slices.Equal(got, want) {
		t.Errorf("%s: it lists %q, want %q", after, got, want)
	}
}

func TestTableSortsByHeads(t *testing.T) {
	m := newMarket(t, fruits, 400, 0)
	m.lists(t, "at first, by magnitude", "quince", "fig", "pear", "Apple", "plum")
	m.Click("Sort by change")
	m.lists(t, "turned round", "plum", "Apple", "pear", "fig", "quince")
	m.Click("Sort by weight")
	m.lists(t, "by weight, unknown last", "Apple", "pear", "quince", "plum", "fig")
	m.Click("Sort by weight")
	m.lists(t, "turned round, unknown still last", "plum", "pear", "quince", "Apple", "fig")
	m.Click("Sort by fruit")
	m.lists(t, "by name", "Apple", "fig", "pear", "plum", "quince")
	if !m.table.Rising() {
		t.Error("the arrow does not say that names rise")
	}
	m.table.Show("b", func() Content { return basket(fruits[:3], 0) })
	m.lists(t, "another content", "Apple", "fig", "pear")
}

func TestTableIsFilteredAndWalked(t *testing.T) {
	m := newMarket(t, fruits, 400, 0)
	m.Write("Filter fruits", " P")
	m.lists(t, "filtered", "pear", "Apple", "plum")
	m.Press(key.NameDownArrow, 0) // from the field to the rows
	if m.table.Cursor() != 0 {
		t.Fatalf("the cursor is on %d", m.table.Cursor())
	}
	for _, c := range []struct {
		key  key.Name
		want string
	}{{key.NameDownArrow, "Apple"}, {key.NameEnd, "plum"}, {key.NameDownArrow, "plum"},
		{key.NameUpArrow, "Apple"}, {key.NameHome, "pear"}, {key.NamePageDown, "plum"},
		{key.NamePageUp, "pear"}} {
		if m.Press(c.key, 0); m.table.Title(m.table.Cursor()) != c.want {
			t.Errorf("%s goes to %s, want %s", c.key, m.table.Title(m.table.Cursor()), c.want)
		}
	}
	m.Press(key.NameReturn, 0)
	m.Click("Eat plum")
	if want := []string{"pear", "plum"}; !slices.Equal(m.chosen, want) {
		t.Errorf("%q are chosen, want %q", m.chosen, want)
	}
	m.Write("Filter fruits", "zz")
	if m.lists(t, "nothing"); m.table.Text(TSV, true) != "" || m.table.Step(1) != -1 {
		t.Error("there is a row, though none is listed")
	}
}

// TestRowsMayStayLast: such rows are below all others in every order, and the filter looks where the
// content says.
func TestRowsMayStayLast(t *testing.T) {
	m := newMarket(t, fruits, 400, 0)
	m.table.Show("b", func() Content {
		c := basket(fruits, 0)
		c.Last = func(row int) bool { return fruits[row].name == "quince" }
		c.Search = func(row int) string { return fmt.Sprint("Weighs ", fruits[row].kg) }
		c.Mark = func(k *Kit, row int) (color.NRGBA, bool) { return k.Pal.A, row > 0 }
		return c
	})
	m.lists(t, "by magnitude", "fig", "pear", "Apple", "plum", "quince")
	m.Click("Sort by change")
	m.lists(t, "turned round", "plum", "Apple", "pear", "fig", "quince")
	m.Write("Filter fruits", "weighs 3")
	m.lists(t, "filtered", "pear", "quince")
}

func TestTableIsCopied(t *testing.T) {
	list := append(slices.Clone(fruits[1:3]), fruit{"=1+1|x\ty", 2, 0})
	m := newMarket(t, list, 400, 0)
	m.Click("Sort by weight")
	m.Click("Eat Apple")
	for _, c := range []struct {
		f     TextFormat
		whole bool
		want  string
	}{
		{TSV, false, "Apple\t12345\t1\n"},
		{TSV, true, "fruit\tweight (kg)\tchange\nApple\t12345\t1\n'=1+1|x\\x09y\t2\t0\nfig\t\t5\n"},
		{Markdown, false, "| fruit | weight | change |\n| --- | ---: | ---: |\n| Apple | 12345 kg | 1 |\n"},
	} {
		if got := m.table.Text(c.f, c.whole); got != c.want {
			t.Errorf("%v, whole %v: %q, want %q", c.f, c.whole, got, c.want)
		}
	}
	if got := m.table.Text(Markdown, true); !strings.Contains(got, `| =1+1\|x`) {
		t.Errorf("a bar falls apart: %s", got)
	}
}

// TestColumnsAreShownWhole holds that a narrow table shows fewer columns, each with room for its
// texts, and that all can be reached.
func TestColumnsAreShownWhole(t *testing.T) {
	m := newMarket(t, fruits, 260, 6)
	if m.table.fitting >= 8 || m.table.fitting < 1 {
		t.Fatalf("%d columns fit", m.table.fitting)
	}
	seen := map[int]bool{}
	for range 20 {
		right := 0
		m.table.cells(10, 248, func(i, from, to int) {
			if seen[i] = true; i > 0 && to-from < m.table.widths[i] || from < 0 || to > 248 {
				t.Errorf("column %d lies from %d to %d and needs %d", i, from, to, m.table.widths[i])
			}
			right = max(right, to)
		})
		before := m.table.first
		if m.Click("Further columns"); m.table.first == before {
			break
		}
	}
	if len(seen) != 9 {
		t.Errorf("of 9 columns it shows %v", seen)
	}
	m.Click("Columns before")
	m.Click("Eat fig")
	first := m.table.first
	m.Press(key.NameRightArrow, 0)
	m.Press(key.NameLeftArrow, 0)
	if m.table.first != first {
		t.Errorf("Right and Left lead from column %d to %d", first, m.table.first)
	}
}

// TestColumnsLeaveRoomBeside: which columns are shown is told in fewer words, or not at all, where
// the controls beside it need the room.
func TestColumnsLeaveRoomBeside(t *testing.T) {
	k, names := New(), []string{"threads", "roles", "totals"}
	var table Table
	var kinds [3]widget.Clickable
	table.Show("a", func() Content { return basket(fruits, 6) })
	wide := show(t, k, func(gtx layout.Context) layout.Dimensions {
		gtx.Constraints = layout.Exact(image.Pt(220, 240))
		return table.Layout(k, gtx, func(gtx layout.Context) layout.Dimensions {
			return layout.Flex{}.Layout(gtx, Wide(func(gtx layout.Context) layout.Dimensions {
				return k.Label(gtx, "9 functions on main", k.Text())
			}))
		})
	})
	if !slices.Contains(wide.Labels(), "1–1 of 8 columns") {
		t.Errorf("beside a text it says %q", wide.Labels())
	}
	for width, told := range map[int]string{400: "1–4 of 8 columns", 270: "1–2 of 8", 220: ""} {
		b := show(t, k, func(gtx layout.Context) layout.Dimensions {
			gtx.Constraints = layout.Exact(image.Pt(width, 240))
			table.Update(gtx)
			return table.Layout(k, gtx, func(gtx layout.Context) layout.Dimensions {
				return k.Segments(gtx, kinds[:], names, names, 0)
			})
		})
		for _, cut := range k.Cuts() {
			if slices.Contains(names, cut.Text) || strings.Contains(cut.Text, " of ") {
				t.Errorf("%d px wide: %q is cut after %d letters", width, cut.Text, cut.Shown)
			}
		}
		if got := slices.ContainsFunc(b.Labels(), func(l string) bool { return l == told }); told != "" && !got {
			t.Errorf("%d px wide: it says %q, not %q", width, b.Labels(), told)
		}
	}
}

// TestCursorStaysOnItsRow: new contents leave the cursor on the row of the same title.
func TestCursorStaysOnItsRow(t *testing.T) {
	m := newMarket(t, fruits, 400, 0)
	m.Click("Eat quince")
	m.table.Show("b", func() Content { return basket(fruits[2:], 0) })
	if at := m.table.Cursor(); at != 2 {
		t.Errorf("the cursor is on %d", at)
	}
	m.table.Show("c", func() Content { return basket(fruits[:2], 0) })
	if at := m.table.Cursor(); at != -1 {
		t.Errorf("of a row that is gone the cursor is on %d", at)
	}
}

// TestTableSortsLikeAPlainSort holds the order against a plain comparison of all neighbours.
func TestTableSortsLikeAPlainSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []fruit
		for k := range rapid.IntRange(0, 9).Draw(t, "rows") {
			list = append(list, fruit{fmt.Sprint("f", k), rapid.Float64Range(-1, 3).Draw(t, "kg"),
				float64(rapid.IntRange(-2, 2).Draw(t, "change"))})
		}
		var x Table
		x.Show(1, func() Content { return basket(list, 0) })
		x.SortBy(rapid.IntRange(0, 2).Draw(t, "column"))
		if rapid.Bool().Draw(t, "turned") {
			x.SortBy(x.order)
		}
		c := &x.content.Columns[x.order]
		for k := 1; k < len(x.shown); k++ {
			a, b := x.shown[k-1], x.shown[k]
			if c.Number == nil {
				if (cmp.Compare(list[a].name, list[b].name) > 0) == x.Rising() {
					t.Fatalf("%v", x.shown)
				}
				continue
			}
			u, v := c.key(a), c.key(b)
			if !u.ok && v.ok || u.ok && v.ok && u.v != v.v && (u.v > v.v) == x.Rising() {
				t.Fatalf("%v by column %d: %v before %v", x.shown, x.order, u, v)
			}
		}
	})
}

// TestHiddenRowsAreNotMissing: a table of which all rows are left out does not say that there are none.
func TestHiddenRowsAreNotMissing(t *testing.T) {
	m := newMarket(t, fruits, 400, 0)
	for hidden, want := range map[bool]string{true: "None of the fruits is among what is asked for.",
		false: "There are no fruits."} {
		m.table.Show(want, func() Content {
			c := basket(fruits, 0)
			if c.Hidden = func(int) bool { return hidden }; !hidden {
				c.Len = 0
			}
			return c
		})
		m.Show()
		if !slices.Contains(m.Labels(), want) {
			t.Errorf("it says %q, want %q", m.Labels(), want)
		}
	}
}
