package explain

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/account"
	"diptych/internal/align"
	"diptych/internal/align/finding"
	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

// differenceOf compares two traces as `diptych diff` does.
func differenceOf(t testtrace.TB, a, b *trace.Trace) *Difference {
	t.Helper()
	ctx, p := context.Background(), pair.New(a, b, pair.Rules{})
	rs, err := align.All(ctx, p, p.Threads, align.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := Compare(ctx, p, rs, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// holdsAccount fails unless findings and what is unexplained add up to the difference, in both
// accounts, and what claims and ranks promise holds.
func holdsAccount(t testtrace.TB, d *Difference) {
	t.Helper()
	sum, o := d.Left.Delta, newOrder(d.Balance, d.Found.Noise)
	for i := range d.Findings {
		f := &d.Findings[i]
		sum = sum.Plus(f.Own)
		if f.Share > 1 {
			t.Fatal(f.Text, "has a share of", f.Share)
		}
		if f.Under >= i || f.Under >= 0 && f.Own != (account.Delta{}) {
			t.Fatal(f.Text, "is number", i, "under", f.Under, "and owns", f.Own)
		}
		if i > 0 && f.Under < 0 && d.Findings[i-1].Under < 0 &&
			o.compare(&d.Findings[i-1], f) > 0 {
			t.Fatal(f.Text, "comes after a smaller finding")
		}
	}
	if delta := d.Balance.Delta(); sum != delta {
		t.Fatal("findings and the rest add up to", sum, "but the difference is", delta)
	}
	parts := account.Delta{}
	for _, r := range d.Left.Parts {
		parts = parts.Plus(r.Delta)
	}
	if parts != d.Left.Delta {
		t.Fatal("parts of", parts, "but unexplained are", d.Left.Delta)
	}
}

// TestFindingsAddUp holds the account on random pairs.
func TestFindingsAddUp(t *testing.T) {
	s := testtrace.Shape{Threads: testtrace.Range{1, 3}, Records: testtrace.Range{0, 40},
		Step: testtrace.Range{0, 900}, Close: true, Objects: testtrace.Range{0, 2}, Marks: 5,
		Functions: []string{"f", "g", "h", "read a/1", "read a/2", "j"}, Stated: true}
	rapid.Check(t, func(t *rapid.T) {
		d := differenceOf(t, s.Draw(t, "a"), s.Draw(t, "b"))
		holdsAccount(t, d)
		holdsClaims(t, d)
	})
}

// TestRenamedWhileOthersWait: what a thread does meanwhile that others wait for has its name of A,
// if it is a function that B has renamed.
func TestRenamedWhileOthersWait(t *testing.T) {
	build := func(name string, job int64) *trace.Trace {
		b := trace.NewBuilder("test")
		m, work := b.Object("m"), b.Function(trace.Function{Name: name})
		unlock := b.Function(trace.Function{Name: "unlock"})
		two, one := b.Thread("two", -1), b.Thread("one", -1)
		for i := range int64(9) {
			at := 2 * i * job
			two.Complete(at, at+job, work)
			two.Block(two.Complete(at+job, at+job+10, unlock), trace.Release, m)
			one.Block(one.Complete(at+1, at+job+1, b.Function(trace.Function{Name: "lock"})), trace.Wait, m)
		}
		return testtrace.Build(t, b)
	}
	d := differenceOf(t, build("job", 1000), build("task", 9000))
	if !slices.ContainsFunc(d.Findings, func(f Finding) bool {
		return f.Kind == "wait" && strings.Contains(f.Text, "which is in job for")
	}) {
		t.Error("no finding says in what one is while two waits:", d.Findings)
	}
}

// wellExplained is the share of the difference of elapsed time that findings should own.
const wellExplained = 0.9

// TestFindingsOfRecordingsAddUp holds it on pairs of recordings, either way round, and that findings
// explain most of the difference in at least four of five pairs. With -v it prints a table.
func TestFindingsOfRecordingsAddUp(t *testing.T) {
	well, different, pairs := 0, 0, [][2]string{
		{"uftrace/queue-2p2c.data.tar.gz", "uftrace/queue-1p3c.data.tar.gz"},
		{"gotrace/pipeline-mutex.gotrace", "gotrace/pipeline-chan.gotrace"},
		{"pprof/pipeline-level1.cpu.pprof", "pprof/pipeline-level9.cpu.pprof"},
		{"chrome/node-n8.json.gz", "chrome/node-n16.json.gz"},
		{"twice/requests-1.json.gz", "twice/requests-2.json.gz"},
		{"pprof/pipeline-mutex.heap.pprof", "pprof/pipeline-chan.heap.pprof"},
		{"generated/situations-a.json.gz", "generated/situations-b.json.gz"},
	}
	if testtrace.Sized(false, true) { // larger ones, and more of these programs
		pairs = append(pairs, [][2]string{
			{"chrome/go-build-cold.json.gz", "chrome/go-build-warm.json.gz"},
			{"chrome/queue-2p2c.json.gz", "chrome/queue-1p3c.json.gz"},
			{"gotrace/go119-pipeline-mutex.gotrace", "gotrace/go119-pipeline-chan.gotrace"},
			{"gotrace/go121-pipeline-mutex.gotrace", "gotrace/go121-pipeline-chan.gotrace"},
			{"twice/queue-1.data.tar.gz", "twice/queue-2.data.tar.gz"},
			{"twice/pipeline-1.gotrace", "twice/pipeline-2.gotrace"},
		}...)
	}
	for _, c := range pairs {
		t.Run(filepath.Base(c[1]), func(t *testing.T) {
			var sides [2]*trace.Trace
			for sd, path := range c {
				var err error
				sides[sd], err = traceio.Load(t.Context(), filepath.Join("../../../testdata", path),
					input.Options{})
				if err != nil {
					t.Fatal(err)
				}
			}
			d := differenceOf(t, sides[0], sides[1])
			holdsAccount(t, d)
			holdsClaims(t, d)
			t.Logf("| %s → %s | %s |", c[0], c[1], d.explained())
			delta, left := d.Balance.Delta().ElapsedNs, d.Left.Delta.ElapsedNs
			if longer := max(d.Balance.Elapsed[0], d.Balance.Elapsed[1]); 100*max(delta, -delta) >= longer {
				different++
				well += toInt(math.Abs(float64(left)) <= (1-wellExplained)*math.Abs(float64(delta)))
			}
			back := differenceOf(t, sides[1], sides[0])
			holdsAccount(t, back)
			holdsClaims(t, back)
			if e, f := d.Balance.Elapsed, back.Balance.Elapsed; e[0] != f[1] || e[1] != f[0] {
				t.Error("elapsed", e, "is", f, "the other way round")
			}
		})
	}
	if different == 0 || 5*well < 4*different {
		t.Errorf("of %d pairs that differ, %d are explained", different, well)
	}
}

// TestWhatFollowsThePace holds that functions that are slower because all are stand under the pace.
func TestWhatFollowsThePace(t *testing.T) {
	d := differenceOf(t, testtrace.Program(t, 1), testtrace.Program(t, 3))
	if len(d.Findings) == 0 || d.Findings[0].Kind != "pace" {
		t.Fatalf("%+v", d.Findings)
	}
	for _, f := range d.Findings[1:] {
		if f.Kind == "slower" && f.Under != 0 {
			t.Errorf("%s stands by itself", f.Text)
		}
	}
}

// TestNothingIsSurerThanThePace holds that where samples meet all functions for three times as long,
// which could be chance, none of them is said to have changed for sure.
func TestNothingIsSurerThanThePace(t *testing.T) {
	const ms = 1_000_000
	profile := func(samples, more int64) *trace.Trace {
		b := trace.NewBuilder("test")
		b.Symbols, b.SampleWeight = true, ms
		th, now := b.Thread("1", -1), int64(0)
		th.SetSampled()
		for k := range int64(8 * 30) {
			ns := ms * (samples + more*(k%8%3))
			th.Complete(now, now+ns, b.Function(trace.Function{Name: fmt.Sprint("f", k%8)}))
			now += ns
		}
		return testtrace.Build(t, b)
	}
	d := differenceOf(t, profile(10, 0), profile(30, 1))
	under := 0
	for _, f := range d.Findings {
		under += toInt(f.Under == 0)
		if d.Findings[0].Kind != "pace" || f.Certainty < d.Findings[0].Certainty {
			t.Errorf("%v: %s", f.Certainty, f.Text)
		}
	}
	if under == 0 || d.Findings[0].Certainty != finding.Chance {
		t.Errorf("%+v", d.Findings)
	}
}

// TestPaceOfProfiles holds that a pace of profiles speaks of what they count: no samples of
// instructions, and no longer recording if it is a shorter one.
func TestPaceOfProfiles(t *testing.T) {
	profile := func(unit trace.Unit, exact bool, per int64) *trace.Trace {
		b := trace.NewBuilder("test")
		b.Kind, b.Unit, b.Symbols, b.Exact = trace.Profile, unit, true, exact
		th, now := b.Thread("1", -1), int64(0)
		for k := range int64(8) {
			ns := per * (1000 + 100*k)
			th.Complete(now, now+ns, b.Function(trace.Function{Name: fmt.Sprint("f", k)}))
			now += ns
		}
		return testtrace.Build(t, b)
	}
	for _, c := range []struct {
		unit  trace.Unit
		exact bool
		a, b  int64
		level finding.Certainty
		want  string
	}{
		{"Ir", false, 4000, 2000, finding.Certain, "Functions take 0.5× as much self cost throughout (a shorter recording?): "},
		{"Ir", true, 4000, 2000, finding.Certain, "Functions take 0.5× as much self cost throughout (less of the same work?): "},
		{trace.Nanoseconds, false, 2000, 3000, finding.Chance, "Functions take 1.5× as much self time throughout (a longer recording?): "},
		{trace.Nanoseconds, false, 2000, 10_000, finding.Certain, "Functions take 5× as much self time throughout (a longer recording?): "},
	} {
		d := differenceOf(t, profile(c.unit, c.exact, c.a), profile(c.unit, c.exact, c.b))
		if len(d.Findings) == 0 || !strings.HasPrefix(d.Findings[0].Text, c.want) || d.Findings[0].Certainty != c.level {
			t.Errorf("found %+v, want %s (%v)", d.Findings, c.want, c.level)
		}
	}
}

// TestAStallHidesNoPace lets one call of most functions stall, by more than all others take: no
// total says what the pace is, the medians of the calls do.
func TestAStallHidesNoPace(t *testing.T) {
	program := func(factor float64, stalls int64) *trace.Trace {
		b := trace.NewBuilder("test")
		th, now := b.Thread("1", -1), int64(0)
		for k := range int64(8 * 20) {
			f, n := k%8, k/8
			ns := int64(factor * float64(10_000*(f+1)+97*(n*n%13)+int64(factor*7*float64(k%7))))
			if n == f {
				ns += stalls * (f % 5) * 1_000_000 * int64(max(factor, 1))
			}
			th.Complete(now, now+ns, b.Function(trace.Function{Name: fmt.Sprint("f", f)}))
			now += ns
		}
		return testtrace.Build(t, b)
	}
	for _, factor := range []float64{0.25, 1.3, 1.55, 20} {
		d := differenceOf(t, program(1, 0), program(factor, 1))
		holdsAccount(t, d)
		k := slices.IndexFunc(d.Findings, func(f Finding) bool { return f.Kind == "pace" })
		if k < 0 || math.Abs(d.Findings[k].Factor/factor-1) > 0.02 {
			t.Errorf("%v times as long: %+v", factor, d.Findings)
		}
		if p := d.Balance.Pace(); math.Abs(p.Factor/factor-1) < 0.2 {
			t.Errorf("%v times as long: totals say %v, so nothing is tested", factor, p.Factor)
		}
	}
}
