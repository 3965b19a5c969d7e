package align

import (
	"context"

	"diptych/internal/huge"
	"diptych/internal/progress"
	"diptych/internal/trace"
)

// numberThread returns the classes of a thread's calls and of the virtual call over its roots, and
// whether some calls are set aside. It goes backwards through pre-order, so that the callees of a
// call have their classes when it is reached, without recursion.
func (t *classTable) numberThread(ctx context.Context, th *trace.Thread, ids []uint32, passed Calls,
	m *progress.Meter) (of []uint32, root uint32, aside bool, err error) {
	of = huge.Make[uint32](th.Len())
	fns := th.Fn[:len(of)]
	var kids []uint32
	for i := len(of) - 1; i >= 0; i-- {
		fn, size := ids[fns[i]], int(th.Size(i))
		if size == 1 && t.off[fn] {
			of[i], aside = noClass, true
		} else if size == 1 && t.leaf[fn] != noClass {
			of[i] = t.leaf[fn]
		} else {
			kids = appendCallees(kids[:0], of, th, passed, i+1, i+size)
			of[i] = t.intern(fn, kids)
		}
		if i%checkEvery == 0 {
			if err := m.Add(ctx, int64(min(checkEvery, len(of)-i))); err != nil {
				return nil, 0, false, err
			}
		}
	}
	kids = appendCallees(kids[:0], of, th, passed, 0, len(of))
	return of, t.intern(virtualFn, kids), aside, nil
}

// appendCallees appends the classes of the outermost calls in [from, to) that are not set aside.
func appendCallees(kids, of []uint32, th *trace.Thread, passed Calls, from, to int) []uint32 {
	for k := from; k < to; k = th.Next(k) {
		k = int(passed.First(int32(k)))
		if of[k] != noClass {
			kids = append(kids, of[k])
		}
	}
	return kids
}
