package account

import (
	"testing"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// TestASpanWaitsForItsParts holds that a call waits while a part of it runs on another thread and
// nothing that it calls itself: as a span does while its children run elsewhere.
func TestASpanWaitsForItsParts(t *testing.T) {
	build := func(part int64) *trace.Trace {
		b := trace.NewBuilder("test")
		fn := func(name string) trace.FuncID { return b.Function(trace.Function{Name: name}) }
		th := b.Thread("gateway", -1)
		root := th.Begin(0, fn("root"))
		span := th.Begin(10, fn("span"))
		th.Begin(20, fn("encode"))
		th.End(30)
		th.End(80)
		th.End(100)
		prices, stock := b.Thread("prices", -1), b.Thread("stock", -1)
		b.Part(span, prices.Complete(25, 25+part, fn("price")), 25, 25)
		b.Part(span, stock.Complete(40, 60, fn("stock")), 40, 40)
		b.Part(root, stock.Complete(85, 90, fn("log")), 85, 85)
		return testtrace.Build(t, b)
	}
	x := balanceOf(t, build(15), build(45), Options{})
	addsUp(t, x)
	got := map[string][2]int64{}
	calls := map[string][2]int64{}
	for _, c := range x.Cells {
		if c.Function != None {
			name := c.Kind.String() + " " + x.Pair.Names[c.Function]
			ns, n := got[name], calls[name]
			for sd, a := range c.Amounts {
				ns[sd], n[sd] = ns[sd]+a.Ns, n[sd]+a.Calls
			}
			got[name], calls[name] = ns, n
		}
	}
	for name, want := range map[string][2]int64{
		"on CPU span":   {30, 20}, // 60 ns but encode, and [30, 60) or [30, 70)
		"waiting span":  {30, 40}, // for price and stock
		"on CPU encode": {10, 10}, // although price runs beside it
		"on CPU root":   {25, 25}, // 30 ns but for log
		"waiting root":  {5, 5},
		"on CPU price":  {15, 45},
	} {
		if got[name] != want {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
	if n := calls["on CPU span"]; n != [2]int64{1, 1} {
		t.Errorf("%v calls of span", n)
	}
	if ns := x.Work(); ns[pair.B]-ns[pair.A] != 30-10 {
		t.Errorf("work %v", ns)
	}
}
