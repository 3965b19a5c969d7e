package traceio_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/input/inputtest"
)

// progress notes what it is told, from any goroutine.
type progress struct {
	sync.Mutex
	most, total int64
	exceeded    bool
}

func (p *progress) report(done, total int64) {
	p.Lock()
	defer p.Unlock()
	p.most, p.total = max(p.most, done), total
	p.exceeded = p.exceeded || done > total || done < 0
}

func TestProgress(t *testing.T) {
	inTestdata(t)
	dir := t.TempDir()
	all := unrolled(t, gunzipped(t, read(t, family)))
	for _, m := range append(all, member{"read by no loader", make([]byte, 1<<20)}) {
		if err := os.WriteFile(filepath.Join(dir, m.name), m.data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// What is long has several of the blocks of 256 KiB that are reported.
	paths := append(files(t, append(recordings, "chrome/edge/*")...), dir,
		put(t, "a.zip", zipped(t, "", all)), put(t, "a.zip", zipped(t, "", []member{
			{"n", make([]byte, 1<<20)}, {"a.json", longTrace(1 << 20)}})),
		put(t, "a.tar", rolled(t, "", []member{{"n", make([]byte, 1<<20)}, {"a.json", longTrace(1 << 20)}})),
		put(t, "a.xz", inputtest.Xz(t, longTrace(1<<19))),
		put(t, "long.json", longTrace(1<<20)), put(t, "long.json.gz", gzipped(longTrace(1<<20))))
	for _, path := range paths {
		p := &loadOnce(t, path).done
		if p.exceeded || p.most != p.total || p.total == 0 {
			t.Errorf("%s: came to %d of %d, beyond it: %v", path, p.most, p.total, p.exceeded)
		}
	}
}

// TestProgressIsOfWhatIsTaken packs a trace, so that it fits into a buffer or two, in every way: the
// progress comes in small steps all the same, for it is of what the loader has taken.
func TestProgressIsOfWhatIsTaken(t *testing.T) {
	data := variedTrace(4 << 20)
	in := func(folder string, data []byte) []member { return []member{{folder + "a.json", data}} }
	inputs := map[string][]byte{
		"tar":             rolled(t, "", in("", data)),
		"tar.gz":          gzipped(rolled(t, "", in("", data))),
		"zip":             zipped(t, "", append(in("", data), member{"other.json", data})),
		"cut zip":         zipped(t, "", in("", data))[:100<<10],
		"tar.gz in a zip": zipped(t, "", in("b/", gzipped(rolled(t, "", in("", data))))),
		"gz in a tar":     rolled(t, "", in("", gzipped(data))),
		"zip.gz":          gzipped(zipped(t, "", in("", data))),
	}
	for name, pack := range packings {
		if name != "legacy lz4" { // which packs 8 MiB at a time
			inputs[name] = pack(t, data)
		}
	}
	for name, packed := range inputs {
		var mu sync.Mutex
		var last, gap, back int64
		_, err := traceio.Load(context.Background(), put(t, "a", packed), input.Options{
			Progress: func(done, total int64) {
				mu.Lock()
				defer mu.Unlock()
				gap, back = max(gap, done-last), max(back, last-done)
				last = done
			}})
		size := int64(len(packed))
		if err != nil || last != size || gap > size/4 || back > 0 {
			t.Errorf("%s: %v, %d of %d bytes, steps of up to %d, back by %d", name, err, last, size,
				gap, back)
		}
	}
}

// variedTrace makes a trace of at least n bytes, which does not shrink to nearly nothing.
func variedTrace(n int) []byte {
	out := []byte("[")
	for i := 0; len(out) < n; i++ {
		out = fmt.Appendf(out, "{\"name\":\"f%d\",\"ph\":\"X\",\"ts\":%d,\"dur\":5,\"pid\":1,\"tid\":1},\n",
			i*i%97, 10*i)
	}
	return append(out, "{}]"...)
}

// longTrace makes a trace of at least n bytes: the same calls over and over.
func longTrace(n int) []byte {
	var calls bytes.Buffer
	for i := range 100 {
		fmt.Fprintf(&calls, "{\"name\":\"call\",\"ph\":\"X\",\"ts\":%d,\"dur\":5,\"pid\":1,\"tid\":1,"+
			"\"args\":{\"text\":\"%0800d\"}},\n", 10*i, i)
	}
	return slices.Concat([]byte("["), bytes.Repeat(calls.Bytes(), 1+n/calls.Len()), []byte("{}]"))
}
