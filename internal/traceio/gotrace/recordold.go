package gotrace

import (
	"encoding/binary"
	"math"
)

// More types of the old format, and what the library accepts of them.
const (
	oldTimers  = 35
	oldSample  = 49
	mostFrames = 1000
	mostText   = 1e6
	mostBytes  = 2048 // of numbers behind their length
)

// Ticks a second that a clock may have: a tick is some 8 ns on most machines.
const (
	leastSpeed = 1e5
	mostSpeed  = 1e11
)

// oldArguments is how many numbers follow each type, its time and its stack included. Stacks and
// texts have as many as they say, and 0 stands for what is no type.
var oldArguments = [64]int{
	oldFrequency: 1, 4: 3, 2, 1, 3, 1, 2, 1, 2, 3, 4, 3, 1, 2, 2, 2, 2, 2, 4, 2, 2, 2, 2, 2, 2, 2, 4, 1, 2, 2, 2, 2,
	oldTimers: 1, 36: 1, 38: 2, 3, 3, 4, 2, 2, 1, 5, 3, 5, oldLog: 4, oldSample: 5,
}

// oldNumbers returns the numbers of the record that data begins with, and its length. A text has
// its number and its length. It reports whether the library can read the record; if not, the length
// is 0 where the record does not end.
func oldNumbers(data []byte) (args []uint64, n int, ok bool) {
	n = oldEvent(data)
	if n > len(data) {
		return nil, 0, false
	}
	typ, rest := data[0]&0x3f, data[1:n]
	want := oldArguments[typ]
	switch {
	case typ == oldString:
		want = 2
	case data[0]>>6 == 3:
		size, k := binary.Uvarint(rest)
		if rest = rest[k:]; size > mostBytes {
			return nil, n, false
		}
		rest = rest[:size]
	}
	for len(rest) > 0 && (typ != oldString || len(args) < want) {
		v, k := binary.Uvarint(rest)
		if k <= 0 {
			return nil, n, false
		}
		args, rest = append(args, v), rest[k:]
	}
	switch typ {
	case oldString:
		ok = args[0] != 0 && 0 < args[1] && args[1] <= mostText
	case oldStack:
		ok = len(args) >= 2 && args[1] <= mostFrames && uint64(len(args)) == 2+4*args[1]
	case oldFrequency:
		ok = len(args) == want && 0 < args[0] && args[0] <= math.MaxInt64
	default:
		ok = want > 0 && len(args) == want
	}
	return args, n, ok
}

// oldHead returns what the head of a batch says that data begins with, and its length; 0 if it is
// none.
func oldHead(data []byte) (pid, ticks uint64, n int) {
	if len(data) == 0 || data[0] != oldBatch|1<<6 {
		return 0, 0, 0
	}
	pid, k := binary.Uvarint(data[1:])
	if k <= 0 || pid > math.MaxInt32 && pid != math.MaxUint64 {
		return 0, 0, 0
	}
	ticks, m := binary.Uvarint(data[1+k:])
	if m <= 0 || ticks > math.MaxInt64 {
		return 0, 0, 0
	}
	return pid, ticks, 1 + k + m
}

func isOldHead(data []byte) bool {
	_, _, n := oldHead(data)
	return n > 0
}

// oldHeads returns where batches are likely to begin, in ascending order: with a time that is long
// enough to be one, and within hours of that of the first batch.
func oldHeads(data []byte) (at []int) {
	const (
		least = 1 << 28
		hours = 1 << 40 // ticks
	)
	_, first, _ := oldHead(data)
	for i := range data {
		if _, t, n := oldHead(data[i:]); n > 0 && t >= max(least, first) && t-first < hours {
			at = append(at, i)
		}
	}
	return at
}
