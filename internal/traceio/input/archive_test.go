package input

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

// letters is an archive with a member in each of its directories, and links between them.
func letters() *archive {
	a := newArchive()
	a.data = strings.NewReader("abcdef")
	a.add("top", span{at: 0, size: 1})
	a.add("d/in", span{at: 1, size: 2})
	a.add("d/deep/er", span{at: 3, size: 3})
	a.link("d/deep/up", "../in")
	a.link("first", "second")
	a.link("second", "d/deep")
	a.link("loop", "loop")
	a.link("nowhere", "../outside")
	return a
}

// TestArchiveIsAFileSystem holds the archive against the contract of io/fs.
func TestArchiveIsAFileSystem(t *testing.T) {
	a := letters()
	for _, link := range []string{"first", "second", "loop", "nowhere", "d/deep/up"} {
		delete(a.links, link) // TestFS wants links to say that they are
		delete(a.dirs["."], link)
	}
	delete(a.dirs["d/deep"], "up")
	if err := fstest.TestFS(a, "top", "d/in", "d/deep/er"); err != nil {
		t.Error(err)
	}
}

func TestArchiveFollowsLinks(t *testing.T) {
	a := letters()
	for name, want := range map[string]string{
		"top": "a", "d/in": "bc", "d/deep/er": "def", "d/deep/up": "bc",
	} {
		if got, err := fs.ReadFile(a, name); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for _, name := range []string{"loop", "nowhere", "../top", "d/../top", "none", "/top"} {
		if _, err := a.Open(name); err == nil {
			t.Errorf("%s is opened", name)
		}
	}
	entries, err := fs.ReadDir(a, ".")
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if got := strings.Join(names, " "); got != "d first second top" || err != nil {
		t.Errorf("the top holds %s, %v", got, err)
	}
	if in, err := fs.ReadDir(a, "first"); err != nil || len(in) != 2 {
		t.Errorf("the linked directory holds %v, %v", in, err)
	}
}

// TestArchiveReplaces has a member and a link that come twice: the later one counts.
func TestArchiveReplaces(t *testing.T) {
	a := letters()
	a.add("first", span{at: 5, size: 1})
	a.link("top", "d/in")
	for name, want := range map[string]string{"first": "f", "top": "bc"} {
		if got, err := fs.ReadFile(a, name); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestMemberNames(t *testing.T) {
	for name, want := range map[string]string{
		"a/b": "a/b", "./a": "a", "/abs/a": "abs/a", "a/../b": "b", "../a": "", "a/../../b": "",
		"": "", ".": "", "a//b/": "a/b", "d/caf\xe9": `d/caf\xE9`, "\xff/../../a": "",
	} {
		got, ok := memberName(name)
		if ok != (want != "") || ok && got != want {
			t.Errorf("%q becomes %q, %v", name, got, ok)
		}
	}
}
