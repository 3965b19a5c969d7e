package gotrace

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	xtrace "golang.org/x/exp/trace"
	"pgregory.net/rapid"

	"diptych/internal/trace"
)

// script is a goroutine that is fed by hand. Functions are letters, "a" the start function and "W"
// the one that runs another in a region.
type script struct {
	b     *trace.Builder
	g     *goroutine
	l     *loader
	known map[string]*stack
}

func newScript() *script {
	b := trace.NewBuilder("test")
	l := &loader{b: b}
	l.fns.b = b
	return &script{b, l.create(1, 0), l, map[string]*stack{}}
}

// stack returns what the stack of some functions shows, always the same of the same.
func (s *script) stack(names string) *stack {
	if s.known[names] == nil {
		s.known[names] = &stack{}
		for _, c := range names {
			name := string(c)
			if c == 'W' {
				name = withRegion
			}
			s.known[names].fns = append(s.known[names].fns, s.l.fns.routine(name, "", 0))
		}
	}
	return s.known[names]
}

// do runs steps "time what": a stack, "+R" and "-R" (regions) after a stack, "!" (blocked) and "."
// (runs).
func (s *script) do(steps ...string) *trace.Thread {
	for _, step := range steps {
		var what, stack string
		fmt.Sscan(step, &s.l.now, &stack, &what)
		switch {
		case stack == ".":
			s.g.enter(xtrace.GoRunning, "", s.l.now)
			continue
		case stack == "-":
			s.g.end(s.l.now)
			continue
		}
		s.g.showStack(s.l.now, s.stack(stack))
		switch {
		case what == "!":
			s.g.enter(xtrace.GoWaiting, "", s.l.now)
		case strings.HasPrefix(what, "+"):
			s.g.beginRegion(xtrace.Region{Type: what[1:]}, nil)
		case strings.HasPrefix(what, "-"):
			if s.g.endRegion(xtrace.Region{Type: what[1:]}) {
				s.g.showStack(s.l.now, s.stack(stack))
			}
		}
	}
	s.g.flush()
	s.l.writer.finish()
	tr, err := s.b.Build(context.Background())
	if err != nil || len(tr.Threads) != 1 {
		panic(fmt.Sprint(err, len(tr.Threads), " threads"))
	}
	return tr.Threads[0]
}

func (s *script) text(th *trace.Thread) string {
	var b strings.Builder
	for i := range th.Len() {
		fmt.Fprintf(&b, "%s%s %d-%d\n", strings.Repeat(" ", int(th.Depth(i))),
			s.b.FunctionName(th.Fn[i]), th.Start(i), th.End(i))
	}
	return b.String()
}

func TestFrames(t *testing.T) {
	for _, c := range []struct {
		name  string
		steps []string
		want  string
	}{
		{"a frame lasts as long as stacks agree on it",
			[]string{"1 abc", "2 abd", "4 abde", "5 aX", "9 -"},
			"a 0-9\n b 1-4\n  c 1-1\n  d 2-4\n   e 4-4\n X 5-5\n"},
		{"what does not run does not return",
			[]string{"1 abc !", "6 .", "8 ab", "9 -"},
			"a 0-9\n b 1-8\n  c 1-6\n   blocked 1-6\n"},
		{"an unknown stack claims nothing",
			[]string{"1 abc", "2 a !", "6 .", "9 -"},
			"a 0-9\n b 1-1\n  c 1-1\n blocked 2-6\n"},
		{"a region stands in the stack it was begun in",
			[]string{"1 ab +R", "2 abc", "3 abc", "4 ab -R", "5 ab", "9 -"},
			"a 0-9\n b 1-5\n  R 1-4\n   c 2-3\n"},
		{"frames around an open region stay open",
			[]string{"1 abc +R", "3 abd", "4 abd", "5 ab -R", "6 ab", "9 -"},
			"a 0-9\n b 1-6\n  c 1-5\n   R 1-5\n    d 3-4\n"},
		{"frames that outlive a region go on outside it",
			[]string{"1 ab +R", "2 abc", "4 abc -R", "6 abc", "9 -"},
			"a 0-9\n b 1-6\n  R 1-4\n   c 2-4\n  c 4-6\n"},
		{"what runs a function in a region is the region",
			[]string{"1 ab +R", "2 abWc", "3 abWc +S", "4 abWcWd", "5 abWc -S", "6 abWc", "7 ab -R", "9 -"},
			"a 0-9\n b 1-7\n  R 1-7\n   c 2-6\n    S 3-5\n     d 4-4\n"},
		{"what would run one before it begins is a call",
			[]string{"1 abWc", "2 abWc", "9 -"},
			"a 0-9\n b 1-2\n  runtime/trace.WithRegion 1-2\n   c 1-2\n"},
		{"regions nest and the end of the goroutine ends them",
			[]string{"1 a +R", "2 a +S", "3 ab", "4 ab", "9 -"},
			"a 0-9\n R 1-9\n  S 2-9\n   b 3-4\n"},
		{"an outer region's end ends those within",
			[]string{"1 a +R", "2 a +S", "4 a -R", "5 a -S", "9 -"},
			"a 0-9\n R 1-4\n  S 2-4\n"},
		{"a stack without the start function stands under it",
			[]string{"0 a", "1 bc", "2 bc", "9 -"},
			"a 0-9\n b 1-2\n  c 1-2\n"},
	} {
		s := newScript()
		if d := cmp.Diff(c.want, s.text(s.do(c.steps...))); d != "" {
			t.Errorf("%s:\n%s", c.name, d)
		}
	}
}

func TestStartersAreNotTheProgram(t *testing.T) {
	for _, c := range []struct{ stack, want string }{
		{"", ""}, {"main.main f", "main.main f"}, {"runtime.goexit", ""},
		{"runtime.goexit main.f f", "main.f f"}, {"runtime.main f", "runtime.main f"},
		{"runtime.goexit runtime.main main.main", "main.main"},
	} {
		s := newScript()
		var fns []trace.FuncID
		for _, name := range strings.Fields(c.stack) {
			fns = append(fns, s.l.fns.routine(name, "", 0))
		}
		var got []string
		for _, fn := range (&stacks{fns: &s.l.fns}).own(fns) {
			got = append(got, s.b.FunctionName(fn))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q: %v", c.stack, got)
		}
	}
}

// TestStacksAreShown holds the frames against their definition: at each event the calls are those
// of its stack, and between two events those that both stacks begin with.
func TestStacksAreShown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stacks := rapid.SliceOfN(rapid.StringMatching(`a[bc]{0,5}`), 1, 20).Draw(t, "stacks")
		s := newScript()
		var steps []string
		for i, stack := range stacks {
			steps = append(steps, fmt.Sprint(10*(i+1), " ", stack))
		}
		th := s.do(append(steps, fmt.Sprint(10*(len(stacks)+1), " -"))...)
		for i, stack := range stacks {
			if at := int64(10 * (i + 1)); !strings.Contains(s.held(th, at), "|"+stack+"|") {
				t.Fatalf("at %d %q is not in %s", at, stack, s.held(th, at))
			}
			next := "a"
			if i+1 < len(stacks) {
				next = stacks[i+1]
			}
			if got := s.held(th, int64(10*(i+1)+5)); got != "|"+common(stack, next)+"|" {
				t.Fatalf("between %q and %q: %s", stack, next, got)
			}
		}
	})
}

// held returns the stacks from the root down to each innermost call that holds a moment, as
// |abc|abd|.
func (s *script) held(th *trace.Thread, at int64) string {
	text := "|"
	var stack []string
	for i := range th.Len() {
		if th.Start(i) > at || th.End(i) < at {
			continue
		}
		if d := int(th.Depth(i)); d < len(stack) {
			text += strings.Join(stack, "") + "|"
			stack = stack[:d]
		}
		stack = append(stack, s.b.FunctionName(th.Fn[i]))
	}
	return text + strings.Join(stack, "") + "|"
}

func common(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a[:n]
}
