package explain

import (
	"sync"
	"testing"
)

// TestTogether holds that what pieces of work report is added up, and that done never falls.
func TestTogether(t *testing.T) {
	var done, total int64
	told := together(func(d, n int64) {
		if d < done {
			t.Errorf("%d after %d", d, done)
		}
		done, total = d, n
	})
	var all sync.WaitGroup
	for range 3 {
		tell := told()
		all.Go(func() {
			for k := range int64(101) {
				tell(k, 100)
			}
		})
	}
	all.Wait()
	if done != 300 || total != 300 {
		t.Errorf("%d of %d, want 300 of 300", done, total)
	}
	if together(nil)() != nil {
		t.Error("nobody asks, but somebody is told")
	}
}
