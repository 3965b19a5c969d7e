package legend

import (
	"fmt"
	"math"

	"diptych/internal/geom"
	"diptych/internal/scene/structure"
)

// Structure explains the colours of calls and of code: what the view shows, with its numbers.
func Structure(o Options, st *structure.State, v *structure.View) []Entry {
	c := o.Palette.Structure()
	var entries []Entry
	add := func(on bool, label string, s Swatch) {
		if on {
			entries = append(entries, Entry{label, s})
		}
	}
	focused := v.Focus.Mode != structure.Whole
	entries = append(entries, o.metrics(v)...)
	add(focused && st.Linking == structure.InFocus, "not in focus", solid(c.Cell))
	add(focused && st.Linking == structure.OutsideFocus, "focus and what it is mapped to",
		one(Dashed, c.FocusCell))
	add(len(v.Focus.Items) > 0, "under the pointer or nearest", one(Outline, o.Palette.Selection))
	if pair := st.Sides[0].Trace != nil && st.Sides[1].Trace != nil; pair && len(v.Focus.Items) > 0 &&
		st.Linking == structure.InFocus {
		other := "BA"[v.Focus.Items[0].Side&1:][:1]
		fill := c.Call
		if len(v.Packages) > 0 {
			fill = c.Over(v.Packages[0].Fill)
		}
		add(true, "the same functions in "+other, solid(fill))
	}
	add(v.Blank, "in focus, no data", one(Outline, o.Palette.Line))
	add(v.Absent, "no data", solid(c.Absent))
	return entries
}

// metrics explains the colours of both pictures, once if they are the same.
func (o *Options) metrics(v *structure.View) []Entry {
	icicles, treemap := v.IcicleScale, v.TreemapScale
	var out []Entry
	if icicles.Metric == structure.ByPackage || treemap.Metric == structure.ByPackage {
		for _, p := range v.Packages {
			name := p.Name
			if name == "" {
				name = "in no package"
			}
			out = append(out, Entry{name, solid(p.Fill)})
		}
	}
	if icicles.Colour == treemap.Colour {
		return append(out, o.scale("", icicles)...)
	}
	out = append(out, o.scale("stacks: ", icicles)...)
	return append(out, o.scale("code: ", treemap)...)
}

// scale explains one scale; that of packages needs no entry.
func (o *Options) scale(of string, s structure.Scale) []Entry {
	if s.Metric == structure.ByPackage || s.Empty {
		return nil
	}
	c := o.Palette.Structure()
	colours := stops(c.Heat)
	if s.Diverging {
		for i := range colours {
			colours[i] = c.Change(2*float32(i)/float32(len(colours)-1) - 1)
		}
	}
	return []Entry{{of + o.span(s), Swatch{Gradient, colours}}}
}

// span names a metric and the values at the ends of its scale.
func (o *Options) span(s structure.Scale) string {
	name := o.metricName(s.Metric) + sideNames[s.Of]
	spaced := ""
	if s.Root {
		spaced = ", root scale"
	}
	switch {
	case s.Diverging && s.Of != structure.Ratio && s.Hi <= 0:
		return name + ", no change"
	case s.Of == structure.Ratio:
		times := math.Exp2(s.Hi)
		return fmt.Sprintf("%s, ≤ 1/%.3g to ≥ %.3g×: %s", name, times, times, o.senses(s))
	case s.Diverging:
		return fmt.Sprintf("%s, ≤ −%s to ≥ +%s%s: %s", name, o.amount(s, s.Hi), o.amount(s, s.Hi),
			spaced, o.senses(s))
	}
	return fmt.Sprintf("%s, %s to %s%s", name, o.amount(s, s.Lo), o.amount(s, s.Hi), spaced)
}

// senses says what the two ends of a diverging scale mean.
func (o *Options) senses(s structure.Scale) string {
	less, more := "green", "red"
	if o.Palette.Scheme != 0 {
		less, more = "blue", "orange"
	}
	faster, slower := geom.Comparatives(o.Unit)
	words := [...][2]string{structure.ByDepth: {"shallower", "deeper"},
		structure.ByCalls: {"fewer", "more"}, structure.ByTotal: {faster, slower},
		structure.BySelf: {faster, slower}, structure.ByFirst: {"earlier", "later"}}[s.Metric]
	return fmt.Sprintf("%s %s, %s %s in B", less, words[0], more, words[1])
}

// amount writes a value of a metric.
func (o *Options) amount(s structure.Scale, v float64) string {
	if s.Metric == structure.ByCalls || s.Metric == structure.ByDepth {
		return geom.FormatCount(uint64(max(v, 0)))
	}
	return o.format(v)
}

// metricName names a metric in the words of the unit.
func (o *Options) metricName(m structure.Metric) string {
	switch {
	case m == structure.BySelf:
		return geom.SelfNoun(o.Unit)
	case m == structure.ByTotal && o.Profile:
		return "cumulated"
	case m == structure.ByCalls && o.Calls != "":
		return o.Calls
	}
	return metricNames[m]
}

var metricNames = [...]string{structure.ByPackage: "package", structure.ByDepth: "stack depth of the file",
	structure.ByCalls: "calls", structure.ByTotal: "cumulated duration",
	structure.ByFirst: "first start"}

var sideNames = [...]string{structure.Both: "", structure.OnlyA: " in A", structure.OnlyB: " in B",
	structure.Change: " B − A", structure.Ratio: " B / A"}
