package gotrace

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	xtrace "golang.org/x/exp/trace"

	"diptych/internal/fuzzall/seeds"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio/loadtest"
)

// TestCutAndCorrupted loads recordings with their end missing and with one byte changed: each ends
// in a trace or in an error of one line.
func TestCutAndCorrupted(t *testing.T) {
	for name, data := range recordings(t) {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			for range testtrace.Sized(6, 64) {
				n := r.IntN(len(data))
				survives(t, data[:n])
				broken := slices.Clone(data)
				broken[n] ^= byte(1 + r.IntN(255))
				survives(t, broken)
			}
		})
	}
}

func survives(t testing.TB, data []byte) {
	t.Helper()
	tr, err := tryLoad(data)
	loadtest.Sound(t, tr, err)
}

// TestCutGenerations checks what is kept of a file that ends too early: generations that are whole,
// and of the last one the events, if only the tables after them are cut.
func TestCutGenerations(t *testing.T) {
	for name, data := range recordings(t) {
		if !bytes.HasPrefix(data, []byte("go 1.26")) {
			continue
		}
		whole := load(t, data)
		want := ofTrace(t, whole)
		for what, broken := range map[string][]byte{
			"in a second generation": append(slices.Clone(data), data[headerLen:len(data)/2]...),
			"before the end mark":    data[:len(data)-1],
			"within the strings":     data[:len(data)-100],
		} {
			tr := load(t, broken)
			got := ofTrace(t, tr)
			if got.Goroutines < want.Goroutines || got.Unblocks < want.Unblocks ||
				got.Syscalls < want.Syscalls || total(got.Waits) < total(want.Waits) {
				t.Errorf("%s: cut %s: %+v of %+v is kept", name, what, got, want)
			}
			if !slices.ContainsFunc(tr.Diagnostics, isCut) {
				t.Errorf("%s: cut %s: diagnostics %v", name, what, tr.Diagnostics)
			}
		}
	}
}

// TestDamagedInTheMiddle: a file that has a byte too many or too few somewhere is kept in part,
// though the reader refuses all of a generation in which a batch cannot be found, or an entry of a
// table. If it lies before the tables, which are most of these, all functions have their names.
func TestDamagedInTheMiddle(t *testing.T) {
	for name, data := range recordings(t) {
		if !bytes.HasPrefix(data, []byte("go 1.26")) {
			continue
		}
		whole, kept, named := load(t, data), 0, 0
		const parts = 12
		for k := range parts {
			at := len(data) * (2*k + 1) / (2 * parts)
			for _, broken := range [][]byte{slices.Concat(data[:at], data[at-1:]),
				slices.Concat(data[:at], data[at+1:])} {
				tr, err := tryLoad(broken)
				if loadtest.Sound(t, tr, err); err == nil && len(tr.Diagnostics) > len(whole.Diagnostics) {
					kept++
					if !slices.ContainsFunc(tr.Functions, func(f trace.Function) bool {
						return strings.HasPrefix(f.Name, "?")
					}) {
						named++
					}
				}
			}
		}
		if kept < 2*parts-2 || named < kept/4 {
			t.Errorf("%s: of %d damaged files %d are kept in part, %d with all names", name, 2*parts, kept, named)
		}
	}
}

// TestProperEnd has a trace of Go 1.25, which has no end marks: it ends properly behind a table of
// strings, whichever number that explains, and too early without one.
func TestProperEnd(t *testing.T) {
	clock := []byte{eventBatch, 1, 0, 0, 1, clockBatch}
	for what, c := range map[string]struct {
		more []byte
		want bool
	}{
		"a string":               {[]byte{eventBatch, 1, 0, 0, 5, stringTable, stringEntry, 7, 1, 'a'}, false},
		"a string of great id":   {[]byte{eventBatch, 1, 0, 0, 7, stringTable, stringEntry, 0xff, 0xff, 0x7f, 1, 'a'}, false},
		"no string in its table": {[]byte{eventBatch, 1, 0, 0, 1, stringTable}, true},
		"no table":               {nil, true},
	} {
		m := mend(io.MultiReader(strings.NewReader("go 1.25 trace\x00\x00\x00"), bytes.NewReader(clock), bytes.NewReader(c.more)))
		if _, err := io.ReadAll(m); err != nil || m.mended != c.want {
			t.Errorf("%s: mended %v, want %v, %v", what, m.mended, c.want, err)
		}
	}
}

func isCut(d trace.Diagnostic) bool { return d.Code == trace.Truncated }

// TestCutOldTraces: a trace in the format until Go 1.21 keeps all that happened wherever it is cut
// behind the speed of its clock, and the more functions the later.
func TestCutOldTraces(t *testing.T) {
	for name, data := range recordings(t) {
		if !bytes.HasPrefix(data, []byte("go 1.19")) && !bytes.HasPrefix(data, []byte("go 1.21")) {
			continue
		}
		body := data[headerLen:]
		if old := oldEvents(body); old.whole != len(body) || !old.clock {
			t.Fatalf("%s: %d of %d bytes are events, clock %v", name, old.whole, len(body), old.clock)
		}
		want := ofTrace(t, load(t, data))
		kept := 0
		for n := headerLen; n < len(data); n += testtrace.Sized(4999, 97) {
			tr, err := tryLoad(data[:n])
			if !oldEvents(data[headerLen:n]).clock {
				if err == nil || n > headerLen+1 && !strings.Contains(err.Error(), "how fast its clock ticks") {
					t.Fatalf("%s: cut at %d: times without a clock: %v", name, n, err)
				}
				continue
			}
			if err != nil {
				t.Fatalf("%s: cut at %d: %v", name, n, err)
			}
			got := ofTrace(t, tr)
			if got.Unblocks != want.Unblocks || got.Syscalls != want.Syscalls || total(got.Waits) != total(want.Waits) {
				t.Fatalf("%s: cut at %d: %+v of %+v is kept", name, n, got, want)
			}
			if d := tr.Diagnostics; !slices.ContainsFunc(d, isCut) {
				t.Fatalf("%s: cut at %d: diagnostics %v", name, n, d)
			}
			if len(tr.Functions) < kept {
				t.Fatalf("%s: cut at %d: %d functions, with less of the file %d", name, n, len(tr.Functions), kept)
			}
			kept = len(tr.Functions)
		}
		if kept == 0 {
			t.Errorf("%s: nothing is kept of any part", name)
		}
	}
}

func total(counts map[string]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

// TestMendLeavesTheIntactAlone checks that what is passed on of an intact file is the file, in
// pieces of any size.
func TestMendLeavesTheIntactAlone(t *testing.T) {
	for name, data := range recordings(t) {
		m := mend(iotest.OneByteReader(bytes.NewReader(data)))
		if got, err := io.ReadAll(m); err != nil || !bytes.Equal(got, data) || m.mended {
			t.Errorf("%s: %d bytes of %d, mended %v, %v", name, len(got), len(data), m.mended, err)
		}
	}
}

// FuzzLoad begins with a small trace of today's format (testdata/fuzz) and with the smallest
// recording of each older one: large seeds make for few executions.
func FuzzLoad(f *testing.F) {
	seeds.Add(f)
	small := map[string][]byte{}
	for _, data := range recordings(f) {
		version := string(data[:len("go 1.21")])
		if was, ok := small[version]; version < "go 1.22" && (!ok || len(data) < len(was)) {
			small[version] = data
		}
	}
	for _, data := range small {
		f.Add(data)
	}
	if fuzzing := flag.Lookup("test.fuzz"); fuzzing != nil && fuzzing.Value.String() != "" {
		asksLibrary = false
	}
	f.Fuzz(func(t *testing.T, data []byte) { survives(t, data) })
}

// TestNumberTwice: a damaged table may have two entries for one number, as may one of which a piece
// is missing, or an entry for 0, which stands for none. All that happened is kept.
func TestNumberTwice(t *testing.T) {
	for name, data := range recordings(t) {
		if minor, ok := version(data); !ok || minor < 26 {
			continue
		}
		first := bytes.LastIndex(data, []byte{stringTable, stringEntry, 1}) + 1
		if first == 0 {
			t.Fatalf("%s: no table begins with the string 1", name)
		}
		second := first + 3 + int(data[first+2]) // kind, number, length and text
		if data[second] != stringEntry {
			t.Fatalf("%s: no entry at %d", name, second)
		}
		want := ofTrace(t, load(t, data))
		broken := bytes.Clone(data)
		for _, broken[second+1] = range []byte{1, 0} {
			tr := load(t, broken)
			if got := ofTrace(t, tr); got.Unblocks != want.Unblocks || total(got.Waits) != total(want.Waits) {
				t.Errorf("%s: %+v of %+v is kept", name, got, want)
			}
			if !slices.ContainsFunc(tr.Diagnostics, isCut) {
				t.Errorf("%s: diagnostics %v", name, tr.Diagnostics)
			}
		}
	}
}

// TestBrokenOldTrace: of a trace of the old format one byte of which is wrong, nearly all is kept of
// most files, and something of nearly all, with a word about what is not. The library refuses them.
func TestBrokenOldTrace(t *testing.T) {
	var refused, read, most int
	for name, data := range recordings(t) {
		if minor, _ := version(data); minor > newestOld {
			continue
		}
		want := ofTrace(t, load(t, data))
		all := want.Unblocks + total(want.Waits)
		r := rand.New(rand.NewPCG(3, 4))
		for range testtrace.Sized(10, 200) {
			broken := slices.Clone(data)
			at := headerLen + r.IntN(len(data)-headerLen)
			broken[at] ^= byte(1 + r.IntN(255))
			if _, err := xtrace.NewReader(bytes.NewReader(broken)); err == nil {
				continue
			}
			refused++
			tr, err := tryLoad(broken)
			if loadtest.Sound(t, tr, err); err != nil {
				if !strings.Contains(err.Error(), "offset") && !strings.Contains(err.Error(), "clock ticks") {
					t.Errorf("%s: byte %d: %v", name, at, err)
				}
				continue
			}
			if read++; len(tr.Diagnostics) == 0 {
				t.Errorf("%s: byte %d: no diagnostic", name, at)
			}
			got := ofTrace(t, tr)
			if got.Unblocks+total(got.Waits) >= all-2 {
				most++
			}
		}
	}
	if read < refused*8/10 || most < refused*2/5 {
		t.Errorf("of %d files that the library refuses %d are read, %d nearly whole", refused, read, most)
	}
	t.Logf("of %d files that the library refuses %d are read, %d nearly whole", refused, read, most)
}

// TestOldTraceTwice: what follows the end of a trace of the old format, such as another trace, costs
// nothing of it.
func TestOldTraceTwice(t *testing.T) {
	data := recordings(t)["go121-pipeline-chan.gotrace"]
	want := ofTrace(t, load(t, data))
	tr := load(t, slices.Concat(data, data))
	if got := ofTrace(t, tr); !cmp.Equal(got, want) || len(tr.Diagnostics) == 0 {
		t.Errorf("%v, %s", tr.Diagnostics, cmp.Diff(want, got))
	}
}

// TestBrokenOldEvent: an event that contradicts the others is left out alone if the rest agrees, and
// else with all that follows; the diagnostic says where it is.
func TestBrokenOldEvent(t *testing.T) {
	data := recordings(t)["go121-pipeline-chan.gotrace"]
	s := &salvage{header: data[:headerLen], data: data[headerLen:], damage: -1}
	s.read()
	if whole := s.without(0, 0); s.damage >= 0 || s.refused(whole) != nil {
		t.Fatalf("intact: damage at %d, refused: %v", s.damage, s.refused(whole))
	}
	want := ofTrace(t, load(t, data))
	if got := ofTrace(t, load(t, s.without(0, 0))); !cmp.Equal(got, want) {
		t.Errorf("written anew: %s", cmp.Diff(want, got))
	}
	const metric, unblock = 33, 21
	for typ, whole := range map[byte]bool{metric: true, unblock: false} {
		var at int
		for _, r := range s.timed[len(s.timed)/2:] {
			if s.data[r.at]&0x3f == typ {
				at = headerLen + r.at
				break
			}
		}
		if at == 0 {
			t.Fatalf("no event of type %d", typ)
		}
		broken := slices.Clone(data)
		const procStart = 5 // has as many numbers as a metric; no processor starts twice
		if whole {
			broken[at] = broken[at]&0xc0 | procStart
		} else {
			broken[at+3] ^= 0x55 // the goroutine that is made runnable
		}
		tr := load(t, broken)
		got := ofTrace(t, tr)
		named := slices.ContainsFunc(tr.Diagnostics, func(d trace.Diagnostic) bool {
			return strings.Contains(d.Example, fmt.Sprint("event at offset ", at))
		})
		if whole != cmp.Equal(got.Waits, want.Waits) || !named || got.Unblocks < want.Unblocks/4 {
			t.Errorf("type %d at %d: %d of %d releases, %v", typ, at, got.Unblocks, want.Unblocks, tr.Diagnostics)
		}
	}
}
