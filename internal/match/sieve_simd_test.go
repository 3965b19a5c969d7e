//go:build goexperiment.simd && amd64

package match

import (
	"fmt"
	"math/rand/v2"
	"simd/archsimd"
	"testing"
)

// someClasses makes n classes, in pre-order, of sets of at most so many identities. The sets at the
// ends of chains are larger than a byte counts.
func someClasses(r *rand.Rand, n, identities int) *Classes {
	c := &Classes{from: []uint32{0}}
	var around []int32
	for k := range int32(n) {
		for len(around) > 0 && r.IntN(8) == 0 {
			around = around[:len(around)-1]
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
// for a set of the smallest size, and that is no more than the largest has. Shared identities are
// counted up to 255.
func (b *plainBlock) mayMatch(c *comparison, row int) bool {
	common := uint32(0)
	c.x.Members(row, func(id uint32) bool {
		if b.union[id] {
			common++
		}
		return true
	})
	least := c.least[c.x.Size[row]+b.smallest]
	return least <= b.largest && common >= min(least, mostByte)
}

// plainSieve is sift from its definition: by row, a bit for each panel of blocks from a given one on.
func plainSieve(c *comparison, from, to uint32) []uint16 {
	may := make([]uint16, len(c.x.nodes))
	for k := from; k < to; k++ {
		b := newPlainBlock(c, c.y.block(int(k)))
		for row := range may {
			if b.mayMatch(c, row) {
				may[row] |= 1 << ((k - from) / (inPanel / inBlock))
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
// sieve takes stretches of blocks one after the other: full ones, parts, a single block, the last
// block, which is not full.
func TestSieve(t *testing.T) {
	if !archsimd.X86.AVX2() {
		t.Skip("the sieve needs AVX2")
	}
	const identities = 400
	r := rand.New(rand.NewPCG(7, 1))
	x, y := someClasses(r, 40, identities), someClasses(r, inSieve*inBlock+5*inBlock+7, identities)
	for _, tau := range []Tau{{}, DefaultTau, Hundredths(55), {1, 1}} {
		c := newComparison(x, y, tau, identities)
		p, blocks, some, all := newPanel(c, nil), uint32(c.y.number()), 0, 0
		for _, k := range []interval{{0, inSieve}, {blocks - 1, blocks}, {3, 8}, {blocks - inSieve, blocks}} {
			p.sift(k.from, k.to)
			for row, want := range plainSieve(c, k.from, k.to) {
				if got := p.sieve.may[row]; got != want {
					t.Fatalf("τ = %v, blocks %v: row %d may match in panels %b, want %b", tau, k, row, got, want)
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

// TestFullBytes counts shared identities around what a byte holds: a row that shares 255 or more with
// a block may match any set there that it must share so much with.
func TestFullBytes(t *testing.T) {
	if !archsimd.X86.AVX2() {
		t.Skip("the sieve needs AVX2")
	}
	for _, shared := range []uint32{1, 253, 254, 255, 256, 257, 300, 600} {
		for _, least := range []uint32{1, 254, 255, 256, 300, 601} {
			t.Run(fmt.Sprint(shared, " shared, least ", least), func(t *testing.T) {
				one := func() *Classes {
					c := &Classes{Base: []int32{none}, End: []uint32{1}, Size: []uint32{shared},
						Count: []uint64{1}, Start: []float64{0}, from: []uint32{0, shared}}
					for id := range shared {
						c.added = append(c.added, id)
					}
					return c
				}
				c := newComparison(one(), one(), DefaultTau, 700)
				c.least[2*shared] = least
				p := newPanel(c, nil)
				p.sift(0, 1)
				want := uint16(0)
				if least <= shared {
					want = 1
				}
				if got := p.sieve.may[0]; got != want {
					t.Errorf("panels %b, want %b", got, want)
				}
			})
		}
	}
}

// TestSieveBytes holds that each block has a byte of its own, and that the four of a panel come
// together where they are shifted by the number of panels.
func TestSieveBytes(t *testing.T) {
	var taken [inSieve]bool
	for block := range inSieve {
		k := sieveByte(block)
		if taken[k] || k%sieved != block/(inPanel/inBlock) {
			t.Errorf("block %d has byte %d of panel %d", block, k, k%sieved)
		}
		taken[k] = true
	}
}
