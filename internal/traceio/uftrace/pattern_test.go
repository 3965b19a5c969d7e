package uftrace

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/traceio/input"
)

// plainMatch matches without looking at what a pattern begins with.
func plainMatch(text, style, name string) bool {
	switch re, err := regexp.CompilePOSIX(text); {
	case style == "glob" && strings.ContainsAny(text, ".?*+-^$|()[]{}"):
		ok, err := path.Match(text, name)
		return ok && err == nil
	case style == "regex" && err == nil && strings.ContainsAny(text, ".?*+-^$|()[]{}"):
		return re.MatchString(name)
	}
	return text == name
}

// What a pattern begins with never decides otherwise than the pattern itself.
func TestPatternsMatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(parts []string, what string) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 6).Draw(t, what), "")
		}
		text := draw([]string{"a", "b", "ab", ".", "?", "*", "+", "^", "$", "|", "(b)", "[ab]", "{2}", `\.`, "-"}, "pattern")
		name := draw([]string{"a", "b", "ab", ".", "-"}, "name")
		style := rapid.SampledFrom([]string{"regex", "glob", "simple"}).Draw(t, "style")
		p, _ := newPattern(text, style)
		for range 2 { // not compiled, compiled
			if got, want := p.match(name), plainMatch(text, style, name); got != want {
				t.Fatalf("%s pattern %q, name %q: matches %v, want %v", style, text, name, got, want)
			}
		}
	})
}

// A repetition that is itself repeated may leave out what it repeats.
func TestRepeatedRepetitions(t *testing.T) {
	for _, text := range []string{"ba+?", "ba+*", "ba++?", "ba+{0,1}"} {
		if p, ok := newPattern(text, "regex"); !ok || !p.match("b") || p.match("a") {
			t.Errorf("%s: matches b: %t, a: %t, ok: %t", text, p.match("b"), p.match("a"), ok)
		}
	}
}

// TestPatternsAreCompiledLazily: a pattern costs nothing until a name has the text it begins with.
func TestPatternsAreCompiledLazily(t *testing.T) {
	for text, names := range map[string][2]string{
		"^pthread_.*lock$": {"my_pthread_lock", "pthread_mutex_lock"},
		"sem_(try)?wait":   {"semaphore", "my_sem_trywait"},
	} {
		p, ok := newPattern(text, "regex")
		if !ok || p.match(names[0]) || p.tried {
			t.Errorf("%s is compiled for %s", text, names[0])
		}
		if !p.match(names[1]) || !p.tried {
			t.Errorf("%s does not match %s", text, names[1])
		}
	}
}

// TestManyPatterns: a hundred thousand patterns are bounded and told of, and a load that is cancelled
// while functions are held against them stops at once.
func TestManyPatterns(t *testing.T) {
	var spec strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&spec, "f%d.*@arg1;", i)
	}
	i := info{argSpec: spec.String(), pattern: "regex"}
	var f input.Faults
	table := newArgTable(context.Background(), &i, true, &f)
	if len(table.args) != mostEntries || len(f) != 1 ||
		!strings.HasPrefix(lines(f)[0], fmt.Sprintf("bad-record %d: ", 100_000-mostEntries)) {
		t.Fatalf("%d entries, faults %v", len(table.args), lines(f))
	}
	ctx := &countedContext{Context: context.Background(), left: 3}
	table.layoutOf(ctx, "f", "prog", "prog", 'T', layout{})
	if ctx.asked != 4 {
		t.Errorf("the context is asked %d times, %d of them after the end", ctx.asked, ctx.asked-4)
	}
	tried := 0
	for k := range table.args {
		if table.args[k].tried {
			tried++
		}
	}
	if tried > 0 {
		t.Errorf("%d patterns are compiled for a function they are not about", tried)
	}
}

// countedContext is done once it was asked so many times.
type countedContext struct {
	context.Context
	left, asked int
}

func (c *countedContext) Err() error {
	if c.asked++; c.asked > c.left {
		return context.Canceled
	}
	return nil
}
