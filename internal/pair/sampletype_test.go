package pair

import (
	"slices"
	"testing"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// tally returns a profile in which each of the given threads holds so much of main, in the order
// that the recording asks for. Names that end in "!" are no sample types.
func tally(t *testing.T, names []string, each ...int64) *trace.Trace {
	b := trace.NewBuilder("test")
	b.Kind, b.Unit = trace.Profile, "bytes"
	for k, name := range names {
		th := b.Thread(name, -1)
		th.SetRole(name, false)
		th.SetSort(k)
		if name[len(name)-1] != '!' {
			th.SetKind(trace.SampleType)
		}
		th.Complete(0, each[k], b.Function(trace.Function{Name: "main"}))
	}
	return testtrace.Build(t, b)
}

// TestSampleTypes: the default is A's first; threads that are of no type count what their partner
// does, else the default; and only what counts the same is added up.
func TestSampleTypes(t *testing.T) {
	for _, c := range []struct {
		a, b    []string
		types   []string
		extents [][2]int64 // by type: of A and of B, whose threads hold 1, 10, 100
	}{
		{[]string{"z", "a"}, []string{"a", "z"}, []string{"z", "a"}, [][2]int64{{1, 10}, {10, 1}}},
		{[]string{"z", "a"}, []string{"a"}, []string{"z", "a"}, [][2]int64{{1, 0}, {10, 1}}},
		{[]string{"z"}, []string{"z", "n"}, []string{"z", "n"}, [][2]int64{{1, 1}, {0, 10}}},
		{[]string{"1!", "2!"}, []string{"1!", "2!", "3!"}, []string{""}, [][2]int64{{11, 111}}},
		{[]string{"z", "a"}, []string{"1!", "2!"}, []string{"z", "a"}, [][2]int64{{1, 10}, {10, 1}}},
	} {
		p := New(tally(t, c.a, 1, 10, 100), tally(t, c.b, 1, 10, 100), Rules{})
		if got := p.SampleTypes(); !slices.Equal(got, c.types) {
			t.Errorf("%v, %v: types %v", c.a, c.b, got)
			continue
		}
		for k, of := range c.types {
			if got := [2]int64{p.Extent(A, of), p.Extent(B, of)}; got != c.extents[k] {
				t.Errorf("%v, %v: %s is %v, want %v", c.a, c.b, of, got, c.extents[k])
			}
		}
	}
	if p := New(tally(t, []string{"z", "a"}, 1, 10), nil, Rules{}); p.SampleTypeOf(A, 0) == p.SampleTypeOf(A, 1) {
		t.Error("of one trace alone, all threads are of one type")
	}
}
