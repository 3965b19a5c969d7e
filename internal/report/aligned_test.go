package report

import (
	"context"
	"fmt"

	"pgregory.net/rapid"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// fataler is a test or a property of one.
type fataler interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

// drawTrace draws a trace whose threads share a few functions. Steps of the clock are least or
// more.
func drawTrace(t *rapid.T, threads int, least int64) *trace.Trace {
	b := trace.NewBuilder("test")
	for k := range threads {
		th := b.Thread(fmt.Sprint(k), -1)
		th.SetName(fmt.Sprintf("worker %q\xff", fmt.Sprint(k)))
		now, open := int64(0), 0
		for range rapid.IntRange(0, 30).Draw(t, "records") {
			now += rapid.Int64Range(least, 2000).Draw(t, "pass")
			if open > 0 && rapid.Bool().Draw(t, "end") {
				th.End(now)
				open--
				continue
			}
			f := rapid.IntRange(0, 3).Draw(t, "function")
			th.Begin(now, b.Function(trace.Function{Name: fmt.Sprintf("f%d \"é\xff\"\n", f)}))
			open++
		}
		for ; open > 0; open-- {
			now += least
			th.End(now)
		}
	}
	return built(t, b)
}

func built(t fataler, b *trace.Builder) *trace.Trace {
	t.Helper()
	tr, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// drawAligned draws two traces and aligns their threads, of which B may have more or fewer.
func drawAligned(t *rapid.T, least int64) []*align.Result {
	a := drawTrace(t, rapid.IntRange(1, 3).Draw(t, "threads of A"), least)
	b := drawTrace(t, rapid.IntRange(1, 3).Draw(t, "threads of B"), least)
	p := pair.New(a, b, pair.Rules{})
	return alignedPairs(t, p)
}

func alignedPairs(t fataler, p *pair.Pair) []*align.Result {
	t.Helper()
	results, err := align.All(context.Background(), p, p.Threads, align.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// exampleAligned is a pair of threads of ten thousand calls each, or of forty thousand in the long
// run, so that writers flush. Tests share it.
func exampleAligned(t fataler) []*align.Result {
	t.Helper()
	if example == nil {
		example = alignExample(t)
	}
	return example
}

var example []*align.Result

func alignExample(t fataler) []*align.Result {
	t.Helper()
	var sides [2]*trace.Trace
	for s := range sides {
		b := trace.NewBuilder("test")
		th, now := b.Thread("0", -1), int64(0)
		for k := range testtrace.Sized(2000, 20_000) {
			th.Begin(now, b.Function(trace.Function{Name: fmt.Sprintf("f%d", k%(300+s))}))
			th.Begin(now+1, b.Function(trace.Function{Name: "leaf"}))
			th.End(now + 3 + int64(s))
			now += 10
			th.End(now)
		}
		sides[s] = built(t, b)
	}
	return alignedPairs(t, pair.New(sides[0], sides[1], pair.Rules{}))
}

// movedAligned is a pair in which a subtree of five calls is called before three others in A and
// after them in B.
func movedAligned(t fataler) []*align.Result {
	t.Helper()
	var sides [2]*trace.Trace
	for s, order := range [2][]string{{"moved", "stays", "stays", "stays"},
		{"stays", "stays", "stays", "moved"}} {
		b := trace.NewBuilder("test")
		th, now := b.Thread("0", -1), int64(0)
		call := func(name string) {
			th.Begin(now, b.Function(trace.Function{Name: name}))
			now++
		}
		call("main")
		for _, name := range order {
			call(name)
			if name == "moved" {
				for k := range 4 {
					call(fmt.Sprintf("leaf%d", k))
					th.End(now)
				}
			}
			th.End(now)
		}
		th.End(now)
		sides[s] = built(t, b)
	}
	return alignedPairs(t, pair.New(sides[0], sides[1], pair.Rules{}))
}
