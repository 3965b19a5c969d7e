package report

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/trace"
	loader "diptych/internal/traceio/chrome"
	"diptych/internal/traceio/input"
)

// chromeOf writes results and loads them back.
func chromeOf(t fataler, results []*align.Result, bare bool) *trace.Trace {
	t.Helper()
	var file bytes.Buffer
	if err := WriteChrome(context.Background(), &file, results, bare, nil); err != nil {
		t.Fatal(err)
	}
	if !json.Valid(file.Bytes()) {
		t.Fatalf("no JSON: %s", file.Bytes())
	}
	b := trace.NewBuilder("chrome")
	src := &input.Source{Stream: bytes.NewReader(file.Bytes())}
	if err := loader.Load(context.Background(), src, input.Options{}, b); err != nil {
		t.Fatal(err)
	}
	tr := built(t, b)
	if len(tr.Diagnostics) > 0 {
		t.Fatalf("diagnostics %+v of %s", tr.Diagnostics, file.Bytes())
	}
	return tr
}

// loadedSlices is what a thread holds of an exported track. Loading escapes what looks escaped.
func loadedSlices(tr *trace.Trace, id string) (out []readSlice) {
	k := tr.ThreadByID(id)
	if k < 0 {
		return nil
	}
	th := tr.Threads[k]
	for i := range th.Len() {
		sl := readSlice{name: trace.Unescape(tr.Functions[th.Fn[i]].Name), start: tr.Origin + th.Start(i),
			end: tr.Origin + th.End(i), depth: int(th.Depth(i))}
		if err := json.Unmarshal([]byte(trace.Unescape(th.Args(i))), (*textArgs)(&sl.args)); err != nil {
			sl.args = map[string]string{"broken": th.Args(i)}
		}
		out = append(out, sl)
	}
	return out
}

// textArgs takes numbers and texts alike.
type textArgs map[string]string

func (a *textArgs) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var members map[string]any
	if err := d.Decode(&members); err != nil {
		return err
	}
	*a = textArgs{}
	for k, v := range members {
		(*a)[k] = fmt.Sprint(v)
	}
	return nil
}

// TestChrome holds an exported trace, read by our loader, against the alignment. Slices of no width
// may nest otherwise.
func TestChrome(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		least := int64(rapid.IntRange(0, 1).Draw(t, "least"))
		results := drawAligned(t, least)
		tr := chromeOf(t, results, false)
		for k, r := range results {
			v, err := r.Virtual(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			for n, want := range [][]readSlice{sideSlices(v, pair.A), sideSlices(v, pair.B),
				statusSlices(v)} {
				got := loadedSlices(tr, fmt.Sprintf("%d/%d", k+1, n+1))
				if least == 0 {
					flat(got)
					flat(want)
				}
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Fatalf("pair %d, %s:\n%v\nwant\n%v", k, trackNames[n], got, want)
				}
			}
		}
		if len(tr.Counters) != 2*len(results) || len(tr.Processes) != len(results) {
			t.Fatalf("%d counters, %d processes", len(tr.Counters), len(tr.Processes))
		}
	})
}

// TestChromeWithoutArguments holds that slices without arguments are the same, that those of the
// status are called by what is called, and that the threads have the same names.
func TestChromeWithoutArguments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		results := drawAligned(t, 1)
		with, without := chromeOf(t, results, false), chromeOf(t, results, true)
		if with.Calls() != without.Calls() || len(with.Counters) != len(without.Counters) {
			t.Fatalf("%d calls, %d with arguments", without.Calls(), with.Calls())
		}
		for k, th := range without.Threads {
			full := loadedSlices(with, with.Threads[k].ID)
			for i := range th.Len() {
				got, want := trace.Unescape(without.FunctionOf(th, i).Name), full[i].name
				if with.Threads[k].Name == "status" {
					want = statusName(full[i])
				}
				if th.Args(i) != "" || got != want || th.Dur(i) != with.Threads[k].Dur(i) {
					t.Fatalf("%q, want %q; %q", got, want, th.Args(i))
				}
			}
		}
	})
}

// statusName is what a slice of the status is called without its arguments.
func statusName(sl readSlice) string {
	switch name := sl.args["function"]; sl.name {
	case "different":
		return name + " ↔ " + sl.args["partner"]
	case "onlyA":
		return name + " (only in A)"
	case "onlyB":
		return name + " (only in B)"
	default:
		return name
	}
}

// flat returns slices without their depths.
func flat(list []readSlice) {
	for k := range list {
		list[k].depth = 0
	}
	slices.SortFunc(list, func(x, y readSlice) int {
		return cmp.Or(cmp.Compare(x.start, y.start), cmp.Compare(x.end, y.end),
			cmp.Compare(fmt.Sprint(x), fmt.Sprint(y)))
	})
}
