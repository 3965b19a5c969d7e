package palette

import (
	"hash/fnv"
	"image/color"
)

// stateColours is how many colours states have among them: hues around the circle, each at two
// lightnesses.
const (
	stateHues    = 12
	stateColours = 2 * stateHues
)

// stateHue is the first hue of states, degrees.
const stateHue = 5.0

// blockingHues are the colours of the kinds of blocking, as everywhere: waiting is green, input and
// output is red. In the scheme for red-green blindness they are blue and orange. Lightness is
// relative to that of other states.
var blockingHues = map[string]lch{
	"running": {0, .025, 260}, "waiting": {0, .13, 150}, "I/O": {0, .16, 25},
	"runnable": {.06, .13, 85}, "off CPU": {-.08, .11, 300},
}

var blindHues = map[string]lch{
	"running": {0, .015, 260}, "waiting": {0, .13, 245}, "I/O": {.10, .14, 62},
	"runnable": {.18, .08, 90}, "off CPU": {-.10, .03, 300},
}

// States returns the colours of states by their names, which should be ordered by importance: a
// name keeps its colour from one list to another, unless a more important one has taken it. The
// name that stands for all others is grey. Up to 24 names are told apart; the kinds of blocking are
// a list of their own, so colours of other names may be near theirs.
func (p *Palette) States(names []string, other string) []color.NRGBA {
	light := .66
	if p.Dark {
		light = .70
	}
	blocking := blockingHues
	if p.Scheme == ColourBlind {
		blocking = blindHues
	}
	var taken [stateColours]int
	out := make([]color.NRGBA, len(names))
	for i, name := range names {
		own, known := blocking[name]
		switch {
		case name == other:
			out[i] = lch{light + .08, .008, 260}.opaque()
		case known:
			own.l += light
			out[i] = own.opaque()
		default:
			out[i] = stateColour(free(&taken, name), light).opaque()
		}
	}
	return out
}

// free takes the first colour from a name's own on that is taken least often.
func free(taken *[stateColours]int, name string) int {
	h := fnv.New32a()
	h.Write([]byte(name))
	at := int(h.Sum32() % stateColours)
	best := at
	for k := range stateColours {
		// Seven steps at a time lead through all colours, and far away from the one that is taken.
		if i := (at + 7*k) % stateColours; taken[i] < taken[best] {
			best = i
		}
	}
	taken[best]++
	return best
}

func stateColour(k int, light float64) lch {
	o := lch{light, .14, stateHue + 360/stateHues*float64(k%stateHues)}
	if k >= stateHues {
		o.l, o.c, o.h = o.l-.10, .13, o.h+360/stateHues/2
	}
	return o
}
