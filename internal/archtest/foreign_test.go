package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"diptych/internal/testtrace"
)

// TestBuildsForOtherSystems checks the types of the program without a window as the compiler would
// for other systems. It compiles nothing: that would cost a minute of CPU time for each of them.
// Bodies of functions and contents of tables are only looked at in packages of this module. The
// usual run checks the system that differs most, and that without vector instructions, since those
// who test on this processor build with them; and it looks at less (setDepths).
func TestBuildsForOtherSystems(t *testing.T) {
	vectors := map[string]bool{"windows": false}
	if os.Getenv("DIPTYCH_LONG") != "" {
		vectors["darwin"], vectors["linux"] = true, true
	}
	for system, with := range vectors {
		t.Run(system, func(t *testing.T) { checkTypes(t, foreign(t, system, experiments[with])) })
	}
}

// build is a package with the files of one system, as go list tells.
type build struct {
	ImportPath, Dir, Name string
	GoFiles               []string
	IgnoredGoFiles        []string // for other systems or processors
	Imports               []string
	ImportMap             map[string]string

	depth  depth
	syntax []*ast.File
}

// depth is how far a package is looked at.
type depth int

const (
	named    depth = iota // only that it is there: nothing of it is known to be missing
	declared              // its declarations
	whole                 // bodies of functions, too
)

// setDepths says how far each package is looked at. In the usual run that is this module and what
// differs most among systems, system calls; and in this module bodies of functions only where there
// are files for some systems, or such a package is imported: so it finds what is not declared there
// (isMissing). The long run looks at all, and finds all.
func setDepths(all []*build) {
	apart := map[string]bool{}
	for _, b := range all {
		ours := strings.HasPrefix(b.ImportPath, module)
		apart[b.ImportPath] = ours && len(b.IgnoredGoFiles) > 0 || b.ImportPath == "syscall" ||
			strings.HasPrefix(b.ImportPath, "golang.org/x/sys/")
		imports := slices.ContainsFunc(b.Imports, func(path string) bool { return apart[path] })
		switch long := testtrace.Sized(false, true); {
		case ours && (long || apart[b.ImportPath] || imports):
			b.depth = whole
		case ours || long || apart[b.ImportPath]:
			b.depth = declared
		}
	}
}

// foreign lists the program and all it is built of, dependencies first.
func foreign(t *testing.T, system, experiment string) []*build {
	t.Helper()
	cmd := exec.Command("go", "list", "-tags", "nogui", "-deps",
		"-json=ImportPath,Dir,Name,GoFiles,IgnoredGoFiles,Imports,ImportMap", module+"cmd/diptych")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH=amd64",
		"GOEXPERIMENT="+experiment)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list for %s: %v\n%s", system, err, &errs)
	}
	var all []*build
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		b := new(build)
		if err := dec.Decode(b); err != nil {
			t.Fatal(err)
		}
		all = append(all, b)
	}
	if !slices.ContainsFunc(all, func(b *build) bool { return b.ImportPath == module+"internal/cli" }) {
		t.Fatalf("the program for %s has no command line", system)
	}
	return all
}

// checkTypes checks packages in the order given.
func checkTypes(t *testing.T, all []*build) {
	t.Helper()
	fset := token.NewFileSet()
	setDepths(all)
	var parsing errgroup.Group
	parsing.SetLimit(4)
	for _, b := range all {
		if b.depth == named {
			continue
		}
		parsing.Go(func() error { return b.parse(fset) })
	}
	if err := parsing.Wait(); err != nil {
		t.Fatal(err)
	}
	known := map[string]*types.Package{"unsafe": types.Unsafe}
	looked := map[string]bool{} // names of packages of which it is known what they have
	for _, b := range all {
		if b.ImportPath == "unsafe" {
			continue
		}
		if b.depth == named {
			known[b.ImportPath] = types.NewPackage(b.ImportPath, b.Name)
			known[b.ImportPath].MarkComplete() // others are not imported
			continue
		}
		looked[b.Name] = true
		ours := strings.HasPrefix(b.ImportPath, module)
		o := types.Config{
			IgnoreFuncBodies: b.depth != whole,
			Sizes:            types.SizesFor("gc", "amd64"),
			Importer:         importer{b.ImportMap, known},
			Error: func(err error) {
				if ours && (testtrace.Sized(false, true) || isMissing(err, looked)) {
					t.Error(err)
				}
			},
		}
		known[b.ImportPath], _ = o.Check(b.ImportPath, fset, b.syntax, nil) // errors were told
	}
}

// isMissing reports whether an error says that a name is not declared, of the package itself or of
// one that is looked at. All others may follow from the packages that are not.
func isMissing(err error, looked map[string]bool) bool {
	var e types.Error
	if !errors.As(err, &e) {
		return true
	}
	name, undefined := strings.CutPrefix(e.Msg, "undefined: ")
	of, _, qualified := strings.Cut(name, ".")
	return undefined && (!qualified || looked[of])
}

func (b *build) parse(fset *token.FileSet) error {
	ours := strings.HasPrefix(b.ImportPath, module)
	for _, name := range b.GoFiles {
		path := filepath.Join(b.Dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		parse := func(text []byte) (*ast.File, error) {
			return parser.ParseFile(fset, path, text, parser.SkipObjectResolution)
		}
		var f *ast.File
		if !ours {
			f, err = parse(withoutBodies(text))
		}
		if ours || err != nil { // a file that is written in another way than usual
			f, err = parse(text)
		}
		if err != nil {
			return err
		}
		if !ours {
			declarationsOnly(f)
		}
		b.syntax = append(b.syntax, f)
	}
	return nil
}

// withoutBodies leaves bodies of functions out of a file that gofmt has written: parsing them would
// take most of the time. They begin at the end of a line that begins with func, and end with the
// next line that is a brace. So do the elements of large tables, as those of Unicode, whose lines
// begin with var; a list whose length is counted keeps its elements.
func withoutBodies(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for {
		at := bytes.Index(text, []byte("\nfunc "))
		table := bytes.Index(text, []byte("\nvar "))
		isTable := table >= 0 && (at < 0 || table < at)
		if isTable {
			at = table
		}
		if at < 0 {
			return append(out, text...)
		}
		line := at + 1 + max(bytes.IndexByte(text[at+1:], '\n'), 0)
		end := bytes.Index(text[at:], []byte("\n}\n"))
		head := text[at:line]
		switch {
		case line <= at+1 || end < 0 || !bytes.HasSuffix(head, []byte("{")):
			out, text = append(out, text[:at+1]...), text[at+1:]
		case !isTable && bytes.HasSuffix(head, []byte(" {")):
			out = append(out, text[:line-len(" {")]...)
			text = text[at+end+len("\n}"):]
		case isTable && listed.Match(head):
			out = append(append(out, text[:line]...), '}')
			text = text[at+end+len("\n}"):]
		default:
			out, text = append(out, text[:at+1]...), text[at+1:]
		}
	}
}

// listed is the first line of a variable that is a list, but for one whose length is counted.
var listed = regexp.MustCompile(`^\nvar \w+ = (&?[A-Z]\w*|\[\d*\][\w.*]+|map\[[\w.]+\][\w.*]+)\{$`)

// declarationsOnly takes out of a file what does not tell others its types: bodies of functions, and
// what is in composite literals of variables, as in the large tables of Unicode. An array literal
// whose length is counted keeps its elements.
func declarationsOnly(f *ast.File) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			d.Body = nil
		case *ast.GenDecl:
			if d.Tok != token.VAR {
				continue
			}
			for _, s := range d.Specs {
				for _, v := range s.(*ast.ValueSpec).Values {
					withoutElements(v)
				}
			}
		}
	}
}

func withoutElements(v ast.Expr) {
	if u, ok := v.(*ast.UnaryExpr); ok {
		v = u.X
	}
	lit, ok := v.(*ast.CompositeLit)
	if !ok {
		return
	}
	if a, ok := lit.Type.(*ast.ArrayType); ok {
		if _, counted := a.Len.(*ast.Ellipsis); counted {
			return
		}
	}
	lit.Elts = nil
}

// importer finds packages among those that were checked before.
type importer struct {
	renamed map[string]string // paths as the source has them to true ones
	known   map[string]*types.Package
}

func (i importer) Import(path string) (*types.Package, error) {
	if to, ok := i.renamed[path]; ok {
		path = to
	}
	if p := i.known[path]; p != nil {
		return p, nil
	}
	return nil, os.ErrNotExist
}
