package match

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/progress"
)

// kernels are the kernels that this processor can run, by name. Those for some processors only
// add themselves.
var kernels = map[string]laneKernels{"words": {countLanes, addMatches, wordsWide}}

// plainMatches compares all kinds by rows of whole numbers, in the order in which every engine adds,
// so that sums agree to the last bit.
func (c *comparison) plainMatches() (rows []bool, columns []matched) {
	columns, rows = make([]matched, len(c.columns)), make([]bool, len(c.x.Base))
	for i, common := range c.plainRows() {
		calls, size := c.x.Count[i], c.x.Size[i]
		for kind, n := range common {
			if both := size + c.y.Size[kind]; n >= c.least[both] {
				rows[i] = true
				columns[kind].calls += float64(calls)
				columns[kind].similarity += float64(uint64(n)*calls) / float64(both-n)
			}
		}
	}
	return rows, columns
}

// TestKernels checks that every kernel adds the same numbers in the same order as a plain
// comparison of all kinds. The sets of a tall tower share more than is counted.
func TestKernels(t *testing.T) {
	comparisons(t, func(name string, c *comparison) { checkKernels(t, name, c) })
	tall := mustClassify(t, towers(t, 10, 14))
	comparisonsOf(tall, "tall tower", func(name string, c *comparison) { checkKernels(t, name, c) })
	r := rand.New(rand.NewPCG(3, 1))
	for _, tau := range []Tau{{}, DefaultTau, Hundredths(55)} { // several panels, of which one is not full
		c := newComparison(someClasses(r, 60, 400), someClasses(r, 2*inLanes+77, 400), tau, 400)
		checkKernels(t, "some classes, τ = "+tau.String(), c)
	}
}

func checkKernels(t *testing.T, name string, c *comparison) {
	rows, columns := c.plainMatches()
	for which, k := range kernels {
		p, panels := c.newPanels(k), int64(0)
		m := progress.NewMeter(func(done, _ int64) { panels = done }, 0)
		m.Expect(int64(c.y.number()))
		clear(c.columns)
		for _, tile := range c.tiles {
			if err := p.compareTile(t.Context(), tile, m); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(p.matching, rows) {
			t.Errorf("%s: rows by %s: %v, want %v", name, which, p.matching, rows)
		}
		if !slices.Equal(c.columns, columns) {
			t.Errorf("%s: columns by %s: %v, want %v", name, which, c.columns, columns)
		}
		if panels != int64(c.y.number()) {
			t.Errorf("%s: %d of %d panels by %s", name, panels, c.y.number(), which)
		}
	}
}

// TestCountLanes holds every kernel against counting one by one, in a stack of rows, with digits
// as few as the numbers need.
func TestCountLanes(t *testing.T) {
	const identities = 300
	for which, k := range kernels {
		rapid.Check(t, func(t *rapid.T) {
			r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
			limit := rapid.SampledFrom([]int{1, 3, 15, 16, 60, 255}).Draw(t, "most")
			c := newLaneCounter()
			c.has, c.digits = make([]lanes, identities), bits.Len(uint(limit))
			for k := range c.has[1:] {
				c.has[k+1] = someLanes(r)
			}
			var numbers [inLanes]int
			for depth := uint32(0); depth < 4; depth++ {
				c.reach(depth)
				added := make([]uint32, padding*(r.IntN(limit)/4/padding))
				for i := range added {
					added[i] = uint32(r.IntN(identities))
					has := c.has[added[i]]
					for lane := range numbers {
						numbers[lane] += int(has[lane/64] >> (lane % 64) & 1)
					}
				}
				spare, needed := digits{}, [inLanes]int{}
				for lane := range needed {
					needed[lane] = max(0, min(numbers[lane]+r.IntN(5)-2, 1<<c.digits-1))
					spare.complement(lane, uint32(needed[lane]))
				}
				words := k.count(&c, depth, added, &spare)
				for lane, n := range numbers {
					if got := c.stack[depth+1].at(lane, c.digits); int(got) != n ||
						int(uint8(c.stack[depth+1].eight(lane/8, c.digits)>>(lane%8*8))) != n {
						t.Fatalf("%s: lane %d at depth %d has %d, want %d", which, lane, depth, got, n)
					}
					above := c.above[lane/64]>>(lane%64)&1 != 0
					if above != (n > needed[lane]) {
						t.Fatalf("%s: %d is above %d: %v", which, n, needed[lane], above)
					}
				}
				for w := range c.above {
					if (words>>w&1 != 0) != (c.above[w] != 0) {
						t.Fatalf("%s: word %d of %x is told by %b", which, w, c.above, words)
					}
				}
			}
		})
	}
}

// someLanes returns lanes of which few or many bits are set.
func someLanes(r *rand.Rand) (l lanes) {
	for w := range l {
		l[w] = r.Uint64()
		if r.IntN(2) == 0 {
			l[w] &= r.Uint64()
		}
	}
	return l
}

// at returns the number of a lane, which has n digits.
func (d *digits) at(lane, n int) (number uint32) {
	for k := range d[:n] {
		number |= uint32(d[k][lane/64%laneWords]>>(lane%64)&1) << k
	}
	return number
}
