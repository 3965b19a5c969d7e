package paje

import (
	"bytes"
	"math"
	"strconv"

	"diptych/internal/trace"
)

// feed takes the lines of a file, in order, and feeds the Builder.
type feed struct {
	b       *trace.Builder
	header  header
	types   map[string]*entityType // by alias and by name
	byAlias map[string]*container
	byName  map[string]*container
	order   []*container
	alike   map[string]int // processes, beside the first, whose containers have one name
	links   links
	line    int
	at      int64 // offset of the end of the line
	events  int   // that the format knows
	last    int64 // the latest time

	def    *definition // of the present event
	fields [][]byte
	args   []byte
	names  map[valueKey]trace.FuncID
}

// valueKey is a value as a line has it.
type valueKey struct {
	of   *entityType
	text string
}

func newFeed(b *trace.Builder) *feed {
	return &feed{b: b, header: header{events: map[string]*definition{}},
		types: map[string]*entityType{}, byAlias: map[string]*container{}, byName: map[string]*container{},
		alike: map[string]int{},
		links: links{open: map[string]*pending{}}, last: math.MinInt64,
		names: map[valueKey]trace.FuncID{}}
}

// field returns the present event's field of a role, or nil.
func (f *feed) field(r role) []byte {
	if i := f.def.place[r]; i >= 0 && int(i) < len(f.fields) {
		return f.fields[i]
	}
	return nil
}

func (f *feed) text(r role) string { return string(f.field(r)) }

// event feeds a line that is an event.
func (f *feed) event(line []byte) {
	fields, closed := split(f.fields[:0], line)
	f.fields = fields[1:]
	defer func() { f.fields = fields[:0] }()
	f.def = f.header.events[string(fields[0])]
	switch {
	case f.def == nil:
		f.bad("no event of that number is defined")
		return
	case !closed:
		f.bad("a quotation does not end")
		return
	case f.def.faulty != "":
		f.bad(f.def.faulty)
		return
	}
	for _, r := range needed[f.def.kind] {
		if int(f.def.place[r]) >= len(f.fields) {
			f.bad("it lacks a field")
			return
		}
	}
	if n := len(f.fields) - f.def.fields; n > 0 {
		f.b.Diagnose(trace.NotRead, uint64(n), "line %d: a field that is not declared", f.line)
	}
	f.dispatch()
}

func (f *feed) dispatch() {
	k := f.def.kind
	at, timed := f.time()
	if !timed {
		f.bad("its time is no number of seconds")
		return
	}
	f.events++
	switch k {
	case ignored:
		f.events--
		f.b.Diagnose(trace.NotRead, 1, "line %d: an event that the format does not know", f.line)
	case defineContainerType, defineStateType, defineEventType, defineVariableType, defineLinkType:
		f.defineType(k)
	case defineValue:
		f.defineEntityValue()
	case createContainer:
		f.createContainer()
	case destroyContainer:
		f.destroyContainer(at)
	case startLink:
		f.linkEnd(at, roleStart)
	case endLink:
		f.linkEnd(at, roleEnd)
	default:
		f.entity(k, at)
	}
}

// time returns the time of the present event. Only definitions have none.
func (f *feed) time() (int64, bool) {
	if f.def.place[roleTime] < 0 {
		return max(f.last, 0), true
	}
	at, ok := nanoseconds(f.field(roleTime))
	if ok && f.def.kind != ignored {
		f.last = max(f.last, at)
		f.b.Observe(at)
	}
	return at, ok
}

// entityKinds are the events that the types of each kind can have.
var entityKinds = map[kind]kind{
	setState: defineStateType, pushState: defineStateType, popState: defineStateType,
	resetState: defineStateType, setVariable: defineVariableType, addVariable: defineVariableType,
	subVariable: defineVariableType, newEvent: defineEventType,
}

// entity feeds an event of a type in a container.
func (f *feed) entity(k kind, at int64) {
	c, t := f.container(roleContainer), f.types[string(f.field(roleType))]
	switch {
	case c == nil:
		f.bad("its container is not there")
	case t == nil || t.kind != entityKinds[k]:
		f.bad("its type is not defined, or is of another kind")
	case t.kind == defineStateType:
		f.state(k, at, f.lane(c, t))
	case t.kind == defineVariableType:
		f.variable(k, at, c, t)
	default:
		f.instant(at, c, f.value(t, trace.Event))
	}
}

// state feeds a change of state.
func (f *feed) state(k kind, at int64, l *lane) {
	switch k {
	case popState:
		l.End(at)
		l.open = l.open[:max(len(l.open)-1, 0)]
		return
	case resetState, setState:
		l.close(at)
	}
	if k == resetState {
		return
	}
	ref := l.Begin(at, f.value(l.of, trace.Routine))
	l.open = append(l.open, state{ref, k == pushState})
	if len(f.def.more) > 0 {
		l.Args(ref, f.arguments())
	}
}

// arguments writes the fields that the file added.
func (f *feed) arguments() []byte {
	f.args = f.args[:0]
	for _, e := range f.def.more {
		if e.place < len(f.fields) {
			f.args = append(append(f.args, e.name...), '=')
			f.args = append(append(f.args, f.fields[e.place]...), ' ')
		}
	}
	return bytes.TrimSuffix(f.args, []byte(" "))
}

// value returns the function of the present event's value.
func (f *feed) value(t *entityType, k trace.FuncKind) trace.FuncID {
	text := f.field(roleValue)
	if id, ok := f.names[valueKey{t, string(text)}]; ok {
		return id
	}
	name, defined := t.values[string(text)]
	if !defined {
		name = string(text)
	}
	if name == "" {
		name = t.name
	}
	id := f.b.Function(trace.Function{Name: name, Package: t.name, Kind: k})
	if defined { // values without a definition may be all different
		f.names[valueKey{t, string(text)}] = id
	}
	return id
}

func (f *feed) instant(at int64, c *container, fn trace.FuncID) {
	if len(c.lanes) > 0 {
		c.lanes[0].Instant(at, fn)
		return
	}
	c.pending = append(c.pending, instant{at, fn})
}

// variable feeds a change of a variable, which begins with 0.
func (f *feed) variable(k kind, at int64, c *container, t *entityType) {
	v, err := strconv.ParseFloat(string(f.field(roleValue)), 64)
	if err != nil {
		f.bad("its value is no number")
		return
	}
	if c.variables == nil {
		c.variables = map[*entityType]float64{}
	}
	switch k {
	case addVariable:
		v += c.variables[t]
	case subVariable:
		v = c.variables[t] - v
	}
	c.variables[t] = v
	f.b.Count(f.processOf(c), c.name+" "+t.name, at, v)
}

// finish ends what the file leaves open. A state that was set lasts until the end by its nature;
// one that was pushed lacks its end.
func (f *feed) finish() {
	for _, c := range f.order {
		for _, l := range c.lanes {
			for _, s := range l.open {
				if s.pushed {
					l.Flag(s.ref, trace.Unclosed)
					f.b.Diagnose(trace.UnmatchedBegin, 1, "a state of %s that is never popped", c.name)
				}
			}
			l.close(f.last)
		}
	}
	f.nameThreads()
	f.links.hand(f.b)
}
