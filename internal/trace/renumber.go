package trace

// Renumber replaces the function id f of every event of the thread by to[f]. A loader that reads
// several threads at once gives each its own numbers, in order of appearance, and renumbers them
// when all are read, so that the ids of a trace do not depend on which goroutine came first.
func (t *ThreadBuilder) Renumber(to []FuncID) {
	for _, c := range []*column[FuncID]{&t.calls.fn, &t.whole.fn} {
		for _, chunk := range c.chunks {
			for i, f := range chunk {
				chunk[i] = to[f]
			}
		}
	}
	for i := range t.log {
		if r := &t.log[i]; r.ord != plainEnd {
			r.fn = to[r.fn]
		}
	}
	for i := range t.strays {
		if r := &t.strays[i]; r.ord != plainEnd {
			r.fn = to[r.fn]
		}
	}
	for i := range t.instants {
		t.instants[i].Fn = to[t.instants[i].Fn]
	}
}
