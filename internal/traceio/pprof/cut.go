package pprof

import "encoding/binary"

// words reads one of gperftools' CPU profiles: words of 4 or 8 bytes in either order.
type words struct {
	binary.ByteOrder
	size int
	of   []byte
}

// wordsOf returns the words of a CPU profile, which begins with 0, 3, the version (0, or 1 from
// Java), the sampling period and 0; or nil.
func wordsOf(h []byte) *words {
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, size := range []int{4, 8} {
			w := &words{order, size, h}
			if w.len() >= 5 && w.at(0) == 0 && w.at(1) == 3 && w.at(2) <= 1 && w.at(3) > 0 &&
				w.at(4) == 0 {
				return w
			}
		}
	}
	return nil
}

func (w *words) len() uint64 { return uint64(len(w.of) / w.size) }

func (w *words) at(i uint64) uint64 {
	if w.size == 4 {
		return uint64(w.Uint32(w.of[4*i:]))
	}
	return w.Uint64(w.of[8*i:])
}

// cut reports whether a profile in one of the formats that have no lengths ends too early: words
// without the mark behind the last sample (0, 1, 0), or text within a line. The parser takes what
// there is.
func cut(data []byte) bool {
	w := wordsOf(data)
	if w == nil {
		return isText(data) && data[len(data)-1] != '\n'
	}
	for i := uint64(5); i+2 < w.len(); {
		count, frames := w.at(i), w.at(i+1)
		if count == 0 && frames == 1 && w.at(i+2) == 0 {
			rest := data[(i+3)*uint64(w.size):] // a list of mappings, as text
			return len(rest) > 0 && rest[len(rest)-1] != '\n'
		}
		if frames > w.len() {
			return true
		}
		i += 2 + frames
	}
	return true
}
