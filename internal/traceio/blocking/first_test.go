package blocking

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestFirst(t *testing.T) {
	for _, c := range []struct{ expr, begins string }{
		{"abc", "a"}, {"a?bc", "ab"}, {"a*b+c", "ab"}, {"(a|bc|d?)e", "abde"}, {"[a-c]x", "abc"},
		{"x{0,2}y", "xy"}, {"x{2}y", "x"}, {"^(?:a|b)$", "ab"}, {`\bq`, "q"}, {"[^\x00-ac-\U0010ffff]", "b"},
	} {
		f := firstOf(c.expr)
		for b := range byte(128) {
			if want := strings.IndexByte(c.begins, b) >= 0; f[b] != want {
				t.Errorf("%s may begin with %q: %t", c.expr, b, f[b])
			}
		}
	}
	for _, expr := range []string{"a*", "", ".x", "(?i)k", "("} {
		if *firstOf(expr) != *firstOf(".") {
			t.Errorf("%s does not begin with anything", expr)
		}
	}
}

// TestFirstMissesNothing: a text that an expression matches begins as the expression may.
func TestFirstMissesNothing(t *testing.T) {
	parts := rapid.SampledFrom([]string{"a", "b", "é", ".", "*", "+", "?", "|", "(", ")", "(?i)", "(?s)",
		"[a-c]", "[^b]", `\x{FFFD}`, "{2}", "{0,1}", "^", "$", `\b`, `\w`, `\W`})
	text := rapid.SampledFrom([]string{"a", "b", "c", "A", "é", "\xff", "\n", " ", "_"})
	rapid.Check(t, func(t *rapid.T) {
		expr := strings.Join(rapid.SliceOfN(parts, 1, 8).Draw(t, "expression"), "")
		re, err := regexp.Compile(`^(?:` + expr + `)$`)
		if err != nil {
			return
		}
		s := strings.Join(rapid.SliceOfN(text, 1, 4).Draw(t, "text"), "")
		if re.MatchString(s) && !firstOf(re.String())[s[0]] {
			t.Errorf("%s matches %q, and may not begin so", re, s)
		}
	})
}

// TestFindIsAsEveryExpression: what is found is what trying every expression finds.
func TestFindIsAsEveryExpression(t *testing.T) {
	rules := Builtin()
	plainly := func(name string) *rule {
		if to := rules.names[name]; to != nil {
			return to
		}
		for i := len(rules.patterns) - 1; i >= 0; i-- {
			if rules.patterns[i].pattern.MatchString(name) {
				return rules.patterns[i]
			}
		}
		return nil
	}
	parts := rapid.SampledFrom([]string{"pthread_", "mutex_", "timed", "lock", "sleep", "nano", "clock_",
		"sync", "runtime.", "chan", "recv", "MPI_", "I", "send", "read", "v", "p", "64", "epoll_", "wait",
		"::", "std", "cond", "Wait", "For", "x"})
	rapid.Check(t, func(t *rapid.T) {
		name := strings.Join(rapid.SliceOfN(parts, 1, 4).Draw(t, "name"), "")
		want := plainly(name)
		if got := rules.find(name); got != want {
			t.Errorf("%s: %v, by every expression %v", name, got, want)
		}
	})
	for _, to := range rules.patterns {
		if to.begins['0'] {
			t.Errorf("%s is tried for every name", to.pattern)
		}
	}
}
