package typeface

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestForms(t *testing.T) {
	tests := []struct {
		name string
		want string // forms after the name itself, joined by " | "
	}{
		{"main", ""},
		{"github.com/a/b/pkg.(*T).Method", "pkg.(*T).Method | (*T).Method | Method"},
		{"go/types.(*Checker).expr", "types.(*Checker).expr | (*Checker).expr | expr"},
		{"main.main", "main"},
		{"main.main.func1", "main.func1"},
		{"main.run.func2.1", "run.func2.1"},
		{"gopkg.in/yaml%2ev3.(*Node).Decode", "yaml%2ev3.(*Node).Decode | (*Node).Decode | Decode"},
		{"slices.SortFunc[go.shape.[]int,int]", "slices.SortFunc | SortFunc"},
		{"pkg.(*List[go.shape.int]).Push", "pkg.(*List).Push | (*List).Push | Push"},
		{"ns::cls::f", "cls::f | f"},
		{"std::vector<int, std::allocator<int> >::push_back(int const&)",
			"std::vector::push_back | vector::push_back | push_back"},
		{"foo(int, char*)", "foo"},
		{"ns::(anonymous namespace)::f(int)",
			"ns::(anonymous namespace)::f | (anonymous namespace)::f | f"},
		{"operator<<(std::ostream&, X)", ""},
		{"read /etc/passwd", ""},
		{"Parse HTML", ""},
		{"Executing action (build net/http)", "build net/http | net/http | http"},
		{"exec.Builder.Do (go build )", "exec.Builder.Do | Builder.Do | Do"},
		{"linux:schedule (pre-empted)", "linux:schedule"},
		{"v8.compile", "compile"},
		{"kmem_cache_alloc", ""},
		{"<module>", ""},
		{"a<b", ""},
	}
	for _, c := range tests {
		got := Forms(c.name)
		want := []string{c.name}
		if c.want != "" {
			want = append(want, strings.Split(c.want, " | ")...)
		}
		if !slices.Equal(got, want) {
			t.Errorf("Forms(%q)\n got %q\nwant %q", c.name, got, want)
		}
	}
}

func TestShorten(t *testing.T) {
	const name = "github.com/a/b/pkg.(*T).Method"
	tests := []struct {
		fits string // a text that just fits
		want string
	}{
		{name, name},
		{name[1:], "pkg.(*T).Method"},
		{"pkg.(*T).Method", "pkg.(*T).Method"},
		{"(*T).Method", "(*T).Method"},
		{"Method", "Method"},
		{"Metho" + ellipsis, "Method"},
		{"Meth" + ellipsis, "Meth" + ellipsis},
		{"Met" + ellipsis, "Met" + ellipsis},
		{"Me" + ellipsis, ""},
		{"", ""},
	}
	for _, c := range tests {
		width := Width(c.fits, 11, false) + .01
		if c.fits == "Metho"+ellipsis {
			width = Width("Method", 11, false) + .01
		}
		if got := Shorten(name, width, 11, false); got != c.want {
			t.Errorf("width of %q: %q, want %q", c.fits, got, c.want)
		}
	}
}

// TestShortenFits: whatever the name, the result is not wider than asked, and Name.Fit agrees.
func TestShortenFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		qualified := rapid.StringMatching(`([a-z]{1,5}(/|\.|::|\(|\)|<|>|\[|\])){0,6}[a-z]*`)
		name := rapid.OneOf(rapid.String(), qualified).Draw(t, "name")
		width := rapid.Float32Range(0, 300).Draw(t, "width")
		got := Shorten(name, width, 11, false)
		if w := Width(got, 11, false); w > width*1.0001 {
			t.Fatalf("%q is %g px wide, not %g", got, w, width)
		}
		if fit := NewName(name).Fit(width*1.0001, 11); got != "" && fit == "" {
			t.Fatalf("Fit gives nothing, Shorten %q", got)
		}
	})
}

func TestWidth(t *testing.T) {
	for name, m := range map[string]*measure{"regular": regular(), "bold": bold()} {
		if m.font == nil {
			t.Errorf("the %s face does not parse", name)
		}
	}
	if w := Width("mmmm", 10, false) / Width("m", 10, false); w < 3.999 || w > 4.001 {
		t.Errorf("four letters are %g times as wide as one", w)
	}
	if Width("Diptych", 12, true) <= Width("Diptych", 12, false) {
		t.Error("bold is not wider than regular")
	}
	if Width("…µ→é", 12, false) <= 0 {
		t.Error("letters beyond ASCII have no width")
	}
}

func BenchmarkFit(b *testing.B) {
	n := NewName("github.com/a/b/pkg.(*T).Method")
	for b.Loop() {
		n.Fit(40, 11)
	}
}
