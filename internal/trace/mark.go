package trace

import "slices"

// Mark states that a call blocks, and on which objects, by name.
type Mark func(th *Thread, call int, k BlockKind, objects ...string)

// MarkWith has find look for blocking calls when the trace is all but built: threads, calls and
// arguments are there, in their final places. Find must call mark in call order for any one thread.
// What a loader has marked with ThreadBuilder.Block, from explicit records, stays as it is.
func (b *Builder) MarkWith(find func(tr *Trace, mark Mark)) {
	b.markers = append(b.markers, find)
}

// arenaSize is how many object ids are allocated at once.
const arenaSize = 4096

// mark runs the markers.
func (b *Builder) mark(tr *Trace) {
	var arena []ObjectID
	for _, find := range b.markers {
		explicit := map[*Thread]int{}
		find(tr, func(th *Thread, call int, k BlockKind, objects ...string) {
			n, known := explicit[th]
			if !known {
				n = len(th.Blocks)
				explicit[th] = n
			}
			if marked(th.Blocks[:n], call) {
				return
			}
			if cap(arena)-len(arena) < len(objects) {
				arena = make([]ObjectID, 0, max(arenaSize, len(objects)))
			}
			from := len(arena)
			for _, name := range objects {
				arena = append(arena, b.Object(name))
			}
			th.Blocks = append(th.Blocks, Block{int32(call), k, arena[from:len(arena):len(arena)]})
		})
		for th, n := range explicit {
			if n > 0 {
				slices.SortStableFunc(th.Blocks, func(x, y Block) int {
					return int(x.Call) - int(y.Call)
				})
			}
		}
	}
	tr.Objects = b.objects
}

func marked(blocks []Block, call int) bool {
	_, ok := slices.BinarySearchFunc(blocks, call, func(b Block, call int) int {
		return int(b.Call) - call
	})
	return ok
}
