package svg

import (
	"encoding/xml"
	"image/color"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"diptych/internal/geom"
	"diptych/internal/scene"
)

var (
	red   = color.NRGBA{R: 0xff, A: 0xff}
	faint = color.NRGBA{G: 0x80, A: 0x80}
	blue  = color.NRGBA{B: 0xff, A: 0xff}
)

// sample has each primitive, and each shade of quads and arcs.
func sample(fill color.NRGBA) *scene.Scene {
	s := &scene.Scene{Size: geom.Size{W: 200, H: 100}}
	l := s.Layer(geom.Rect{X0: 10, Y0: 10, X1: 190, Y1: 90})
	for k := scene.Flat; k <= scene.Nested; k++ {
		r := geom.Rect{X0: 20 * float32(k), Y0: 20, X1: 20*float32(k) + 15, Y1: 30}
		l.Quads = append(l.Quads, scene.Quad{Rect: r, Fill: fill, Shade: k, Line: 2, U1: 1})
	}
	l.Quads = append(l.Quads, scene.Quad{Rect: geom.Rect{X0: 1, X1: 9, Y1: 5}, Fill: fill, Radius: 3})
	l.Line(geom.Point{X: 1, Y: 2}, geom.Point{X: 31, Y: 62}, fill, 2)
	l.Ribbons = append(l.Ribbons, scene.Ribbon{Fill: fill, Line: 1, Ink: faint,
		Edges: [2][4]geom.Point{{{X: 1}, {X: 2}, {X: 3}, {X: 4}}, {{Y: 1}, {Y: 2}, {Y: 3}, {Y: 4}}}})
	for _, k := range []scene.Shade{scene.Flat, scene.Hatch, scene.Outline} {
		l.Arcs = append(l.Arcs, scene.Arc{Centre: geom.Point{X: 50, Y: 50}, R0: 10, R1: 20, To: 1,
			Fill: fill, Shade: k, Line: 1})
	}
	l.Tubes = scene.Tubes{Lambda: 1, Morph: 1, Line: 1,
		Knots: []scene.Knot{{X: 10}, {X: 10, Y: 40, At: .5}, {X: 30, Y: 80, At: 1}},
		Tubes: []scene.Tube{{Count: 3, W0: 4, W1: 4, Fill: fill}}}
	over := s.Layer(geom.Rect{})
	over.Write(scene.Text{Rect: geom.Rect{X1: 50, Y1: 10}, Text: `a<b> & "c"`, Fill: fill, Size: 10})
	over.Write(scene.Text{Rect: geom.Rect{X1: 50, Y1: 10}, Text: "x", Fill: fill, Size: 10, Bold: true,
		Align: scene.AlignRight, Turn: math.Pi / 2})
	return s
}

func write(t *testing.T, s *scene.Scene, o Options) string {
	t.Helper()
	var b strings.Builder
	if err := Write(&b, s, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// elements returns how many elements of each name there are, and all ids that attributes refer to.
func elements(t *testing.T, text string) (count map[string]int, ids, refs map[string]bool) {
	t.Helper()
	count, ids, refs = map[string]int{}, map[string]bool{}, map[string]bool{}
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		token, err := d.Token()
		if err == io.EOF {
			return count, ids, refs
		}
		if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		count[e.Name.Local]++
		for _, a := range e.Attr {
			if a.Name.Local == "id" {
				ids[a.Value] = true
			}
			if ref, ok := strings.CutPrefix(a.Value, "url(#"); ok {
				refs[strings.TrimSuffix(ref, ")")] = true
			}
		}
	}
}

func TestEveryPrimitiveIsDrawn(t *testing.T) {
	text := write(t, sample(red), Options{Title: `1 < 2 "x"`})
	count, ids, refs := elements(t, text)
	for name, want := range map[string]int{"svg": 1, "clipPath": 1, "g": 1, "text": 2, "pattern": 2} {
		if count[name] != want {
			t.Errorf("%d of %s, want %d", count[name], name, want)
		}
	}
	for ref := range refs {
		if !ids[ref] {
			t.Errorf("nothing has the id %q", ref)
		}
	}
	for _, want := range []string{`aria-label="1 &lt; 2 &#34;x&#34;"`, `>a&lt;b&gt; &amp; &#34;c&#34;</text>`,
		`fill="#ff0000"`, `stroke="#008000" stroke-opacity="0.5"`, `stroke-dasharray="6"`,
		`transform="rotate(90 25 5)"`, `text-anchor="end"`, `viewBox="0 0 200 100" width="200"`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
}

func TestFlatQuadsOfOneColourAreOnePath(t *testing.T) {
	s := &scene.Scene{Size: geom.Size{W: 10, H: 10}}
	l := s.Layer(geom.Rect{})
	for i := float32(0); i < 3; i++ {
		l.Fill(geom.Rect{X0: i, X1: i + .25, Y1: 1}, red) // is drawn a pixel wide
	}
	l.Fill(geom.Rect{X1: 1, Y1: 1}, blue)
	text := write(t, s, Options{})
	for _, want := range []string{`<path fill="#ff0000" d="M0 0h1v1h-1zM1 0h1v1h-1zM2 0h1v1h-1z"/>`,
		`<path fill="#0000ff" d="M0 0h1v1h-1z"/>`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
}

// TestThemesShareAPicture holds that a picture in a page has no colours of its own, and that the
// sheet has those of both themes.
func TestThemesShareAPicture(t *testing.T) {
	var sheet Sheet
	text := write(t, sample(red), Options{Sheet: &sheet, Dark: sample(blue), ID: "p"})
	if strings.Contains(text, "#ff0000") || strings.Contains(text, "#0000ff") {
		t.Errorf("the picture has colours: %s", text)
	}
	css := sheet.CSS()
	for _, want := range []string{"{fill:light-dark(#ff0000,#0000ff)}", "{stroke:#00800080}",
		"{stop-color:light-dark(#ff000000,#0000ff00)}"} {
		if !strings.Contains(css, want) {
			t.Errorf("%s is not in %s", want, css)
		}
	}
	classes := regexp.MustCompile(`class="([^"]+)"`).FindAllStringSubmatch(text, -1)
	for _, c := range classes {
		for _, name := range strings.Fields(c[1]) {
			if !strings.Contains(css, "."+name+"{") {
				t.Errorf("class %s is in no rule", name)
			}
		}
	}
	other := sample(blue)
	other.Layers[0].Quads = other.Layers[0].Quads[1:]
	if err := Write(io.Discard, sample(red), Options{Dark: other}); err != errShape {
		t.Errorf("other primitives in the dark: %v", err)
	}
}

// TestCutCushionsKeepTheirShading holds that the shading of a call that the viewport cuts is that of
// the whole call: the middle half of a call of 80 px begins 20 px before it.
func TestCutCushionsKeepTheirShading(t *testing.T) {
	s := &scene.Scene{Size: geom.Size{W: 40, H: 10}}
	l := s.Layer(geom.Rect{X1: 40, Y1: 10})
	l.Quads = append(l.Quads, scene.Quad{Rect: geom.Rect{X1: 40, Y1: 10}, Fill: red,
		Shade: scene.Cushion, U0: .25, U1: .75})
	if text := write(t, s, Options{}); !strings.Contains(text, `d="M-20 0h80v10h-80z"`) {
		t.Error(text)
	}
}

// TestFullTurnIsDrawn holds that an arc around the whole centre is not the nothing that SVG makes
// of an arc between equal points.
func TestFullTurnIsDrawn(t *testing.T) {
	path := bent(&scene.Arc{R0: 10, R1: 20, To: 2 * math.Pi})
	var numbers []float64
	for _, n := range regexp.MustCompile(`-?[\d.]+`).FindAllString(path, -1) {
		v, err := strconv.ParseFloat(n, 64)
		if err != nil {
			t.Fatal(err)
		}
		numbers = append(numbers, v)
	}
	if from, to := numbers[:2], numbers[7:9]; from[0] == to[0] && from[1] == to[1] {
		t.Errorf("the arc ends where it begins: %s", path)
	}
}
