//go:build goexperiment.simd && amd64

package match

import (
	"encoding/binary"
	"simd/archsimd"
)

// newLevelKernel returns the fastest kernel for this processor.
func newLevelKernel() levelKernel {
	k := levelKernel{countWords, fillBins}
	if archsimd.X86.AVX512() {
		k.count = count512
	}
	if archsimd.X86.AVX() {
		k.fill = fill128
	}
	return k
}

// count512 is countWords for processors with AVX-512.
func count512(f *levelFrames, below, common *levelBytes, added []uint32) {
	has, local := f.has, f.local
	for k := 0; k < len(f.kinds); k += 128 {
		at := k & (inLevel - 128)
		lo := archsimd.LoadUint8x64((*[64]uint8)(below[at:])).AsInt8x64()
		hi := archsimd.LoadUint8x64((*[64]uint8)(below[at+64:])).AsInt8x64()
		for _, id := range added {
			kinds := (*[2]uint64)(has[local[id]][at/64:])
			lo = lo.Sub(archsimd.Mask8x64FromBits(kinds[0]).ToInt8x64()) // −1 for each bit
			hi = hi.Sub(archsimd.Mask8x64FromBits(kinds[1]).ToInt8x64())
		}
		lo.AsUint8x64().Store((*[64]uint8)(common[at:]))
		hi.AsUint8x64().Store((*[64]uint8)(common[at+64:]))
	}
	archsimd.ClearAVXUpperBits()
}

// fill128 is fillBins that adds both numbers of a kind at once.
func fill128(p *levelPanel, common *levelBytes, into *bins) uint8 {
	all, n := uint64(0), 8*p.words()
	for shared, cells := common[:n], p.cells[:n]; len(shared) >= 8 && len(cells) >= 8; {
		if w := binary.LittleEndian.Uint64(shared); w != 0 {
			all |= w
			of, cells := (*[8]uint8)(shared), (*[8]bin)(cells)
			for k := 0; k < len(of); k += 4 {
				addTwo(&into[of[k]][0], &cells[k])
				addTwo(&into[of[k+1]][1], &cells[k+1])
				addTwo(&into[of[k+2]][2], &cells[k+2])
				addTwo(&into[of[k+3]][3], &cells[k+3])
			}
		}
		shared, cells = shared[8:], cells[8:]
	}
	return anyByte(all)
}

func addTwo(b, more *bin) {
	sum, by := archsimd.LoadUint64x2((*[2]uint64)(b)), archsimd.LoadUint64x2((*[2]uint64)(more))
	sum.Add(by).Store((*[2]uint64)(b))
}
