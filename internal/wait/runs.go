package wait

// mergeRuns sorts a list that consists of runs in ascending order, as lists of several threads do
// that come one after the other. Cost is linear for one run, and grows with the logarithm of their
// number. Elements that are equal keep their order.
func mergeRuns[T any](list []T, compare func(x, y T) int) {
	var ends []int
	for i := 1; i <= len(list); i++ {
		if i == len(list) || compare(list[i-1], list[i]) > 0 {
			ends = append(ends, i)
		}
	}
	from, to := list, []T(nil)
	for len(ends) > 1 {
		if to == nil {
			to = make([]T, len(list))
		}
		begin, merged := 0, ends[:0]
		for k := 0; k < len(ends); k += 2 {
			end := ends[min(k+1, len(ends)-1)]
			merge(to[begin:end], from[begin:ends[k]], from[ends[k]:end], compare)
			begin, merged = end, append(merged, end)
		}
		from, to, ends = to, from, merged
	}
	if len(list) > 0 && &from[0] != &list[0] {
		copy(list, from)
	}
}

// merge fills to with two lists in ascending order; of equal elements, x comes first.
func merge[T any](to, x, y []T, compare func(x, y T) int) {
	for len(x) > 0 && len(y) > 0 {
		if compare(x[0], y[0]) <= 0 {
			to[0], x = x[0], x[1:]
		} else {
			to[0], y = y[0], y[1:]
		}
		to = to[1:]
	}
	copy(to[copy(to, x):], y)
}
