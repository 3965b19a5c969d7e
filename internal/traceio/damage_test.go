package traceio_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio/loadtest"
)

// TestDamage cuts and corrupts a file of each format and version at random places: each load ends
// in a trace or in an error of one line, and takes no more than a few times the memory of the
// intact file.
func TestDamage(t *testing.T) {
	inTestdata(t)
	for name, data := range damageable(t) {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			path := filepath.Join(t.TempDir(), "damaged")
			whole := measure(t, path, data, "intact")
			whole = measure(t, path, data, "intact") // the first load fills pools and caches
			whole.total += int64(retries(name)) / growth
			if whole.live == 0 {
				t.Fatal("the intact file is not loaded")
			}
			for range testtrace.Sized(damages, manyDamages) {
				at := r.IntN(len(data))
				got := measure(t, path, data[:at], fmt.Sprintf("cut at %d", at))
				got.check(t, whole, fmt.Sprintf("cut at %d", at))
				at, flip := r.IntN(len(data)), byte(1+r.IntN(255))
				broken := bytes.Clone(data)
				broken[at] ^= flip
				what := fmt.Sprintf("byte %d is %#x instead of %#x", at, broken[at], data[at])
				got = measure(t, path, broken, what)
				got.check(t, whole, what)
				what = spoil(r, broken)
				got = measure(t, path, broken, what)
				got.checkSpoilt(t, whole, what)
			}
		})
	}
}

// spoil damages data beyond a single byte, and says how.
func spoil(r *rand.Rand, data []byte) string {
	from := r.IntN(len(data))
	to := min(from+1+r.IntN(512), len(data))
	piece := data[from:to]
	switch r.IntN(4) {
	case 0:
		clear(piece)
		return fmt.Sprintf("bytes %d to %d are 0", from, to)
	case 1:
		for i := range piece {
			piece[i] = byte(r.Uint32())
		}
		return fmt.Sprintf("bytes %d to %d are random", from, to)
	case 2:
		copy(piece, data[r.IntN(len(data)):])
		return fmt.Sprintf("bytes %d to %d are others of the file", from, to)
	}
	for range 16 {
		data[r.IntN(len(data))] ^= 1 << r.IntN(8)
	}
	return "16 bits are others"
}

// damageable returns a file of each format, packed as it is stored and unpacked.
func damageable(t *testing.T) map[string][]byte {
	all := map[string][]byte{}
	paths := smallest(t)
	for _, path := range []string{"pprof/pipeline-mutex.heap.pprof", "gotrace/pipeline-mutex.gotrace",
		"gotrace/go121-pipeline-chan.gotrace", "gotrace/go119-pipeline-mutex.gotrace"} {
		paths[path] = path
	}
	for name, path := range paths {
		stored, plain := read(t, path), unpacked(t, path)
		all[name] = stored
		switch another := name == path; {
		case another && !testtrace.Sized(false, true): // the format is there in both ways
		case bytes.Equal(stored, plain):
			all[name+" packed"] = zstdded(plain)
		default:
			all[name+" unpacked"] = plain
		}
	}
	small := shortChrome(t, 100<<10) // two blocks of each packing
	all["chrome in a zip"] = zipped(t, "", []member{{"n", []byte("text")}, {"a.json", small}})
	all["uftrace in a zip"] = zipped(t, "", unrolled(t, gunzipped(t, read(t, family))))
	for name, pack := range packings {
		// Blocks of legacy lz4 take 16 MiB, again after each damage; gzip and zstd are above.
		if name == "xz" || name == "bzip2" || name == "lz4" {
			all["chrome, "+name] = pack(t, small)
		}
	}
	return all
}

// smallChrome returns a recording in Chrome's JSON that has several blocks of each packing.
func smallChrome(t *testing.T) []byte { return shortChrome(t, 160<<10) }

// memory is what a load took: all that was allocated on the way, and what the trace holds.
type memory struct{ total, live int64 }

// measure loads data from a file at path.
func measure(t *testing.T, path string, data []byte, what string) memory {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	tr, err := load(path)
	runtime.ReadMemStats(&after)
	m := memory{total: int64(after.TotalAlloc - before.TotalAlloc)}
	switch {
	case err != nil && (tr != nil || strings.ContainsAny(err.Error(), "\n\r")):
		t.Errorf("%s: a trace %v and error %q", what, tr != nil, err)
	case err == nil:
		m.live = footprint(tr)
		checkTrace(t, tr, what)
	}
	return m
}

// retries returns what the load of a damaged file may take again and again, but never at once: the
// library is asked whether it takes a part of a Go trace until 1.21, with 32 MiB each time.
func retries(name string) uint64 {
	if strings.HasPrefix(name, "gotrace") {
		return 16 * (32 << 20)
	}
	return 0
}

func footprint(tr *trace.Trace) int64 {
	f := tr.Footprint()
	return f.Columns + f.Details + f.Names
}

// checkTrace checks what every trace must keep, however it was damaged.
func checkTrace(t *testing.T, tr *trace.Trace, what string) {
	t.Helper()
	loadtest.Sound(named{t, what}, tr, nil)
}

// named is a test that says of what a failure is.
type named struct {
	*testing.T
	what string
}

func (n named) Fatal(args ...any) { n.T.Helper(); n.T.Fatal(append([]any{n.what + ":"}, args...)...) }

// growth is how many times the memory of the intact file a damaged one may take.
const growth = 4

func (m memory) check(t *testing.T, whole memory, what string) {
	t.Helper()
	if m.total > growth*whole.total || m.live > growth*whole.live {
		t.Errorf("%s: allocates %d bytes and holds %d, the intact file %d and %d", what, m.total,
			m.live, whole.total, whole.live)
	}
}

// slack is what a damaged file may take besides, if more than a byte of it is damaged.
const slack = 64 << 20

// checkSpoilt bounds all that is allocated, and so the peak, by what the intact file takes.
func (m memory) checkSpoilt(t *testing.T, whole memory, what string) {
	t.Helper()
	if m.total > growth*whole.total+slack {
		t.Errorf("%s: allocates %d bytes, the intact file %d", what, m.total, whole.total)
	}
}

// TestExampleIsOneLine has a name of two lines in what a diagnostic quotes.
func TestExampleIsOneLine(t *testing.T) {
	tr, err := load(put(t, "a", []byte(`[{"name":"two\nlines\r\n","ph":"B","ts":1,"pid":1,"tid":1}]`)))
	if err != nil {
		t.Fatal(err)
	}
	checkTrace(t, tr, "a name of two lines")
	if len(tr.Diagnostics) != 1 || !strings.Contains(tr.Diagnostics[0].Example, "two lines") {
		t.Errorf("diagnostics %v", tr.Diagnostics)
	}
}

// TestTarWithoutEndMark cuts tar archives between members and behind the last: that can only be
// told by the blocks of zeros that end an archive. One of them is enough, and zeros in a member are
// none.
func TestTarWithoutEndMark(t *testing.T) {
	data := rolled(t, "run/", []member{{"a.json", oneCall("f")}, {"zeros", make([]byte, 1024)}})
	const first, second, block = 2 * 512, 5 * 512, 512
	for what, c := range map[string]struct {
		data  []byte
		whole bool
	}{
		"whole":          {data, true},
		"one block":      {data[:second+block], true},
		"between":        {data[:first], false},
		"behind":         {data[:second], false},
		"without filler": {data[:first-10], false},
	} {
		for packing, packed := range map[string][]byte{"plain": c.data, "gzip": gzipped(c.data)} {
			tr, err := load(put(t, "run.tar", packed))
			if err != nil {
				t.Errorf("%s, %s: %v", what, packing, err)
				continue
			}
			if whole := !slices.ContainsFunc(tr.Diagnostics, isTruncated); whole != c.whole || tr.Calls() != 1 {
				t.Errorf("%s, %s: %d calls, %v", what, packing, tr.Calls(), tr.Diagnostics)
			}
		}
	}
}
