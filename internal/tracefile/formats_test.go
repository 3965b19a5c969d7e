package tracefile

import (
	"os"
	"path/filepath"
	"testing"

	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

// TestFormats: a recording of each format is read from the cache at its second opening, with a
// preview, however it is packed.
func TestFormats(t *testing.T) {
	previewed(t)
	c := greedy(t.TempDir())
	for _, format := range traceio.FormatNames() {
		folder := filepath.Join(testdata, format)
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		packings := map[string]bool{}
		for _, e := range entries {
			path, packing := filepath.Join(folder, e.Name()), filepath.Ext(e.Name())
			if packings[packing] {
				continue
			}
			if _, err := c.Load(t.Context(), path, input.Options{}); err != nil {
				continue // a part of another recording
			}
			c.Wait(t.Context())
			packings[packing] = true
			if _, hit := load(t, c, path, input.Options{}); !hit {
				t.Errorf("%s: not found", path)
			}
		}
		if len(packings) == 0 {
			t.Errorf("%s: nothing was read", format)
		}
	}
}
