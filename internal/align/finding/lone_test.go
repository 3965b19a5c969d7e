package finding

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

const ms = 1_000_000

// stack is how many samples of 1 ms were taken in a stack of functions, root>callee>…
type stack struct {
	names   string
	samples int
}

// profileOf makes a recording of samples: of each stack in turn, until all are used up.
func profileOf(t testtrace.TB, list ...stack) *trace.Trace {
	b := trace.NewBuilder("test")
	th, now := b.Thread("1", -1), int64(0)
	th.SetSampled()
	for left := slices.Clone(list); len(left) > 0; {
		for k := range left {
			names := strings.Split(left[k].names, ">")
			for _, name := range names {
				th.Begin(now, b.Function(trace.Function{Name: name}))
			}
			now += ms
			for range names {
				th.End(now)
			}
			left[k].samples--
		}
		left = slices.DeleteFunc(left, func(s stack) bool { return s.samples <= 0 })
	}
	return testtrace.Build(t, b)
}

// TestLoneFunctionsAreToldWhole holds that a function which one side alone has is told with what it
// calls, before what these functions have more of; but not if it only stands between functions that
// the other side has as well.
func TestLoneFunctionsAreToldWhole(t *testing.T) {
	common := []stack{{"main>sort", 50}, {"main>sort>execute", 300}, {"main>print>format", 20}}
	wrapped := append(slices.Clone(common), stack{"main>sort>execute>format", 400})
	for _, c := range []struct {
		name string
		a, b []stack
		want map[string]Kind // by function, all that is told
	}{
		{"new", common, append(slices.Clone(common), stack{"main>sort>execute>tostring", 20},
			stack{"main>sort>execute>tostring>format", 400}, stack{"main>sort>execute>tostring>format>itoa", 100}),
			map[string]Kind{"tostring": New}},
		{"between others", wrapped, append(slices.Clone(common), stack{"main>sort>execute>tostring>format", 800}),
			map[string]Kind{"format": Slower}},
	} {
		_, _, r := compared(t, profileOf(t, c.a...), profileOf(t, c.b...))
		for _, f := range r.Findings {
			if kind, ok := c.want[f.Function]; !ok || kind != f.Kind {
				t.Errorf("%s: told: %s", c.name, f.Text)
			}
		}
		if len(r.Findings) != len(c.want) {
			t.Errorf("%s: %d findings, want %v", c.name, len(r.Findings), c.want)
		}
	}
}

// spread makes so many samples of ten callees of a function, which take turns.
func spread(list []stack, caller string, samples int) []stack {
	for k := range 10 {
		list = append(list, stack{fmt.Sprintf("%s>%s%d", caller, caller[len(caller)-1:], k), samples / 10})
	}
	return list
}

// TestMostOfADifferenceHasAName holds that the sentence about a function that runs others says in
// which of them most of the difference lies, even if that one alone could be chance; and where one
// side alone has one of them, names this one.
func TestMostOfADifferenceHasAName(t *testing.T) {
	var same []stack
	for _, part := range []string{"parse", "plan", "print"} { // most functions are as they were
		same = spread(same, part, 200)
	}
	a := spread(spread(same, "run>compile", 300), "run>link", 100)
	b := spread(spread(same[:len(same):len(same)], "run>compile", 400), "run>link", 160)
	_, _, r := compared(t, profileOf(t, a...), profileOf(t, b...))
	if got, want := only(t, r, Slower).Text, "run takes 560 ms including callees instead of 400 ms: "+
		"+160 ms, mostly in compile and its callees"; !strings.HasPrefix(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
	for k := range b {
		if strings.HasPrefix(b[k].names, "run>compile") {
			b[k].names = strings.Replace(b[k].names, "run>", "run>pass>", 1)
		}
	}
	b = spread(b, "run>compile", 50)
	_, _, r = compared(t, profileOf(t, a...), profileOf(t, b...))
	for _, f := range r.Findings {
		if f.Function == "run" && !strings.HasSuffix(f.Text, ", mostly in pass and its callees") {
			t.Errorf("%s", f.Text)
		}
	}
}

// TestABusyMachineIsNoChange holds that a function whose samples only hold for longer, because the
// machine had something else to do, may have changed by chance; one that has more of them, not.
func TestABusyMachineIsNoChange(t *testing.T) {
	build := func(samples, stalls int) *trace.Trace {
		b := trace.NewBuilder("test")
		b.SampleWeight, b.SteadyWeight = 7*ms, ms
		th, now := b.Thread("1", -1), int64(0)
		th.SetSampled()
		for k := range samples {
			long := int64(ms)
			if k%2 == 0 && k/2 < stalls {
				long = 20 * ms
				th.Stall(now, long)
			}
			th.Complete(now, now+long, b.Function(trace.Function{Name: []string{"f", "g"}[k%2]}))
			now += long
		}
		return testtrace.Build(t, b)
	}
	for _, c := range []struct {
		samples, stalls int
		sure            bool
	}{{1200, 60, false}, {3000, 60, true}, {3000, 0, true}} {
		_, _, r := compared(t, build(1200, 0), build(c.samples, c.stalls))
		if sure := slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Function == "f" }); sure != c.sure {
			t.Errorf("%d samples, %d of them long: sure %v: %+v", c.samples, c.stalls, sure, r.Findings)
		}
	}
}

// TestAStallIsOneSample holds that where so many samples are stalls that few others are left, their
// number tells whether a function has changed; and that they are counted where all others hold for
// longer, too.
func TestAStallIsOneSample(t *testing.T) {
	build := func(clones int, usual int64, stalls bool) *trace.Trace {
		b := trace.NewBuilder("test")
		if b.SampleWeight, b.SteadyWeight = usual, usual; stalls {
			b.SampleWeight = 8 * usual
		}
		th, now := b.Thread("1", -1), int64(0)
		th.SetSampled()
		sample := func(name string, k int) {
			long := usual
			if stalls && k%5 > 0 {
				long *= 8
				th.Stall(now, long)
			}
			th.Complete(now, now+long, b.Function(trace.Function{Name: name}))
			now += long
		}
		for k := range 700 {
			sample([]string{"handle", "parse"}[k%2], k/2)
			if k < clones {
				sample("clone", k)
			}
		}
		return testtrace.Build(t, b)
	}
	for _, c := range []struct {
		what    string
		clones  int
		usual   int64
		stalled bool
		want    []string
	}{
		{"the machine is busy", 10, ms, true, nil},
		{"its timer is slower as well", 10, 3 * ms, true, nil},
		{"one function is sampled more often meanwhile", 150, ms, true, []string{"clone"}},
		{"and on an idle machine", 150, ms, false, []string{"clone"}},
	} {
		for _, turned := range []bool{false, true} {
			a, b := build(10, ms, false), build(c.clones, c.usual, c.stalled)
			if turned {
				a, b = b, a
			}
			_, _, r := compared(t, a, b)
			var sure []string
			for _, f := range r.Findings {
				sure = append(sure, f.Function)
			}
			if !slices.Equal(sure, c.want) {
				t.Errorf("%s: told of %q, want %q", c.what, sure, c.want)
			}
		}
	}
}

// TestStallsAfterACallee holds that a stall which begins as a callee ends is its caller's.
func TestStallsAfterACallee(t *testing.T) {
	build := func(clones int) *trace.Trace {
		b := trace.NewBuilder("test")
		b.SampleWeight, b.SteadyWeight = 8*ms, ms
		th, now := b.Thread("1", -1), int64(0)
		th.SetSampled()
		for k := range 700 {
			th.Begin(now, b.Function(trace.Function{Name: "handle"}))
			if k < clones {
				th.Complete(now, now+ms, b.Function(trace.Function{Name: "clone"}))
				now += ms
			}
			th.Stall(now, 8*ms)
			now += 8 * ms
			th.End(now)
		}
		return testtrace.Build(t, b)
	}
	if _, _, r := compared(t, build(1), build(400)); only(t, r, Slower).Function != "clone" {
		t.Errorf("%+v", r.Findings)
	}
}

// TestLoneFunctionsHaveCallers holds that of a function which one side alone has, the sentence says
// who calls it, if that is nearly always the same one and has a name.
func TestLoneFunctionsHaveCallers(t *testing.T) {
	for _, c := range []struct {
		stacks []stack
		want   string
	}{
		{[]stack{{"run>check>compile>parse", 90}}, "compile is sampled in B only, called by check: "},
		{[]stack{{"run>check>compile>parse", 90}, {"run>load>compile>parse", 10}}, "compile is sampled in B only, called by check: "},
		{[]stack{{"run>check>compile>parse", 60}, {"run>load>compile>parse", 40}}, "compile is sampled in B only: "},
		{[]stack{{"run>[unknown]>compile>parse", 90}}, "compile is sampled in B only: "},
		{[]stack{{"compile>parse", 90}}, "compile is sampled in B only: "},
	} {
		rest := []stack{{"run>check>match", 100}, {"run>load>read", 100}, {"run>[unknown]>work", 100}}
		_, _, r := compared(t, profileOf(t, rest...), profileOf(t, append(rest, c.stacks...)...))
		if f := only(t, r, New); !strings.HasPrefix(f.Text, c.want) {
			t.Errorf("%v: %s, want %s", c.stacks, f.Text, c.want)
		}
	}
}
