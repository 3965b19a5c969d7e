package render_test

import (
	"image"
	"image/color"
	"math"
	"path/filepath"
	"testing"

	"diptych/internal/geom"
	"diptych/internal/testpic"
)

// plainPicture is a picture in linear light on a white ground. It is drawn from the definition of
// coverage: the share of a pixel's points that lie within a shape.
type plainPicture struct {
	w, h  int
	light [][3]float64
}

// plainSamples squared is how many points a pixel has.
const plainSamples = 5

func newPlain(size geom.Size) *plainPicture {
	p := &plainPicture{w: int(size.W), h: int(size.H)}
	p.light = make([][3]float64, p.w*p.h)
	for i := range p.light {
		p.light[i] = [3]float64{1, 1, 1}
	}
	return p
}

// pointColour returns a shape's colour at a point, and whether the point lies within the shape.
type pointColour func(geom.Point) (color.NRGBA, bool)

// fill blends a shape that lies within box. Most pixels of a box may be clear of its shape: part
// returns nil for a pixel if it sees that none of the pixel's points lies within the shape, else
// what the shape is at these points.
func (m *plainPicture) fill(box geom.Rect, part func(pixel geom.Rect) pointColour) {
	for y := max(0, int(box.Y0)); y < min(m.h, int(box.Y1)+1); y++ {
		for x := max(0, int(box.X0)); x < min(m.w, int(box.X1)+1); x++ {
			left, top := float32(x), float32(y)
			at := part(geom.Rect{X0: left, Y0: top, X1: left + 1, Y1: top + 1})
			if at == nil {
				continue
			}
			var sum [3]float64
			var alpha float64
			for k := range plainSamples * plainSamples {
				c, ok := at(pt(left+(float32(k%plainSamples)+0.5)/plainSamples,
					top+(float32(k/plainSamples)+0.5)/plainSamples))
				if !ok {
					continue
				}
				a := float64(c.A) / 255
				alpha += a
				for i, v := range [3]uint8{c.R, c.G, c.B} {
					sum[i] += a * decoded[v]
				}
			}
			px := &m.light[y*m.w+x]
			for i := range px {
				px[i] = px[i]*(1-alpha/(plainSamples*plainSamples)) +
					sum[i]/(plainSamples*plainSamples)
			}
		}
	}
}

// compare fails t if got differs too much from m in the pixels that are drawn on: if their channels
// are off by more than mean on average, or if more than share of them are off by more than 40. Some
// are, such as at the tips of slices, where the renderer knows only distances from borders.
func (m *plainPicture) compare(t *testing.T, got *image.RGBA, mean, share float64) {
	t.Helper()
	want := m.image()
	var sum, drawn, far float64
	var where image.Point
	for y := range m.h {
		for x := range m.w {
			a, b := got.RGBAAt(x, y), want.RGBAAt(x, y)
			if a == b && b == (color.RGBA{255, 255, 255, 255}) {
				continue
			}
			for _, d := range []int{int(a.R) - int(b.R), int(a.G) - int(b.G), int(a.B) - int(b.B)} {
				d = max(d, -d)
				sum += float64(d)
				drawn++
				if d > 40 {
					far++
					where = image.Pt(x, y)
				}
			}
		}
	}
	t.Logf("off by %.2f on average; %.2f %% are off by more than 40", sum/drawn, 100*far/drawn)
	if sum <= mean*drawn && far <= share*drawn {
		return
	}
	t.Errorf("off by %.2f on average; %.2f %% are off by more than 40, such as at %v; see %s",
		sum/drawn, 100*far/drawn, where, t.ArtifactDir())
	testpic.Write(t, filepath.Join(t.ArtifactDir(), "want.png"), want)
	testpic.Write(t, filepath.Join(t.ArtifactDir(), "got.png"), got)
}

func (m *plainPicture) image() *image.RGBA {
	shown := image.NewRGBA(image.Rect(0, 0, m.w, m.h))
	for i, c := range m.light {
		shown.SetRGBA(i%m.w, i/m.w, color.RGBA{encode(c[0]), encode(c[1]), encode(c[2]), 255})
	}
	return shown
}

// decode and encode turn sRGB into linear light and back (IEC 61966-2-1).
// decoded is what decode returns for each value.
var decoded = func() (list [256]float64) {
	for v := range list {
		list[v] = decode(uint8(v))
	}
	return list
}()

func decode(v uint8) float64 {
	f := float64(v) / 255
	if f <= 0.04045 {
		return f / 12.92
	}
	return math.Pow((f+0.055)/1.055, 2.4)
}

func encode(f float64) uint8 {
	if f <= 0.0031308 {
		return uint8(math.Round(255 * 12.92 * f))
	}
	return uint8(math.Round(255 * (1.055*math.Pow(f, 1/2.4) - 0.055)))
}
