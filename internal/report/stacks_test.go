package report

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// plainStacks sums self times and calls by stack from the definition, the outermost frame, which is
// the thread, first. Frames are as in folded lines.
func plainStacks(results []*align.Result, s pair.Side) (self, calls map[string]int64) {
	self, calls = map[string]int64{}, map[string]int64{}
	for _, r := range results {
		th := r.Threads[s]
		for i := range th.Len() {
			stack := ""
			for k := i; k >= 0; k = int(th.Parent(k)) {
				stack = ";" + frameName(r.Pair.Names[r.ID(s, k)]) + stack
			}
			stack = frameName(commonName(r, threadName)) + stack
			self[stack] += th.Self(i)
			calls[stack]++
		}
	}
	return self, calls
}

// foldedOf writes folded stacks and returns their lines, split into stack and times.
func foldedOf(t fataler, results []*align.Result, sides Sides) (map[string][]int64, Loss) {
	t.Helper()
	var file bytes.Buffer
	lost, err := WriteFolded(context.Background(), &file, results, sides, nil)
	if err != nil {
		t.Fatal(err)
	}
	columns := 1
	if sides == Difference {
		columns = 2
	}
	lines := map[string][]int64{}
	for line := range strings.Lines(file.String()) {
		stack := strings.TrimSuffix(line, "\n")
		values := make([]int64, columns)
		for k := columns - 1; k >= 0; k-- {
			at := strings.LastIndex(stack, " ")
			if values[k], err = strconv.ParseInt(stack[at+1:], 10, 64); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			stack = stack[:at]
		}
		if _, twice := lines[stack]; twice {
			t.Fatalf("%q occurs twice", stack)
		}
		lines[stack] = values
	}
	return lines, lost
}

// rootTime is what the roots of a side's threads take.
func rootTime(results []*align.Result, s pair.Side) (sum int64) {
	for _, r := range results {
		th := r.Threads[s]
		for i := 0; i < th.Len(); i = th.Next(i) {
			sum += th.Dur(i)
		}
	}
	return sum
}

// TestFolded holds folded stacks of both sides and of each against the definition: the difference
// is what difffolded.pl makes of the two, and times add up to those of the threads exactly.
func TestFolded(t *testing.T) {
	testtrace.Checks(t, 50)
	rapid.Check(t, func(t *rapid.T) {
		results := drawAligned(t, int64(rapid.IntRange(0, 1).Draw(t, "least")))
		both, lost := foldedOf(t, results, Difference)
		stacks, missing := map[string]bool{}, 0
		for s, sides := range []Sides{OnlyA, OnlyB} {
			side := pair.Side(s)
			one, _ := foldedOf(t, results, sides)
			want, _ := plainStacks(results, side)
			sum := int64(0)
			for stack, self := range want {
				if got := both[stack]; self != 0 && (got == nil || got[s] != self || one[stack][0] != self) {
					t.Fatalf("%s of %s: %v and %v, want %d", stack, side, got, one[stack], self)
				}
				sum += self
				stacks[stack] = true
			}
			for stack, values := range one {
				if values[0] != want[stack] || values[0] == 0 {
					t.Fatalf("%s of %s: %d, want %d", stack, side, values[0], want[stack])
				}
				sum -= values[0]
			}
			if sum != 0 {
				t.Fatalf("%d of %s are missing", sum, side)
			}
			for _, values := range both {
				sum += values[s]
			}
			if sum != rootTime(results, side) {
				t.Fatalf("lines of %s add up to %d, want %d", side, sum, rootTime(results, side))
			}
		}
		for stack := range both {
			if !stacks[stack] {
				t.Fatalf("a line too many: %s", stack)
			}
		}
		for stack := range stacks {
			if !shownIn(both, stack) {
				missing++
			}
		}
		if missing > 0 != (len(lost) > 0) || missing > 0 && !strings.HasPrefix(lost[0], fmt.Sprint(missing)) {
			t.Fatalf("%d stacks are missing, told %q", missing, lost)
		}
	})
}

// shownIn reports whether a stack or one that begins with it has a line.
func shownIn(lines map[string][]int64, stack string) bool {
	for line := range lines {
		if line == stack || strings.HasPrefix(line, stack+";") {
			return true
		}
	}
	return false
}

func TestFrames(t *testing.T) {
	for _, c := range [][2]string{{"main", "main"}, {"a;b", "a:b"}, {"a\nb\t", `a\nb\t`},
		{"", "(no name)"}, {"std::map<int, int>", "std::map<int, int>"}, {"\x1b[2J", `\x1b[2J`}} {
		if got := frameName(c[0]); got != c[1] {
			t.Errorf("%q is the frame %q, want %q", c[0], got, c[1])
		}
	}
	for _, c := range [][2]string{{"GET /x 200", "GET /x_200"}, {"a 1.5", "a_1.5"},
		{"a 1.", "a_1."}, {"a .5", "a .5"}, {"a1", "a1"}, {"a", "a"}, {"12", "12"}, {" 12", "_12"},
		{"a b", "a b"}, {"", ""}, {"a 1.2.3", "a_1.2.3"}} {
		if got := sealFrame(c[0]); got != c[1] {
			t.Errorf("%q is sealed as %q, want %q", c[0], got, c[1])
		}
	}
}

// TestSealedFrames holds that a function is the same frame with callees and without.
func TestSealedFrames(t *testing.T) {
	side := nested(t, "GET /x 200", 2)
	lines, _ := foldedOf(t, alignedPairs(t, pair.New(side, side, pair.Rules{})), OnlyA)
	if len(lines) != 2 || lines["thread;GET /x_200"] == nil || lines["thread;GET /x_200;GET /x_200"] == nil {
		t.Errorf("%v", lines)
	}
}

// nested is a thread of calls of a function that nest so deep.
func nested(t fataler, function string, depth int) *trace.Trace {
	b := trace.NewBuilder("test")
	th := b.Thread("1", -1)
	for k := range depth {
		th.Begin(int64(k), b.Function(trace.Function{Name: function}))
	}
	for k := range depth {
		th.End(int64(depth + k))
	}
	return built(t, b)
}

// TestDeepStacks holds that a deep recursion has as many stacks as are allowed, that no time is lost
// below them, and that it is told.
func TestDeepStacks(t *testing.T) {
	const depth = 5 * deepest
	results := alignedPairs(t, pair.New(nested(t, "f", depth), nested(t, "f", depth), pair.Rules{}))
	lines, lost := foldedOf(t, results, Difference)
	sum := int64(0)
	for _, values := range lines {
		sum += values[pair.A]
	}
	if len(lines) != deepest || sum != 2*depth-1 || len(lost) != 1 ||
		!strings.HasPrefix(lost[0], fmt.Sprint(2*(depth-deepest), " calls are deeper than ", deepest)) {
		t.Errorf("%d stacks, in all %d; %q", len(lines), sum, lost)
	}
}

// TestThreadGroups holds which threads an export without threads takes for one: those of a pair, and
// those whose names differ in a number that means nothing in another run. It leaves out sums.
func TestThreadGroups(t *testing.T) {
	var sides [2]*trace.Trace
	for s := range sides {
		b := trace.NewBuilder("test")
		browser, page := b.Process("1"), b.Process("2")
		b.NameProcess(browser, "browser")
		b.NameProcess(page, "page")
		add := func(process int32, id, name, role string) *trace.ThreadBuilder {
			th := b.Thread(id, process)
			th.SetName(name)
			if role != "" {
				th.SetRole(role, true)
			}
			for k := range int64(3) {
				th.Begin(10*k, b.Function(trace.Function{Name: "in " + cmp.Or(role, name)}))
				th.End(10*k + 5)
			}
			return th
		}
		add(browser, "1", "main", "")
		add(browser, "2", fmt.Sprint("worker ", 2+s), "worker")
		add(browser, "3", fmt.Sprint("worker ", 5+s), "worker")
		add(page, "4", "main", "")
		add(page, "5", "Total", "").SetKind(trace.Sums)
		sides[s] = built(t, b)
	}
	p := pair.New(sides[0], sides[1], pair.Rules{})
	var lost Loss
	var got []string
	for _, g := range threadGroups(alignedPairs(t, p), &lost) {
		got = append(got, fmt.Sprint(g.process, "/", g.thread, " ", len(g.results)))
	}
	if want := "[browser/main 1 browser/worker 2 page/main 1]"; fmt.Sprint(got) != want || len(lost) != 1 ||
		!strings.HasPrefix(lost[0], "1 track of sums") {
		t.Errorf("groups %v, want %s; %q", got, want, lost)
	}
	lines, _ := foldedOf(t, alignedPairs(t, p), Difference)
	if got := lines["page;main;in main"]; fmt.Sprint(got) != "[15 15]" {
		t.Errorf("lines %v", lines)
	}
	if sums := slices.DeleteFunc(alignedPairs(t, p), func(r *align.Result) bool { return !isSums(r) }); len(
		threadGroups(sums, &lost)) != 1 {
		t.Error("sums that nothing else stands beside are left out")
	}
	for _, sample := range pprofOf(t, alignedPairs(t, p), OnlyB).Sample {
		if sample.Label["process"] == nil || sample.Label["thread"] == nil || sample.DiffBaseSample() {
			t.Errorf("labels %v", sample.Label)
		}
	}
}

// TestProfilesStayProfiles holds that the threads of a profile, which stand for what was sampled,
// are types of samples, and that folded lines have no frame for the only one.
func TestProfilesStayProfiles(t *testing.T) {
	for _, types := range [][]string{{"space"}, {"inuse", "alloc"}, make([]string, mostSampleTypes+1)} {
		b := trace.NewBuilder("test")
		b.Kind, b.Unit = trace.Profile, "bytes"
		for k, name := range types {
			th := b.Thread(cmp.Or(name, fmt.Sprint("type", string(rune('a'+k)))), -1)
			th.Begin(0, b.Function(trace.Function{Name: "f"}))
			th.End(int64(10 * (k + 1)))
		}
		tr := built(t, b)
		results := alignedPairs(t, pair.New(tr, tr, pair.Rules{}))
		lines, _ := foldedOf(t, results, OnlyA)
		p := pprofOf(t, results, OnlyA)
		switch len(types) {
		case 1:
			if fmt.Sprint(lines) != "map[f:[10]]" || p.SampleType[0].Type != "space" ||
				p.SampleType[0].Unit != "bytes" || p.DurationNanos != 0 {
				t.Errorf("%v %v", lines, p)
			}
		case 2:
			if fmt.Sprint(lines) != "map[alloc;f:[20] inuse;f:[10]]" || len(p.SampleType) != 2 ||
				fmt.Sprint(p.Sample[0].Value, p.Sample[1].Value) != "[20 0] [0 10]" {
				t.Errorf("%v %v", lines, p)
			}
		default:
			if len(p.SampleType) != 1 || len(p.Sample) != len(types) || p.Sample[0].Label["thread"] == nil {
				t.Errorf("%v", p)
			}
		}
	}
}
