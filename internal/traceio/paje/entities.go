package paje

import (
	"strconv"
	"strings"

	"diptych/internal/trace"
	"diptych/internal/traceio/spans"
)

// entityType is a type of containers, states, events, variables or links.
type entityType struct {
	name   string
	kind   kind // the event that defined it
	values map[string]string
}

// container is what states, events and variables belong to.
type container struct {
	name      string
	of        *entityType
	parent    *container
	inside    []*container // that are not destroyed
	lanes     []*lane
	pending   []instant // as long as there is no lane
	variables map[*entityType]float64
	process   int32 // −1 until something asks for it
}

type instant struct {
	at int64
	fn trace.FuncID
}

// lane is the states of one type in one container.
type lane struct {
	*trace.ThreadBuilder
	of   *entityType // nil if it holds nothing but instants
	in   *container
	open []state // innermost last
}

type state struct {
	ref    trace.Ref
	pushed bool // rather than set
}

// defineType adds a type under its alias and its name.
func (f *feed) defineType(k kind) {
	t := &entityType{name: f.text(roleName), kind: k, values: map[string]string{}}
	if a := f.text(roleAlias); a != "" {
		f.types[a] = t
	}
	if _, taken := f.types[t.name]; !taken {
		f.types[t.name] = t
	}
}

// defineEntityValue adds a value that states or events of a type can have.
func (f *feed) defineEntityValue() {
	t := f.types[string(f.field(roleType))]
	if t == nil {
		f.bad("a value of a type that is not defined")
		return
	}
	name := f.text(roleName)
	if a := f.text(roleAlias); a != "" {
		t.values[a] = name
	} else {
		t.values[name] = name
	}
}

// createContainer adds a container. Those that lie in no other have the root 0, or nothing, for
// parent.
func (f *feed) createContainer() {
	t := f.types[string(f.field(roleType))]
	if t == nil {
		f.bad("a container of a type that is not defined")
		return
	}
	c := &container{name: f.text(roleName), of: t, process: -1,
		parent: f.container(roleContainer)}
	if parent := f.text(roleContainer); c.parent == nil && parent != "" && parent != "0" {
		f.bad("a container in one that is not there") // it is kept, as if below the root
	}
	if a := f.text(roleAlias); a != "" {
		f.byAlias[a] = c
	}
	if c.parent != nil {
		c.parent.inside = append(c.parent.inside, c)
	}
	f.byName[c.name] = c // which may come again, after a container was destroyed
	f.order = append(f.order, c)
}

// container returns the container that the field of a role names, or nil. An alias counts before a
// name: SimGrid numbers containers, and calls some of them by other numbers.
func (f *feed) container(r role) *container {
	key := f.field(r)
	if c := f.byAlias[string(key)]; c != nil {
		return c
	}
	return f.byName[string(key)]
}

func (f *feed) destroyContainer(at int64) {
	c := f.container(roleName)
	if c == nil {
		f.bad("the end of a container that is not there")
		return
	}
	for all := []*container{c}; len(all) > 0; {
		c, all = all[len(all)-1], all[:len(all)-1]
		for _, l := range c.lanes {
			l.close(at)
		}
		all, c.inside = append(all, c.inside...), nil // containers in it end with it
	}
}

// close ends all that is open.
func (l *lane) close(at int64) {
	for range l.open {
		l.End(at)
	}
	l.open = l.open[:0]
}

// lane returns the lane of a container for states of a type.
func (f *feed) lane(c *container, t *entityType) *lane {
	for _, l := range c.lanes {
		if l.of == t {
			return l
		}
	}
	l := &lane{ThreadBuilder: f.b.Thread("", -1), of: t, in: c}
	c.lanes = append(c.lanes, l)
	for _, i := range c.pending {
		l.Instant(i.at, i.fn)
	}
	c.pending = nil
	return l
}

// hostTypes are what the types of containers are called that are machines.
var hostTypes = map[string]bool{"host": true, "hosts": true, "machine": true, "node": true,
	"computer": true, "server": true, "compute node": true}

func (c *container) isHost() bool { return hostTypes[strings.ToLower(c.of.name)] }

// deepest is how many containers around one are looked at.
const deepest = 100

// processOf returns the process of a container: the outermost one around it, itself included, below
// its host or below the root.
func (f *feed) processOf(c *container) int32 {
	if c.process >= 0 {
		return c.process
	}
	top, host := c, (*container)(nil)
	if c.isHost() {
		host = c
	}
	for range deepest {
		up := top.parent
		if up == nil || host != nil || up.isHost() {
			break
		}
		top = up
	}
	if host == nil && top.parent != nil && top.parent.isHost() {
		host = top.parent
	}
	if top.process < 0 {
		top.process = f.addProcess(top, host)
	}
	c.process = top.process
	return c.process
}

// addProcess adds a process. Containers on several hosts may have one name.
func (f *feed) addProcess(c, host *container) int32 {
	id := spans.PlainID(c.name)
	if f.b.HasProcess(id) && host != nil {
		id = spans.PlainID(host.name + "/" + c.name)
	}
	for of := id; f.b.HasProcess(id); {
		f.alike[of]++
		id = of + "." + strconv.Itoa(f.alike[of]+1)
	}
	p := f.b.Process(id)
	f.b.NameProcess(p, c.name)
	if host != nil {
		f.b.HostProcess(p, host.name)
	}
	return p
}

// nameThreads places and names the threads, in the order in which their containers were created.
// A container's name suffices if all of its states are of one type.
func (f *feed) nameThreads() {
	for _, c := range f.order {
		if len(c.pending) > 0 {
			f.lane(c, nil)
		}
		for _, l := range c.lanes {
			name := c.name
			if len(c.lanes) > 1 && l.of != nil {
				name += " · " + l.of.name
			}
			l.Place(spans.PlainID(name), f.processOf(c))
			l.SetName(name)
		}
	}
}
