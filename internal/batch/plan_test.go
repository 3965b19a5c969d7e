package batch

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// touch makes empty files, and folders where a name ends in a slash, in a new working directory.
func touch(t *testing.T, names ...string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, name := range names {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "/") {
			continue
		}
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPlan(t *testing.T) {
	for name, c := range map[string]struct {
		files string
		a, b  string
		by    By
		pairs []Pair
		alone [2][]string

		refused []string
	}{
		"not all in UTF-8": {"A/1 A/2 A/3\xff B/1 B/2\xff B/3", "A/*", "B/*", ByRank, []Pair{{"1", "A/1", "B/1"}},
			[2][]string{{"A/2"}, {"B/3"}}, []string{"A/3\xff", "B/2\xff"}},
		"in order, not all in UTF-8": {"A/1 A/2 A/3\xff A/4\xff B/1\xff B/2 B/3 B/4\xff", "A/*", "B/*", ByOrder,
			[]Pair{{"2", "A/2", "B/2"}}, [2][]string{{"A/1"}, {"B/3"}},
			[]string{"B/1\xff", "A/3\xff", "A/4\xff", "B/4\xff"}},
		"by name": {"A/x B/x A/y B/z", "A/*", "B/*", ByName, []Pair{{"x", "A/x", "B/x"}},
			[2][]string{{"A/y"}, {"B/z"}}, nil},
		"by name, folders": {"A/1/t.data/ B/1/t.data/ A/2/t.data/ B/2/t.data/", "A/*/t.data", "B/*/t.data",
			ByName, []Pair{{"1/t.data", "A/1/t.data", "B/1/t.data"}, {"2/t.data", "A/2/t.data", "B/2/t.data"}},
			[2][]string{}, nil},
		"by rank": {"A/job7-r10.json A/job7-r9.json B/job8-r009.json B/job8-r010.json.gz B/job8-r011.json",
			"A/*", "B/*", ByRank, []Pair{{"9", "A/job7-r9.json", "B/job8-r009.json"},
				{"10", "A/job7-r10.json", "B/job8-r010.json.gz"}}, [2][]string{nil, {"B/job8-r011.json"}}, nil},
		"a side without ranks": {"A/x A/r0 B/r0", "A/*", "B/*", ByRank, []Pair{{"0", "A/r0", "B/r0"}},
			[2][]string{{"A/x"}, nil}, nil},
		"by order": {"A/r10 A/r9 B/u B/v", "A/*", "B/*", ByOrder,
			[]Pair{{"1", "A/r9", "B/u"}, {"2", "A/r10", "B/v"}}, [2][]string{}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			touch(t, strings.Fields(c.files)...)
			p, err := NewPlan(c.a, c.b, c.by)
			if err != nil {
				t.Fatal(err)
			}
			var refused []string
			for _, r := range p.Refused {
				refused = append(refused, r.File)
			}
			if !slices.Equal(refused, c.refused) {
				t.Errorf("refused %q, want %q", refused, c.refused)
			}
			if !reflect.DeepEqual(p.Pairs, c.pairs) {
				t.Errorf("pairs %q, want %q", p.Pairs, c.pairs)
			}
			for side := range c.alone {
				if !slices.Equal(p.Alone[side], c.alone[side]) {
					t.Errorf("alone %q, want %q", p.Alone, c.alone)
				}
			}
		})
	}
}

func TestPlanFails(t *testing.T) {
	for name, c := range map[string]struct {
		files string
		by    By
		want  string
	}{
		"no files":         {"A/x", ByName, "B/*: no file has such a name"},
		"no pairs":         {"A/x B/y", ByName, `no file of A has the name of one of B, such as "x" and "y"`},
		"a rank twice":     {"A/r1 A/q1 A/r2 B/r1", ByRank, "A/q1 and A/r1 have the same rank, 1"},
		"none in UTF-8":    {"A/x B/\xff", ByName, "B/\xff: the name is not UTF-8"},
		"no pair in UTF-8": {"A/x B/\xff", ByOrder, "B/\xff: the name is not UTF-8"},
		"no ranks":         {"A/x A/y B/r1", ByRank, "have the same rank, none"},
		"not as many":      {"A/x B/y B/z", ByOrder, "both sides have as many: A has 1 file and B 2 files"},
		"not as many of A": {"A/x A/y B/z", ByOrder, "both sides have as many: A has 2 files and B 1 file"},
	} {
		t.Run(name, func(t *testing.T) {
			touch(t, strings.Fields(c.files)...)
			if _, err := NewPlan("A/*", "B/*", c.by); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
	if _, err := NewPlan("[", "[", ByName); err == nil {
		t.Error("a broken pattern is taken")
	}
	if _, err := ParseBy("size"); err == nil {
		t.Error("pairs by size")
	}
	for _, name := range ByNames() {
		if by, err := ParseBy(name); err != nil || by.String() != name {
			t.Errorf("%s: %v, %v", name, by, err)
		}
	}
}

// TestMoveToNamesNoOtherFolder: a path that is relative to another folder may lead through folders
// whose names a manifest cannot hold. That is an error, and nothing is written.
func TestMoveToNamesNoOtherFolder(t *testing.T) {
	touch(t, "out/", "in\xff/a", "in\xff/b")
	t.Chdir("in\xff")
	m := Manifest{Pairs: []Pair{{"1", "a", "b"}}}
	if err := m.MoveTo("."); err != nil {
		t.Error(err)
	}
	want := "a, as ../in\xff/a from the manifest's folder: the name is not UTF-8"
	if err := m.MoveTo("../out"); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}
