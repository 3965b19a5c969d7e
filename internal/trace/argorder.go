package trace

import "slices"

// byCallOf sorts arguments stably by their call, of which there are so many. They come in the order
// in which calls were recorded.
func byCallOf(r *room, args []arg, calls int) []arg {
	if slices.IsSortedFunc(args, byCall) {
		return args
	}
	if len(args) <= fewToSort && len(args) == cap(args) {
		slices.SortStableFunc(args, byCall)
		return args
	}
	out := made[arg](r, len(args))
	switch first, rest := sortedFirst(args); {
	case slices.IsSortedFunc(rest, byCall): // mostly texts of begins, then those of ends
		mergeArgs(out, first, rest)
	case len(args) < calls/8:
		sortFew(r, out, args)
	default:
		sortByCounting(r, out, args, calls)
	}
	dropped(r, args)
	return out
}

// fewToSort is how many arguments are sorted where they are, if they have no room to spare.
const fewToSort = 64

// sortedFirst splits arguments before the first whose call is before that of the one before it.
func sortedFirst(args []arg) (first, rest []arg) {
	n := 1
	for n < len(args) && args[n].call >= args[n-1].call {
		n++
	}
	return args[:n], args[n:]
}

// mergeArgs merges two sorted lists into out. If both have arguments of one call, those of a come
// first.
func mergeArgs(out, a, b []arg) {
	for len(b) > 0 && len(a) > 0 {
		if a[0].call <= b[0].call {
			out[0], a = a[0], a[1:]
		} else {
			out[0], b = b[0], b[1:]
		}
		out = out[1:]
	}
	copy(out, a)
	copy(out, b)
}

// sortFew sorts arguments into out by call and number as one word.
func sortFew(r *room, out, args []arg) {
	keys := made[uint64](r, len(args))
	for i, a := range args {
		keys[i] = uint64(a.call)<<32 | uint64(i)
	}
	slices.Sort(keys)
	for to, k := range keys {
		out[to] = args[uint32(k)]
	}
	dropped(r, keys)
}

// sortByCounting sorts arguments into out by counting those of each call: mostly each has one.
func sortByCounting(r *room, out, args []arg, calls int) {
	next := made[uint32](r, calls) // by call, where its next argument belongs
	for _, a := range args {
		next[a.call]++
	}
	sum := uint32(0)
	for i, n := range next {
		next[i], sum = sum, sum+n
	}
	for _, a := range args {
		out[next[a.call]] = a
		next[a.call]++
	}
	dropped(r, next)
}

func byCall(x, y arg) int { return int(x.call) - int(y.call) }
