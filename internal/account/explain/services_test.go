package explain

import (
	"slices"
	"strings"
	"testing"

	"diptych/internal/account"
	"diptych/internal/align/finding"
	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// shop makes a trace of services: web asks stock four times, in turn or at once, and audit once if
// it is told to. A request of stock takes ns, which it does all of itself or its database does.
func shop(t testtrace.TB, atOnce, audit, database bool, ns int64) *trace.Trace {
	b := trace.NewBuilder("test")
	fn := func(name string) trace.FuncID { return b.Function(trace.Function{Name: name}) }
	web, stock, db, now := b.Thread("web", -1), b.Thread("stock", -1), b.Thread("db", -1), int64(200_000)
	root := web.Begin(0, fn("web: GET"))
	ask := func(th *trace.ThreadBuilder, name string, from, to int64) trace.Ref {
		call := th.Complete(from, to, fn(name))
		b.Part(root, call, from, from)
		return call
	}
	for k := range int64(4) {
		if to := now + ns + k; database {
			b.Part(ask(stock, "stock: GET", now, to), db.Complete(now, to, fn("db: SELECT")), now, now)
		} else {
			ask(stock, "stock: GET", now, to)
		}
		if now += 100; !atOnce {
			now += ns + 100
		}
	}
	if now += ns; audit {
		call := web.Begin(now, fn("web: POST"))
		web.Block(call, trace.Wait)
		answer := b.Thread("audit", -1).Complete(now, now+ns, fn("audit: POST"))
		b.Part(call, answer, now, now)
		now += ns
		b.CorrespondAt(call, answer, now, trace.NoObject)
		web.End(now)
	}
	web.End(now + 200_000)
	tr := testtrace.Build(t, b)
	tr.Requests = []trace.Request{{ID: "1", Service: "web", Operation: "GET", Shown: true}}
	return tr
}

// TestServicesThatAreAsked holds that requests which are now made in turn are told for sure, that
// the lanes which they no longer need could be chance, and who asks a service that is new.
func TestServicesThatAreAsked(t *testing.T) {
	d := differenceOf(t, shop(t, true, false, false, 500_000), shop(t, false, true, false, 500_000))
	holdsAccount(t, d)
	f := find(t, d, "stock: GET now runs one call at a time instead of up to 4: 4 calls")
	if f.Certainty != finding.Certain || f.Under >= 0 {
		t.Errorf("%+v", f)
	}
	if f = find(t, d, "A has 3 lanes such as stock · 2"); f.Certainty != finding.Chance {
		t.Errorf("%+v", f)
	}
	if f = find(t, d, "Only B has the service audit"); !strings.HasSuffix(f.Text, ", waited for in web: POST.") {
		t.Error(f.Text)
	}
}

// TestAsManyCallsAreNotMore holds that self time of as many calls is no matter of their number,
// though on one side none of them takes any.
func TestAsManyCallsAreNotMore(t *testing.T) {
	x := differenceOf(t, testtrace.Script(t, "task", 3., "task", 3., "rest", 90.),
		testtrace.Script(t, "task", 3., "task", 3., "rest", 90.))
	a := &attribution{p: x.Balance.Pair, b: x.Balance, r: x.Found}
	id := uint32(slices.Index(a.p.Names, "task"))
	if f := a.restOf(id, [2]int64{6e6, 0}, [2]int64{2, 0}); f.Certainty != finding.Chance || f.Kind != "faster" {
		t.Errorf("%v, %s", f.Certainty, f.Kind)
	}
}

// TestIdleServices holds that services are idle by what others do.
func TestIdleServices(t *testing.T) {
	for requests, want := range []finding.Certainty{finding.Likely, finding.Chance} {
		tr := &trace.Trace{Requests: make([]trace.Request, requests)}
		a := &attribution{p: &pair.Pair{A: tr, B: tr}, b: &account.Balance{Elapsed: [2]int64{100, 100}}}
		a.b.Total[pair.A][account.Idle], a.b.Total[pair.B][account.Idle] = 1, 50
		if got := a.levelOfIdle(); got != want {
			t.Errorf("%d requests: %v, want %v", requests, got, want)
		}
	}
}
