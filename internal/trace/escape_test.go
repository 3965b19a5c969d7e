package trace

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestEscape(t *testing.T) {
	for given, want := range map[string]string{
		"":             "",
		"main.work":    "main.work",
		"größe":        "größe",
		"caf\xe9":      `caf\xE9`,
		`caf\xE9`:      `caf\x5CxE9`,
		`caf\x5CxE9`:   `caf\x5Cx5CxE9`,
		`C:\xml\a`:     `C:\xml\a`,
		`"\xe9"`:       `"\xe9"`, // as the recorders themselves escape, in small letters
		"\\\xff":       `\\xFF`,
		"\\x4\xff":     `\x4\xFF`,
		"\xed\xa0\x80": `\xED\xA0\x80`, // half a surrogate pair
		"gr\xc3":       `gr\xC3`,       // a name that the kernel cut inside a letter
		"\uFFFD":       "\uFFFD",
	} {
		got := Escape(given)
		if got != want {
			t.Errorf("%q is escaped as %s, want %s", given, got, want)
		}
		if back := Unescape(got); back != given {
			t.Errorf("%q is escaped as %s, which stands for %q", given, got, back)
		}
	}
}

// Any bytes come back from their escaped form, which is valid; so no two texts are written alike.
func TestEscapeCanBeUndone(t *testing.T) {
	part := rapid.SampledFrom([]string{"\\", "x", "\\x", "E", "9", "5C", "\xe9", "é", "\xc3", "\xa9", "e", ""})
	rapid.Check(t, func(t *rapid.T) {
		given := strings.Join(rapid.SliceOf(part).Draw(t, "parts"), "")
		got := Escape(given)
		if back := Unescape(got); back != given || !utf8.ValidString(got) {
			t.Fatalf("%q is escaped as %q, which stands for %q", given, got, back)
		}
	})
}

// everyText builds a trace whose every text is the given one.
func everyText(t *testing.T, text string, escaped bool) *Trace {
	t.Helper()
	b := NewBuilder(text)
	b.Escaped = escaped
	b.Tool, b.Unit, b.Options = text, Unit(text), []string{text}
	p := b.Process(text)
	b.NameProcess(p, text)
	b.ForkProcess(p, text)
	b.LabelProcess(p, text)
	b.HostProcess(p, text)
	f := b.Function(Function{Name: text, Package: text, Module: text, File: text})
	th := b.Thread(text, p)
	th.SetName(text)
	th.SetRole(text, false)
	ref := th.Begin(1, f)
	th.Args(ref, []byte(text))
	th.End(2)
	th.ReturnArgs([]byte(text))
	b.Object(text)
	b.Count(p, text, 1, 1)
	b.MarkWith(func(tr *Trace, mark Mark) {
		mark(tr.Threads[0], Marks{[]Marked{{0, 0, 1, Wait}}, []int32{0}, []string{tr.Objects[0].Name}})
	})
	b.Diagnose(BadRecord, 1, "%s", text)
	if name := b.FunctionName(f); name != text {
		t.Errorf("the function %q is called %q", text, name)
	}
	return mustBuild(t, b)
}

// texts lists all texts of a trace.
func texts(tr *Trace) []string {
	p, f, th := tr.Processes[0], tr.Functions[0], tr.Threads[0]
	return []string{tr.Format, tr.Tool, string(tr.Unit), p.ID, p.Name, p.Parent, p.Label, p.Host, f.Name,
		f.Package, f.Module, f.File, th.ID, th.Name, th.Role, tr.Objects[0].Name, tr.Counters[0].Name,
		tr.Options[0]}
}

func TestEveryTextIsValid(t *testing.T) {
	tr := everyText(t, "caf\xe9", false)
	for i, text := range texts(tr) {
		if text != `caf\xE9` {
			t.Errorf("text %d is %q", i, text)
		}
	}
	if args := tr.Threads[0].Args(0); args != `caf\xE9 caf\xE9` {
		t.Errorf("arguments %q", args)
	}
	if len(tr.Objects) != 1 {
		t.Errorf("an object is another by its escaped name: %v", tr.Objects)
	}
	d := tr.Diagnostics
	if len(d) != 2 || d[0].Example != `caf\xE9` || d[1].Code != NotUTF8 || d[1].Count < 10 ||
		d[1].Example != `caf\xE9` {
		t.Errorf("diagnostics %v", d)
	}
}

// What looks like an escape is escaped itself, and is nothing wrong. In a text that is escaped
// already it is one.
func TestTextsThatLookEscaped(t *testing.T) {
	for escaped, want := range map[bool]string{false: `caf\x5CxE9`, true: `caf\xE9`} {
		tr := everyText(t, `caf\xE9`, escaped)
		for i, text := range texts(tr) {
			if text != want {
				t.Errorf("escaped %v: text %d is %q", escaped, i, text)
			}
		}
		if args := tr.Threads[0].Args(0); args != want+" "+want || len(tr.Diagnostics) != 1 {
			t.Errorf("escaped %v: arguments %q, diagnostics %v", escaped, args, tr.Diagnostics)
		}
	}
}
