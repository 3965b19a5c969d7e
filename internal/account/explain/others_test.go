package explain

import (
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"

	"diptych/internal/account"
	"diptych/internal/align/finding"
	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// heap returns a heap profile of a program that keeps some of what it allocates: a default of bytes
// in use, and all bytes that were allocated.
func heap(t testtrace.TB, kept, dropped int64) *trace.Trace {
	b := trace.NewBuilder("test")
	b.Kind, b.Unit, b.Symbols = trace.Profile, "bytes", true
	for k, of := range []string{"inuse", "alloc"} {
		th, now := b.Thread(of, -1), int64(0)
		th.SetRole(of, false)
		th.SetSort(k)
		th.SetKind(trace.SampleType)
		add := func(name string, n int64) {
			th.Complete(now, now+n, b.Function(trace.Function{Name: name}))
			now += n
		}
		th.Begin(0, b.Function(trace.Function{Name: "main"}))
		for n := range 9 { // the weight of a sample is known by these
			add(fmt.Sprint("setup", n), 10)
		}
		add("keep", kept)
		if of == "alloc" {
			add("churn", dropped)
		}
		th.End(now)
	}
	return testtrace.Build(t, b)
}

// TestSampleTypesAreToldApart: no number is a sum of memory in use and of memory allocated. The
// totals and what is explained are the default's; of the other, what that does not say is told under
// its name.
func TestSampleTypesAreToldApart(t *testing.T) {
	const keeps = "keep takes 4.88 KiB of self cost instead of 1000 B: +3.91 KiB."
	const churns = "alloc: churn takes 48.8 KiB of self cost instead of 4.88 KiB: +43.9 KiB."
	for _, c := range []struct {
		what          string
		kept, dropped int64
		want          []string
	}{
		{"more is kept", 5000, 5000, []string{keeps}},
		{"more is allocated", 1000, 50_000, []string{churns}},
		{"both", 5000, 50_000, []string{keeps, churns}},
	} {
		d := differenceOf(t, heap(t, 1000, 5000), heap(t, c.kept, c.dropped))
		holdsAccount(t, d)
		holdsClaims(t, d)
		for _, x := range d.Others {
			holdsClaims(t, x)
		}
		var told []string
		for _, f := range d.Findings {
			told = append(told, f.Text)
		}
		if strings.Join(told, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("%s: %q, want %q", c.what, told, c.want)
		}
		lines := strings.Join(d.Opening(), "\n")
		for _, want := range []string{`(?m)^inuse 1\.06 KiB → `, `(?m)^alloc 5\.95 KiB → `} {
			if !regexp.MustCompile(want).MatchString(lines) {
				t.Errorf("%s: no %q in\n%s", c.what, want, lines)
			}
		}
		if got := d.Balance.Elapsed[1]; got != c.kept+90 {
			t.Errorf("%s: B has %d in all", c.what, got)
		}
	}
}

// TestOthersStandUnderTheirCauses: what follows from something in another sample type stands under
// that, or by itself where that is not told: since it is no news, or since the default says it.
func TestOthersStandUnderTheirCauses(t *testing.T) {
	p := pair.New(heap(t, 1, 1), heap(t, 1, 1), pair.Rules{})
	from := func(function string, under int, section Section) Finding {
		return Finding{Kind: "slower", Function: function, DeltaNs: 100, Under: under, Section: section, words: function}
	}
	d := &Difference{Balance: &account.Balance{Pair: p, Elapsed: [2]int64{1000, 1100}}, Found: &finding.Report{},
		Findings: []Finding{from("keep", -1, Timed)}}
	d.Others = []*Difference{{Found: &finding.Report{SampleType: "alloc"}, Findings: []Finding{
		from("minor", -1, Minor), from("keep", -1, Timed), from("of minor", 0, Timed), from("of keep", 1, Timed),
		from("cause", -1, Timed), from("of cause", 4, Timed)}}}
	d.tellOthers()
	under := map[string]string{} // of the default's, whose text was said before, it is ""
	for _, f := range d.Findings {
		under[f.Text] = ""
		if f.Under >= 0 {
			under[f.Text] = d.Findings[f.Under].Text
		}
	}
	want := map[string]string{"": "", "alloc: of minor.": "", "alloc: of keep.": "", "alloc: cause.": "",
		"alloc: of cause.": "alloc: cause."}
	if !maps.Equal(under, want) {
		t.Errorf("%q, want %q", under, want)
	}
}

// TestSaidByTheDefault holds when a finding of another sample type is no news: the default has half
// as much or more of the same function, the same way and not by chance.
func TestSaidByTheDefault(t *testing.T) {
	known := Finding{Kind: "slower", Function: "f", DeltaNs: 50}
	for _, c := range []struct {
		name  string
		known func(f *Finding)
		f     Finding
		want  bool
	}{
		{"the same", nil, Finding{Kind: "slower", Function: "f", DeltaNs: 50}, true},
		{"the same in other words", nil, Finding{Kind: "called", Function: "f", DeltaNs: 50}, true},
		{"twice as much", nil, Finding{Kind: "slower", Function: "f", DeltaNs: 100}, true},
		{"more than that", nil, Finding{Kind: "slower", Function: "f", DeltaNs: 101}, false},
		{"the other way", nil, Finding{Kind: "slower", Function: "f", DeltaNs: -50}, false},
		{"another function", nil, Finding{Kind: "slower", Function: "g", DeltaNs: 50}, false},
		{"by chance", func(f *Finding) { f.Certainty = finding.Chance },
			Finding{Kind: "slower", Function: "f", DeltaNs: 50}, false},
		{"of a third sample type", func(f *Finding) { f.SampleType = "third" },
			Finding{Kind: "slower", Function: "f", DeltaNs: 50}, false},
		{"of no function, and alike", func(f *Finding) { f.Function = "" }, Finding{Kind: "slower", DeltaNs: 50}, true},
		{"of no function", func(f *Finding) { f.Function = "" }, Finding{Kind: "pace", DeltaNs: 50}, false},
	} {
		d := &Difference{Findings: []Finding{known}}
		if c.known != nil {
			c.known(&d.Findings[0])
		}
		if got := d.says(&c.f); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// TestThreadsOfAProfileAddUp: what the threads of a profile hold of one thing adds up, so that the
// total is the sum, and a finding owns what all of them have.
func TestThreadsOfAProfileAddUp(t *testing.T) {
	build := func(hot int64) *trace.Trace {
		b := trace.NewBuilder("test")
		b.Kind, b.Unit = trace.Profile, "count"
		for k := range 3 {
			th, now := b.Thread(fmt.Sprint(k), -1), int64(0)
			th.SetRole("thread", true)
			for i := range 9 {
				th.Complete(now, now+10, b.Function(trace.Function{Name: fmt.Sprint("f", i)}))
				now += 10
			}
			th.Complete(now, now+hot*int64(k+1), b.Function(trace.Function{Name: "hot"}))
		}
		return testtrace.Build(t, b)
	}
	d := differenceOf(t, build(100), build(1100))
	holdsAccount(t, d)
	holdsClaims(t, d)
	if d.Balance.Elapsed != [2]int64{870, 6870} || len(d.Findings) != 1 ||
		d.Findings[0].Own.ElapsedNs != 6000 || d.Findings[0].DeltaNs != 6000 {
		t.Errorf("totals %v, findings %+v", d.Balance.Elapsed, d.Findings)
	}
}
