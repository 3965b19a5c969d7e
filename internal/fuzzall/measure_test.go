package main

import (
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"diptych/internal/fuzzall/seeds"
)

func TestParseProfile(t *testing.T) {
	got, err := parseProfile("mode: atomic\na/b.go:1.2,3.4 5 0\na/b.go:3.4,5.6 1 1\na/b.go:7.8,9.1 2 7\n")
	want := reached{"a/b.go:3.4,5.6 1": 1 << 1, "a/b.go:7.8,9.1 2": 1 << 3}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []string{"", "mode: count\n", "mode: atomic\na/b.go:1.2,3.4 5 x\n", "mode: atomic\n7\n"} {
		if got, err := parseProfile(bad); err == nil {
			t.Errorf("%q says %v", bad, got)
		}
	}
}

// TestMirrorEmptiesOneDirectory: a target that runs in the mirror reads its files where they are,
// but has no inputs. The way to them may end before the module does.
func TestMirrorEmptiesOneDirectory(t *testing.T) {
	from := files(t, map[string]string{"go.mod": "m", "testdata/x": "shared", "p/own": "own",
		"p/testdata/fuzz/FuzzX/1": "seed", "p/testdata/fuzz/FuzzY/2": "other", "q/z": "z"})
	for _, way := range []string{"p/testdata/fuzz/FuzzX", "q/testdata/fuzz/FuzzZ"} {
		to := t.TempDir()
		if err := mirror(to, from, strings.Split(way, "/")); err != nil {
			t.Fatal(err)
		}
		if got := names(t, filepath.Join(to, way)); len(got) > 0 {
			t.Errorf("%s has %q", way, got)
		}
		for name, want := range map[string]string{"p/../testdata/x": "shared", "p/own": "own",
			"p/testdata/fuzz/FuzzY/2": "other", "q/z": "z"} {
			if got, err := os.ReadFile(to + "/" + name); err != nil || string(got) != want {
				t.Errorf("%s is %q, %v", name, got, err)
			}
		}
	}
	if got := names(t, filepath.Join(from, "p/testdata/fuzz/FuzzX")); len(got) != 1 {
		t.Errorf("the seeds are now %q", got)
	}
}

// asThisTest returns the flags with which this test was built. A build with the same flags finds the
// standard library in Go's cache; one with others compiles it first, which takes 20 s of processor
// time. Of several -gcflags Go tells the last one only. In make test that is for another package, and
// the standard library has the same.
func asThisTest() []string {
	flags := []string{"-ldflags=-w"} // links in half the time
	b, ok := debug.ReadBuildInfo()
	if !ok {
		return flags
	}
	for _, s := range b.Settings {
		switch s.Key {
		case "-race", "-trimpath", "-tags":
			flags = append(flags, s.Key+"="+s.Value)
		case "-gcflags":
			value := s.Value
			if !strings.HasPrefix(value, "-") {
				_, value, _ = strings.Cut(value, "=")
				value = "all=" + value
			}
			flags = append(flags, s.Key+"="+value)
		}
	}
	return flags
}

// TestEnrich lets the corpus of a small module grow. Its target reaches a block by each of three
// seeds: one in its code, one in testdata and one in the cache, which is chosen alone. What is chosen
// lies in the target's file, from where the second round has it.
func TestEnrich(t *testing.T) {
	seed := func(s string) string { return "go test fuzz v1\nstring(\"" + s + "\")\n" }
	root := files(t, map[string]string{
		"p/testdata/fuzz/FuzzF/named":              seed("testdata"),
		"cache/m/p/FuzzF/" + nameOf(seed("cache")): seed("cache"),
		"cache/m/p/FuzzF/2":                        seed("cache "),
		"cache/m/p/FuzzF/named":                    seed("cache"),
		"broken/m/p/FuzzF/3":                       seed("broken"),
	})
	for from, to := range map[string]string{"testdata/module": root, "seeds": filepath.Join(root, "seeds")} {
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	p, err := newPrograms()
	if err != nil {
		t.Fatal(err)
	}
	defer p.remove()
	p.flags = asThisTest()
	t.Chdir(root)
	bytes := len(seed("testdata")) + len(seed("cache"))
	tg := target{root, "m/p", filepath.Join(root, "p"), "FuzzF"}
	p.cache = filepath.Join(root, "cache")
	for _, want := range []growth{
		{tried: 2, there: 1, added: 1, bytes: bytes, reach: 5, of: 5},
		{tried: 1, there: 2, bytes: bytes, reach: 5, of: 5}, // all that is worth it is there
	} {
		if got, err := p.enrich(t.Context(), tg); err != nil || got != want {
			t.Errorf("%+v, %v; want %+v", got, err, want)
		}
	}
	kept, err := seeds.Read(tg.kept())
	if err != nil || !slices.Equal(kept, []string{seed("cache")}) {
		t.Errorf("kept are %q, %v", kept, err)
	}
	if got := names(t, tg.failures()); !slices.Equal(got, []string{"named"}) {
		t.Errorf("the folder has %q", got)
	}
	p.cache = filepath.Join(root, "broken")
	if _, err := p.enrich(t.Context(), tg); err == nil || !strings.Contains(err.Error(), "a failure") {
		t.Errorf("of an input that fails: %v", err)
	}
}
