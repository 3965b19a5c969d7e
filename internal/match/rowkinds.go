package match

import "slices"

// rowKinds are the kinds of a side whose rows are compared, and what is read of them for every
// panel of kinds of the other side.
type rowKinds struct {
	*Classes
	nodes  []node
	core   []uint32 // by kind: members
	sizes  []uint32 // the distinct sizes, ascending
	size   []uint32 // by kind: index into sizes
	padded []uint32 // padded[from:to] of a node is what it adds; filled up to a multiple of padding
}

// node is what is read of a kind for every panel, beside each other.
type node struct {
	base          int32
	end, from, to uint32
}

const padding = 4

func newRowKinds(x *Classes, identities int) *rowKinds {
	n := len(x.Base)
	r := &rowKinds{Classes: x, nodes: make([]node, n), core: x.members(),
		sizes: slices.Clone(x.Size), size: make([]uint32, n)}
	slices.Sort(r.sizes)
	r.sizes = slices.Compact(r.sizes)
	for k, base := range x.Base {
		at, _ := slices.BinarySearch(r.sizes, x.Size[k])
		r.size[k] = uint32(at)
		from := uint32(len(r.padded))
		r.padded = append(r.padded, x.added[x.from[k]:x.from[k+1]]...)
		for len(r.padded)%padding != 0 {
			r.padded = append(r.padded, uint32(identities)) // which no kind has
		}
		r.nodes[k] = node{base, x.End[k], from, uint32(len(r.padded))}
	}
	return r
}
