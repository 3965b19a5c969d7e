package bundle_test

import (
	"path/filepath"
	"testing"

	"diptych/internal/geom"
	"diptych/internal/match"
	"diptych/internal/scene/bundle"
)

// TestUndulation holds on real pairs that bundles turn at most a third as often as Holten's, and
// that no edge leaves the band on the side that it came from.
func TestUndulation(t *testing.T) {
	for _, pair := range [][2]string{
		{"chrome/go-build-cold.json.gz", "chrome/go-build-warm.json.gz"},
		{"uftrace/queue-1p3c.data.tar.gz", "uftrace/queue-2p2c.data.tar.gz"},
		{"gotrace/pipeline-chan.gotrace", "gotrace/pipeline-mutex.gotrace"},
	} {
		dir := filepath.Join("..", "..", "..", "testdata")
		f := compare(t, filepath.Join(dir, pair[0]), filepath.Join(dir, pair[1]),
			match.DefaultTau, 2000)
		modified := 0
		for i, curve := range f.curves() {
			modified += turns(curve)
			if !passes(curve, f.options.Mid) {
				t.Errorf("%v: edge %d does not cross the band once from above: %v", pair, i, curve)
			}
		}
		f.options.Original = true
		original := 0
		for _, curve := range f.curves() {
			original += turns(curve)
		}
		t.Logf("%v: %d edges in %d groups, %d turns, of the original %d", pair,
			len(f.edges), len(f.groups), modified, original)
		if original < 100 {
			t.Errorf("%v: the original turns %d times only, which shows nothing", pair, original)
		}
		if 3*modified > original {
			t.Errorf("%v: %d turns, the original has %d", pair, modified, original)
		}
	}
}

// curves routes the edges and returns each as it is drawn.
func (f *facing) curves() (out [][]geom.Point) {
	var a bundle.Arena
	knots, paths := bundle.Route(f.options, f.sides, f.groups, f.edges, nil, &a)
	for _, p := range paths {
		out = append(out, sample(knots[p.First:][:p.Count], 16))
	}
	return out
}

// passes reports whether a curve between cells on their own sides goes down all the way.
func passes(curve []geom.Point, mid float32) bool {
	const eps = 1e-2
	first, last := curve[0].Y, curve[len(curve)-1].Y
	if first > mid || last < mid {
		return true
	}
	for i := 1; i < len(curve); i++ {
		if curve[i].Y < curve[i-1].Y-eps {
			return false
		}
	}
	return true
}
