package synth

import "math/rand/v2"

// Streams of randomness. Each purpose has its own, so that more of one (edits, say) leaves the
// others as they were. Everything below is integer arithmetic: floating point may differ between
// platforms.
const (
	streamProgram uint64 = iota + 1
	streamNames
	streamPlan
	streamRenames
	streamShards
	streamNoise  uint64 = 1 << 8  // + 1 + thread
	streamRanks  uint64 = 1 << 12 // + 1 + rank
	streamRanksB uint64 = 1 << 15 // + 1 + rank, on side B of ranks with files
	streamThread uint64 = 1 << 16 // + thread
	streamEdits  uint64 = 1 << 32 // + thread
	streamHold   uint64 = 1 << 40 // + thread
	streamStage  uint64 = 1 << 48 // + scene<<32 + turn<<8 + thread
)

type dice struct{ *rand.PCG }

func newDice(seed, stream uint64) dice {
	return dice{rand.NewPCG(seed, stream*0x9e3779b97f4a7c15)}
}

// below is uniform in [0, n), n > 0, up to a bias below n/2^32.
func (d dice) below(n int) int {
	return int(d.Uint64() >> 32 * uint64(n) >> 32)
}

// chance is true in n of 256 cases.
func (d dice) chance(n int) bool { return int(d.Uint64()>>56) < n }

// hits is true with the probability of a threshold made by share.
func (d dice) hits(threshold uint64) bool { return d.Uint64()>>11 < threshold }

// share is a probability as a threshold of 53 bits; the product is exact.
func share(p float64) uint64 { return uint64(p * (1 << 53)) }

// logNormal is 2^x for a bell-shaped x around the median, both in 1/256 of a power of two: the sum
// of four uniform numbers stands in for the normal distribution.
func (d dice) logNormal(median, sigma int) uint32 {
	u := d.Uint64()
	sum := int(u&0xffff + u>>16&0xffff + u>>32&0xffff + u>>48)
	const mean, deviation = 2 * 65535, 37837
	return exp2(median + (sum-mean)*sigma/deviation)
}

// exp2 is 2^(x/256), clamped to [1, 2^31), by a parabola through the powers of two (error < 1 %).
func exp2(x int) uint32 {
	x = min(max(x, 0), 31*256-1)
	f := x & 255
	mantissa := 256 + f - 88*f*(256-f)>>16
	return uint32(uint64(mantissa) << (x >> 8) >> 8)
}

// zipf draws from [0, n) with weight 1/(1+rank): the popularity of functions in real programs.
type zipf []uint64 // cumulative weights

func newZipf(n int) zipf {
	z := make(zipf, n)
	sum := uint64(0)
	for i := range z {
		sum += 1 << 32 / uint64(i+1)
		z[i] = sum
	}
	return z
}

func (z zipf) draw(d dice) int {
	at := d.Uint64() % z[len(z)-1]
	lo, hi := 0, len(z)-1
	for lo < hi {
		if mid := (lo + hi) / 2; z[mid] > at {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}
