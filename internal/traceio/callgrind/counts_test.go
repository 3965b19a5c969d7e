package callgrind

import (
	"fmt"
	"maps"
	"testing"

	"diptych/internal/trace"
)

// countsIn are the numbers of calls in a trace: "f g" is how often f calls g.
func countsIn(tr *trace.Trace) map[string]int64 {
	all := map[string]int64{}
	for _, c := range tr.CallCounts {
		all[tr.Functions[c.Caller].Name+" "+tr.Functions[c.Callee].Name] += c.Calls
	}
	return all
}

// counts are those of a run. Numbers that are all equal to the costs are taken for costs.
func (c *costs) counts() map[string]int64 {
	all, differ := map[string]int64{}, false
	for ends, n := range c.times {
		all[fmt.Sprintf("f%d f%d", ends[0], ends[1])] = n
		differ = differ || n != c.calls[ends]
	}
	if !differ {
		return nil
	}
	return all
}

// countCases are files and how often functions call one another in them.
var countCases = []struct {
	name, text, event string
	want              map[string]int64
}{
	{"several places of a call, and callers that share a callee",
		"events: Ir\nfn=(1) main\n1 20\ncfn=(2) f\ncalls=3 50\n1 30\ncfn=(2)\ncalls=4 50\n2 40\n" +
			"cfn=(3) g\ncalls=1 9\n3 10\nfn=(3)\n9 5\ncfn=(2)\ncalls=2 50\n9 5\nfn=(2)\n50 75\n", "",
		map[string]int64{"main f": 7, "main g": 1, "g f": 2}},
	{"compressed files and binaries of what is called",
		"events: Ir\nob=(1) a.out\nfl=(1) a.c\nfn=(1) main\n1 20\ncob=(2) b.so\ncfi=(2) b.c\ncfn=(2) f\n" +
			"calls=0x10 50\n1 30\ncfn=(3) g\ncalls=3 5\n1 4\nob=(2)\nfl=(2)\nfn=(2)\n50 30\nfl=(1)\nfn=(3)\n5 4\n", "",
		map[string]int64{"main f": 16, "main g": 3}},
	{"recursion and cycles",
		"events: Ir\nfn=main\n1 10\ncfn=f\ncalls=2 1\n1 60\nfn=f\n2 20\ncfn=f\ncalls=9 1\n2 540\n" +
			"cfn=g\ncalls=5 1\n2 40\nfn=g\n3 40\ncfn=f\ncalls=4 1\n3 30\n", "",
		map[string]int64{"main f": 2, "f f": 9, "f g": 5, "g f": 4}},
	{"parts and threads are added up",
		"version: 1\ncreator: callgrind-3\npart: 1\nthread: 1\nevents: Ir\nfn=(1) a\n1 5\ncfn=(2) b\ncalls=3 1\n" +
			"1 9\nfn=(2)\n1 9\ntotals: 14\npart: 1\nthread: 2\nevents: Ir\nfn=(1)\n1 2\ncfn=(2)\ncalls=5 1\n1 1\n" +
			"fn=(2)\n1 1\ntotals: 3\npart: 2\nthread: 1\nevents: Ir\nfn=(1)\n1 3\ncfn=(2)\ncalls=1 1\n1 2\nfn=(2)\n1 2\ntotals: 5\n",
		"", map[string]int64{"a b": 9}},
	{"a call that began in the part before costs something here, but is none",
		"events: Ir\nfn=a\n1 5\ncfn=b\ncalls=0 1\n1 9\ncfn=c\ncalls=2 1\n1 1\nfn=b\n1 9\nfn=c\n1 1\n", "",
		map[string]int64{"a c": 2}},
	{"calls that cost nothing of what is shown",
		"events: Ir Dw\nfn=a\n1 5 1\ncfn=b\ncalls=7 1\n1 9\ncfn=c\ncalls=2 1\n1 1 3\nfn=b\n1 9\nfn=c\n1 1 3\n", "Dw",
		map[string]int64{"a b": 7, "a c": 2}},
	{"a part without what is shown: nobody knows what its calls cost",
		"events: Ir Dw\nfn=a\n1 5 1\ncfn=b\ncalls=7 1\n1 9 9\nfn=b\n1 9 9\npart: 2\nevents: Ir\nfn=a\n1 5\n" +
			"cfn=b\ncalls=2 1\n1 9\n", "Dw", map[string]int64{"a b": 7}},
	{"code that is inlined is not called",
		"events: Ir\nfl=a.c\nfn=main\n1 10\nfi=in.h\n5 4\ncfn=f\ncalls=3 1\n6 2\nfe=a.c\n2 1\nfl=in.h\nfn=f\n1 2\n", "",
		map[string]int64{"main f": 3}},
	{"costs in the place of calls, as of pprof and stackprof",
		"events: cpu(ms)\nfn=a\n1 5\ncfn=b\ncalls=9 1\n1 9\ncfn=c\ncalls=2 1\n1 2\nfn=b\n1 9\nfn=c\n1 2\n", "", nil},
	{"one costs as many instructions as there are calls, another does not",
		"events: Ir\nfn=a\n1 5\ncfn=b\ncalls=9 1\n1 9\ncfn=c\ncalls=2 1\n1 4\nfn=b\n1 9\nfn=c\n1 4\n", "",
		map[string]int64{"a b": 9, "a c": 2}},
	{"samples, as of rbspy",
		"creator: rbspy\nevents: Samples\nfn=a\n1 5\ncfn=b\ncalls=3 1\n1 9\nfn=b\n1 9\n", "", nil},
	{"Xdebug has all calls of a timeline", xdebug("f 1 0", "main 2 0 f"), "", nil},
	{"and numbers of those of a profile", xdebug("f 1 5", "f 1 5", "g 1 1 f", "main 2 1 f g"), "Memory_(bytes)",
		map[string]int64{"main f": 1, "main g": 1, "g f": 1}},
	{"more calls than can be, and no number",
		"events: Ir\nfn=a\n1 5\ncfn=b\ncalls=2305843009213693950 1\n1 9\ncfn=c\ncalls=3 1\n1 2\n" +
			"cfn=d\ncalls=18446744073709551616 1\n1 2\ncfn=d\ncalls=x 1\n1 2\ncfn=d\ncalls=1 1\n1 2\n", "",
		map[string]int64{"a b": 2305843009213693950, "a d": 1}},
}

// TestExact holds which profiles were counted, and not sampled or measured.
func TestExact(t *testing.T) {
	for _, c := range []struct {
		text, event string
		want        bool
	}{
		{"events: Ir Dw\nfn=a\n1 5 2\n", "", true},
		{"events: Ir Dw\nfn=a\n1 5 2\n", "Dw", true},
		{"events: Memory\nfn=a\n1 5\ncfn=b\ncalls=3 1\n1 9\nfn=b\n1 9\n", "", true},
		{"events: inuse_space(bytes)\nfn=a\n1 5\ncfn=b\ncalls=9 1\n1 9\nfn=b\n1 9\n", "", false},
		{"events: Samples\nfn=a\n1 5\ncfn=b\ncalls=3 1\n1 9\nfn=b\n1 9\n", "", false},
		{"events: Ticks\nfn=a\n1 5\ncfn=b\ncalls=3 1\n1 9\nfn=b\n1 9\n", "", false},
		{"events: Nanoseconds\nfn=a\n1 5\ncfn=b\ncalls=3 1\n1 9\nfn=b\n1 9\n", "", false},
	} {
		tr, err := tryLoad([]byte(c.text), c.event)
		if err != nil {
			t.Fatal(err)
		}
		if tr.Exact != c.want {
			t.Errorf("%q: %v", c.text, tr.Exact)
		}
	}
}

// TestCounts holds how often functions call one another, as the lines calls= say it.
func TestCounts(t *testing.T) {
	for _, c := range countCases {
		tr, err := tryLoad([]byte(c.text), c.event)
		if err != nil {
			t.Fatal(err)
		}
		if got := countsIn(tr); !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
