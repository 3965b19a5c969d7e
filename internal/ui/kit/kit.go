// Package kit holds what all panels, bars and views of the interface are made of: the theme, texts,
// buttons, fields, lists, tooltips, splitters, legends, and how pointer and keys are read. A part
// that remembers something between frames, such as a Slider, is a value that its owner keeps; what
// all parts share is in the Kit. Package kit knows neither the session nor any view.
package kit

import (
	"image"

	"gioui.org/layout"
	"gioui.org/unit"
	"gioui.org/widget"
	"gioui.org/widget/material"

	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/typeface"
)

// Kit is what all parts of the interface share: the theme, and the measures of the frame that is
// being laid out.
type Kit struct {
	Pal  *palette.Palette // of the theme in use
	Size image.Point      // of the window, px

	metric  unit.Metric
	dark    bool
	colours map[bool][2]*palette.Palette // of each theme, by palette.Scheme, as far as needed
	th      *material.Theme              // nil until fonts are needed
	labels  labels
	setter  *Setter
	editors []*widget.Editor // that this frame has shown so far
	cuts    []Cut            // labels of this frame that were cut
	ringed  string           // the control with the ring in this frame
}

// New returns a kit with the light theme. Before it lays anything out it needs Begin.
func New() *Kit {
	go faces() // which takes a while, in which the window is made
	k := &Kit{metric: unit.Metric{PxPerDp: 1, PxPerSp: 1},
		colours: map[bool][2]*palette.Palette{}}
	k.Use(false, false)
	return k
}

// Begin starts a frame of the given size in px.
func (k *Kit) Begin(metric unit.Metric, size image.Point) {
	k.metric, k.Size, k.editors, k.cuts = metric, size, k.editors[:0], k.cuts[:0]
	k.ringed = ""
}

// Use chooses the theme and the scheme of colours.
func (k *Kit) Use(dark, colourBlind bool) {
	k.dark = dark
	k.Pal = k.Scheme(colourBlind)
	if k.th != nil {
		k.th.Palette = k.material()
	}
}

// theme returns what Gio's widgets take from a theme.
func (k *Kit) theme() *material.Theme {
	if k.th == nil {
		k.th = newTheme()
		k.th.Palette = k.material()
	}
	return k.th
}

func (k *Kit) material() material.Palette {
	return material.Palette{Fg: k.Pal.Text, Bg: k.Pal.Pane, ContrastBg: k.Pal.A,
		ContrastFg: k.Pal.OnSide}
}

// Scheme returns a scheme of colours in the theme in use.
func (k *Kit) Scheme(colourBlind bool) *palette.Palette {
	scheme := palette.Usual
	if colourBlind {
		scheme = palette.ColourBlind
	}
	known := k.colours[k.dark]
	if known[scheme] == nil {
		theme := palette.Light
		if k.dark {
			theme = palette.Dark
		}
		known[scheme] = theme().WithScheme(scheme)
		k.colours[k.dark] = known
	}
	return known[scheme]
}

// Ringed returns the name of the control around which a ring was drawn since Begin, "" for none:
// the one that has the focus.
func (k *Kit) Ringed() string { return k.ringed }

// Px converts device-independent pixels to pixels.
func (k *Kit) Px(dp float32) float32 { return dp * k.metric.PxPerDp }

// Dp converts device-independent pixels to whole pixels.
func (k *Kit) Dp(dp float32) int { return int(k.Px(dp) + .5) }

// Width returns what a text of that size takes when it is bold, px. It takes no more as it is.
func (k *Kit) Width(text string, size unit.Sp) float32 {
	return typeface.Width(text, float32(k.Sp(size)), true)
}

// Sp returns the size of a text in px, which are whole for labels.
func (k *Kit) Sp(size unit.Sp) int { return k.metric.Sp(size) }

// Editing reports whether a text field that this frame has shown has the focus: then plain
// characters belong to its text. It is asked after the fields have been laid out.
func (k *Kit) Editing(gtx layout.Context) bool {
	for _, e := range k.editors {
		if gtx.Focused(e) {
			return true
		}
	}
	return false
}

// Rect converts a rectangle of whole pixels.
func Rect(r image.Rectangle) geom.Rect {
	return geom.Rect{X0: float32(r.Min.X), Y0: float32(r.Min.Y),
		X1: float32(r.Max.X), Y1: float32(r.Max.Y)}
}
