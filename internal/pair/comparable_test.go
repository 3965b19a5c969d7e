package pair

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"diptych/internal/trace"
)

func TestComparable(t *testing.T) {
	time, bytes := &trace.Trace{Unit: trace.Nanoseconds}, &trace.Trace{Unit: "bytes"}
	for _, c := range []struct {
		a, b *trace.Trace
		want string
	}{
		{time, time, ""}, {bytes, bytes, ""}, {nil, bytes, ""}, {time, nil, ""},
		{time, bytes, "trace A is measured in ns and trace B in bytes, so they cannot be compared"},
		{bytes, time, "trace A is measured in bytes and trace B in ns, so they cannot be compared"},
	} {
		got := ""
		if err := Comparable(c.a, c.b); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// requestsOf makes a list of requests of web, the longest first and shown: "product 9 8, search 7"
// are p9, p8 and s7.
func requestsOf(text string) (list []trace.Request) {
	for part := range strings.SplitSeq(text, ", ") {
		words := strings.Fields(part)
		for k, ns := range words[1:] {
			n, _ := strconv.ParseInt(ns, 10, 64)
			list = append(list, trace.Request{ID: words[0][:1] + ns, Service: "web", Operation: words[0],
				Duration: n, Rank: len(words) - 1 - k, Of: len(words) - 1})
		}
	}
	slices.SortStableFunc(list, func(x, y trace.Request) int { return cmp.Compare(y.Duration, x.Duration) })
	if len(list) > 0 {
		list[0].Shown = true
	}
	return list
}

// TestRequestsMeet holds that both sides show the median request for the same thing: for that whose
// median changed most.
func TestRequestsMeet(t *testing.T) {
	none, a := [2]bool{}, "product 90 9 8, search 7, health 2 1"
	for name, c := range map[string]struct {
		b      string
		chosen [2]bool
		want   [2]string
	}{
		"medians":           {"product 30 29 28, health 60 2", none, [2]string{"p9", "p29"}},
		"an outlier":        {"product 70 9 8, search 77 6, health 1", none, [2]string{"s7", "s6"}},
		"what changed most": {"health 30, product 8", none, [2]string{"h1", ""}},
		"none changed":      {"product 9, health 1, search 7", none, [2]string{"p9", ""}},
		"no longer first":   {"other 30, product 8", none, [2]string{"p9", "p8"}},
		"one has no other":  {"search 3", none, [2]string{"s7", ""}},
		"nothing in common": {"other 30", none, [2]string{}},
		"A was chosen":      {"health 30, product 8", [2]bool{true, false}, [2]string{"", "p8"}},
		"both were chosen":  {"health 30, product 8", [2]bool{true, true}, [2]string{}},
		"no requests":       {"other", none, [2]string{}},
	} {
		x, y := &trace.Trace{Requests: requestsOf(a)}, &trace.Trace{Requests: requestsOf(c.b)}
		if got := Requests(x, y, c.chosen); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if got := Requests(y, x, [2]bool{c.chosen[1], c.chosen[0]}); got != [2]string{c.want[1], c.want[0]} {
			t.Errorf("%s, swapped: %q", name, got)
		}
	}
	x, y := &trace.Trace{Requests: requestsOf("f 1000, g 500")}, &trace.Trace{Requests: requestsOf("g 509, f 1001")}
	y.Requests[0].Shown, y.Requests[1].Shown = false, true // g509
	if got := Requests(x, y, none); got != [2]string{"", "f1001"} {
		t.Errorf("%q where both changed as much as chance does", got)
	}
	if got := Requests(&trace.Trace{Requests: requestsOf(a)}, nil, none); got != [2]string{} {
		t.Errorf("%q of one trace", got)
	}
}

// TestRequestsOfRuns holds that all runs of both sides show a request for the same thing.
func TestRequestsOfRuns(t *testing.T) {
	lists := [2][][]trace.Request{
		{requestsOf("search 90, product 9 8"), requestsOf("product 9, search 4"), requestsOf("product 7, search 5, x 1")},
		{requestsOf("product 30 20 10, search 5"), requestsOf("other 99, product 21, search 5")}}
	ids, others := RunRequests(lists, [2]bool{})
	if got := fmt.Sprint(ids, others); got != "[[p8 p9 p7] [p20 p21]] true" {
		t.Error(got)
	}
	ids, others = RunRequests(lists, [2]bool{true, false}) // A was asked for search
	if got := fmt.Sprint(ids, others); got != "[[  ] [s5 s5]] true" {
		t.Error(got)
	}
}
