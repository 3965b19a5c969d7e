package report

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/align"
	"diptych/internal/pair"
)

// tracksOf writes results, reads them back and returns the tracks below each result's, in order.
func tracksOf(t fataler, results []*align.Result) [][]*readTrack {
	t.Helper()
	var file bytes.Buffer
	done, total := int64(-1), int64(0)
	if err := WritePerfetto(context.Background(), &file, results, func(d, n int64) {
		done, total = d, n
	}); err != nil {
		t.Fatal(err)
	}
	if done != total && total > 0 {
		t.Fatalf("%d of %d done", done, total)
	}
	tracks, err := readPerfetto(file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	var out [][]*readTrack
	groups := map[uint64]int{}
	for _, uuid := range slices.Sorted(maps.Keys(tracks)) {
		tr := tracks[uuid]
		if tr.parent == 0 {
			groups[uuid] = len(out)
			if want := title(results[len(out)]); tr.name != want {
				t.Fatalf("the track of pair %d is called %q, want %q", len(out), tr.name, want)
			}
			out = append(out, nil)
			continue
		}
		k := groups[tr.parent]
		out[k] = append(out[k], tr)
	}
	if len(out) != len(results) {
		t.Fatalf("tracks of %d pairs, want %d", len(out), len(results))
	}
	return out
}

// words is what exports call the states.
var words = map[align.State]string{align.Equal: "equal", align.Different: "different",
	align.GapA: "onlyB", align.GapB: "onlyA"}

// sideSlices is what the track of a side must hold.
func sideSlices(v *align.Virtual, s pair.Side) (out []readSlice) {
	th, other := v.Threads[s], v.Threads[s.Other()]
	for i, j := range v.Partner[s] {
		sl := readSlice{name: nameOf(v.Result, s, int32(i)), start: v.Start[s][i], end: v.End[s][i],
			depth: int(th.Depth(i)), args: map[string]string{"startNs": fmt.Sprint(th.Start(i)),
				"durationNs": fmt.Sprint(th.Dur(i)), "state": words[v.StateOf(s, i)]}}
		if j != align.None {
			sl.args["partnerDurationNs"] = fmt.Sprint(other.Dur(int(j)))
		}
		if v.StateOf(s, i) == align.Different {
			sl.args["partner"] = nameOf(v.Result, s.Other(), j)
		}
		out = append(out, sl)
	}
	return out
}

// statusSlices is what the status must hold: the lines of the dump, each cut where the one around
// it ends.
func statusSlices(v *align.Virtual) (out []readSlice) {
	var depths []int
	for n := range v.Walk {
		depth := 0
		if n.Parent >= 0 {
			depth = depths[n.Parent] + 1
		}
		depths = append(depths, depth)
		sl := readSlice{name: words[n.State], depth: depth, args: map[string]string{}}
		if n.B != align.None {
			sl.start, sl.end = v.Start[pair.B][n.B], v.End[pair.B][n.B]
			sl.args["function"] = nameOf(v.Result, pair.B, n.B)
			sl.args["bDurationNs"] = fmt.Sprint(v.Threads[pair.B].Dur(int(n.B)))
		}
		if n.A != align.None {
			sl.start, sl.end = v.Start[pair.A][n.A], v.End[pair.A][n.A]
			sl.args["function"] = nameOf(v.Result, pair.A, n.A)
			sl.args["aDurationNs"] = fmt.Sprint(v.Threads[pair.A].Dur(int(n.A)))
		}
		if n.State == align.Different {
			sl.args["partner"] = nameOf(v.Result, pair.B, n.B)
		}
		if n.Parent >= 0 {
			sl.end = min(sl.end, out[n.Parent].end)
		}
		out = append(out, sl)
	}
	return out
}

// nameOf returns the name of a call's function as a trace shows it.
func nameOf(r *align.Result, s pair.Side, i int32) string {
	return r.Pair.Names[r.ID(s, int(i))]
}

// TestPerfetto holds an exported trace against the alignment, slice by slice.
func TestPerfetto(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		results := drawAligned(t, int64(rapid.IntRange(0, 1).Draw(t, "least")))
		for k, tracks := range tracksOf(t, results) {
			checkTracks(t, results[k], tracks)
		}
	})
}

func TestPerfettoOfManyCalls(t *testing.T) {
	results := exampleAligned(t)
	checkTracks(t, results[0], tracksOf(t, results)[0])
}

func checkTracks(t fataler, r *align.Result, tracks []*readTrack) {
	t.Helper()
	v, err := r.Virtual(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	n := min(1000, 4*(v.Threads[pair.A].Len()+v.Threads[pair.B].Len()))
	line, err := v.Timeline(context.Background(), n)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"A", "B", "status", "skew", "dissimilarity"}
	if len(tracks) != len(names) {
		t.Fatalf("%d tracks", len(tracks))
	}
	for k, tr := range tracks {
		if tr.name != names[k] {
			t.Fatalf("track %d is called %q", k, tr.name)
		}
	}
	sameSlices(t, tracks[0], sideSlices(v, pair.A))
	sameSlices(t, tracks[1], sideSlices(v, pair.B))
	sameSlices(t, tracks[2], statusSlices(v))
	skew, share := tracks[3], tracks[4]
	unit := "1" // UNIT_TIME_NS
	if u := r.Pair.A.Unit; u != "ns" {
		unit = "0" + string(u)
	}
	if skew.unit != unit || share.unit != "0share" {
		t.Fatalf("units %q and %q", skew.unit, share.unit)
	}
	if !slices.Equal(share.values["double"], line.Dissimilarity) || len(skew.at) != n {
		t.Fatal("the dissimilarity is another, or samples are missing")
	}
	for k, ns := range line.Skew {
		at := (2*int64(k) + 1) * v.Length / int64(2*n)
		if skew.values["int"][k] != float64(ns) || skew.at[k] != at || share.at[k] != at {
			t.Fatalf("sample %d: %v at %d, want %d at %d", k, skew.values["int"][k], skew.at[k], ns, at)
		}
	}
}

func sameSlices(t fataler, tr *readTrack, want []readSlice) {
	t.Helper()
	if len(tr.slices) != len(want) {
		t.Fatalf("%s: %d slices, want %d", tr.name, len(tr.slices), len(want))
	}
	for k, w := range want {
		g := tr.slices[k] // its flows are held by TestPerfettoLinksWhatMoved
		if g.name != w.name || g.start != w.start || g.end != w.end || g.depth != w.depth ||
			!maps.Equal(g.args, w.args) {
			t.Fatalf("%s: slice %d is %v, want %v", tr.name, k, g, w)
		}
	}
}

func TestPerfettoLinksWhatMoved(t *testing.T) {
	results := movedAligned(t)
	tracks := tracksOf(t, results)[0]
	flows := map[uint64][]string{}
	for k, tr := range tracks {
		for i, sl := range tr.slices {
			for _, f := range sl.flows {
				flows[f] = append(flows[f], fmt.Sprintf("%s %d %s %s", trackNames[k], i, sl.name,
					sl.args["state"]))
			}
		}
	}
	if want := "map[1:[A 1 moved onlyA B 4 moved onlyB]]"; fmt.Sprint(flows) != want {
		t.Errorf("flows %v, want %s", flows, want)
	}
}

// breaking fails after so many bytes.
type breaking struct{ left int }

var errFull = errors.New("full")

func (b *breaking) Write(text []byte) (int, error) {
	if b.left -= len(text); b.left < 0 {
		return 0, errFull
	}
	return len(text), nil
}
