package wait

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// starts are the calls that start threads, by time.
type starts []start

type start struct {
	at     int64
	thread int32
}

// creators are the beginnings of names of functions that start a thread, in lower case.
var creators = []string{"pthread_create", "thrd_create", "createthread", "_beginthread",
	"std::thread::thread", "std::jthread::jthread", "std::thread::_m_start_thread",
	"java.lang.thread.start"}

// findStarts finds the calls that start threads.
func (a *Analysis) findStarts(ctx context.Context) (starts, error) {
	is := make([]bool, len(a.Trace.Functions))
	some := false
	for f := range is {
		name := strings.ToLower(a.Trace.Functions[f].Name)
		is[f] = slices.ContainsFunc(creators, func(c string) bool {
			return strings.HasPrefix(name, c)
		})
		some = some || is[f]
	}
	if !some {
		return nil, ctx.Err()
	}
	found := make([]starts, len(a.Trace.Threads))
	err := spread(ctx, len(found), func(t int) error {
		th := a.Trace.Threads[t]
		for i, f := range th.Fn {
			if is[f] {
				found[t] = append(found[t], start{th.Start[i], int32(t)})
			}
		}
		return nil
	})
	all := slices.Concat(found...)
	slices.SortStableFunc(all, func(x, y start) int { return cmp.Compare(x.at, y.at) })
	return all, err
}

// creator returns which thread most likely started thread t: that of the last call that starts
// threads before t's first; or −1.
func (s starts) creator(a *Analysis, t int32) int32 {
	n, _ := slices.BinarySearchFunc(s, a.Threads[t].StartNs+1, func(x start, at int64) int {
		return cmp.Compare(x.at, at)
	})
	for _, by := range slices.Backward(s[:n]) {
		if by.thread != t && a.sameProcess(by.thread, t) {
			return by.thread
		}
	}
	return -1
}
