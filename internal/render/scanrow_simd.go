//go:build goexperiment.simd && amd64

package render

import "simd/archsimd"

var eightColumns = [lanes]float32{0, 1, 2, 3, 4, 5, 6, 7}

// paintRow draws a band's stroke by the fastest means that this processor has.
var paintRow = func() func(b *band, row int) {
	if archsimd.X86.AVX2() {
		return paintEights
	}
	return paintPixels
}()

func eightOf(s []float32, i int) *[lanes]float32 { return (*[lanes]float32)(s[i:]) }

// paintEights does for eight pixels at once what paintPixels does for one, by the same operations
// in the same order. Pixels to the right of the stroke are drawn with nothing.
func paintEights(b *band, row int) {
	s, k, sharps := &b.stroke, &b.ink, &b.piece.sharp
	none, one := archsimd.Float32x8{}, archsimd.BroadcastFloat32x8(1)
	at := archsimd.LoadFloat32x8(&eightColumns).Add(archsimd.BroadcastFloat32x8(s.middle))
	end, near := archsimd.BroadcastFloat32x8(s.end), archsimd.BroadcastFloat32x8(s.near)
	for px := s.from; px < s.to; px += lanes {
		i := row + int(px)
		through := archsimd.LoadFloat32x8(eightOf(b.through, i))
		seen := through.Greater(none).And(at.Less(end))
		if len(b.nearest) > 0 {
			seen = seen.And(archsimd.LoadFloat32x8(eightOf(b.nearest, i)).LessEqual(near))
		}
		off := at.Sub(archsimd.BroadcastFloat32x8(s.x))
		at = at.Add(archsimd.BroadcastFloat32x8(lanes))
		if seen.ToBits() == 0 {
			continue
		}
		sharp := archsimd.BroadcastFloat32x8(sharps[0]).
			Merge(archsimd.BroadcastFloat32x8(sharps[1]), off.Less(none))
		off = off.Max(none.Sub(off))
		across := off.Mul(sharp)
		half := archsimd.BroadcastFloat32x8(.5)
		w := half.Add(archsimd.BroadcastFloat32x8(s.half).Mul(sharp).Sub(across)).Max(none).Min(one)
		w = through.Mul(archsimd.BroadcastFloat32x8(k.alpha).Mul(w)).Masked(seen)
		v := off.Mul(archsimd.BroadcastFloat32x8(s.thin)).Min(one)
		v = v.Mul(v)
		shade := one.Sub(archsimd.BroadcastFloat32x8(s.darkness).Mul(v))
		fill := [3]archsimd.Float32x8{archsimd.BroadcastFloat32x8(k.fill[0]),
			archsimd.BroadcastFloat32x8(k.fill[1]), archsimd.BroadcastFloat32x8(k.fill[2])}
		red, green, blue := fill[0].Mul(shade), fill[1].Mul(shade), fill[2].Mul(shade)
		if !k.plain {
			line := archsimd.BroadcastFloat32x8(k.line).Sub(across).Max(none).Min(one).
				Mul(archsimd.BroadcastFloat32x8(s.spine))
			lit := one.Sub(archsimd.BroadcastFloat32x8(6).Mul(v)).Max(none).
				Mul(archsimd.BroadcastFloat32x8(k.bright))
			lit = archsimd.BroadcastFloat32x8(k.gloss).Mul(archsimd.BroadcastFloat32x8(s.shine)).Mul(lit).Mul(lit)
			red = red.Add(one.Sub(red).Mul(lit))
			green = green.Add(one.Sub(green).Mul(lit))
			blue = blue.Add(one.Sub(blue).Mul(lit))
			spine := archsimd.BroadcastFloat32x8(.35)
			red = red.Add(spine.Mul(fill[0]).Sub(red).Mul(line))
			green = green.Add(spine.Mul(fill[1]).Sub(green).Mul(line))
			blue = blue.Add(spine.Mul(fill[2]).Sub(blue).Mul(line))
		}
		if b.linear {
			red, green, blue = decodedEight(red), decodedEight(green), decodedEight(blue)
		}
		addEight(b.red, i, red.Mul(w))
		addEight(b.green, i, green.Mul(w))
		addEight(b.blue, i, blue.Mul(w))
		through = through.Sub(w)
		through.Masked(through.GreaterEqual(archsimd.BroadcastFloat32x8(unseen))).
			Store(eightOf(b.through, i))
	}
	archsimd.ClearAVXUpperBits()
}

func addEight(to []float32, i int, v archsimd.Float32x8) {
	at := eightOf(to, i)
	archsimd.LoadFloat32x8(at).Add(v).Store(at)
}

func decodedEight(c archsimd.Float32x8) archsimd.Float32x8 {
	p := archsimd.BroadcastFloat32x8(.9006577).Sub(c.Mul(archsimd.BroadcastFloat32x8(.3214928)))
	p = archsimd.BroadcastFloat32x8(.3612909).Add(c.Mul(p))
	return c.Mul(archsimd.BroadcastFloat32x8(.0595442).Add(c.Mul(p)))
}
