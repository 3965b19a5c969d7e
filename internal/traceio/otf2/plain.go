package otf2

import "encoding/binary"

// plainMost is more than a time and the event of one number after it take.
const plainMost = stampSize + 2 + 4

// plain takes events as long as they are of the plain kind, which most are: a region is entered or
// left, without attributes and with a clock that needs no correction. It stops before anything else
// and near the end of what is at hand, which next and decode are for.
func (t *track) plain(f *frames) {
	if f.left > 0 || f.padded || f.ended || len(t.attrs) > 0 || len(t.offsets) > 1 ||
		f.order != binary.ByteOrder(binary.LittleEndian) {
		return
	}
	regions, e, out := &t.maps[mapped['r']], &t.event, t.out
	e.attrs = nil
	for data := f.in.Rest(); len(data) >= plainMost && !out.Full(); {
		now, used := f.now, 0
		if data[0] == timestamp {
			now, used = binary.LittleEndian.Uint64(data[1:]), stampSize
		}
		kind, n := data[used], int(data[used+1])
		at, ok := t.a.defs.clock.ns(now)
		if kind != enter && kind != leave || n > 4 || !ok {
			return
		}
		region := binary.LittleEndian.Uint32(data[used+2:]) & (1<<(8*n) - 1)
		e.kind, e.time = kind, now
		e.v[0] = uint64(regions.global(region))
		t.take(e, at)
		used += 2 + n
		f.now, f.stamped = now, f.stamped || used > 2+n
		f.in.Advance(used)
		data = data[used:]
	}
}
