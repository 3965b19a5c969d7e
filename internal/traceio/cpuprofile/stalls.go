package cpuprofile

import (
	"math"

	"diptych/internal/trace"
	"diptych/internal/traceio/stacks"
)

// tellStalls tells a thread which of the first n samples hold many times as long as most. Shown is
// what the samples of each node show.
func (m *maker) tellStalls(to *trace.ThreadBuilder, shown []stacks.Node, n int) {
	from := m.line.Weights.StallsFrom()
	if math.IsInf(from, 1) {
		return
	}
	now, since, running := m.start, m.start, false
	for i, id := range m.samples[:n] {
		if len(m.times) > 0 {
			now = m.times[i]
		} else {
			now += m.deltas[i]
		}
		if at, ok := nanoseconds(since); running && ok && 1000*(now-since) >= from {
			to.Stall(at, int64(1000*(now-since)))
		}
		since = now
		node, known := m.byID.node(id)
		running = known && shown[node] != stacks.Root
	}
}
