package page

import (
	"crypto/sha256"
	_ "embed" // the page's parts
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"image/color"
	"io"
	"slices"
	"strings"

	"diptych/internal/palette"
	"diptych/internal/scene/svg"
)

var (
	//go:embed page.html
	pageHTML string
	//go:embed table.html
	tableHTML string
	//go:embed page.css
	pageCSS string
	//go:embed page.js
	pageJS string
	//go:embed stacks.js
	stacksJS string
)

var parsed = Template(pageHTML)

// Template returns the template of a page that may have tables of this package: see table.html.
func Template(html string) *template.Template {
	t := template.Must(template.New("page").Parse(tableHTML))
	return template.Must(t.Parse(html))
}

// file is what the template is filled with.
type file struct {
	*Page
	Dress
}

// Dress is what a page in the look of this report has besides its words: the colours and the look,
// the scripts that sort tables and change between light and dark, and what else it is given.
type Dress struct {
	Policy string // what the browser runs and loads: nothing but what is in the page
	Style  template.CSS
	Script template.JS
	Data   template.JS // for the scripts
}

// NewDress makes the dress of a page with a style and scripts of its own.
func NewDress(style, script string, data any) (Dress, error) {
	text, err := json.Marshal(data) // which escapes <, > and &, so no name ends the element
	if err != nil {
		return Dress{}, err
	}
	// The scripts are named by their hash in the policy that the browser keeps, so it runs nothing
	// else, whatever the names in a trace hold.
	scripts := pageJS + script
	hash := sha256.Sum256([]byte(scripts))
	policy := fmt.Sprintf("default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-%s'",
		base64.StdEncoding.EncodeToString(hash[:]))
	return Dress{policy, template.CSS(roles() + pageCSS + style), template.JS(scripts),
		template.JS(text)}, nil
}

// WriteHTML writes the report as one HTML file.
func (p *Page) WriteHTML(w io.Writer) error {
	dress, err := NewDress(p.colours.CSS(), stacksJS, p.Stacks)
	if err != nil {
		return err
	}
	return parsed.Execute(w, file{p, dress})
}

// roles returns the window's colours as custom properties, each for both themes.
func roles() string {
	light, dark := palette.Light(), palette.Dark()
	var b strings.Builder
	b.WriteString(":root{")
	for _, r := range colourRoles {
		fmt.Fprintf(&b, "--%s:%s;", r.name, svg.LightDark(r.of(light), r.of(dark)))
	}
	b.WriteString("}\n")
	return b.String()
}

// colourRoles are the colours that the page has by name.
var colourRoles = slices.Concat([]role{
	{"ground", func(p *palette.Palette) color.NRGBA { return p.Ground }},
	{"pane", func(p *palette.Palette) color.NRGBA { return p.Pane }},
	{"raised", func(p *palette.Palette) color.NRGBA { return p.Raised }},
	{"text", func(p *palette.Palette) color.NRGBA { return p.Text }},
	{"secondary", func(p *palette.Palette) color.NRGBA { return palette.Mix(p.Secondary, p.Text, .4) }},
	{"line", func(p *palette.Palette) color.NRGBA { return p.Line }},
	{"box", func(p *palette.Palette) color.NRGBA { return p.SubPixel }},
	{"hit", func(p *palette.Palette) color.NRGBA { return p.Hit }},
}, sideRoles("a", 0), sideRoles("b", 1), stateRoles("equal", 0), stateRoles("different", 1),
	stateRoles("only-b", 2), stateRoles("only-a", 3))

type role struct {
	name string
	of   func(p *palette.Palette) color.NRGBA
}

// sideRoles are a side's colour, and one for text in it.
func sideRoles(name string, k int) []role {
	return []role{
		{name, func(p *palette.Palette) color.NRGBA { return p.Side(k) }},
		{"on-" + name, func(p *palette.Palette) color.NRGBA { return p.OnSide }},
		{name + "-text", func(p *palette.Palette) color.NRGBA { return palette.Mix(p.Side(k), p.Text, .35) }},
	}
}

// stateRoles are the colour of a state of aligned calls.
func stateRoles(name string, k int) []role {
	return []role{{name, func(p *palette.Palette) color.NRGBA { return p.Alignment().State(k) }}}
}
