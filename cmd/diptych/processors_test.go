package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestPicturesDoNotDependOnProcessors: one rasteriser draws the same picture, whatever order the
// program's jobs ran in. Its own threads are not the program's, so their number stays.
func TestPicturesDoNotDependOnProcessors(t *testing.T) {
	var first []byte
	for _, processors := range []int{1, 8} {
		out := filepath.Join(t.TempDir(), "out.png")
		cmd := program(t, "", "render", "../../testdata/uftrace/family.data.tar.gz",
			"../../testdata/uftrace/lost.data.tar.gz", "--view", "window", "--size", "400x300", "--no-cache",
			"-o", out)
		cmd.Env = append(cmd.Env, fmt.Sprint("GOMAXPROCS=", processors))
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		picture, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = picture
		}
		if !bytes.Equal(picture, first) {
			t.Errorf("the picture with %d processors is another one than with 1", processors)
		}
	}
}
