package cpuprofile

import "diptych/internal/traceio/jsonin"

// Most of a file are nodes, and a call frame is there once for each stack that leads to the
// function:
//
//	{"id":7,"callFrame":{"functionName":"f","scriptId":"3","url":"file:///a.js","lineNumber":9,
//	 "columnNumber":2},"hitCount":1,"children":[8,9],"positionTicks":[{"line":12,"ticks":1}]}
//
// A node that stands whole in the window and holds no more than this, in any order, is taken from
// there, and of a frame that was met before only the end is sought. That is several times faster
// than to ask for each member. All else goes the usual way: escapes in names of members,
// values of other types, members that are objects, what the window cuts off.

// passTicks passes over a list of objects that hold words and numbers alone.
func passTicks(c *jsonin.Cursor) bool {
	if !c.Is('[') {
		return false
	}
	inside := false // an object
	for ; c.I < len(c.B); c.I++ {
		switch what := c.B[c.I]; {
		case jsonin.Bare[what], what == ',', what == ':', what <= ' ':
		case what == '{' && !inside, what == '}' && inside:
			inside = !inside
		case what == ']':
			c.I++
			return !inside
		case what != '"' || c.Name() == nil:
			return false
		default:
			c.I-- // the colon is passed over
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
	c := jsonin.Cursor{B: r.Window()}
	n := node{parent: -1, frame: -1}
	ok := c.Is('{')
	for ok {
		if ok = p.usualMember(&c, &n, at); ok && !c.Is(',') {
			break
		}
	}
	if !ok || !c.Is('}') {
		p.ids, p.calls = p.ids[:ids], p.calls[:calls]
		return false
	}
	if n.frame < 0 {
		n.frame = p.frames.find(frame{})
	}
	p.nodes = append(p.nodes, n)
	r.Take(c.I)
	return true
}

// usualMember reads a member of the node with an index.
func (p *profile) usualMember(c *jsonin.Cursor, n *node, at int32) bool {
	var other int64
	name := c.Name()
	ok := name != nil
	switch string(name) {
	case "id":
		if other, ok = c.Whole(); ok {
			p.ids = append(p.ids, identity{int32(other), at})
		}
	case "callFrame":
		if n.frame >= 0 {
			return false // the members of several are those of one
		}
		n.frame, ok = p.usualFrame(c)
	case "hitCount":
		n.hits, ok = c.Whole()
	case "parent":
		if other, ok = c.Whole(); ok {
			p.addCall(at, int32(other), true)
		}
	case "children":
		ok = p.usualChildren(c, at)
	case "positionTicks":
		ok = passTicks(c)
	case "functionName", "url", "lineNumber":
		return false
	default:
		ok = ok && c.Pass()
	}
	return ok
}

func (p *profile) usualChildren(c *jsonin.Cursor, at int32) bool {
	if !c.Is('[') {
		return false
	}
	if c.Is(']') {
		return true
	}
	for {
		id, ok := c.Whole()
		if !ok {
			return false
		}
		p.addCall(at, int32(id), false)
		if !c.Is(',') {
			return c.Is(']')
		}
	}
}

// usualFrame reads a frame, and returns its index.
func (p *profile) usualFrame(c *jsonin.Cursor) (index int32, ok bool) {
	if !c.Is('{') {
		return 0, false
	}
	b, from := c.B, c.I
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
	c.I = i + 1
	text := b[from:c.I]
	if index, ok = p.frames.byText[string(text)]; ok {
		p.frames.met++
		return index, true
	}
	f, ok := usualFrameText(text)
	if !ok {
		return 0, false
	}
	index = p.frames.add(f)
	if p.frames.repeat() {
		p.frames.byText[string(text)] = index
		p.frames.text += frameBytes + len(text)
	}
	return index, true
}

// usualFrameText reads the members of a frame, with the bracket that ends them.
func usualFrameText(text []byte) (f frame, ok bool) {
	c := jsonin.Cursor{B: text}
	for {
		var raw []byte
		var line int64
		name := c.Name()
		ok = name != nil
		switch string(name) {
		case "functionName":
			if raw, ok = c.Text(); ok {
				f.name = jsonin.Text(raw)
			}
		case "url":
			if raw, ok = c.Text(); ok {
				f.url = jsonin.Text(raw)
			}
		case "lineNumber":
			if line, ok = c.Whole(); ok {
				f.setLine(line, false)
			}
		default:
			ok = ok && c.Pass()
		}
		if !ok || !c.Is(',') {
			return f, ok && c.Is('}')
		}
	}
}
