package qualified_test

import (
	"strings"
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
		{"close_state.2", ""},
		{"pthread_create@GLIBC_2.2.5", ""},
		{"memcpy@@GLIBC_2.14", ""},
		{"example.com/a@v1.2.0/b.F", "example.com/a@v1.2.0/b"},
		{"main.init.0", "main"},
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

// doubling returns the symbol of a Rust method of a tuple. Each of its n elements but the first is
// twice the one before it, to which it refers by its offset.
func doubling(n int) string {
	s := "NvMC1aT"
	at, next := len(s), "TllE"
	for range n {
		s += next
		before := ""
		for k := at - 1; k > 0; k /= 62 {
			before = string("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[k%62]) + before
		}
		at, next = len(s), "TB"+before+"_B"+before+"_E"
	}
	return "_R" + s + "E1f"
}

// TestHostileNames: a symbol that refers to its parts can stand for a text of gigabytes, and a long
// one takes long to read. Neither is read to its end. One that breaks the reader stays as it is.
func TestHostileNames(t *testing.T) {
	const most = 1 << 14
	for name, want := range map[string]int{
		doubling(2):                              len("<((i32, i32), ((i32, i32), (i32, i32)))>::f"),
		doubling(60):                             most,
		"_ZN" + strings.Repeat("1a", 100) + "E":  len("a")*100 + len("::")*99,
		"_ZN" + strings.Repeat("1a", most) + "E": 2*most + len("_ZNE"), // as it is
	} {
		if got := qualified.Readable(name); len(got) != want {
			t.Errorf("%d bytes are read as %d, want %d: %.60s", len(name), len(got), want, got)
		}
	}
}

// FuzzPackage holds that a package is made of what the name has, in its order, without template
// arguments, and that readable names have an end.
func FuzzPackage(f *testing.F) {
	seeds.Add(f)
	f.Add("a<b::c>::d")
	f.Add("(anonymous namespace)::")
	f.Add("_ZN1a1bIiE1cEPFivE")
	f.Add(doubling(3))
	f.Fuzz(func(t *testing.T, name string) {
		rest := name
		for _, c := range []byte(qualified.Package(name)) {
			i := strings.IndexByte(rest, c)
			if i < 0 || strings.Contains(name, "::") && c == '<' {
				t.Fatalf("%q is the package of %q", qualified.Package(name), name)
			}
			rest = rest[i+1:]
		}
		if n := len(qualified.Readable(name)); n > max(len(name), 1<<14) {
			t.Errorf("%d bytes for %q", n, name)
		}
	})
}
