package qualified_test

import (
	"testing"

	"diptych/internal/fuzzall/seeds"
	"diptych/internal/traceio/qualified"
)

func TestPackage(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"main.main", "main"},
		{"main.main.func1", "main"},
		{"net/http.(*conn).serve", "net/http"},
		{"github.com/a/b%2ev2.(*T[github.com/c/d.E]).F", "github.com/a/b%2ev2"},
		{"slices.SortFunc[go.shape.[]github.com/a/b.C]", "slices"},
		{"main.F[github.com/a/b.C]", "main"},
		{"memmove", ""},
		{"memcpy.part.0", ""},
		{"", ""},
		{".hidden", ""},
		{"ns::f", "ns"},
		{"ns::C::f(int, std::string)", "ns::C"},
		{"std::vector<std::pair<int, a::b>>::push_back(int const&)", "std::vector"},
		{"void ns::f<int>(int)", "ns"},
		{"(anonymous namespace)::f()", "(anonymous namespace)"},
		{"(anonymous namespace)::C::f()", "(anonymous namespace)::C"},
		{"ns::C::operator<(ns::C const&)", "ns::C"},
		{"::operator new", ""},
		{"core::ops::FnOnce::call_once", "core::ops::FnOnce"},
	} {
		if got := qualified.Package(c.name); got != c.want {
			t.Errorf("Package(%q) = %q, want %q", c.name, got, c.want)
		}
	}
}

func FuzzPackage(f *testing.F) {
	seeds.Add(f)
	f.Add("a<b::c>::d")
	f.Add("(anonymous namespace)::")
	f.Fuzz(func(t *testing.T, name string) { qualified.Package(name) })
}
