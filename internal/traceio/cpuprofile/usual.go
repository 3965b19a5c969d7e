package cpuprofile

import "diptych/internal/traceio/jsonin"

// Most of a file are nodes without white space, and a call frame is there once for each stack that
// leads to the function:
//
//	{"id":7,"callFrame":{"functionName":"f","scriptId":"3","url":"file:///a.js","lineNumber":9,
//	 "columnNumber":2},"hitCount":1,"children":[8,9],"positionTicks":[{"line":12,"ticks":1}]}
//
// A node that stands whole in the window and holds no more than this, in any order, is taken from
// there, and of a frame that was met before only the end is sought. That is several times faster
// than to ask for each member. All else goes the usual way: white space, escapes in names of
// members, values of other types, members that are objects, what the window cuts off.

// cursor reads values that stand in the window. After a failure it stands at its end, where no
// value is read.
type cursor struct {
	b []byte
	i int
}

// fail returns false.
func (c *cursor) fail() bool {
	c.i = len(c.b)
	return false
}

// is reports whether a byte is next, and passes over it.
func (c *cursor) is(what byte) bool {
	if c.i < len(c.b) && c.b[c.i] == what {
		c.i++
		return true
	}
	return false
}

// text takes a string and returns what is between its quotes.
func (c *cursor) text() (raw []byte, ok bool) {
	if !c.is('"') {
		return nil, c.fail()
	}
	end := jsonin.StringEnd(c.b, c.i)
	if end < 0 {
		return nil, c.fail()
	}
	raw = c.b[c.i:end]
	c.i = end + 1
	return raw, true
}

// name takes the name of a member and the colon after it. A name with an escape is none, and
// neither is one that is missing.
func (c *cursor) name() []byte {
	if !c.is('"') {
		return nil
	}
	from := c.i
	for i := from; i < len(c.b); i++ {
		switch c.b[i] {
		case '"':
			if c.i = i + 1; c.is(':') {
				return c.b[from:i]
			}
			return nil
		case '\\':
			return nil
		}
	}
	return nil
}

// whole takes a number of few digits without a fraction.
func (c *cursor) whole() (n int64, ok bool) {
	const digits = 9
	i := c.i
	minus := i < len(c.b) && c.b[i] == '-'
	if minus {
		i++
	}
	from := i
	for ; i < len(c.b) && c.b[i]-'0' <= 9; i++ {
		n = 10*n + int64(c.b[i]-'0')
	}
	if i == from || i-from > digits || i == len(c.b) || jsonin.Bare[c.b[i]] {
		return 0, c.fail()
	}
	if c.i = i; minus {
		n = -n
	}
	return n, true
}

// pass passes over a text, a number or a word.
func (c *cursor) pass() bool {
	if c.i < len(c.b) && c.b[c.i] == '"' {
		_, ok := c.text()
		return ok
	}
	from := c.i
	c.i = jsonin.WordEnd(c.b, c.i)
	return c.i > from
}

// passTicks passes over a list of objects that hold words and numbers alone.
func (c *cursor) passTicks() bool {
	if !c.is('[') {
		return false
	}
	inside := false // an object
	for ; c.i < len(c.b); c.i++ {
		switch what := c.b[c.i]; {
		case jsonin.Bare[what], what == ',', what == ':':
		case what == '{' && !inside, what == '}' && inside:
			inside = !inside
		case what == ']':
			c.i++
			return !inside
		case what != '"' || c.name() == nil:
			return false
		default:
			c.i-- // the colon is passed over
		}
	}
	return false
}

// usualNode reads a node if it stands in the window as V8 writes it.
func (p *profile) usualNode(r *jsonin.Reader) bool {
	if p.nested {
		return false
	}
	at, ids, calls := int32(len(p.nodes)), len(p.ids), len(p.calls)
	c := cursor{b: r.Window()}
	n := node{parent: -1, frame: -1}
	ok := c.is('{')
	for ok {
		if ok = p.usualMember(&c, &n, at); ok && !c.is(',') {
			break
		}
	}
	if !ok || !c.is('}') {
		p.ids, p.calls = p.ids[:ids], p.calls[:calls]
		return false
	}
	if n.frame < 0 {
		n.frame = p.frames.add(frame{})
	}
	p.nodes = append(p.nodes, n)
	r.Take(c.i)
	return true
}

// usualMember reads a member of the node with an index.
func (p *profile) usualMember(c *cursor, n *node, at int32) bool {
	var other int64
	name := c.name()
	ok := name != nil
	switch string(name) {
	case "id":
		if other, ok = c.whole(); ok {
			p.ids = append(p.ids, identity{int32(other), at})
		}
	case "callFrame":
		if n.frame >= 0 {
			return false // the members of several are those of one
		}
		n.frame, ok = p.usualFrame(c)
	case "hitCount":
		n.hits, ok = c.whole()
	case "parent":
		if other, ok = c.whole(); ok {
			p.addCall(at, int32(other), true)
		}
	case "children":
		ok = p.usualChildren(c, at)
	case "positionTicks":
		ok = c.passTicks()
	case "functionName", "url", "lineNumber":
		return false
	default:
		ok = ok && c.pass()
	}
	return ok
}

func (p *profile) usualChildren(c *cursor, at int32) bool {
	if !c.is('[') {
		return false
	}
	if c.is(']') {
		return true
	}
	for {
		id, ok := c.whole()
		if !ok {
			return false
		}
		p.addCall(at, int32(id), false)
		if !c.is(',') {
			return c.is(']')
		}
	}
}

// usualFrame reads a frame, and returns its index.
func (p *profile) usualFrame(c *cursor) (index int32, ok bool) {
	if !c.is('{') {
		return 0, false
	}
	b, from := c.b, c.i
	i := from
	for i < len(b) && b[i] != '}' {
		switch b[i] {
		case '"':
			end := jsonin.StringEnd(b, i+1)
			if end < 0 {
				return 0, false
			}
			i = end
		case '{', '[':
			return 0, false
		}
		i++
	}
	if i >= len(b) {
		return 0, false
	}
	c.i = i + 1
	text := b[from:c.i]
	if index, ok = p.frames.byText[string(text)]; ok {
		return index, true
	}
	f, ok := usualFrameText(text)
	if !ok {
		return 0, false
	}
	index = p.frames.add(f)
	p.frames.byText[string(text)] = index
	return index, true
}

// usualFrameText reads the members of a frame, with the bracket that ends them.
func usualFrameText(text []byte) (f frame, ok bool) {
	c := cursor{b: text}
	for {
		var raw []byte
		var line int64
		name := c.name()
		ok = name != nil
		switch string(name) {
		case "functionName":
			if raw, ok = c.text(); ok {
				f.name = jsonin.Text(raw)
			}
		case "url":
			if raw, ok = c.text(); ok {
				f.url = jsonin.Text(raw)
			}
		case "lineNumber":
			if line, ok = c.whole(); ok {
				f.setLine(line, false)
			}
		default:
			ok = ok && c.pass()
		}
		if !ok || !c.is(',') {
			return f, ok && c.is('}')
		}
	}
}
