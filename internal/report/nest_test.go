package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// scripted is a thread of calls and ends, such as "main a . .", one every ten ns.
func scripted(t fataler, script string) *trace.Trace {
	t.Helper()
	b := trace.NewBuilder("test")
	th := b.Thread("0", -1)
	for k, word := range strings.Fields(script) {
		if now := int64(10 * k); word == "." {
			th.End(now)
		} else {
			th.Begin(now, b.Function(trace.Function{Name: word}))
		}
	}
	return built(t, b)
}

// alignedByHand pairs the first calls of a name on both sides, and passes through those whose names
// begin with a capital.
func alignedByHand(t fataler, scripts [2]string) *align.Result {
	t.Helper()
	p := pair.New(scripted(t, scripts[pair.A]), scripted(t, scripts[pair.B]), pair.Rules{})
	r := &align.Result{Pair: p}
	names := [2][]string{}
	for s, tr := range [2]*trace.Trace{p.A, p.B} {
		th := tr.Threads[0]
		r.Threads[s], r.Passed[s] = th, make(align.Calls, (th.Len()+63)/64)
		for i, fn := range th.Fn {
			name := tr.Functions[fn].Name
			if names[s] = append(names[s], name); name < "a" {
				r.Passed[s][i/64] |= 1 << (i % 64)
			}
		}
	}
	for s := range names {
		for _, name := range names[s] {
			r.Partner[s] = append(r.Partner[s], int32(slices.Index(names[1-s], name)))
		}
	}
	return r
}

// written lists slices one below the other: depth, name, function, begin and end.
func written(list []readSlice) string {
	var b strings.Builder
	for _, sl := range list {
		fmt.Fprintf(&b, "%s%s %s %d–%d\n", strings.Repeat(" ", sl.depth), sl.name,
			sl.args["function"], sl.start, sl.end)
	}
	return b.String()
}

// TestStatusOfPassedLevels holds the status, by hand, where one side has a level more and where
// both have one and the two overlap in part.
func TestStatusOfPassedLevels(t *testing.T) {
	for _, c := range []struct {
		name    string
		scripts [2]string
		want    string
	}{
		{"a level more in B", [2]string{"f a . b . .", "f X a . b . . ."},
			"equal f 0–70\n onlyB X 20–50\n  equal a 20–30\n  equal b 40–50\n"},
		{"a gap amid it", [2]string{"f a . n . b . .", "f X a . b . . ."},
			"equal f 0–90\n onlyB X 20–70\n  equal a 20–30\n  onlyA n 40–50\n  equal b 60–70\n"},
		{"overlap in part", [2]string{"f X a . b . . c . .", "f a . Y b . c . . ."},
			"equal f 0–110\n onlyA X 20–60\n  equal a 20–30\n  onlyB Y 50–60\n   equal b 50–60\n" +
				" equal c 80–90\n"},
	} {
		r := alignedByHand(t, c.scripts)
		tracks := tracksOf(t, []*align.Result{r})[0]
		if got := written(tracks[2].slices); got != c.want {
			t.Errorf("%s:\n%swant\n%s", c.name, got, c.want)
		}
		checkTracks(t, r, tracks)
	}
}

// TestEngineLevelMore exports a level that the engine itself passes through.
func TestEngineLevelMore(t *testing.T) {
	p := pair.New(scripted(t, "main f a . b . c . . g . ."),
		scripted(t, "main f wrap a . b . c . . . g . ."), pair.Rules{})
	results := alignedPairs(t, p)
	if wrap := int32(2); !results[0].Passed[pair.B].Has(wrap) {
		t.Fatal("the engine does not pass through the level")
	}
	tracks := tracksOf(t, results)[0]
	checkTracks(t, results[0], tracks)
	const want = "equal main 0–130\n equal f 10–100\n  onlyB wrap 30–80\n   equal a 30–40\n" +
		"   equal b 50–60\n   equal c 70–80\n equal g 110–120\n"
	if got := written(tracks[2].slices); got != want {
		t.Errorf("%swant\n%s", got, want)
	}
}

// TestNest holds that fitted slices nest and are in order of time, and that slices which nest
// already stay as they are.
func TestNest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var n, again nest
		var open []slice
		now := int64(0)
		for range rapid.IntRange(0, 50).Draw(t, "slices") {
			sl := slice{at: rapid.Int64Range(0, 50).Draw(t, "at"),
				end:   rapid.Int64Range(0, 50).Draw(t, "end"),
				depth: uint32(rapid.IntRange(0, 5).Draw(t, "depth"))}
			n.fit(&sl)
			for len(open) > int(sl.depth) {
				now, open = max(now, open[len(open)-1].end), open[:len(open)-1]
			}
			if len(open) != int(sl.depth) || sl.at < now || sl.end < sl.at {
				t.Fatalf("%d–%d at depth %d below %d, after %d", sl.at, sl.end, sl.depth, len(open), now)
			}
			if len(open) > 0 && sl.end > open[len(open)-1].end {
				t.Fatalf("%d–%d ends after %d", sl.at, sl.end, open[len(open)-1].end)
			}
			fitted := sl
			if again.fit(&fitted); fitted.at != sl.at || fitted.end != sl.end {
				t.Fatalf("%d–%d became %d–%d", sl.at, sl.end, fitted.at, fitted.end)
			}
			now, open = sl.at, append(open, sl)
		}
	})
}
