package input

import "testing"

// TestFormatIsReadAsItIsWritten holds the forms of the flag.
func TestFormatIsReadAsItIsWritten(t *testing.T) {
	for text, want := range map[string]struct {
		f    Format
		text string
	}{
		"chrome": {Format{"chrome", "chrome"}, "chrome"}, "": {}, "auto": {}, "auto,auto": {},
		"chrome,auto": {Format{"chrome", ""}, "chrome,auto"}, ",pprof": {Format{"", "pprof"}, "auto,pprof"},
		"a, b": {Format{"a", "b"}, "a,b"},
	} {
		var f, again Format
		if err := f.Set(text); err != nil || f != want.f || f.String() != want.text {
			t.Errorf("%q: %q, %q, %v", text, f, f.String(), err)
		}
		if err := again.Set(f.String()); err != nil || again != f {
			t.Errorf("%q is written as %q", f, again)
		}
	}
	f := Format{"a", "b"}
	if f.On(1) != (Format{"b", "b"}) || f.On(0) != (Format{"a", "a"}) {
		t.Error(f.On(0), f.On(1))
	}
	if _, err := f.One(); err == nil {
		t.Error("two formats are one")
	}
	if one, err := f.On(1).One(); one != "b" || err != nil {
		t.Error(one, err)
	}
}
