package perfetto_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"diptych/internal/testtrace"
	"diptych/internal/testtrace/deepeq"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/perfetto"
	"diptych/internal/traceio/text/texttest"
)

// cases are files, by packet, and what is made of them.
var cases = []struct {
	name    string
	packets [][]byte
	want    string
}{
	{"slices of a thread, named by the process and the thread", [][]byte{
		packet(processTrack(1, 10, "app")), packet(threadTrack(2, 10, 11, "main")),
		at(100, begin(2, "outer", str(22, "cat"))), at(110, begin(2, "inner")),
		at(120, end(2)), at(150, end(2)), at(130, instant(2, "tick")),
	}, `
process 10 "app" 0
thread 10/11 "main" process 0 sort 0
  0-50 outer [cat]
    10-20 inner
  at 30 tick
`},
	{"descriptions after the events they are about", [][]byte{
		at(0, begin(2, "f")), at(5, end(2)), at(0, begin(3, "g")), at(7, end(3)),
		packet(threadTrack(2, 10, 11, "main")), packet(processTrack(1, 10, "app")),
		packet(sub(60, num(1, 3), num(5, 1), str(2, "jobs"))),
	}, `
process 10 "app" 0
thread 10/11 "main" process 0 sort 0
  0-5 f region
thread 10/track-3 "jobs" process 0 sort 0 async
  0-7 g region
`},
	{"tracks below others, of a process, of none, and the global one", [][]byte{
		packet(processTrack(1, 10, "app")), packet(sub(60, num(1, 2), num(5, 1), str(2, "net"))),
		packet(sub(60, num(1, 3), num(5, 2), str(2, "request"), num(12, 4))),
		packet(sub(60, num(1, 4), str(2, "alone"))),
		at(0, begin(3, "get")), at(4, end(3)), at(1, begin(4, "a")), at(2, end(4)),
		packet(num(8, 3), sub(11, num(9, 1), str(23, "whole"))), at(5, end(0)),
		at(6, begin(1, "start")), at(7, end(1)),
	}, `
process 10 "app" 0
thread 10/track-3 "net / request" process 0 sort 4 async
  0-4 get region
thread track-4 "alone" process -1 sort 0 async
  1-2 a region
thread track-0 "whole" process -1 sort 0 async
  3-5 whole region
thread 10/track-1 "app" process 0 sort 0 async
  6-7 start region
`},
	{"processes whose name is their command line, one of them of a known kind", [][]byte{
		packet(sub(60, num(1, 1), sub(3, num(1, 10), str(2, "/bin/app --id=7"), str(6, "/bin/app --id=7"),
			str(8, "a page")), sub(6, num(1, 2)))),
		packet(sub(60, num(1, 2), sub(3, num(1, 20), str(2, "/bin/app --id=8"), str(6, "/bin/app --id=8")))),
		at(0, begin(1, "f")), at(4, end(1)), at(0, begin(2, "f")), at(4, end(2)),
	}, `
process 10 "Renderer" 0
process 20 "app" 0
thread 10/track-1 "Renderer" process 0 sort 0 async
  0-4 f region
thread 20/track-2 "f" process 1 sort 0 async
  0-4 f region
`},
	{"circular tracks", [][]byte{
		packet(sub(60, num(1, 3), num(5, 4), str(2, "x"))), packet(sub(60, num(1, 4), num(5, 3), str(2, "y"))),
		at(0, begin(3, "f")), at(4, end(3)),
	}, `
thread track-3 "y / x" process -1 sort 0 async
  0-4 f region
bad-record 1
`},
	{"interned names, categories, defaults, until they are cleared", [][]byte{
		packet(num(13, 1), threadTrack(2, 1, 1, "t"), sub(59, sub(11, num(11, 2)))),
		at(0, num(13, 2), sub(12, sub(2, num(1, 7), str(2, "f")), sub(1, num(1, 1), str(2, "c")),
			sub(1, num(1, 2), str(2, "d"))), sub(11, num(9, 1), num(10, 7), num(3, 1))),
		at(1, num(13, 2), sub(11, num(9, 1), num(10, 7), num(3, 1), num(3, 2), str(22, "e"))),
		at(2, num(13, 2), sub(11, num(9, 2))), at(3, num(13, 2), sub(11, num(9, 2))),
		at(4, num(13, 1), sub(12, sub(2, num(1, 7), str(2, "g"))), trackEvent(1, 2, num(10, 7))),
		at(5, trackEvent(2, 2)),
	}, `
process 1 "1" 0
thread 1/1 "t" process 0 sort 0
  0-3 f [c]
    1-2 f [c]
  4-5 g
`},
	{"interned names of two sequences that are used again, with another meaning, and after clearing", [][]byte{
		packet(num(13, 1), threadTrack(2, 1, 1, "t"), sub(12, sub(2, num(1, 7), str(2, "f")))),
		on(2, num(13, 1), sub(12, sub(2, num(1, 7), str(2, "g")))),
		at(0, trackEvent(1, 2, num(10, 7))), at(1, trackEvent(1, 2, num(10, 7))),
		on(2, num(8, 2), trackEvent(1, 2, num(10, 7))), on(2, num(8, 3), trackEvent(1, 2, num(10, 7))),
		at(4, trackEvent(1, 2, num(10, 7))),
		at(5, sub(12, sub(2, num(1, 7), str(2, "h"))), trackEvent(1, 2, num(10, 7))),
		at(6, trackEvent(1, 2, num(10, 7))), at(7, trackEvent(1, 2, num(10, 7))),
		at(8, num(13, 1), sub(12, sub(2, num(1, 7), str(2, "i"))), trackEvent(1, 2, num(10, 7))),
		on(2, num(8, 9), trackEvent(1, 2, num(10, 7))), at(10, trackEvent(2, 2)),
	}, `
process 1 "1" 0
thread 1/1 "t" process 0 sort 0
  0-10 f
    1-10 f
      2-10 g
        3-10 g
          4-10 f
            5-10 h
              6-10 h
                7-10 h
                  8-10 i
                    9-10 g
unmatched-begin 9
`},
	{"packets that depend on dropped ones are skipped", [][]byte{
		packet(threadTrack(2, 1, 1, "t")), at(0, num(13, 2), begin(2, "before")),
		at(1, num(13, 1), begin(2, "a")), at(2, num(13, 2), end(2)),
		at(3, num(42, 1), num(13, 2), begin(2, "lost")), at(4, num(13, 2), end(2)),
		at(5, num(41, 1), begin(2, "b")), at(6, num(13, 2), end(2)),
		on(2, num(8, 7), num(13, 2), begin(2, "other")),
	}, `
process 1 "1" 0
thread 1/1 "t" process 0 sort 0
  0-1 a
  4-5 b
lost-records 4
`},
	{"packets were dropped before one that depends on none", [][]byte{
		packet(num(42, 1), threadTrack(2, 1, 1, "t")), at(0, begin(2, "a")), at(1, num(42, 1), end(2)),
	}, `
process 1 "1" 0
thread 1/1 "t" process 0 sort 0
  0-1 a
lost-records 1
`},
	{"threads of another machine have the same numbers", [][]byte{
		packet(threadTrack(2, 1, 1, "t")), on(2, num(98, 7), threadTrack(3, 1, 1, "other")),
		at(0, begin(2, "a")), on(2, num(98, 7), num(8, 5), begin(3, "b")), at(9, end(2)),
	}, `
process 1 "1" 0
thread 1/1 "t" process 0 sort 0
  0-9 a
not-read 2
`},
	{"compressed packets, unknown fields and kinds", [][]byte{
		compressed(packet(threadTrack(2, 1, 1, "t"), str(1999, "?")), at(0, begin(2, "f"))),
		str(3, "not a packet"), num(4, 5), fix(5, 6),
		packet(str(66, "a sample")), compressed(at(9, end(2, num(2900, 1))), compressed()),
	}, `
process 1 "1" 0
thread 1/1 "t" process 0 sort 0
  0-9 f
bad-record 1
not-read 1
`},
	{"packets compressed in the other ways", [][]byte{
		zstdCompressed(packet(threadTrack(2, 1, 1, "t")), at(0, begin(2, "f"))),
		bareDeflated(at(9, end(2))),
	}, `
process 1 "1" 0
thread 1/1 "t" process 0 sort 0
  0-9 f
`},
	{"broken parts", [][]byte{
		packet(threadTrack(2, 1, 1, "t")), at(0, begin(2, "f")), at(2, end(2)),
		sub(1, []byte{0xff}), packet(str(11, "\xff")), packet(str(50, "no zlib")),
		packet(str(6, "\xff")), packet(str(12, "\xff")), packet(str(60, "\xff")),
		at(1, sub(1, sub(4, num(1, 5)))),
	}, `
process 1 "1" 0
thread 1/1 "t" process 0 sort 0
  0-2 f
bad-record 7
`},
	{"packets after a broken length, tag, or body", [][]byte{
		packet(threadTrack(2, 1, 1, "t")), {0x0a, 0x7f}, at(0, begin(2, "a")), at(1, end(2)),
		{0x0a, 0x03}, at(2, begin(2, "b")), at(3, end(2)), sub(1, []byte{0x42, 0xff}),
		{0x07}, at(4, begin(2, "c")), at(5, end(2)),
	}, `
process 1 "1" 0
thread 1/1 "t" process 0 sort 0
  0-1 a
  2-3 b
  4-5 c
bad-record 3
`},
	{"events without a time, a type or a known phase, and names that are not stated", [][]byte{
		packet(num(13, 1), threadTrack(2, 1, 1, "t")), at(0, begin(2, "f")), packet(begin(2, "no time")),
		at(1, trackEvent(0, 2, str(23, "no type"))), at(2, sub(11, num(11, 2), sub(6, num(2, 'C')))),
		at(3, trackEvent(1, 2, num(10, 7))), at(4, trackEvent(3, 2, num(10, 7))), at(5, end(2)),
		at(6, sub(11, num(11, 2), sub(6, num(1, 7), num(2, 'I')))), at(7, end(2)),
	}, `
process 1 "1" 0
thread 1/1 "t" process 0 sort 0
  0-7 f
    3-5 (unnamed)
  at 4 (unnamed)
  at 6 (unnamed)
bad-record 4
not-read 2
`},
	{"counters, absolute and by difference", [][]byte{
		packet(processTrack(1, 10, "app")), packet(sub(60, num(1, 5), num(5, 1), str(2, "heap"),
			sub(8, num(4, 1000)))),
		packet(sub(60, num(1, 6), num(5, 1), str(2, "load"), sub(8, num(5, 1)))),
		at(0, trackEvent(4, 5, num(30, 3))), at(1, trackEvent(4, 6, num(30, 4))), at(2, trackEvent(4, 6, num(30, -1))),
		at(3, trackEvent(4, 5, dbl(44, 0.5))), at(4, trackEvent(4, 5)),
	}, `
process 10 "app" 0
counter 0 heap [0 3] [3000 500]
counter 0 load [1 2] [4 3]
bad-record 1
`},
	{"counters beside an event", [][]byte{
		packet(threadTrack(1, 10, 11, "t")), packet(sub(60, num(1, 2), num(5, 1), sub(8, num(1, 1)))),
		packet(sub(60, num(1, 3), num(5, 1), str(2, "heap"), sub(8, num(4, 10), num(5, 1)))),
		packet(sub(60, num(1, 4), num(5, 1), str(2, "load"), sub(8))),
		packet(sub(59, sub(11, num(11, 1), num(31, 2), num(31, 3), num(45, 4)))),
		at(0, begin(1, "f", num(12, 5), num(12, 6), dbl(46, 0.5))), at(2, end(1, num(12, 5), num(12, -1))),
		at(3, instant(1, "i", num(12, 7), num(31, 3), dbl(46, math.NaN()), num(12, 8))),
	}, `
process 10 "10" 0
thread 10/11 "t" process 0 sort 0
  0-2 f
  at 3 i
counter 0 heap (11) [0 2 3] [60 50 120]
counter 0 load (11) [0] [0.5]
bad-record 2
`},
	{"counters of one name under several tracks", [][]byte{
		packet(sub(60, num(1, 1), str(2, "first"))), packet(sub(60, num(1, 2), str(2, "second"))),
		packet(threadTrack(3, 10, 11, "t")), packet(threadTrack(4, 10, 12, "u")),
		packet(sub(60, num(1, 5), num(5, 1), str(2, "skew"), sub(8))),
		packet(sub(60, num(1, 6), num(5, 2), str(2, "skew"), sub(8))),
		packet(sub(60, num(1, 7), num(5, 3), str(2, "heap"), sub(8))),
		packet(sub(60, num(1, 8), num(5, 4), str(2, "heap"), sub(8))),
		at(0, trackEvent(4, 5, num(30, 1))), at(0, trackEvent(4, 6, num(30, 2))),
		at(1, trackEvent(4, 7, num(30, 3))), at(2, trackEvent(4, 8, num(30, 4))),
	}, `
process 10 "10" 0
counter -1 first / skew [0] [1]
counter -1 second / skew [0] [2]
counter 0 heap (11) [1] [3]
counter 0 heap (12) [2] [4]
`},
	{"flows from event to event, until one terminates them", [][]byte{
		packet(threadTrack(1, 1, 1, "a")), packet(threadTrack(2, 1, 2, "b")),
		at(0, begin(1, "send", fix(47, 9))), at(2, end(1)), at(3, begin(2, "relay", fix(47, 9))),
		at(4, end(2)), at(5, begin(1, "get", fix(48, 9))), at(6, end(1)),
		at(7, begin(1, "again", packed(36, 1), fix(47, 9))), at(8, end(1)),
		at(9, begin(2, "last", num(42, 9))), at(10, end(2)), at(11, begin(2, "stray", fix(48, 8))),
		at(12, end(2)),
	}, `
process 1 "1" 0
thread 1/1 "a" process 0 sort 0
  0-2 send
  5-6 get
  7-8 again
thread 1/2 "b" process 0 sort 0
  3-4 relay
  9-10 last
  11-12 stray
3 1/2/0 releases the 3 before 1/1/1
7 1/1/2 releases the 5 before 1/2/1
0-3 1/1/0 causes 1/2/0
3-5 1/2/0 causes 1/1/1
7-9 1/1/2 causes 1/2/1
unbound-flow 1
`},
	{"annotations of all kinds, and of an end", [][]byte{
		packet(num(13, 1), threadTrack(2, 1, 1, "t"), sub(12, sub(3, num(1, 1), str(2, "n")),
			sub(29, num(1, 4), str(2, "interned")), sub(4, num(1, 6), str(2, "a.cc"), str(3, "Post")))),
		at(0, begin(2, "f", sub(4, str(10, "b"), num(2, 1)), sub(4, num(1, 1), num(3, 7)),
			sub(4, str(10, "i"), num(4, -2)), sub(4, str(10, "d"), dbl(5, 0.5)),
			sub(4, str(10, "s"), str(6, "x\"y")), sub(4, str(10, "p"), num(7, 255)),
			sub(4, str(10, "j"), str(9, `{"k": [1, 2]}`)), sub(4, str(10, "t"), num(17, 4)),
			sub(4, str(10, "none")), sub(5, num(1, 6)))),
		at(1, begin(2, "g", sub(4, str(10, "o"), sub(11, str(10, "k"), sub(12, num(4, 1)),
			sub(12, num(4, 2)))), sub(4, str(10, "old"), sub(8, num(1, 1), str(2, "q"), str(2, "r"),
			sub(3, num(5, 3)), sub(3, num(1, 2), sub(4, str(8, "z")), sub(4, num(7, 1))))))),
		at(2, end(2)), at(3, end(2, sub(4, str(10, "result"), dbl(5, math.Inf(1))))),
	}, `
process 1 "1" 0
thread 1/1 "t" process 0 sort 0
  0-3 f {"src_file":"a.cc","src_func":"Post","b":true,"n":7,"i":-2,"d":0.5,"s":"x\"y","p":"0xff","j":{"k":[1,2]},"t":"interned","none":null} {"result":"+Inf"}
    1-2 g {"o":{"k":[1,2]},"old":{"q":3,"r":["z",true]}}
`},
}

func TestLoad(t *testing.T) {
	for _, c := range append(cases, append(timed, kernel...)...) {
		t.Run(c.name, func(t *testing.T) {
			tr := mustLoad(t, bytes.Join(c.packets, nil))
			if got, want := texttest.Show(tr), c.want[1:]; got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}

// TestOneByteAtATime holds packets that are at hand when they are asked for against those that are
// not, in files with and without damage.
func TestOneByteAtATime(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	for i := range testtrace.Sized(400, 100_000) {
		file := bytes.Join(cases[i%len(cases)].packets, nil)
		for range i / len(cases) % 4 {
			file[r.IntN(len(file))] ^= byte(1 << r.IntN(8))
		}
		got, err := loadBytes(file)
		want, wantErr := load(iotest.OneByteReader(bytes.NewReader(file)))
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Fatalf("%x: %v, want %v", file, err, wantErr)
		}
		if err == nil && !deepeq.Equal(got, want) {
			t.Fatalf("%x:\n%s\nwant\n%s", file, texttest.Show(got), texttest.Show(want))
		}
	}
}

// TestRefused has files in which there is no packet, or of which the rest cannot be read.
func TestRefused(t *testing.T) {
	sound := at(0, begin(2, "f"))
	for _, c := range []struct {
		name, file, want string // want of an error, or the code of a diagnostic
	}{
		{"nothing", "", "no packet"},
		{"another format", "{}", "no packet"},
		{"a profile of pprof", "\x0a\x04\x08\x01\x10\x02\x0a\x04\x08\x03\x10\x04\x60\x01", "no packet"},
		{"another format after a packet", string(sound) + "\x07", "truncated"},
		{"a packet that is cut", string(sound) + string(sound[:5]), "truncated"},
		{"a length that is cut", string(sound) + "\x0a\xff", "truncated"},
		{"a length without an end", string(sound) + "\x0a" + strings.Repeat("\xff", 12), "truncated"},
		{"a length beyond all", string(sound) + "\x0a\xff\xff\xff\xff\xff\xff\x7f", "truncated"},
	} {
		tr, err := loadBytes([]byte(c.file))
		var e *input.FormatError
		switch {
		case err != nil && (!errors.As(err, &e) || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v", c.name, err)
		case err == nil && (len(tr.Diagnostics) == 0 ||
			tr.Diagnostics[0].Code != "truncated" || c.want != "truncated"):
			t.Errorf("%s: %v", c.name, tr.Diagnostics)
		}
	}
}

func TestSniff(t *testing.T) {
	sound := at(0, begin(2, "f"))
	large := packet(str(33, strings.Repeat("x", input.HeadSize)))[:input.HeadSize]
	for _, c := range []struct {
		name string
		head []byte
		want bool
	}{
		{"a packet", sound, true},
		{"a packet and a part of one", append(bytes.Clone(sound), sound[:4]...), true},
		{"empty packets first", append([]byte("\x0a\x00\x0a\x00"), sound...), true},
		{"a packet beyond the head", large, true},
		{"nothing", nil, false},
		{"empty packets only", []byte("\x0a\x00"), false},
		{"lines of text", []byte("\n{\"a\": 1}\n"), false},
		{"a profile", append(sub(1, num(1, 1), num(2, 2)), sub(2, num(1, 1))...), false},
		{"other fields", append(bytes.Clone(sound), num(2, 1)...), false},
		{"zeros", make([]byte, 100), false},
	} {
		if got := perfetto.Sniff(&input.Source{Head: c.head}); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
