package fleet

// What a pair is unlike depends on what the rest is. If most pairs are alike, the rest is all
// pairs, and their median pair is what outliers are held against. But if a fleet falls into four
// groups of 2,500 pairs, each changed in its own way, then the median pair is one of the first
// group, and all others would be outliers: 7,500 of 10,000. So clusters are divided into large and
// small ones by their sizes, and an outlier is a pair that is unlike every large cluster. That is
// what He, Xu and Deng do (Discovering cluster-based local outliers, Pattern Recognition Letters
// 24, 2003), whose ratio of sizes is taken here, but of each cluster to the largest. Their
// distance to a cluster's centre is replaced by robust standard deviations from its median pair,
// function by function, so that an outlier is told by what it does, as it is without clusters.
// Their other criterion, that large clusters have 90 % of the pairs, is not taken: of 12 ranks it
// would make three slow ones a large cluster. The spread is that within all large clusters
// together, or that of one if it is more: the spread of a few pairs alone is often far too small
// by chance.
const (
	smaller      = 5 // so many times smaller than the largest cluster is small
	leastOfLarge = 5 // pairs of a large cluster: with fewer, a median and its spread say little
)

// reference is what pairs are compared with: all of them, or those of a large cluster.
type reference struct {
	cluster int   // index into Fleet.Clusters; −1 for all
	rows    []int // indices into Fleet.Compared
	typical *Typical

	functions        []level // as reading.order
	time, similarity level
}

// level is the median of some shares of the run, and the median of |x − median|.
type level struct{ median, spread float64 }

// countLarge returns how many clusters are large, which are the first, since the largest come
// first. It is 0 if fewer than two are.
func (f *Fleet) countLarge() (n int) {
	for k := range f.Clusters {
		if size := len(f.Clusters[k].Pairs); size >= leastOfLarge && smaller*size >= len(f.Clusters[0].Pairs) {
			n++
		}
	}
	if n < 2 {
		return 0
	}
	return n
}

// references returns what pairs are compared with: the large clusters, or all pairs as one.
func (r *reading) references() (list []*reference) {
	f := r.fleet
	f.Large = f.countLarge()
	if f.Large == 0 {
		list = append(list, &reference{cluster: -1, rows: r.everyRow(), typical: &f.Median})
	}
	for k := range f.Large {
		var rows []int
		for _, p := range f.Clusters[k].Pairs {
			rows = append(rows, r.row[p])
		}
		typical := r.typicalOf(rows)
		list = append(list, &reference{cluster: k, rows: rows, typical: &typical})
	}
	shares := make([]float64, len(r.longer))
	for _, s := range r.order {
		s.shares(r, shares)
		for k, l := range levelsOf(list, shares) {
			list[k].functions = append(list[k].functions, l)
		}
	}
	for k, l := range levelsOf(list, r.times()) {
		list[k].time = l
	}
	for k, l := range levelsOf(list, r.of(func(p *Pair) float64 { return p.Similarity })) {
		list[k].similarity = l
	}
	return list
}

// times returns B − A of the elapsed time of all compared pairs, as shares of their longer runs.
func (r *reading) times() []float64 {
	list := r.of(func(p *Pair) float64 { return float64(p.DeltaNs) })
	for k := range list {
		list[k] /= r.longer[k]
	}
	return list
}

// everyRow returns the rows of all pairs that were compared.
func (r *reading) everyRow() []int {
	rows := make([]int, len(r.fleet.Compared))
	for row := range rows {
		rows[row] = row
	}
	return rows
}

// levelsOf returns the level of each reference, of the values of all compared pairs.
func levelsOf(references []*reference, values []float64) []level {
	list := make([]level, len(references))
	var off []float64
	for k, of := range references {
		own := pick(values, of.rows)
		list[k].median, list[k].spread = medianAndSpread(own)
		off = append(off, own...) // which is |x − median| by now
	}
	if len(references) > 1 {
		together := median(off)
		for k := range list {
			list[k].spread = max(list[k].spread, together)
		}
	}
	return list
}

// pick returns the values of some rows.
func pick(list []float64, rows []int) []float64 {
	values := make([]float64, len(rows))
	for k, row := range rows {
		values[k] = list[row]
	}
	return values
}

// unlike is by how much a pair departs from the reference that it is most like.
type unlike struct {
	departure
	from  *reference
	total float64 // of departures in all that is compared
}

// compare returns for each compared pair how it departs from the reference that it is most like;
// nil if there is a reference from which it does not depart by more than the limit.
func (r *reading) compare(limit float64) []*unlike {
	list := make([]*unlike, len(r.longer))
	like := make([]bool, len(r.longer))
	for _, from := range r.references() {
		departures := r.departures(from)
		for row := range departures {
			d := departures[row].choose(limit)
			if like[row] = like[row] || d == nil; like[row] {
				list[row] = nil
				continue
			}
			total := departures[row].total
			if b := list[row]; b == nil || total < b.total {
				list[row] = &unlike{*d, from, total}
			}
		}
	}
	return list
}
