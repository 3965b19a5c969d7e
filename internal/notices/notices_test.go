package notices

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write notices.txt anew")

// builds are the builds whose licences the program prints: which modules are linked depends on the
// system, and on whether there is a window.
var builds = []struct {
	system string
	args   []string
}{
	{"linux", nil},
	{"darwin", []string{"-tags", "nogui"}},
	{"windows", []string{"-tags", "nogui"}},
}

// elsewhere are the licences of parts that do not lie in the folder of a Go package or above it.
var elsewhere = map[string][]string{
	"github.com/go-gl/glfw/v3.3/glfw": {"glfw/LICENSE.md"},     // GLFW itself, in C
	"eliasnaur.com/font":              {"roboto/ttfs/LICENSE"}, // the font Roboto
}

// module is one module with the folders of those of its packages that are linked.
type module struct {
	path, version, dir string
	packages           []string
}

// linked lists the modules of all builds, but not this one, by path.
func linked(t *testing.T) []*module {
	t.Helper()
	found := map[string]*module{}
	for _, b := range builds {
		for _, p := range list(t, b.system, b.args) {
			if p.Module == nil || p.Module.Main {
				continue
			}
			m := found[p.Module.Path]
			if m == nil {
				m = &module{path: p.Module.Path, version: p.Module.Version, dir: p.Module.Dir}
				found[m.path] = m
			}
			m.packages = append(m.packages, p.Dir)
		}
	}
	var all []*module
	for _, m := range found {
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b *module) int { return strings.Compare(a.path, b.path) })
	return all
}

type listed struct {
	Dir    string
	Module *struct {
		Path, Version, Dir string
		Main               bool
	}
}

func list(t *testing.T, system string, args []string) []listed {
	t.Helper()
	args = append(append([]string{"list"}, args...), "-deps", "-json=Dir,Module", "diptych/cmd/diptych")
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64")
	if system != runtime.GOOS {
		cmd.Env = append(cmd.Env, "CGO_ENABLED=0")
	}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v", cmd, err)
	}
	var all []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var p listed
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// legal is what files with licences and notices are called.
var legal = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents|unlicense)([-.].*)?$`)

// licences returns the files of a module, relative to it: those of its root, of the folders of its
// linked packages and of all folders between, and those elsewhere.
func (m *module) licences(t *testing.T) []string {
	t.Helper()
	folders := map[string]bool{m.dir: true}
	for _, dir := range m.packages {
		for ; len(dir) > len(m.dir); dir = filepath.Dir(dir) {
			folders[dir] = true
		}
	}
	var files []string
	for dir := range folders {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.Type().IsRegular() && legal.MatchString(e.Name()) && filepath.Ext(e.Name()) != ".go" {
				rel, err := filepath.Rel(m.dir, filepath.Join(dir, e.Name()))
				if err != nil {
					t.Fatal(err)
				}
				files = append(files, filepath.ToSlash(rel))
			}
		}
	}
	slices.Sort(files)
	return append(files, elsewhere[m.path]...)
}

func goroot(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// section writes one licence under a heading. Lines end alike and without spaces.
func section(b *strings.Builder, of string, text []byte) {
	rule := strings.Repeat("-", 80)
	fmt.Fprintf(b, "%s\n%s\n%s\n\n", rule, of, rule)
	lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(string(text), "\f", "")), "\n")
	for _, line := range lines {
		b.WriteString(strings.TrimRight(line, " \t\r") + "\n")
	}
	b.WriteByte('\n')
}

// TestNoticesAreComplete holds the file against the modules that are linked. It fails when a module
// is added, removed or has another version, and when one comes without a licence.
func TestNoticesAreComplete(t *testing.T) {
	read := func(name string) []byte {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	var b strings.Builder
	section(&b, "Diptych", read("../../LICENSE"))
	section(&b, "Go: its runtime and standard library", read(filepath.Join(goroot(t), "LICENSE")))
	for _, m := range linked(t) {
		files := m.licences(t)
		if len(files) == 0 {
			t.Errorf("%s has no licence", m.path)
		}
		for _, name := range files {
			of := m.path + " " + m.version
			if len(files) > 1 {
				of += ": " + name
			}
			section(&b, of, read(filepath.Join(m.dir, filepath.FromSlash(name))))
		}
	}
	if *update {
		if err := os.WriteFile("notices.txt", []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if b.String() != Text {
		t.Errorf("notices.txt is not what the linked modules say: make golden writes it anew")
	}
}
