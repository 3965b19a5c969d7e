package gotrace

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
)

// A trace is a sequence of generations, each a set of batches: first the clock, then what happened
// on each operating system thread, and at its end the stacks and strings that the events name by
// number. The reader refuses a generation without its end, so a recording that was cut off would
// lose up to all of its events. A mender closes the last generation of a file that ends too early:
// it keeps what is whole, drops a batch of events that is cut, and gives each number that was not
// reached a stack without frames or a name like "?17". The reader then gives the events in order
// for as long as none is missing among them. The reader also refuses a whole generation if one of
// its batches is damaged, or a table: what is broken is passed over (resync.go).
//
// That works since Go 1.25; from 1.22 to 1.24, traces state their clock at the end, without which
// times mean nothing. What was before is another format (mendold.go).
type mender struct {
	r      *bufio.Reader
	out    []byte // to be read next
	last   []byte // the last batch, whose room the next one takes
	err    error  // after that
	begun  bool   // the header is read
	plain  bool   // the rest is passed on as it is
	old    bool   // the format until Go 1.21
	whole  []byte // a trace of that, but for its header
	marked bool   // generations have an end mark (since Go 1.26)
	mended bool
	cause  error // what ended the stream, if mended
	offset int64 // of the batch at hand

	gen     uint64 // the open generation, or 0
	at      uint64 // time of its latest batch
	clock   bool   // it has stated its clock
	size    uint64 // bytes of its batches
	strings explained
	stacks  explained
	holes   bool              // some of its numbers are not explained, for a table was broken
	holds   func(bytes int64) // told of what tables take; nil if nobody asks
}

// First bytes of batches, and of the entries of their tables.
const (
	eventBatch        = 1
	stackTable        = 2
	stackEntry        = 3
	stringTable       = 4
	stringEntry       = 5
	experimentalBatch = 49
	clockBatch        = 50
	generationEnd     = 52
)

const (
	maxBatch  = 64 << 10
	readAhead = 16 << 10 // what is larger is read to where it belongs
	// How many times its size the library makes of a table: of a frame, from four bytes on, a
	// structure in a map.
	tableTimes = 12
	// How many numbers get a stand-in at most: more than a second of tracing is likely to need. A
	// small file needs fewer, for an event with a stack takes three bytes, and a frame with two
	// strings four.
	standInStrings = 1 << 12
	// How many more strings there can be than bytes before the stacks: those that the runtime makes
	// itself. Any other is named by what comes before.
	likelyStrings = 1 << 10
	standInStacks = 1 << 14
)

func mend(r io.Reader) *mender { return &mender{r: bufio.NewReaderSize(r, readAhead)} }

func (m *mender) Read(p []byte) (int, error) {
	for len(m.out) == 0 {
		switch {
		case m.err != nil:
			return 0, m.err
		case !m.begun:
			m.header()
		case m.old:
			m.mendOld()
		case m.plain:
			return m.r.Read(p)
		default:
			m.batch()
		}
	}
	n := copy(p, m.out)
	m.out = m.out[n:]
	return n, nil
}

// header passes on the header, and decides by its version.
func (m *mender) header() {
	h := make([]byte, headerLen)
	n, err := io.ReadFull(m.r, h)
	m.begun, m.out, m.err, m.offset = true, h[:n], err, int64(n)
	minor, ok := version(h[:n])
	m.plain = !ok || minor < 25
	m.old = oldestOld <= minor && minor <= newestOld
	m.marked = minor >= 26
}

// version returns the x of Go 1.x, which a header names.
func version(header []byte) (minor int, ok bool) {
	_, err := fmt.Sscanf(string(header), "go 1.%d trace", &minor)
	return minor, err == nil
}

// batch passes on one batch.
func (m *mender) batch() {
	m.out = nil
	kind, err := m.r.ReadByte()
	if err != nil {
		m.close(nil, err)
		return
	}
	raw := tape{m.r, append(m.last[:0], kind)}
	switch kind {
	case generationEnd:
		m.explain()
		m.out, m.gen = append(m.out, generationEnd), 0
		m.offset++
		return
	case experimentalBatch:
		raw.ReadByte()
	case eventBatch:
	default:
		m.refuse(raw.read)
		return
	}
	var field [4]uint64 // generation, thread, time, size
	for i := range field {
		if field[i], err = binary.ReadUvarint(&raw); err != nil {
			m.close(raw.read, err)
			return
		}
	}
	another := m.gen != 0 && field[0] != m.gen && (m.marked || field[0] != m.gen+1)
	if field[3] > maxBatch || another {
		m.refuse(raw.read)
		return
	}
	if field[0] != m.gen {
		m.explain()
	}
	before := m.out
	m.open(field[0], field[2])
	head := len(raw.read)
	m.last = slices.Grow(raw.read, int(field[3]))[:head+int(field[3])]
	n, err := io.ReadFull(m.r, m.last[head:])
	m.out = m.last[:head+n]
	body := m.out[head:]
	m.size += uint64(n)
	whole := m.note(kind, body)
	switch {
	case err != nil:
		m.close(m.out, err, body[:whole]...)
	case isTable(kind, body) && whole < len(body):
		m.flaw(fmt.Errorf("broken table at offset %d", m.offset))
		m.out = m.table(nil, body[:whole])
	}
	if m.offset += int64(head + n); len(before) > 0 {
		m.out = append(before, m.out...)
	}
}

// isTable reports whether a batch explains numbers.
func isTable(kind byte, body []byte) bool {
	return kind == eventBatch && len(body) > 0 && (body[0] == stackTable || body[0] == stringTable)
}

// tape keeps what it reads, for numbers are not always written in the shortest way.
type tape struct {
	io.ByteReader
	read []byte
}

func (t *tape) ReadByte() (byte, error) {
	c, err := t.ByteReader.ReadByte()
	if err == nil {
		t.read = append(t.read, c)
	}
	return c, err
}

// open notes the generation of a batch.
func (m *mender) open(gen, at uint64) {
	if gen != m.gen {
		m.gen, m.clock, m.size = gen, false, 0
		m.strings, m.stacks = explained{}, explained{}
	}
	m.at = at
}

// note takes down which numbers a table explains and returns how much of it is whole entries.
func (m *mender) note(kind byte, body []byte) (whole int) {
	if kind != eventBatch || len(body) == 0 {
		return 0
	}
	if m.holds != nil && isTable(kind, body) {
		m.holds(int64(len(body)) * tableTimes)
	}
	switch body[0] {
	case clockBatch:
		m.clock = true
	case stringTable:
		return entries(body, &m.strings, 1, 0, 0)
	case stackTable:
		return entries(body, &m.stacks, 0, 4, uint64(m.offset)+likelyStrings)
	}
	return 0
}

// explained are the numbers that tables have entries for. Those that get no stand-in anyway are not
// told apart.
type explained struct {
	any bool
	low [standInStacks/64 + 1]uint64 // a bit each
}

func (s *explained) add(id uint64) {
	if s.any = true; id <= standInStacks {
		s.low[id/64] |= 1 << (id % 64)
	}
}

// has reports whether there is an entry for a number, as far as they are told apart.
func (s *explained) has(id uint64) bool { return id <= standInStacks && s.low[id/64]>>(id%64)&1 != 0 }

// entries walks the entries of a table: the kind that follows the table's, a number, a count, and
// what the count stands for, bytes or numbers. It returns where the first begins that is not whole.
// A frame is four numbers: address, function, file and line. Those of the function and the file are
// of strings, which are numbered in order, so that they cannot exceed mostString. No number has two
// entries, and 0 has none: the reader would refuse the generation. What lies behind a gap in a file
// can look so.
func entries(table []byte, seen *explained, bytes, numbers, mostString uint64) int {
	at := 1
	for at < len(table) {
		next := at + 1
		number := func() (v uint64, ok bool) {
			v, n := binary.Uvarint(table[min(next, len(table)):])
			next += max(n, 0) // less than 0: it does not fit 64 bits
			return v, n > 0
		}
		id, ok1 := number()
		count, ok2 := number()
		left := uint64(len(table) - next)
		if table[at] != table[0]+1 || !ok1 || !ok2 || count > left ||
			count*max(bytes, numbers) > left || id == 0 || seen.has(id) {
			return at
		}
		next += int(count * bytes)
		for k := range count * numbers {
			if next < len(table) && table[next] < 0x80 { // as most are: a number of one byte
				next++
			} else if v, ok := number(); !ok || v > mostString && (k%4 == 1 || k%4 == 2) {
				return at
			}
		}
		seen.add(id)
		at = next
	}
	return at
}

// close ends the stream. If it ends within a generation that can be read, that is closed: with the
// rest of a table that was cut, and stand-ins for what no table explains. Otherwise what is left is
// passed on for the reader to judge.
func (m *mender) close(left []byte, err error, rest ...byte) {
	end := err == io.EOF && len(left) == 0 && !m.marked && m.strings.any && !m.holes
	if m.gen == 0 || !m.clock || end {
		m.out, m.err = left, err
		return
	}
	m.mended, m.cause, m.err, m.out = true, err, io.EOF, nil
	if len(rest) > 0 {
		m.out = m.table(nil, rest)
	}
	m.holes = true
	if m.explain(); m.marked {
		m.out = append(m.out, generationEnd)
	}
}

// explain gives the numbers of the open generation that no table explains a stand-in.
func (m *mender) explain() {
	if !m.holes {
		return
	}
	m.holes = false
	m.standIn(stackTable, stackEntry, min(standInStacks, m.size/3), &m.stacks,
		func(uint64) string { return "" })
	m.standIn(stringTable, stringEntry, min(standInStrings, m.size/2), &m.strings,
		func(id uint64) string { return fmt.Sprintf("?%d", id) })
}

// standIn adds tables with an entry for each number up to n that is not known.
func (m *mender) standIn(
	table, entry byte, n uint64, known *explained, text func(uint64) string,
) {
	body := []byte{table}
	for id := uint64(1); id <= n; id++ {
		if known.has(id) {
			continue
		}
		body = binary.AppendUvarint(append(body, entry), id)
		t := text(id)
		body = append(binary.AppendUvarint(body, uint64(len(t))), t...)
		if len(body) > maxBatch-64 {
			m.out = m.table(m.out, body)
			body = body[:1]
		}
	}
	m.out = m.table(m.out, body)
}

// table appends a batch with the given body.
func (m *mender) table(to, body []byte) []byte {
	to = append(to, eventBatch)
	for _, v := range []uint64{m.gen, 1<<64 - 1, m.at, uint64(len(body))} {
		to = binary.AppendUvarint(to, v)
	}
	return append(to, body...)
}
