package tracefile

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"diptych/internal/trace"
)

// TestForgedPreview: a preview whose sums are right is shown only if it says which of its threads is
// the one to look at.
func TestForgedPreview(t *testing.T) {
	tr := small(t)
	last := len(tr.Threads) - 1
	for note, want := range map[string]bool{
		`{"Lead":0,"Calls":9}`: true, fmt.Sprintf(`{"Lead":%d}`, last): true,
		`{"Lead":-1}`: false, fmt.Sprintf(`{"Lead":%d}`, last+1): false, `{"Lead":`: false, ``: false,
	} {
		var b bytes.Buffer
		if err := writeWith(&b, tr, []byte(note), nil); err != nil {
			t.Fatal(err)
		}
		shown := false
		showPreview(bytes.NewReader(b.Bytes()), &trailer{length: uint64(b.Len() + trailerLen)},
			func(g trace.Glimpse) { shown = g.Kept && difference(tr, g.Trace) == "" })
		if shown != want {
			t.Errorf("%q: shown %v, want %v", note, shown, want)
		}
	}
}

// TestForgedList: a list that has more elements than numbers are left takes no memory.
func TestForgedList(t *testing.T) {
	for _, c := range []struct {
		numbers []uint64
		want    int // elements, −1 for damage
	}{{[]uint64{2, 7, 8}, 2}, {[]uint64{0}, 0}, {[]uint64{3, 7, 8}, -1}, {[]uint64{1 << 60}, -1}} {
		o, v := &outline{numbers: c.numbers}, []int64(nil)
		list(o, &v, func(n *int64) { num(o, n) })
		if c.want < 0 && (!errors.Is(o.err, errDamaged) || v != nil) || c.want >= 0 && (o.err != nil || len(v) != c.want) {
			t.Errorf("%v: %d elements, %v", c.numbers, len(v), o.err)
		}
	}
}
