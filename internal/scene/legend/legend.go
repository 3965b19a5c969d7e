// Package legend says what the colours of a view mean: as data, and drawn as lines of swatches with
// labels. It is a function of what a view shows; it knows no window, session or trace. Colour never
// stands alone: here each is named, and each swatch has the shape it has in the view.
package legend

import (
	"fmt"
	"image/color"

	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene/links"
)

// Entry explains one colour, or one scale of colours.
type Entry struct {
	Label  string
	Swatch Swatch
}

// Swatch is the sample before a label.
type Swatch struct {
	Kind    Kind
	Colours []color.NRGBA // one, or the evenly spaced stops of a Gradient
}

// Kind is the shape of a swatch.
type Kind uint8

const (
	Solid    Kind = iota
	Gradient      // a wide one that runs through the stops
	Outline       // a border
	Gloss         // a tube with a highlight along it
	Pale          // a thin, half transparent tube
	Earlier       // a bar with a step to the left
	Later         // a bar with a step to the right
	Heights       // bars of several heights
	Hatched       // diagonal stripes
	Dashed        // a fill with a dashed border
	Diagonal      // a border with a diagonal in it
	Cross         // a border with a cross in it
	Dotted        // a thin line that ends in a dot
	Disc          // a circle
	Open          // a small square, empty
	Ring          // a small circle, empty
	Band          // a pale band between two lines, which come together at one end
	Shaded        // a pale fill that begins with a stroke
	Low           // a bar of half the height
	Path          // a thick line
	Hollow        // a thick line with a gap along it
)

// Options is what a legend depends on.
type Options struct {
	Palette *palette.Palette
	Unit    string // of the axis of time, or of what a profile counts

	Profile bool   // the axis adds samples up: nothing is earlier or later
	Calls   string // what numbers of calls are of, such as "stacks"; "" for calls

	// For Overview.
	Turn float64 // mean shift from which bars have full colour, ns; 0 if unknown
	Lit  bool    // bars that hold matches of what is hovered are marked
	Open bool    // some bars may grow still

	// For Matches.
	Colour     links.Colour
	Viewpoint  int     // the side that links.TraceCentric looks from
	Far        float64 // shift from which tubes have full colour: ns, or a share if Relative; or 0
	Relative   bool
	Similarity bool // shown by opacity and highlights
	Brush      bool // only some matches are coloured
	Boxes      bool // calls narrower than a pixel are drawn as boxes
	Repeats    bool // repetitions are outlined

	// For Threads: what there is on either side.
	Waits, Ended, Unreleased bool // waits, those that a release ended, and those that never ended
	Operating, Queued        bool // input and output, and time without a processor
	Alone                    bool // threads that only one side has

	ByObject bool // colours of waits tell objects
	Compared bool // there is another side
	Links    bool // there are causal links
	States   bool // what threads did over time is drawn
	Critical bool // the critical path is drawn

	// For Alignment, and Boxes.
	Moved bool // something has moved
	Runs  bool // there are other runs of a side
}

// Overview explains the bars of the overview.
func Overview(o Options) []Entry {
	p, least := o.Palette, ""
	if o.Turn > 0 {
		least = "≥ " + o.format(o.Turn) + " "
	}
	height := Entry{"height: √ of the sum of similarity", one(Heights, p.Turn(0))}
	entries := []Entry{
		{"bars: matches " + least + "earlier in the other trace", one(Earlier, p.Past)},
		{"at the same time", solid(p.Turn(0))},
		{least + "later", one(Later, p.Future)},
		height,
	}
	if o.Profile {
		entries = []Entry{{"bars: matches", solid(p.Turn(0))}, height}
	}
	if o.Lit {
		entries = append(entries, Entry{"matches of the call under the pointer", solid(p.Lit)})
	}
	if o.Open {
		entries = append(entries, Entry{"not all compared yet: can only grow", one(Hatched, p.Turn(0))})
	}
	return entries
}

// Matches explains the tubes between the icicles, and what marks calls in the icicles.
func Matches(o Options) []Entry {
	p := o.Palette
	entries := []Entry{o.tubes()}
	add := func(on bool, label string, s Swatch) {
		if on {
			entries = append(entries, Entry{label, s})
		}
	}
	add(o.Brush, "match of another call", solid(p.Aside()))
	add(o.Similarity, "weak match", one(Pale, p.Tube))
	add(o.Similarity, "strong match", one(Gloss, p.Tube))
	add(o.Boxes, "calls narrower than a pixel", solid(p.SubPixel))
	add(o.Repeats, "repetition", one(Outline, p.Far))
	return entries
}

// tubes explains the colour of tubes.
func (o *Options) tubes() Entry {
	p := o.Palette
	switch o.Colour {
	case links.TimeShift:
		return Entry{o.shift(), Swatch{Gradient, stops(p.Shift)}}
	case links.TraceCentric:
		across := "BA"[o.Viewpoint&1:][:1]
		where := "starts early to late in its group in "
		if o.Profile {
			where = "first to last in its group in "
		}
		return Entry{where + across, Swatch{Gradient, stops(p.Rainbow)}}
	}
	return Entry{"match", solid(p.Tube)}
}

// shift names the two ends of the scale of shifts.
func (o *Options) shift() string {
	switch {
	case o.Far <= 0:
		return "same time to far apart"
	case o.Relative:
		return fmt.Sprintf("same place in its group to ≥ %.0f %% apart", 100*o.Far)
	}
	return "same time to ≥ " + o.format(o.Far) + " apart"
}

func (o *Options) format(v float64) string { return geom.FormatValue(v, o.Unit) }

func one(k Kind, c color.NRGBA) Swatch { return Swatch{k, []color.NRGBA{c}} }

func solid(c color.NRGBA) Swatch { return one(Solid, c) }

// stops samples a scale evenly.
func stops(scale func(float32) color.NRGBA) []color.NRGBA {
	const n = 13
	out := make([]color.NRGBA, n)
	for i := range out {
		out[i] = scale(float32(i) / (n - 1))
	}
	return out
}

// Alignment explains the states of calls, the strips below them, and what marks calls.
func Alignment(o Options) []Entry {
	a := o.Palette.Alignment()
	entries := []Entry{
		{"equal", solid(a.Equal)},
		{"different function", solid(a.Different)},
		{"only in A", solid(a.GapB)},
		{"only in B", solid(a.GapA)},
	}
	if o.Moved {
		entries = append(entries, Entry{"moved", one(Hatched, a.GapB)})
	}
	ahead := " has run longer"
	if o.Profile {
		ahead = " has more"
	}
	entries = append(entries,
		Entry{"dissimilarity: none to all around differs", Swatch{Gradient, stops(a.Heat)}},
		Entry{"skew: A" + ahead, solid(a.SkewA)},
		Entry{"B" + ahead, solid(a.SkewB)},
	)
	if o.Runs {
		entries = append(entries, Entry{"other runs of a side", solid(o.Palette.RunBand())})
	}
	if o.Boxes {
		entries = append(entries, Entry{"calls narrower than a pixel", solid(o.Palette.SubPixel)})
	}
	return entries
}

// Threads explains the colours of calls by what their time went into, the shapes of waits, and the
// states of threads, as far as there are any. The entries are in order of need: where there is
// little room, the last ones are left out.
func Threads(o Options) []Entry {
	w := o.Palette.Waits()
	own := w.Thread(palette.ThreadHue(0))
	var entries []Entry
	add := func(on bool, more ...Entry) {
		if on {
			entries = append(entries, more...)
		}
	}
	add(o.Waits || o.Operating, Entry{"neither", solid(w.Busy)})
	add(o.Waits, Entry{"waiting", Swatch{Gradient, stops(w.Waiting)}})
	add(o.Operating, Entry{"I/O", Swatch{Gradient, stops(w.Operating)}})
	add(o.Ended, Entry{"a wait", one(Band, own)}, Entry{"its release", one(Disc, own)})
	add(o.Unreleased, Entry{"never released", one(Open, own)})
	add(o.Ended, Entry{"another waits meanwhile", one(Shaded, own)})
	add(o.Critical, Entry{"critical path", one(Path, o.Palette.Text)},
		Entry{"unexplained wait", one(Hollow, o.Palette.Text)})
	add(o.ByObject, Entry{"same objects", solid(w.Same)}, Entry{"some of its objects", solid(w.Shared)},
		Entry{"others", solid(w.Other)})
	add(o.Alone, Entry{"only on the other side", one(Ring, palette.Mix(own, o.Palette.Pane, .6))})
	add(o.Compared && o.Ended, Entry{"thick: changed", one(Outline, o.Palette.Secondary)})
	add(o.States, Entry{"running", solid(o.Palette.Active())})
	add(o.States && o.Queued, Entry{"runnable", one(Low, w.Queued)})
	add(o.Links, Entry{"causal link", one(Dotted, o.Palette.Secondary)})
	return entries
}
