//go:build unix

package batch

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"testing"

	"diptych/internal/testtrace"
)

// TestLongManifest takes a small share of a manifest of 20,000 lines, or a million: read,
// described, kept, of which only the share is compared. Beyond the pairs themselves it takes little:
// neither time nor memory for what the others share.
func TestLongManifest(t *testing.T) {
	n := testtrace.Sized(20_000, 1_000_000)
	path := filepath.Join(t.TempDir(), "m.csv")
	lines := 0
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, "pair,a,b")
	for ; lines < n; lines++ {
		fmt.Fprintf(w, "rank %d,runA/rank%06d.json.gz,runB/rank%06d.json.gz\n", lines, lines, lines)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	f.Close()
	runtime.GC()
	before := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(before)
	parts := (n + perPart(n) - 1) / perPart(n)
	dir := filepath.Join(filepath.Dir(path), "out")
	var done *Outcome
	peak := peakHeap(func() {
		var m *Manifest
		if m, err = ReadManifest(path); err != nil {
			return
		}
		if len(m.Pairs) != n || m.Pairs[n-1].B != fmt.Sprintf("runB/rank%06d.json.gz", n-1) {
			t.Errorf("%d pairs, the last is %+v", len(m.Pairs), m.Pairs[n-1])
		}
		was := allocated()
		if _, err = Describe(m, nil); err != nil {
			return
		}
		if took := allocated() - was; took > uint64(n) {
			t.Errorf("to describe %d pairs takes %d bytes: they are to be written one by one", n, took)
		}
		o := Options{Workers: 1, Shard: Shard{Index: 7, Of: parts}}
		o.Load = made(t)
		done, err = Run(t.Context(), m, dir, o)
	})
	if err != nil {
		t.Fatal(err)
	}
	if done.Done != perPart(n) || done.Parts() != parts {
		t.Errorf("%d pairs are compared, of %d in a part", done.Done, perPart(n))
	}
	const fixed, each = 120 << 20, 600 // bytes; garbage counts
	took := int(peak - min(peak, before[0].Value.Uint64()))
	t.Logf("%d pairs: %d MB of heap at the peak, %d bytes for each", n, took>>20, took/n)
	if took > fixed+n*each {
		t.Errorf("%d pairs take %d bytes at the peak", n, took)
	}
	kept, err := os.Stat(filepath.Join(dir, listedBy))
	if err != nil || kept.Size() < int64(n)*40 {
		t.Errorf("the copy of the manifest: %v", err)
	}
	files := 0
	_ = filepath.WalkDir(filepath.Join(dir, partsIn), func(_ string, e fs.DirEntry, _ error) error {
		if !e.IsDir() {
			files++
		}
		return nil
	})
	if files != len(Tables) {
		t.Errorf("%d files of parts", files)
	}
}

// allocated returns how many bytes the process has ever allocated.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}
