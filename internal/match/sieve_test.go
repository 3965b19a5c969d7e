package match

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// someClasses makes n classes, in pre-order, of sets of at most so many identities. The first half
// is a long chain with short branches: the sets at its end are larger than a byte counts. In the
// second half are short chains, of which many have sets of one size.
func someClasses(r *rand.Rand, n, identities int) *Classes {
	c := &Classes{from: []uint32{0}}
	var around []int32
	for k := range int32(n) {
		for len(around) > 0 && r.IntN(8) == 0 {
			around = around[:len(around)-1]
		}
		if int(k) >= n/2 && r.IntN(4) == 0 {
			around = nil
		}
		base, size := int32(none), uint32(0)
		if len(around) > 0 {
			base = around[len(around)-1]
			size = c.Size[base]
		}
		has := map[uint32]bool{}
		for up := base; up != none; up = c.Base[up] {
			for _, id := range c.added[c.from[up]:c.from[up+1]] {
				has[id] = true
			}
		}
		for more := 1 + r.IntN(1+r.IntN(24)); more > 0 && len(has) < identities; more-- {
			id := uint32(r.IntN(identities))
			if !has[id] {
				has[id] = true
				c.added = append(c.added, id)
				size++
			}
		}
		c.Base, c.Size, c.End = append(c.Base, base), append(c.Size, size), append(c.End, 0)
		c.from = append(c.from, uint32(len(c.added)))
		c.Count, c.Start = append(c.Count, 1), append(c.Start, 0)
		around = append(around, k)
	}
	for k := n - 1; k >= 0; k-- {
		c.End[k] = max(c.End[k], uint32(k+1))
		if b := c.Base[k]; b != none {
			c.End[b] = max(c.End[b], c.End[k])
		}
	}
	return c
}

// plainBlock is what a row must share with a block, from the definition.
type plainBlock struct {
	union             []bool // by identity
	smallest, largest uint32 // sizes of its sets, and of their cores
}

func newPlainBlock(c *comparison, kinds []uint32) plainBlock {
	b := plainBlock{make([]bool, c.identities), 1<<32 - 1, 0}
	for _, kind := range kinds {
		b.smallest, b.largest = min(b.smallest, c.y.Size[kind]), max(b.largest, c.y.core[kind])
		c.y.Members(int(kind), func(id uint32) bool { b.union[id] = true; return true })
	}
	return b
}

// mayMatch reports whether a row may match something in the block: it shares enough with the union
// for a set of the smallest size, and that is no more than the largest has.
func (b *plainBlock) mayMatch(c *comparison, row int) bool {
	common := uint32(0)
	c.x.Members(row, func(id uint32) bool {
		if b.union[id] {
			common++
		}
		return true
	})
	least := c.least[c.x.Size[row]+b.smallest]
	return least <= b.largest && common >= least
}

// plainSieve is sift from its definition: by row, a bit for each panel of a tile.
func plainSieve(c *comparison, tile interval) []uint16 {
	may := make([]uint16, len(c.x.nodes))
	for k := tile.from; k < tile.to; k++ {
		for block := range slices.Chunk(c.y.panel(int(k)), inBlock) {
			b := newPlainBlock(c, block)
			for row := range may {
				if c.x.core[row] <= mostCount && b.mayMatch(c, row) {
					may[row] |= 1 << (k - tile.from)
				}
			}
		}
	}
	for k := tile.from; k < tile.to; k++ { // rows of more than 255 identities: only sizes count
		b := newPlainBlock(c, c.y.panel(int(k)))
		for row, core := range c.x.core {
			least := c.least[c.x.Size[row]+b.smallest]
			if core > mostCount && least <= min(b.largest, core) {
				may[row] |= 1 << (k - tile.from)
			}
		}
	}
	for row, n := range c.x.nodes {
		for below := row + 1; below < int(n.end); below++ {
			may[row] |= may[below]
		}
	}
	return may
}

// TestSieve holds the sieve against a plain count of what rows share with the unions of blocks. One
// sieve takes tiles one after the other: several panels, a single one, the last one, which is not
// full. A panel whose bit stands for none is not asked for.
func TestSieve(t *testing.T) {
	const identities = 400
	r := rand.New(rand.NewPCG(7, 1))
	x, y := someClasses(r, 40, identities), someClasses(r, 4*inLanes+5*inBlock+7, identities)
	for _, tau := range []Tau{{}, DefaultTau, Hundredths(55), {1, 1}} {
		c := newComparison(x, y, tau, identities)
		some, all := 0, 0
		p := c.newPanels(newLaneKernels())
		for _, tile := range []interval{{0, 5}, {4, 5}, {1, 3}, {3, 5}} {
			p.makeTile(tile)
			p.sieve.sift(p)
			in := uint16(1)<<(tile.to-tile.from) - 1
			for row, want := range plainSieve(c, tile) {
				if got := p.sieve.may[row]; got&in != want {
					t.Fatalf("τ = %v, panels %v: row %d may match in %b, want %b", tau, tile, row, got, want)
				}
				all++
				if want != 0 {
					some++
				}
			}
		}
		if tau == (Hundredths(55)) && (some == 0 || some == all) {
			t.Errorf("τ = %v: %d of %d rows may match something, which tests little", tau, some, all)
		}
	}
}

// TestSetBlocks holds that each block of a panel has a bit of its own.
func TestSetBlocks(t *testing.T) {
	for panel := range mostInTile {
		for lane := range inLanes {
			var kinds, blocks, want lanes
			kinds.set(lane)
			blocks.setBlocks(panel, &kinds)
			want.set(panel*panelBlocks + lane/inBlock)
			if blocks != want {
				t.Fatalf("lane %d of panel %d: %x, want %x", lane, panel, blocks, want)
			}
		}
	}
}
