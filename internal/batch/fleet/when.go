package fleet

import (
	"math"

	"diptych/internal/batch"
	"diptych/internal/pair"
)

// standsOut is by how much the share of the loss in a stretch exceeds the stretch's share of the
// time, for the stretch to be said of.
const standsOut = .25

// when returns the stretch of a pair's time in which a quantity has most of its sign: the one with
// the largest sum above the mean (Bentley 1984). Sign says whether rise or fall is looked for.
func (r *reading) when(row int, q Quantity, sign float64) When {
	values := r.timeline.values(q, row)
	sign = math.Copysign(1, sign)
	mean, all := 0.0, 0.0
	for _, v := range values {
		mean += sign * v / batch.Buckets
		all += max(sign*v, 0)
	}
	from, to := largest(values, sign, mean)
	inside := 0.0
	for _, v := range values[from : to+1] {
		inside += sign * v
	}
	w := When{FromBucket: from, ToBucket: to}
	if all > 0 {
		w.Share = inside / all
	}
	if w.Share-float64(to-from+1)/batch.Buckets < standsOut {
		w = When{ToBucket: batch.Buckets - 1, Whole: true}
	}
	r.time(row, &w)
	return w
}

// largest returns from where to where, inclusive, values less mean have the largest sum.
func largest(values []float64, sign, mean float64) (from, to int) {
	begin, sum, most := 0, 0.0, math.Inf(-1)
	for k, v := range values {
		if sum <= 0 {
			begin, sum = k, 0
		}
		if sum += sign*v - mean; sum > most {
			most, from, to = sum, begin, k
		}
	}
	return from, to
}

// time finds the real times of a stretch. Values are those from the middle of the bucket before to
// the middle of the bucket.
func (r *reading) time(row int, w *When) {
	p := &r.fleet.Pairs[r.fleet.Compared[row]]
	for s, length := range [2]int64{p.ElapsedANs, p.ElapsedBNs} {
		at := r.timeline.reached(pair.Side(s), row)
		if w.FromBucket > 0 {
			w.FromNs[s] = at[w.FromBucket-1]
		}
		if w.ToNs[s] = at[w.ToBucket]; w.ToBucket == batch.Buckets-1 {
			w.ToNs[s] = max(w.ToNs[s], length)
		}
	}
}
