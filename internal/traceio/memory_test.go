package traceio_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"diptych/internal/testtrace/deepeq"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

// TestLargerThanMemory: a trace whose columns take more than --memory lies in a file, and is the
// same. Nothing of the file is seen.
func TestLargerThanMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("files are not mapped here")
	}
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	const calls = 65_000 // less than what the heap is measured after, which other tests fill
	at := put(t, "a.json", crowd(calls, "[", "{}]", func(i int) string {
		return fmt.Sprintf(`{"name":"f","ph":"X","ts":%d,"dur":1,"pid":1,"tid":%d},`, i, i%4)
	}))
	want, err := load(at)
	if err != nil {
		t.Fatal(err)
	}
	got, err := traceio.Load(context.Background(), at, input.Options{Memory: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if n := got.Footprint().Columns; n < 1<<20 || !deepeq.Equal(want.Form(), got.Form()) {
		t.Errorf("%d bytes of columns, or not the same", n)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

// TestHeapIsALimit loads plain files, which no other limit concerns: one of many functions, so that
// it is weighed before the heap is looked at, and one of blanks.
func TestHeapIsALimit(t *testing.T) {
	runtime.GC() // the heap is as large as the last collection left it
	for want, data := range map[string][]byte{
		"a.json: it takes more than 1MiB to be decoded": crowd(100_000, "[", "{}]", func(i int) string {
			return fmt.Sprintf(`{"name":"%d","ph":"X","ts":1,"dur":1,"pid":1,"tid":1},`, i)
		}),
		"a.json: what was loaded takes more than 1MiB": slices.Concat([]byte(oneEvent),
			bytes.Repeat([]byte(" "), 20<<20), []byte("{}]")),
	} {
		_, err := traceio.Load(context.Background(), put(t, "a.json", data),
			input.Options{Memory: 1 << 20})
		if !errors.Is(err, input.ErrLimit) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", want, err)
		}
	}
}
