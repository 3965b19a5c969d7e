package finding

import (
	"context"
	"testing"

	"diptych/internal/trace"
)

// TestWhatDurationsSay tells calls apart by what their time depends on.
func TestWhatDurationsSay(t *testing.T) {
	b := trace.NewBuilder("test")
	call := func(th *trace.ThreadBuilder, from, to int64, name string, k trace.FuncKind) trace.Ref {
		return th.Complete(from, to, b.Function(trace.Function{Name: name, Kind: k}))
	}
	main, other, lane := b.Thread("1", -1), b.Thread("2", -1), b.Thread("3", -1)
	sums := b.Thread("4", -1)
	call(sums, 0, 70, "Total Backend", trace.Routine)
	sums.SetKind(trace.Sums)
	lane.SetKind(trace.AsyncTrack)
	done := call(other, 0, 15, "done", trace.Routine)

	call(main, 0, 100, "main", trace.Routine)
	late, early := call(main, 10, 20, "late", trace.Routine), call(main, 30, 40, "early", trace.Routine)
	for _, wait := range []trace.Ref{late, early} {
		main.Block(wait, trace.Wait)
		b.CorrespondAt(wait, done, 15, b.Object("it"))
	}
	main.Block(call(main, 50, 60, "read", trace.Routine), trace.IO)
	call(main, 70, 80, "schedule", trace.Event)
	call(main, 82, 89, "caller", trace.Routine)
	main.Flag(call(main, 84, 86, "seen", trace.Routine), trace.Sampled)
	call(lane, 0, 90, "request", trace.Routine)
	tr, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	over := overAtOnce(tr)
	for k, th := range tr.Threads {
		for i, says := range trustIn(tr, th, over[k]) {
			name := tr.FunctionOf(th, i).Name
			want := map[string]trust{"late": others, "read": device, "schedule": system, "seen": sampled,
				"caller": sampled, "request": others, "Total Backend": system}[name]
			if says != want {
				t.Errorf("%s says %d, not %d", name, says, want)
			}
		}
	}
}
