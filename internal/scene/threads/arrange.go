package threads

import (
	"cmp"
	"slices"
	"strings"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/trace"
)

// Options are how a user wants the threads arranged. A line is a pair of threads, or a thread
// without a partner, given by its index in Pair.Threads. Both threads of a line lie at the same
// angle and have the same colour.
type Options struct {
	Focus  int             // the line in the main view; −1 for none
	Order  []int           // lines from left to right; those that are missing follow
	Hidden map[int]bool    // lines
	Idle   bool            // show idle threads, and what else has no section
	Spread map[string]bool // roles whose threads have a section each, however many
	Most   int             // sections beyond which roles are folded; 0 for DefaultMost
	Wide   map[int]bool    // lines whose section is widened
}

// DefaultMost is how many sections there are without folding threads of one role.
const DefaultMost = 32

// leastGroup is how many threads are worth folding.
const leastGroup = 3

// wideWeight is how many times as wide as the others a section is that was clicked.
const wideWeight = 4

func (o *Options) most() int {
	if o.Most > 0 {
		return o.Most
	}
	return DefaultMost
}

// Arrangement says where each thread lies, by side.
type Arrangement struct {
	Focus    [2]Section
	Sections [2][]Section
	Lines    [][]int // by section: the lines it stands for
	Folded   [2]Folded
	Places   [2][]int32 // by side and thread, for State

	at   []int32   // by line: its place
	hues []float64 // by line: of its colour
}

// PlaceOf returns the place of a line: Main, an index into Sections, or Nowhere.
func (r *Arrangement) PlaceOf(line int) int {
	if line < 0 || line >= len(r.at) {
		return Nowhere
	}
	return int(r.at[line])
}

// HueOf returns the hue of a line: as it is drawn if it has a place.
func (r *Arrangement) HueOf(line int) float64 {
	switch k := r.PlaceOf(line); {
	case k >= 0:
		return r.Sections[0][k].Hue
	case line >= 0 && line < len(r.hues):
		return r.hues[line]
	}
	return palette.ThreadHue(line)
}

// Folded counts threads that have no section: those that neither wait nor release anything, however
// busy they are; those whose waits all last to the end of the recording; those of the language's
// runtime; tracks of asynchronous spans, which are no threads; and those that a user hid.
type Folded struct{ Apart, Endless, Runtime, Tracks, Hidden int }

func (f Folded) String() string {
	var folded, parts []string
	threads := func(n int, which string) { // the noun stands once
		switch {
		case n == 0:
		case folded == nil:
			folded = append(folded, geom.FormatThings(n, "thread")+which)
		default:
			folded = append(folded, geom.FormatWhole(int64(n))+which)
		}
	}
	threads(f.Apart, " without waits")
	threads(f.Endless, " that wait to the end")
	threads(f.Runtime, " of the runtime")
	if f.Tracks > 0 {
		folded = append(folded, geom.FormatThings(f.Tracks, "track"))
	}
	if len(folded) > 0 {
		parts = append(parts, strings.Join(folded, ", ")+" folded")
	}
	if f.Hidden > 0 {
		parts = append(parts, geom.FormatWhole(int64(f.Hidden))+" hidden")
	}
	return strings.Join(parts, "  ·  ")
}

// of returns the count that a thread without a section belongs to.
func (f *Folded) of(th *trace.Thread, waits bool) *int {
	switch {
	case !th.Runs():
		return &f.Tracks
	case th.Kind == trace.Runtime:
		return &f.Runtime
	case waits:
		return &f.Endless
	}
	return &f.Apart
}

// Arrange lays out the threads of one or two sides. Both sides get the same number of sections, at
// equal angles and in equal colours; where only the other side has a thread, a section is free.
// Idle lines have no section: those whose threads never wait or release anything, those of the
// language's runtime that let no thread of the program go on, and if there are too many sections
// also those that only wait until the end of the recording.
//
// Cost follows the threads that are not idle. p may be nil: then nothing is arranged.
func Arrange(p *Prepared, o Options) Arrangement {
	var out Arrangement
	if p == nil {
		return out
	}
	shown := p.shown(&o, &out)
	out.hues = p.hues
	if o.Focus >= 0 && o.Focus < len(p.lines) {
		for s := range out.Focus {
			out.Focus[s] = p.section(s, []int{o.Focus}, p.hues[o.Focus])
		}
	}
	for _, group := range p.groups(shown, &o) {
		out.addSection(p, group, &o)
	}
	out.notePlaces(p, o.Focus)
	return out
}

// shown returns the lines that have a section or share one, from left to right, and counts the
// threads of the others.
func (p *Prepared) shown(o *Options, out *Arrangement) []int {
	for s := range out.Folded {
		out.Folded[s] = p.idle[s]
	}
	if o.Idle {
		out.Folded = [2]Folded{}
	}
	hides := func(k int) bool { return k != o.Focus && o.Hidden[k] }
	for k := range o.Hidden {
		if k >= 0 && k < len(p.lines) && hides(k) {
			p.eachThread(k, func(s, _ int) { out.Folded[s].Hidden++ })
			if p.lines[k].idle && !o.Idle {
				p.countFolded(k, &out.Folded, -1)
			}
		}
	}
	if k := o.Focus; k >= 0 && k < len(p.lines) && p.lines[k].idle && !o.Idle {
		p.countFolded(k, &out.Folded, -1)
	}
	shown := slices.DeleteFunc(p.order(o), func(k int) bool { return k == o.Focus || hides(k) })
	if len(shown) <= o.most() || o.Idle {
		return shown
	}
	return slices.DeleteFunc(shown, func(k int) bool {
		if p.lines[k].stuck {
			p.countFolded(k, &out.Folded, 1)
		}
		return p.lines[k].stuck
	})
}

// countFolded adds n for each thread of a line to what is folded.
func (p *Prepared) countFolded(k int, to *[2]Folded, n int) {
	p.eachThread(k, func(s, t int) {
		a := p.Sides[s]
		*to[s].of(p.Pair.Trace(pair.Side(s)).Threads[t], a != nil && a.Threads[t].Waits > 0) += n
	})
}

// order returns the lines that may have a section: those that are not idle, or all. Those that the
// options name come first.
func (p *Prepared) order(o *Options) []int {
	out := make([]int, 0, len(p.active)+len(o.Order))
	seen := make(map[int]bool, len(o.Order))
	add := func(k int) {
		if !seen[k] {
			out = append(out, k)
		}
	}
	for _, k := range o.Order {
		if k >= 0 && k < len(p.lines) && (o.Idle || !p.lines[k].idle) {
			add(k)
			seen[k] = true
		}
	}
	if o.Idle {
		for k := range p.lines {
			add(k)
		}
		return out
	}
	for _, k := range p.active {
		add(int(k))
	}
	return out
}

// groups returns the lines of each section. While there are too many sections, lines of one role
// share the section of the first of them. Roles whose threads deal least with others begin.
func (p *Prepared) groups(shown []int, o *Options) [][]int {
	of := make([][]int, len(p.roles))
	var roles []int32
	for _, k := range shown {
		r := p.lines[k].role
		if r < 0 {
			continue
		}
		if of[r] == nil {
			roles = append(roles, r)
		}
		of[r] = append(of[r], k)
	}
	slices.SortStableFunc(roles, func(x, y int32) int {
		return cmp.Compare(p.dealings(of[x]), p.dealings(of[y]))
	})
	n, folded := len(shown), make([]bool, len(p.roles))
	for _, r := range roles {
		if n > o.most() && !o.Spread[p.roles[r].name] && len(of[r]) >= leastGroup {
			folded[r] = true
			n -= len(of[r]) - 1
		}
	}
	var out [][]int
	for _, k := range shown {
		switch r := p.lines[k].role; {
		case r < 0 || !folded[r]:
			out = append(out, []int{k})
		case of[r][0] == k:
			out = append(out, of[r])
		}
	}
	return out
}

// dealings returns how often a line of a group releases and is released, on average.
func (p *Prepared) dealings(group []int) float64 {
	n := uint64(0)
	for _, k := range group {
		n += p.lines[k].dealings
	}
	return float64(n) / float64(len(group))
}

// addSection gives a group a section on each side.
func (r *Arrangement) addSection(p *Prepared, group []int, o *Options) {
	group = p.leadFirst(group)
	wide := slices.ContainsFunc(group, func(k int) bool { return o.Wide[k] })
	for s := range r.Sections {
		sec := p.section(s, group, p.hueOf(group))
		if wide {
			sec.Weight, sec.Bar = wideWeight, true
		}
		if len(group) > 1 {
			sec.useCrowd(p, s, group, o)
		}
		r.Sections[s] = append(r.Sections[s], sec)
	}
	r.Lines = append(r.Lines, group)
}

// leadFirst returns a group with the line first whose stacks stand for the group, the same on both
// sides: one that has a thread on each, if there is any, and of those the one that deals most with
// others.
func (p *Prepared) leadFirst(group []int) []int {
	if len(group) < 2 {
		return group
	}
	both := func(k int) int {
		if t := p.Pair.Threads[k]; t.On(pair.A) >= 0 && t.On(pair.B) >= 0 {
			return 1
		}
		return 0
	}
	group = slices.Clone(group)
	slices.SortStableFunc(group, func(x, y int) int {
		return cmp.Or(cmp.Compare(both(y), both(x)),
			cmp.Compare(p.lines[y].dealings, p.lines[x].dealings))
	})
	return group
}

// hueOf returns the hue of a section: of its thread, or of the role of several.
func (p *Prepared) hueOf(group []int) float64 {
	if r := p.lines[group[0]].role; len(group) > 1 && r >= 0 {
		return p.roles[r].hue
	}
	return p.hues[group[0]]
}

// colour gives each line, and each role whose threads may share a section, a hue that it keeps
// wherever it lies. Sections that lie beside each other at first come first, so that no two of
// them are alike.
func (p *Prepared) colour() {
	p.hues = slices.Repeat([]float64{-1}, len(p.lines))
	n := 0
	give := func(hue *float64) {
		if *hue < 0 {
			*hue = palette.ThreadHue(n)
			n++
		}
	}
	for r := range p.roles {
		p.roles[r].hue = -1
	}
	o := Options{Focus: -1}
	for _, group := range p.groups(p.shown(&o, &Arrangement{}), &o) {
		if len(group) > 1 {
			give(&p.roles[p.lines[group[0]].role].hue)
		} else {
			give(&p.hues[group[0]])
		}
	}
	for r := range p.roles {
		give(&p.roles[r].hue)
	}
	for k := range p.hues {
		give(&p.hues[k])
	}
}

// section returns the section that a side's threads share. The stacks of the first are shown.
func (p *Prepared) section(side int, group []int, hue float64) Section {
	s := Section{Hue: hue}
	for _, k := range group {
		if t := p.Pair.Threads[k].On(pair.Side(side)); t >= 0 {
			s.Threads = append(s.Threads, t)
		}
	}
	if len(s.Threads) < 2 {
		return s
	}
	s.Label = "×" + geom.FormatWhole(int64(len(s.Threads)))
	return s
}

// useCrowd makes a section whose threads are those of a role, but for some, look up the waits of
// the role.
func (s *Section) useCrowd(p *Prepared, side int, group []int, o *Options) {
	r := p.lines[group[0]].role
	c := &p.roles[r].crowds[side]
	if c.free == nil {
		return
	}
	s.crowd, s.stuck = c, o.Idle
	absent := func(k int) {
		if k < 0 || k >= len(p.lines) || p.lines[k].role != r || p.lines[k].asides() && !o.Idle {
			return
		}
		if t := p.Pair.Threads[k].On(pair.Side(side)); t >= 0 {
			s.absent = append(s.absent, t)
		}
	}
	absent(o.Focus)
	for k, hidden := range o.Hidden {
		if hidden && k != o.Focus {
			absent(k)
		}
	}
}

// notePlaces notes where each line and each thread is.
func (r *Arrangement) notePlaces(p *Prepared, focus int) {
	r.at = slices.Repeat([]int32{Nowhere}, len(p.lines))
	for k, lines := range r.Lines {
		for _, line := range lines {
			r.at[line] = int32(k)
		}
	}
	if focus >= 0 && focus < len(r.at) {
		r.at[focus] = Main
	}
	for s := range r.Places {
		if a := p.Sides[s]; a != nil {
			r.Places[s] = places(nil, len(a.Trace.Threads), &r.Focus[s], r.Sections[s])
		}
	}
}
