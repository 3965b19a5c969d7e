package jsonin

// Cursor reads values that stand in a window, for loaders that know how their writers put things:
// see Reader.Window. Before each token there may be white space. After a failure of a value it
// stands at its end, where nothing is read; then the loader leaves it all to the Reader.
type Cursor struct {
	B []byte
	I int
}

// fail returns false.
func (c *Cursor) fail() bool {
	c.I = len(c.B)
	return false
}

// Is reports whether a byte is next but for white space, and passes over it.
func (c *Cursor) Is(what byte) bool {
	if c.Next() != what {
		return false
	}
	c.I++
	return true
}

// Next returns the byte that is next but for white space, 0 at the end.
func (c *Cursor) Next() byte {
	if c.I < len(c.B) && c.B[c.I] > ' ' {
		return c.B[c.I]
	}
	if c.I = SkipSpace(c.B, c.I); c.I < len(c.B) {
		return c.B[c.I]
	}
	return 0
}

// Text takes a string and returns what is between its quotes.
func (c *Cursor) Text() (raw []byte, ok bool) {
	if !c.Is('"') {
		return nil, c.fail()
	}
	end := StringEnd(c.B, c.I)
	if end < 0 {
		return nil, c.fail()
	}
	raw = c.B[c.I:end]
	c.I = end + 1
	return raw, true
}

// Name takes the name of a member and the colon after it. A name with an escape is none, and
// neither is one that is missing.
func (c *Cursor) Name() []byte {
	if !c.Is('"') {
		return nil
	}
	from := c.I
	for i := from; i < len(c.B); i++ {
		switch c.B[i] {
		case '"':
			if c.I = i + 1; c.Is(':') {
				return c.B[from:i]
			}
			return nil
		case '\\':
			return nil
		}
	}
	return nil
}

// Whole takes a number of few digits without a fraction.
func (c *Cursor) Whole() (n int64, ok bool) {
	const digits = 9
	minus := c.Next() == '-'
	i := c.I
	if minus {
		i++
	}
	from := i
	for ; i < len(c.B) && c.B[i]-'0' <= 9; i++ {
		n = 10*n + int64(c.B[i]-'0')
	}
	if i == from || i-from > digits || i == len(c.B) || Bare[c.B[i]] {
		return 0, c.fail()
	}
	if c.I = i; minus {
		n = -n
	}
	return n, true
}

// Pass passes over a text, a number or a word.
func (c *Cursor) Pass() bool {
	if c.Next() == '"' {
		_, ok := c.Text()
		return ok
	}
	from := c.I
	c.I = WordEnd(c.B, c.I)
	return c.I > from
}

// Decimal takes a number of few digits that may have a fraction.
func (c *Cursor) Decimal() (f float64, ok bool) {
	c.Next()
	f, n := leadingDecimal(c.B[c.I:])
	if n == 0 {
		return 0, c.fail()
	}
	c.I += n
	return f, true
}
