package wait

import (
	"context"
	"slices"

	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/trace"
)

// use is how a thread uses an object: in which function, by whom called, for what kind of
// operation, and as which of the objects of the call.
type use struct {
	object trace.ObjectID
	fn     trace.FuncID
	caller uint32 // function that calls it, plus 1; 0 if none does
	kind   trace.BlockKind
	place  uint8
}

// usesByThread returns how each thread uses the objects that have no partner, each way once. Where
// objects have the same names on both sides there are hardly any, so it is not found before.
func (d *side) usesByThread(ctx context.Context) ([][]use, error) {
	list := make([][]use, len(d.a.Trace.Threads))
	err := progress.SpreadEach(ctx, len(list), func() func(int) error {
		u := uses{side: d}
		return func(t int) error {
			list[t] = u.of(d.a.Trace.Threads[t])
			return nil
		}
	})
	return list, err
}

// usesAtOnce is how many uses of short threads have their memory together.
const usesAtOnce = 4096

// uses finds how threads use objects, one thread after the other in the same memory.
type uses struct {
	*side
	sites, operations, known pair.Numbers
	room                     []use // empty; what follows is free
}

// of returns how a thread uses objects without a partner, each way once.
func (u *uses) of(th *trace.Thread) []use {
	for _, numbers := range []*pair.Numbers{&u.sites, &u.operations, &u.known} {
		numbers.Clear()
	}
	if cap(u.room) < usesAtOnce/64 {
		u.room = make([]use, 0, usesAtOnce)
	}
	list := u.room
	for i := range th.Blocks {
		b := &th.Blocks[i]
		fn, caller, site := th.Fn[b.Call], uint32(0), int32(-1)
		for k, o := range th.ObjectsIn(b.Objects) {
			if u.partner[o] >= 0 {
				continue
			}
			if site < 0 {
				if up := th.Parent(int(b.Call)); up >= 0 {
					caller = uint32(th.Fn[up]) + 1
				}
				site = u.sites.Of(pair.KeyOf(caller, uint32(fn)))
			}
			how := u.operations.Of(pair.KeyOf(uint32(site), uint32(b.Kind)<<8|uint32(uint8(k))))
			if int(u.known.Of(pair.KeyOf(uint32(how), uint32(o)))) == len(list) {
				list = append(list, use{o, fn, caller, b.Kind, uint8(k)})
			}
		}
	}
	u.room = list[len(list):]
	return slices.Clip(list)
}
