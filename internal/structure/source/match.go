package source

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// This file finds the files that a trace means. A trace has the paths of the machine where the
// program was built, so only their last elements agree with those of the folder. The longest common
// suffix of whole elements counts:
//
//	trace    /home/ci/build/shop/cart/cart.go
//	folder                       cart/cart.go     (not admin/cart.go)
//
// A common suffix is not enough, for every language's library has a file like "util.go". A file of
// the folder is one file, so if several paths want it, the one with the commonest prefix gets it:
// the prefix is what stands in a path before the suffix, "/home/ci/build/shop/" above. And a match
// of the mere name needs a prefix that longer matches have, too, if there are longer matches.

// candidate is the best file for one path.
type candidate struct {
	file   int
	common int    // elements
	prefix string // of the path, and where the folder's own path goes on, that of the file
}

// Match returns for each path the index of the file that it means, or NoFile. Empty paths mean
// none.
func (f *Folder) Match(paths []string) []int {
	byName := map[string][]int{}
	for i := range f.Files {
		name := path.Base(f.Files[i].Path)
		byName[name] = append(byName[name], i)
	}
	best := map[string]candidate{}
	prefixes, longer := map[string]int{}, map[string]int{}
	for _, p := range paths {
		if _, ok := best[p]; ok || p == "" {
			continue
		}
		c := f.nearest(p, byName)
		best[p] = c
		if c.file == NoFile {
			continue
		}
		prefixes[c.prefix]++
		if c.common > 1 {
			longer[c.prefix]++
		}
	}
	winners := f.winners(best, prefixes)
	out := make([]int, len(paths))
	for i, p := range paths {
		out[i] = NoFile
		c, ok := best[p]
		if !ok || c.file == NoFile || winners[c.file] != p {
			continue
		}
		if c.common > 1 || len(longer) == 0 || longer[c.prefix] > 0 {
			out[i] = c.file
		}
	}
	return out
}

// nearest returns the file with the longest common suffix; of several none, unless one of them is
// the path itself.
func (f *Folder) nearest(p string, byName map[string][]int) candidate {
	p = path.Clean(strings.ReplaceAll(p, `\`, "/"))
	best := candidate{file: NoFile}
	tie := false
	for _, i := range byName[path.Base(p)] {
		own := f.Files[i].Path
		if own == p {
			return candidate{i, 1 << 20, ""}
		}
		n, length := commonSuffix(p, own)
		if n > best.common {
			best = candidate{i, n, p[:len(p)-length] + "\x00" + own[:len(own)-length]}
			tie = false
		} else if n == best.common {
			tie = true
		}
	}
	if tie {
		return candidate{file: NoFile}
	}
	return best
}

// commonSuffix counts the elements that two paths have in common at their ends, and the bytes of
// these with the slashes between.
func commonSuffix(a, b string) (elements, length int) {
	for n := 0; ; {
		x, y := strings.LastIndexByte(a[:len(a)-n], '/'), strings.LastIndexByte(b[:len(b)-n], '/')
		if a[x+1:] != b[y+1:] {
			return elements, length
		}
		elements, length = elements+1, len(a)-x-1
		if x < 0 || y < 0 {
			return elements, length
		}
		n = length + 1
	}
}

// winners returns by file the path that gets it.
func (f *Folder) winners(best map[string]candidate, prefixes map[string]int) map[int]string {
	wanted := map[int][]string{}
	for p, c := range best {
		if c.file != NoFile {
			wanted[c.file] = append(wanted[c.file], p)
		}
	}
	won := map[int]string{}
	for file, list := range wanted {
		won[file] = slices.MinFunc(list, func(x, y string) int {
			return cmp.Or(cmp.Compare(prefixes[best[y].prefix], prefixes[best[x].prefix]),
				cmp.Compare(best[y].common, best[x].common), strings.Compare(x, y))
		})
	}
	return won
}
