package runs

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"diptych/internal/account"
	"diptych/internal/pair"
	"diptych/internal/progress"
)

// What may be claimed. A p of 1 % at one place of a hundred is nothing special: chance alone sets
// one of them that far apart. So a change is certain only if its q, which allows for all places
// that were tested, is at most Alpha. With few runs, though, ranks alone cannot show a single
// change, however large: with 5 and 5, p is never below 0.8 %, which is 80 % among a hundred
// places. Sizes can: a change is likely if p is at most Alpha and it is at least twice as large as
// any two runs of one side differ. (Once as large is not enough: if nothing changes at 50 places,
// that still happens at one of them in 13 % of comparisons of 5 and 5 runs, twice as large in less
// than 1 %.) Nothing is claimed of a change that is smaller than two runs of one side typically
// differ.
//
// Fewer tests find more. So only those places are tested that take leastTested of a run in some run
// of either side. This choice does not look at which run belongs to which side, so it makes no
// false claims (Bourgon, Gentleman, Huber 2010).
const (
	Alpha       = 0.05  // the level of all claims
	leastTested = 0.001 // of the median elapsed time over all runs
	apart       = 2     // times the widest difference of two runs of one side
)

// Certainty says how sure a change is.
type Certainty uint8

const (
	Chance Certainty = iota
	Likely
	Certain
)

func (c Certainty) String() string { return [...]string{"chance", "likely", "certain"}[c] }

// Quantity is what of a place is compared.
type Quantity uint8

const (
	Time    Quantity = iota // ns over all threads
	Elapsed                 // ns of the elapsed time: what lies on the account's way
	Calls
)

func (q Quantity) String() string { return [...]string{"time", "elapsed", "calls"}[q] }

func (q Quantity) of(a account.Amount) float64 {
	return float64([...]int64{a.Ns, a.WayNs, a.Calls}[q])
}

// Change is one quantity of one place over all runs.
type Change struct {
	Quantity Quantity
	Site     Site
	Values   [2][]float64 // by side and run
	Median   [2]float64   // by side
	Delta    Estimate     // by how much B has more
	Ratio    Estimate     // B over A; see law.ratio for places that one side lacks
	P, Q     float64
	Floor    Floor
	Certainty
}

// Comparison is all that was tested.
type Comparison struct {
	Runs  [2]int
	Total []Change // see Totals
	// ByPlace has each place by itself: its time, what of it is elapsed time, its calls. Within
	// each of these families the largest change is the first.
	ByPlace []Change
	// ByFunction has functions over all callers and threads: the time of each kind, what of it is
	// elapsed time, and of the Whole the time and the calls.
	ByFunction []Change
	Shown      [2]int // by side: the run that stands for it, see Study.Typical
}

// Totals are the quantities of a whole run in Comparison.Total, in their order.
var Totals = []string{"elapsed", "work", "waiting", "I/O", "off CPU", "idle"}

func (r *Run) totals() []int64 {
	t := r.Total
	return []int64{r.ElapsedNs, t[account.CPU] + t[account.IO] + t[account.OffCPU], t[account.Wait],
		t[account.IO], t[account.OffCPU], t[account.Idle]}
}

// Possible reports whether any change can be significant with so many runs.
func (c *Comparison) Possible() bool { return Smallest(c.Runs[0], c.Runs[1]) <= Alpha }

// Compare tests all places. Each side must have a run. report, which may be nil, counts tests.
func (s *Study) Compare(ctx context.Context, report progress.Func) (*Comparison, error) {
	c := &Comparison{}
	for sd := range s.Sides {
		if len(s.Sides[sd]) == 0 {
			return nil, fmt.Errorf("side %v has no runs", pair.Side(sd))
		}
		c.Runs[sd], c.Shown[sd] = len(s.Sides[sd]), s.Typical(pair.Side(sd))
	}
	t := &tester{law: newLaw(c.Runs[0], c.Runs[1]), possible: c.Possible(),
		meter: progress.NewMeter(report, 0)}
	least := leastTested * s.medianElapsed()
	c.Total = s.totalChanges()
	if err := t.testAll(ctx, c.Total); err != nil {
		return nil, err
	}
	places, functions := s.table(false, least), s.table(true, least)
	for _, family := range []struct {
		of    *[]Change
		table *table
		q     Quantity
		whole bool
	}{{&c.ByPlace, places, Time, false}, {&c.ByPlace, places, Elapsed, false},
		{&c.ByPlace, places, Calls, false}, {&c.ByFunction, functions, Time, false},
		{&c.ByFunction, functions, Elapsed, false}, {&c.ByFunction, functions, Time, true},
		{&c.ByFunction, functions, Calls, true}} {
		list := family.table.changes(family.q, family.whole)
		if err := t.testAll(ctx, list); err != nil {
			return nil, err
		}
		slices.SortStableFunc(list, func(x, y Change) int {
			return cmp.Or(cmp.Compare(math.Abs(y.Delta.Value), math.Abs(x.Delta.Value)),
				compareSites(x.Site, y.Site))
		})
		*family.of = append(*family.of, list...)
	}
	t.meter.Finish()
	return c, ctx.Err()
}

func (s *Study) medianElapsed() float64 {
	var list []float64
	for _, side := range s.Sides {
		for i := range side {
			list = append(list, float64(side[i].ElapsedNs))
		}
	}
	slices.Sort(list)
	return stat.Quantile(0.5, stat.Empirical, list, nil)
}

func (s *Study) totalChanges() []Change {
	list := make([]Change, len(Totals))
	for sd, side := range s.Sides {
		for i := range side {
			for k, ns := range side[i].totals() {
				list[k].Values[sd] = append(list[k].Values[sd], float64(ns))
			}
		}
	}
	return list
}

// table is what all runs have of the places that are tested.
type table struct {
	sites []Site
	runs  [2][][]account.Amount // by side, run and site
}

// table returns the places, or the functions over all their callers and threads, that take the
// least time or more in some run.
func (s *Study) table(byFunction bool, least float64) *table {
	group, sites := s.grouped(byFunction)
	large := make([]bool, len(sites))
	s.eachRun(group, len(sites), func(_ int, sums []account.Amount) {
		for k, a := range sums {
			large[k] = large[k] || float64(max(a.Ns, a.WayNs)) >= least
		}
	})
	t := &table{}
	for k, site := range sites {
		if large[k] {
			t.sites = append(t.sites, site)
		}
	}
	s.eachRun(group, len(sites), func(sd int, sums []account.Amount) {
		var row []account.Amount
		for k, a := range sums {
			if large[k] {
				row = append(row, a)
			}
		}
		t.runs[sd] = append(t.runs[sd], row)
	})
	return t
}

// grouped returns the places that are told apart, and by place of the study which of them it is.
func (s *Study) grouped(byFunction bool) (group []int32, sites []Site) {
	if !byFunction {
		group = make([]int32, len(s.sites))
		for k := range group {
			group[k] = int32(k)
		}
		return group, s.sites
	}
	known := map[Site]int32{}
	for _, at := range s.sites {
		at.Caller, at.Role = "", ""
		g, ok := known[at]
		if !ok {
			g = int32(len(sites))
			known[at] = g
			sites = append(sites, at)
		}
		group = append(group, g)
	}
	return group, sites
}

// eachRun calls visit for each run with what it has of each group; sums are valid during the call.
func (s *Study) eachRun(group []int32, groups int, visit func(sd int, sums []account.Amount)) {
	sums := make([]account.Amount, groups)
	for sd, side := range s.Sides {
		for i := range side {
			clear(sums)
			for _, e := range side[i].amounts {
				a := &sums[group[e.site]]
				a.Calls += e.Calls
				a.Ns += e.Ns
				a.WayNs += e.WayNs
			}
			visit(sd, sums)
		}
	}
}

// changes returns a family of changes that are to be tested: a quantity of all places, or of all
// functions as a whole. Idle time has no calls.
func (t *table) changes(q Quantity, whole bool) []Change {
	var list []Change
	for k, site := range t.sites {
		if (site.Kind == Whole) != whole || q == Calls && site.Kind == account.Idle {
			continue
		}
		c := Change{Quantity: q, Site: site}
		for sd, runs := range t.runs {
			for _, row := range runs {
				c.Values[sd] = append(c.Values[sd], q.of(row[k]))
			}
		}
		list = append(list, c)
	}
	return list
}

// tester tests the changes of one family at a time. Families answer different questions, so each is
// corrected by itself.
type tester struct {
	law      *law
	possible bool
	meter    *progress.Meter
}

// testAll fills in what the values of each change tell.
func (t *tester) testAll(ctx context.Context, list []Change) error {
	t.meter.Expect(int64(len(list)))
	err := progress.Spread(ctx, len(list), func(i int) error {
		t.test(&list[i])
		return t.meter.Add(ctx, 1)
	})
	if err != nil {
		return err
	}
	p := make([]float64, len(list))
	for i := range list {
		p[i] = list[i].P
	}
	for i, q := range Adjust(p) {
		list[i].Q = q
		list[i].Certainty = t.certainty(&list[i])
	}
	return nil
}

func (t *tester) test(c *Change) {
	a, b := c.Values[pair.A], c.Values[pair.B]
	for sd, values := range c.Values {
		sorted := slices.Sorted(slices.Values(values))
		c.Median[sd] = middle(sorted)
	}
	c.P = t.law.test(a, b)
	c.Delta, c.Ratio = t.law.shift(a, b, 1-Alpha), t.law.ratio(a, b, 1-Alpha)
	c.Floor = floorOf(c.Values)
}

// certainty says what may be claimed of a change whose P and Q are known.
func (t *tester) certainty(c *Change) Certainty {
	switch {
	case !t.possible || c.P > Alpha || c.Delta.Value == 0 || !c.Floor.reached(c):
		return Chance
	case c.Q <= Alpha:
		return Certain
	case c.Floor.passed(c, apart):
		return Likely
	}
	return Chance
}
