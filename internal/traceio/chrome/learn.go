package chrome

import (
	"bytes"

	"diptych/internal/traceio/jsonin"
)

// Bounds of what is learned. A file may have a new shape in each event: then a parser forgets all
// shapes from time to time, which costs little beside reading such events.
const (
	longestText  = 256
	mostNodes    = 1 << 10
	mostSiblings = 24
	enoughMissed = 1 << 8 // before all is forgotten
)

// miss notes an object whose shape is not known, and reports whether to learn it.
func (s *shapes) miss() bool {
	if s.missed++; s.refused && s.missed >= enoughMissed {
		*s = shapes{}
	}
	return !s.refused
}

// few reports whether a process is one of those that nodes' texts have, or becomes one.
func (s *shapes) few(pid uint64) bool {
	for k := range s.pids {
		if s.pids[k] == 0 {
			s.pids[k] = pid
		}
		if s.pids[k] == pid {
			return true
		}
	}
	return false
}

// learner adds a shape to the tree, node by node.
type learner struct {
	*shapes
	link  **node // where the next node belongs
	from  int    // where its text begins
	tight []byte // which is this without white space, or nil if that is not asked for
	fixed        // what it says itself, at offsets of the block
}

// add adds a node for the text of b up to the given end. It returns false if there is no place. A
// text comes before those that it begins with, so that what stands for less is looked for first:
// `"pid":7,"tid":` before `"pid":` and a process, and `{"a":"` before `{"a":` and a word.
func (l *learner) add(b []byte, end int, h hole, f field) bool {
	text, tight := b[l.from:end], l.tight
	l.tight = l.tight[:0]
	siblings, before := 0, (**node)(nil)
	for ; *l.link != nil; l.link = &(*l.link).other {
		n := *l.link
		if n.hole == h && n.field == f && bytes.Equal(n.text, text) {
			l.link, l.fixed = &n.next, fixed{}
			return true
		}
		if before == nil && bytes.HasPrefix(text, n.text) {
			before = l.link
		}
		siblings++
	}
	if siblings == mostSiblings || l.nodes == mostNodes || len(text) > longestText {
		l.refused = true
		return false
	}
	if before == nil {
		before = l.link
	}
	n := newNode(text, h, f)
	if l.fixed != (fixed{}) {
		n.fixed, n.fixes, l.fixed = l.fixed, true, fixed{}
		n.phaseAt, n.pidAt = uint32(end)-n.phaseAt, uint32(end)-n.pidAt
	}
	if tight != nil && len(tight) < len(text) {
		n.tight, n.gaps = bytes.Clone(tight), true
	}
	n.other, *before = *before, n
	l.link = &n.next
	l.nodes++
	return true
}

func newNode(text []byte, h hole, f field) *node {
	n := &node{hole: h, field: f, len: len(text), text: bytes.Clone(text),
		long: len(text) > len(node{}.word)*8}
	for k := range n.word {
		var w [8]byte
		m := copy(w[:], text[min(8*k, len(text)):])
		n.word[k], n.mask[k] = eightAt(w[:], 0), 1<<(8*m)-1
	}
	return n
}

// learnEvent learns the shape of the event b[i:end], which the scanner found to be well-formed, up
// to a member that is unusual.
func (s *shapes) learnEvent(scan *scanner, b []byte, i, end int) {
	l := learner{shapes: s, link: &s.first, from: i}
	for i = jsonin.SkipSpace(b, i+1); b[i] == '"'; i = jsonin.SkipSpace(b, i) {
		from := i + 1
		to, next, _ := scan.key(b, i)
		name := b[from:to]
		if bytes.IndexByte(name, '\\') >= 0 {
			return // another way to write a name
		}
		i = jsonin.SkipSpace(b, next)
		after, _ := scan.value(b, i)
		if f := fields[string(name)]; !l.fixPhase(b, i, after, f) && !l.fixProcess(b, i, f) &&
			!l.member(b, i, after, f) {
			return
		}
		if i = jsonin.SkipSpace(b, after); b[i] == ',' {
			i++
		}
	}
	l.add(b, end, noHole, noField)
}

// fixPhase makes the value b[i:end] part of the text if it is the phase.
func (l *learner) fixPhase(b []byte, i, end int, f field) bool {
	if f != phField || l.phase != 0 || end-i != 3 || b[i] != '"' {
		return false
	}
	l.phase, l.phaseAt = b[i+1], uint32(i+1)
	return true
}

// fixProcess makes the value at i part of the text if it is the process, and there are few.
func (l *learner) fixProcess(b []byte, i int, f field) bool {
	if f != pidField || l.pidLen != 0 || i+8 > len(b) {
		return false
	}
	pid, end := quickID(b, i)
	if end == 0 || !l.few(pid) {
		return false
	}
	l.pid, l.pidAt, l.pidLen = pid, uint32(i), uint8(end-i)
	return true
}

// member adds the text before the value b[i:end] of a member, and begins the next one behind it. It
// returns false if that cannot be learned.
func (l *learner) member(b []byte, i, end int, f field) bool {
	h := usualHole(b, i, f)
	switch h {
	case noHole:
		return false
	case textHole, nameHole:
		i, end = i+1, end-1
	}
	ok := l.add(b, i, h, f)
	l.from = end
	return ok
}

// usualHole returns what a member's value at i is, noHole if that is unusual.
func usualHole(b []byte, i int, f field) hole {
	switch f {
	case noField, id2Field:
		return innerHole
	case argsField:
		if b[i] == '{' {
			return argsHole
		}
		return noHole
	case flowInField, flowOutField:
		if jsonin.Bare[b[i]] {
			return wordHole
		}
		return noHole
	}
	switch {
	case b[i] == '"' && f == nameField:
		return nameHole
	case b[i] == '"':
		return textHole
	case b[i]-'0' > 9 && b[i] != '-': // it may be null
		return noHole
	}
	switch f {
	case tsField:
		return startHole
	case durField:
		return lengthHole
	case pidField:
		return processHole
	case tidField:
		return threadHole
	}
	return numberHole
}

// learnValue learns the shape of the value b[i:end], which is well-formed. A string before a colon
// is a name and belongs to the shape, any other is a value.
func (s *shapes) learnValue(b []byte, i, end int) {
	l := learner{shapes: s, link: &s.first, from: i, tight: []byte{}}
	for i < end {
		switch c := b[i]; {
		case c == '"':
			after := jsonin.StringEnd(b, i+1) + 1
			if k := jsonin.SkipSpace(b, after); k < end && b[k] == ':' {
				l.tight = append(l.tight, b[i:after]...)
				i = after
				break
			}
			l.tight = append(l.tight, '"')
			if !l.add(b, i+1, textHole, noField) {
				return
			}
			l.tight = append(l.tight, '"')
			l.from, i = after-1, after
		case jsonin.Bare[c]:
			if !l.add(b, i, wordHole, noField) {
				return
			}
			i = jsonin.WordEnd(b, i)
			l.from = i
		default:
			if c > ' ' {
				l.tight = append(l.tight, c)
			}
			i++
		}
	}
	l.add(b, end, noHole, noField)
}
