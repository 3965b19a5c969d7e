package finding

import (
	"context"
	"slices"
	"sync"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/trace"
)

// study holds the state of one call of Find, or of what it does with one
// sample type.
type study struct {
	p         *pair.Pair
	aligned   []*align.Result        // threads that both sides have, as they were aligned
	results   []*align.Result        // the same, with pairs that are out of order
	moved     [][][2]int32           // roots of the subtrees that are out of order, by result
	different [][]int32              // by result: A's calls with a partner of another function
	lone      []*align.Result        // threads that only one side has
	equal     map[*align.Result]bool // all calls are equal
	metrics   metricsByResult
	o         Options
	report    *Report
	unit      trace.Unit
	run       int64 // ns, of the longer run
	// sampleType is which of the pair's it is about: threads of others are left out.
	sampleType string

	sums
	family  map[uint32]bool        // identities that stand for spans with arguments
	taken   map[uint32]bool        // identities of renamed functions, of both names
	gone    [2][]bool              // by side and identity: (nearly) only this side has the name
	renames []rename               // most calls first
	rules   [2]*dependenceRules    // by side: what the duration of a call depends on
	efforts [dependences][]*effort // by trust, in the order of identities
	begins  []blockBegins          // by result
	longer  [dependences][]int64   // by trust and A's edge: how much longer pairs take in B, ns
	tickNs  float64                // of the clock
	noise   *noise                 // of functions' self times
	numbers sync.Pool              // of *[]int32 by identity, and one more for roots, all 0
	uneven  []uneven               // by result: levels with strays
	causes  causes                 // calls without a partner
	moves   map[uint32]*move       // by identity

	scheduled bool   // which thread does what is left to the schedule
	pools     *pools // which call functions; nil until that is asked for
	floor     floor
	moments   [2][]uint32 // by side and identity: see momentsOf; nil until that is asked for
	mostIn    []oneThread // by identity
	toldMoved map[uint32]bool
	graph     *callGraph
	ownParts  map[uint32]float64 // by identity: see owned

	ctx   context.Context
	meter *progress.Meter
	calls progress.Ticker // gone through by one goroutine
}

// metricsByResult are the metrics of results, as they were aligned.
type metricsByResult map[*align.Result]align.Metrics

func newStudy(ctx context.Context, p *pair.Pair, results []*align.Result, sampleType string,
	o Options, report progress.Func) *study {
	s := &study{p: p, o: o, unit: p.A.Unit, moves: map[uint32]*move{},
		sums: sums{names: slices.Clone(p.Names), newNames: map[uint32]string{}}, toldMoved: map[uint32]bool{},
		taken: map[uint32]bool{}, family: map[uint32]bool{}, equal: map[*align.Result]bool{},
		metrics: metricsByResult{},
		ctx:     ctx, meter: progress.NewMeter(report, 0)}
	s.calls = progress.Ticker{Meter: s.meter, Every: checkEvery}
	s.report = &Report{Pace: 1, Noise: Noise{Quiet: true}}
	s.run, s.sampleType = 1, sampleType
	for sd := range s.report.Durations {
		s.report.Durations[sd] = p.Extent(pair.Side(sd), sampleType)
		s.run = max(s.run, s.report.Durations[sd])
	}
	if len(p.SampleTypes()) > 1 {
		s.report.SampleType = sampleType
		results = slices.DeleteFunc(slices.Clone(results), func(r *align.Result) bool {
			sd := pair.Side(toInt(r.Indices[pair.A] < 0))
			return p.SampleTypeOf(sd, r.Indices[sd]) != sampleType
		})
		for _, r := range results {
			for sd, k := range r.Indices {
				if k >= 0 {
					s.threads[sd] = &k
				}
			}
		}
	}
	var total align.Metrics
	for k, m := range metricsOf(ctx, results) {
		r := results[k]
		total = total.Plus(m)
		s.equal[r], s.metrics[r] = m.Different+m.GapA+m.GapB == 0, m
		switch {
		case r.Indices[pair.A] >= 0 && r.Indices[pair.B] >= 0:
			s.results = append(s.results, r)
			s.meter.Expect(passes * int64(len(r.Partner[pair.A])))
		case r.Indices[pair.A] >= 0 || r.Indices[pair.B] >= 0:
			s.lone = append(s.lone, r)
		}
	}
	s.report.Similarity = total.Similarity()
	s.rules = [2]*dependenceRules{newRules(p.A), newRules(p.B)}
	s.numbers.New = func() any { return new(make([]int32, len(p.Names)+1)) }
	s.same = make([]uint32, len(p.Names))
	for id := range s.same {
		s.same[id] = uint32(id)
	}
	return s
}

// metricsOf returns the metrics of results, zero for some once ctx is done.
func metricsOf(ctx context.Context, results []*align.Result) []align.Metrics {
	of := make([]align.Metrics, len(results))
	_ = progress.Spread(ctx, len(results), func(k int) error {
		of[k] = results[k].Metrics()
		return nil
	})
	return of
}

// placeOf returns where call i of a side of r is.
func placeOf(r *align.Result, sd pair.Side, i int32) *Place {
	return &Place{Thread: r.Indices[sd], Call: i}
}

// share returns |ns| as a share of the longer run.
func (s *study) share(ns int64) float64 { return float64(magnitude(ns)) / float64(s.run) }

const (
	passes     = 6       // over all calls
	pairPasses = 3       // of these, over the pairs of functions
	checkEvery = 1 << 16 // calls between two looks at the context
)
