package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// reaching returns an input that runs each block as often as its letter is there.
func reaching(blocks string) input {
	in := input{path: blocks, size: len(blocks), reached: reached{}}
	for _, b := range blocks {
		in.reached[string(b)] = 1 << strings.Count(blocks, string(b))
	}
	return in
}

func TestTheSmallestInputsThatReachMoreAreChosen(t *testing.T) {
	for _, c := range []struct {
		known, inputs string
		most          int
		want          string
	}{
		{"", "", 9, ""},
		{"", "a b ab", 9, "a b"},
		{"", "a ab abc", 9, "a ab abc"},
		{"ab", "a b ab abc", 9, "abc"},
		{"a", "a aa", 9, "aa"},              // another count
		{"", "a b cde ff", 9, "cde a b ff"}, // by what they add
		{"", "a aa abcd ae", 2, "abcd a"},
		{"", "a aa bb", 2, "a bb"}, // a block is worth more than a count
		{"", "a b", 0, ""},
		{"", "a b", -1, ""}, // the corpus is too large as it is
	} {
		var inputs []input
		for _, s := range strings.Fields(c.inputs) {
			inputs = append(inputs, reaching(s))
		}
		var got []string
		for _, in := range choose(inputs, reaching(c.known).reached, c.most) {
			got = append(got, in.path)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%d of %q beside %q: %q, want %q", c.most, c.inputs, c.known, s, c.want)
		}
	}
}

// TestChoiceIsItsDefinition: an input is chosen if it reaches something that what is known and the
// inputs before it do not. So together the chosen reach all that the inputs reach.
func TestChoiceIsItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var inputs []input
		for _, s := range rapid.SliceOfN(rapid.StringMatching(`[a-f]{0,5}`), 0, 8).Draw(t, "inputs") {
			inputs = append(inputs, reaching(s))
		}
		known := reaching(rapid.StringMatching(`[a-f]{0,3}`).Draw(t, "known")).reached
		var got, want []string
		for i, in := range inputs {
			if _, counts := known.with(inputs[:i]).add(in.reached); counts > 0 {
				want = append(want, in.path)
			}
		}
		chosen := choose(inputs, known, len(inputs))
		for _, in := range chosen {
			got = append(got, in.path)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%q are chosen, not %q", got, want)
		}
		if _, counts := known.with(chosen).add(known.with(inputs)); counts > 0 {
			t.Errorf("%d counts are not reached by %q", counts, got)
		}
	})
}

func TestCandidatesAreNewAndSmall(t *testing.T) {
	found := []input{{path: "cache/new", size: 1}, {path: "cache/there", size: 2},
		{path: "cache/large", size: largestInput + 1}}
	got := candidates(found, []input{{path: "testdata/there"}})
	if len(got) != 1 || got[0].path != "cache/new" {
		t.Errorf("%+v", got)
	}
	many := make([]input, mostTried+5)
	for i := range many {
		many[i] = input{path: strings.Repeat("x", i+1)}
	}
	if got := candidates(many, nil); len(got) != mostTried || len(got[0].path) != 1 {
		t.Errorf("%d inputs of %d, the first %q", len(got), len(many), got[0].path)
	}
}

// mostBytes bounds all corpora together. The repository keeps them for good.
const mostBytes = 2 << 20

// TestCorporaAreSmall: every target has a corpus, every corpus a target, and all together are small.
func TestCorporaAreSmall(t *testing.T) {
	targets, err := ours()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	bytes := 0
	for _, tg := range targets {
		known[tg.failures()], known[tg.kept()] = true, true
		inputs, err := tg.corpus()
		if err != nil || len(inputs) == 0 {
			t.Errorf("%s has %d inputs in testdata: make corpus (%v)", tg, len(inputs), err)
		}
		for _, in := range inputs {
			bytes += in.size
		}
	}
	if bytes > mostBytes {
		t.Errorf("%d bytes of inputs are more than %d", bytes, mostBytes)
	}
	err = filepath.WalkDir(filepath.Join(targets[0].root, "internal"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(filepath.Dir(path), filepath.Join("testdata", "fuzz")) && !known[path] {
			t.Errorf("%s belongs to no target", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestTargetsBeginWithTheirFiles: each target adds the seeds in its file, and does so first.
func TestTargetsBeginWithTheirFiles(t *testing.T) {
	targets, err := ours()
	if err != nil {
		t.Fatal(err)
	}
	for _, tg := range targets {
		files, err := filepath.Glob(filepath.Join(tg.dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		begins := "func " + tg.name + "(f *testing.F) {\n\tseeds.Add(f)\n"
		if !slices.ContainsFunc(files, func(path string) bool {
			text, err := os.ReadFile(path)
			return err == nil && strings.Contains(string(text), begins)
		}) {
			t.Errorf("%s does not begin with seeds.Add(f)", tg)
		}
	}
}

// files makes files below a new directory.
func files(t *testing.T, contents map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range contents {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// names returns the names of the files in a directory.
func names(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
