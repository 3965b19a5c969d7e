package ctf

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A type says how bytes are read, but not what its references to other fields mean: that depends on
// where it is used. So before a scope (a header, a context, the fields of an event) is first read,
// its type becomes a tree of nodes, in which each reference points at the node that has the value,
// and each value has a slot of its own.

// node is a field in its place.
type node struct {
	*typ
	name   string
	big    bool
	slot   int32   // where a value is kept
	kids   []*node // fields of a structure, options of a variant
	item   *node   // of an array or a sequence
	chars  bool    // an array or sequence that is kept as a text
	ref    *node   // the field that a variant or a sequence refers to
	choice []int   // by range of the tag: which option it chooses, or −1
	clock  *clock  // that a number is a value of
	isID   bool    // it tells which event follows

	referred bool // another field refers to it
}

// layout is all scopes around the events of a stream class.
type layout struct {
	*builder
	context, header, common *node // nil for what is not there
	stamps                  stamps
	most                    int32 // slots, with those of the largest event
	heading, around         plan  // of header and common
	shapes                  shapes
}

// stamps are the fields of a packet's context that are read here; any may be nil.
type stamps struct {
	begin, end, content, size, discarded, sequence, cpu *node
}

// body is the scopes that belong to an event class.
type body struct {
	context, fields *node
	err             error // why it cannot be read
	act             *action
	plan            plan // of both
}

// roots are the names of scopes in references, by the order in which relative references look into
// them: the innermost first.
var roots = []string{"event.fields.", "event.context.", "stream.event.context.", "stream.event.header.",
	"stream.packet.context.", "trace.packet.header."}

// builder makes nodes of types.
type builder struct {
	meta   *metadata
	scopes map[string]*node // by root
	root   string           // that is being made
	path   []*node          // the structures around the present field
	slots  int32
	left   *int // how many more nodes there may be
}

// errTooMany says that types hold one another in such a way that they have very many fields.
var errTooMany = errors.New("the types have too many fields")

// scope makes the nodes of a scope.
func (b *builder) scope(root string, t *typ) (*node, error) {
	if t == nil {
		return nil, nil
	}
	b.root, b.path = root, nil
	n, err := b.node("", t)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", strings.TrimSuffix(root, "."), err)
	}
	b.scopes[root] = n
	return n, nil
}

func (b *builder) node(name string, t *typ) (*node, error) {
	if *b.left--; *b.left < 0 {
		return nil, errTooMany
	}
	n := &node{typ: t, name: name, slot: b.slots, chars: t.chars() || bytesOf(t)}
	n.big = t.order == big || t.order == native && b.meta.order == big
	b.slots++
	var err error
	switch t.kind {
	case integer, enum:
		n.clock = b.clock(t.clock)
	case structure:
		err = b.fields(n)
	case variant:
		err = b.options(n)
	case sequence:
		if n.ref = b.find(t.counted); n.ref == nil || n.ref.kind != integer && n.ref.kind != enum {
			return nil, fmt.Errorf("%q: there is no length %q", name, t.counted)
		}
		n.ref.referred = true
		fallthrough
	case array:
		if !n.chars {
			n.item, err = b.node(name, t.of)
		}
	}
	return n, err
}

// bytesOf reports whether a type is an array of bytes, such as a UUID.
func bytesOf(t *typ) bool {
	return (t.kind == array || t.kind == sequence) && t.of.kind == integer && t.of.size == 8 && t.of.align == 8
}

func (b *builder) clock(name string) *clock {
	if name == "" {
		return nil
	}
	return b.meta.clocks[name]
}

// fields makes the nodes of a structure's fields. References see those before them.
func (b *builder) fields(n *node) error {
	b.path = append(b.path, n)
	defer func() { b.path = b.path[:len(b.path)-1] }()
	for _, m := range n.members {
		kid, err := b.node(m.name, m.typ)
		if err != nil {
			return err
		}
		n.kids = append(n.kids, kid)
	}
	return nil
}

// options makes the nodes of a variant's options.
func (b *builder) options(n *node) error {
	n.ref = b.find(n.tag)
	if n.ref == nil || n.ref.kind != enum {
		return fmt.Errorf("%q: there is no enum %q to choose by", n.name, n.tag)
	}
	n.ref.referred = true
	at := map[string]int{}
	for i, m := range n.members {
		kid, err := b.node(m.name, m.typ)
		if err != nil {
			return err
		}
		n.kids = append(n.kids, kid)
		at[m.name] = i
	}
	for _, r := range n.ref.ranges {
		i, ok := at[r.label]
		if !ok {
			i = -1
		}
		n.choice = append(n.choice, i)
	}
	return nil
}

// find returns the field that a reference means, or nil: one of a scope that it names; else one of
// the structures around it, or of the scopes before, the innermost first.
func (b *builder) find(path string) *node {
	for _, root := range roots {
		rest, ok := strings.CutPrefix(path, root)
		switch {
		case ok && root == b.root && len(b.path) > 0:
			return b.path[0].descend(rest)
		case ok && b.scopes[root] != nil:
			return b.scopes[root].descend(rest)
		}
	}
	for i := len(b.path) - 1; i >= 0; i-- {
		if n := b.path[i].descend(path); n != nil {
			return n
		}
	}
	for _, root := range roots {
		if s := b.scopes[root]; s != nil {
			if n := s.descend(path); n != nil {
				return n
			}
		}
	}
	return nil
}

// descend returns the field of a structure that a dotted path leads to, or nil. It cannot tell
// which option of a variant is meant, and takes the first that has the field.
func (n *node) descend(path string) *node {
	name, rest, more := strings.Cut(path, ".")
	for _, k := range n.kids {
		if k.name != name && strings.TrimPrefix(k.name, "_") != strings.TrimPrefix(name, "_") {
			continue
		}
		if !more {
			return k
		}
		if found := k.descend(rest); found != nil {
			return found
		}
	}
	return nil
}

// isText reports whether a value is read as a text.
func (n *node) isText() bool { return n.kind == text || n.chars }

// named returns the direct field of that name, or nil. A tracer may have put an underscore before
// it, so that it is no word of C.
func (n *node) named(name string) *node {
	if n == nil {
		return nil
	}
	for _, k := range n.kids {
		if strings.TrimPrefix(k.name, "_") == name {
			return k
		}
	}
	return nil
}

// each visits a node and all below it.
func (n *node) each(visit func(*node)) {
	if n == nil {
		return
	}
	visit(n)
	for _, k := range n.kids {
		k.each(visit)
	}
	n.item.each(visit)
}

// layoutOf works out the scopes of a stream class.
func (m *metadata) layoutOf(s *streamClass, header *node, left *int) (*layout, error) {
	l := &layout{builder: &builder{meta: m, scopes: map[string]*node{}, left: left}}
	if header != nil {
		l.scopes["trace.packet.header."] = header
		header.each(func(n *node) { l.slots = max(l.slots, n.slot+1) })
	}
	var err error
	if l.context, err = l.scope("stream.packet.context.", s.context); err != nil {
		return nil, err
	}
	if l.header, err = l.scope("stream.event.header.", s.header); err != nil {
		return nil, err
	}
	if l.common, err = l.scope("stream.event.context.", s.common); err != nil {
		return nil, err
	}
	l.header.each(func(n *node) {
		if n.kind != integer && n.kind != enum {
			return
		}
		switch strings.TrimPrefix(n.name, "_") {
		case "id":
			n.isID = true
		case "timestamp":
			if n.clock == nil {
				n.clock = m.onlyClock()
			}
		}
	})
	l.stamps, l.most = l.findStamps(), l.slots
	return l, nil
}

func (l *layout) findStamps() stamps {
	number := func(name string) *node {
		if n := l.context.named(name); n != nil && (n.kind == integer || n.kind == enum) {
			return n
		}
		return nil
	}
	s := stamps{begin: number("timestamp_begin"), end: number("timestamp_end"),
		content: number("content_size"), size: number("packet_size"),
		discarded: number("events_discarded"), sequence: number("packet_seq_num"), cpu: number("cpu_id")}
	for _, n := range []*node{s.begin, s.end} {
		if n != nil && n.clock == nil {
			n.clock = l.meta.onlyClock()
		}
	}
	return s
}

// bodyOf works out the scopes of an event class.
func (l *layout) bodyOf(e *eventClass) *body {
	slots := l.slots
	delete(l.scopes, "event.context.")
	delete(l.scopes, "event.fields.")
	b := &body{}
	b.context, b.err = l.scope("event.context.", e.context)
	if b.err == nil {
		b.fields, b.err = l.scope("event.fields.", e.fields)
	}
	l.most = max(l.most, l.slots)
	l.slots = slots // the next event may use them again
	return b
}

// lay works out the layouts of all streams and events, and what becomes of the events. All is done
// before any stream is read, since streams are read at once and share it.
func (t *tracer) lay() {
	ids := slices.Sorted(maps.Keys(t.meta.streams))
	for _, id := range ids {
		s := t.meta.streams[id]
		s.layout, s.err = t.meta.layoutOf(s, t.header, &t.left)
	}
	for _, e := range t.meta.events {
		if s := t.meta.streams[e.stream]; s.err == nil && s.events[e.id] == e {
			e.body = s.layout.bodyOf(e)
			e.body.act = t.actionOf(s.layout, e)
			e.body.act.number = int32(len(t.acts))
			t.acts = append(t.acts, e.body.act)
		}
	}
	for _, id := range ids {
		if s := t.meta.streams[id]; s.err == nil {
			s.plan()
		}
	}
}

// plan works out how the events of a stream are read. It is the last step: a field of a header is
// wanted if any event refers to it.
func (s *streamClass) plan() {
	l, wanted := s.layout, map[*node]bool{}
	for _, e := range s.events {
		for _, n := range e.body.act.owner() {
			wanted[n] = true
		}
		for _, n := range e.body.act.wanted {
			wanted[n] = true
		}
	}
	l.heading, l.around = planOf(wanted, l.header), planOf(wanted, l.common)
	for _, e := range s.events {
		e.body.plan = planOf(wanted, e.body.context, e.body.fields)
	}
	l.shapes = s.shape()
}
