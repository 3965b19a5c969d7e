package typeface

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestDiffering(t *testing.T) {
	for _, c := range []struct {
		name, other string
		room        string // as wide as this text
		want        string
	}{
		{"bigcache-1shard", "bigcache-512shards", "bigcache-1shard", "bigcache-1shard"},
		{"bigcache-512shards", "bigcache-1shard", "big…512shards", "big…512shards"},
		{"bigcache-512shards", "bigcache-1shard", "…512shards", "…512shards"},
		{"bigcache-512shards", "bigcache-1shard", "…512sh…", "…512sh…"},
		{"goldmark-v1.4.0.cpu", "goldmark-v1.8.7.cpu", "go…4.0.cpu", "go…4.0.cpu"},
		{"list-n100", "other-n100", "list…", "list…"},
		{"the-same-name", "the-same-name", "the-s…", "the-s…"},
		{"profile", "profile-2", "…file", "…file"},
		{"ThreadPoolServiceThread", "ThreadPoolForegroundWorker", "…Servi…", "…Servi…"},
		{"a-long-name-alone", "", "a-lon…", "a-lon…"},
	} {
		if got := Differing(c.name, c.other, Width(c.room, 13, true)+.1, 13, true); got != c.want {
			t.Errorf("%q beside %q in %q: %q, want %q", c.name, c.other, c.room, got, c.want)
		}
	}
}

// TestDifferingNamesDiffer: what two different names become is within the room, and different, if
// there is room for the word in which they differ.
func TestDifferingNamesDiffer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-z]{1,9}`)
		shared := strings.Join(rapid.SliceOfN(word, 0, 4).Draw(t, "shared"), "-")
		a, b := shared+word.Draw(t, "a"), shared+word.Draw(t, "b")
		width := rapid.Float32Range(110, 260).Draw(t, "width")
		x, y := Differing(a, b, width, 12, true), Differing(b, a, width, 12, true)
		if a != b && x == y {
			t.Errorf("%q and %q both become %q", a, b, x)
		}
		for _, s := range []string{x, y} {
			if w := Width(s, 12, true); w > width+.1 {
				t.Errorf("%q is %v px wide, the room is %v", s, w, width)
			}
		}
	})
}
