package typeface

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

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
		{"ns::invoke<void (int)>::call<Klass<1>::f(long)::'lambda'(auto...), void>",
			"ns::invoke::call | invoke::call | call"},
		{"java.util.Map.get(Ljava/lang/String;)Ljava/lang/Object;",
			"java.util.Map.get | util.Map.get | Map.get | get"},
		{"java.util.Map.size()I", "java.util.Map.size | util.Map.size | Map.size | size"},
		{"read /etc/passwd", ""},
		{"Parse HTML", ""},
		{"Executing action (build net/http)", "build net/http | net/http | http"},
		{"exec.Builder.Do (go build )", "exec.Builder.Do | Builder.Do | Do"},
		{"linux:schedule (pre-empted)", "linux:schedule"},
		{"v8.compile", "compile"},
		{"libz.so.1(+0x12b5)", "+0x12b5"},
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

// TestFormsGetShorter: every form is a shorter way to write the one before, down to a bare name
// that cannot be shortened.
func TestFormsGetShorter(t *testing.T) {
	qualified := rapid.StringMatching(`([a-z]{1,5}(/|\.|::|\(|\)|<|>|\[|\]| )){0,6}[a-z]*`)
	rapid.Check(t, func(t *rapid.T) {
		forms := Forms(qualified.Draw(t, "name"))
		for i := 1; i < len(forms); i++ {
			if len(forms[i]) >= len(forms[i-1]) {
				t.Fatalf("%q: form %d is not shorter", forms, i)
			}
		}
	})
}

func TestClip(t *testing.T) {
	const text = "Threads that wait"
	wide := func(s string) float32 { return Width(s, 11, false) + .01 }
	for _, tt := range []struct {
		name  string
		width float32
		want  string
	}{
		{"all fits", wide(text), text},
		{"far more than needed", 5000, text},
		{"a letter less", wide("Threads that w" + ellipsis), "Threads that w" + ellipsis},
		{"three letters", wide("Thr" + ellipsis), "Thr" + ellipsis},
		{"two letters say nothing", wide("Th" + ellipsis), ""},
		{"no room", 0, ""},
		{"less than no room", -20, ""},
	} {
		if got := Clip(text, tt.width, 11); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestClippedTextFits: the result is never wider than asked, and what is cut is a beginning of the
// text, of at least three characters, which are not cut in two.
func TestClippedTextFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.Rune(), 0, 30, -1).Draw(t, "text")
		width := rapid.Float32Range(0, 200).Draw(t, "width")
		got := Clip(text, width, 11)
		if w := Width(got, 11, false); w > width*1.0001 {
			t.Fatalf("%q is %g px wide, not %g", got, w, width)
		}
		start, cut := strings.CutSuffix(got, ellipsis)
		switch {
		case got == text || got == "":
		case !cut || !strings.HasPrefix(text, start) || !utf8.ValidString(start):
			t.Fatalf("%q is cut to %q", text, got)
		case utf8.RuneCountInString(start) < fewest:
			t.Fatalf("%q says nothing", got)
		}
	})
}

// TestWidthsAdd: the width of a text is the sum of its letters', whatever the size, for letters that
// are kept in the table and for others.
func TestWidthsAdd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		size := rapid.Float32Range(1, 40).Draw(t, "size")
		sum := float32(0)
		for _, r := range text {
			sum += Width(string(r), size, false)
		}
		got := Width(text, size, false)
		if d := got - sum; d > .001*sum+.001 || d < -.001*sum-.001 {
			t.Fatalf("%q is %g px wide, its letters are %g", text, got, sum)
		}
		if double := Width(text, 2*size, false); double < 1.999*got || double > 2.001*got {
			t.Fatalf("%q is %g px wide, and %g at twice the size", text, got, double)
		}
	})
}

// TestNameFitsLikeShorten: a prepared name gives the same as shortening it each time.
func TestNameFitsLikeShorten(t *testing.T) {
	for _, name := range []string{"github.com/a/b/pkg.(*T).Method", "ns::vec<int>::at(unsigned)",
		"Executing action (build net/http)", "main", ""} {
		n := NewName(name)
		for width := float32(0); width < 240; width += 1.7 {
			if got, want := n.Fit(width, 11), Shorten(name, width, 11, false); got != want {
				t.Errorf("%q in %g px: %q, shortened %q", name, width, got, want)
			}
		}
	}
}
