package perfetto_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// manyCalls is a file of n calls as a browser writes them: interned names, incremental times, an
// annotation each.
func manyCalls(n int) []byte {
	w := writer{sequence: 1, track: 2, interned: true, delta: true}
	w.clear(0)
	w.packets = append(w.packets, packet(threadTrack(2, 1, 1, "main")))
	for i := range n {
		w.event(int64(10*i), fmt.Sprint("function ", i%300), 1)
		w.event(int64(10*i+5), "", 2)
	}
	return bytes.Join(w.packets, nil)
}

// walk goes over all fields of a message, and of those that seem to be messages, as protoc
// --decode_raw does.
func walk(message []byte) (n int, sound bool) {
	for len(message) > 0 {
		number, kind, k := protowire.ConsumeTag(message)
		if k < 0 {
			return n, false
		}
		value := protowire.ConsumeFieldValue(number, kind, message[k:])
		if value < 0 {
			return n, false
		}
		if kind == protowire.BytesType {
			body, _ := protowire.ConsumeBytes(message[k:])
			if inner, ok := walk(body); ok {
				n += inner
			}
		}
		n, message = n+1, message[k+value:]
	}
	return n, true
}

// BenchmarkLoad reports, besides its own speed, how many times as long as a plain walk over all
// fields of the file it takes, the fastest of either in the same run.
func BenchmarkLoad(b *testing.B) {
	file := manyCalls(200_000)
	plain := time.Duration(1 << 62)
	for range 3 {
		start := time.Now()
		if n, ok := walk(file); !ok || n == 0 {
			b.Fatal("not a file of fields")
		}
		plain = min(plain, time.Since(start))
	}
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	own := time.Duration(1 << 62)
	for b.Loop() {
		start := time.Now()
		mustLoad(b, file)
		own = min(own, time.Since(start))
	}
	b.ReportMetric(float64(own)/float64(plain), "x-plain-walk")
}
