package perfetto_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/perfetto"
	"diptych/internal/traceio/text/texttest"
)

// Entries of InternedData: functions main and f, the mapping 9 of /system/lib64/libc.so, the frames
// 1 and 2 of these functions and 3 without one, and callstacks of these.
var (
	functions = [][]byte{sub(5, num(1, 1), str(2, "main")), sub(5, num(1, 2), str(2, "_ZN1n1fEv"))}
	mappings  = [][]byte{sub(19, num(1, 9), num(7, 1), packed(7, 2, 3)), sub(17, num(1, 1), str(2, "system")),
		sub(17, num(1, 2), str(2, "lib64")), sub(17, num(1, 3), str(2, "libc.so"))}
	frames = [][]byte{sub(6, num(1, 1), num(2, 1), num(3, 9)), sub(6, num(1, 2), num(2, 2)),
		sub(6, num(1, 3), num(3, 9), num(4, 0x80))}
	callstacks = [][]byte{sub(7, num(1, 4), num(2, 1)), sub(7, num(1, 5), packed(2, 1, 2)),
		sub(7, num(1, 6), packed(2, 1, 2, 3))}
	stackData = sub(12, bytes.Join(slices.Concat(callstacks, frames, mappings, functions), nil))
)

// perfSample is TracePacket.perf_sample of thread 11 in process 10.
func perfSample(more ...[]byte) []byte {
	return sub(66, num(1, 3), num(2, 10), num(3, 11), bytes.Join(more, nil))
}

// stackSample is TracePacket.stack_sample.
func stackSample(fields ...[]byte) []byte { return sub(135, bytes.Join(fields, nil)) }

// thread11 is the TaskContext of thread 11 in process 10.
var thread11 = sub(1, num(2, 10), num(3, 11))

// frame is a frame of an InlineCallstack.
func frame(name, file string) []byte { return sub(1, str(1, name), str(2, file), num(3, 8)) }

// sampledCases are files with stack samples.
var sampledCases = []struct {
	name    string
	packets [][]byte
	want    string
}{
	{"samples of perf, beside the slices of their thread", [][]byte{
		packet(processTrack(1, 10, "app")), packet(threadTrack(2, 10, 11, "main 1")),
		at(100, begin(2, "slice")), packet(num(41, 1), stackData), at(110, perfSample(num(4, 5))),
		at(130, perfSample(num(4, 6))), at(120, perfSample(num(4, 5))), at(140, perfSample(num(4, 4))),
		at(400, perfSample(num(4, 4))), at(450, end(2)),
	}, `
process 10 "app" 0
thread 10/11 "main 1" process 0 sort 0
  0-350 slice
thread 10/11/samples "main 1 samples" process 0 sort 0 samples
  10-50 main [libc.so]
    10-40 n::f [n]
      30-40 [libc.so] [libc.so]
  300-310 main [libc.so]
reordered 1
`},
	{"samples of a sequence's thread, each so many µs after the one before", [][]byte{
		packet(num(41, 1), sub(44, num(1, 10), num(2, 11), str(5, "w"), num(6, 5)), stackData),
		packet(sub(54, packed(1, 4, 5), packed(2, 1, 2))), packet(sub(54, num(1, 4), num(2, 2))),
		packet(num(41, 1)), packet(sub(54, num(1, 4), num(2, 2))),
	}, `
process 10 "10" 0
thread 10/11/samples "w samples" process 0 sort 0
  0-6000 main [libc.so]
    2000-4000 n::f [n]
bad-record 1
`},
	{"samples that name their threads and frames", [][]byte{
		packet(num(41, 1), stackData), packet(sub(12, sub(2000, num(1, 7), num(2, 10), num(3, 11)))),
		at(10, stackSample(thread11, sub(5, frame("main", "/src/main.py"), frame("f", "/src/f.py")))),
		at(20, stackSample(num(2, 7), sub(5, frame("main", "/src/main.py")), num(11, 1000))),
		at(30, stackSample(num(2, 7), num(6, 5))), at(40, stackSample(thread11, sub(5, packed(2, 1)))),
		at(50, stackSample(thread11, sub(5, frame("main", "/src/main.py")))),
	}, `
process 10 "10" 0
thread 10/11/samples "11 samples" process 0 sort 0
  0-20 main
    0-10 f
  20-40 main [libc.so]
    20-30 n::f [n]
  40-50 main
`},
	{"what is missing of these", [][]byte{
		at(1, stackSample(sub(1, num(2, 10), num(4, 7)), sub(5, frame("f", "")))), at(1, stackSample(thread11)),
		packet(stackSample(thread11, sub(5, frame("f", "")))), at(1, stackSample(thread11, num(6, 9))),
		at(1, stackSample(thread11, sub(5, packed(2, 8)))), at(1, stackSample(num(2, 9), sub(5, frame("f", "")))),
	}, `
bad-record 3
not-read 3
`},
	{"what is missing", [][]byte{
		packet(sub(54, num(1, 4), num(2, 2))), packet(perfSample(num(4, 4))), at(1, perfSample(num(4, 4))),
		at(1, perfSample()), at(1, perfSample(num(17, 7))), at(1, perfSample(num(18, 2))),
		packet(sub(44, num(1, 10), num(2, 11)), sub(12, sub(7, num(1, 4), packed(2, 8)))),
		packet(sub(54, num(1, 4), packed(2, 2, 3))),
	}, `
bad-record 5
lost-records 8
not-read 1
unknown-clock 1
`},
}

// TestSamples holds what becomes of stack samples, and of what is wrong with them.
func TestSamples(t *testing.T) {
	for _, c := range sampledCases {
		if got := texttest.Show(mustLoad(t, bytes.Join(c.packets, nil))); "\n"+got != c.want {
			t.Errorf("%s:\n%s\nwant%s", c.name, got, c.want)
		}
	}
}

// TestSamplesAskForMemory has a million samples in a packet, two bytes each.
func TestSamplesAskForMemory(t *testing.T) {
	const n, most = 1 << 20, 4 << 20
	file := slices.Concat(packet(num(41, 1), sub(44, num(1, 10), num(2, 11)), stackData),
		packet(sub(54, str(1, strings.Repeat("\x04\x05", n/2)), str(2, strings.Repeat("\x01", n)))))
	full, asked := errors.New("full"), int64(0)
	b := trace.NewBuilder("perfetto")
	b.Weigh(func(bytes, _ int64) error {
		if asked = max(asked, bytes); bytes > most {
			return full
		}
		return nil
	})
	src := &input.Source{Path: "test.pftrace", Stream: bytes.NewReader(file)}
	err := perfetto.Load(context.Background(), src, input.Options{}, b)
	if err == nil {
		_, err = b.Build(context.Background())
	}
	if !errors.Is(err, full) || asked > 5*most {
		t.Errorf("%v, after %d bytes were asked for", err, asked)
	}
}
