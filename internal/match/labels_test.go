package match

import "testing"

// TestLabels holds that labels are kept at either side of the widths.
func TestLabels(t *testing.T) {
	widths := map[int]int64{2: 2, 1 << 16: 2, 1<<16 + 1: 3, 1 << 24: 3, 1<<24 + 1: 4}
	for limit, bytes := range widths {
		l := newLabels(3, limit)
		l.set(1, uint32(limit-1))
		if got := l.at(1); got != uint32(limit-1) || l.at(0) != 0 || l.at(2) != 0 {
			t.Errorf("%d of %d", got, limit)
		}
		if got := l.bytes(); got < 3*bytes {
			t.Errorf("labels below %d take %d bytes", limit, got)
		}
	}
}
