package kit

import (
	"gioui.org/layout"
	"gioui.org/widget"
)

// Clicks are the clickable rows of a long list, each by the key of what it stands for. They cost as
// much as the rows that are visible: only rows that the last frame laid out can have been clicked,
// and only those are kept.
type Clicks[K comparable] struct {
	rows map[K]*widget.Clickable // laid out since Clicked was asked last
	was  map[K]*widget.Clickable // laid out before that
	laid []K                     // the keys of rows, in the order in which they were laid out
}

// Row returns what the row of a key is laid out with.
func (c *Clicks[K]) Row(key K) *widget.Clickable {
	if row := c.rows[key]; row != nil {
		return row
	}
	row := c.was[key]
	if row == nil {
		row = &widget.Clickable{}
	}
	if c.rows == nil {
		c.rows = map[K]*widget.Clickable{}
	}
	c.rows[key] = row
	c.laid = append(c.laid, key)
	return row
}

// Clicked returns the key of the row that was clicked. Ask it once a frame, before the rows are
// laid out.
func (c *Clicks[K]) Clicked(gtx layout.Context) (key K, clicked bool) {
	for _, k := range c.laid {
		if c.rows[k].Clicked(gtx) {
			key, clicked = k, true
		}
	}
	c.was, c.rows, c.laid = c.rows, c.was, c.laid[:0]
	clear(c.rows)
	return key, clicked
}

// Hovered returns the key of the row under the pointer. Ask it after the rows have been laid out.
func (c *Clicks[K]) Hovered() (key K, hovered bool) {
	for _, k := range c.laid {
		if c.rows[k].Hovered() {
			return k, true
		}
	}
	return key, false
}

// Forget drops all rows, when the keys stand for something else from now on.
func (c *Clicks[K]) Forget() { *c = Clicks[K]{} }
