package wait

import "slices"

// This file puts lists in order that are long where there are many threads: lists of several
// threads, one after the other, and sums, of which 10,000 threads that wait for each other have a
// hundred thousand.

// longestFirst returns a list in order of times, the longest first, and in the order of compare
// where they are equal. Cost is linear: of the times, which are below 2⁶⁴, only the digits to the
// base of 2¹¹ are looked at that are not the same in all of them.
func longestFirst[T any](list []T, ns func(*T) int64, compare func(x, y T) int) []T {
	keys := make([]timed, len(list))
	for i := range list {
		keys[i] = timed{^(uint64(ns(&list[i])) ^ 1<<63), int32(i)}
	}
	keys = byDigits(keys)
	out := make([]T, len(list))
	for from := 0; from < len(keys); {
		to := from
		for ; to < len(keys) && keys[to].key == keys[from].key; to++ {
			out[to] = list[keys[to].at]
		}
		if to-from > 1 {
			slices.SortFunc(out[from:to], compare)
		}
		from = to
	}
	return out
}

// timed is a place in a list and a key, by which it is sorted.
type timed struct {
	key uint64
	at  int32
}

// byDigits returns a list by key; those with equal ones keep their order. It begins with the last
// digit of the keys, and counts how often each occurs before it moves any.
func byDigits(list []timed) []timed {
	const digit, base = 11, 1 << 11
	different := uint64(0)
	for i := range list {
		different |= list[i].key ^ list[0].key
	}
	other := make([]timed, len(list))
	for shift := 0; shift < 64; shift += digit {
		if different>>shift%base == 0 {
			continue
		}
		var next [base]int32 // by digit: how many come before
		for i := range list {
			next[list[i].key>>shift%base]++
		}
		before := int32(0)
		for d, n := range next {
			next[d], before = before, before+n
		}
		for _, x := range list {
			to := &next[x.key>>shift%base]
			other[*to] = x
			*to++
		}
		list, other = other, list
	}
	return list
}

// mergeRuns sorts a list that consists of runs in ascending order, as lists of several threads do
// that come one after the other. Cost is linear for one run, and grows with the logarithm of their
// number. Elements that are equal keep their order.
func mergeRuns[T any](list []T, compare func(x, y T) int) {
	var ends []int // of runs; none if there is one
	for i := 1; i < len(list); i++ {
		if compare(list[i-1], list[i]) > 0 {
			ends = append(ends, i)
		}
	}
	if ends == nil {
		return
	}
	ends = append(ends, len(list))
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
	if &from[0] != &list[0] {
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
