package archtest

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	// fileName is the name of a Go file in a comment, maybe with folders or a wildcard.
	fileName = regexp.MustCompile(`[\w./*]*[\w*]\.go\b`)
	// fileLine is a line of a comment that begins with the name of a file: a row of a table of
	// files, or an item of a list.
	fileLine = regexp.MustCompile(`(?m)^\s*(- )?[\w*]+\.go\b`)
	// twin is a file of which another build has its own, and which belongs to a file without the
	// ending: kernels with vector instructions, and what differs between systems.
	twin = regexp.MustCompile(`\d*_(simd|portable|unix|linux|windows|other)\.go$`)
)

// fewestListed is how many lines that begin with the name of a file make a list of files. What
// names one or two files is a text.
const fewestListed = 3

// unlisted returns the files of a package that its comment leaves out, if the comment lists files.
// The file with the comment needs no mention.
func unlisted(comment, at string, files []string) (missing []string) {
	if len(fileLine.FindAllString(comment, -1)) < fewestListed {
		return nil
	}
	names := fileName.FindAllString(comment, -1)
	for _, f := range files {
		listed := slices.ContainsFunc(names, func(name string) bool {
			match, err := path.Match(name, f)
			return match && err == nil
		})
		if f != at && !listed && !twin.MatchString(f) {
			missing = append(missing, f)
		}
	}
	return missing
}

// TestFileListsAreWhole: where a package comment lists the files of the package, it lists all of
// them, and every file that any package comment names is there.
func TestFileListsAreWhole(t *testing.T) {
	inPackage, lists := map[string][]string{}, 0
	for _, s := range tree(t) {
		if !s.isTest() {
			inPackage[path.Dir(s.path)] = append(inPackage[path.Dir(s.path)], path.Base(s.path))
		}
	}
	for _, s := range tree(t) {
		if s.isTest() || s.file.Doc == nil {
			continue
		}
		folder, comment := path.Dir(s.path), s.file.Doc.Text()
		if len(fileLine.FindAllString(comment, -1)) >= fewestListed {
			lists++
		}
		for _, f := range unlisted(comment, path.Base(s.path), inPackage[folder]) {
			t.Errorf("%s: the package comment lists the package's files, but not %s", s.path, f)
		}
		for _, name := range fileName.FindAllString(comment, -1) {
			if !fileExists(inPackage, folder, name) {
				t.Errorf("%s: the package comment names %s, which is not there", s.path, name)
			}
		}
	}
	if lists < 10 {
		t.Errorf("%d package comments list files: is the form of the lists another one?", lists)
	}
}

// fileExists reports whether a package has a file of this name, or another if the name has folders.
func fileExists(inPackage map[string][]string, folder, name string) bool {
	if within := path.Dir(name); within != "." {
		folder = "internal/" + within
	}
	return slices.ContainsFunc(inPackage[folder], func(f string) bool {
		match, err := path.Match(path.Base(name), f)
		return match && err == nil
	})
}

func TestUnlisted(t *testing.T) {
	table := "Package x is a package. Its files:\n\n\ta.go  this; b.go that\n\tc*.go  and more\n\td.go\n"
	items := "Package x is a package.\n\n  - a.go and b.go\n  - cat.go, cow.go\n  - d.go\n"
	prose := "Package x does this (a.go). It does that, see b.go.\n"
	files := strings.Fields("a.go b.go cat.go cow.go d.go d256_simd.go d_portable.go x.go")
	for comment, want := range map[string]string{table: "e.go", items: "e.go", prose: "",
		"Package x lists nothing.\n": ""} {
		if got := unlisted(comment, "x.go", files); len(got) > 0 {
			t.Errorf("%q lacks %v", comment, got)
		}
		if got := unlisted(comment, "x.go", append(files, "e.go")); strings.Join(got, " ") != want {
			t.Errorf("%q lacks %v, want %q", comment, got, want)
		}
	}
}
