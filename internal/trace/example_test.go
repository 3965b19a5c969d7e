package trace

import (
	"context"
	"testing"
)

// TestExamplesTellTimesAsViewsDo: the times of a recording's clock mean nothing in a view, which
// begins at the first event.
func TestExamplesTellTimesAsViewsDo(t *testing.T) {
	const boot = 1_795_368_595_000_000_000
	for _, c := range []struct {
		name  string
		unit  Unit
		build func(b *Builder, th *ThreadBuilder)
		want  string
	}{
		{"end", Nanoseconds, func(_ *Builder, th *ThreadBuilder) { th.End(boot + 1_150_036) },
			"thread 1: end at 1.15 ms closes nothing"},
		{"begin", Nanoseconds, func(b *Builder, th *ThreadBuilder) { th.Begin(boot+2_000, b.Function(Function{Name: "g"})) },
			"thread 1: g begun at 2.00 µs has no end"},
		{"early", Nanoseconds, func(b *Builder, th *ThreadBuilder) {
			b.EndsEarly(th, b.Function(Function{Name: "g"}), boot+500, boot+200)
		}, "g at 500 ns on thread 1: −300 ns"},
		{"of a profile", "bytes", func(b *Builder, _ *ThreadBuilder) {
			b.Diagnose(BadRecord, 1, "%v of %v", Length(2048), Since(boot+4096))
		}, "2.00 KiB of 4.00 KiB"},
		{"made before", Nanoseconds, func(b *Builder, _ *ThreadBuilder) {
			b.DiagnoseAs(BadRecord, 1, NewExample("%d%% after %v", 5, Since(boot+30)).After("100%: "))
		}, "100%: 5% after 30 ns"},
		{"without times", Nanoseconds, func(b *Builder, _ *ThreadBuilder) {
			line := []byte("first")
			b.Diagnose(BadRecord, 1, "%s", line)
			copy(line, "other") // a loader reads on into the same bytes
		}, "first"},
	} {
		b := NewBuilder("test")
		b.Unit = c.unit
		th := b.Thread("1", -1)
		f := b.Function(Function{Name: "f"})
		th.Begin(boot, f)
		th.End(boot + 10)
		c.build(b, th)
		tr, err := b.Build(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if d := tr.Diagnostics; len(d) != 1 || d[0].Example != c.want {
			t.Errorf("%s: got %v, want %q", c.name, d, c.want)
		}
	}
}
