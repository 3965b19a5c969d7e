package aggregate

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"diptych/internal/aggregate"
	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/session"
)

// This file says what the view wants computed, each of it from the one before:
//
//	codes       the pair                      →  the tree of the code, if it is asked for
//	models      range, timeslices, states     →  the microscopic models
//	overviews   models, resources             →  qualities, partitions for the best p, pictures
//	searches    overview                      →  the same, if the best p took too long before
//	curves      overview, curve, round        →  the quality curve, a round of searches further
//	partitions  overview, p                   →  pictures for the p that was chosen

var codes = session.Result[*pair.Pair, *code]{Slot: "aggregate code",
	Label: "Sorting calls by where in the code they are",
	Key: func(st *session.State) (*pair.Pair, bool) {
		return st.Pair, st.Pair != nil && ownOf(st).Code
	},
	Find: func(ctx context.Context, p *pair.Pair, _ progress.Func) (*code, error) {
		return findCode(ctx, p)
	}}

// modelsOf is what microscopic models are made of.
type modelsOf struct {
	pair    *pair.Pair
	code    *code
	spans   [2]aggregate.Span
	slices  int
	states  aggregate.States
	virtual *align.Result // the pair of threads whose virtual time is cut; nil for shares
}

// rest is how long the shown range has to stay before it is aggregated anew. It is longer than the
// pause between two steps of a pan or zoom: until then the partitions of the range before are drawn
// where their timeslices are now, which costs no more than any other view.
const rest = 400 * time.Millisecond

var models = session.Result[modelsOf, *cut]{Slot: "aggregate models",
	Label: "Cutting the traces into timeslices", Rest: rest, PerPane: true,
	Key: modelsKey, Find: findModels}

func modelsKey(st *session.State) (k modelsOf, ok bool) {
	o := ownOf(st)
	if st.Pair == nil || st.Apart != nil {
		return k, false
	}
	k = modelsOf{pair: st.Pair, slices: o.Slices, states: o.States}
	if o.Code {
		if k.code, ok = codes.Of(st); !ok {
			return k, false
		}
		k.states = 0 // by code there is but one
	}
	if o.Virtual && st.Both() {
		if k.virtual = aligned(st); k.virtual == nil {
			return k, false
		}
	}
	for s := range k.spans {
		if f := st.Sides[s].Seen(); st.Loaded(pair.Side(s)) {
			from := int64(f.Start)
			k.spans[s] = aggregate.Span{From: from, To: max(int64(math.Ceil(f.End)), from+1)}
		}
	}
	return k, true
}

// aligned returns the alignment of the pair of threads whose time timeslices follow: the one that
// the pane shows, or nil if it is not known or has no partner.
func aligned(st *session.State) *align.Result {
	if a := st.Aligned; a != nil && a.Pair == st.Pair && st.Current < len(a.Results) {
		return a.Results[st.Current]
	}
	return nil
}

// cut is what the traces are cut into: the models, with what has been measured of all their
// resources, so that zooming into some of them does not measure these again.
type cut struct {
	*aggregate.Models
	of    modelsOf
	whole [aggregate.Mean + 1]atomic.Pointer[overview] // by operator
}

func findModels(ctx context.Context, k modelsOf, report progress.Func) (*cut, error) {
	o := aggregate.Options{Slices: k.slices, States: k.states}
	if k.code != nil {
		o.Code = k.code.code
	}
	if k.virtual != nil {
		var err error
		if o.Borders, err = bordersOf(ctx, k); err != nil {
			return nil, err
		}
	}
	m, err := aggregate.New(ctx, k.pair, k.spans, o, report)
	return &cut{Models: m, of: k}, err
}

// bordersOf cuts what both sides show into slices of equal virtual time, and finds their borders on
// each side. Before and after the threads that are aligned, virtual time goes on with that of the
// side that shows something there; the other side has empty slices then.
func bordersOf(ctx context.Context, k modelsOf) (borders [2][]int64, err error) {
	v, err := k.virtual.Virtual(ctx)
	if err != nil {
		return borders, err
	}
	from := min(v.At(pair.A, k.spans[pair.A].From), v.At(pair.B, k.spans[pair.B].From))
	to := max(v.At(pair.A, k.spans[pair.A].To), v.At(pair.B, k.spans[pair.B].To))
	if to <= from {
		return borders, fmt.Errorf("nothing of the threads that are aligned lies in what is shown")
	}
	for s := range borders {
		last, end := int64(0), k.pair.Trace(pair.Side(s)).Duration
		for i := range k.slices + 1 {
			at := from + int64(float64(to-from)*float64(i)/float64(k.slices))
			last = min(max(v.Real(pair.Side(s), at), last), end)
			borders[s] = append(borders[s], last)
		}
	}
	return borders, nil
}

// overviewOf is what an overview is made of.
type overviewOf struct {
	cut       *cut
	resources string // that are shown; "" for all
	operator  aggregate.Operator
}

var overviews = session.Result[overviewOf, *overview]{Slot: "aggregate", Label: "Aggregating",
	PerPane: true,
	Key: func(st *session.State) (overviewOf, bool) {
		c, ok := models.Of(st)
		o := ownOf(st)
		return overviewOf{c, formatResources(o.resources()), o.Operator}, ok
	},
	Find: func(ctx context.Context, k overviewOf, _ progress.Func) (*overview, error) {
		return find(ctx, k.cut, parseResources(k.resources), k.operator)
	}}

var searches = session.Result[*overview, *overview]{Slot: "aggregate best",
	Label: "Looking for the best p", PerPane: true,
	Key: func(st *session.State) (*overview, bool) {
		if o, ok := overviews.Of(st); ok && !o.searched {
			return o, true
		}
		return nil, true // a search for an overview that is not shown any more ends
	},
	Find: func(ctx context.Context, o *overview, _ progress.Func) (*overview, error) {
		select {
		case <-time.After(drawTime): // the picture is drawn before all processors are busy again
		case <-ctx.Done():
		}
		return o.search(ctx)
	}}

// drawTime is enough for the window to draw a first picture.
const drawTime = 120 * time.Millisecond

// searched returns an overview with its best p, as soon as that is known.
func searched(st *session.State, o *overview) *overview {
	if best, _ := searches.Last(st); best != nil && best.parts == o.parts {
		return best
	}
	return o
}

// growthOf is what the next round of searches begins with. Only the curve that is shown grows: each
// further search costs nearly as much as a picture, and there are hundreds of them.
type growthOf struct {
	of     *overview
	curve  int
	rounds int
}

// curveRest is how long an overview has to stay before its curve grows. It is longer than the pause
// from one step of a zoom to the next, after which nobody would look at the curve any more.
var curveRest = 600 * time.Millisecond // but for tests

var curves = session.Result[growthOf, *growth]{Slot: "aggregate curves",
	Label: "Looking for further values of p", PerPane: true, Gradual: true, Find: grow,
	Rests: func(k growthOf) time.Duration {
		if k.rounds > 0 {
			return 0
		}
		return curveRest
	}}

func init() { curves.Key = growthKey } // since it asks for the last round

func growthKey(st *session.State) (k growthOf, ok bool) {
	of, ok := overviews.Of(st)
	if ok {
		of = searched(st, of)
	}
	if !ok || !of.searched {
		return k, true // the curve of an overview that is not shown any more stays as it is
	}
	k.of, k.curve = of, of.leading(ownOf(st))
	if last, _ := curves.Last(st); last != nil && last.of == k.of && last.curve == k.curve {
		k.rounds = last.rounds
		return k, !last.done()
	}
	return k, true
}

// atP is an overview and the p that was chosen for it.
type atP struct {
	of *overview
	p  float64
}

var partitions = session.Result[atP, *pictures]{Slot: "aggregate p", Label: "Aggregating",
	PerPane: true,
	Key: func(st *session.State) (atP, bool) {
		of, ok := overviews.Of(st)
		o := ownOf(st)
		if !ok || !o.Fixed {
			return atP{}, false
		}
		return atP{searched(st, of), o.P}, true
	},
	Find: func(ctx context.Context, k atP, _ progress.Func) (*pictures, error) {
		shown, err := k.of.at(ctx, k.p)
		return &shown, err
	}}

// overviewIn returns the overview to be shown, nil until there is one. While another range is being
// aggregated, it is the one before.
func overviewIn(st *session.State) *overview {
	if o, ok := overviews.Of(st); ok {
		return searched(st, o)
	}
	if o, _ := overviews.Last(st); o != nil && o.cut.Pair == st.Pair && (o.cut.of.code != nil) == ownOf(st).Code {
		return searched(st, o)
	}
	return nil
}

// picturesIn returns what is shown of an overview: at the p that was chosen or, until that is
// known, at the p before.
func picturesIn(st *session.State, o *overview) pictures {
	if !ownOf(st).Fixed {
		return o.shown
	}
	if shown, ok := partitions.Of(st); ok {
		return *shown
	}
	if shown, _ := partitions.Last(st); shown != nil && shown.of(o) {
		return *shown
	}
	return o.shown
}

// of reports whether pictures are of an overview.
func (p *pictures) of(o *overview) bool {
	for k, x := range p {
		if x != nil && (o.parts[k] == nil || x.Source != o.parts[k].source) {
			return false
		}
	}
	return true
}

// growthIn returns the curve of an overview that has grown, nil if no more of its curves is known
// than the overview itself knows.
func growthIn(st *session.State, o *overview) *growth {
	if g, _ := curves.Last(st); g != nil && g.of == o {
		return g
	}
	return nil
}

// formatResources writes a list of resources so that it can be compared; "" stands for all.
func formatResources(of []int) string {
	if of == nil {
		return ""
	}
	var b []byte
	for _, r := range of {
		b = append(strconv.AppendInt(b, int64(r), 10), ' ')
	}
	return string(b)
}

// parseResources reads what formatResources wrote.
func parseResources(text string) (of []int) {
	for _, f := range strings.Fields(text) {
		r, _ := strconv.Atoi(f) // which formatResources wrote
		of = append(of, r)
	}
	return of
}
