package ctf

import (
	"encoding/binary"
	"testing"
	"testing/fstest"
)

// index returns the index of a stream of packets of that many bytes each.
func index(packets ...int) *fstest.MapFile {
	const entry = 64
	word := binary.BigEndian
	out := word.AppendUint32(nil, indexMagic)
	out = word.AppendUint32(word.AppendUint32(out, 1), 1)
	out = word.AppendUint32(out, entry)
	at := 0
	for _, n := range packets {
		out = word.AppendUint64(word.AppendUint64(out, uint64(at)), uint64(n)*8)
		out = append(out, make([]byte, entry-16)...)
		at += n
	}
	return &fstest.MapFile{Data: out}
}

// TestIndices: streams that their indices know and that are missing, empty or cut between two
// packets are told. An index of no packet, as of a processor on which nothing happened, asks for
// no stream.
func TestIndices(t *testing.T) {
	r := &recorded{}
	r.event(1000, 7, 7, "a", "app:mark")
	packet := r.packet()
	n := len(packet)
	for what, c := range map[string]struct {
		name string
		of   *fstest.MapFile
		want string
	}{
		"whole":          {"channel_0", index(n), ""},
		"cut":            {"channel_0", index(n, 4096), "d/channel_0 has "},
		"empty":          {"channel_1", index(4096), "d/channel_1 has 0 bytes; its index lists packets up to byte 4096"},
		"missing":        {"channel_9", index(4096, 4096), "d/channel_9 is missing; its index lists 2 packets"},
		"of no packet":   {"channel_9", index(), ""},
		"damaged":        {"channel_9", &fstest.MapFile{Data: index(9).Data[:20]}, ""},
		"something else": {"channel_9", &fstest.MapFile{Data: []byte("no index of a stream at all")}, ""},
	} {
		dir := r.folder(packet, nil)
		dir["index/"+c.name+".idx"] = c.of
		got := ""
		for _, d := range mustLoad(t, dir).Diagnostics {
			got += d.Example
		}
		if len(got) < len(c.want) || got[:len(c.want)] != c.want || (got == "") != (c.want == "") {
			t.Errorf("%s: told %q, want %q", what, got, c.want)
		}
	}
}
