package explain

import (
	"fmt"
	"strings"
	"testing"

	"diptych/internal/pair"
	"diptych/internal/trace"
)

// asked returns a recording of requests, "cart 1 2 3, home 4": how many ms those of each operation
// take, in order; the one with a star is shown.
func asked(text string) *trace.Trace {
	tr := &trace.Trace{Unit: trace.Nanoseconds}
	for _, of := range strings.Split(text, ", ") {
		words := strings.Fields(of)
		for k, ms := range words[1:] {
			r := trace.Request{ID: fmt.Sprint(words[0], k+1, "-0123456789"), Service: "web", Operation: words[0],
				Rank: k + 1, Of: len(words) - 1}
			r.Shown = strings.HasSuffix(ms, "*")
			fmt.Sscan(ms, &r.Duration)
			r.Duration *= 1e6
			tr.Requests = append(tr.Requests, r)
		}
	}
	return tr
}

// TestRequestsInWords holds what is said of which requests are compared, and of the others.
func TestRequestsInWords(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"cart 5*", "cart 6*", ""}, // there is no choice
		{"cart 5", "cart 5 6*", ""},
		{"cart 5*", "cart 5 6*", "request web: cart: in A the only one (cart1-01), in B the longest of 2 (cart2-01)"},
		{"cart 5* 6", "cart 5 6* 7 8 9", "request web: cart: in A the median of 2 (cart1-01), in B one of 5 (cart2-01; " +
			"half of them take 6.00 ms to 8.00 ms)"},
		{"cart 5*, home 7", "cart 5, home 8*", "different requests: in A web: cart, the only one (cart1-01); in B " +
			"web: home, the only one (home1-01); medians of others: web: home 7.00 ms → 8.00 ms"},
		{"a 1, b 2, c 3, cart 5*, d 4, e 5, f 6", "a 1, b 2, c 3, cart 5*, d 5, e 6", "request web: cart: in A the only " +
			"one (cart1-01), in B the only one (cart1-01); medians of others: %s, and 2 more"},
	} {
		p := &pair.Pair{A: asked(c.a), B: asked(c.b)}
		got, want := Requests(p), c.want
		if before, after, some := strings.Cut(want, "%s"); some { // whichever are named
			if !strings.HasPrefix(got, before) || !strings.HasSuffix(got, after) || strings.Count(got, "→") != otherEndpoints {
				t.Errorf("%s | %s: %q, want %q", c.a, c.b, got, want)
			}
		} else if got != want {
			t.Errorf("%s | %s: %q, want %q", c.a, c.b, got, want)
		}
	}
}
