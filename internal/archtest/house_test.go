package archtest

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// Limits of the house rules: what a reader can take in at once, and how much of the code is held by
// tests. They are measured over the source as it stands; sample programs in testdata do not count.
const (
	maxFileLines    = 400
	maxMedianFunc   = 12 // lines, over all functions of the code that is not tests
	maxColumns      = 100
	tabColumns      = 4
	minTestRatio    = 0.6 // lines of test files to lines of other files
	minUITestRatio  = 0.4
	interfaceFolder = "internal/ui"
)

// source is one Go file of the module.
type source struct {
	path string // relative to the module's root, with slashes
	text []byte
	fset *token.FileSet
	file *ast.File // nil for tests, of which only the lines count
}

func (s *source) lines() int { return bytes.Count(s.text, []byte("\n")) }

func (s *source) isTest() bool { return strings.HasSuffix(s.path, "_test.go") }

var sources = sync.OnceValues(func() ([]source, error) {
	root := filepath.Join("..", "..")
	var all []source
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			hidden := path != root && strings.HasPrefix(name, ".")
			if hidden || name == "testdata" || name == "build" {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		s, err := open(root, path)
		all = append(all, s)
		return err
	})
	return all, err
})

func open(root, path string) (source, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return source{}, err
	}
	rel, err := filepath.Rel(root, path)
	if err != nil {
		return source{}, err
	}
	s := source{path: filepath.ToSlash(rel), text: text, fset: token.NewFileSet()}
	if !s.isTest() {
		s.file, err = parser.ParseFile(s.fset, path, text, parser.ParseComments|parser.SkipObjectResolution)
	}
	return s, err
}

func tree(t *testing.T) []source {
	t.Helper()
	all, err := sources()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 100 {
		t.Fatalf("found %d Go files: not the module's root?", len(all))
	}
	return all
}

func TestFilesAreShort(t *testing.T) {
	for _, s := range tree(t) {
		if n := s.lines(); n > maxFileLines {
			t.Errorf("%s has %d lines, %d are allowed: give one of its subjects a file of its own",
				s.path, n, maxFileLines)
		}
	}
}

// TestFunctionsAreShort holds the median function. A function's lines run from its first line to
// its closing brace, the doc comment aside; functions inside functions belong to the outer one.
func TestFunctionsAreShort(t *testing.T) {
	var lengths []int
	for _, s := range tree(t) {
		if s.isTest() {
			continue
		}
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				first, last := s.fset.Position(f.Pos()).Line, s.fset.Position(f.End()).Line
				lengths = append(lengths, last-first+1)
			}
		}
	}
	slices.Sort(lengths)
	n := len(lengths)
	median := lengths[n/2]
	t.Logf("%d functions: median %d lines, 95 %% at most %d, longest %d", n, median,
		lengths[n*95/100], lengths[n-1])
	if median > maxMedianFunc {
		t.Errorf("the median function has %d lines, %d are allowed", median, maxMedianFunc)
	}
}

// TestCommentsFitTheLine holds 100 columns in the comments of code that is not tests.
func TestCommentsFitTheLine(t *testing.T) {
	for _, s := range tree(t) {
		if s.isTest() {
			continue
		}
		lines := strings.Split(string(s.text), "\n")
		for _, group := range s.file.Comments {
			first := s.fset.Position(group.Pos()).Line
			last := s.fset.Position(group.End()).Line
			for n := first; n <= last; n++ {
				if c := columns(lines[n-1]); c > maxColumns {
					t.Errorf("%s:%d: the line of this comment has %d columns, %d are allowed",
						s.path, n, c, maxColumns)
				}
			}
		}
	}
}

// columns is how wide a line is on the screen.
func columns(line string) int {
	return utf8.RuneCountInString(line) + strings.Count(line, "\t")*(tabColumns-1)
}

// TestEnoughIsTested holds how many lines of tests there are for a line of code, over the module
// and over the interface.
func TestEnoughIsTested(t *testing.T) {
	for _, part := range []struct {
		folder string // "" is the whole module
		least  float64
	}{{"", minTestRatio}, {interfaceFolder, minUITestRatio}} {
		tests, code := testedLines(tree(t), part.folder)
		ratio := float64(tests) / float64(code)
		t.Logf("%q: %d lines of tests, %d of code: %.2f", part.folder, tests, code, ratio)
		if ratio < part.least {
			t.Errorf("%q: %d lines of tests for %d of code are %.2f, at least %.2f is asked for",
				part.folder, tests, code, ratio, part.least)
		}
	}
}

func testedLines(all []source, folder string) (tests, code int) {
	for _, s := range all {
		switch {
		case folder != "" && !under(s.path, folder):
		case s.isTest():
			tests += s.lines()
		default:
			code += s.lines()
		}
	}
	return tests, code
}
