package words

import (
	"context"
	"strings"
	"testing"

	"diptych/internal/pair"
	"diptych/internal/session"
)

func TestStretchesOfThePath(t *testing.T) {
	a := compared(t, session.Threads).State().WaitsOf(pair.A)
	p, err := a.CriticalPath(context.Background())
	if err != nil || len(p.Segments) < 2 {
		t.Fatal(p, err)
	}
	last := len(p.Segments) - 1
	tip := StretchTip(a, p, last, false)
	if tip[0] != "Critical path, "+StretchText(a, p, last) || tip[len(tip)-1] != "click: show this stretch" {
		t.Errorf("of the last one it says %q", tip)
	}
	before := ThreadText(a, int(p.Segments[last-1].Thread))
	if all := strings.Join(tip, "|"); !strings.Contains(all, "before: "+before) {
		t.Errorf("it does not say that %s comes before: %q", before, tip)
	}
	if tip = StretchTip(a, p, 0, true); tip[2] != "the path begins here" {
		t.Errorf("of the first one it says %q", tip)
	}
	one := *p
	one.Segments = p.Segments[:1]
	one.Segments[0].WaitNs = 1500
	if got := StretchText(a, &one, 0); !strings.HasPrefix(got, "stretch 1 of 1: ") ||
		!strings.HasSuffix(got, ", 1.50 µs of it waiting that nothing explains") {
		t.Errorf("of one with a wait that nothing explains it says %q", got)
	}
	if Stretches(1) != "1 stretch" || Stretches(12) != "12 stretches" {
		t.Errorf("%q, %q", Stretches(1), Stretches(12))
	}
}
