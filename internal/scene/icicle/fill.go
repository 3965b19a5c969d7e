package icicle

import (
	"image/color"
	"strings"

	"diptych/internal/palette"
	"diptych/internal/trace"
)

// fillCache remembers the call colours of the trace and theme drawn last.
type fillCache struct {
	trace *trace.Trace
	dark  bool
	fills []color.NRGBA
}

func (c *fillCache) of(t *trace.Trace, p *palette.Palette) []color.NRGBA {
	if c.trace != t || c.dark != p.Dark {
		*c = fillCache{t, p.Dark, Fills(t, p)}
	}
	return c.fills
}

// Fills returns the colour of each function of t, by what fillKey says.
func Fills(t *trace.Trace, p *palette.Palette) []color.NRGBA {
	fills := make([]color.NRGBA, len(t.Functions))
	byKey := map[string]color.NRGBA{}
	for i := range t.Functions {
		key := fillKey(&t.Functions[i])
		c, ok := byKey[key]
		if !ok {
			c = p.Call(key)
			byKey[key] = c
		}
		fills[i] = c
	}
	return fills
}

// fillKey is the string that decides the colour of calls to f. For a qualified name it is the
// package or, where the recording has none, the namespace in the name. For an unqualified name the
// package would be the whole program, so that all calls had one colour, another in each version of
// it. There it is the prefix with which C programs name their parts, else the name itself:
// luaH_get and luaH_set have the colour of luaH, main that of main.
func fillKey(f *trace.Function) string {
	name := f.Name
	if k := strings.IndexAny(name, "(<["); k > 0 {
		name = name[:k]
	}
	k := max(strings.LastIndex(name, "::"), strings.LastIndexAny(name, "./"))
	if k > 0 && !strings.Contains(name[:k], " ") {
		if f.Package != "" {
			return f.Package
		}
		return strings.TrimRight(name[:k], ".:")
	}
	return Prefix(name)
}

// Prefix returns what stands before the first underscore in a function's name, with which C
// programs name their parts, else the name itself.
func Prefix(name string) string {
	if k := strings.IndexByte(name, '_'); k > 0 {
		return name[:k]
	}
	return name
}

// stress changes a fill for emphasis.
func (d *Drawing) stress(c color.NRGBA, e Emphasis) color.NRGBA {
	switch e {
	case Strong:
		return d.Palette.Hit
	case Pale:
		return palette.Mix(c, d.Palette.Pane, .65)
	}
	return c
}

// lighten moves a run's fill towards the pane with the level below the run's top.
func (d *Drawing) lighten(c color.NRGBA, below int) color.NRGBA {
	return palette.Mix(c, d.Palette.Pane, min(.3+.1*float32(below), .85))
}
