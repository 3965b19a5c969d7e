package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

const module = "diptych/"

// pkg is what go list tells about a package; its path is relative to the module.
type pkg struct {
	ImportPath, Doc string
	Imports         []string
	GoFiles         []string
	CgoFiles        []string
}

// experiments are the values of GOEXPERIMENT that choose between code with vector instructions and
// the portable code: each build has files that the other lacks.
var experiments = map[bool]string{true: "simd", false: ""}

// packages lists all packages once with vector instructions and once without.
var packages = sync.OnceValues(func() ([]pkg, error) {
	with, err := packagesOf(experiments[true])
	if err != nil {
		return nil, err
	}
	without, err := packagesOf(experiments[false])
	return append(with, without...), err
})

func packagesOf(experiment string) ([]pkg, error) {
	cmd := exec.Command("go", "list", "-json=ImportPath,Doc,Imports,GoFiles,CgoFiles", module+"...")
	cmd.Env = append(os.Environ(), "GOEXPERIMENT="+experiment)
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var all []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		switch err := dec.Decode(&p); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err
		}
		p.ImportPath = strings.TrimPrefix(p.ImportPath, module)
		all = append(all, p)
	}
}

func list(t *testing.T) []pkg {
	t.Helper()
	all, err := packages()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	if len(all) == 0 {
		t.Fatal("go list found no packages")
	}
	return all
}

// under reports whether path is dir or below it.
func under(path, dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") }

// layerOf returns the row of a package: that of its own path, or of the nearest folder around it.
func layerOf(path string) (found *layer) {
	for i := range layers {
		if l := &layers[i]; under(path, l.path) && (found == nil || under(l.path, found.path)) {
			found = l
		}
	}
	return found
}

func allowed(l *layer, path string) bool {
	return under(path, l.path) || slices.ContainsFunc(l.may, func(dir string) bool {
		return dir == anything || under(path, dir)
	})
}

func TestImportsGoOneWay(t *testing.T) {
	for _, p := range list(t) {
		l := layerOf(p.ImportPath)
		if l == nil {
			t.Errorf("%s is in no row of the table: say what it may import, and why", p.ImportPath)
			continue
		}
		for _, path := range p.Imports {
			if own, ok := strings.CutPrefix(path, module); ok && !allowed(l, own) {
				t.Errorf("%s imports %s: %s", p.ImportPath, own, l.why)
			}
		}
	}
}

// TestTableRunsOneWay holds that a row names only rows above it.
func TestTableRunsOneWay(t *testing.T) {
	above := map[string]bool{anything: true}
	for _, l := range layers {
		for _, dir := range l.may {
			if !above[dir] {
				t.Errorf("%s may import %s, which is not above it", l.path, dir)
			}
		}
		if above[l.path] {
			t.Errorf("%s has two rows", l.path)
		}
		if l.why == "" && !slices.Contains(l.may, anything) {
			t.Errorf("%s: its bans have no reason", l.path)
		}
		above[l.path] = true
	}
}

// TestThePageIsInOrder holds that in ARCHITECTURE.md each package stands below all that it imports, and
// that it names every one. A row has a package and what lies below it, unless that has its own row.
func TestThePageIsInOrder(t *testing.T) {
	page, err := os.ReadFile("../../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]int{}
	name := regexp.MustCompile("`([a-z/]+)`")
	for n, line := range strings.Split(string(page), "\n") {
		if first, _, ok := strings.Cut(strings.TrimPrefix(line, "| "), " | "); ok && strings.HasPrefix(line, "| `") {
			for _, m := range name.FindAllStringSubmatch(first, -1) {
				rows["internal/"+m[1]] = n + 1
			}
		}
	}
	rowOf := func(path string) int {
		for path != "." && rows[path] == 0 {
			path = filepath.Dir(path)
		}
		return rows[path]
	}
	for _, p := range list(t) {
		row := rowOf(p.ImportPath)
		if row == 0 && under(p.ImportPath, "internal") {
			t.Errorf("ARCHITECTURE.md has no row for %s", p.ImportPath)
		}
		for _, path := range p.Imports {
			own, _ := strings.CutPrefix(path, module)
			if at := rowOf(own); under(p.ImportPath, "internal") && at > row {
				t.Errorf("ARCHITECTURE.md:%d: %s imports %s, which stands in row %d below it", row,
					p.ImportPath, own, at)
			}
		}
	}
}

func TestMonopolies(t *testing.T) {
	for _, p := range list(t) {
		mine := func(dir string) bool { return under(p.ImportPath, dir) }
		for _, m := range monopolies {
			if slices.ContainsFunc(m.users, mine) {
				continue
			}
			for _, path := range p.Imports {
				if under(path, m.library) {
					t.Errorf("%s imports %s, which is for %s alone: %s", p.ImportPath, path,
						strings.Join(m.users, " and "), m.why)
				}
			}
		}
	}
}

func TestPackagesSayWhatTheyAre(t *testing.T) {
	for _, p := range list(t) {
		if len(p.GoFiles)+len(p.CgoFiles) > 0 && p.Doc == "" {
			t.Errorf("%s has no doc comment", p.ImportPath)
		}
	}
}

// TestBuildsWithoutCgo holds that analyses, views and state build where there is no C compiler. A
// build costs a minute of CPU time, so the usual run only lists what would be built: without cgo
// every package that is needed must have files, and each of ours the same ones as with cgo, so that
// none lacks a declaration. The long run builds.
func TestBuildsWithoutCgo(t *testing.T) {
	with := map[string][]string{} // files of packages by path, with cgo
	var paths []string
	all, err := packagesOf(experiments[false])
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for _, p := range all {
		mine := func(dir string) bool { return under(p.ImportPath, dir) }
		if len(p.GoFiles)+len(p.CgoFiles) > 0 && !slices.ContainsFunc(windowed, mine) {
			with[p.ImportPath] = append(p.GoFiles, p.CgoFiles...)
			paths = append(paths, module+p.ImportPath)
		}
	}
	out := withoutCgo(t, append([]string{"list", "-deps", "-json=ImportPath,GoFiles"}, paths...)...)
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var p pkg
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		own, ok := strings.CutPrefix(p.ImportPath, module)
		if ok && !slices.Equal(p.GoFiles, with[own]) {
			t.Errorf("%s has the files %q without cgo, and %q with it", own, p.GoFiles, with[own])
		}
	}
	if os.Getenv("DIPTYCH_LONG") != "" {
		withoutCgo(t, append([]string{"build"}, paths...)...)
	}
}

// withoutCgo runs the go command where cgo is off, and returns what it prints.
func withoutCgo(t *testing.T, args ...string) []byte {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOEXPERIMENT="+experiments[false])
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s with CGO_ENABLED=0: %v\n%s", args[0], err, errs.String())
	}
	return out
}
