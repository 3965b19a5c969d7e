package archtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// topLevel is all that may be tracked at the module's root, sorted. What a build or a packaging
// tool leaves there, such as a Debian package, belongs in out, which git ignores.
var topLevel = []string{
	".ci", ".gitignore", "ARCHITECTURE.md", "LICENSE", "Makefile", "README.md", "cmd", "docs",
	"go.mod", "go.sum", "internal", "packaging", "shaders", "testdata",
}

func TestTopLevelIsAsAgreed(t *testing.T) {
	root := filepath.Join("..", "..")
	got := topLevelOf(tracked(t, root))
	for _, name := range got {
		if !slices.Contains(topLevel, name) {
			t.Errorf("%s is tracked at the root, and is not one of the entries agreed on", name)
		}
	}
	for _, name := range topLevel {
		if !slices.Contains(got, name) {
			t.Errorf("%s is not tracked, although it is one of the entries agreed on", name)
		}
	}
}

// tracked returns the paths that git tracks below the module's root, with slashes. The test is
// skipped where there is no git, or where the source is not in a repository of its own, as after
// unpacking an archive.
func tracked(t *testing.T, root string) []string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not there")
	}
	if _, err := os.Stat(filepath.Join(root, ".git")); err != nil {
		t.Skip("the source is not in a repository: ", err)
	}
	cmd := exec.Command("git", "ls-files", "-z")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Skip("git lists no files: ", err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

// topLevelOf returns the first parts of paths, sorted, each once.
func topLevelOf(paths []string) (names []string) {
	for _, path := range paths {
		name, _, _ := strings.Cut(path, "/")
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func TestTopLevelOf(t *testing.T) {
	got := topLevelOf([]string{"cmd/a/b.go", "cmd/c.go", "README.md", "a.deb"})
	if want := []string{"README.md", "a.deb", "cmd"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
