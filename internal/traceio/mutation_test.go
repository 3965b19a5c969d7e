package traceio_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"diptych/internal/testtrace"
	"diptych/internal/traceio/input/inputtest"
)

// TestPackedMutations flips, cuts and splices small files in every packing and archive: each load
// ends soon, in a sound trace or an error of one line, and takes little memory.
func TestPackedMutations(t *testing.T) {
	one := oneCall("f")
	all := map[string][]byte{
		"zip":    inputtest.Zip(t, files3("n", "text", "d/a.json", string(one))...),
		"tar":    inputtest.Tar(t, files3("n", "text", "d/a.json", string(one))...),
		"zip.gz": gzipped(inputtest.Zip(t, files3("a", string(gzipped(one)))...)),
		"tar.xz": inputtest.Xz(t, inputtest.Tar(t, files3("a", string(one))...)),
	}
	for name, pack := range packings {
		all[name] = pack(t, one)
	}
	for name, data := range all {
		const most = int64(slack)
		t.Run(name, func(t *testing.T) {
			path, r := filepath.Join(t.TempDir(), "a"), rand.New(rand.NewPCG(5, 6))
			usual := 40
			if name == "legacy lz4" { // its blocks take 16 MiB, again after each damage
				usual = 10
			}
			for range testtrace.Sized(usual, 10_000) {
				broken := bytes.Clone(data)
				what := ""
				for range 1 + r.IntN(3) {
					switch at := r.IntN(len(broken)); r.IntN(3) {
					case 0:
						broken[at] ^= 1 << r.IntN(8)
					case 1:
						broken = broken[:max(at, 1)]
					default:
						what = spoil(r, broken)
					}
				}
				what = fmt.Sprintf("%x %s", broken[:min(len(broken), 2000)], what)
				began := time.Now()
				m := measure(t, path, broken, what)
				if took := time.Since(began); took > 10*time.Second || m.total > most {
					t.Fatalf("%v, %d bytes: %s", took, m.total, what)
				}
			}
		})
	}
}
