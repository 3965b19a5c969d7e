package trace

import (
	"context"
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// fns are the functions that generated records call.
const fns = 4

func newTestBuilder() (*Builder, *ThreadBuilder) {
	b := NewBuilder("test")
	for i := range fns {
		b.Function(Function{Name: string(rune('f' + i))})
	}
	return b, b.Thread("1", -1)
}

// feed gives the steps to a thread and returns the calls' refs by ordinal.
func feed(t *ThreadBuilder, steps []step) []Ref {
	var refs []Ref
	for _, s := range steps {
		switch s.kind {
		case begin:
			refs = append(refs, t.Begin(s.at, s.fn))
			t.Args(refs[len(refs)-1], []byte(s.text))
		case complete:
			refs = append(refs, t.Complete(s.at, s.to, s.fn))
			t.Args(refs[len(refs)-1], []byte(s.text))
		case end:
			t.End(s.at)
			t.ReturnArgs([]byte(s.text))
		case endNamed:
			t.EndNamed(s.at, s.fn)
			t.ReturnArgs([]byte(s.text))
		}
	}
	return refs
}

func mustBuild(t interface{ Fatal(...any) }, b *Builder) *Trace {
	tr, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// someSteps draws records of the given kinds; times mostly advance, and often do not.
func someSteps(t *rapid.T, kinds []stepKind) []step {
	jump := rapid.SampledFrom([]int{0, 0, 1, 5}).Draw(t, "disorder")
	n := rapid.IntRange(0, 40).Draw(t, "n")
	steps := make([]step, 0, n)
	now := int64(100)
	for i := range n {
		now += int64(rapid.IntRange(-jump, 3).Draw(t, "dt"))
		s := step{kind: rapid.SampledFrom(kinds).Draw(t, "kind"), at: now,
			fn: FuncID(rapid.IntRange(0, fns-1).Draw(t, "fn"))}
		if s.kind == complete {
			s.to = now + int64(rapid.IntRange(-1, 12).Draw(t, "dur"))
		}
		if rapid.IntRange(0, 2).Draw(t, "text") == 0 {
			s.text = fmt.Sprint("t", i)
		}
		steps = append(steps, s)
	}
	return steps
}

// slower makes all times so many times as long, up to durations that take more than 32 bits.
func slower(t *rapid.T, steps []step) []step {
	by := rapid.SampledFrom([]int64{1, 1 << 29, 1 << 33}).Draw(t, "slower")
	for i := range steps {
		steps[i].at, steps[i].to = steps[i].at*by, steps[i].to*by
	}
	return steps
}

var mixtures = map[string][]stepKind{
	"plain ends":  {begin, begin, end},
	"named ends":  {begin, begin, endNamed},
	"both ends":   {begin, begin, begin, end, endNamed},
	"complete":    {complete},
	"mixed":       {begin, complete, end, complete, endNamed},
	"mostly ends": {begin, end, endNamed, end},
}

func TestBuilderMatchesDefinition(t *testing.T) {
	for name, kinds := range mixtures {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			steps := slower(t, someSteps(t, kinds))
			b, th := newTestBuilder()
			refs := feed(th, steps)
			for _, r := range refs {
				th.Block(r, Wait, ObjectID(r.ord))
				if r.ord%3 == 0 {
					th.Flag(r, Sampled)
				}
			}
			th.Instant(100, 1)
			tr := mustBuild(t, b)
			want := plainly(steps, 100)
			if len(want.lanes) == 0 {
				want.lanes = [][]*plainCall{nil} // the instant keeps the thread
			}
			if err := want.same(tr); err != nil {
				t.Fatal(err)
			}
			for _, built := range tr.Threads {
				checkThread(t, built)
				checkAttached(t, built, want.lanes[built.Lane])
			}
		}))
	}
}

// TestManyLanes holds lane assignment against the definition where dozens of calls run at once.
func TestManyLanes(t *testing.T) {
	for name, kind := range map[string]stepKind{"whole": complete, "crossing ends": endNamed} {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			b, th := newTestBuilder()
			longest := rapid.SampledFrom([]int{3, 30, 300}).Draw(t, "longest")
			var steps []step
			now := int64(0)
			for range rapid.IntRange(1, 150).Draw(t, "calls") {
				now += int64(rapid.IntRange(0, 3).Draw(t, "dt"))
				to := now + int64(rapid.IntRange(0, longest).Draw(t, "dur"))
				s := step{kind: kind, at: now, to: to}
				if kind == endNamed {
					s.fn = b.Function(Function{Name: fmt.Sprint("own ", len(steps))})
					steps = append(steps, step{kind: begin, at: now, fn: s.fn})
					s.at = to
				}
				steps = append(steps, s)
			}
			feed(th, steps)
			if err := plainly(steps).same(mustBuild(t, b)); err != nil {
				t.Fatal(err)
			}
		}))
	}
}

// checkAttached holds that marks went to the call that they were made for.
func checkAttached(t *rapid.T, th *Thread, want []*plainCall) {
	for i, c := range want {
		if blk := th.BlocksOf(i); len(blk) != 1 || th.ObjectsIn(blk[0].Objects)[0] != ObjectID(c.ord) {
			t.Fatalf("call %d (ordinal %d) has block %v", i, c.ord, blk)
		}
		if got := th.Flags(i)&Sampled != 0; got != (c.ord%3 == 0) {
			t.Fatalf("call %d (ordinal %d): sampled = %v", i, c.ord, got)
		}
	}
	if th.Lane == 0 && len(th.Instants) != 1 {
		t.Fatalf("instants %v", th.Instants)
	}
}

// checkThread holds the invariants of every built thread.
func checkThread(t interface{ Fatalf(string, ...any) }, th *Thread) {
	deepest := 0
	for i := range th.Len() {
		p, next := int(th.Parent(i)), th.Next(i)
		switch {
		case i > 0 && th.Start(i) < th.Start(i-1):
			t.Fatalf("start falls at %d", i)
		case th.End(i) < th.Start(i):
			t.Fatalf("call %d ends before it starts", i)
		case next <= i || next > th.Len():
			t.Fatalf("call %d has size %d of %d", i, th.Size(i), th.Len())
		case p < 0 && th.Depth(i) != 0:
			t.Fatalf("root %d at depth %d", i, th.Depth(i))
		case p >= 0 && (p >= i || next > th.Next(p) || th.Depth(i) != th.Depth(p)+1):
			t.Fatalf("call %d does not nest in %d", i, p)
		case p >= 0 && (th.Start(i) < th.Start(p) || th.End(i) > th.End(p)):
			t.Fatalf("call %d is not within %d", i, p)
		case th.Self(i) < 0:
			t.Fatalf("call %d has self time %d", i, th.Self(i))
		}
		last := -1
		for c := range th.childSeq(i) {
			if int(th.Parent(c)) != i {
				t.Fatalf("child %d of %d has parent %d", c, i, th.Parent(c))
			}
			if last >= 0 && th.Start(c) < th.End(last) {
				t.Fatalf("children %d and %d overlap", last, c)
			}
			last = c
		}
		deepest = max(deepest, int(th.Depth(i))+1)
	}
	if th.MaxDepth() != deepest {
		t.Fatalf("max depth %d, want %d", th.MaxDepth(), deepest)
	}
}

// TestModesAgree holds that a well-formed thread is the same through each way of gathering it.
func TestModesAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var records, completes []step
		var stack, out []int
		for now := int64(0); now < int64(rapid.IntRange(1, 60).Draw(t, "records")); now++ {
			if len(stack) == 0 || rapid.Bool().Draw(t, "down") {
				fn := FuncID(rapid.IntRange(0, fns-1).Draw(t, "fn"))
				records = append(records, step{kind: begin, at: now, fn: fn})
				stack = append(stack, len(completes))
				completes = append(completes, step{kind: complete, at: now, fn: fn})
				continue
			}
			k := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			out = append(out, k)
			completes[k].to = now
			records = append(records, step{kind: endNamed, at: now, fn: completes[k].fn})
		}
		for k := len(stack) - 1; k >= 0; k-- {
			now := int64(len(records))
			out = append(out, stack[k])
			completes[stack[k]].to = now
			records = append(records, step{kind: endNamed, at: now, fn: completes[stack[k]].fn})
		}
		var inEndOrder []step
		for _, k := range out {
			inEndOrder = append(inEndOrder, completes[k])
		}
		cut := rapid.IntRange(0, len(records)).Draw(t, "cut")
		var results []string
		for _, way := range []func(*ThreadBuilder){
			func(th *ThreadBuilder) { feed(th, records) },
			func(th *ThreadBuilder) { feed(th, records[:cut]); th.toLog(); feed(th, records[cut:]) },
			func(th *ThreadBuilder) { feed(th, completes) },
			func(th *ThreadBuilder) { feed(th, inEndOrder) },
		} {
			b, th := newTestBuilder()
			way(th)
			results = append(results, columnsOf(mustBuild(t, b).Threads))
		}
		for _, r := range results[1:] {
			if r != results[0] {
				t.Fatalf("ways differ:\n%s\n%s", results[0], r)
			}
		}
	})
}

func columnsOf(ths []*Thread) string {
	s := ""
	for _, th := range ths {
		s += fmt.Sprintln(th.Name, th.Fn, plainColumns(th))
	}
	return s
}
