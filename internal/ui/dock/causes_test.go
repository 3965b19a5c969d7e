package dock

import (
	"fmt"
	"testing"

	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// linked is a trace in which so many tasks of a thread each send something to a task of another.
func linked(t *testing.T, tasks int) *trace.Trace {
	b := trace.NewBuilder("linked")
	fn := func(name string) trace.FuncID { return b.Function(trace.Function{Name: name}) }
	sender, receiver := b.Thread("sender", -1), b.Thread("receiver", -1)
	sender.Begin(0, fn("loop"))
	for k := range int64(tasks) {
		post := sender.Complete(100*k, 100*k+50, fn(fmt.Sprint("post ", k)))
		run := receiver.Complete(100*k+60, 100*k+90, fn(fmt.Sprint("run ", k)))
		b.Link(post, run, 100*k+10, 100*k+60)
	}
	sender.End(int64(tasks) * 100)
	return testtrace.Build(t, b)
}

// TestDetailsFollowLinks holds that the details of a call list what caused it and what it caused,
// and that each line leads there and back.
func TestDetailsFollowLinks(t *testing.T) {
	b := newBench(t)
	b.c.S.Put(pair.A, "linked", linked(t, 30))
	b.Settle()
	b.dock.Show(Details)
	run := b.selectCall(pair.A, "run 3", 0)
	for _, want := range []string{"Caused by", "post 3", "sender", "50 ns"} {
		if !b.says(want) {
			t.Errorf("no %q in %q", want, b.Labels())
		}
	}
	if b.says("Causes") {
		t.Error("it says that the task caused something")
	}
	b.Click("Follow the link to post 3")
	if st := b.state(); st.FunctionName(st.Selected) != "post 3" || !b.says("Causes") {
		t.Fatalf("the link leads to %+v", st.Selected)
	}
	b.Click("Follow the link to run 3")
	if b.state().Selected != run {
		t.Errorf("it leads back to %+v", b.state().Selected)
	}
	b.selectCall(pair.A, "loop", 0)
	if !b.says("Causes: the first 12 of 30") || len(b.details().effects.rows) != mostLinks {
		t.Errorf("a call with many links says %q", b.Labels())
	}
}

// TestLinksAreCountedUpTo holds that a call with very many links does not hold up a frame.
func TestLinksAreCountedUpTo(t *testing.T) {
	d := details{tr: linked(t, mostCounted+5), of: session.Target{OK: true}}
	if d.readLinks(); d.effects.all != mostCounted+1 || len(d.effects.rows) != mostLinks {
		t.Errorf("%d links, %d rows", d.effects.all, len(d.effects.rows))
	}
}
