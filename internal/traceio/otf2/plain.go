package otf2

import "encoding/binary"

// plainHead is what a time takes and, after it, a kind and how long it is.
const plainHead = stampSize + 2

// wordLen is how many bytes are read of a packed number, of which it has as many or fewer.
const wordLen = 8

// plain takes events as long as they are plain, which most are: short, of bytes and packed numbers,
// without attributes and with a clock that needs no correction. It stops before anything else,
// where so many bytes are read of the file, and near the end of what is at hand, which next and
// decode are for.
func (t *track) plain(f *frames, until int64) {
	if f.left > 0 || f.padded || f.ended || len(t.attrs) > 0 || len(t.offsets) > 1 ||
		f.order != binary.ByteOrder(binary.LittleEndian) {
		return
	}
	data := f.in.Rest()
	data = data[:max(min(int64(len(data)), until-f.in.At()), 0)]
	regions := &t.maps[mapped['r']]
	t.event.attrs = nil
	for len(data) >= plainHead+wordLen {
		now, used := f.now, 0
		if data[0] == timestamp {
			now, used = binary.LittleEndian.Uint64(data[1:]), stampSize
		}
		at, ok := t.a.defs.clock.ns(now)
		kind, n := data[used], int(data[used+1])
		end := used + 2 + n
		if !ok || kind <= bufferFlush || end+wordLen > len(data) {
			return
		}
		if (kind == enter || kind == leave) && n <= 4 { // nearly all are
			region := binary.LittleEndian.Uint32(data[used+2:]) & (1<<(8*n) - 1)
			t.event.kind, t.event.v[0] = kind, uint64(regions.global(region))
		} else if !t.plainEvent(data, used, end) {
			return
		}
		t.event.time = now
		t.take(&t.event, at)
		f.now, f.stamped = now, f.stamped || used > 0
		f.in.Advance(end)
		data = data[end:]
	}
}

// plainEvent sets the event to the one from data[at] to data[end], of a kind beyond bufferFlush, so
// that no value is a time; wordLen bytes more are at hand. It fails where the event is not plain.
func (t *track) plainEvent(data []byte, at, end int) bool {
	e := &t.event
	e.kind = data[at]
	if at++; !singles[e.kind] {
		if data[at] == longLength {
			return false
		}
		at++
	}
	layout := eventKinds[e.kind].layout
	for i := range len(layout) {
		if at >= end {
			return false
		}
		letter, n := layout[i], int(data[at])
		at++
		if letter == 'b' {
			e.v[i] = uint64(n)
			continue
		}
		most, table := 4, mapped[letter]
		if letter == 'q' || letter == 'i' {
			most = 8
		}
		if n > most {
			return false
		}
		v := binary.LittleEndian.Uint64(data[at:]) & (1<<(8*n) - 1)
		if at += n; table > 0 {
			v = uint64(t.maps[table].global(uint32(v)))
		}
		e.v[i] = v
	}
	return at <= end
}
