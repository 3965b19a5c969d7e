package align

// usualGrain is how many calls a piece of work on a thread has, about.
const usualGrain = 1 << 16

// cut divides the calls of a thread, given the sizes of their subtrees, for work that goes from
// callees to callers, into pieces of about grain calls. It returns the calls of more than grain
// calls, in pre-order, and the borders of ranges none of which cuts a smaller one in two; the first
// is 0 and the last the number of calls.
func cut(sizes []uint32, grain int) (large, borders []int32) {
	borders = []int32{0}
	n := int32(len(sizes))
	for i := int32(0); i < n; {
		if int(sizes[i]) > grain {
			large = append(large, i)
			i++
		} else {
			i += int32(sizes[i])
		}
		if i == n || int(i-borders[len(borders)-1]) >= grain {
			borders = append(borders, i)
		}
	}
	return large, borders
}
