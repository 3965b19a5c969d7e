package perfetto_test

import (
	"bytes"
	"context"
	"io"
	"math"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
	"google.golang.org/protobuf/encoding/protowire"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/perfetto"
)

// A tiny writer of protocol buffers. Its numbers are written out again in the tests, from Perfetto's
// definitions, and are not those of the loader.

// num is a field that is a varint.
func num(number protowire.Number, v int64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, number, protowire.VarintType), uint64(v))
}

// str is a field that is a text.
func str(number protowire.Number, s string) []byte {
	return protowire.AppendString(protowire.AppendTag(nil, number, protowire.BytesType), s)
}

// fix is a field of eight bytes.
func fix(number protowire.Number, v uint64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(nil, number, protowire.Fixed64Type), v)
}

func dbl(number protowire.Number, v float64) []byte { return fix(number, math.Float64bits(v)) }

// sub is a field that is a message.
func sub(number protowire.Number, parts ...[]byte) []byte {
	return str(number, string(bytes.Join(parts, nil)))
}

// packed is a repeated number in packed form.
func packed(number protowire.Number, all ...uint64) []byte {
	var b []byte
	for _, v := range all {
		b = protowire.AppendVarint(b, v)
	}
	return str(number, string(b))
}

// packet is a packet of sequence 1, TracePacket.trusted_packet_sequence_id.
func packet(parts ...[]byte) []byte { return on(1, parts...) }

// on is a packet of a sequence.
func on(sequence int64, parts ...[]byte) []byte {
	return sub(1, num(10, sequence), bytes.Join(parts, nil))
}

// at is a packet of sequence 1 with a timestamp.
func at(t int64, parts ...[]byte) []byte { return packet(num(8, t), bytes.Join(parts, nil)) }

// Events, TracePacket.track_event, of a track.
func begin(track int64, name string, more ...[]byte) []byte {
	return trackEvent(1, track, str(23, name), bytes.Join(more, nil))
}
func end(track int64, more ...[]byte) []byte { return trackEvent(2, track, more...) }
func instant(track int64, name string, more ...[]byte) []byte {
	return trackEvent(3, track, str(23, name), bytes.Join(more, nil))
}
func trackEvent(kind, track int64, more ...[]byte) []byte {
	return sub(11, num(9, kind), num(11, track), bytes.Join(more, nil))
}

// threadTrack describes track uuid as a thread's, processTrack as a process's.
func threadTrack(uuid, pid, tid int64, name string) []byte {
	return sub(60, num(1, uuid), sub(4, num(1, pid), num(2, tid), str(5, name)))
}
func processTrack(uuid, pid int64, name string) []byte {
	return sub(60, num(1, uuid), sub(3, num(1, pid), str(6, name)))
}

// shown is what a clock shows in a snapshot.
func clockShows(id, at int64, more ...[]byte) []byte {
	return sub(1, num(1, id), num(2, at), bytes.Join(more, nil))
}

// compressed are packets as one that holds them deflated.
func compressed(packets ...[]byte) []byte {
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	w.Write(bytes.Join(packets, nil)) // to memory: cannot fail
	w.Close()
	return packet(str(50, out.String()))
}

// zstdCompressed is the same with zstd, bareDeflated without the header of zlib.
func zstdCompressed(packets ...[]byte) []byte {
	var out bytes.Buffer
	w, _ := zstd.NewWriter(&out) // its options are sound
	w.Write(bytes.Join(packets, nil))
	w.Close()
	return packet(str(133, out.String()))
}

func bareDeflated(packets ...[]byte) []byte {
	var out bytes.Buffer
	w, _ := flate.NewWriter(&out, 9) // a level that there is
	w.Write(bytes.Join(packets, nil))
	w.Close()
	return packet(str(50, out.String()))
}

// loadBytes loads a file.
func loadBytes(file []byte) (*trace.Trace, error) { return load(bytes.NewReader(file)) }

func load(in io.Reader) (*trace.Trace, error) {
	b := trace.NewBuilder("perfetto")
	src := &input.Source{Path: "test.pftrace", Stream: in}
	if err := perfetto.Load(context.Background(), src, input.Options{}, b); err != nil {
		return nil, err
	}
	return b.Build(context.Background())
}

func mustLoad(t testtrace.TB, file []byte) *trace.Trace {
	t.Helper()
	tr, err := loadBytes(file)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}
