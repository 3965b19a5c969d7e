package uftrace

// addresses maps addresses to small numbers. It is a hash table with linear probing: functions are
// few and looked up for every call.
type addresses struct {
	slots []addressSlot
	n     int
}

type addressSlot struct {
	addr  uint64
	value int32 // + 1; 0 is an empty slot
}

func (a *addresses) reset() { a.slots, a.n = nil, 0 }

func (a *addresses) slot(addr uint64) *addressSlot {
	mask := uint64(len(a.slots) - 1)
	for i := addr * 0x9e3779b97f4a7c15 >> 32 & mask; ; i = (i + 1) & mask {
		if s := &a.slots[i]; s.addr == addr || s.value == 0 {
			return s
		}
	}
}

// get returns the number of addr, or −1.
func (a *addresses) get(addr uint64) int32 {
	if a.n == 0 {
		return -1
	}
	s := a.slot(addr)
	return s.value - 1
}

// put sets the number of an address that has none.
func (a *addresses) put(addr uint64, value int32) {
	if 2*(a.n+1) > len(a.slots) {
		old := a.slots
		a.slots = make([]addressSlot, max(64, 2*len(old)))
		for _, s := range old {
			if s.value != 0 {
				*a.slot(s.addr) = s
			}
		}
	}
	*a.slot(addr) = addressSlot{addr, value + 1}
	a.n++
}
