package trace

import (
	"fmt"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// known is a call of a trace by its absolute time.
type known struct {
	thread     string
	start, end int64
	fn         FuncID
}

// lanesAsOne lists the calls of a trace; those on further lanes of a thread count as the thread's.
func lanesAsOne(tr *Trace, call func(c known, unclosed bool)) {
	for _, th := range tr.Threads {
		for i := range th.Len() {
			call(known{th.ID[:1], th.Start(i) + tr.Origin, th.End(i) + tr.Origin, th.Fn[i]},
				th.Flags(i)&Unclosed != 0)
		}
	}
}

// absent says which call of a glimpse the trace does not have: those that ended as they are, those
// that had not ended with a later end. It is "" if there is none. Threads that skip names are left
// out.
func absent(g *Trace, tr *Trace, skip map[string]bool) (what string) {
	ended, begun := map[known]int{}, map[known]int64{}
	lanesAsOne(tr, func(c known, _ bool) {
		ended[c]++
		at := known{c.thread, c.start, 0, c.fn}
		begun[at] = max(begun[at], c.end)
	})
	lanesAsOne(g, func(c known, unclosed bool) {
		if unclosed {
			if last, ok := begun[known{c.thread, c.start, 0, c.fn}]; ok && last >= c.end {
				return
			}
		} else if ended[c]--; ended[c] >= 0 {
			return
		}
		if skip[c.thread] {
			return
		}
		what = fmt.Sprintf("%+v, unclosed %t", c, unclosed)
	})
	return what
}

// glimpsed is what was to be seen of a trace, and the modes of its threads then.
type glimpsed struct {
	Glimpse
	modes map[string]mode
}

func modesOf(b *Builder) map[string]mode {
	modes := map[string]mode{}
	for _, th := range b.threads {
		if th.gathered != nil {
			modes[th.id] = th.mode
		}
	}
	return modes
}

// outlined feeds two threads with steps in pieces, and returns what was to be seen after each.
func outlined(t *rapid.T, kinds []stepKind, detail int) (b *Builder, seen []glimpsed) {
	o := &Outline{detail: detail}
	b = NewBuilder("test")
	b.Follow(o)
	for i := range fns {
		b.Function(Function{Name: string(rune('f' + i))})
	}
	threads := []*ThreadBuilder{b.Thread("1", -1), b.Thread("2", -1)}
	for range rapid.IntRange(1, 4).Draw(t, "rounds") {
		for _, th := range threads {
			e := records(t, someSteps(t, kinds))
			if th.gathered != nil && rapid.IntRange(0, 4).Draw(t, "back") > 0 {
				for i := range e.List { // so that the rounds follow each other
					e.List[i].At, e.List[i].End = e.List[i].At+th.last, e.List[i].End+th.last
				}
			}
			th.Append(e)
			seen = append(seen, glimpsed{o.Glimpse(9), modesOf(b)})
		}
	}
	return b, seen
}

// TestGlimpse holds that what is shown of a trace while it is loaded is in the trace that is
// loaded at last, unless its thread turns out to be in disorder, and that nothing wide is missing
// at the end.
func TestGlimpse(t *testing.T) {
	for name, kinds := range mixtures {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			detail := rapid.IntRange(1, 40).Draw(t, "detail")
			b, seen := outlined(t, kinds, detail)
			modes := modesOf(b)
			tr := mustBuild(t, b)
			for i, g := range seen {
				disordered := map[string]bool{}
				for id, m := range g.modes {
					disordered[id] = m == nested && modes[id] != nested
				}
				if what := absent(g.Trace, tr, disordered); what != "" {
					t.Fatalf("glimpse %d has a call that the trace has not: %s", i, what)
				}
			}
			shown := map[known]bool{}
			lanesAsOne(seen[len(seen)-1].Trace, func(c known, _ bool) { shown[c] = true })
			wide := 2 * tr.Duration / int64(detail)
			lanesAsOne(tr, func(c known, unclosed bool) {
				if modes[c.thread] != logged && !unclosed && c.end-c.start >= max(wide, 1) && !shown[c] {
					t.Fatalf("%+v is missing, wide is %d", c, wide)
				}
			})
		}))
	}
}

// script returns the records of stacks of eight calls, in one of the styles.
func script(style string, from, to int64) Records {
	var list []Record
	for i := from; i < to; i++ {
		at := 100 * i
		switch style {
		case "nested":
			for k := range int64(8) {
				list = append(list, Record{At: at + k, Fn: FuncID(k % fns)})
			}
			for k := range int64(8) {
				list = append(list, Record{At: at + 90 + k, Kind: Leave})
			}
		case "by start":
			for k := range int64(8) {
				list = append(list, Record{At: at + k, End: at + 98 - k, Fn: FuncID(k % fns), Kind: Whole})
			}
		case "by end":
			for k := range int64(8) {
				list = append(list, Record{At: at + 7 - k, End: at + 90 + k, Fn: FuncID(k % fns), Kind: Whole})
			}
		}
	}
	return Records{List: list}
}

var styles = []string{"nested", "by start", "by end"}

// TestGlimpseOfMany holds that what is kept of many narrow calls is bounded, and shows whole stacks
// everywhere.
func TestGlimpseOfMany(t *testing.T) {
	const stacks = 30_000
	for _, style := range styles {
		o := &Outline{}
		b := NewBuilder("test")
		b.Follow(o)
		for i := range fns {
			b.Function(Function{Name: string(rune('f' + i))})
		}
		th := b.Thread("1", -1)
		for i := int64(0); i < stacks; i += 100 {
			th.Append(script(style, i, i+100))
		}
		th.sketch.look(th)
		g := o.Glimpse(9)
		if g.Calls != 8*stacks || g.Lead != 0 {
			t.Errorf("%s: %d calls, lead %d", style, g.Calls, g.Lead)
		}
		one := g.Trace.Threads[0]
		if n := one.Len(); n > 8*slotsAtFirst || n < 8*slotsAtFirst/3 {
			t.Errorf("%s: %d calls are shown", style, n)
		}
		last := int64(0)
		for i := 0; i < one.Len(); i = one.Next(i) {
			if one.Size(i) != 8 || one.Start(i)-last > g.Trace.Duration/100 {
				t.Fatalf("%s: %d calls at %d, after %d", style, one.Size(i), one.Start(i), last)
			}
			last = one.Start(i)
		}
	}
}

// TestGlimpseOfDeep holds that a stack of any depth does no harm.
func TestGlimpseOfDeep(t *testing.T) {
	o := &Outline{}
	b := NewBuilder("test")
	b.Follow(o)
	th, fn := b.Thread("1", -1), b.Function(Function{Name: "f"})
	for i := range int64(100_000) {
		th.Begin(i, fn)
	}
	for i := range int64(100_000) {
		th.End(200_000 + i)
	}
	th.Begin(300_000, fn)
	th.sketch.look(th)
	g := o.Glimpse(9)
	if d := g.Trace.MaxDepth(); d != mostLevels {
		t.Errorf("%d levels", d)
	}
	if what := absent(g.Trace, mustBuild(t, b), nil); what != "" {
		t.Error(what)
	}
}

// TestGlimpseMeanwhile has goroutines feed threads while another one looks.
func TestGlimpseMeanwhile(t *testing.T) {
	o := &Outline{}
	b := NewBuilder("test")
	b.Follow(o)
	var seen []Glimpse
	done := make(chan struct{})
	var looking, feeding sync.WaitGroup
	looking.Go(func() {
		for len(seen) < 10 {
			seen = append(seen, o.Glimpse(9))
			select {
			case <-done:
				return
			default:
			}
		}
	})
	for k := range fns {
		b.Function(Function{Name: string(rune('f' + k))})
	}
	for _, style := range styles {
		th := b.Thread(fmt.Sprint(len(b.threads)), -1)
		feeding.Go(func() {
			for i := int64(0); i < 2_000; i += 50 {
				th.Append(script(style, i, i+50))
			}
		})
		th.SetName(style)
	}
	b.Function(Function{Name: "later"})
	feeding.Wait()
	close(done)
	looking.Wait()
	tr := mustBuild(t, b)
	for _, g := range seen {
		if what := absent(g.Trace, tr, nil); what != "" {
			t.Fatal(what)
		}
	}
	last := o.Glimpse(9).Trace
	if len(last.Threads) != 3 || last.Threads[0].Name != styles[0] || last.Functions[0].Name != "f" {
		t.Errorf("%d threads, the first is %s", len(last.Threads), last.Threads[0].Name)
	}
}

// BenchmarkFollow prints what an Outline costs: ns a call with one and without.
func BenchmarkFollow(b *testing.B) {
	for _, style := range styles {
		for _, followed := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/followed=%t", style, followed), func(b *testing.B) {
				builder := NewBuilder("test")
				if followed {
					builder.Follow(&Outline{})
				}
				th := builder.Thread("1", -1)
				var pieces []Records
				for i := int64(0); i < int64(b.N); i += 32 {
					pieces = append(pieces, script(style, i, min(i+32, int64(b.N))))
				}
				b.ResetTimer()
				for _, piece := range pieces {
					th.Append(piece)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(8*b.N), "ns/call")
			})
		}
	}
}
