package trace_test

import (
	"context"
	"slices"
	"testing"

	"diptych/internal/trace"
)

// TestAwaits holds when a span waits for parts of it that other threads run.
func TestAwaits(t *testing.T) {
	type span struct{ from, to int64 }
	for _, tt := range []struct {
		name           string
		callees, parts []span
		want           []span
	}{
		{"one part", nil, []span{{20, 70}}, []span{{20, 70}}},
		{"beside a callee", []span{{10, 30}}, []span{{20, 70}}, []span{{30, 70}}},
		{"around a callee", []span{{30, 40}}, []span{{20, 70}}, []span{{20, 30}, {40, 70}}},
		{"within a callee", []span{{10, 80}}, []span{{20, 70}}, nil},
		{"two at once", []span{{40, 45}}, []span{{20, 50}, {30, 70}}, []span{{20, 40}, {45, 50}, {50, 70}}},
		{"beyond the call", nil, []span{{80, 170}}, []span{{80, 100}}},
	} {
		b := trace.NewBuilder("test")
		fn := func(name string) trace.FuncID { return b.Function(trace.Function{Name: name}) }
		th := b.Thread("1", -1)
		ref := th.Begin(0, fn("span"))
		for _, c := range tt.callees {
			th.Begin(c.from, fn("callee"))
			th.End(c.to)
		}
		th.End(100)
		for k, p := range tt.parts {
			other := b.Thread(string(rune('a'+k)), -1)
			b.Part(ref, other.Complete(p.from, p.to, fn("part")), p.from, p.from)
		}
		tr, err := b.Build(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		var got []span
		for _, a := range tr.Awaits()[0] {
			got = append(got, span{a.From, a.To})
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}
