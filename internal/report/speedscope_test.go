package report

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// speedscopeFile is what speedscope's JSON schema says of a file with evented profiles.
type speedscopeFile struct {
	Schema             string `json:"$schema"`
	Exporter           string
	ActiveProfileIndex *int
	Shared             struct {
		Frames []struct {
			Name string
			File string
			Line int32
		}
	}
	Profiles []speedscopeProfile
}

type speedscopeProfile struct {
	Type, Name, Unit     string
	StartValue, EndValue *int64
	Events               []struct {
		Type  string
		At    int64
		Frame *int
	}
}

func speedscopeOf(t fataler, results []*align.Result, sides Sides) *speedscopeFile {
	t.Helper()
	var file bytes.Buffer
	if err := WriteSpeedscope(context.Background(), &file, results, sides, nil); err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(&file)
	d.DisallowUnknownFields()
	f := &speedscopeFile{}
	if err := d.Decode(f); err != nil {
		t.Fatal(err)
	}
	if f.Schema != "https://www.speedscope.app/file-format-schema.json" || f.ActiveProfileIndex == nil {
		t.Fatalf("%+v", f)
	}
	return f
}

// slices returns the calls of a profile, and holds that its events come in order of time, within its
// borders, and that every end is that of the innermost open frame.
func (p *speedscopeProfile) slices(t fataler, f *speedscopeFile) (out []readSlice) {
	t.Helper()
	var open []int
	last := *p.StartValue
	for _, e := range p.Events {
		if e.At < last || e.At > *p.EndValue {
			t.Fatalf("%s: an event at %d, after %d", p.Name, e.At, last)
		}
		last = e.At
		name := f.Shared.Frames[*e.Frame].Name
		if e.Type == "O" {
			open = append(open, len(out))
			out = append(out, readSlice{name: name, start: e.At, depth: len(open) - 1})
			continue
		}
		if e.Type != "C" || len(open) == 0 || out[open[len(open)-1]].name != name {
			t.Fatalf("%s: %q ends %s", p.Name, e.Type, name)
		}
		out[open[len(open)-1]].end = e.At
		open = open[:len(open)-1]
	}
	if len(open) > 0 {
		t.Fatalf("%s: %d calls are open", p.Name, len(open))
	}
	return out
}

// TestSpeedscope holds profiles against the traces and the alignment, call by call.
func TestSpeedscope(t *testing.T) {
	checkSpeedscope(t, nil, Difference)
	testtrace.Checks(t, 50)
	rapid.Check(t, func(t *rapid.T) {
		results := drawAligned(t, int64(rapid.IntRange(0, 1).Draw(t, "least")))
		for _, sides := range []Sides{Difference, OnlyA, OnlyB} {
			checkSpeedscope(t, results, sides)
		}
	})
}

func checkSpeedscope(t fataler, results []*align.Result, sides Sides) {
	t.Helper()
	f := speedscopeOf(t, results, sides)
	left := f.Profiles
	next := func(name string, want []readSlice) {
		t.Helper()
		if len(left) == 0 || left[0].Name != name || left[0].Unit != "nanoseconds" || left[0].Type != "evented" {
			t.Fatalf("profiles %+v, want %s", left, name)
		}
		got := left[0].slices(t, f)
		if !slices.EqualFunc(got, want, func(g, w readSlice) bool {
			return g.name == w.name && g.start == w.start && g.end == w.end && g.depth == w.depth
		}) {
			t.Fatalf("%s:\n%v\nwant\n%v", name, got, want)
		}
		left = left[1:]
	}
	for _, r := range results {
		for s, th := range r.Threads {
			if side := pair.Side(s); th.Len() > 0 && sides.has(side) {
				next(side.String()+": "+title(r), realSlices(r, side))
			}
		}
		if sides == Difference && r.Indices[pair.A] >= 0 && r.Indices[pair.B] >= 0 {
			v, err := r.Virtual(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			status := statusSlices(v)
			for k, sl := range status {
				status[k] = readSlice{name: statusName(sl), start: sl.start, end: sl.end, depth: sl.depth}
			}
			next("A ↔ B: "+title(r), status)
		}
	}
	if len(left) == len(f.Profiles) { // without calls there is one profile, for readers want one
		next("no calls", nil)
	}
	if len(left) > 0 {
		t.Fatalf("%d profiles too many", len(left))
	}
}

// realSlices is what the profile of a side must hold.
func realSlices(r *align.Result, s pair.Side) (out []readSlice) {
	th := r.Threads[s]
	for i := range th.Len() {
		out = append(out, readSlice{name: nameOf(r, s, int32(i)), start: th.Start(i), end: th.End(i),
			depth: int(th.Depth(i))})
	}
	return out
}

// TestSpeedscopeOfManyCalls holds a file that is written in several blocks, and one in which levels
// of both sides overlap in part.
func TestSpeedscopeOfManyCalls(t *testing.T) {
	checkSpeedscope(t, exampleAligned(t), Difference)
	r := alignedByHand(t, [2]string{"f X a . b . . c . .", "f a . Y b . c . . ."})
	checkSpeedscope(t, []*align.Result{r}, Difference)
}

// TestSpeedscopeFrames holds that a frame names its source, that there is one for each function, and
// that the pair with the most calls is shown first.
func TestSpeedscopeFrames(t *testing.T) {
	var sides [2]*trace.Trace
	for s := range sides {
		b := trace.NewBuilder("test")
		for k, calls := range []int{1, 3} {
			th := b.Thread(fmt.Sprint(k), -1)
			th.SetName(fmt.Sprint("name ", k))
			for i := range int64(calls) {
				th.Begin(10*i, b.Function(trace.Function{Name: "f", File: "a.c", Line: int32(7 + s)}))
				th.End(10*i + 5)
			}
		}
		sides[s] = built(t, b)
	}
	results := alignedPairs(t, pair.New(sides[0], sides[1], pair.Rules{}))
	f := speedscopeOf(t, results, Difference)
	if len(f.Shared.Frames) != 1 || f.Shared.Frames[0].File != "a.c" || f.Shared.Frames[0].Line != 8 {
		t.Errorf("frames %+v", f.Shared.Frames)
	}
	if got := f.Profiles[*f.ActiveProfileIndex].Name; got != "A: name 1 (1:1)" {
		t.Errorf("%s is shown first", got)
	}
}

func TestSpeedscopeUnits(t *testing.T) {
	for unit, want := range map[trace.Unit]string{"ns": `"nanoseconds"`, "bytes": `"bytes"`, "count": `"none"`} {
		if got := string(speedscopeUnit(unit)); got != want {
			t.Errorf("%s is %s", unit, got)
		}
	}
}
