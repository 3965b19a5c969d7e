package traceio_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"

	"diptych/internal/testtrace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

// mutable returns the members of a small recording of each format, by format: one without a name
// for a format of one file.
func mutable(t *testing.T) map[string][]member {
	small := smallest(t)
	small["uftrace"] = "../internal/traceio/testdata/small.data.tar.gz"
	small["otf2"] = "otf2/kinds.data.tar.gz"
	all := map[string][]member{}
	for format, path := range small {
		data := unpacked(t, path)
		if strings.HasSuffix(path, ".tar.gz") {
			all[format] = unrolled(t, data)
		} else {
			all[format] = []member{{"", data}}
		}
	}
	all["chrome"][0].data = all["chrome"][0].data[:16<<10] // its loader takes what is cut off
	return all
}

// mutated returns a recording with a few changes: a bit that is another, a number that is large, a
// cut, or a stretch that is repeated, left out or moved elsewhere, another file's too.
func mutated(r *rand.Rand, members []member) []member {
	out := slices.Clone(members)
	for range 1 + r.IntN(4) {
		m := &out[r.IntN(len(out))]
		from := out[r.IntN(len(out))].data
		if len(m.data) == 0 || len(from) == 0 {
			continue
		}
		at, k := r.IntN(len(m.data)), r.IntN(len(from))
		piece := from[k:min(k+1+r.IntN(1<<r.IntN(12)), len(from))]
		rest := m.data[at:]
		switch r.IntN(7) {
		case 0:
			rest = nil
		case 1:
			piece = bytes.Repeat(piece, 1+r.IntN(1+4096/len(piece)))
		case 2: // the piece comes between
		case 3:
			rest, piece = rest[min(len(piece), len(rest)):], nil
		case 4:
			rest, piece = rest[min(len(piece), len(rest)):], large(r)
		case 5:
			rest = rest[min(len(piece), len(rest)):]
		default:
			piece, rest = []byte{rest[0] ^ 1<<r.IntN(8)}, rest[1:]
		}
		m.data = slices.Concat(m.data[:at], piece, rest)
	}
	return out
}

// large returns a number as large as they come, as text or as bytes.
func large(r *rand.Rand) []byte {
	return [][]byte{[]byte("9223372036854775807"), []byte("-1"), []byte("4294967295"), []byte("1e300"),
		bytes.Repeat([]byte{0xff}, 8), {0xff, 0xff, 0xff, 0x7f}, make([]byte, 8)}[r.IntN(7)]
}

// TestMutations loads each format's smallest recording with random changes: each load ends within
// seconds in a sound trace or an error of one line, and allocates no more than 8 times the file and
// 64 MB on the way. That bounds what it holds at once.
func TestMutations(t *testing.T) {
	inTestdata(t)
	all := mutable(t)
	for _, format := range slices.Sorted(maps.Keys(all)) {
		t.Run(format, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "mutated")
			sums, began := mutations{}, time.Now()
			n := testtrace.Sized(damages, manyMutants)
			for seed := range n {
				r := rand.New(rand.NewPCG(uint64(seed), 16))
				sums.load(t, format, path, mutated(r, all[format]), fmt.Sprintf("mutation %d", seed))
			}
			t.Logf("%d mutations in %v: %d traces, %d errors; at most %v and %d KiB for a load", n,
				time.Since(began).Round(time.Second), n-sums.errors, sums.errors,
				sums.longest.Round(time.Millisecond), sums.most>>10)
		})
	}
}

// mutations sums up loads.
type mutations struct {
	errors  int
	longest time.Duration
	most    uint64
}

func (s *mutations) load(t *testing.T, format, path string, members []member, what string) {
	t.Helper()
	data := members[0].data
	if len(members) > 1 {
		data = rolled(t, "", members)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if p := recover(); p != nil {
			t.Fatalf("%s: %v\n%s", what, p, debug.Stack())
		}
	}()
	began, before := time.Now(), allocated()
	tr, err := traceio.Load(context.Background(), path, input.Options{Format: format})
	took, total := time.Since(began), allocated()-before
	s.longest, s.most = max(s.longest, took), max(s.most, total)
	if took > 5*time.Second || total > 8*uint64(len(data))+slack+retries(format) {
		t.Errorf("%s: %v and %d bytes for a file of %d", what, took, total, len(data))
	}
	switch {
	case err == nil:
		checkTrace(t, tr, what)
	case tr != nil || strings.ContainsAny(err.Error(), "\n\r"):
		t.Errorf("%s: a trace %v and error %q", what, tr != nil, err)
	default:
		s.errors++
	}
}

// allocated returns how many bytes the program has allocated so far.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
