package callgrind

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/trace"
	"diptych/internal/traceio/loadtest"
	"diptych/internal/traceio/text/texttest"
)

const samples = "../../../testdata/callgrind/*.*"

// plainCost reads a file without subtlety: the own cost of each function by its name and the file
// that the code is from, and the sum.
func plainCost(t testing.TB, data []byte) (own map[string]int64, sum int64) {
	own = map[string]int64{}
	names := map[string]map[string]string{"fl": {}, "fn": {}}
	full := func(kind, value string) string {
		if id, name, ok := strings.Cut(value, ") "); ok && id[0] == '(' {
			names[kind][id+")"] = name
			return name
		}
		if strings.HasPrefix(value, "(") && strings.HasSuffix(value, ")") {
			return names[kind][value]
		}
		return value
	}
	var fl, in, fn string
	call, cost := false, 1
	for s := bufio.NewScanner(bytes.NewReader(data)); s.Scan(); {
		key, value, isSpec := strings.Cut(s.Text(), "=")
		fields := strings.Fields(s.Text())
		switch {
		case isSpec && key == "fl":
			fl = full("fl", value)
			in = fl
		case isSpec && (key == "fi" || key == "fe"):
			in = full("fl", value)
		case isSpec && key == "fn":
			fn, in = full("fn", value), fl
		case isSpec && (key == "cfi" || key == "jfi"):
			full("fl", value)
		case isSpec && key == "cfn":
			full("fn", value)
		case isSpec && key == "calls":
			call = true
		case s.Text() == "positions: instr line":
			cost = 2
		case len(fields) > cost && strings.ContainsAny(s.Text()[:1], "+-*0123456789"):
			n, err := strconv.ParseInt(fields[cost], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			if !call {
				own[fn+"|"+in] += n
				sum += n
			}
			call = false
		}
	}
	return own, sum
}

// sums adds up the own cost of functions in a tree; what is inlined counts for its caller.
func sums(tr *trace.Trace) map[string]int64 {
	own := map[string]int64{}
	for _, th := range tr.Threads {
		for i := range th.Len() {
			f, name := tr.FunctionOf(th, i), ""
			if strings.HasPrefix(f.Name, "(inlined ") {
				name = tr.FunctionOf(th, int(th.Parent(i))).Name
			} else {
				name = f.Name
			}
			if n := th.Self(i); n > 0 {
				own[name+"|"+f.File] += n
			}
		}
	}
	return own
}

func compareSums(t *testing.T, what string, got, want map[string]int64) {
	t.Helper()
	for name, n := range want {
		if n != got[name] && !strings.Contains(name, "0x") {
			t.Errorf("%s: %s is %d, want %d", what, name, got[name], n)
		}
	}
}

// TestRecordings holds the own cost of all functions of the recordings against a plain reader.
func TestRecordings(t *testing.T) {
	for name, data := range loadtest.Recordings(t, samples) {
		want, sum := plainCost(t, data)
		tr, err := tryLoad(data, "")
		if err != nil {
			t.Fatal(err)
		}
		if tr.Duration != sum {
			t.Errorf("%s: %d in all, want %d", name, tr.Duration, sum)
		}
		compareSums(t, name, sums(tr), want)
	}
}

// TestFacts holds the same against callgrind_annotate.
func TestFacts(t *testing.T) {
	text, err := os.ReadFile("../../../testdata/facts.json")
	if err != nil {
		t.Fatal(err)
	}
	var facts map[string]struct {
		Total       int64
		Own, Called map[string]int64
	}
	if err := json.Unmarshal(text, &facts); err != nil {
		t.Fatal(err)
	}
	for name, data := range loadtest.Recordings(t, samples) {
		want := facts["callgrind/"+filepath.Base(name)]
		tr, err := tryLoad(data, "")
		if err != nil {
			t.Fatal(err)
		}
		if tr.Duration != want.Total || len(want.Own) < 10 {
			t.Errorf("%s: %d in all, want %d", name, tr.Duration, want.Total)
		}
		own := map[string]int64{}
		for place, n := range sums(tr) {
			fn, file, _ := strings.Cut(place, "|")
			if file == "" {
				file = unknown
			}
			own[file+":"+fn] = n
		}
		compareSums(t, name, own, want.Own)
		called := map[string]int64{}
		for _, c := range tr.CallCounts {
			called[tr.Functions[c.Callee].Name] += c.Calls
		}
		if len(want.Called) < 10 {
			t.Errorf("%s: nothing is called", name)
		}
		compareSums(t, name, called, want.Called)
	}
}

// program is a random run of a program: calls as a tree.
type programRun struct {
	fn    int
	own   int64
	below []*programRun
}

func drawRun(t *rapid.T) []*programRun {
	functions := rapid.IntRange(1, 8).Draw(t, "functions")
	left := rapid.IntRange(1, 60).Draw(t, "calls")
	var draw func(depth int) *programRun
	draw = func(depth int) *programRun {
		left--
		c := &programRun{fn: rapid.IntRange(0, functions-1).Draw(t, "fn"),
			own: rapid.Int64Range(0, 20).Draw(t, "own")}
		for range rapid.IntRange(0, 3).Draw(t, "callees") {
			if left > 0 && depth < 12 {
				c.below = append(c.below, draw(depth+1))
			}
		}
		return c
	}
	var roots []*programRun
	for left > 0 {
		roots = append(roots, draw(0))
	}
	return roots
}

// costs is what Callgrind would record of a run.
type costs struct {
	own          map[int]int64
	calls, times map[[2]int]int64
}

func costsOf(roots []*programRun) *costs {
	c := &costs{map[int]int64{}, map[[2]int]int64{}, map[[2]int]int64{}}
	for _, r := range roots {
		c.add(r)
	}
	return c
}

func (c *costs) add(r *programRun) (inclusive int64) {
	inclusive = r.own
	c.own[r.fn] += r.own
	for _, b := range r.below {
		n := c.add(b)
		c.calls[[2]int{r.fn, b.fn}] += n
		c.times[[2]int{r.fn, b.fn}]++
		inclusive += n
	}
	return inclusive
}

// edges returns the pairs of caller and callee, sorted.
func (c *costs) edges() [][2]int {
	return slices.SortedFunc(maps.Keys(c.calls), func(x, y [2]int) int {
		return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1]))
	})
}

// write writes the file, with compressed names or not.
func (c *costs) write(compressed bool) []byte {
	var out bytes.Buffer
	named := map[int]bool{}
	name := func(fn int) string {
		if !compressed {
			return fmt.Sprint("f", fn)
		}
		if named[fn] {
			return fmt.Sprintf("(%d)", fn)
		}
		named[fn] = true
		return fmt.Sprintf("(%d) f%d", fn, fn)
	}
	sum := int64(0)
	fmt.Fprintln(&out, "creator: callgrind-test\nevents: Ir")
	for _, fn := range slices.Sorted(maps.Keys(c.own)) {
		fmt.Fprintf(&out, "fn=%s\n+1 %d\n", name(fn), c.own[fn])
		sum += c.own[fn]
		for _, ends := range c.edges() {
			if ends[0] == fn {
				fmt.Fprintf(&out, "cfn=%s\ncalls=%d 0\n* %d\n", name(ends[1]), c.times[ends], c.calls[ends])
			}
		}
	}
	fmt.Fprintf(&out, "totals: %d\n", sum)
	return out.Bytes()
}

// reaches reports whether calls lead from one function to another.
func (c *costs) reaches(from, to int) bool {
	seen, todo := map[int]bool{}, []int{from}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for ends, n := range c.calls {
			if ends[0] == at && n > 0 && !seen[ends[1]] {
				seen[ends[1]] = true
				todo = append(todo, ends[1])
			}
		}
	}
	return seen[to]
}

// TestSumsAreThoseOfTheRun draws runs of programs: in the tree that is made of their call graphs
// all functions have the cost that they had, and so have all calls that are in no cycle.
func TestSumsAreThoseOfTheRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := costsOf(drawRun(t))
		tr, err := tryLoad(c.write(rapid.Bool().Draw(t, "compressed")), "")
		if err != nil {
			t.Fatal(err)
		}
		own, calls := map[string]int64{}, map[string]int64{}
		for _, th := range tr.Threads {
			for i := range th.Len() {
				name := tr.FunctionOf(th, i).Name
				own[name] += th.Self(i)
				if up := th.Parent(i); up >= 0 {
					calls[tr.FunctionOf(th, int(up)).Name+" "+name] += th.End(i) - th.Start(i)
				}
			}
		}
		for fn, n := range c.own {
			if got := own[fmt.Sprint("f", fn)]; got != n {
				t.Fatalf("f%d costs %d, want %d\n%s", fn, got, n, texttest.Show(tr))
			}
		}
		for ends, n := range c.calls {
			if got := calls[fmt.Sprintf("f%d f%d", ends[0], ends[1])]; got != n && !c.reaches(ends[1], ends[0]) {
				t.Fatalf("calls %v cost %d, want %d", ends, got, n)
			}
		}
		if got, want := countsIn(tr), c.counts(); !maps.Equal(got, want) {
			t.Fatalf("calls are %v, want %v", got, want)
		}
	})
}

// TestPathsWithoutNumber has a graph with 2^64 paths: most of what costs little is not followed,
// and all costs are still there.
func TestPathsWithoutNumber(t *testing.T) {
	var text strings.Builder
	text.WriteString("creator: callgrind-test\nevents: Ir\n")
	cost := int64(1) << 40
	for level := range 64 {
		for side := range 2 {
			fmt.Fprintf(&text, "fn=f%d_%d\n1 %d\n", level, side, 1000+level)
			for to := range 2 {
				if level < 63 {
					fmt.Fprintf(&text, "cfn=f%d_%d\ncalls=1 1\n1 %d\n", level+1, to, cost/2)
				}
			}
		}
	}
	fmt.Fprintf(&text, "fn=f64_0\n1 %d\n", cost)
	tr := load(t, text.String())
	if tr.Calls() > 2*mostNodes || tr.Calls() < 100 {
		t.Errorf("%d calls", tr.Calls())
	}
	g := newGraph("", "", "")
	for n := range int32(64) {
		g.addOwn(g.node(function{name: n}), 1<<20)
		if n > 1 {
			g.addCall(n-2, n, 1<<20, 1)
			g.addCall(n-1, n, 1<<20, 1)
		}
	}
	for _, most := range []int{10, 1000, 100_000} {
		c, err := split(context.Background(), g, most, false, 1)
		if err != nil {
			t.Fatal(err)
		}
		sum := int64(0)
		for _, n := range c.nodes {
			sum += n.self
		}
		if len(c.nodes) > most && most > 200 || len(c.nodes) == 0 {
			t.Errorf("%d nodes, %d at most; they cost %d", len(c.nodes), most, sum)
		}
	}
}

// TestMergedCallsAddUp makes the tree of a graph that is consistent, with ever fewer nodes.
func TestMergedCallsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := costsOf(drawRun(t))
		g, want := newGraph("", "", ""), int64(0)
		for _, fn := range slices.Sorted(maps.Keys(c.own)) {
			g.addOwn(g.node(function{name: int32(fn)}), c.own[fn])
			want += c.own[fn]
		}
		for _, ends := range c.edges() {
			g.addCall(g.node(function{name: int32(ends[0])}), g.node(function{name: int32(ends[1])}),
				c.calls[ends], c.times[ends])
		}
		made, err := split(context.Background(), g, rapid.IntRange(1, 30).Draw(t, "most"), true, 1)
		if err != nil {
			t.Fatal(err)
		}
		got := int64(0)
		for _, n := range made.nodes {
			if n.self < 0 {
				t.Fatalf("a cost of %d", n.self)
			}
			got += n.self
		}
		if got != want {
			t.Logf("own %v calls %v", c.own, c.calls)
			t.Fatalf("%d in all, want %d: %+v", got, want, made.nodes)
		}
	})
}
