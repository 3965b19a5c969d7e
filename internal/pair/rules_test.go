package pair

import (
	"strings"
	"testing"

	"diptych/internal/fuzzall/seeds"
	"diptych/internal/trace"

	"pgregory.net/rapid"
)

func TestClean(t *testing.T) {
	for name, want := range map[string]string{
		"main":                            "main",
		"f.constprop.0":                   "f",
		"f.isra.0.constprop.12":           "f",
		"f.part.3":                        "f",
		"f.cold":                          "f",
		"f.cold.7":                        "f",
		"f.lto_priv.1":                    "f",
		"f.llvm.1234567890":               "f",
		"f(int) [clone .isra.0]":          "f(int)",
		"f(int) [clone .cold] [clone .x]": "f(int)",
		"f(int) (.isra.0)":                "f(int)",
		"f(...)":                          "f(...)",
		"printf(char const*, ...)":        "printf(char const*, ...)",
		"f+0x1c":                          "f",
		"f.isra.0+0x1c":                   "f",
		"f@0x7ffe12":                      "f",
		"queue(+0x1189)":                  "queue(+0x1189)",
		"libc.so.6[0x7f00ab12]":           "libc.so.6",
		"<function f at 0x7f00ab12>":      "<function f>",
		"0x4005d0":                        "0x4005d0",
		"main.run.func1":                  "main.run.func1",
		"main.run.func1.2":                "main.run.func1.2",
		"main.(*T).part":                  "main.(*T).part",
		"main.cold.func1":                 "main.cold.func1",
		"pthread_mutex_lock":              "pthread_mutex_lock",
		"a0x1":                            "a0x1",
		"std::vector<int>::operator[](unsigned long)": "std::vector<int>::operator[](unsigned long)",
		"": "",
	} {
		if got := Clean(name); got != want {
			t.Errorf("Clean(%q) = %q, want %q", name, got, want)
		}
	}
}

// cleanPlainly is Clean without what spares it the expressions.
func cleanPlainly(name string) string {
	clean := name
	for last := ""; clean != last && !strings.Contains(name, "(+0x"); {
		last = clean
		clean = cloned.ReplaceAllString(address.ReplaceAllString(clean, ""), "")
	}
	if strings.TrimSpace(clean) == "" {
		return name
	}
	return clean
}

// TestCleanTwice holds that cleaning is idempotent, never leaves nothing of something, and finds all
// that the expressions find.
func TestCleanTwice(t *testing.T) {
	parts := []string{"f", ".", "isra", ".isra.0", ".part.", ".constprop.1", ".lto_priv.2", ".llvm.3",
		".cold", ".cold.4", " [clone .x]", "(.y)", "+0x1", "0x12", "[0X3]", "5", "::g", "(int)", " ", "[",
		"]"}
	rapid.Check(t, func(t *rapid.T) {
		name := strings.Join(rapid.SliceOf(rapid.SampledFrom(parts)).Draw(t, "parts"), "")
		once := Clean(name)
		if want := cleanPlainly(name); once != want {
			t.Fatalf("%q: %q, want %q", name, once, want)
		}
		if twice := Clean(once); twice != once {
			t.Fatalf("%q: %q, then %q", name, once, twice)
		}
		if once == "" && name != "" {
			t.Fatalf("nothing left of %q", name)
		}
	})
}

func TestRules(t *testing.T) {
	rules, err := ParseRules(false, []string{"old=new", "/^v1::(.*)$/=v2::$1", "new=never", "op===="})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"old": "new", "old.cold": "new", "older": "older", "v1::f(int)": "v2::f(int)", "new": "never",
		"op": "===",
	} {
		if got := rules.Identity(name); got != want {
			t.Errorf("Identity(%q) = %q, want %q", name, got, want)
		}
	}
	for _, r := range rules.Renames {
		if again, err := parseRename(r.String()); err != nil || again.String() != r.String() {
			t.Errorf("%s reads back as %s, %v", r, again, err)
		}
	}
	if got := (Rules{Raw: true}).Identity("f.cold"); got != "f.cold" {
		t.Errorf("raw: %q", got)
	}
	for _, bad := range []string{"", "old", "=new", "old=", "/x", "/(/=y"} {
		if _, err := parseRename(bad); err == nil || !strings.Contains(err.Error(), "rename rule") {
			t.Errorf("parseRename(%q): %v", bad, err)
		}
	}
}

// TestCodeOfTheProgram holds that code without symbols is that of the program on both sides, whatever
// its file is called, and that of a library is not.
func TestCodeOfTheProgram(t *testing.T) {
	build := func(program string) *trace.Trace {
		b := trace.NewBuilder("test")
		process := b.Process("1")
		b.NameProcess(process, program)
		th := b.Thread("1", process)
		for k, module := range []string{"/bin/" + program, "/lib/" + program + ".so"} {
			name := module[len("/bin/"):]
			th.Complete(int64(k), int64(k+1), b.Function(trace.Function{Name: name + "+0x12", Package: name, Module: module}))
		}
		tr, err := b.Build(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return tr
	}
	renamed, err := ParseRules(false, []string{"server-1=server-2"})
	if err != nil {
		t.Fatal(err)
	}
	for _, rules := range []Rules{{}, renamed} {
		p := New(build("server-1"), build("server-2"), rules)
		if p.IDA[0] != p.IDB[0] || p.IDA[1] == p.IDB[1] {
			t.Errorf("%v: %v and %v are %q", rules, p.IDA, p.IDB, p.Names)
		}
	}
}

// FuzzRename reads rules that give functions other names. One that is read is written as it was.
func FuzzRename(f *testing.F) {
	seeds.Add(f)
	f.Add("old=new", "old")
	f.Add("/^v([0-9]+)_(.*)$/=$2", "v12_main")
	f.Fuzz(func(t *testing.T, rule, name string) {
		r, err := ParseRules(false, []string{rule})
		if err != nil {
			return
		}
		if got := r.Renames[0].String(); got != rule {
			t.Errorf("%q is written %q", rule, got)
		}
		r.Identity(name)
		Clean(name)
	})
}
