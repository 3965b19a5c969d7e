//go:build unix

package align

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"diptych/internal/pair"
	"diptych/internal/peers"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// BenchmarkPeerHybrid aligns pairs with the hybrid of Weber et al., Needleman-Wunsch where its
// matrix fits and Hirschberg's algorithm elsewhere, level by level as we do: the measured pair, and
// pairs with one long level of -flat and about half as many calls. The calls of such a level are
// loops, as those of a parser or an event loop, each with callees of its own.
func BenchmarkPeerHybrid(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	long := looped(r, *benchFlat)
	for _, c := range []struct {
		name string
		pair func() *pair.Pair
	}{
		{"generated", func() *pair.Pair { return measured(b) }},
		{"loops left out", func() *pair.Pair { return loopPair(b, long, some(r, long, 0.55)) }},
		{"a part, edited", func() *pair.Pair {
			return loopPair(b, long, mutated(r, long[*benchFlat/8:*benchFlat*5/8], loopNames, 0.1))
		}},
		{"other loops", func() *pair.Pair { return loopPair(b, long, looped(r, *benchFlat*11/20)) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := c.pair()
			align := func(o Options) func() { // without timed's garbage collection: the race has one
				return func() {
					if _, err := All(context.Background(), p, p.Threads, o, nil); err != nil {
						b.Fatal(err)
					}
				}
			}
			peers.Race(b, align(Options{}), align(Options{Engine: Hybrid}))
		})
	}
}

const loopNames = 48 // functions that loops call

// looped returns n calls of loops, with branches that some turns take and others do not.
func looped(r *rand.Rand, n int) (out []uint32) {
	for len(out) < n {
		body, base := make([]uint32, 2+r.IntN(12)), r.Uint32N(loopNames-8)
		for k := range body {
			body[k] = base + r.Uint32N(8)
		}
		for range 1 + r.IntN(60) {
			for _, x := range body {
				if r.Float64() < 0.9 {
					out = append(out, x)
				}
				if r.Float64() < 0.05 {
					out = append(out, r.Uint32N(loopNames))
				}
			}
		}
	}
	return out[:n]
}

// some returns about a share of a sequence.
func some(r *rand.Rand, list []uint32, share float64) (out []uint32) {
	for _, x := range list {
		if r.Float64() < share {
			out = append(out, x)
		}
	}
	return out
}

// loopPair is a pair of threads with one root, whose callees are calls of these functions. Each
// calls up to seven others.
func loopPair(b *testing.B, x, y []uint32) *pair.Pair {
	var sides [2]*trace.Trace
	for s, list := range [2][]uint32{x, y} {
		builder := trace.NewBuilder("loops")
		th, at := builder.Thread("1", -1), int64(0)
		call := func(name string) {
			th.Begin(at, builder.Function(trace.Function{Name: name}))
			at++
		}
		call("main")
		for k, fn := range list {
			call(fmt.Sprint("f", fn))
			for n := range k % 8 {
				call(fmt.Sprint("g", (int(fn)+n*k)%loopNames))
				th.End(at)
			}
			th.End(at)
		}
		th.End(at)
		sides[s] = testtrace.Build(b, builder)
	}
	return pair.New(sides[pair.A], sides[pair.B], pair.Rules{})
}
