package input

import (
	"io/fs"
	"maps"
	"slices"
	"strings"
)

// Content is what a directory or an archive holds of one kind.
type Content struct {
	One, Many string // what one and several are called
	Count     int
	Names     []string // of the first few
}

// Files reports whether it is files, and not something else.
func (c Content) Files() bool { return c.One == ofFiles[0] || c.One == ofEmpty[0] }

// mostNamed is how many are named of each kind.
const mostNamed = 5

type contents []Content

// The kinds, as one and as several are called.
var (
	ofFiles       = [2]string{"file", "files"}
	ofEmpty       = [2]string{"empty file", "empty files"}
	ofDirectories = [2]string{"directory", "directories"}
	ofLinks       = [2]string{"link", "links"} // which is not followed
	ofBroken      = [2]string{"link that leads to nothing here", "links that lead to nothing here"}
	ofSpecial     = [2]string{"pipe, device or socket", "pipes, devices or sockets"}
)

func (c *contents) add(kind [2]string, name string) {
	i := slices.IndexFunc(*c, func(have Content) bool { return have.One == kind[0] })
	if i < 0 {
		i = len(*c)
		*c = append(*c, Content{One: kind[0], Many: kind[1]})
	}
	of := &(*c)[i]
	if of.Count++; len(of.Names) < mostNamed {
		of.Names = append(of.Names, name)
	}
}

// merge adds what was counted elsewhere.
func (c *contents) merge(other Content) {
	for i := range *c {
		if of := &(*c)[i]; of.One == other.One {
			of.Count += other.Count
			of.Names = append(of.Names, other.Names...)
			of.Names = of.Names[:min(len(of.Names), mostNamed)]
			return
		}
	}
	*c = append(*c, other)
}

// Contents counts the files of these names and, of an archive, all that it holds besides: what is
// no file, and so is in no list of its files.
func (s *Source) Contents(names []string) []Content {
	var c contents
	for _, name := range names {
		c.add(s.contentKind(name), name)
	}
	if s.archive == nil {
		return c
	}
	for _, name := range s.archive.left {
		c.add(ofFiles, name)
	}
	for _, name := range slices.Sorted(maps.Keys(s.archive.links)) {
		if _, leads := s.archive.entry(name); !leads {
			c.add(ofBroken, name)
		}
	}
	for _, other := range s.archive.others {
		c.merge(other)
	}
	return c
}

// contentKind returns the kind of what has a name in Dir.
func (s *Source) contentKind(name string) [2]string {
	st, err := fs.Stat(s.Dir, strings.TrimSuffix(name, "/"))
	switch {
	case err != nil:
		return ofBroken
	case st.IsDir():
		return ofDirectories
	case !st.Mode().IsRegular():
		return ofSpecial
	case st.Size() == 0:
		return ofEmpty
	}
	return ofFiles
}
