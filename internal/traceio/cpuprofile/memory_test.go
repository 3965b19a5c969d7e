package cpuprofile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/jsonin"
)

// liveHeap returns the bytes that the last collection left.
func liveHeap() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// peak returns by how many bytes the heap grew at most while a function ran.
func peak(run func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	runtime.GC()
	before, most := liveHeap(), uint64(0)
	stop, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
				most = max(most, liveHeap())
			}
		}
	}()
	run()
	runtime.GC()
	close(stop)
	<-stopped
	return max(most, liveHeap(), before) - before
}

// weighed loads a profile as the program does. The trace is kept until the peak is known.
func weighed(t *testing.T, text []byte) (tr *trace.Trace, err error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "profile")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	most := uint64(8*len(text) + 64<<20)
	at := peak(func() {
		ctx := context.Background()
		var src *input.Source
		if src, err = input.Open(ctx, path, input.Options{}, func(*input.Source) bool { return true }); err != nil {
			return
		}
		defer src.Close()
		b := trace.NewBuilder("test")
		b.Weigh(src.AffordTrace)
		if err = Load(ctx, src, input.Options{}, b); err == nil {
			tr, err = b.Build(ctx)
		}
	})
	if at > most {
		t.Errorf("%d bytes at once for a file of %d", at, len(text))
	}
	t.Logf("%.1f times the file of %d, %v", float64(at)/float64(len(text)), len(text), err)
	runtime.KeepAlive(tr)
	return tr, err
}

// TestLongProfileLoads has ten minutes of an application at 0.1 ms: 1.8 calls a sample.
func TestLongProfileLoads(t *testing.T) {
	p := long(t, 20, testtrace.Sized(60, 2000), 3)
	tr, err := weighed(t, encoded(p))
	if err != nil {
		t.Fatal(err)
	}
	if calls := float64(tr.Calls()) / float64(len(p.Samples)); calls < 1.7 || calls > 2 {
		t.Errorf("%.2f calls a sample", calls)
	}
}

// hostileProfiles returns texts of about so many bytes: lists whose elements take far more than their
// text, and stacks of many calls that are named with a digit.
func hostileProfiles(size int) map[string]string {
	many := func(what string) string {
		return strings.TrimSuffix(strings.Repeat(what, size/len(what)), ",")
	}
	some := func(what string) string { // for what takes long rather than much
		return strings.TrimSuffix(strings.Repeat(what, size/8/len(what)), ",")
	}
	deep := &strings.Builder{}
	deep.WriteString(`{"id":0}`)
	for i := 1; i < 2000; i++ {
		fmt.Fprintf(deep, `,{"id":%d,"parent":%d}`, i, (i-1)/2*2)
	}
	return map[string]string{
		"nodes of nothing":     `{"nodes":[` + many("{},") + `]}`,
		"nodes with ids":       `{"nodes":[` + many(`{"id":7},`) + `]}`,
		"nodes of older files": `{"head":{"functionName":"f","children":[` + many(`{"id":1},`) + `]}}`,
		"callees":              `{"nodes":[{"id":1,"children":[` + many("1,") + `]}]}`,
		"callees in pieces":    `{"nodes":[` + many(`{"id":1,"children":[`+strings.Repeat("1,", 900)+"1]},") + `]}`,
		"samples":              `{"nodes":[{"id":1}],"samples":[` + many("1,") + `],"timeDeltas":[],"timestamps":[]}`,
		"many lists": `{"nodes":[{"id":1}],"samples":[` + many("1,") + `],` +
			strings.Repeat(`"timeDeltas":[1],"samples":[1],"timestamps":[1],`, 20_000) + `"x":1}`,
		"stacks in turn": `{"nodes":[` + deep.String() + `],"samples":[` + some("8,1900,") + `],"timeDeltas":[` +
			some("0,") + `],"endTime":9}`,
		"short stacks in turn": `{"nodes":[{"id":1,"callFrame":{"functionName":"f"}},{"id":2}],"samples":[` +
			some("1,2,") + `],"timeDeltas":[` + some("0,") + `],"endTime":9}`,
	}
}

// TestHostileProfiles holds that whatever such a profile takes, it is a small multiple of its text.
func TestHostileProfiles(t *testing.T) {
	for what, text := range hostileProfiles(testtrace.Sized(1<<20, 3<<20)) {
		t.Run(what, func(t *testing.T) {
			if _, err := weighed(t, []byte(text)); err != nil && !errors.Is(err, input.ErrLimit) {
				t.Error(err)
			}
		})
	}
}

// TestReadingAsksForMemory holds that reading asks often enough: what a document takes at its end is
// hardly more than what was asked for last, and where that is refused, hardly more than was allowed.
// The first list of samples is excepted, since it takes at most two bytes for each of its text.
func TestReadingAsksForMemory(t *testing.T) {
	const size, most, step = 256 << 10, 64 << 10, 128 << 10 // bytes
	refused := errors.New("refused")
	for what, text := range hostileProfiles(size) {
		if what == "samples" || strings.HasSuffix(what, "in turn") {
			continue
		}
		exempt := int64(0)
		if what == "many lists" {
			exempt = 2 * size
		}
		var asked int64
		p := newProfile(func(bytes int64) error { asked = bytes; return nil })
		p.read(jsonin.NewReader(strings.NewReader(text)))
		if held := p.held(false); held > asked*5/4+step || held < 4*most {
			t.Errorf("%s: %d bytes are held, and %d were asked for", what, held, asked)
		}
		p = newProfile(func(bytes int64) error {
			if bytes > most {
				return refused
			}
			return nil
		})
		p.read(jsonin.NewReader(strings.NewReader(text)))
		if held := p.held(false); p.full != refused || held > exempt+most+step {
			t.Errorf("%s: %d bytes are held where %d are allowed: %v", what, held, exempt+most, p.full)
		}
	}
}
