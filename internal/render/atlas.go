package render

import (
	"image"
	"image/color"

	"diptych/internal/scene"

	gl "github.com/go-gl/gl/v3.1/gles2"
)

// atlas is a texture of texts, each in white. A text is set and rasterised once, and then drawn
// from here, in any colour, until the atlas is full and begins anew. Texts stand in rows, each as
// high as the highest text that it was begun for.
type atlas struct {
	picture *Offscreen // nil before the first text
	places  map[textKey]textPlace
	rows    []atlasRow
	bottom  int // of the last row
}

// textKey is what the shape of a text depends on.
type textKey struct {
	text string
	size float32
	bold bool
}

// textPlace is where in the atlas a text is, and where its line box begins there, px.
type textPlace struct {
	box   image.Rectangle
	inset image.Point
}

// atlasRow is a row of texts: what is free of it.
type atlasRow struct{ x, y, height int }

// The atlas has room for some 500 labels at first, at 2 MB, and for some 2,000, at 8 MB, once these
// do not do. px.
var firstAtlas, fullAtlas = image.Pt(2048, 256), image.Pt(2048, 1024)

// open makes the texture where there is none yet.
func (a *atlas) open() error {
	if a.picture != nil {
		return nil
	}
	return a.make(firstAtlas)
}

// make makes the texture, of size px.
func (a *atlas) make(size image.Point) error {
	p, err := newColours(size, gl.SRGB8_ALPHA8)
	if err != nil {
		return err
	}
	a.picture = p
	if skipsSRGB() { // only alpha is read, which is not encoded: no need to decode colours
		gl.BindTexture(gl.TEXTURE_2D, p.color)
		gl.TexParameteri(gl.TEXTURE_2D, textureDecode, skipsDecoding)
		gl.BindTexture(gl.TEXTURE_2D, 0)
	}
	a.rows, a.bottom = nil, size.Y // full, so that it begins anew
	return nil
}

// renew forgets all texts, and makes room for one of size px. An atlas that was full is larger from
// now on, if it was small.
func (a *atlas) renew(r *Renderer, size image.Point) error {
	if has := a.picture.Size(); has != fullAtlas && (len(a.places) > 0 || size.Y > has.Y) {
		a.release()
		if err := a.make(fullAtlas); err != nil {
			return err
		}
	}
	a.places, a.rows, a.bottom = map[textKey]textPlace{}, a.rows[:0], 0
	return r.Clear(a.picture.Target(1), color.NRGBA{})
}

// add makes room for a text of size px. It reports whether there was any.
func (a *atlas) add(key textKey, size, inset image.Point) (textPlace, bool) {
	size = image.Pt(min(size.X, fullAtlas.X), min(size.Y, fullAtlas.Y))
	has := a.picture.Size()
	at := -1
	for i, row := range a.rows {
		if row.x+size.X <= has.X && size.Y <= row.height && row.height <= size.Y+size.Y/4 {
			at = i
			break
		}
	}
	if at < 0 {
		if a.bottom+size.Y > has.Y {
			return textPlace{}, false
		}
		a.rows = append(a.rows, atlasRow{0, a.bottom, size.Y})
		a.bottom += size.Y
		at = len(a.rows) - 1
	}
	row := &a.rows[at]
	p := textPlace{image.Rectangle{Min: image.Pt(row.x, row.y),
		Max: image.Pt(row.x, row.y).Add(size)}, inset}
	row.x += size.X
	a.places[key] = p
	return p, true
}

func (a *atlas) release() {
	if a.picture != nil {
		a.picture.Release()
	}
	*a = atlas{}
}

// keyOfText returns the key of a text's shape.
func keyOfText(x *scene.Text) textKey { return textKey{x.Text, x.Size, x.Bold} }

// letterUnit is the texture unit of the atlas; others save and restore 0 and 1 only.
const letterUnit = knotUnit

// bind makes the atlas the texture of its unit.
func (a *atlas) bind() {
	gl.ActiveTexture(gl.TEXTURE0 + letterUnit)
	gl.BindTexture(gl.TEXTURE_2D, a.picture.color)
}
