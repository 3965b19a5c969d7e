package finding

import (
	"strings"
	"testing"
)

// TestWhatTakesAPlace holds that of two functions of which each side has one, the sentence says that
// the same caller calls one instead of the other; not if others do so as well, or as often, or if it
// is called a few times.
func TestWhatTakesAPlace(t *testing.T) {
	orders := func(n int, finds ...*call) *call {
		return among("main", again(n, among("order", f("check", 900), finds, f("price", 2000))))
	}
	hash := f("find_hash", 300, f("hash", 200), f("same", 100))
	scan := f("find_scan", 900, again(20, f("same", 100))...)
	for _, c := range []struct {
		what string
		a, b *call
		want bool
	}{
		{"each has one", orders(40, hash), orders(40, scan), true},
		{"few calls", orders(2, hash), orders(2, scan), false},
		{"another is gone as well", orders(40, hash, f("lock", 400)), orders(40, scan), false},
		{"another is new as well", orders(40, hash), orders(40, scan, f("log", 700)), false},
		{"others call it, too", orders(40, hash), among("run", orders(40, scan), again(9, scan)), false},
		{"as both sides do", orders(40, hash, scan), orders(40, scan, scan), false},
	} {
		for _, turned := range []bool{false, true} {
			a, b, gone, fresh := c.a, c.b, "find_hash", "find_scan"
			if turned {
				a, b, gone, fresh = b, a, fresh, gone
			}
			p, _, r := compared(t, recorded(t, nil, a), recorded(t, nil, b))
			checkClaims(t, p, r)
			text := ""
			for _, f := range r.Findings {
				text += f.Text + "\n"
			}
			for _, words := range []string{"called by order instead of " + gone, "called by order, which calls " + fresh + " instead"} {
				if strings.Contains(text, words) != c.want {
					t.Errorf("%s: it says %q: %v, want %v:\n%s", c.what, words, !c.want, c.want, text)
				}
			}
		}
	}
}

// TestAnotherFunctionIsNoNewName holds that a function is only said to be replaced if the one in its
// place takes another time by itself, or has other callees besides those of both.
func TestAnotherFunctionIsNoNewName(t *testing.T) {
	program := func(name string, self int64, more ...*call) *call {
		return among("main", again(40, among("round", f("check", 900),
			f(name, self, append(again(9, f("match", 500)), more...)...), f("flush", 2000))))
	}
	for _, c := range []struct {
		what string
		b    *call
		want string
	}{
		{"a new name", program("deflate_fast", 2900), "is named"},
		{"more than twice the time", program("deflate_fast", 6500), "is replaced by"},
		{"less than half of the time", program("deflate_fast", 900), "is replaced by"},
		{"more callees", program("deflate_fast", 3000, again(4, f("flush", 2000))...), "is replaced by"},
	} {
		_, _, r := compared(t, recorded(t, nil, program("deflate_slow", 3000)), recorded(t, nil, c.b))
		if f := only(t, r, Renamed); !strings.HasPrefix(f.Text, "deflate_slow "+c.want+" deflate_fast in B: ") {
			t.Errorf("%s: %s", c.what, f.Text)
		}
	}
}
