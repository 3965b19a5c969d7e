package otf2

import "strconv"

// membership is who takes part in the communicators of a group.
type membership struct {
	units []int32         // processes by rank, −1 where the archive does not say
	ranks map[int32]int32 // the first rank of each process
}

// commName returns what to call a communicator.
func (a *archive) commName(id uint32) string {
	c, ok := a.defs.comms.get(id)
	if name := a.defs.text(c.name); ok && name != "" {
		return name
	}
	return "communicator " + strconv.FormatUint(uint64(id), 10)
}

// membersOf returns who is in a group, or nil if it is no group of processes that are numbered.
func (a *archive) membersOf(id uint32) *membership {
	if m, ok := a.groups[id]; ok {
		return m
	}
	g, ok := a.defs.members.get(id)
	var m *membership
	if ok && g.kind == groupOfRanks {
		m = &membership{ranks: map[int32]int32{}}
		all := a.defs.everywhere[g.paradigm]
		for rank, k := range g.members {
			unit := int32(-1)
			if uint64(k) < uint64(len(all)) {
				unit = a.unitOf(all[k])
			}
			m.units = append(m.units, unit)
			if _, known := m.ranks[unit]; !known {
				m.ranks[unit] = int32(rank)
			}
		}
	}
	a.groups[id] = m
	return m
}

// unitOf returns the process of a location, or −1.
func (a *archive) unitOf(location uint64) int32 {
	if p, ok := a.home[location]; ok {
		return p
	}
	return -1
}

// peer returns the process that has a rank for a process of the communicator, or −1: a communicator
// between two groups numbers the other one.
func (a *archive) peer(comm, rank uint32, own int32) int32 {
	c, ok := a.defs.comms.get(comm)
	if !ok {
		return -1
	}
	m := a.membersOf(c.group)
	if c.remote != undefined && m != nil {
		if _, here := m.ranks[own]; here {
			m = a.membersOf(c.remote)
		}
	}
	switch {
	case m != nil && uint64(rank) < uint64(len(m.units)):
		return m.units[rank]
	case m == nil && a.alone(c):
		return own
	}
	return -1
}

// alone reports whether a communicator has one member, as MPI_COMM_SELF has.
func (a *archive) alone(c comm) bool {
	g, ok := a.defs.members.get(c.group)
	return ok && g.kind == groupSelf
}

// rank returns the rank of a process in a communicator, and false if it has none.
func (a *archive) rank(comm uint32, unit int32) (int32, bool) {
	c, _ := a.defs.comms.get(comm)
	for _, group := range []uint32{c.group, c.remote} {
		if m := a.membersOf(group); m != nil {
			if r, ok := m.ranks[unit]; ok {
				return r, true
			}
		}
	}
	return 0, false
}
