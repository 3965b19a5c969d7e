package match

// labels are a number for each call, in two bytes and as many more as the numbers need.
type labels struct {
	low       []uint16
	high, top []uint8 // nil while all numbers are below 2¹⁶, 2²⁴
}

// newLabels makes labels for the given number of calls, below limit.
func newLabels(calls, limit int) labels {
	l := labels{low: make([]uint16, calls)}
	if limit > 1<<16 {
		l.high = make([]uint8, calls)
	}
	if limit > 1<<24 {
		l.top = make([]uint8, calls)
	}
	return l
}

func (l *labels) at(i int) uint32 {
	label := uint32(l.low[i])
	if l.high != nil {
		label |= uint32(l.high[i]) << 16
	}
	if l.top != nil {
		label |= uint32(l.top[i]) << 24
	}
	return label
}

func (l *labels) set(i int, label uint32) {
	l.low[i] = uint16(label)
	if l.high != nil {
		l.high[i] = uint8(label >> 16)
	}
	if l.top != nil {
		l.top[i] = uint8(label >> 24)
	}
}

func (l *labels) bytes() int64 { return 2*int64(cap(l.low)) + int64(cap(l.high)+cap(l.top)) }
