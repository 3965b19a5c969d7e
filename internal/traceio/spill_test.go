package traceio_test

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"testing"

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
	const calls = 250_000 // less than what the heap is measured after, which other tests fill
	at := put(t, "a.json", crowd(calls, "[", "{}]", func(i int) string {
		return fmt.Sprintf(`{"name":"f","ph":"X","ts":%d,"dur":1,"pid":1,"tid":%d},`, i, i%4)
	}))
	want, err := load(at)
	if err != nil {
		t.Fatal(err)
	}
	got, err := traceio.Load(context.Background(), at, input.Options{Memory: 4 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if n := got.Footprint().Columns; n < 4<<20 || !reflect.DeepEqual(want.Form(), got.Form()) {
		t.Errorf("%d bytes of columns, or not the same", n)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}
