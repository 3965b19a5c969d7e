package structure

import (
	"cmp"
	"image/color"
	"slices"

	"diptych/internal/palette"
	"diptych/internal/scene/icicle"
	"diptych/internal/structure"
)

// This file gives packages their colours: those with most functions first, so that the largest
// have colours that can be told apart (palette.Structure.Packages).
//
// A program in C often is one module or one folder without packages, and would have one colour.
// Where that holds most functions, its source files take the place of packages. Where files are not
// known, that does what its functions have in common before an underscore:
//
//	luaH_get, luaH_set   luaH_…
//	main                 main

// packages remembers the packages of nodes, and their colours. A package is known by a node: its
// own, that of the source file, or the first function of those that begin alike.
type packages struct {
	tree    *structure.Tree
	pal     *palette.Structure
	of      []int32       // by node: its package
	file    []int32       // by node: its file
	files   []int32       // by node: how many nodes before it are files of functions
	colours []color.NRGBA // by package
	names   []string      // by package, where it is no node's own name
	count   []int32       // cells in the colour, in this frame
	counted []int32       // packages with cells
}

// forTree forgets the packages of another tree or theme.
func (p *packages) forTree(t *structure.Tree, pal *palette.Structure) {
	if p.tree == t && p.pal == pal {
		return
	}
	n := len(t.Nodes)
	*p = packages{tree: t, pal: pal, of: make([]int32, n), file: make([]int32, n),
		files: make([]int32, n+1), colours: make([]color.NRGBA, n), names: make([]string, n),
		count: make([]int32, n)}
	functions := make([]int32, n) // by package
	for i := range p.of {
		p.of[i], p.file[i] = int32(t.PackageOf(i)), int32(t.FileOf(i))
		if p.files[i+1] = p.files[i]; p.file[i] == int32(i) && t.Nodes[i].Kind > structure.Folder {
			p.files[i+1]++
		}
		if t.Nodes[i].Kind == structure.Function {
			functions[p.of[i]]++
		}
	}
	p.divide(functions)
	p.colour(functions)
}

// divide divides what holds most functions and is no package.
func (p *packages) divide(functions []int32) {
	most := 0
	for k, n := range functions {
		if n > functions[most] {
			most = k
		}
	}
	nodes := p.tree.Nodes
	if 2*functions[most] <= nodes[0].Functions || nodes[most].Kind == structure.Package {
		return
	}
	first := map[string]int32{}
	for i := most; i < most+int(nodes[most].Size); i++ {
		if p.of[i] != int32(most) || i == most {
			continue
		}
		if file := p.file[i]; nodes[file].Kind == structure.File {
			p.of[i], p.names[file] = file, nodes[file].Name
		} else if nodes[i].Kind == structure.Function {
			key := icicle.Prefix(nodes[i].Name)
			k, ok := first[key]
			if !ok {
				k = int32(i)
				first[key], p.names[k] = k, nodes[i].Name
			} else {
				p.names[k] = key + "_…"
			}
			p.of[i] = k
		}
		if nodes[i].Kind == structure.Function {
			functions[most]--
			functions[p.of[i]]++
		}
	}
}

// colour gives the packages their colours.
func (p *packages) colour(functions []int32) {
	var order []int32
	for k := range p.of {
		if p.of[k] == int32(k) {
			order = append(order, int32(k))
		}
	}
	slices.SortStableFunc(order, func(x, y int32) int { return cmp.Compare(functions[y], functions[x]) })
	names := make([]string, len(order))
	for i, k := range order {
		names[i] = p.name(k)
	}
	for i, c := range p.pal.Packages(names) {
		p.colours[order[i]] = c
	}
}

// name returns the name of a package in full.
func (p *packages) name(pkg int32) string {
	if name := p.names[pkg]; name != "" {
		return name
	}
	return p.tree.FullName(int(pkg))
}

// filesIn returns how many files a subtree has, at least the one that it is in.
func (p *packages) filesIn(root int) int {
	return max(1, int(p.files[root+int(p.tree.Nodes[root].Size)]-p.files[root]))
}

// note counts a cell of a node's package.
func (p *packages) note(node int) {
	pkg := p.of[node]
	if p.count[pkg] == 0 {
		p.counted = append(p.counted, pkg)
	}
	p.count[pkg]++
}

// mostPackages is how many packages the legend names.
const mostPackages = 6

// top returns the packages with most cells, and forgets the counts.
func (p *packages) top() []Package {
	var out []Package
	for _, n := range p.counted {
		found := Package{Node: int(n), Cells: int(p.count[n])}
		i := len(out)
		for i > 0 && (out[i-1].Cells < found.Cells ||
			out[i-1].Cells == found.Cells && out[i-1].Node > found.Node) {
			i--
		}
		if i < mostPackages {
			out = slices.Insert(out, i, found)
			out = out[:min(len(out), mostPackages)]
		}
		p.count[n] = 0
	}
	for i := range out {
		out[i].Name = p.name(int32(out[i].Node))
		out[i].Fill = p.colours[out[i].Node]
	}
	p.counted = p.counted[:0]
	return out
}
