package plural

import "testing"

func TestOf(t *testing.T) {
	for got, want := range map[string]string{
		Of(0, "call"): "0 calls", Of(1, "call"): "1 call", Of(uint64(2), "call"): "2 calls",
		Of(int64(-1), "call"): "-1 calls", Of(1, "batch", "batches"): "1 batch",
		Of(3, "batch", "batches"): "3 batches",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
