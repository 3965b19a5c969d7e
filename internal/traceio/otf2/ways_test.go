package otf2

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"diptych/internal/trace"
)

// TestWays holds that messages come by channels, in order: sends, then receives, each by time and
// then as they were noted; against a stable sort of all.
func TestWays(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for range 200 {
		a := &archive{b: trace.NewBuilder("otf2"), groups: map[uint32]*membership{}}
		const group, ranks = 1, 3
		m := &membership{ranks: map[int32]int32{}}
		for r := range int32(ranks) {
			m.units, m.ranks[r] = append(m.units, r), r
		}
		a.groups[group] = m
		for id := range uint32(2) {
			a.defs.comms.put(id, comm{group: group, remote: undefined})
		}
		type placed struct {
			channel
			recv bool
			end
		}
		var want []placed
		for i := range int32(4) {
			tk := &track{a: a, at: &location{}}
			tk.unit = i % ranks
			for k := range int32(rng.IntN(50)) {
				e := message{posted: rng.Int64N(20), comm: rng.Uint32N(2), peer: rng.Uint32N(ranks),
					tag: 10 * rng.Uint32N(40), recv: rng.IntN(2) == 0}
				tk.messages.add(e)
				ch := channel{e.comm, e.tag, tk.unit, int32(e.peer)}
				if e.recv {
					ch.from, ch.to = ch.to, ch.from
				}
				want = append(want, placed{ch, e.recv, end{e.posted, i, k}})
			}
			a.tracks = append(a.tracks, tk)
		}
		slices.SortStableFunc(want, func(x, y placed) int {
			kind := 0
			if x.recv != y.recv {
				if kind = -1; x.recv {
					kind = 1
				}
			}
			return cmp.Or(x.compare(y.channel), kind, cmp.Compare(x.at, y.at))
		})
		var got []placed
		for _, w := range (&joiner{archive: a}).ways() {
			for _, e := range w.sends {
				got = append(got, placed{w.channel, false, e})
			}
			for _, e := range w.recvs {
				got = append(got, placed{w.channel, true, e})
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("got %v\nwant %v", got, want)
		}
	}
}
