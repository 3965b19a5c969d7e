package gotrace

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
)

// window is how much of a damaged file is looked at for the next batch: that batch and the head of
// the one after it must lie within.
const window = 4 * maxBatch

// refuse passes over what is no batch, of which some bytes were read. The next batch of the
// generation, or of the one after it, is taken up again: a generation ends with its tables of
// names, and the batches that its first events are in may come late, too. If nothing can be kept,
// the reader will say what is wrong.
func (m *mender) refuse(read []byte) {
	if m.gen == 0 || !m.clock {
		m.out, m.plain = read, true
		return
	}
	m.flaw(fmt.Errorf("no batch begins at offset %d", m.offset))
	m.r, m.offset = bufio.NewReaderSize(m.r, window), m.offset+int64(len(read))
	for {
		ahead, err := m.r.Peek(window)
		tried := len(ahead)
		if err == nil {
			tried -= window / 2
		}
		at, found := m.resumes(ahead, tried, err == io.EOF)
		m.r.Discard(at)
		m.offset += int64(at)
		switch {
		case found:
			return
		case err == io.EOF:
			m.close(nil, m.cause)
			return
		case err != nil:
			m.close(nil, err)
			return
		}
	}
}

// flaw notes what is wrong with a file: some numbers may not be explained.
func (m *mender) flaw(why error) {
	if m.mended, m.holes = true, true; m.cause == nil {
		m.cause = why
	}
}

// resumes looks for a batch at the first bytes that are ahead, of which another follows, or the end
// of the generation. Last says that nothing follows what is ahead.
func (m *mender) resumes(ahead []byte, first int, last bool) (at int, ok bool) {
	for i := range first {
		for gen := m.gen; gen <= m.gen+1; gen++ {
			end, ok := batchAt(ahead[i:], gen)
			if !ok || end > len(ahead)-i {
				continue
			}
			rest := ahead[i+end:]
			_, same := batchAt(rest, gen)
			_, next := batchAt(rest, gen+1)
			if same || !m.marked && next || len(rest) == 0 && last ||
				m.marked && len(rest) > 0 && rest[0] == generationEnd {
				if m.marked && gen != m.gen {
					m.explain()
					m.out, m.gen = append(m.out, generationEnd), 0
				}
				return i, true
			}
		}
	}
	return first, false
}

// batchAt reports whether b begins with the head of a batch of a generation, and where the batch
// ends.
func batchAt(b []byte, gen uint64) (end int, ok bool) {
	at := 1
	switch {
	case len(b) == 0:
		return 0, false
	case b[0] == experimentalBatch:
		at++
	case b[0] != eventBatch:
		return 0, false
	}
	var field [4]uint64 // as in mender.batch
	for k := range field {
		v, n := binary.Uvarint(b[min(at, len(b)):])
		if n <= 0 {
			return 0, false
		}
		field[k], at = v, at+n
	}
	return at + int(min(field[3], maxBatch)), field[0] == gen && field[3] <= maxBatch
}
