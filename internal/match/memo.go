package match

// memo is a hash table from non-zero keys to numbers. One union of sets is looked up per call, so
// this is the engine's hottest structure: open addressing in one array, at most half full.
type memo struct {
	slots []slot
	n     int
}

type slot struct {
	key   uint64
	value uint32
}

func (m *memo) get(key uint64) (uint32, bool) {
	if m.n == 0 {
		return 0, false
	}
	at := m.find(key)
	return m.slots[at].value, m.slots[at].key == key
}

func (m *memo) put(key uint64, value uint32) {
	if 2*m.n >= len(m.slots) {
		m.grow()
	}
	m.slots[m.find(key)] = slot{key, value}
	m.n++
}

// find returns the slot of key, or the free one where it belongs.
func (m *memo) find(key uint64) int {
	mask := uint64(len(m.slots) - 1)
	at := key * 0x9e3779b97f4a7c15
	at = (at ^ at>>32) & mask
	for m.slots[at].key != 0 && m.slots[at].key != key {
		at = (at + 1) & mask
	}
	return int(at)
}

func (m *memo) grow() {
	old := m.slots
	m.slots = make([]slot, max(1024, 2*len(old)))
	for _, s := range old {
		if s.key != 0 {
			m.slots[m.find(s.key)] = s
		}
	}
}
