// Package svg writes scenes as SVG: every primitive as the shape that package render draws, in the
// same order and clipped alike, so a picture shows what the window shows. It is text, scales, and
// needs neither a window nor OpenGL.
//
// Shading is approximate: gradients stand for the cushions of calls and nested cells, and tubes are
// plain bands with a darker border. Texts have the width that the view has measured, whatever font
// the reader has.
//
// A picture on its own has its colours in its shapes. One within a page that is read in light and
// in dark has classes instead, which a Sheet collects: Write is then given the same scene in both
// themes.
package svg

import (
	"bufio"
	"encoding/xml"
	"errors"
	"fmt"
	"image/color"
	"io"
	"strconv"
	"strings"

	"diptych/internal/escape"
	"diptych/internal/geom"
	"diptych/internal/scene"
)

// Options say what Write makes of a scene. The zero value writes a file of its own.
type Options struct {
	// Title says in words what the picture shows, for those who do not see it.
	Title string
	// Sheet collects the colours if the picture is part of a page; Dark is then the scene in the
	// dark theme, of the same primitives. Both are nil for a file of its own.
	Sheet *Sheet
	Dark  *scene.Scene
	// ID begins the names of what shapes refer to: of several pictures in a page each needs
	// another.
	ID string
	// Width is how wide the picture is shown, px; 0 for the scene's own width.
	Width float32
}

// errShape is what Write returns if the two themes do not have the same primitives.
var errShape = errors.New("svg: the scenes of both themes have different primitives")

// Write writes s as one svg element.
func Write(w io.Writer, s *scene.Scene, o Options) error {
	if o.Dark == nil {
		o.Dark = s
	}
	if !sameShape(s, o.Dark) {
		return errShape
	}
	d := &drawing{Writer: bufio.NewWriter(w), Options: o}
	d.open(s.Size)
	for i := range s.Layers {
		d.layer(&s.Layers[i], &o.Dark.Layers[i])
	}
	d.WriteString("</svg>")
	return d.Flush()
}

// sameShape reports whether both scenes have as many primitives of each kind in each layer.
func sameShape(s, t *scene.Scene) bool {
	if len(s.Layers) != len(t.Layers) {
		return false
	}
	for i := range s.Layers {
		a, b := &s.Layers[i], &t.Layers[i]
		if len(a.Tubes.Tubes) != len(b.Tubes.Tubes) || len(a.Ribbons) != len(b.Ribbons) ||
			len(a.Arcs) != len(b.Arcs) || len(a.Quads) != len(b.Quads) || len(a.Texts) != len(b.Texts) {
			return false
		}
	}
	return true
}

// drawing is one svg element that is being written. Errors of writing show when it is flushed.
type drawing struct {
	*bufio.Writer
	Options
	defs    int             // things that shapes refer to, so far
	defined map[string]bool // those that all shapes share
}

// open writes the element's head.
func (d *drawing) open(size geom.Size) {
	width := size.W
	if d.Width > 0 {
		width = d.Width
	}
	fmt.Fprintf(d, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" width="%s" height="%s"`,
		num(size.W), num(size.H), num(width), num(width*size.H/max(size.W, 1)))
	fmt.Fprintf(d, ` role="img" font-family="Roboto,'Noto Sans',sans-serif" aria-label="%s">`,
		escaped(d.Title))
}

// layer writes the primitives of a layer in the order in which they are drawn.
func (d *drawing) layer(l, dark *scene.Layer) {
	if len(l.Tubes.Tubes)+len(l.Ribbons)+len(l.Arcs)+len(l.Quads)+len(l.Texts) == 0 {
		return
	}
	if !l.Clip.Empty() {
		id := d.define(func(id string) {
			fmt.Fprintf(d, `<clipPath id="%s"><path d="%s"/></clipPath>`, id, box(l.Clip))
		})
		fmt.Fprintf(d, `<g clip-path="url(#%s)">`, id)
		defer d.WriteString("</g>")
	}
	for i := range l.Tubes.Tubes {
		d.tube(&l.Tubes, &dark.Tubes, i)
	}
	for i := range l.Ribbons {
		d.ribbon(&l.Ribbons[i], &dark.Ribbons[i])
	}
	for i := range l.Arcs {
		d.arc(&l.Arcs[i], &dark.Arcs[i])
	}
	d.quads(l.Quads, dark.Quads)
	for i := range l.Texts {
		d.text(&l.Texts[i], dark.Texts[i].Fill)
	}
}

// define writes something to refer to and returns its name.
func (d *drawing) define(write func(id string)) string {
	d.defs++
	id := d.ID + "d" + strconv.Itoa(d.defs)
	write(id)
	return id
}

// shared is define for what all shapes of the picture share under a name.
func (d *drawing) shared(name string, write func(id string)) string {
	id := d.ID + name
	if !d.defined[name] {
		if d.defined == nil {
			d.defined = map[string]bool{}
		}
		d.defined[name] = true
		write(id)
	}
	return id
}

// paint is a colour in both themes and the property that has it: fill, stroke or stop-color.
type paint struct {
	property    string
	light, dark color.NRGBA
}

// painted returns the attributes that give a shape its colours.
func (d *drawing) painted(paints ...paint) string {
	var attributes strings.Builder
	var classes []string
	for _, p := range paints {
		if d.Sheet != nil {
			classes = append(classes, d.Sheet.class(p))
			continue
		}
		fmt.Fprintf(&attributes, ` %s="#%02x%02x%02x"`, p.property, p.light.R, p.light.G, p.light.B)
		if p.light.A < 0xff {
			opacity := strings.TrimSuffix(p.property, "-color") + "-opacity"
			fmt.Fprintf(&attributes, ` %s="%s"`, opacity, num(float32(p.light.A)/0xff))
		}
	}
	if len(classes) > 0 {
		fmt.Fprintf(&attributes, ` class="%s"`, strings.Join(classes, " "))
	}
	return attributes.String()
}

// Sheet collects the colours of pictures in a page. The zero value is ready.
type Sheet struct {
	classes map[paint]string
	rules   []string
}

// CSS returns the rules of the classes that pictures have, in the order in which these came up.
func (s *Sheet) CSS() string { return strings.Join(s.rules, "\n") }

// class returns the class of shapes with a paint.
func (s *Sheet) class(p paint) string {
	c, ok := s.classes[p]
	if !ok {
		if s.classes == nil {
			s.classes = map[paint]string{}
		}
		c = "k" + strconv.Itoa(len(s.rules))
		s.classes[p] = c
		s.rules = append(s.rules, "."+c+"{"+p.property+":"+LightDark(p.light, p.dark)+"}")
	}
	return c
}

// LightDark returns a CSS colour that follows the theme of the page.
func LightDark(light, dark color.NRGBA) string {
	if light == dark {
		return hex(light)
	}
	return "light-dark(" + hex(light) + "," + hex(dark) + ")"
}

func hex(c color.NRGBA) string {
	if c.A == 0xff {
		return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)
	}
	return fmt.Sprintf("#%02x%02x%02x%02x", c.R, c.G, c.B, c.A)
}

// num writes a number with two decimals at most.
func num(v float32) string {
	s := strconv.FormatFloat(float64(v), 'f', 2, 32)
	s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	if s == "-0" {
		return "0"
	}
	return s
}

func point(p geom.Point) string { return num(p.X) + " " + num(p.Y) }

// box returns the path of a rectangle.
func box(r geom.Rect) string {
	return fmt.Sprintf("M%s %sh%sv%sh%sz", num(r.X0), num(r.Y0), num(r.W()), num(r.H()), num(-r.W()))
}

// escaped makes text from files harmless within an element or an attribute.
func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(escape.Line(text))) // a Builder takes all
	return b.String()
}
