package callgrind

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"diptych/internal/fuzzall/seeds"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/loadtest"
)

// FuzzLoad looks for input that makes the loader panic or hang, or gives calls that lie badly.
func FuzzLoad(f *testing.F) {
	seeds.Add(f)
	for _, c := range cases {
		f.Add([]byte(c.text))
	}
	for _, c := range countCases {
		f.Add([]byte(c.text))
	}
	f.Add([]byte(xdebug("get 0 1", "a 10 2 get", "f 1 0", "f 2 0 f", "main 2 4 a f")))
	f.Fuzz(func(t *testing.T, file []byte) {
		Sniff(&input.Source{Head: file})
		tr, err := tryLoad(file, "")
		loadtest.Sound(t, tr, err)
	})
}

// xdebugHead begins a file of Xdebug, whose functions stand there once a call.
const xdebugHead = "version: 1\ncreator: xdebug 3.2.0 (PHP 8.2.36)\npositions: line\nevents: Time_(10ns) Memory_(bytes)\n"

// xdebug writes calls as Xdebug does: "f 3 2 a b" is a call of f with its own time and bytes, and
// with what it called.
func xdebug(calls ...string) string {
	text := xdebugHead
	for _, c := range calls {
		w := strings.Fields(c)
		text += fmt.Sprintf("\nfl=(1) a.php\nfn=%s\n8 %s %s\n", w[0], w[1], w[2])
		for _, callee := range w[3:] {
			text += fmt.Sprintf("cfl=(1)\ncfn=%s\ncalls=1 0 0\n8 99 9\n", callee)
		}
	}
	return text + "\nsummary: 99 9\n"
}

// TestEachCall holds that a file of Xdebug is read as the calls that were made, without estimates.
func TestEachCall(t *testing.T) {
	shared := xdebug("get 0 1", "a 10 2 get", "get 7 3", "get 0 0", "b 8 0 get get", "main 2 4 a b", "get 1 1")
	for _, c := range []struct {
		name, text, event string
		want              []string
		kind              trace.Kind
		codes             string
	}{
		{"each call has its callees, of one function for different callers", shared, "",
			[]string{"main 270", " a 100", "  get 0", " b 150", "  get 70", "  get 0", "get 10"}, trace.Timeline, ""},
		{"other costs have no places in time", shared, "Memory_(bytes)",
			[]string{"get 1", "main 10", " a 3", "  get 1", " b 3", "  get 3"}, trace.Profile, ""},
		{"recursion", xdebug("f 1 0", "f 2 0 f", "f 3 0 f", "main 4 0 f"), "",
			[]string{"main 100", " f 60", "  f 30", "   f 10"}, trace.Timeline, ""},
		{"calls of which no caller has ended", xdebug("f 1 0", "g 2 0 f", "f 3 0"), "",
			[]string{"g 30", " f 10", "f 30"}, trace.Timeline, ""},
		{"a file that was cut among the callees", strings.TrimSuffix(xdebug("f 1 0", "g 2 0", "main 4 0 f"),
			"\nsummary: 99 9\n"), "", []string{"f 10", "g 20"}, trace.Timeline, "truncated"},
		{"calls that do not end in the order of a stack", xdebug("g 1 0", "f 2 0", "h 3 0", "main 4 0 f g h"), "",
			[]string{"main 3010", " f 990", "  (not recorded) 970", " g 990", "  (not recorded) 980", " h 990", "  (not recorded) 960"},
			trace.Profile, "lost-records"},
		{"calls that are added up", strings.Replace(shared, "calls=1", "calls=2", 1), "", nil, trace.Profile, "lost-records split-cost"},
		{"two runs in a file", xdebug("f 1 0", "main 2 0 f") + xdebug("f 3 0", "main 4 0 f"), "",
			[]string{"main 30", " f 10", "main 70", " f 30"}, trace.Timeline, ""},
	} {
		tr, err := tryLoad([]byte(c.text), c.event)
		if err != nil {
			t.Fatal(err)
		}
		var codes []string
		for _, d := range tr.Diagnostics {
			codes = append(codes, string(d.Code))
		}
		if got := rows(tr); c.want != nil && !slices.Equal(got, c.want) || tr.Kind != c.kind || strings.Join(codes, " ") != c.codes {
			t.Errorf("%s: %q, kind %v, %q", c.name, got, tr.Kind, codes)
		}
	}
	th := load(t, xdebug("f 3 0", "g 0 0", "main 10 0 f g")).Threads[0]
	if th.Start(1) != 33 || th.End(1) != 63 || th.Start(2) != 96 || th.End(0) != 130 {
		t.Error("own time is not spread evenly")
	}
}
