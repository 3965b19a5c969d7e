package otf2

import (
	"cmp"
	"math"
	"slices"

	"diptych/internal/trace"
)

// A location's own definitions translate what its events say: mapping tables turn its references
// into those of the archive, and offsets its clock into the one that all locations share.

// Kinds of definitions of a location that are read; the others repeat those of the archive.
const (
	mappingTable = 5
	clockOffset  = 6
)

// local is what a location's own definitions state.
type local struct {
	maps    [16]idMap // by kind of reference, see mapped
	offsets []offset  // by time
	at      int       // the interval of the last time that was corrected
}

// idMap turns references of a location into those of the archive. What it does not name stays as it
// is.
type idMap struct {
	dense  []uint32 // by reference
	sparse []idPair // by from
}

type idPair struct{ from, to uint32 }

func (m *idMap) global(id uint32) uint32 {
	if uint64(id) < uint64(len(m.dense)) {
		return m.dense[id]
	}
	if len(m.sparse) == 0 || id == undefined {
		return id
	}
	k, ok := slices.BinarySearchFunc(m.sparse, id, func(p idPair, id uint32) int {
		return cmp.Compare(p.from, id)
	})
	if !ok {
		return id
	}
	return m.sparse[k].to
}

// offset is by how much a clock lags at a time, both in ticks.
type offset struct {
	at uint64
	by int64
}

// read reads a definition of the location. It reports whether it is sound.
func (l *local) read(kind byte, f *fields) bool {
	switch kind {
	case mappingTable:
		l.readMap(f)
	case clockOffset:
		o := offset{f.full64(), f.i64()}
		f.full64() // its standard deviation
		if n := len(l.offsets); f.bad || n > 0 && l.offsets[n-1].at >= o.at {
			return false
		}
		l.offsets = append(l.offsets, o)
	}
	return !f.bad
}

// readMap reads a mapping table: what it maps, the number of entries, and whether they name the
// references that they map, or map those from 0 on.
func (l *local) readMap(f *fields) {
	of, n, sparse := int(f.u8())+1, f.u64(), f.u8() != 0
	var m idMap
	for ; n > 0 && f.more(); n-- {
		if sparse {
			m.sparse = append(m.sparse, idPair{uint32(f.u64()), uint32(f.u64())})
		} else {
			m.dense = append(m.dense, uint32(f.u64()))
		}
	}
	f.bad = f.bad || n > 0
	if f.bad || of >= len(l.maps) {
		return
	}
	slices.SortStableFunc(m.sparse, func(x, y idPair) int { return cmp.Compare(x.from, y.from) })
	l.maps[of] = m
}

// correct returns a time on the clock of the archive. Between two offsets it interpolates; before
// the first and after the last it goes on as between the nearest two. One offset alone changes
// nothing, as in the library that writes archives.
func (l *local) correct(time uint64) uint64 {
	last := len(l.offsets) - 2
	if last < 0 {
		return time
	}
	l.at = min(l.at, last)
	for l.at > 0 && time <= l.offsets[l.at].at {
		l.at--
	}
	for l.at < last && time > l.offsets[l.at+1].at {
		l.at++
	}
	from, to := l.offsets[l.at], l.offsets[l.at+1]
	since := float64(time - from.at)
	if time < from.at {
		since = -float64(from.at - time)
	}
	slope := float64(to.by-from.by) / float64(to.at-from.at)
	return time + uint64(from.by+int64(math.RoundToEven(slope*since)))
}

// clock turns ticks into ns.
type clock struct{ perSecond uint64 }

// ns returns a time in ns, rounded down, and false if it is beyond what a trace may have.
func (c clock) ns(ticks uint64) (int64, bool) {
	if c.perSecond == 1e9 {
		return int64(ticks), ticks <= trace.Limit
	}
	t, ok := scale(ticks, 1e9, c.perSecond)
	return int64(t), ok && t <= trace.Limit
}
