package multiples

import (
	"cmp"
	"math"
	"slices"

	"diptych/internal/batch/trend"
	"diptych/internal/escape"
	"diptych/internal/geom"
	"diptych/internal/plural"
	"diptych/internal/scene"
	"diptych/internal/typeface"
)

// Lengths within a panel, px.
const (
	inset = 8
	axis  = 56 // room for the labels of values
	small = 11 // size of labels
)

// plot is a panel's coordinates.
type plot struct {
	geom.Rect
	low, high float64 // values at the lower and the upper border
	n         int     // commits
}

// at returns where a value of the k-th commit is; commits are counted from 0.
func (p *plot) at(k int, v float64) geom.Point {
	return geom.Point{X: p.x(float64(k)), Y: p.Y1 - p.H()*float32((v-p.low)/(p.high-p.low))}
}

// shows reports whether a value lies within the panel.
func (p *plot) shows(v float64) bool { return p.low <= v && v <= p.high }

// x returns where the k-th commit is; between two of them is a half.
func (p *plot) x(k float64) float32 {
	return p.X0 + p.W()*float32((k+.5)/float64(p.n))
}

// panel draws a series.
func (d *drawing) panel(s *trend.Series, at geom.Rect) {
	d.Quads = append(d.Quads, scene.Quad{Rect: at, Fill: d.Pane, Radius: 4, U1: 1})
	changes, drift := d.found(s)
	d.caption(s, at, len(changes), drift)
	p := &plot{Rect: geom.Rect{X0: at.X0 + axis, Y0: at.Y0 + inset + 2*line + 6, X1: at.X1 - inset,
		Y1: at.Y1 - inset - line - 4}, n: len(d.Commits)}
	p.low, p.high = d.reach(s)
	d.scale(p, at)
	d.commits(p)
	d.marks(p, changes)
	for k := range p.n {
		if v := d.value(s, k); !math.IsNaN(v) {
			d.dot(p.at(k, v), slices.Contains(s.Outliers, k+1))
		}
	}
	d.levels(p, s.Levels)
	if drift != nil {
		d.curve(p, drift)
	}
}

// levels draws levels, unless they are beyond all values: a ratio of which A has nothing is none,
// but the level counts it as one to 1 ns.
func (d *drawing) levels(p *plot, levels []trend.Level) {
	for _, l := range levels {
		if !p.shows(l.Value) {
			continue
		}
		y := p.at(0, l.Value).Y
		d.Fill(geom.Rect{X0: p.x(float64(l.From) - 1.5), Y0: y - 1, X1: p.x(float64(l.To) - .5), Y1: y + 1},
			d.Text)
	}
}

// found returns what is claimed of a series.
func (d *drawing) found(s *trend.Series) (changes []*trend.Change, drift *trend.Drift) {
	for k := range d.Changes {
		if c := &d.Changes[k]; c.Kind == s.Kind && c.Function == s.Function {
			changes = append(changes, c)
		}
	}
	for k := range d.Drifts {
		if l := &d.Drifts[k]; l.Kind == s.Kind && l.Function == s.Function {
			drift = l
		}
	}
	return changes, drift
}

// caption writes what the series is of, and whether it has changed.
func (d *drawing) caption(s *trend.Series, at geom.Rect, changes int, drift *trend.Drift) {
	says, ink := "no change", d.Secondary
	switch {
	case len(s.Levels) == 0 && drift == nil:
		says = "not tested"
	case drift != nil:
		says, ink = "drifts, "+factor(drift.Factor, drift.First, drift.Last), d.Error
	case changes > 0:
		says, ink = plural.Of(changes, "change"), d.Error
	}
	row := geom.Rect{X0: at.X0 + inset, Y0: at.Y0 + inset, X1: at.X1 - inset, Y1: at.Y0 + inset + line}
	w := typeface.Width(says, small, false)
	d.Write(scene.Text{Rect: row, Text: says, Fill: ink, Size: small, Align: scene.AlignRight})
	row.X1 -= w + gap
	d.Write(scene.Text{Rect: row, Text: typeface.Shorten(name(s), row.W(), textSize, true), Fill: d.Text,
		Size: textSize, Bold: true})
}

// factor says how many times as large a level is as the one before.
func factor(f, before, after float64) string {
	switch {
	case f > 0:
		return geom.FormatRatio(f)
	case after > before:
		return "new"
	}
	return "gone"
}

// reach returns the least and the largest value that the panel shows.
func (d *drawing) reach(s *trend.Series) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for k := range d.Commits {
		if v := d.value(s, k); !math.IsNaN(v) {
			low, high = min(low, v), max(high, v)
		}
	}
	if low > high {
		return 0, 1
	}
	room := max((high-low)*.08, math.Abs(high)*.02, 1e-3)
	return max(low-room, 0), high + room
}

// scale draws the ticks of values.
func (d *drawing) scale(p *plot, at geom.Rect) {
	unit, size := d.Unit, 1.0
	if d.Measure == trend.Ratio {
		unit, size = "%", 100
	}
	for _, t := range geom.Ticks(geom.Span{Start: p.low * size, End: p.high * size}, p.H(), 30, unit).Ticks {
		y := p.at(0, t.At/size).Y
		d.Fill(geom.Rect{X0: p.X0, Y0: y, X1: p.X1, Y1: y + 1}, d.Palette.Line)
		room := geom.Rect{X0: at.X0 + 4, Y0: y - line/2, X1: p.X0 - 5, Y1: y + line/2}
		d.Write(scene.Text{Rect: room, Text: typeface.Clip(t.Label, room.W(), small), Fill: d.Secondary,
			Size: small, Align: scene.AlignRight})
	}
}

// commits names the first and the last commit.
func (d *drawing) commits(p *plot) {
	half := geom.Rect{X0: p.X0, Y0: p.Y1 + 4, X1: p.X0 + p.W()/2 - 4, Y1: p.Y1 + 4 + line}
	for k, of := range []trend.Commit{d.Trend.Commits[0], d.Trend.Commits[p.n-1]} {
		text := scene.Text{Rect: half.Offset(float32(k)*(p.W()/2+4), 0), Fill: d.Secondary, Size: small,
			Text: typeface.Clip(escape.Line(of.Name), half.W(), small)}
		if k == 1 && p.n == 1 {
			break
		}
		if k == 1 {
			text.Align = scene.AlignRight
		}
		d.Write(text)
	}
}

// marks draws where the level changes and the range of commits in which that may be, with the
// factor and the commit where these have room: of changes that lie close together, the largest.
func (d *drawing) marks(p *plot, changes []*trend.Change) {
	var taken []geom.Rect
	slices.SortStableFunc(changes, func(x, y *trend.Change) int {
		return cmp.Compare(math.Abs(y.ChangeNs), math.Abs(x.ChangeNs))
	})
	for _, c := range changes {
		x := p.x(float64(c.Commit) - 1.5)
		if c.Earliest < c.Latest {
			d.Fill(geom.Rect{X0: p.x(float64(c.Earliest) - 1.5), Y0: p.Y0, X1: p.x(float64(c.Latest) - 1.5),
				Y1: p.Y1}, d.doubt())
		}
		d.Fill(geom.Rect{X0: x, Y0: p.Y0 - 4, X1: x + 1, Y1: p.Y1}, d.Error)
		says := typeface.Clip(factor(c.Factor, c.Before, c.After)+" at "+escape.Line(c.Name), p.W(), small)
		w := typeface.Width(says, small, false) + 1
		left := min(max(x-w/2, p.X0), p.X1-w)
		room := geom.Rect{X0: left, Y0: p.Y0 - 4 - line, X1: left + w, Y1: p.Y0 - 4}
		if slices.ContainsFunc(taken, func(r geom.Rect) bool { return !r.Inset(-4).Intersect(room).Empty() }) {
			continue
		}
		taken = append(taken, room)
		d.Write(scene.Text{Rect: room, Text: says, Fill: d.Error, Size: small})
	}
}

// curve draws a drift, which is a line through logarithms, where it lies within the panel.
func (d *drawing) curve(p *plot, l *trend.Drift) {
	last := l.First
	for k := 1; k < p.n && l.Factor > 0; k++ {
		next := l.First * math.Pow(l.Factor, float64(k)/float64(p.n-1))
		if p.shows(last) && p.shows(next) {
			d.Layer.Line(p.at(k-1, last), p.at(k, next), d.Text, 2)
		}
		last = next
	}
}
