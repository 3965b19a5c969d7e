package match

import (
	"cmp"
	"math/bits"
	"slices"
)

// The filter finds for each block of a tile the rows that may match one of its kinds. It counts how
// many identities a row shares with the union of each block's cores, in 16 bits a block, four in a
// word. A row's counts are those of its base, and what the row adds to its base.

const (
	lanes    = 4 // blocks in a word
	laneBits = 64 / lanes
	mostLane = 1<<(laneBits-1) - 1 // so that the highest bit of each count is free to compare
	laneTops = 0x8000_8000_8000_8000
	wide     = 1 << 31 // flag of a row that shares more than mostNarrow with the block's union
)

// rowKinds are the kinds of A, and what both steps need to know of them.
type rowKinds struct {
	*Classes
	nodes  []node
	core   []uint32 // by kind: members
	depth  int      // the greatest number of kinds that contain each other
	sizes  []uint32 // the distinct sizes, ascending
	size   []uint32 // by kind: index into sizes
	padded []uint32 // padded[from:to] of a node is what it adds; filled up to a multiple of padding
}

// node is what is read of a kind for every block, beside each other.
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
	depth := make([]int, n)
	for k, base := range x.Base {
		at, _ := slices.BinarySearch(r.sizes, x.Size[k])
		r.size[k] = uint32(at)
		depth[k] = 1
		if base != none {
			depth[k] += depth[base]
		}
		r.depth = max(r.depth, depth[k])
		from := uint32(len(r.padded))
		r.padded = append(r.padded, x.added[x.from[k]:x.from[k+1]]...)
		for len(r.padded)%padding != 0 {
			r.padded = append(r.padded, uint32(identities)) // which no block has
		}
		r.nodes[k] = node{base, x.End[k], from, uint32(len(r.padded))}
	}
	return r
}

// filter is the first step. One is used for many tiles, one after the other.
type filter struct {
	x     *rowKinds
	y     *blocks
	least []uint32 // see Tau.least

	// Of the tile at hand:
	rows    [][]uint32 // by block: the rows that may match something, ascending
	words   int        // that hold the blocks' counts
	need    []uint64   // by size of A, then by word: how much a row must share with each union
	unions  []member
	seen    []uint32   // by identity: 1 + the last block it was met in
	first   []uint32   // by identity
	next    []uint32   // by identity
	holders []addition // holders[first[id]:next[id]]: the words of the blocks whose union has id
	stack   []uint32   // the ends of the row at hand and of those around it in the forest
	counts  []uint64   // by row on the stack, then by word
}

// member is an identity of the union of a block's cores.
type member struct{ id, block uint32 }

// addition is what an identity adds to a word of counts.
type addition struct {
	by   uint64
	word uint32
}

func newFilter(x *rowKinds, y *blocks, least []uint32, identities int) *filter {
	return &filter{x: x, y: y, least: least, first: make([]uint32, identities),
		next: make([]uint32, identities), seen: make([]uint32, identities)}
}

// apply finds the rows that may match something in each block of a tile.
func (f *filter) apply(t interval) {
	n := int(t.to - t.from)
	f.words = (n + lanes - 1) / lanes
	f.need = slices.Repeat([]uint64{laneTops}, f.words*len(f.x.sizes)) // more than any row shares
	f.counts = slices.Grow(f.counts[:0], f.words*f.x.depth)[:f.words*f.x.depth]
	f.rows = slices.Grow(f.rows[:0], n)[:n]
	f.unions, f.stack = f.unions[:0], f.stack[:0]
	clear(f.seen)
	for k := range n {
		f.rows[k] = f.rows[k][:0]
		block := f.y.block(int(t.from) + k)
		f.setNeeds(k, block)
		f.listUnion(k, block)
	}
	f.indexHolders()
	for i := range f.x.Base {
		f.addRow(i, f.seekRow(i))
	}
}

// setNeeds finds how much a row of each size must share with block k to match one of its kinds. A
// kind needs less than another if it is smaller, and cannot match if it needs more than its core.
func (f *filter) setNeeds(k int, block []uint32) {
	ascending := slices.SortedFunc(slices.Values(block), func(a, b uint32) int {
		return cmp.Compare(f.y.Size[a], f.y.Size[b])
	})
	shift := k % lanes * laneBits
	for i, size := range f.x.sizes {
		for _, kind := range ascending {
			if need := f.least[size+f.y.Size[kind]]; need <= f.y.core[kind] {
				w := &f.need[i*f.words+k/lanes]
				*w = *w&^(0xffff<<shift) | uint64(min(need, mostLane+1))<<shift
				break
			}
		}
	}
}

// listUnion lists the identities of block k.
func (f *filter) listUnion(k int, block []uint32) {
	for _, kind := range block {
		f.y.Members(int(kind), func(id uint32) bool {
			if f.seen[id] != uint32(k)+1 {
				f.seen[id] = uint32(k) + 1
				f.unions = append(f.unions, member{id, uint32(k)})
			}
			return true
		})
	}
}

// indexHolders sorts the unions by identity, and joins blocks of one word.
func (f *filter) indexHolders() {
	clear(f.first)
	for _, m := range f.unions {
		f.first[m.id]++
	}
	sum := uint32(0)
	for id, n := range f.first {
		f.first[id], f.next[id] = sum, sum
		sum += n
	}
	f.holders = slices.Grow(f.holders[:0], int(sum))[:sum]
	for _, m := range f.unions {
		word, by := m.block/lanes, uint64(1)<<(m.block%lanes*laneBits)
		n := f.next[m.id]
		if n > f.first[m.id] && f.holders[n-1].word == word {
			f.holders[n-1].by += by
			continue
		}
		f.holders[n] = addition{by, word}
		f.next[m.id]++
	}
}

// seekRow returns the counts of a row. Rows are asked for in ascending order.
func (f *filter) seekRow(i int) []uint64 {
	top := len(f.stack)
	for top > 0 && int(f.stack[top-1]) <= i {
		top--
	}
	f.stack = append(f.stack[:top], f.x.End[i])
	at := top * f.words
	counts := f.counts[at : at+f.words]
	if top == 0 {
		clear(counts)
	} else {
		copy(counts, f.counts[at-f.words:at])
	}
	first, next, holders := f.first, f.next, f.holders
	for _, id := range f.x.added[f.x.from[i]:f.x.from[i+1]] {
		for _, h := range holders[first[id]:next[id]] {
			counts[h.word] += h.by
		}
	}
	return counts
}

// addRow adds a row to the lists of the blocks in which it may match something.
func (f *filter) addRow(i int, counts []uint64) {
	if f.x.core[i] > mostLane { // counts may have run over
		for k := range f.rows {
			f.rows[k] = append(f.rows[k], uint32(i)|wide)
		}
		return
	}
	need := f.need[int(f.x.size[i])*f.words:][:len(counts)]
	for w, c := range counts {
		enough := ((c | laneTops) - need[w]) & laneTops
		for ; enough != 0; enough &= enough - 1 {
			lane := bits.TrailingZeros64(enough) / laneBits
			row := uint32(i)
			if uint16(c>>(lane*laneBits)) > mostNarrow {
				row |= wide
			}
			k := w*lanes + lane
			f.rows[k] = append(f.rows[k], row)
		}
	}
}
