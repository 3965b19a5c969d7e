package fleet

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"diptych/internal/batch"
	"diptych/internal/pair"
)

// A pair is an outlier if it departs from the median pair by more robust standard deviations than
// chance would let any of so many pairs, in any of so many functions: 3.5 at least (Iglewicz and
// Hoaglin 1993), more for many. What is measured are shares of the pair's longer run, so pairs of
// different lengths compare. If the pairs fall into several large clusters, there is a median pair
// of each, and an outlier departs from all of them: see references.go.
const (
	robust      = 1.4826 // medians of |x − median| in a standard deviation of a normal distribution
	leastSpread = .001   // of the run: pairs that are equal to the ns have no spread
	leastSigmas = 3.5
	chance      = .05 // that one of many is taken for an outlier
)

// departure is by how much a pair departs in one quantity.
type departure struct {
	kind    Departure
	off     float64 // share of the run, signed
	spreads float64
	f       *sampled // of InFunction
}

func (d *departure) size() float64 { return math.Abs(d.off) }

// weight puts a rise before a fall of about the same size, which is mostly what it left: a rank
// that waits in one call does not wait in the next.
func (d *departure) weight() float64 {
	if d.off < 0 {
		return .8 * d.size()
	}
	return d.size()
}

// measured returns the departure of a value from a level.
func measured(kind Departure, x float64, from level) departure {
	d := departure{kind: kind, off: x - from.median}
	d.spreads = d.size() / max(robust*from.spread, leastSpread)
	return d
}

// departures are the largest departures of a pair: of functions that work, of those that wait, of
// its time, of its similarity, and of how much its threads wait, if the pairs are diverse.
type departures struct {
	work, waits, time, similarity, waiting departure

	total float64 // of the sizes of all but waiting
}

// findOutliers finds the pairs that are unlike the rest.
func (r *reading) findOutliers(context.Context) error {
	f := r.fleet
	for row, d := range r.compare(r.limit()) {
		if d == nil {
			continue
		}
		p := f.Compared[row]
		f.Pairs[p].Outlier = r.outlier(row, d)
		if d.f != nil && d.f.Waits && !f.Diverse { // else they do not wait for one another
			f.Waiting = append(f.Waiting, p)
		} else {
			f.Outliers = append(f.Outliers, p)
		}
	}
	if len(f.Outliers) == 0 {
		f.Outliers, f.Waiting = f.Waiting, nil
	}
	f.sortByScore(f.Outliers)
	f.sortByScore(f.Waiting)
	return nil
}

// limit returns how many spreads are too many for chance.
func (r *reading) limit() float64 {
	tests := float64(max(len(r.longer)*(len(r.order)+2), 1))
	return max(distuv.UnitNormal.Quantile(1-chance/2/tests), leastSigmas)
}

// departures returns by how much each pair departs from the median pair of a reference.
func (r *reading) departures(from *reference) []departures {
	most, list := make([]departures, len(r.longer)), make([]float64, len(r.longer))
	for i, f := range r.order {
		if !r.compares(f) {
			continue
		}
		f.shares(r, list)
		for k, x := range list {
			best := &most[k].work
			if f.Waits {
				best = &most[k].waits
			}
			d := measured(InFunction, x, from.functions[i])
			most[k].total += d.size()
			if d.f = f; d.weight() > best.weight() {
				*best = d
			}
		}
	}
	if r.fleet.Diverse {
		r.compareWaiting(from, most)
	}
	for k, x := range r.times() {
		d := &most[k]
		d.time = measured(InTime, x, from.time)
		d.similarity = measured(InSimilarity, r.fleet.Pairs[r.fleet.Compared[k]].Similarity, from.similarity)
		d.total += d.time.size() + d.similarity.size()
	}
	return most
}

// mostOfIt is what share of the time by which a pair departs a function must have to stand for it.
const mostOfIt = .5

// choose returns the departure that says most, nil if the pair is like the others. What a pair
// does itself comes before what it waits, as that is mostly for another; how similar the calls are
// comes last, as they may be others for good reason.
func (d *departures) choose(limit float64) *departure {
	late := d.time.spreads > limit
	for _, x := range []*departure{&d.work, &d.waits} {
		if x.spreads > limit && (!late || x.size() >= mostOfIt*d.time.size()) {
			return x
		}
	}
	switch {
	case late:
		return &d.time
	case d.similarity.spreads > limit && d.similarity.off < 0:
		return &d.similarity
	case d.waiting.spreads > limit:
		return &d.waiting
	}
	return nil
}

// sortByScore puts the largest score first.
func (f *Fleet) sortByScore(list []int) {
	slices.SortFunc(list, func(x, y int) int {
		return cmp.Or(cmp.Compare(f.Pairs[y].Outlier.Score, f.Pairs[x].Outlier.Score), cmp.Compare(x, y))
	})
}

// outlier says what is unlike the rest in a pair.
func (r *reading) outlier(row int, d *unlike) *Outlier {
	p := &r.fleet.Pairs[r.fleet.Compared[row]]
	o := &Outlier{Score: 100 * d.size(), Spreads: d.spreads, Kind: d.kind, Place: nowhere,
		From: d.from.cluster + 1, typical: d.from.typical}
	q, sign := Lag, d.off
	switch d.kind {
	case InFunction:
		at := d.f.at(row)
		o.Function, o.Waits = d.f.Name, d.f.Waits
		o.Ns, o.MedianNs = at.ns, d.f.medianDelta(r, d.from.rows)
	case InTime:
		o.Ns, o.MedianNs = [2]int64{p.ElapsedANs, p.ElapsedBNs}, o.typical.DeltaNs
	case InSimilarity:
		q, sign = Dissimilarity, 1
	case InWaits:
		q, o.Ns = Waiting, [2]int64{p.WaitANs, p.WaitBNs}
	}
	o.DeltaNs, o.Factor = o.Ns[pair.B]-o.Ns[pair.A], ratio(o.Ns)
	o.When = r.when(row, q, sign)
	return o
}

// readPlaces finds for each outlier a call to look at, and puts it into words.
func (r *reading) readPlaces(ctx context.Context) error {
	number := func(row *batch.FindingRow) int64 { return row.Number }
	exact := map[int]bool{}
	err := eachRow(ctx, r, "findings", number, func(k int, row *batch.FindingRow) {
		o := r.fleet.Pairs[k].Told()
		if o == nil || exact[k] {
			return
		}
		r.fleet.Pairs[k].firstFinding(row)
		if o.Function == "" && (o.Kind == InSimilarity || r.fleet.Diverse) {
			o.Function = row.Function
		}
		same := row.Function == o.Function
		if row.CallA < 0 && row.CallB < 0 || o.Place.found() && !same {
			return
		}
		exact[k] = same
		o.Place = Place{[2]string{row.ThreadA, row.ThreadB}, [2]int64{row.CallA, row.CallB},
			[2]int64{row.StartANs, row.StartBNs}}
	})
	for k := range r.fleet.Pairs {
		if p := &r.fleet.Pairs[k]; p.Told() != nil {
			p.Told().Text = r.fleet.sentence(p)
		}
	}
	return err
}

func (p *Place) found() bool { return p.Call[pair.A] >= 0 || p.Call[pair.B] >= 0 }
