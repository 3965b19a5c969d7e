package explain

import (
	"strings"
	"testing"

	"diptych/internal/align/finding"
)

func TestShortNames(t *testing.T) {
	long := strings.Repeat("gemm_", 13) // 65 characters
	for _, c := range []struct{ name, want string }{
		{"runtime.mallocgc", "runtime.mallocgc"},
		{"(*T).f", "(*T).f"},
		{"void f<" + long + ">(" + long + "::Params)", "void f<" + long + ">(…)"},
		{"void f<g<int>, " + long + ">(int, (" + long + "))", "void f<…>(…)"},
		{"operator<(" + long + long + ")", "operator<(…)"},
		{"auto cc::Host::SetNeedsCommit(bool)::(lambda)::operator()()::(lambda)::operator()(uint32_t) const",
			"auto cc::Host::SetNeedsCommit(…)::(lambda)::(lambda) const"},
		{"main::{lambda(int)#1}::operator()(int) const::{lambda(" + long + ")#2}::operator()(int)",
			"main::{lambda(…)#1} const::{lambda(…)#2}"},
		{"(anonymous namespace)::f(" + long + ")", "(anonymous namespace)::f(…)"},
		{"a>" + long + "<b" + long, ("a>" + long + "<b" + long)[:64] + "…" + long[50:]},
		{strings.Repeat("é", 81), strings.Repeat("é", 64) + "…" + strings.Repeat("é", 15)},
	} {
		if got := shortName(c.name); got != c.want {
			t.Errorf("%s is %s, want %s", c.name, got, c.want)
		}
	}
	if got := shortened("f("+long+long+") is new.", "f("+long+long+")", nil); got != "f(…) is new." {
		t.Error(got)
	}
	list := []Finding{{Function: "f", words: "f is named g(" + long + long + ") in B",
		Claims: []finding.Claim{{Function: "f"}, {Function: "g(" + long + long + ")"}}}}
	if shortenNames(list); list[0].words != "f is named g(…) in B" {
		t.Error(list[0].words)
	}
	in := "void at::f<4, " + strings.Repeat("at::native::", 8) + "(anonymous namespace)::"
	add, mul := in+"Add<float> >(int, float*)", in+"Mul<float> >(int, float*)"
	list = []Finding{{Function: add, words: add + " is new"}, {Function: mul, words: mul + " is new"},
		{Function: mul, words: mul + " moved"}}
	shortenNames(list)
	for i, want := range []string{"void at::f<4, Add<float> >(…) is new", "void at::f<4, Mul<float> >(…) is new",
		"void at::f<4, Mul<float> >(…) moved"} {
		if list[i].words != want {
			t.Errorf("%s, want %s", list[i].words, want)
		}
	}
	for _, c := range []struct{ text, name, want string }{
		{"Frame    is new.", "Frame   ", "Frame is new."},
		{"f is new.", "f", "f is new."},
		{"Threads wait.", " ", "Threads wait."},
	} {
		if got := trimmed(c.text, c.name); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
