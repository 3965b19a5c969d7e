package ctf

import (
	"bufio"
	"encoding/binary"
	"io"
	"io/fs"
	"path"
	"strings"

	"diptych/internal/plural"
	"diptych/internal/trace"
)

// LTTng lists the packets of each stream in a file beside it: index/NAME.idx. All that is read here
// is in the streams themselves, but a stream that is missing, or was cut between two packets, shows
// that nowhere else.
//
// An index is, in big-endian order: its magic number, two words of its version, the length of an
// entry; then the entries, of which the first two words of 64 bits are where a packet begins in its
// stream, in bytes, and how long it is, in bits.
const (
	indexHeader = 16
	leastEntry  = 16
	mostEntry   = 4 << 10
)

// checkIndices counts the streams of a folder that are shorter than their indices say. The sizes of
// streams are by their names.
func (t *tracer) checkIndices(dir fs.FS, at string, sizes map[string]int64) {
	entries, err := fs.ReadDir(dir, path.Join(at, "index"))
	if err != nil {
		return // there are none
	}
	for _, e := range entries {
		stream, ok := strings.CutSuffix(e.Name(), ".idx")
		if !ok || !e.Type().IsRegular() {
			continue
		}
		packets, end := readIndex(dir, path.Join(at, "index", e.Name()))
		name := path.Join(t.name, stream)
		switch size, there := sizes[stream]; {
		case packets == 0 || there && size >= end:
		case !there:
			t.b.Diagnose(trace.Truncated, 1, "%s is missing; its index lists %s", name, plural.Of(packets, "packet"))
		default:
			t.b.Diagnose(trace.Truncated, 1, "%s has %s; its index lists packets up to byte %d", name,
				plural.Of(size, "byte"), end)
		}
	}
}

// readIndex returns how many packets an index lists, and where the last of them ends in the stream.
// What is no index lists none.
func readIndex(dir fs.FS, name string) (packets int, end int64) {
	f, err := dir.Open(name)
	if err != nil {
		return 0, 0
	}
	defer f.Close()
	in := bufio.NewReader(f)
	word := binary.BigEndian
	var head [indexHeader]byte
	if _, err := io.ReadFull(in, head[:]); err != nil || word.Uint32(head[:]) != indexMagic {
		return 0, 0
	}
	size := word.Uint32(head[12:])
	if size < leastEntry || size > mostEntry {
		return 0, 0
	}
	for entry := make([]byte, size); ; packets++ {
		if _, err := io.ReadFull(in, entry); err != nil {
			return packets, end
		}
		begin, length := word.Uint64(entry), word.Uint64(entry[8:])/8
		if begin < trace.Limit && length < trace.Limit {
			end = max(end, int64(begin+length))
		}
	}
}
