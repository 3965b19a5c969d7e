package structure

import (
	"fmt"
	"image/color"
	"math"

	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene/legend"
	scene "diptych/internal/scene/structure"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/words"
)

// oneLine is a legend of one line, to measure by.
func oneLine(pal *palette.Palette) []legend.Entry {
	return []legend.Entry{{Label: "package", Swatch: solid(pal.A)}}
}

func solid(c color.NRGBA) legend.Swatch {
	return legend.Swatch{Kind: legend.Solid, Colours: []color.NRGBA{c}}
}

// fitting returns as many entries as fit into a legend of the given height.
func fitting(all []legend.Entry, width, dp, height float32) []legend.Entry {
	for n := len(all); n > 0; n-- {
		if kit.LegendHeight(all[:n], width, dp) <= height+.5 {
			return all[:n]
		}
	}
	return nil
}

// entries explain the colours of a view, the most important first.
func entries(ss *scene.State, st *session.State, v *scene.View) []legend.Entry {
	pal := ss.Palette.Structure()
	var all []legend.Entry
	if ss.Tree == nil {
		return nil
	}
	if v.IcicleScale.Colour == v.TreemapScale.Colour {
		all = append(all, scaleEntry(pal, st, "", &v.TreemapScale)...)
	} else {
		all = append(all, scaleEntry(pal, st, "stacks: ", &v.IcicleScale)...)
		all = append(all, scaleEntry(pal, st, "code: ", &v.TreemapScale)...)
	}
	for _, p := range v.Packages {
		label := p.Name
		if label == "" {
			label = "no package"
		}
		all = append(all, legend.Entry{Label: label, Swatch: solid(pal.Package(p.Name))})
	}
	if v.Focus.Mode == scene.Whole {
		return all
	}
	if ss.Linking == scene.InFocus {
		all = append(all, legend.Entry{Label: "not in focus", Swatch: solid(pal.Cell)})
	} else {
		all = append(all, legend.Entry{Label: "in focus", Swatch: solid(pal.FocusCell)})
	}
	if v.Absent {
		all = append(all, legend.Entry{Label: "in focus, without data", Swatch: solid(pal.Blank)},
			legend.Entry{Label: "outside, without data", Swatch: solid(pal.Absent)})
	}
	return all
}

// metricWords are the measures, in words that a legend needs.
var metricWords = [...]string{"package", "stack depth of the file", "calls", "cumulated duration",
	"self time", "first start"}

// scaleEntry explains the scale of one of the two pictures. Packages have entries of their own.
func scaleEntry(pal *palette.Structure, st *session.State, of string, s *scene.Scale) []legend.Entry {
	if s.Metric == scene.ByPackage || s.Empty {
		return nil
	}
	colours := make([]color.NRGBA, 13)
	for i := range colours {
		t := float32(i) / float32(len(colours)-1)
		if s.Diverging {
			colours[i] = pal.Change(2*t - 1)
		} else {
			colours[i] = pal.Heat(t)
		}
	}
	label := of + metricWords[s.Metric]
	if s.Of != scene.Both && st.Both() {
		label += ", " + ofNames[s.Of]
	}
	return []legend.Entry{{Label: label + ": " + ends(s, words.UnitOf(st)),
		Swatch: legend.Swatch{Kind: legend.Gradient, Colours: colours}}}
}

// ends writes the values at both ends of a scale.
func ends(s *scene.Scale, unit string) string {
	text := func(v float64) string { return amount(s.Metric, int64(math.Round(v)), unit) }
	switch {
	case s.Diverging && s.Hi == 0:
		return "no change"
	case s.Of == scene.Ratio:
		most := fmt.Sprintf("%.3g", s.Hi)
		return "1/" + most + " to " + most + " times"
	case s.Diverging:
		return "−" + text(s.Hi) + " to +" + text(s.Hi)
	}
	return text(s.Lo) + " to " + text(s.Hi)
}

// amount writes a value of a metric.
func amount(m scene.Metric, v int64, unit string) string {
	switch m {
	case scene.ByCalls:
		return kit.Grouped(int(v)) + " ×"
	case scene.ByDepth:
		return kit.Grouped(int(v))
	}
	return geom.FormatValue(float64(v), unit)
}

// signed writes a change of a metric.
func signed(m scene.Metric, v int64, unit string) string {
	switch {
	case v < 0:
		return "−" + amount(m, -v, unit)
	case v > 0:
		return "+" + amount(m, v, unit)
	}
	return "0"
}
