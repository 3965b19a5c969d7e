package otf2

import (
	"fmt"

	"diptych/internal/trace"
)

// Kinds of definitions that are read.
const (
	defClock         = 5
	defParadigm      = 6
	defString        = 10
	defAttribute     = 11
	defSystemNode    = 12
	defLocationGroup = 13
	defLocation      = 14
	defRegion        = 15
	defGroup         = 18
	defComm          = 22
	defParameter     = 23
	defRmaWin        = 24
	defNodeDomain    = 27
	defContext       = 34
	defIoFile        = 38
	defIoDirectory   = 39
	defIoHandle      = 40
	defInterComm     = 43
)

// table holds definitions by their numbers. Most archives number them from 0 on in order; some
// number them with gaps as large as 2^29.
type table[T any] struct {
	dense  []T
	sparse map[uint32]T
}

// put defines id. A later definition replaces an earlier one.
func (t *table[T]) put(id uint32, v T) {
	switch {
	case uint64(id) < uint64(len(t.dense)):
		t.dense[id] = v
	case uint64(id) == uint64(len(t.dense)):
		t.dense = append(t.dense, v)
	default:
		if t.sparse == nil {
			t.sparse = map[uint32]T{}
		}
		t.sparse[id] = v
	}
}

func (t *table[T]) get(id uint32) (v T, ok bool) {
	if uint64(id) < uint64(len(t.dense)) {
		return t.dense[id], true
	}
	v, ok = t.sparse[id]
	return v, ok
}

// definitions are what the archive's file of definitions states.
type definitions struct {
	clock      clock
	strings    table[string]
	paradigms  table[uint32] // names of what a tool has measured, such as MPI
	attributes table[uint32] // their names
	nodes      table[node]
	domains    map[uint32]byte // of nodes
	groups     table[locationGroup]
	order      []uint32 // of groups, as they are defined
	locations  []location
	regions    table[region]
	contexts   table[callContext]
	members    table[group]
	everywhere map[byte][]uint64 // by paradigm: the locations that take part, by number
	comms      table[comm]
	parameters table[uint32] // their names
	windows    table[uint32] // their names
	files      table[uint32] // their names
	handles    table[handle]
}

// node is a machine, or a part of one.
type node struct{ name, class, parent uint32 }

// locationGroup is mostly a process.
type locationGroup struct {
	name, parent, creator uint32
}

// location is mostly a thread.
type location struct {
	id     uint64
	name   uint32
	kind   byte
	events uint64 // as the definition says, which some tools count wrong
	group  uint32
}

// region is a function, or another part of a program.
type region struct {
	name, file, line uint32
	role, paradigm   byte
}

// Types of groups.
const (
	groupOfLocations = 4 // all that take part in a paradigm
	groupOfRanks     = 5 // numbers into that
	groupSelf        = 6 // each process alone
)

// group is the members of communicators. Their numbers count in the group of locations of the same
// paradigm.
type group struct {
	kind, paradigm byte
	members        []uint32
}

// comm is a communicator: processes, or threads of a team, that number each other.
type comm struct {
	name, group uint32
	remote      uint32 // the other group of a communicator between two; else undefined
}

// handle is an open file.
type handle struct{ name, file uint32 }

// read takes one definition. It fails if it is broken; kinds that are of no use here are passed
// over.
func (d *definitions) read(kind byte, f *fields) error {
	switch kind {
	case defClock:
		d.clock.perSecond = f.u64()
	case defParadigm:
		id := f.u8()
		d.paradigms.put(uint32(id), f.u32())
	case defString:
		id := f.u32()
		if s := f.text(); !f.bad {
			d.strings.put(id, s)
		}
	case defRegion:
		d.readRegion(f)
	case defContext:
		d.readContext(f)
	case defGroup:
		d.readGroup(f)
	case defComm:
		id := f.u32()
		d.comms.put(id, comm{f.u32(), f.u32(), undefined})
	case defInterComm:
		id := f.u32()
		d.comms.put(id, comm{f.u32(), f.u32(), f.u32()})
	default:
		_ = d.readPlace(kind, f) || d.readName(kind, f)
	}
	if f.bad {
		return fmt.Errorf("a broken definition of kind %d", kind)
	}
	return nil
}

// readPlace takes a definition of where events come from.
func (d *definitions) readPlace(kind byte, f *fields) bool {
	switch kind {
	case defSystemNode:
		id := f.u32()
		d.nodes.put(id, node{f.u32(), f.u32(), f.u32()})
	case defNodeDomain:
		if d.domains == nil {
			d.domains = map[uint32]byte{}
		}
		id := f.u32()
		d.domains[id] = f.u8()
	case defLocationGroup:
		id := f.u32()
		g := locationGroup{name: f.u32(), creator: undefined}
		f.u8() // a process or a device
		g.parent = f.u32()
		if f.more() { // since version 3
			g.creator = f.u32()
		}
		if _, again := d.groups.get(id); !again && !f.bad {
			d.order = append(d.order, id)
		}
		d.groups.put(id, g)
	case defLocation:
		l := location{f.u64(), f.u32(), f.u8(), f.u64(), f.u32()}
		if !f.bad {
			d.locations = append(d.locations, l)
		}
	default:
		return false
	}
	return true
}

// readName takes a definition of which only the name counts.
func (d *definitions) readName(kind byte, f *fields) bool {
	var to *table[uint32]
	switch kind {
	case defAttribute:
		to = &d.attributes
	case defParameter:
		to = &d.parameters
	case defRmaWin:
		to = &d.windows
	case defIoFile, defIoDirectory:
		to = &d.files
	case defIoHandle:
		id := f.u32()
		d.handles.put(id, handle{f.u32(), f.u32()})
		return true
	default:
		return false
	}
	id := f.u32()
	to.put(id, f.u32())
	return true
}

func (d *definitions) readRegion(f *fields) {
	id := f.u32()
	r := region{name: f.u32()}
	f.u32() // description
	f.u8()  // what it is, by a list that is no longer in use
	r.file, r.line = f.u32(), f.u32()
	f.u32() // its last line
	if f.more() {
		f.u32() // the name before it was made readable
		r.role, r.paradigm = f.u8(), f.u8()
	}
	if !f.bad {
		d.regions.put(id, r)
	}
}

func (d *definitions) readGroup(f *fields) {
	id := f.u32()
	f.u32() // name
	f.u8()  // its type, by a list that is no longer in use
	n := f.u32()
	var members []uint64
	for ; n > 0 && f.more(); n-- {
		members = append(members, f.u64())
	}
	g := group{kind: f.u8(), paradigm: f.u8()}
	switch {
	case f.bad || n > 0:
		f.bad = true
	case g.kind == groupOfLocations:
		if d.everywhere == nil {
			d.everywhere = map[byte][]uint64{}
		}
		d.everywhere[g.paradigm] = members
	case g.kind == groupOfRanks || g.kind == groupSelf:
		for _, m := range members {
			g.members = append(g.members, uint32(m))
		}
		d.members.put(id, g)
	}
}

// text returns a string of the archive, or "" if there is none.
func (d *definitions) text(id uint32) string {
	s, _ := d.strings.get(id)
	return s
}

// machine is what a system tree calls the level that shares memory.
const sharedMemory = 1

// mostNodes is how many levels of a system tree are looked at: a broken one may be a circle.
const mostNodes = 100

// host returns the machine of a process: the nearest node of the system tree that shares memory or
// calls itself a node or a host. Without one it is the nearest node that is a part of another.
func (d *definitions) host(g locationGroup) string {
	part := ""
	for id, k := g.parent, 0; k < mostNodes; k++ {
		n, ok := d.nodes.get(id)
		if !ok {
			break
		}
		domain, stated := d.domains[id]
		class := d.text(n.class)
		if stated && domain == sharedMemory || class == "node" || class == "host" {
			return d.text(n.name)
		}
		if _, ok := d.nodes.get(n.parent); ok && part == "" {
			part = d.text(n.name)
		}
		id = n.parent
	}
	return part
}

// readDefinitions reads the archive's definitions. Broken ones are counted.
func (a *archive) readDefinitions() error {
	err := a.eachRecord(a.name+".def", &a.faults, a.defs.read)
	if a.defs.clock.perSecond == 0 && err == nil {
		a.faults.Add(trace.BadRecord, 1, "%s.def: no resolution of the clock; taken for 1 ns", a.name)
		a.defs.clock.perSecond = 1e9
	}
	return err
}
