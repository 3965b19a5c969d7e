package render

// The loops over the pixels of a row. Where the processor has vectors (sheetrow_simd.go), the first
// pixels are drawn eight at a time, by the same operations in the same order, and these functions
// draw the rest.
//
// The race detector is spared the millions of pixels, which took a third of the time of the tests
// of the window: a sheet belongs to one goroutine while it is drawn, and what hands it over is
// looked at.

// blend draws ink on n pixels from i on, through which the share keep of what lies there is seen.
//
//go:norace
func (s *sheet) blend(i, n int, keep float32, ink *[4]float32) {
	done := blendEights(s, i, n, keep, ink)
	for c := range s.light {
		row := s.light[c][i+done : i+n]
		for k, v := range row {
			row[k] = v*keep + ink[c]
		}
	}
}

// shade draws the encoded colour c, straight alpha, times p + q·column on the pixels from i on.
//
//go:norace
func (s *sheet) shade(i int, column []float32, c *[4]float32, p, q float32) {
	done, keep := shadeEights(s, i, column, c, p, q), 1-c[3]
	for k := done; k < len(column); k++ {
		f := p + q*column[k]
		for n := range s.light {
			v := min(c[n]*f, 1)
			if s.linear {
				v = decoded(v)
			}
			at := &s.light[n][i+k]
			*at = *at*keep + v*c[3]
		}
	}
}

// dim multiplies the pixels from i on by column·q, at least by least.
//
//go:norace
func (s *sheet) dim(i int, column []float32, q, least float32) {
	done := dimEights(s, i, column, q, least)
	for c := range s.light {
		row := s.light[c][i+done : i+len(column)]
		for k := range row {
			row[k] *= max(column[done+k]*q, least)
		}
	}
}

// over draws n pixels of a band, from its pixel k on, on those from i on.
//
//go:norace
func (s *sheet) over(i, n int, b *band, k int) {
	done := overEights(s, i, n, b, k)
	for c, from := range [3][]float32{b.red, b.green, b.blue} {
		row, from, through := s.light[c][i:i+n], from[k:k+n], b.through[k:k+n]
		for j := done; j < n; j++ {
			row[j] = row[j]*through[j] + from[j]
		}
	}
}

// finish writes s as bytes, the lowest row first.
//
//go:norace
func (s *sheet) finish(out []uint8) {
	for y := range s.part.Dy() {
		i := (s.part.Dy() - 1 - y) * s.stride
		row := out[4*s.stride*y : 4*s.stride*(y+1)]
		for k := encodeEights(s, i, row); k < s.stride; k++ {
			p := row[4*k : 4*k+4]
			for c := range s.light {
				p[c] = s.encoded(s.light[c][i+k])
			}
			p[3] = 255
		}
	}
}

// encoded returns a channel in eight bits. Of linear light that is its sRGB encoding: a line, and a
// power of 5/12, here that of 5/3 of the fourth root as a polynomial, off by a hundredth of a step.
//
//go:norace
func (s *sheet) encoded(v float32) uint8 {
	v = min(max(v, 0), 1)
	if s.linear {
		u := root(root(v))
		if e := curve[0] + u*(curve[1]+u*(curve[2]+u*(curve[3]+u*curve[4]))); v > .0031308 {
			v = e
		} else {
			v *= 12.92
		}
	}
	return uint8(v*255 + .5)
}

// curve are the coefficients of 1.055·u^(5/3) − .055 where encoded uses them.
var curve = [5]float32{-.06484378, .19804078, 1.117347, -.32937187, .0788558}
