package threads

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/trace"
	"diptych/internal/wait"
)

// Line is a thread on each side that have the same angle and colour; −1 where a side has none.
type Line struct{ Threads [2]int }

// Options are what a user says of the arrangement. Lines are named by their index.
type Options struct {
	Focus  int             // the line in the main view; −1 for none
	Order  []int           // lines from left to right; those that are missing follow
	Hidden map[int]bool    // lines
	Idle   bool            // show idle threads
	Spread map[string]bool // roles whose threads have a section each, however many
	Most   int             // sections beyond which roles are folded; 0 for DefaultMost
	Wide   map[int]bool    // lines whose section is widened
	View   [2]geom.Span    // by side: what idle goes by
}

// DefaultMost is how many sections there are without folding threads of one role.
const DefaultMost = 32

// leastGroup is how many threads are worth folding.
const leastGroup = 3

// wideWeight is the width of a section that was clicked, against the others'.
const wideWeight = 4

func (o *Options) most() int {
	if o.Most > 0 {
		return o.Most
	}
	return DefaultMost
}

// Arrangement is what Arrange came to, by side.
type Arrangement struct {
	Focus    [2]Section
	Sections [2][]Section
	Lines    [][]int // by section: the lines it stands for
	Folded   [2]Folded
}

// Folded counts threads that have no section.
type Folded struct{ Idle, Hidden int }

func (f Folded) String() string {
	s := ""
	if f.Idle > 0 {
		s = fmt.Sprintf("%d idle %s folded", f.Idle, threads(f.Idle))
	}
	if f.Hidden > 0 {
		if s != "" {
			s += "  ·  "
		}
		s += fmt.Sprintf("%d hidden", f.Hidden)
	}
	return s
}

func threads(n int) string {
	if n == 1 {
		return "thread"
	}
	return "threads"
}

// Arrange lays out the threads of one or two sides. a[1] may be nil. Both sides get the same number
// of sections, at equal angles and in equal colours; where a side has no thread its section is
// free. A line is idle if no side's thread calls anything, or none waits or releases anything, in
// its view; where there are too many sections, also if all it does is wait for what never comes.
func Arrange(a [2]*wait.Analysis, lines []Line, o Options) Arrangement {
	var out Arrangement
	var shown []int
	for _, k := range order(len(lines), o.Order) {
		switch {
		case k == o.Focus:
		case o.Hidden[k]:
			out.count(lines[k], func(f *Folded) { f.Hidden++ })
		case !o.Idle && idle(a, lines[k], o.View):
			out.count(lines[k], func(f *Folded) { f.Idle++ })
		default:
			shown = append(shown, k)
		}
	}
	if len(shown) > o.most() {
		shown = slices.DeleteFunc(shown, func(k int) bool {
			stuck := !o.Idle && stuck(a, lines[k], o.View)
			if stuck {
				out.count(lines[k], func(f *Folded) { f.Idle++ })
			}
			return stuck
		})
	}
	if o.Focus >= 0 && o.Focus < len(lines) {
		for s := range out.Focus {
			out.Focus[s] = section(a[s], lines[o.Focus:o.Focus+1], s, palette.ThreadHue(o.Focus))
		}
	}
	for _, group := range groups(a, lines, shown, o) {
		out.add(a, lines, group, o)
	}
	out.part()
	return out
}

// order returns all of n lines, those given first.
func order(n int, first []int) []int {
	out := make([]int, 0, n)
	seen := make([]bool, n)
	for _, k := range first {
		if k >= 0 && k < n && !seen[k] {
			out, seen[k] = append(out, k), true
		}
	}
	for k := range n {
		if !seen[k] {
			out = append(out, k)
		}
	}
	return out
}

func (r *Arrangement) count(l Line, add func(*Folded)) {
	for s, t := range l.Threads {
		if t >= 0 {
			add(&r.Folded[s])
		}
	}
}

// groups folds lines of one role into the place of the first until there are few enough sections:
// first those of which a thread has least to do with others.
func groups(a [2]*wait.Analysis, lines []Line, shown []int, o Options) [][]int {
	of := map[string][]int{}
	var roles []string
	for _, k := range shown {
		role := Role(a, lines[k])
		if of[role] == nil {
			roles = append(roles, role)
		}
		of[role] = append(of[role], k)
	}
	slices.SortStableFunc(roles, func(x, y string) int {
		return cmp.Compare(dealings(a, lines, of[x]), dealings(a, lines, of[y]))
	})
	n, folded := len(shown), map[string]bool{}
	for _, role := range roles {
		if n > o.most() && role != "" && !o.Spread[role] && len(of[role]) >= leastGroup {
			folded[role] = true
			n -= len(of[role]) - 1
		}
	}
	var out [][]int
	for _, k := range shown {
		role := Role(a, lines[k])
		switch {
		case !folded[role]:
			out = append(out, []int{k})
		case of[role][0] == k:
			out = append(out, of[role])
		}
	}
	return out
}

// dealings returns how often a thread of a group releases and is released, on average.
func dealings(a [2]*wait.Analysis, lines []Line, group []int) float64 {
	n := uint64(0)
	for _, k := range group {
		for s, t := range lines[k].Threads {
			if t >= 0 && a[s] != nil {
				n += a[s].Threads[t].Released + a[s].Threads[t].Releases
			}
		}
	}
	return float64(n) / float64(len(group))
}

// Role returns what the threads of a line are to their program, or "" if they have only a number.
func Role(a [2]*wait.Analysis, l Line) string {
	for s, t := range l.Threads {
		if t < 0 || a[s] == nil {
			continue
		}
		if role := a[s].Trace.Threads[t].Role; role != "" {
			return role
		}
	}
	return ""
}

// add gives a group a section on each side.
func (r *Arrangement) add(a [2]*wait.Analysis, lines []Line, group []int, o Options) {
	own := make([]Line, len(group))
	wide := false
	for i, k := range group {
		own[i] = lines[k]
		wide = wide || o.Wide[k]
	}
	for s := range r.Sections {
		sec := section(a[s], own, s, palette.ThreadHue(group[0]))
		if wide {
			sec.Weight, sec.Bar = wideWeight, true
		}
		r.Sections[s] = append(r.Sections[s], sec)
	}
	r.Lines = append(r.Lines, group)
}

// section returns the section of one side's threads, of which the one that deals most with others
// lends its stacks.
func section(a *wait.Analysis, own []Line, side int, hue float64) Section {
	s := Section{Hue: hue}
	for _, l := range own {
		if t := l.Threads[side]; t >= 0 {
			s.Threads = append(s.Threads, t)
		}
	}
	if len(s.Threads) > 1 {
		s.Label = fmt.Sprintf("×%d", len(s.Threads))
	}
	if len(s.Threads) > 1 && a != nil {
		deals := func(t int) uint64 {
			return a.Threads[t].Released + a.Threads[t].Releases
		}
		slices.SortStableFunc(s.Threads, func(x, y int) int {
			return cmp.Compare(deals(y), deals(x))
		})
	}
	return s
}

// apartHue is the least difference in hue between neighbours, degrees.
const apartHue = 36

// part turns the hue of a section that is too much like its neighbour's: lines keep their colours
// when they are rearranged, and so alike ones may meet.
func (r *Arrangement) part() {
	for k := 1; k < len(r.Lines); k++ {
		before, hue := r.Sections[0][k-1].Hue, r.Sections[0][k].Hue
		if d := math.Remainder(hue-before, 360); math.Abs(d) < apartHue {
			hue = math.Mod(before+math.Copysign(1.5*apartHue, d)+360, 360)
			r.Sections[0][k].Hue, r.Sections[1][k].Hue = hue, hue
		}
	}
}

// idle reports whether a line has nothing to tell in view.
func idle(a [2]*wait.Analysis, l Line, view [2]geom.Span) bool {
	for s, t := range l.Threads {
		if t >= 0 && a[s] != nil && busy(a[s], t, view[s]) {
			return false
		}
	}
	return true
}

// busy reports whether a thread calls anything, and waits or releases anything, in view.
func busy(a *wait.Analysis, t int, view geom.Span) bool {
	from, to := int64(view.Start), int64(view.End)
	th := a.Trace.Threads[t]
	if i := sort.Search(th.Len(), func(i int) bool { return th.Start[i] > to }); i == 0 {
		return false
	}
	for range a.WaitsIn(t, from, to) {
		return true
	}
	return releases(a, t, from, to)
}

// stuck reports whether all that a line's threads do in view is wait for what never comes.
func stuck(a [2]*wait.Analysis, l Line, view [2]geom.Span) bool {
	for s, t := range l.Threads {
		if t < 0 || a[s] == nil {
			continue
		}
		from, to := int64(view[s].Start), int64(view[s].End)
		for w := range a[s].WaitsIn(t, from, to) {
			if a[s].Waits.Outermost(w) && a[s].Waits.How[w] != wait.Unreleased {
				return false
			}
		}
		if releases(a[s], t, from, to) {
			return false
		}
	}
	return true
}

// releases reports whether a thread releases anything in [from, to].
func releases(a *wait.Analysis, t int, from, to int64) bool {
	r := &a.Releases
	i := sort.Search(r.Len(), func(i int) bool {
		return int(r.Thread[i]) > t || int(r.Thread[i]) == t && r.At[i] >= from
	})
	if i < r.Len() && int(r.Thread[i]) == t && r.At[i] <= to {
		return true
	}
	stated := a.Trace.Correspondences
	i = sort.Search(len(stated), func(i int) bool { return stated[i].At >= from })
	return slices.ContainsFunc(stated[i:], func(c trace.Correspondence) bool {
		return c.At <= to && int(c.Release.Thread) == t
	})
}
