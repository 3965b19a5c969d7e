//go:build linux || darwin

package tracefile

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"diptych/internal/traceio/input"
)

// TestSourceChanged: a trace tells whether its recording has changed since it was read, with a
// cache and without one, and does not claim to know it of what is gone.
func TestSourceChanged(t *testing.T) {
	ctx := context.Background()
	kept := At(t.TempDir(), DefaultLimit)
	kept.All, kept.racy = true, 0
	for name, c := range map[string]*Cache{"no cache": nil, "a cache": kept} {
		path := filepath.Join(t.TempDir(), "some.folded")
		expect := func(s *Source, what string, changed, known bool) {
			t.Helper()
			if c, k := s.Changed(ctx); c != changed || k != known {
				t.Errorf("%s, %s: changed %v, known %v", name, what, c, k)
			}
		}
		write(t, path, "main;work 3\n")
		_, first, err := c.LoadFrom(ctx, path, input.Options{})
		if err != nil {
			t.Fatal(err)
		}
		c.Wait(ctx)
		_, again, err := c.LoadFrom(ctx, path, input.Options{})
		if err != nil {
			t.Fatal(err)
		}
		expect(first, "as it is", false, true)
		expect(again, "from the cache, if there is one", false, true)
		time.Sleep(10 * time.Millisecond) // times have the granularity of the system's clock
		write(t, path, "main;work 4\n")
		expect(first, "written anew", true, true)
		expect(again, "written anew", true, true)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		expect(first, "gone", false, false)
	}
	if _, known := (*Source)(nil).Changed(ctx); known {
		t.Error("of nothing it is known whether it has changed")
	}
}
