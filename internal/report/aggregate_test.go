package report

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"diptych/internal/aggregate"
	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// TestAggregate holds the JSON of a trace whose only thread calls f in the first half.
func TestAggregate(t *testing.T) {
	b := trace.NewBuilder("test")
	th := b.Thread("1", -1)
	th.Begin(0, b.Function(trace.Function{Name: "f"}))
	th.End(8)
	b.Observe(16)
	p := pair.New(testtrace.Build(t, b), nil, pair.Rules{})
	ctx := context.Background()
	m, err := aggregate.New(ctx, p, [2]aggregate.Span{{To: 16}}, aggregate.Options{Slices: 8}, nil)
	if err != nil {
		t.Fatal(err)
	}
	q, err := aggregate.Measure(ctx, m.Sides[0], aggregate.Sum)
	if err != nil {
		t.Fatal(err)
	}
	best, err := q.Best(ctx, 0)
	if err != nil {
		t.Fatal(err)
	}
	out := NewAggregate(m, nil, aggregate.Sum, "thread", func(s pair.Side, of int) string {
		return p.Trace(s).Threads[of].ID
	})
	out.A = NewAggregatePartition(m.Sides[0], best)
	out.A.Gain = 1 // rounded
	out.CurveComplete = true
	out.Curve = AggregatePoints([]aggregate.Point{{P: .5, To: 1, Aggregates: 2}})
	text, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"slices":8,"borders":[0,2,4,6,8,10,12,14,16],"bordersB":null,"states":["f"],` +
		`"operator":"sum","by":"thread",` +
		`"tree":{"a":[{"node":[],"parent":-1,"leaf":"1"}],"b":null,"difference":null},` +
		`"curve":[{"p":0.5,"from":0,"to":1,"gain":0,"loss":0,"aggregates":2}],` +
		`"differenceCurve":null,"curveComplete":true,"a":{"p":0,"gain":1,"loss":0,"aggregates":[` +
		`{"node":0,"from":0,"to":3,"mode":"f","share":1,"shares":{"f":1}},` +
		`{"node":0,"from":4,"to":7,"mode":null,"share":0,"shares":{}}]},` +
		`"b":null,"difference":null,"elapsedNs":{"load":0,"compute":0}}`
	if d := cmp.Diff(want, string(text)); d != "" {
		t.Error(d)
	}
}
