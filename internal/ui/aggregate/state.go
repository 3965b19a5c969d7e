package aggregate

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"slices"
	"strings"
	"unicode/utf8"

	"diptych/internal/aggregate"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/palette"
	scene "diptych/internal/scene/aggregate"
	"diptych/internal/scene/legend"
	"diptych/internal/session"
	"diptych/internal/typeface"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/words"
)

// StateOf translates a session's snapshot for the scene.
func StateOf(st *session.State, pal *palette.Palette, scale float32) *scene.State {
	own, o := ownOf(st), overviewIn(st)
	ss := &scene.State{Palette: pal, Scale: scale, Least: own.Least}
	if o == nil {
		return ss
	}
	if ss.Leaf = "threads"; own.Code {
		ss.Leaf = "functions"
	}
	shown := picturesIn(st, o)
	for k, pic := range shown {
		if pic == nil || !own.Show.has(k) && shown[scene.Difference] != nil {
			continue
		}
		p := scene.Plot{Of: k, Picture: pic, Note: notes(st, o, k, pic)}
		p.Span, p.Borders, p.Unit, p.Ticks = axisOf(st, o, k)
		ss.Plots = append(ss.Plots, p)
	}
	ss.Folded = o.folded(own)
	return ss
}

// folded lists the keys of the nodes that are folded: those that are at first, unless the user
// unfolded them, and those that the user folded.
func (o *overview) folded(own *Own) (keys []string) {
	for _, key := range o.runtime {
		if !slices.Contains(own.Toggled, key) {
			keys = append(keys, key)
		}
	}
	for _, key := range own.Toggled {
		if !slices.Contains(o.runtime, key) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// has reports whether a plot is shown.
func (s Show) has(k int) bool {
	switch s {
	case ShowSides:
		return k != scene.Difference
	case ShowDifference:
		return k == scene.Difference
	}
	return true
}

// axisOf returns the axis of plot k: its range, the borders of the timeslices on it, its unit and,
// for virtual time, how it is labelled. A range that has moved on since the traces were cut shows
// the timeslices where they are now. The difference has the axis of A, unless A is shorter than its
// timeslices are many ns: these would all lie at its end.
func axisOf(st *session.State, o *overview, k int) (span geom.Span, borders []float64, unit string,
	ticks func(float64) string) {
	side := pair.Side(k)
	if k == scene.Difference {
		side = pair.A
		if a, b := o.cut.Sides[pair.A], o.cut.Sides[pair.B]; o.cut.of.virtual == nil &&
			coarse(a.Borders) && !coarse(b.Borders) {
			side = pair.B
		}
	}
	ns := o.cut.Sides[side].Borders
	borders = make([]float64, len(ns))
	time := words.UnitOf(st)
	if o.cut.of.virtual != nil {
		for i := range borders {
			borders[i] = float64(i)
		}
		return geom.Span{End: float64(len(ns) - 1)}, borders, "", func(at float64) string {
			return geom.FormatValue(float64(ns[min(max(int(at), 0), len(ns)-1)]), time)
		}
	}
	f := st.Sides[side].Seen()
	for i, b := range ns {
		borders[i] = float64(b)
	}
	if k != scene.Difference {
		return f, borders, time, nil
	}
	from, whole := 0.0, st.Sides[side].Extent()
	if !inStep(st) {
		from, whole = f.Start, f.Len()
	}
	share := func(ns float64) float64 { return 100 * (ns - from) / whole }
	for i := range borders {
		borders[i] = share(borders[i])
	}
	return geom.Span{Start: share(f.Start), End: share(f.End)}, borders, "", percent
}

// coarse reports whether there are more timeslices than ns.
func coarse(borders []int64) bool {
	last := len(borders) - 1
	return borders[last]-borders[0] < int64(last)
}

// inStep reports whether both sides show the same share of their runs, but for a hundredth of it.
// Otherwise the difference is one of two stretches that are no counterparts, and its axis counts
// the share of what is shown.
func inStep(st *session.State) bool {
	var from, to [2]float64
	for s := range st.Sides {
		f, whole := st.Sides[s].Seen(), st.Sides[s].Extent()
		from[s], to[s] = f.Start/whole, f.End/whole
	}
	apart := max(kit.Abs(from[0]-from[1]), kit.Abs(to[0]-to[1]))
	return apart <= max(to[0]-from[0], to[1]-from[1])/100
}

func percent(at float64) string { return fmt.Sprintf("%.4g %%", at) }

// notes are what stands below the badge of a plot: how much it was simplified, and at what cost
// (criterion G5).
func notes(st *session.State, o *overview, k int, pic *scene.Picture) []string {
	p := pic.Partition
	cells := pic.Source.Tree().Leaves * pic.Source.Slices()
	list := []string{kit.Grouped(len(p.Aggregates)) + " of " + kit.Grouped(cells)}
	if cells >= manyCells || utf8.RuneCountInString(list[0]) > noteRoom {
		list = []string{kit.Grouped(len(p.Aggregates)), "of " + cellWords(cells)}
	}
	list = append(list, "gain "+kit.Percent(p.Gain), "loss "+kit.Percent(p.Loss))
	if k != scene.Difference && o.lacks(pair.Side(1-k)) {
		list = append(list, "nothing in "+plotNames[1-k])
	}
	if k != scene.Difference || o.cut.of.code != nil {
		return list
	}
	both, alone := 0, [2]int{}
	for _, r := range o.parts[k].of {
		switch t := st.Pair.Threads[r]; {
		case t.On(pair.B) < 0:
			alone[pair.A]++
		case t.On(pair.A) < 0:
			alone[pair.B]++
		default:
			both++
		}
	}
	if o.cut.of.virtual == nil && !inStep(st) {
		list = append(list, "% of the view")
	}
	list = append(list, kit.Plural(both, "pair"))
	for s, n := range alone {
		if n > 0 {
			list = append(list, kit.Grouped(n)+" only "+pair.Side(s).String())
		}
	}
	return list
}

// noteRoom is how many digits and letters the line of a note has room for.
const noteRoom = 15

// manyCells is a number of cells that is told in three digits: 1.04 M.
const manyCells = 100_000

func cellWords(n int) string {
	if n < manyCells {
		return kit.Grouped(n)
	}
	return geom.FormatValue(float64(n), "count")
}

// build builds the view with its legend below, which keeps its height as long as the states do.
func build(ss *scene.State, st *session.State, size image.Point, a *scene.Arena) *scene.View {
	dp := max(ss.Scale, 1e-3)
	all := geom.Size{W: float32(size.X), H: float32(size.Y)}
	entries := legendOf(ss, st, all, dp)
	v := scene.Build(ss, geom.Size{W: all.W, H: all.H - kit.LegendHeight(entries, all.W, dp)}, a)
	kit.AddLegend(v.Scene, entries, ss.Palette, dp)
	v.Scene.Size.H = all.H
	return v
}

// Limits of the legend: its share of the height, and its height of two rows in dp.
const (
	mostLegend   = .14
	legendHeight = 2*18 + 11
)

// nameRoom is how long a state's name may be in the legend, px: as long as all states have room.
var nameRoom = []float32{170, 130, 100, 75}

// legendOf explains the colours: the states, with their shares of the resources' time, as many as
// fit, then what is not a state.
func legendOf(ss *scene.State, st *session.State, size geom.Size, dp float32) []legend.Entry {
	o := overviewIn(st)
	if o == nil || len(ss.Plots) == 0 {
		return nil
	}
	most := min(legendHeight*dp, size.H*mostLegend)
	marks := marksOf(ss)
	if kit.LegendHeight(marks, size.W, dp) > most {
		return nil
	}
	if ss.Plots[0].Of == scene.Difference {
		return marks
	}
	var states []legend.Entry
	for _, room := range nameRoom {
		states = statesOf(ss, o, room)
		if all := slices.Concat(states, marks); kit.LegendHeight(all, size.W, dp) <= most {
			return all
		}
	}
	states = statesOf(ss, o, nameRoom[0])  // few names in full say more than many that look alike
	for n := len(states) - 1; n > 0; n-- { // the largest, and how many more
		left := legend.Entry{Label: kit.Plural(len(states)-n, "more state"),
			Swatch: legend.Swatch{Kind: legend.Outline, Colours: []color.NRGBA{ss.Palette.Line}}}
		all := slices.Concat(states[:n], []legend.Entry{left}, marks)
		if kit.LegendHeight(all, size.W, dp) <= most {
			return all
		}
	}
	return marks
}

// statesOf explains the colours of the states, whose names may be so long, px.
func statesOf(ss *scene.State, o *overview, room float32) (list []legend.Entry) {
	names := ss.Plots[0].Picture.Source.States()
	inks := ss.Palette.States(names, aggregate.Other)
	for i, name := range names {
		list = append(list, legend.Entry{
			Label:  typeface.Shorten(name, room, 11, false) + "  " + o.sharesText(i),
			Swatch: legend.Swatch{Colours: []color.NRGBA{inks[i]}}})
	}
	return o.byShare(list)
}

// byShare puts the states in the order of their shares of what is shown. They come in that of their
// time in all of the trace: a function that takes all of a thread that has been zoomed to may be
// the twentieth there. What stands for all other states comes last there, and may be most of a
// profile of many functions.
func (o *overview) byShare(list []legend.Entry) []legend.Entry {
	share := make([]float64, len(list))
	for _, p := range o.parts[:scene.Difference] {
		for state := range list {
			if p != nil {
				share[state] += p.mean[state]
			}
		}
	}
	order := make([]int, len(list))
	for state := range order {
		order[state] = state
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(share[y], share[x]) })
	sorted := make([]legend.Entry, len(list))
	for at, state := range order {
		sorted[at] = list[state]
	}
	return sorted
}

// marksOf explains what is not a state.
func marksOf(ss *scene.State) (list []legend.Entry) {
	pal := ss.Palette
	one := func(c color.NRGBA) legend.Swatch { return legend.Swatch{Colours: []color.NRGBA{c}} }
	for _, p := range ss.Plots {
		if p.Of == scene.Difference {
			list = append(list, legend.Entry{Label: "more in A", Swatch: one(pal.A)},
				legend.Entry{Label: "more in B", Swatch: one(pal.B)})
		}
	}
	return append(list, legend.Entry{Label: "share of the main state",
		Swatch: legend.Swatch{Kind: legend.Gradient, Colours: []color.NRGBA{
			palette.Mix(pal.Secondary, pal.Pane, .92), pal.Secondary}}},
		legend.Entry{Label: "folded, same cuts", Swatch: legend.Swatch{Kind: legend.Diagonal,
			Colours: []color.NRGBA{pal.Bar}}},
		legend.Entry{Label: "folded, different cuts", Swatch: legend.Swatch{Kind: legend.Cross,
			Colours: []color.NRGBA{pal.Bar}}})
}

// sharesText writes the share that a state has of all that is shown, of a pair in A and in B.
func (o *overview) sharesText(state int) string {
	var texts []string
	for _, p := range o.parts[:scene.Difference] {
		if p != nil {
			texts = append(texts, kit.Percent(p.mean[state]))
		}
	}
	return strings.Join(texts, " | ")
}
