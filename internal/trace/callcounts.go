package trace

import (
	"cmp"
	"slices"
)

// CallCount is how often one function called another, as the recorder counted it. In a profile one
// call stands for all that were made from one stack, so its calls do not say that.
type CallCount struct {
	Caller, Callee FuncID
	Calls          int64
}

// CountCalls adds to how often one function called another. Numbers that are not positive are
// ignored; all of a trace must stay below Limit.
func (b *Builder) CountCalls(caller, callee FuncID, n int64) {
	if n > 0 {
		b.take(countedBytes)
		b.counted = append(b.counted, CallCount{caller, callee, n})
	}
}

// sumCallCounts sorts what was counted and adds up what is of the same functions.
func (b *Builder) sumCallCounts() []CallCount {
	slices.SortFunc(b.counted, CallCount.compare)
	var sums []CallCount
	for _, c := range b.counted {
		if k := len(sums) - 1; k >= 0 && sums[k].compare(c) == 0 {
			sums[k].Calls += c.Calls
		} else {
			sums = append(sums, c)
		}
	}
	return slices.Clip(sums)
}

func (c CallCount) compare(d CallCount) int {
	return cmp.Or(cmp.Compare(c.Callee, d.Callee), cmp.Compare(c.Caller, d.Caller))
}

// checkCallCounts checks that they are in order, and that no sum of some can overflow.
func (t *Trace) checkCallCounts() error {
	left := int64(Limit)
	for i, c := range t.CallCounts {
		if int(max(c.Caller, c.Callee)) >= len(t.Functions) || c.Calls <= 0 || c.Calls > left ||
			i > 0 && t.CallCounts[i-1].compare(c) >= 0 {
			return wrong("count of calls %d", i)
		}
		left -= c.Calls
	}
	return nil
}
